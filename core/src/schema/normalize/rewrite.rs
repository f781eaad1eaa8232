//! Writes one field in the grammar: keywords in one order, those that are enforced off the wire
//! among them.

use super::Fate;
use super::bounds::is_whole;
use super::gather::{Gathered, Literal, Said};
use super::object::Normalizer;
use crate::json::{JsonType, push_pointer, quote_into};
use crate::schema::format::Format;
use crate::schema::{lint, rules};

/// Formats that people and printers use for any text.
const ANY_TEXT: &[&str] = &[
    "text",
    "string",
    "textarea",
    "multiline",
    "multi-line",
    "markdown",
    "html",
    "path",
    "file-path",
    "directory-path",
    "binary",
    "phone",
    "color",
];

/// A field that is being written.
pub(super) struct Text<'t> {
    out: &'t mut String,
    /// Pointer to the field in what is written.
    written: String,
    origins: &'t mut Vec<(String, String)>,
}

impl Text<'_> {
    /// Appends a keyword with its JSON; it comes from `path`.
    pub(super) fn put(&mut self, key: &str, json: &str, path: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        quote_into(self.out, key);
        self.out.push(':');
        self.out.push_str(json);
        let mut written = self.written.clone();
        push_pointer(&mut written, key);
        self.origins.push((written, path.to_owned()));
    }

    /// Appends what is said as it is.
    pub(super) fn keep(&mut self, said: &Said<'_>) {
        self.put(said.key, &said.value.compact(), &said.path);
    }

    /// A value inside the keyword `key` comes from `path`.
    fn inner(&mut self, key: &str, place: &str, path: &str) {
        self.origins.push((format!("{}/{key}{place}", self.written), path.to_owned()));
    }
}

