//! Forms built field by field, for programs that have no schema in hand.
//!
//! Owns nothing but the field that is being described: what goes with what is for the core to
//! judge, when the form is built.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

use mcp_elicit::schema::{AnyField, Choice, FieldKind, FormBuilder, Numeral};
use mcp_elicit::{Error, Form, Json};

use crate::boundary::{self, Done, invalid_argument, need, place};
use crate::engine::mcp_elicit_engine;
use crate::error::mcp_elicit_error;
use crate::form::{limits, mcp_elicit_form};
use crate::options::{for_form, mcp_elicit_ask_options};
use crate::status::mcp_elicit_status;
use crate::text::{optional_text, text};

/// Builds a form field by field: mcp_elicit_form_builder_add_string and the like add a field, the
/// setters then say more about the field that was added last. A setter called again replaces what
/// was said. Nothing is judged before mcp_elicit_form_builder_build, which then names every fault.
///
/// Make it with mcp_elicit_form_builder_new, free it with mcp_elicit_form_builder_free.
///
/// Thread-safety: one thread at a time.
pub struct mcp_elicit_form_builder {
    done: FormBuilder,
    /// The field that was added last, with its name.
    last: Option<(String, AnyField)>,
}

/// A builder of a form without fields.
///
/// It is yours: free it with mcp_elicit_form_builder_free. NULL only after a defect of this
/// library.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_builder_new() -> Option<Box<mcp_elicit_form_builder>> {
    boundary::value(None, || {
        Some(Box::new(mcp_elicit_form_builder { done: Form::builder(), last: None }))
    })
}

/// Frees a builder. NULL is allowed. Forms that it built live on.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_builder_free(builder: Option<Box<mcp_elicit_form_builder>>) {
    boundary::value((), || drop(builder));
}

/// Adds a field for a text.
///
/// `name` is the key in the answer, `name_len` its length in bytes; MCP_ELICIT_NUL means
/// NUL-terminated. It is copied. An answer must hold the field where `required` is not 0. Two
/// fields of one name are MCP_ELICIT_SCHEMA when the form is built.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_add_string(
    builder: Option<&mut mcp_elicit_form_builder>,
    name: *const c_char,
    name_len: usize,
    required: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        // SAFETY: the header asks for a text of this length.
        unsafe { add(builder, FieldKind::String, name, name_len, required) }
    })
}

/// Adds a field for a whole number.
///
/// Name and `required` are as in mcp_elicit_form_builder_add_string.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_add_integer(
    builder: Option<&mut mcp_elicit_form_builder>,
    name: *const c_char,
    name_len: usize,
    required: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        // SAFETY: the header asks for a text of this length.
        unsafe { add(builder, FieldKind::Integer, name, name_len, required) }
    })
}

/// Adds a field for a number.
///
/// Name and `required` are as in mcp_elicit_form_builder_add_string.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_add_number(
    builder: Option<&mut mcp_elicit_form_builder>,
    name: *const c_char,
    name_len: usize,
    required: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        // SAFETY: the header asks for a text of this length.
        unsafe { add(builder, FieldKind::Number, name, name_len, required) }
    })
}

/// Adds a field for true or false.
///
/// Name and `required` are as in mcp_elicit_form_builder_add_string.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_add_boolean(
    builder: Option<&mut mcp_elicit_form_builder>,
    name: *const c_char,
    name_len: usize,
    required: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        // SAFETY: the header asks for a text of this length.
        unsafe { add(builder, FieldKind::Boolean, name, name_len, required) }
    })
}

/// Adds a field for one of some options: see mcp_elicit_form_builder_add_option.
///
/// Name and `required` are as in mcp_elicit_form_builder_add_string.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_add_choice(
    builder: Option<&mut mcp_elicit_form_builder>,
    name: *const c_char,
    name_len: usize,
    required: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        // SAFETY: the header asks for a text of this length.
        unsafe { add(builder, FieldKind::Choice, name, name_len, required) }
    })
}

/// Adds a field for any of some options: see mcp_elicit_form_builder_add_option.
///
/// Name and `required` are as in mcp_elicit_form_builder_add_string.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_add_choices(
    builder: Option<&mut mcp_elicit_form_builder>,
    name: *const c_char,
    name_len: usize,
    required: c_int,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        // SAFETY: the header asks for a text of this length.
        unsafe { add(builder, FieldKind::Choices, name, name_len, required) }
    })
}

