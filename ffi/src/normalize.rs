//! Forms of other shapes: from what type libraries print, and for hosts of older revisions.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use mcp_elicit::schema::{Note, Revision, explain_text};

use crate::boundary::{self, invalid_argument, need, place, put};
use crate::engine::mcp_elicit_engine;
use crate::error::mcp_elicit_error;
use crate::form::{limits, mcp_elicit_form};
use crate::options::{for_form, mcp_elicit_ask_options};
use crate::status::mcp_elicit_status;
use crate::text::{mcp_elicit_text, text};

/// Reads JSON Schema as type libraries print it (Pydantic, Zod, schemars and others) and brings it
/// into the grammar of a form (elicitation, "Requested Schema"). What hosts do not know but can be
/// enforced when the answer comes back is left off the wire; what a form cannot carry is refused.
///
/// `schema` is JSON, `schema_len` its length in bytes; MCP_ELICIT_NUL means NUL-terminated. It is
/// read under the limits of `engine`, or under the usual ones where that is NULL. `options` may be
/// NULL.
///
/// On success `*form` is yours: free it with mcp_elicit_form_free. `*report` (if `report` is not
/// NULL) is yours too, also where the schema is refused: a JSON array that says for each keyword
/// `{"path","fate","message"}`, where fate is "wire", "enforced", "dropped" or "refused". Free it
/// with mcp_elicit_text_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_SCHEMA: it
/// cannot be asked; see mcp_elicit_error_fault, whose paths are those of `schema`.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_normalize(
    engine: Option<&mcp_elicit_engine>,
    schema: *const c_char,
    schema_len: usize,
    options: Option<&mcp_elicit_ask_options>,
    form: Option<&mut MaybeUninit<Option<Box<mcp_elicit_form>>>>,
    mut report: Option<&mut MaybeUninit<Option<Box<mcp_elicit_text>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        put(report.as_deref_mut(), None);
        let place = place(form, None, "form")?;
        // SAFETY: the header asks for a text of this length.
        let schema = unsafe { text(schema, schema_len, "schema") }?;
        let normalized = explain_text(schema, &for_form(options, limits(engine)));
        put(report, Some(told(&normalized.notes)));
        place.write(Some(Box::new(mcp_elicit_form::new(normalized.form?))));
        Ok(())
    })
}

/// A form as hosts of an older revision of the protocol can be asked it.
///
/// `revision` is "2025-11-25" or "2025-06-18"; `revision_len` is in bytes, and MCP_ELICIT_NUL means
/// NUL-terminated.
///
/// On success `*older` is yours: free it with mcp_elicit_form_free. Its wire text is the older
/// revision's; answers are checked as before. `*lost` (if `lost` is not NULL) is yours too, a JSON
/// array as the report of mcp_elicit_form_normalize: what hosts are no longer shown. Free it with
/// mcp_elicit_text_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains. MCP_ELICIT_SCHEMA: the
/// revision cannot carry the form; see mcp_elicit_error_fault. MCP_ELICIT_INVALID_ARGUMENT: NULL, or
/// no such revision.
///
/// Thread-safety: any thread.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_form_downgrade(
    form: Option<&mcp_elicit_form>,
    revision: *const c_char,
    revision_len: usize,
    older: Option<&mut MaybeUninit<Option<Box<mcp_elicit_form>>>>,
    mut lost: Option<&mut MaybeUninit<Option<Box<mcp_elicit_text>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        put(lost.as_deref_mut(), None);
        let place = place(older, None, "older")?;
        let form = need(form, "form")?;
        // SAFETY: the header asks for a text of this length.
        let revision = unsafe { text(revision, revision_len, "revision") }?;
        let revision = Revision::by_name(revision)
            .ok_or_else(|| invalid_argument("revision", "is not 2025-11-25 or 2025-06-18"))?;
        let downgraded = form.form.downgrade(revision)?;
        put(lost, Some(told(&downgraded.lost)));
        place.write(Some(Box::new(mcp_elicit_form::new(downgraded.form))));
        Ok(())
    })
}

/// Notes as a JSON array.
fn told(notes: &[Note]) -> Box<mcp_elicit_text> {
    let mut json = String::from("[");
    for (at, note) in notes.iter().enumerate() {
        if at > 0 {
            json.push(',');
        }
        note.write_json(&mut json);
    }
    json.push(']');
    mcp_elicit_text::boxed(json)
}