impl<'j> Normalizer<'j, '_> {
    /// Appends the field; false where it was refused.
    pub(super) fn rewrite(
        &mut self,
        name: &str,
        path: &str,
        mut field: Gathered<'j>,
        out: &mut String,
    ) -> bool {
        if field.broken {
            return false;
        }
        let Some((kind, place)) = self.kind_of(path, &field) else { return false };
        let mut written = String::from("/properties");
        push_pointer(&mut written, name);
        let mut origins = vec![(written.clone(), path.to_owned())];
        out.push('{');
        let mut text = Text { out, written, origins: &mut origins };
        text.put("type", &format!("\"{}\"", self.wire_kind(kind, &field)), &place);
        for key in ["title", "description"] {
            if let Some(said) = field.take(key) {
                self.note(&said.path, Fate::Wire, "");
                text.keep(&said);
            }
        }
        let default = field.take("default");
        let sound = match kind {
            "string" => self.string(&mut field, &mut text),
            "integer" | "number" => self.number(kind == "integer", &mut field, &mut text),
            "boolean" => self.boolean(&mut field, &mut text),
            _ => self.array(path, &mut field, &mut text),
        };
        match default {
            Some(said) if said.value.is_null() && field.nullable => {
                self.note(&said.path, Fate::Dropped, "null is meant by leaving the field out");
            }
            Some(said) => {
                self.note(&said.path, Fate::Wire, "");
                text.keep(&said);
            }
            None => {}
        }
        for said in field.said {
            self.note(&said.path, Fate::Dropped, format!("says nothing about {}", lint::a(kind)));
        }
        out.push('}');
        self.origins.append(&mut origins);
        sound
    }

    /// The type of a field and where it is said.
    fn kind_of(&mut self, path: &str, field: &Gathered<'j>) -> Option<(&'static str, String)> {
        let said = field.kind.as_ref();
        let is_object = said.is_some_and(|(kind, _)| kind == "object");
        if let Some(place) = field.object.as_ref().or(said.filter(|_| is_object).map(|(_, at)| at))
        {
            let place = if is_object { said.map_or(place, |(_, at)| at) } else { place };
            self.fault(place, rules::NOT_FLAT, lint::NOT_FLAT);
            return None;
        }
        let known = ["string", "integer", "number", "boolean", "array"];
        if let Some((kind, place)) = said {
            if let Some(known) = known.into_iter().find(|known| known == kind) {
                return Some((known, place.clone()));
            }
            self.fault(place, rules::FIELD_TYPE, lint::FIELD_TYPE);
            return None;
        }
        let kind = field.literals.as_ref().and_then(|(list, _)| literal_kind(list));
        match (kind, &field.literals) {
            (Some(kind), Some((_, place))) => Some((kind, place.clone())),
            (None, Some((list, place))) if !list.is_empty() => {
                self.fault(place, rules::SEVERAL_TYPES, "write options of one type, best texts");
                None
            }
            _ => {
                let place = self.below(path, "type");
                self.fault(&place, rules::FIELD_TYPE, lint::FIELD_TYPE);
                None
            }
        }
    }

    /// The type that hosts are shown: a multiple of a whole number is one.
    fn wire_kind(&self, kind: &'static str, field: &Gathered<'j>) -> &'static str {
        let whole = |said: &Said<'_>| said.key == "multipleOf" && is_whole(said.value);
        if kind == "number" && field.said.iter().any(whole) { "integer" } else { kind }
    }

    fn string(&mut self, field: &mut Gathered<'j>, text: &mut Text<'_>) -> bool {
        let names = field.take("enumNames");
        if let Some((list, place)) = field.literals.take() {
            let sound = self.restricted_choice(field);
            let sound = self.texts(&list) && sound;
            let titled = names.is_none() && list.iter().any(|literal| literal.title.is_some());
            let key = if titled { "oneOf" } else { "enum" };
            self.note(&place, Fate::Wire, "");
            put_options(text, key, "", titled, &list, &place);
            if let Some(names) = names {
                self.note(&names.path, Fate::Wire, "");
                text.keep(&names);
            }
            return sound;
        }
        if let Some(names) = names {
            self.note(&names.path, Fate::Wire, "");
            text.keep(&names);
        }
        for key in ["minLength", "maxLength"] {
            if let Some(said) = field.take(key) {
                self.note(&said.path, Fate::Wire, "");
                text.keep(&said);
            }
        }
        let mut patterns = Vec::new();
        while let Some(said) = field.take("pattern") {
            self.note(&said.path, Fate::Enforced, "hosts do not know it; answers are checked");
            patterns.push(said);
        }
        let sound = self.format(field, !patterns.is_empty(), text);
        match patterns.as_slice() {
            [] => {}
            [one] => text.keep(one),
            several => {
                let list: Vec<String> = several
                    .iter()
                    .map(|said| format!("{{\"pattern\":{}}}", said.value.compact()))
                    .collect();
                text.put("allOf", &format!("[{}]", list.join(",")), &several[0].path);
                for (at, said) in several.iter().enumerate() {
                    text.inner("allOf", &format!("/{at}/pattern"), &said.path);
                }
            }
        }
        sound
    }

    /// What restricts a text has no place beside options.
    fn restricted_choice(&mut self, field: &mut Gathered<'j>) -> bool {
        let mut sound = true;
        for key in ["minLength", "maxLength", "format", "pattern", "contentEncoding"] {
            while let Some(said) = field.take(key) {
                sound = false;
                self.fault(
                    &said.path,
                    rules::UNKNOWN_KEYWORD,
                    "leave it out: the options already say which texts are allowed",
                );
            }
        }
        sound
    }

    fn texts(&mut self, list: &[Literal<'j>]) -> bool {
        let mut sound = true;
        for literal in list {
            if literal.value.json_type() != JsonType::String {
                sound = false;
                self.fault(
                    &literal.path,
                    rules::OPTION,
                    "write a text: the options of a choice are texts",
                );
            }
        }
        if list.is_empty() {
            // The strict reader says so.
            return true;
        }
        sound
    }

    fn format(&mut self, field: &mut Gathered<'j>, has_pattern: bool, text: &mut Text<'_>) -> bool {
        let encoding = field.take("contentEncoding");
        let Some(said) = field.take("format") else {
            return self.encoding(encoding, text);
        };
        if let Some(encoding) = encoding {
            self.note(&encoding.path, Fate::Dropped, "the format says it");
        }
        let Some(name) = said.value.as_str() else {
            self.fault(&said.path, rules::KEYWORD_TYPE, "write the name of a format");
            return false;
        };
        match Format::by_name(&name) {
            Some(format) if format.on_wire() => {
                self.note(&said.path, Fate::Wire, "");
                text.keep(&said);
            }
            Some(_) => {
                self.note(&said.path, Fate::Enforced, "hosts do not know it; answers are checked");
                text.keep(&said);
            }
            None if matches!(&*name, "password" | "jwt") => {
                if self.options.sensitive_reason.is_none() {
                    self.fault(&said.path, rules::SENSITIVE_FIELD, lint::SENSITIVE);
                    return false;
                }
                self.note(&said.path, Fate::Dropped, "a sensitive field was allowed");
            }
            None if ANY_TEXT.contains(&&*name) => {
                self.note(&said.path, Fate::Dropped, "any text is of this format");
            }
            None if has_pattern => {
                self.note(&said.path, Fate::Dropped, "the pattern says what it means");
            }
            None => {
                self.fault(
                    &said.path,
                    rules::UNSUPPORTED_FORMAT,
                    "we cannot check this format: write a pattern, or leave it out and check the answer yourself",
                );
                return false;
            }
        }
        true
    }

    /// `contentEncoding` where no format is given.
    fn encoding(&mut self, encoding: Option<Said<'j>>, text: &mut Text<'_>) -> bool {
        let Some(said) = encoding else { return true };
        let name = said.value.as_str().unwrap_or_default();
        if matches!(Format::by_name(&name), Some(Format::Base64 | Format::Base64Url)) {
            self.note(&said.path, Fate::Enforced, "hosts do not know it; answers are checked");
            text.put("format", said.value.raw(), &said.path);
        } else {
            self.note(&said.path, Fate::Dropped, "says nothing about the answer");
        }
        true
    }

    fn boolean(&mut self, field: &mut Gathered<'j>, text: &mut Text<'_>) -> bool {
        let Some((list, place)) = field.literals.take() else { return true };
        let mut values = Vec::new();
        for literal in &list {
            match literal.value.as_bool() {
                Some(value) if values.contains(&value) => {}
                Some(value) => values.push(value),
                None => {
                    self.fault(&literal.path, rules::OPTION, "write true or false");
                    return false;
                }
            }
        }
        match values.as_slice() {
            [only] => {
                self.note(&place, Fate::Enforced, "hosts do not know it; answers are checked");
                text.put("enum", &format!("[{only}]"), &place);
            }
            [] => {
                self.fault(&place, rules::NO_OPTIONS, "write at least one option");
                return false;
            }
            _ => self.note(&place, Fate::Wire, "true or false"),
        }
        true
    }

    fn array(&mut self, path: &str, field: &mut Gathered<'j>, text: &mut Text<'_>) -> bool {
        if let Some((_, place)) = field.literals.take() {
            self.fault(&place, rules::OPTION, "list the options in `items`, not whole answers");
            return false;
        }
        let Some(said) = field.take("items") else {
            let place = self.below(path, "items");
            self.fault(&place, rules::NOT_A_CHOICE, lint::NOT_A_CHOICE);
            return false;
        };
        let mut item = Gathered::default();
        if said.value.is_object() {
            self.gather(said.value, &said.path, 0, &mut item);
        }
        if item.broken {
            return false;
        }
        let other = item.kind.as_ref().is_some_and(|(kind, _)| kind != "string");
        let list =
            item.literals.take().filter(|_| !other && !item.nullable && item.object.is_none());
        let Some((list, place)) = list else {
            self.fault(&said.path, rules::NOT_A_CHOICE, lint::NOT_A_CHOICE);
            return false;
        };
        for key in ["title", "description", "default"] {
            if let Some(said) = item.take(key) {
                self.note(&said.path, Fate::Dropped, "options have no text but their titles");
            }
        }
        if !self.restricted_choice(&mut item) || !self.texts(&list) {
            return false;
        }
        for said in item.said {
            self.note(&said.path, Fate::Dropped, "says nothing about a text");
        }
        self.note(&said.path, Fate::Wire, "");
        if let Some(unique) = field.take("uniqueItems") {
            self.note(&unique.path, Fate::Dropped, "no option can be chosen twice anyway");
        }
        for key in ["minItems", "maxItems"] {
            if let Some(said) = field.take(key) {
                self.note(&said.path, Fate::Wire, "");
                text.keep(&said);
            }
        }
        let titled = list.iter().any(|literal| literal.title.is_some());
        let key = if titled { "anyOf" } else { "enum" };
        self.note(&place, Fate::Wire, "");
        put_options(text, key, "items", titled, &list, &place);
        text.inner("items", "", &said.path);
        true
    }
}