/// What a person sees in place of the name of the field that was added last. Without any field
/// this, like every setter, is MCP_ELICIT_INVALID_ARGUMENT.
///
/// `title_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_title(
    builder: Option<&mut mcp_elicit_form_builder>,
    title: *const c_char,
    title_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let title = unsafe { text(title, title_len, "title") }?;
        change(last, |field| field.title(title))
    })
}

/// A sentence that helps to answer the field that was added last.
///
/// `description_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_description(
    builder: Option<&mut mcp_elicit_form_builder>,
    description: *const c_char,
    description_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let description = unsafe { text(description, description_len, "description") }?;
        change(last, |field| field.description(description))
    })
}

/// The answer that hosts fill in before a person does, for the field that was added last: JSON, a
/// text, a number, true or false, or a list of texts, as the field takes it.
///
/// `json_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is no JSON.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_default(
    builder: Option<&mut mcp_elicit_form_builder>,
    json: *const c_char,
    json_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let json = unsafe { text(json, json_len, "json") }?;
        let json = Json::parse(json).map_err(Error::from)?;
        change(last, |field| field.default(json.root()))
    })
}

/// The fewest characters (code points) of the text that was added last.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_builder_set_min_length(
    builder: Option<&mut mcp_elicit_form_builder>,
    characters: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(last(builder)?, |field| field.min_length(characters)))
}

/// The most characters (code points) of the text that was added last.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_builder_set_max_length(
    builder: Option<&mut mcp_elicit_form_builder>,
    characters: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(last(builder)?, |field| field.max_length(characters)))
}

/// The format of the text that was added last: "email", "uri", "date" or "date-time". Other formats
/// that can be checked, such as "uuid", stay off the wire and are checked when the answer comes
/// back.
///
/// `format_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_format(
    builder: Option<&mut mcp_elicit_form_builder>,
    format: *const c_char,
    format_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let format = unsafe { text(format, format_len, "format") }?;
        change(last, |field| field.format(format))
    })
}

/// What the text that was added last must match: a regular expression of ECMA-262, without looking
/// around or back. Stays off the wire and is checked when the answer comes back.
///
/// `pattern_len` is in bytes; MCP_ELICIT_NUL means NUL-terminated. It is copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_pattern(
    builder: Option<&mut mcp_elicit_form_builder>,
    pattern: *const c_char,
    pattern_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let pattern = unsafe { text(pattern, pattern_len, "pattern") }?;
        change(last, |field| field.pattern(pattern))
    })
}

/// The smallest number that the number that was added last may be.
///
/// `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
/// MCP_ELICIT_NUL means NUL-terminated.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is no number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_minimum(
    builder: Option<&mut mcp_elicit_form_builder>,
    number: *const c_char,
    number_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let number = unsafe { numeral(number, number_len) }?;
        change(last, |field| field.minimum(number))
    })
}

/// The greatest number that the number that was added last may be.
///
/// `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
/// MCP_ELICIT_NUL means NUL-terminated.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is no number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_maximum(
    builder: Option<&mut mcp_elicit_form_builder>,
    number: *const c_char,
    number_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let number = unsafe { numeral(number, number_len) }?;
        change(last, |field| field.maximum(number))
    })
}

/// What the number that was added last must be more than. Stays off the wire and is checked when
/// the answer comes back.
///
/// `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
/// MCP_ELICIT_NUL means NUL-terminated.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is no number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_more_than(
    builder: Option<&mut mcp_elicit_form_builder>,
    number: *const c_char,
    number_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let number = unsafe { numeral(number, number_len) }?;
        change(last, |field| field.more_than(number))
    })
}

/// What the number that was added last must be less than. Stays off the wire and is checked when
/// the answer comes back.
///
/// `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
/// MCP_ELICIT_NUL means NUL-terminated.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is no number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_less_than(
    builder: Option<&mut mcp_elicit_form_builder>,
    number: *const c_char,
    number_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let number = unsafe { numeral(number, number_len) }?;
        change(last, |field| field.less_than(number))
    })
}

