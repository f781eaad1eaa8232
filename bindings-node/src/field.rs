//! The fields of a form: what they are, and how they are built.

use mcp_elicit::json::quote_into;
use mcp_elicit::schema::{Choice, Field, FormBuilder, NumberField};
use mcp_elicit::{Error, ErrorKind, Form, Json, Result};
use napi::Env;
use napi::bindgen_prelude::External;
use napi_derive::napi;

use crate::answer::Wording;
use crate::boundary::enter;
use crate::form::Reading;

/// The fields as a JSON array, in the order of the schema. Members without a value are left out.
#[napi(catch_unwind)]
pub fn form_fields(env: Env, form: &External<Form>) -> napi::Result<String> {
    enter(env, || {
        let mut out = String::from("[");
        for (at, field) in form.fields().iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            write_field(&mut out, field);
        }
        out.push(']');
        Ok(out)
    })
}

fn write_field(out: &mut String, field: &Field) {
    let text = |text: &str| Json::string(text).text().to_owned();
    let list = |items: Vec<String>| format!("[{}]", items.join(","));
    let choices = field.choices().iter().map(|choice| {
        let title = choice.title().map(|title| format!(",\"title\":{}", text(title)));
        let (value, label) = (text(choice.value()), text(choice.label()));
        format!("{{\"value\":{value}{},\"label\":{label}}}", title.unwrap_or_default())
    });
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let members = [
        ("name", Some(text(field.name()))),
        ("kind", Some(text(field.kind().name()))),
        ("title", field.title().map(text)),
        ("label", Some(text(field.label()))),
        ("description", field.description().map(text)),
        ("isRequired", Some(field.is_required().to_string())),
        ("isSensitive", Some(field.is_sensitive().to_string())),
        ("defaultValue", field.default_value().map(|value| value.compact())),
        ("choices", Some(list(choices.collect()))),
        ("minLength", count(field.min_length())),
        ("maxLength", count(field.max_length())),
        ("format", field.format().map(text)),
        ("patterns", Some(list(field.patterns().map(text).collect()))),
        ("minimum", field.minimum().map(str::to_owned)),
        ("maximum", field.maximum().map(str::to_owned)),
        ("minItems", count(field.min_items())),
        ("maxItems", count(field.max_items())),
    ];
    let mut next = '{';
    for (name, json) in members.iter().filter_map(|(name, json)| Some((name, json.as_ref()?))) {
        out.push(next);
        quote_into(out, name);
        out.push(':');
        out.push_str(json);
        next = ',';
    }
    out.push('}');
}

fn named<'f>(form: &'f Form, name: &str) -> Result<&'f Field> {
    form.field(name)
        .ok_or_else(|| Error::new(ErrorKind::InvalidArgument, "the form has no field of this name"))
}

/// Reads a text as an answer to a field. The frame is empty where there is none, `v` and the value
/// as JSON, or `i` and the fault.
#[napi(catch_unwind)]
pub fn field_coerce(
    env: Env,
    form: &External<Form>,
    name: String,
    text: String,
    wording: Wording,
) -> napi::Result<String> {
    enter(env, || {
        Ok(match named(form, &name)?.coerce_with(&text, &wording.try_into()?) {
            Ok(None) => String::new(),
            Ok(Some(value)) => format!("v{}", value.text()),
            Err(fault) => {
                let mut frame = String::from("i");
                fault.write_json(&mut frame);
                frame
            }
        })
    })
}

/// The text that a field reads as a value; null where the value is of another type.
#[napi(catch_unwind)]
pub fn field_print(
    env: Env,
    form: &External<Form>,
    name: String,
    value: String,
) -> napi::Result<Option<String>> {
    enter(env, || Ok(named(form, &name)?.print(Json::parse(value)?.root())))
}

/// An option of a choice that is built.
#[napi(object, object_to_js = false)]
pub struct BuiltChoice {
    /// The value that an answer holds.
    pub value: String,
    /// What a person sees in its place.
    pub title: Option<String>,
}

