//! Forms: `requestedSchema`, from what people have to what every host can show, and the answer
//! back.
//!
//! Owns the grammar of a form, its rules and their messages. Knows nothing of requests, calls and
//! state. Protocol: elicitation, "Requested Schema" and "Form Mode Security".
//!
//! A [`Form`] is read once, by [`Form::parse`] (strict) or built by [`Form::builder`], and then
//! only used: its wire text is spliced into requests, its fields check answers.

mod any_field;
mod builder;
mod check;
mod checked;
mod coerce;
mod defaults;
mod downgrade;
mod field;
mod format;
mod lint;
mod messages;
mod normalize;
mod number;
mod parse;
mod pattern;
mod rules;
mod secret;
#[cfg(feature = "serde")]
mod typed;
mod validate;
mod wire;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest, Sha256};

pub use checked::AnswerCheck;
pub(crate) use messages::shown;
pub(crate) use rules::{CHECK, NOT_CARRIED};

pub use any_field::AnyField;
pub use builder::{
    BooleanField, ChoiceField, ChoicesField, FormBuilder, NumberField, Numeral, StringField,
};
pub use downgrade::{Downgraded, Revision};
pub use field::{Choice, Field, FieldKind};
pub use messages::Messages;
pub use normalize::{Fate, Normalized, Note, explain, explain_text};
pub use rules::{RULES, Rule, Scope};
pub use validate::{Answer, UnknownFields, ValidateOptions};

use crate::error::{Error, ErrorKind, Fault, Result};
use crate::json::{Json, Value};
use parse::Grammar;

/// How much a form may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaLimits {
    /// Fields.
    pub properties: usize,
    /// Options of all fields together.
    pub options: usize,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        Self { properties: 64, options: 1000 }
    }
}

/// How a schema is read.
#[derive(Clone, Debug, Default)]
pub struct FormOptions {
    pub(crate) limits: SchemaLimits,
    pub(crate) sensitive_reason: Option<String>,
}

impl FormOptions {
    /// The usual limits; no field may look like a secret.
    pub fn new() -> Self {
        Self::default()
    }

    /// How much a form may hold.
    #[must_use]
    pub fn limits(mut self, limits: SchemaLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets fields look like secrets, for `reason`, which becomes a warning of the form. The
    /// protocol forbids a form to ask for one (elicitation, "Form Mode Security"): this is for
    /// names that only look so.
    #[must_use]
    pub fn allow_sensitive_name(mut self, reason: impl Into<String>) -> Self {
        self.sensitive_reason = Some(reason.into());
        self
    }
}

/// A checked schema of a form. Immutable, shared by threads; cloning is cheap.
#[derive(Clone)]
pub struct Form(Arc<Inner>);

struct Inner {
    fields: Box<[Field]>,
    /// Positions of fields in order of name; empty where there are few.
    sorted: Box<[u32]>,
    wire: Box<str>,
    /// None where it is the wire text.
    source: Option<Box<str>>,
    warnings: Box<[Fault]>,
    report: Box<[Note]>,
    fingerprint: OnceLock<[u8; 32]>,
}

impl Form {
    /// Reads a schema of the grammar, as JSON.
    ///
    /// Strict: what the protocol's grammar does not have is a fault. JSON Schema as type libraries
    /// print it is read by `normalize`.
    ///
    /// # Errors
    /// [`ErrorKind::Schema`] with every fault: its place as JSON pointer into the schema, its rule
    /// (one of [`RULES`]) and a sentence that says what to write instead.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_with(text, &FormOptions::default())
    }

    /// Reads a schema of the grammar as `options` say.
    ///
    /// # Errors
    /// As [`Form::parse`].
    pub fn parse_with(text: &str, options: &FormOptions) -> Result<Self> {
        Self::from_value_with(read(text)?.root(), options)
    }

    /// Reads a schema of the grammar that is JSON already.
    ///
    /// # Errors
    /// As [`Form::parse`].
    pub fn from_json(json: &Json) -> Result<Self> {
        Self::from_value(json.root())
    }

    /// Reads a schema of the grammar that is part of some JSON.
    ///
    /// # Errors
    /// As [`Form::parse`].
    pub fn from_value(value: Value<'_>) -> Result<Self> {
        Self::from_value_with(value, &FormOptions::default())
    }

    /// Reads a schema of the grammar that is part of some JSON as `options` say.
    ///
    /// # Errors
    /// As [`Form::parse`].
    pub fn from_value_with(value: Value<'_>, options: &FormOptions) -> Result<Self> {
        let compiled = parse::compile(value, Grammar::Wire, options).map_err(refused)?;
        Ok(Self::new(compiled, value.compact(), None))
    }

    /// Reads a schema of the grammar with the keywords that are enforced off the wire. Places of
    /// faults are those of `source`.
    pub(crate) fn from_source(
        source: Value<'_>,
        options: &FormOptions,
    ) -> std::result::Result<Self, Vec<Fault>> {
        let compiled = parse::compile(source, Grammar::Source, options)?;
        let full = source.compact();
        let mut wire = String::with_capacity(full.len());
        wire::write(source, &mut wire);
        let source = (wire != full).then_some(full);
        Ok(Self::new(compiled, wire, source))
    }