/// Appends a list of options under `key`, inside the keyword `within` where one is named.
pub(super) fn put_options(
    text: &mut Text<'_>,
    key: &str,
    within: &str,
    titled: bool,
    list: &[Literal<'_>],
    place: &str,
) {
    let mut json = String::from("[");
    for (at, literal) in list.iter().enumerate() {
        if at > 0 {
            json.push(',');
        }
        if titled {
            json.push_str("{\"const\":");
            literal.value.compact_into(&mut json);
            json.push_str(",\"title\":");
            match (&literal.title, literal.value.as_str()) {
                (Some(title), _) => quote_into(&mut json, title),
                (None, Some(value)) => quote_into(&mut json, &value),
                (None, None) => json.push_str("\"\""),
            }
            json.push('}');
        } else {
            literal.value.compact_into(&mut json);
        }
    }
    json.push(']');
    let at = if within.is_empty() {
        text.put(key, &json, place);
        key.to_owned()
    } else {
        let kind = if titled { "" } else { "\"type\":\"string\"," };
        text.put(within, &format!("{{{kind}\"{key}\":{json}}}"), place);
        format!("{within}/{key}")
    };
    for (index, literal) in list.iter().enumerate() {
        text.inner(&at, &format!("/{index}"), &literal.path);
    }
}

/// The type that all literals have.
fn literal_kind(list: &[Literal<'_>]) -> Option<&'static str> {
    let kind = |literal: &Literal<'_>| match literal.value.json_type() {
        JsonType::String => Some("string"),
        JsonType::Boolean => Some("boolean"),
        JsonType::Number => Some("number"),
        _ => None,
    };
    let first = kind(list.first()?)?;
    if list.iter().any(|literal| kind(literal) != Some(first)) {
        return None;
    }
    let whole = |literal: &Literal<'_>| literal.value.as_decimal().is_some_and(|n| n.is_integer());
    if first == "number" && list.iter().all(whole) { Some("integer") } else { Some(first) }
}
