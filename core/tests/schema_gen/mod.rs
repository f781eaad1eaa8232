//! Random forms and random answers, near the grammar and near each other, so that most of them
//! say something.

use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

/// A JSON number from its text, digits kept.
fn number(text: &str) -> Value {
    Value::Number(serde_json::from_str::<Number>(text).expect("a number"))
}

/// Few texts, so that they meet: options, values, titles.
pub(crate) fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "a", "b", "c", "dev", "prod", "Prod", "", " ", "é", "😀", "a,b", " b", "[x]", "true", "1", "x y",
            "a\"b", "a\\b", "tab\t", "#FF0000",
        ]).prop_map(str::to_owned),
        1 => "[ -~]{0,6}",
        1 => "\\PC{0,5}",
    ]
}

/// Texts that formats look at.
pub(crate) fn formatted() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "a@example.com",
            "a@b",
            "a",
            "@a",
            "a@",
            "\"a b\"@example.com",
            "a@[127.0.0.1]",
            "A.b+c@x-y.org",
            "a..b@c.de",
            "https://example.com/a?b=c#d",
            "http://[::1]:80/",
            "urn:a:b",
            "mailto:a@b",
            "x",
            "//a/b",
            "http://a b",
            "2024-02-29",
            "2023-02-29",
            "1999-12-31",
            "0000-01-01",
            "2024-1-1",
            "2024-13-01",
            "2026-07-28T09:30:00Z",
            "2026-07-28t09:30:00.123z",
            "2026-07-28T09:30:00+03:00",
            "2016-12-31T23:59:60Z",
            "2026-07-28T09:30:00",
            "2026-07-28 09:30:00Z",
            "2026-07-28T24:00:00Z",
            "2026-07-28T09:30:60Z",
        ])
        .prop_map(str::to_owned),
        "[a-z.@:/0-9T+-]{0,12}",
        "[0-9]{4}-[01][0-9]-[0-3][0-9]",
        "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]{1,3})?(Z|[+-][0-2][0-9]:[0-5][0-9])",
        "[a-z]{1,5}@[a-z-]{1,5}\\.[a-z]{1,3}",
        "[a-z]{1,4}://[a-z0-9.-]{0,6}(:[0-9]{0,3})?/[a-z%]{0,4}",
    ]
}

/// Numbers around the places where numbers are read differently.
pub(crate) fn numeral() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (-12i64..12).prop_map(|n| n.to_string()),
        2 => (-120i64..120).prop_map(|n| format!("{}.{:02}", n / 10, (n * 37).rem_euclid(100))),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => prop::sample::select(vec![
            "5.0", "5.5", "-0", "0.0", "1e2", "1E-2", "10e-1", "9007199254740992", "9007199254740993",
            "9007199254740993.0", "1e300", "-1e300", "0.1", "0.3", "1.0000000000000000001", "12345678901234567890",
        ]).prop_map(str::to_owned),
    ]
}

fn options() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(word(), 1..5)
        .prop_map(|set| set.into_iter().collect())
        .prop_shuffle()
}

fn titled(values: Vec<String>, titles: Vec<String>) -> Value {
    let titles = titles.into_iter().chain(std::iter::repeat("T".to_owned()));
    values
        .into_iter()
        .zip(titles)
        .map(|(value, title)| json!({"const": value, "title": title}))
        .collect()
}

/// The keywords of one field of the grammar; bounds may contradict each other.
pub(crate) fn field() -> impl Strategy<Value = Value> {
    let lengths = (prop::option::of(0u64..6), prop::option::of(0u64..8));
    let format = prop::option::of(prop::sample::select(vec!["email", "uri", "date", "date-time"]));
    let text = (lengths, format).prop_map(|((min, max), format)| {
        let mut field = json!({"type": "string"});
        if format.is_none() {
            put(&mut field, "minLength", min.map(Value::from));
            put(&mut field, "maxLength", max.map(Value::from));
        }
        put(&mut field, "format", format.map(Value::from));
        field
    });
    let bounds = (prop::option::of(numeral()), prop::option::of(numeral()));
    let numeric = (any::<bool>(), bounds).prop_map(|(integer, (min, max))| {
        let mut field = json!({"type": if integer { "integer" } else { "number" }});
        put(&mut field, "minimum", min.map(|n| number(&n)));
        put(&mut field, "maximum", max.map(|n| number(&n)));
        field
    });
    let titles = || prop::collection::vec(word(), 5);
    let one = (options(), titles(), 0..3).prop_map(|(values, titles, form)| match form {
        0 => json!({"type": "string", "enum": values}),
        1 => json!({"type": "string", "oneOf": titled(values, titles)}),
        _ => {
            let names: Vec<String> = titles.into_iter().take(values.len()).collect();
            json!({"type": "string", "enum": values, "enumNames": names})
        }
    });
    let counts = (prop::option::of(0u64..3), prop::option::of(0u64..5));
    let many = (options(), titles(), any::<bool>(), counts).prop_map(
        |(values, titles, with, (min, max))| {
            let items = if with {
                json!({"anyOf": titled(values, titles)})
            } else {
                json!({"type": "string", "enum": values})
            };
            let mut field = json!({"type": "array", "items": items});
            put(&mut field, "minItems", min.map(Value::from));
            put(&mut field, "maxItems", max.map(Value::from));
            field
        },
    );
    prop_oneof![3 => text, 3 => numeric, 1 => Just(json!({"type": "boolean"})), 2 => one, 2 => many]
}

fn put(field: &mut Value, key: &str, value: Option<Value>) {
    if let Some(value) = value {
        field[key] = value;
    }
}

