//! Builds a form field by field, without any other library.
//!
//! A builder only writes the schema; what it may say is checked when it is read, so that there is
//! one judge of forms.

use super::any_field::AnyField;
use super::field::Choice;
use super::{Form, FormOptions, read, refused};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Decimal, quote_into};

/// Builds a [`Form`]. Fields stand in the order of the calls.
///
/// ```
/// # use mcp_elicit::schema::Form;
/// let form = Form::builder()
///     .choice("environment", ["dev", "staging", "prod"], |f| f.title("Environment").required())
///     .boolean("notify", |f| f.title("Notify the team").default(false))
///     .build()?;
/// # Ok::<(), mcp_elicit::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct FormBuilder {
    properties: String,
    required: String,
    options: FormOptions,
}

impl FormBuilder {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// How the form is read: its limits, and whether names may look like secrets.
    pub fn options(mut self, options: FormOptions) -> Self {
        self.options = options;
        self
    }

    /// A field for a text.
    pub fn string(self, name: &str, describe: impl FnOnce(StringField) -> StringField) -> Self {
        let field = describe(StringField(Keywords::new("string")));
        self.add(name, field.0)
    }

    /// A field for a whole number.
    pub fn integer(self, name: &str, describe: impl FnOnce(NumberField) -> NumberField) -> Self {
        let field = describe(NumberField(Keywords::new("integer")));
        self.add(name, field.0)
    }

    /// A field for a number.
    pub fn number(self, name: &str, describe: impl FnOnce(NumberField) -> NumberField) -> Self {
        let field = describe(NumberField(Keywords::new("number")));
        self.add(name, field.0)
    }

    /// A field for true or false.
    pub fn boolean(self, name: &str, describe: impl FnOnce(BooleanField) -> BooleanField) -> Self {
        let field = describe(BooleanField(Keywords::new("boolean")));
        self.add(name, field.0)
    }

    /// A field for one of some options: texts, or [`Choice::titled`] ones.
    pub fn choice<C: Into<Choice>>(
        self,
        name: &str,
        options: impl IntoIterator<Item = C>,
        describe: impl FnOnce(ChoiceField) -> ChoiceField,
    ) -> Self {
        let mut keywords = Keywords::new("string");
        keywords.one_of(&collect(options));
        self.add(name, describe(ChoiceField(keywords)).0)
    }

    /// A field for any of some options: texts, or [`Choice::titled`] ones.
    pub fn choices<C: Into<Choice>>(
        self,
        name: &str,
        options: impl IntoIterator<Item = C>,
        describe: impl FnOnce(ChoicesField) -> ChoicesField,
    ) -> Self {
        let mut keywords = Keywords::new("array");
        keywords.any_of(&collect(options));
        self.add(name, describe(ChoicesField(keywords)).0)
    }

    /// A field of a kind that is known only when the program runs.
    pub fn field(self, name: &str, field: AnyField) -> Self {
        self.add(name, field.into_keywords())
    }

    /// Reads what was built.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`](crate::ErrorKind::Schema) with every fault, as [`Form::parse`]. Two
    /// fields of one name are one.
    pub fn build(self) -> Result<Form> {
        let source = self.source();
        Form::from_source(read(&source)?.root(), &self.options).map_err(refused)
    }

    fn source(&self) -> String {
        let mut out = String::from("{\"type\":\"object\",\"properties\":{");
        out.push_str(&self.properties);
        out.push('}');
        if !self.required.is_empty() {
            out.push_str(",\"required\":[");
            out.push_str(&self.required);
            out.push(']');
        }
        out.push('}');
        out
    }

    fn add(mut self, name: &str, keywords: Keywords) -> Self {
        comma(&mut self.properties);
        quote_into(&mut self.properties, name);
        self.properties.push(':');
        keywords.write(&mut self.properties);
        if keywords.required {
            comma(&mut self.required);
            quote_into(&mut self.required, name);
        }
        self
    }
}

/// The keywords of one field; one set again is replaced.
#[derive(Clone, Debug)]
pub(super) struct Keywords {
    pub(super) list: Vec<(&'static str, String)>,
    pub(super) required: bool,
}

impl Keywords {
    pub(super) fn new(kind: &str) -> Self {
        Self { list: vec![("type", quoted(kind))], required: false }
    }

    pub(super) fn set(&mut self, key: &'static str, json: String) {
        match self.list.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = json,
            None => self.list.push((key, json)),
        }
    }

    /// Takes one of `options`.
    pub(super) fn one_of(&mut self, options: &[Choice]) {
        let (key, list) = options_text(options, "oneOf");
        self.set(key, list);
    }

    /// Takes any of `options`.
    pub(super) fn any_of(&mut self, options: &[Choice]) {
        let (key, list) = options_text(options, "anyOf");
        let kind = if key == "enum" { "\"type\":\"string\"," } else { "" };
        self.set("items", format!("{{{kind}\"{key}\":{list}}}"));
    }

    fn write(&self, out: &mut String) {
        out.push('{');
        for (at, (key, json)) in self.list.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            quote_into(out, key);
            out.push(':');
            out.push_str(json);
        }
        out.push('}');
    }
}

fn comma(list: &mut String) {
    if !list.is_empty() {
        list.push(',');
    }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    quote_into(&mut out, text);
    out
}

fn collect<C: Into<Choice>>(options: impl IntoIterator<Item = C>) -> Vec<Choice> {
    options.into_iter().map(Into::into).collect()
}