/// What the number that was added last must be a whole multiple of. Stays off the wire and is
/// checked when the answer comes back.
///
/// `number` is written as in JSON and keeps its digits, `number_len` its length in bytes;
/// MCP_ELICIT_NUL means NUL-terminated.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: it is no number.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_set_multiple_of(
    builder: Option<&mut mcp_elicit_form_builder>,
    number: *const c_char,
    number_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let number = unsafe { numeral(number, number_len) }?;
        change(last, |field| field.multiple_of(number))
    })
}

/// One more option of the choice that was added last, in the order of the calls.
///
/// `value` is what an answer holds, `title` what a person sees in its place; `title` may be NULL.
/// Their lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. They are copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_builder_add_option(
    builder: Option<&mut mcp_elicit_form_builder>,
    value: *const c_char,
    value_len: usize,
    title: *const c_char,
    title_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let last = last(builder)?;
        // SAFETY: the header asks for a text of this length.
        let value = unsafe { text(value, value_len, "value") }?;
        // SAFETY: the same.
        let option = match unsafe { optional_text(title, title_len, "title") }? {
            Some(title) => Choice::titled(value, title),
            None => Choice::from(value),
        };
        change(last, |field| field.option(option))
    })
}

/// The fewest options to choose of the choices that were added last.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_builder_set_min_items(
    builder: Option<&mut mcp_elicit_form_builder>,
    options: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(last(builder)?, |field| field.min_items(options)))
}

/// The most options to choose of the choices that were added last.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_builder_set_max_items(
    builder: Option<&mut mcp_elicit_form_builder>,
    options: u64,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || change(last(builder)?, |field| field.max_items(options)))
}

/// Reads what was built, under the limits of `engine`, or under the usual ones where that is NULL.
/// `options` may be NULL. The builder stays as it is, for more fields and other forms.
///
/// On success `*form` is yours: free it with mcp_elicit_form_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. MCP_ELICIT_SCHEMA: it cannot be asked, and the error lists every fault;
/// see mcp_elicit_error_fault. A keyword that does not go with its field is one.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_builder_build(
    builder: Option<&mcp_elicit_form_builder>,
    engine: Option<&mcp_elicit_engine>,
    options: Option<&mcp_elicit_ask_options>,
    form: Option<&mut MaybeUninit<Option<Box<mcp_elicit_form>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(form, None, "form")?;
        let builder = need(builder, "builder")?;
        let mut all = builder.done.clone().options(for_form(options, limits(engine)));
        if let Some((name, field)) = &builder.last {
            all = all.field(name, field.clone());
        }
        place.write(Some(Box::new(mcp_elicit_form::new(all.build()?))));
        Ok(())
    })
}

/// Adds a field of `kind`; the one before is done with.
///
/// # Safety
/// As [`text`], of `name` and `name_len`.
unsafe fn add(
    builder: Option<&mut mcp_elicit_form_builder>,
    kind: FieldKind,
    name: *const c_char,
    name_len: usize,
    required: c_int,
) -> Done {
    let builder = need(builder, "builder")?;
    // SAFETY: the same promise.
    let name = unsafe { text(name, name_len, "name") }?.to_owned();
    let field = AnyField::new(kind);
    let field = if required != 0 { field.required() } else { field };
    if let Some((name, field)) = builder.last.replace((name, field)) {
        builder.done = std::mem::take(&mut builder.done).field(&name, field);
    }
    Ok(())
}

/// The field that was added last.
fn last(builder: Option<&mut mcp_elicit_form_builder>) -> Done<&mut AnyField> {
    match &mut need(builder, "builder")?.last {
        Some((_, field)) => Ok(field),
        None => Err(invalid_argument("builder", "has no field yet")),
    }
}

fn change(field: &mut AnyField, change: impl FnOnce(AnyField) -> AnyField) -> Done {
    let said = std::mem::replace(field, AnyField::new(FieldKind::String));
    *field = change(said);
    Ok(())
}

/// The number that C hands in as text.
///
/// # Safety
/// As [`text`].
unsafe fn numeral(number: *const c_char, len: usize) -> Done<Numeral> {
    // SAFETY: the same promise.
    let text = unsafe { text(number, len, "number") }?;
    text.parse().map_err(|_| invalid_argument("number", "is not a number as JSON writes it"))
}
