//! Forms: schemas read once and asked many times.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use mcp_elicit::Form;
use mcp_elicit::schema::SchemaLimits;

use crate::boundary::{self, place};
use crate::engine::mcp_elicit_engine;
use crate::error::mcp_elicit_error;
use crate::fault::{Faults, mcp_elicit_fault};
use crate::field::mcp_elicit_field;
use crate::options::{for_form, mcp_elicit_ask_options};
use crate::status::mcp_elicit_status;
use crate::text::{Text, give, text};

/// A requestedSchema that was read and found sound, to be asked as often as you like without being
/// read again.
///
/// Make it with mcp_elicit_form_new or mcp_elicit_form_normalize, free it with mcp_elicit_form_free.
///
/// Thread-safety: immutable; any number of threads may use it at once.
pub struct mcp_elicit_form {
    pub(crate) form: Form,
    warnings: OnceLock<Faults>,
    fields: OnceLock<Box<[mcp_elicit_field]>>,
    wire: OnceLock<Text>,
    source: OnceLock<Text>,
}

impl mcp_elicit_form {
    pub(crate) fn new(form: Form) -> Self {
        Self {
            form,
            warnings: OnceLock::new(),
            fields: OnceLock::new(),
            wire: OnceLock::new(),
            source: OnceLock::new(),
        }
    }

    /// The fields as C reads them, in the order of the schema.
    pub(crate) fn fields(&self) -> &[mcp_elicit_field] {
        self.fields.get_or_init(|| self.form.fields().iter().map(mcp_elicit_field::new).collect())
    }
}

/// Checks that a requestedSchema can be asked (elicitation, "Requested Schema"), all of it: the
/// error lists every fault. For tests and for the start of a server; asking checks again.
///
/// `schema` is JSON, `schema_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. Checks
/// with the usual limits and options: mcp_elicit_form_new takes others.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains; free it with
/// mcp_elicit_error_free. MCP_ELICIT_SCHEMA: it cannot be asked; see mcp_elicit_error_fault.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_schema_check(
    schema: *const c_char,
    schema_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        // SAFETY: the header asks for a text of this length.
        Form::parse(unsafe { text(schema, schema_len, "schema") }?)?;
        Ok(())
    })
}

/// Reads a requestedSchema, for mcp_elicit_call_elicit_compiled_form.
///
/// `schema` is JSON, `schema_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. It is
/// read under the limits of `engine`, or under the usual ones where that is NULL. `options` may be
/// NULL.
///
/// On success `*form` is yours: free it with mcp_elicit_form_free.
///
/// Returns as mcp_elicit_schema_check.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_new(
    engine: Option<&mcp_elicit_engine>,
    schema: *const c_char,
    schema_len: usize,
    options: Option<&mcp_elicit_ask_options>,
    form: Option<&mut MaybeUninit<Option<Box<mcp_elicit_form>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(form, None, "form")?;
        // SAFETY: the header asks for a text of this length.
        let schema = unsafe { text(schema, schema_len, "schema") }?;
        let form = Form::parse_with(schema, &for_form(options, limits(engine)))?;
        place.write(Some(Box::new(mcp_elicit_form::new(form))));
        Ok(())
    })
}

/// How much a form may hold: what the engine says, or the usual.
pub(crate) fn limits(engine: Option<&mcp_elicit_engine>) -> SchemaLimits {
    engine.map_or_else(SchemaLimits::default, |engine| engine.engine.limits().schema())
}

/// The schema as hosts are shown it, as JSON without white space between tokens. NULL if `form` is
/// NULL.
///
/// Owned by the form, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_wire(
    form: Option<&mcp_elicit_form>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(form.map(|form| form.wire.get_or_init(|| Text::new(form.form.wire()))), len)
    })
}

/// The schema with the rules that are enforced off the wire, as JSON without white space between
/// tokens. NULL if `form` is NULL.
///
/// Owned by the form, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_source(
    form: Option<&mcp_elicit_form>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        give(form.map(|form| form.source.get_or_init(|| Text::new(form.form.source()))), len)
    })
}

/// Frees a form and everything that was read from it. NULL is allowed. Questions that were asked
/// with it go on.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_free(form: Option<Box<mcp_elicit_form>>) {
    boundary::value((), || drop(form));
}

/// How many things about the form are legal and probably not meant. 0 if `form` is NULL.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_warning_count(form: Option<&mcp_elicit_form>) -> usize {
    boundary::value(0, || form.map_or(0, |form| form.form.warnings().len()))
}

/// The warning at `index`, counted from 0. NULL if there is none, or `form` is NULL.
///
/// Owned by the form.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_form_warning(
    form: Option<&mcp_elicit_form>,
    index: usize,
) -> Option<&mcp_elicit_fault> {
    boundary::value(None, || {
        let form = form?;
        form.warnings.get_or_init(|| Faults::new(form.form.warnings())).each.get(index)
    })
}