/// Names of fields; none looks like a secret.
pub(crate) fn names(count: usize) -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        4 => prop::sample::select(vec!["name", "age", "mail", "env", "x", "a/b", "c~d", "__proto__", "é", "toString"])
            .prop_map(str::to_owned),
        1 => "[a-f]{1,3}",
    ];
    prop::collection::btree_set(name, count)
        .prop_map(|set| set.into_iter().collect())
        .prop_shuffle()
}

/// A value for a field, often one that fits.
pub(crate) fn value_for(field: &Value) -> BoxedStrategy<Value> {
    let options: Vec<Value> = options_of(field);
    match field["type"].as_str().unwrap_or("string") {
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "integer" | "number" => numeral().prop_map(|n| number(&n)).boxed(),
        "array" if options.is_empty() => Just(json!([])).boxed(),
        "array" => prop::collection::vec(
            prop_oneof![9 => prop::sample::select(options), 1 => word().prop_map(Value::from)],
            0..4,
        )
        .prop_map(Value::Array)
        .boxed(),
        _ if !options.is_empty() => {
            prop_oneof![6 => prop::sample::select(options), 1 => word().prop_map(Value::from)]
                .boxed()
        }
        _ if field.get("format").is_some() => formatted().prop_map(Value::from).boxed(),
        _ => word().prop_map(Value::from).boxed(),
    }
}

/// The values of a choice.
pub(crate) fn options_of(field: &Value) -> Vec<Value> {
    let list = [&field["enum"], &field["oneOf"], &field["items"]["enum"], &field["items"]["anyOf"]];
    let list = list.into_iter().find_map(Value::as_array);
    let value = |option: &Value| option.get("const").unwrap_or(option).clone();
    list.into_iter().flatten().map(value).collect()
}

/// Any small JSON value.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        numeral().prop_map(|n| number(&n)),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            prop::collection::vec((word(), inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A field with texts and a default that may fit.
fn dressed() -> impl Strategy<Value = Value> {
    (
        field(),
        prop::option::of(word()),
        prop::option::of(word()),
        prop::option::weighted(0.3, Just(())),
    )
        .prop_flat_map(|(field, title, description, default)| {
            let value = value_for(&field);
            value.prop_map(move |value| {
                let mut field = field.clone();
                put(&mut field, "title", title.clone().map(Value::from));
                put(&mut field, "description", description.clone().map(Value::from));
                put(&mut field, "default", default.map(|()| value));
                field
            })
        })
}

/// A schema of the grammar, some of them with contradictions.
pub(crate) fn schema() -> impl Strategy<Value = Value> {
    prop::collection::vec((dressed(), any::<bool>()), 0..5).prop_flat_map(|fields| {
        names(fields.len()).prop_map(move |names| {
            let mut properties = Map::new();
            let mut required = Vec::new();
            for (name, (field, needed)) in names.into_iter().zip(fields.clone()) {
                if needed {
                    required.push(Value::from(name.clone()));
                }
                properties.insert(name, field);
            }
            let mut schema = json!({"type": "object", "properties": properties});
            if !required.is_empty() {
                schema["required"] = Value::Array(required);
            }
            schema
        })
    })
}

/// An answer to a form: some fields, most with values of their kind, and now and then more.
pub(crate) fn answer(schema: &Value) -> BoxedStrategy<Value> {
    let fields: Vec<(String, Value)> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, field)| (name.clone(), field.clone()))
        .collect();
    let members: Vec<BoxedStrategy<Option<(String, Value)>>> = fields
        .into_iter()
        .map(|(name, field)| {
            let value = prop_oneof![8 => value_for(&field), 1 => any_json()];
            let member = value.prop_map(move |value| (name.clone(), value));
            prop::option::weighted(0.85, member).boxed()
        })
        .collect();
    let more = prop::option::weighted(0.1, (word(), any_json()));
    (members, more)
        .prop_map(|(members, more)| {
            let mut answer: Map<String, Value> = members.into_iter().flatten().collect();
            if let Some((name, value)) = more {
                answer.entry(name).or_insert(value);
            }
            Value::Object(answer)
        })
        .boxed()
}

/// JSON Schema around the grammar: what printers of types do to it, and what no form carries.
pub(crate) fn lenient() -> impl Strategy<Value = Value> {
    let keyword = prop::sample::select(vec![
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "pattern",
        "format",
        "enum",
        "const",
        "type",
        "items",
        "nullable",
        "not",
        "title",
        "default",
        "uniqueItems",
        "examples",
        "properties",
        "contentEncoding",
    ]);
    let mutated = (dressed(), prop::collection::vec((keyword, any_json()), 0..3), 0..9usize)
        .prop_map(|(mut field, extra, wrap)| {
            for (key, value) in extra {
                field[key] = value;
            }
            match wrap {
                0 => json!({"anyOf": [field, {"type": "null"}], "default": null}),
                1 => json!({"allOf": [field], "title": "Outer"}),
                2 => {
                    if let Some(kind) = field.get("type").cloned() {
                        field["type"] = json!([kind, "null"]);
                    }
                    field
                }
                3 => json!({"$ref": "#/$defs/A"}),
                4 => {
                    if let Some(map) = field.as_object_mut() {
                        map.shift_remove("type");
                    }
                    field
                }
                5 => {
                    field["exclusiveMinimum"] = json!(0);
                    field["multipleOf"] = json!(0.5);
                    field["pattern"] = json!("^[a-z]*$");
                    field
                }
                _ => field,
            }
        });
    (schema(), dressed(), prop::collection::vec(mutated, 0..4)).prop_map(
        |(mut schema, shared, fields)| {
            for (at, field) in fields.into_iter().enumerate() {
                schema["properties"][format!("f{at}")] = field;
            }
            schema["title"] = json!("Root");
            schema["additionalProperties"] = json!(false);
            schema["$defs"] = json!({"A": shared});
            schema
        },
    )
}
