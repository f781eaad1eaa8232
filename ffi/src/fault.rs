//! Faults: where something is wrong, and against which rule.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use mcp_elicit::Fault;

use crate::boundary;
use crate::text::Text;

/// One thing that is wrong: where, against which rule, and what to do instead.
///
/// Owned by the error or outcome that it was read from, and lives as long. Any number of threads
/// may read it at once.
pub struct mcp_elicit_fault {
    path: Text,
    rule: Text,
    message: Text,
}

/// Where the fault is, as JSON pointer; "" is the whole. NULL if `fault` is NULL.
///
/// Owned by the fault, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_fault_path(
    fault: Option<&mcp_elicit_fault>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || crate::text::give(fault.map(|fault| &fault.path), len))
}

/// The rule that is broken, such as "minLength": stable, for programs. NULL if `fault` is NULL.
///
/// Owned by the fault, NUL-terminated.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_fault_rule(fault: Option<&mcp_elicit_fault>) -> *const c_char {
    boundary::value(std::ptr::null(), || crate::text::give(fault.map(|fault| &fault.rule), None))
}

/// A sentence for a person: what is wrong and what to do instead. NULL if `fault` is NULL.
///
/// Owned by the fault, NUL-terminated; `len` (may be NULL) receives its length in bytes.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_fault_message(
    fault: Option<&mcp_elicit_fault>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    boundary::value(std::ptr::null(), || crate::text::give(fault.map(|fault| &fault.message), len))
}

/// Faults as C reads them: one by one, or all as JSON.
pub(crate) struct Faults {
    pub(crate) each: Vec<mcp_elicit_fault>,
    pub(crate) json: Text,
}

impl Faults {
    pub(crate) fn new(faults: &[Fault]) -> Self {
        let mut json = String::from("[");
        for (at, fault) in faults.iter().enumerate() {
            if at > 0 {
                json.push(',');
            }
            fault.write_json(&mut json);
        }
        json.push(']');
        let each = faults
            .iter()
            .map(|fault| mcp_elicit_fault {
                path: Text::new(&fault.path),
                rule: Text::new(fault.rule),
                message: Text::new(&fault.message),
            })
            .collect();
        Self { each, json: Text::new(json) }
    }
}