/// A field that is built. JavaScript has checked that a kind has its own members only.
#[napi(object, object_to_js = false)]
pub struct BuiltField {
    /// The key in the answer.
    pub name: String,
    /// The name of a kind.
    pub kind: String,
    /// What a person sees in place of the name.
    pub title: Option<String>,
    /// A sentence that helps to answer.
    pub description: Option<String>,
    /// Whether an answer must hold it.
    pub required: bool,
    /// The options of a choice.
    pub options: Option<Vec<BuiltChoice>>,
    /// The default of a text or a choice.
    pub default_text: Option<String>,
    /// The default of a number.
    pub default_number: Option<f64>,
    /// The default of a truth value.
    pub default_truth: Option<bool>,
    /// The default of a choice of several.
    pub default_list: Option<Vec<String>>,
    /// A whole number of characters, as are the other lengths.
    pub min_length: Option<f64>,
    /// The most characters.
    pub max_length: Option<f64>,
    /// A name.
    pub format: Option<String>,
    /// A regular expression.
    pub pattern: Option<String>,
    /// A bound.
    pub minimum: Option<f64>,
    /// A bound.
    pub maximum: Option<f64>,
    /// A bound.
    pub more_than: Option<f64>,
    /// A bound.
    pub less_than: Option<f64>,
    /// A divisor.
    pub multiple_of: Option<f64>,
    /// The fewest options.
    pub min_items: Option<f64>,
    /// The most options.
    pub max_items: Option<f64>,
}

/// Says to a field of the builder what was given.
macro_rules! describe {
    ($field:expr, $given:ident: $($said:ident = $value:expr),* $(,)?) => {{
        let mut field = $field;
        if let Some(title) = &$given.title {
            field = field.title(title);
        }
        if let Some(description) = &$given.description {
            field = field.description(description);
        }
        if $given.required {
            field = field.required();
        }
        $(if let Some(value) = $value {
            field = field.$said(value);
        })*
        field
    }};
}

fn add(builder: FormBuilder, given: &BuiltField) -> Result<FormBuilder> {
    let count = |count: Option<f64>| count.map(|count| count as u64);
    let options = || -> Vec<Choice> {
        let options = given.options.iter().flatten();
        options
            .map(|option| match &option.title {
                Some(title) => Choice::titled(&*option.value, &**title),
                None => Choice::from(&*option.value),
            })
            .collect()
    };
    let name = &*given.name;
    Ok(match &*given.kind {
        "string" => builder.string(name, |field| {
            describe!(field, given:
                default = given.default_text.as_deref(),
                min_length = count(given.min_length),
                max_length = count(given.max_length),
                format = given.format.as_deref(),
                pattern = given.pattern.as_deref(),
            )
        }),
        "integer" | "number" => {
            let number = |field: NumberField| {
                describe!(field, given:
                    default = given.default_number,
                    minimum = given.minimum,
                    maximum = given.maximum,
                    more_than = given.more_than,
                    less_than = given.less_than,
                    multiple_of = given.multiple_of,
                )
            };
            if given.kind == "integer" {
                builder.integer(name, number)
            } else {
                builder.number(name, number)
            }
        }
        "boolean" => {
            builder.boolean(name, |field| describe!(field, given: default = given.default_truth))
        }
        "choice" => builder.choice(
            name,
            options(),
            |field| describe!(field, given: default = given.default_text.as_deref()),
        ),
        "choices" => builder.choices(name, options(), |field| {
            let values = given.default_list.as_ref();
            describe!(field, given:
                default = values.map(|values| values.iter().map(String::as_str)),
                min_items = count(given.min_items),
                max_items = count(given.max_items),
            )
        }),
        _ => return Err(Error::new(ErrorKind::InvalidArgument, "there is no such kind of field")),
    })
}

/// Builds a form of fields.
#[napi(catch_unwind)]
pub fn form_build(
    env: Env,
    fields: Vec<BuiltField>,
    reading: Reading,
) -> napi::Result<External<Form>> {
    enter(env, || {
        let builder = Form::builder().options(reading.into());
        fields.iter().try_fold(builder, add)?.build().map(External::new)
    })
}
