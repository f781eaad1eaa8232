//! The fields of a form, to look at: for a host that shows them, or a program that prints them.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use mcp_elicit::Value;
use mcp_elicit::schema::{Field, FieldKind};

use crate::boundary::{self, put};
use crate::form::mcp_elicit_form;
use crate::text::{Text, give, text};

/// One field of a form.
///
/// Owned by the form that it was read from, and lives as long. Any number of threads may read it at
/// once.
pub struct mcp_elicit_field {
    name: Text,
    title: Option<Text>,
    label: Text,
    description: Option<Text>,
    kind: mcp_elicit_field_type,
    required: bool,
    sensitive: bool,
    default: Option<Text>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    format: Option<Text>,
    patterns: Box<[Text]>,
    minimum: Option<Text>,
    maximum: Option<Text>,
    choices: Box<[Choice]>,
    min_items: Option<u64>,
    max_items: Option<u64>,
}

/// An option of a choice.
struct Choice {
    value: Text,
    title: Option<Text>,
}

/// What kind of answer a field takes. Later versions can add to these.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum mcp_elicit_field_type {
    /// None: what a field that is NULL takes.
    MCP_ELICIT_FIELD_NONE = 0,
    /// A text.
    MCP_ELICIT_FIELD_STRING = 1,
    /// A whole number.
    MCP_ELICIT_FIELD_INTEGER = 2,
    /// A number.
    MCP_ELICIT_FIELD_NUMBER = 3,
    /// True or false.
    MCP_ELICIT_FIELD_BOOLEAN = 4,
    /// One of some options.
    MCP_ELICIT_FIELD_CHOICE = 5,
    /// Any of some options.
    MCP_ELICIT_FIELD_CHOICES = 6,
}

impl From<FieldKind> for mcp_elicit_field_type {
    fn from(kind: FieldKind) -> Self {
        match kind {
            FieldKind::String => Self::MCP_ELICIT_FIELD_STRING,
            FieldKind::Integer => Self::MCP_ELICIT_FIELD_INTEGER,
            FieldKind::Number => Self::MCP_ELICIT_FIELD_NUMBER,
            FieldKind::Boolean => Self::MCP_ELICIT_FIELD_BOOLEAN,
            FieldKind::Choice => Self::MCP_ELICIT_FIELD_CHOICE,
            FieldKind::Choices => Self::MCP_ELICIT_FIELD_CHOICES,
        }
    }
}

impl mcp_elicit_field {
    pub(crate) fn new(field: &Field) -> Self {
        Self {
            name: Text::new(field.name()),
            title: field.title().map(Text::new),
            label: Text::new(field.label()),
            description: field.description().map(Text::new),
            kind: field.kind().into(),
            required: field.is_required(),
            sensitive: field.is_sensitive(),
            default: field.default_value().map(Value::compact).map(Text::new),
            min_length: field.min_length(),
            max_length: field.max_length(),
            format: field.format().map(Text::new),
            patterns: field.patterns().map(Text::new).collect(),
            minimum: field.minimum().map(Text::new),
            maximum: field.maximum().map(Text::new),
            choices: field
                .choices()
                .iter()
                .map(|choice| Choice {
                    value: Text::new(choice.value()),
                    title: choice.title().map(Text::new),
                })
                .collect(),
            min_items: field.min_items(),
            max_items: field.max_items(),
        }
    }
}

/// How many fields the form has. 0 if `form` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_field_count(form: Option<&mcp_elicit_form>) -> usize {
    boundary::value(0, || form.map_or(0, |form| form.form.fields().len()))
}

/// The field at `index`, counted from 0, in the order of the schema. NULL if there is none, or
/// `form` is NULL.
///
/// Owned by the form.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_field(
    form: Option<&mcp_elicit_form>,
    index: usize,
) -> Option<&mcp_elicit_field> {
    boundary::value(None, || form?.fields().get(index))
}

/// The field called `name`. NULL if there is none, `form` is NULL, or `name` is no text: NULL of a
/// length, or not UTF-8.
///
/// `name_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. The field is owned by the form.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_field_named(
    form: Option<&mcp_elicit_form>,
    name: *const c_char,
    name_len: usize,
) -> Option<&mcp_elicit_field> {
    boundary::value(None, || {
        let form = form?;
        // SAFETY: the header asks for a text of this length.
        let name = unsafe { text(name, name_len, "name") }.ok()?;
        let at = form.form.fields().iter().position(|field| field.name() == name)?;
        form.fields().get(at)
    })
}

/// The name: the key in the answer. NULL if `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_name(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(field.map(|field| &field.name), len))
}

/// The title. NULL where the schema gives none, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_title(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(field.and_then(|field| field.title.as_ref()), len))
}

/// What a person sees: the title, or the name. NULL if `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_label(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(field.map(|field| &field.label), len))
}

/// A sentence that helps to answer. NULL where the schema gives none, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_description(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(field.and_then(|field| field.description.as_ref()), len)
    })
}