/// The keyword that lists `options`, and the list. Titles are given to all where one has one.
fn options_text(options: &[Choice], titled: &'static str) -> (&'static str, String) {
    let with_titles = options.iter().any(|choice| choice.title().is_some());
    let mut list = String::from("[");
    for (at, choice) in options.iter().enumerate() {
        if at > 0 {
            list.push(',');
        }
        if with_titles {
            list.push_str("{\"const\":");
            quote_into(&mut list, choice.value());
            list.push_str(",\"title\":");
            quote_into(&mut list, choice.label());
            list.push('}');
        } else {
            quote_into(&mut list, choice.value());
        }
    }
    list.push(']');
    (if with_titles { titled } else { "enum" }, list)
}

/// A number as a schema writes it.
///
/// Made from any integer or double, or read from the text of a JSON number, which keeps its digits.
/// A double that is not finite becomes a fault when the form is built.
#[derive(Clone, Debug)]
pub struct Numeral(pub(super) String);

macro_rules! integers {
    ($($kind:ty)*) => {$(
        impl From<$kind> for Numeral {
            fn from(number: $kind) -> Self {
                Self(number.to_string())
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 u8 u16 u32 u64);

impl From<f64> for Numeral {
    fn from(number: f64) -> Self {
        Self(if number.is_finite() { number.to_string() } else { "null".into() })
    }
}

impl std::str::FromStr for Numeral {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match Decimal::parse(text) {
            Some(_) => Ok(Self(text.into())),
            None => Err(Error::new(
                ErrorKind::InvalidArgument,
                "the text of a number is a number as JSON writes it",
            )),
        }
    }
}

macro_rules! field {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[must_use]
        pub struct $name(Keywords);

        impl $name {
            /// What a person sees in place of the name.
            pub fn title(mut self, title: &str) -> Self {
                self.0.set("title", quoted(title));
                self
            }

            /// A sentence that helps to answer.
            pub fn description(mut self, description: &str) -> Self {
                self.0.set("description", quoted(description));
                self
            }

            /// An answer must hold the field.
            pub fn required(mut self) -> Self {
                self.0.required = true;
                self
            }
        }
    };
}

field!(
    /// Describes a field for a text.
    StringField
);
field!(
    /// Describes a field for a number.
    NumberField
);
field!(
    /// Describes a field for true or false.
    BooleanField
);
field!(
    /// Describes a field for one of some options.
    ChoiceField
);
field!(
    /// Describes a field for any of some options.
    ChoicesField
);

impl StringField {
    /// The answer that hosts fill in before a person does.
    pub fn default(mut self, text: &str) -> Self {
        self.0.set("default", quoted(text));
        self
    }

    /// The fewest characters (code points).
    pub fn min_length(mut self, characters: u64) -> Self {
        self.0.set("minLength", characters.to_string());
        self
    }

    /// The most characters (code points).
    pub fn max_length(mut self, characters: u64) -> Self {
        self.0.set("maxLength", characters.to_string());
        self
    }

    /// `email`, `uri`, `date` or `date-time`; other formats that we can check, such as `uuid`,
    /// stay off the wire and are checked when the answer comes back.
    pub fn format(mut self, name: &str) -> Self {
        self.0.set("format", quoted(name));
        self
    }

    /// A regular expression of ECMA-262, without looking around or back. Stays off the wire and is
    /// checked when the answer comes back.
    pub fn pattern(mut self, pattern: &str) -> Self {
        self.0.set("pattern", quoted(pattern));
        self
    }
}

impl NumberField {
    /// The answer that hosts fill in before a person does.
    pub fn default(mut self, number: impl Into<Numeral>) -> Self {
        self.0.set("default", number.into().0);
        self
    }

    /// The smallest number.
    pub fn minimum(mut self, number: impl Into<Numeral>) -> Self {
        self.0.set("minimum", number.into().0);
        self
    }

    /// The greatest number.
    pub fn maximum(mut self, number: impl Into<Numeral>) -> Self {
        self.0.set("maximum", number.into().0);
        self
    }

    /// The number must be more than this. Stays off the wire.
    pub fn more_than(mut self, number: impl Into<Numeral>) -> Self {
        self.0.set("exclusiveMinimum", number.into().0);
        self
    }

    /// The number must be less than this. Stays off the wire.
    pub fn less_than(mut self, number: impl Into<Numeral>) -> Self {
        self.0.set("exclusiveMaximum", number.into().0);
        self
    }

    /// The number must be a whole multiple of this. Stays off the wire.
    pub fn multiple_of(mut self, number: impl Into<Numeral>) -> Self {
        self.0.set("multipleOf", number.into().0);
        self
    }
}

impl BooleanField {
    /// The answer that hosts fill in before a person does.
    pub fn default(mut self, yes: bool) -> Self {
        self.0.set("default", yes.to_string());
        self
    }
}

impl ChoiceField {
    /// The option that hosts choose before a person does, by its value.
    pub fn default(mut self, value: &str) -> Self {
        self.0.set("default", quoted(value));
        self
    }
}

impl ChoicesField {
    /// The options that hosts choose before a person does, by their values.
    pub fn default<'v>(mut self, values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut list = String::from("[");
        for value in values {
            if list.len() > 1 {
                list.push(',');
            }
            quote_into(&mut list, value);
        }
        list.push(']');
        self.0.set("default", list);
        self
    }

    /// The fewest options.
    pub fn min_items(mut self, options: u64) -> Self {
        self.0.set("minItems", options.to_string());
        self
    }

    /// The most options.
    pub fn max_items(mut self, options: u64) -> Self {
        self.0.set("maxItems", options.to_string());
        self
    }
}