    fn new(compiled: parse::Compiled, wire: String, source: Option<String>) -> Self {
        const FEW: usize = 16;
        let fields = compiled.fields;
        let mut sorted: Vec<u32> = Vec::new();
        if fields.len() > FEW {
            sorted.extend(0..fields.len() as u32);
            sorted.sort_by(|a, b| fields[*a as usize].name.cmp(&fields[*b as usize].name));
        }
        Self(Arc::new(Inner {
            fields: fields.into(),
            sorted: sorted.into(),
            wire: wire.into(),
            source: source.map(Into::into),
            warnings: compiled.warnings.into(),
            report: Box::default(),
            fingerprint: OnceLock::new(),
        }))
    }

    /// The form as it came out of a schema that was normalized: `nulls` names the fields that its
    /// type requires and lets be null.
    fn with_report(mut self, nulls: Vec<String>, report: Vec<Note>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            for field in &mut inner.fields {
                field.null_if_absent = nulls.iter().any(|name| **name == *field.name);
            }
            inner.report = report.into();
        }
        self
    }

    /// The same form with another wire text.
    fn with_wire(&self, wire: String) -> Self {
        Self(Arc::new(Inner {
            fields: self.0.fields.clone(),
            sorted: self.0.sorted.clone(),
            wire: wire.into(),
            source: Some(self.source().into()),
            warnings: self.0.warnings.clone(),
            report: self.0.report.clone(),
            fingerprint: OnceLock::new(),
        }))
    }

    /// Builds a form field by field.
    pub fn builder() -> FormBuilder {
        FormBuilder::new()
    }

    /// The schema as it goes on the wire: one line, made once and spliced into requests.
    pub fn wire(&self) -> &str {
        &self.0.wire
    }

    /// The whole schema, one line: the wire text and the keywords that are enforced off the wire.
    pub fn source(&self) -> &str {
        self.0.source.as_deref().unwrap_or(&self.0.wire)
    }

    /// SHA-256 of [`Form::source`]: tells forms apart by what they take and how they are worded.
    pub(crate) fn fingerprint(&self) -> &[u8; 32] {
        self.0.fingerprint.get_or_init(|| Sha256::digest(self.source()).into())
    }

    /// The fields, in the order of the schema.
    pub fn fields(&self) -> &[Field] {
        &self.0.fields
    }

    /// The field called `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.0.fields.get(self.position_of(name)?)
    }

    fn position_of(&self, name: &str) -> Option<usize> {
        self.position(0, |other| other == name, || Cow::Borrowed(name))
    }

    /// Whether the form has no field.
    pub fn is_empty(&self) -> bool {
        self.0.fields.is_empty()
    }

    /// What does not stop the form, but a person or a host may stumble over. Rules are those of
    /// [`Scope::Warning`].
    pub fn warnings(&self) -> &[Fault] {
        &self.0.warnings
    }

    /// What a person may stumble over in the message that a form is asked with: a link, which hosts
    /// must not make clickable (elicitation, "Safe URL Handling"). The path is `/message`.
    pub fn message_warning(message: &str) -> Option<Fault> {
        lint::has_link(message).then(|| Fault::new("/message", rules::LINK_IN_TEXT, lint::LINK))
    }

    /// Where the field stands that `is` says yes to; `next` is where it is looked for first.
    fn position<'k>(
        &self,
        next: usize,
        is: impl Fn(&str) -> bool,
        key: impl Fn() -> Cow<'k, str>,
    ) -> Option<usize> {
        let fields = &self.0.fields;
        if fields.get(next).is_some_and(|field| is(&field.name)) {
            return Some(next);
        }
        if self.0.sorted.is_empty() {
            return fields.iter().position(|field| is(&field.name));
        }
        let key = key();
        let found = self.0.sorted.binary_search_by(|at| (*fields[*at as usize].name).cmp(&*key));
        found.ok().map(|at| self.0.sorted[at] as usize)
    }
}

/// Two forms are equal when their whole schemas are the same text.
impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Form {}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Form").field(&self.source()).finish()
    }
}

impl std::str::FromStr for Form {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

/// JSON made here of parts that are sound. A text that could not be read would be empty, which
/// never says more than the parts.
fn made(text: String) -> Json {
    Json::parse_with_depth(text, usize::MAX).unwrap_or_else(|_| Json::empty_object())
}

/// Reads the JSON of a schema.
fn read(text: &str) -> Result<Json> {
    Json::parse(text).map_err(|error| {
        let path = error.pointer().unwrap_or("");
        refused(vec![Fault::new(path, rules::JSON, error.to_string())])
    })
}

fn refused(faults: Vec<Fault>) -> Error {
    Error::with_faults(ErrorKind::Schema, "this form cannot be asked", faults)
}

/// Whether the text is an absolute URI (RFC 3986), character by character.
pub(crate) fn is_uri(text: &str) -> bool {
    format::Format::Uri.accepts(text)
}