/// What kind of answer the field takes. MCP_ELICIT_FIELD_NONE if `field` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_kind(field: Option<&mcp_elicit_field>) -> mcp_elicit_field_type {
    boundary::value(mcp_elicit_field_type::MCP_ELICIT_FIELD_NONE, || {
        field.map_or(mcp_elicit_field_type::MCP_ELICIT_FIELD_NONE, |field| field.kind)
    })
}

/// Whether an answer without the field is incomplete. False if `field` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_is_required(field: Option<&mcp_elicit_field>) -> bool {
    boundary::value(false, || field.is_some_and(|field| field.required))
}

/// Whether the field looks like a secret and was allowed all the same: see
/// mcp_elicit_ask_options_set_allow_sensitive_name. False if `field` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_is_sensitive(field: Option<&mcp_elicit_field>) -> bool {
    boundary::value(false, || field.is_some_and(|field| field.sensitive))
}

/// The answer that hosts fill in before a person does, as JSON on one line. NULL where the schema
/// gives none, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_default(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(field.and_then(|field| field.default.as_ref()), len))
}

/// The fewest characters (code points) of a text. False where the schema does not say, the field is
/// for something else, or `field` is NULL.
///
/// `characters` (may be NULL) receives the number, or 0 where this returns false.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_min_length(
    field: Option<&mcp_elicit_field>,
    characters: Option<&mut MaybeUninit<u64>>,
) -> bool {
    boundary::value(false, || number(field.and_then(|field| field.min_length), characters))
}

/// The most characters (code points) of a text. False where the schema does not say, the field is
/// for something else, or `field` is NULL.
///
/// `characters` (may be NULL) receives the number, or 0 where this returns false.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_max_length(
    field: Option<&mcp_elicit_field>,
    characters: Option<&mut MaybeUninit<u64>>,
) -> bool {
    boundary::value(false, || number(field.and_then(|field| field.max_length), characters))
}

/// The format of a text, such as "email". NULL where the schema does not say, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_format(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(field.and_then(|field| field.format.as_ref()), len))
}

/// How many regular expressions a text must match, all of them. 0 if `field` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_pattern_count(field: Option<&mcp_elicit_field>) -> usize {
    boundary::value(0, || field.map_or(0, |field| field.patterns.len()))
}

/// The regular expression (ECMA-262) at `index`, counted from 0; it stays off the wire and is
/// checked when the answer comes back. NULL if there is none, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_pattern(
    field: Option<&mcp_elicit_field>,
    index: usize,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(field.and_then(|field| field.patterns.get(index)), len)
    })
}

/// The smallest number, as the schema writes it: JSON, with all its digits. NULL where the schema
/// does not say, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_minimum(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(field.and_then(|field| field.minimum.as_ref()), len))
}

/// The greatest number, as the schema writes it: JSON, with all its digits. NULL where the schema
/// does not say, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_maximum(
    field: Option<&mcp_elicit_field>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || give(field.and_then(|field| field.maximum.as_ref()), len))
}

/// The fewest options to choose. False where the schema does not say, the field is for something
/// else, or `field` is NULL.
///
/// `options` (may be NULL) receives the number, or 0 where this returns false.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_min_items(
    field: Option<&mcp_elicit_field>,
    options: Option<&mut MaybeUninit<u64>>,
) -> bool {
    boundary::value(false, || number(field.and_then(|field| field.min_items), options))
}

/// The most options to choose. False where the schema does not say, the field is for something
/// else, or `field` is NULL.
///
/// `options` (may be NULL) receives the number, or 0 where this returns false.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_max_items(
    field: Option<&mcp_elicit_field>,
    options: Option<&mut MaybeUninit<u64>>,
) -> bool {
    boundary::value(false, || number(field.and_then(|field| field.max_items), options))
}

/// How many options there are to choose from. 0 for a field that is no choice, or if `field` is
/// NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_choice_count(field: Option<&mcp_elicit_field>) -> usize {
    boundary::value(0, || field.map_or(0, |field| field.choices.len()))
}

/// The value of the option at `index`, counted from 0: what an answer holds. NULL if there is none,
/// or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_choice_value(
    field: Option<&mcp_elicit_field>,
    index: usize,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(choice(field, index).map(|choice| &choice.value), len)
    })
}

/// The title of the option at `index`, counted from 0: what a person sees. NULL where the schema
/// gives none and the value is shown, if there is no such option, or `field` is NULL.
///
/// Owned by the field, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_field_choice_title(
    field: Option<&mcp_elicit_field>,
    index: usize,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(choice(field, index).and_then(|choice| choice.title.as_ref()), len)
    })
}

fn choice(field: Option<&mcp_elicit_field>, index: usize) -> Option<&Choice> {
    field?.choices.get(index)
}

/// Says whether there is a number, and what it is.
fn number(number: Option<u64>, place: Option<&mut MaybeUninit<u64>>) -> bool {
    put(place, number.unwrap_or(0));
    number.is_some()
}
