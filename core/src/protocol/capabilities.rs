//! What the client says that it can do, as far as asking a user needs it.
//!
//! Protocol: basic, "Per-request protocol fields"; elicitation, "Capabilities". Declared on each
//! request anew; nothing is remembered.

use super::method::Mode;
use super::refusal;
use crate::error::{ErrorKind, Result};
use crate::json::Value;

/// The capabilities that a client declared on one request.
///
/// Elicitation: not declared means none; neither `form` nor `url` inside means form, as older
/// clients say it; otherwise those that are named. An explicit `null` is the same as not declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Capabilities {
    form: bool,
    url: bool,
    sampling: bool,
    sampling_tools: bool,
    sampling_context: bool,
    roots: bool,
}

/// Where the client's capabilities stand in a message.
pub(super) const PATH: &str = "/params/_meta/io.modelcontextprotocol~1clientCapabilities";

impl Capabilities {
    /// Whether questions can be asked in this mode.
    pub const fn elicits(self, mode: Mode) -> bool {
        match mode {
            Mode::Form => self.form,
            Mode::Url => self.url,
        }
    }

    /// Whether the client's model can be asked (`sampling`).
    pub const fn sampling(self) -> bool {
        self.sampling
    }

    /// Whether the client's model can be asked with tools (`sampling.tools`).
    pub const fn sampling_tools(self) -> bool {
        self.sampling_tools
    }

    /// Whether the client can add context of servers (`sampling.context`).
    pub const fn sampling_context(self) -> bool {
        self.sampling_context
    }

    /// Whether the client can list its roots.
    pub const fn roots(self) -> bool {
        self.roots
    }

    /// Reads `clientCapabilities`, which is an object.
    pub(crate) fn read(declared: Value<'_>) -> Result<Self> {
        let mut read = Self::default();
        for entry in declared.entries() {
            match &*entry.key() {
                "elicitation" => {
                    let [form, url] = parts(entry.value, "elicitation", ["form", "url"])?;
                    read.url = url;
                    read.form = form || !(url || entry.value.is_null());
                }
                "sampling" => {
                    let [tools, context] = parts(entry.value, "sampling", ["tools", "context"])?;
                    read.sampling = !entry.value.is_null();
                    read.sampling_tools = tools;
                    read.sampling_context = context;
                }
                "roots" => {
                    let [] = parts(entry.value, "roots", [])?;
                    read.roots = !entry.value.is_null();
                }
                _ => {}
            }
        }
        Ok(read)
    }
}

/// Which of `names` a capability declares; each of them is an object, as it is itself.
fn parts<const N: usize>(capability: Value<'_>, name: &str, names: [&str; N]) -> Result<[bool; N]> {
    let mut declared = [false; N];
    if !declares(capability, name, "")? {
        return Ok(declared);
    }
    for entry in capability.entries() {
        let key = entry.key();
        if let Some(at) = names.iter().position(|name| *name == key) {
            declared[at] = declares(entry.value, name, &key)?;
        }
    }
    Ok(declared)
}

/// Whether a capability is declared: an object declares it, `null` does not.
fn declares(value: Value<'_>, name: &str, part: &str) -> Result<bool> {
    if value.is_object() || value.is_null() {
        return Ok(value.is_object());
    }
    let (dot, slash) = if part.is_empty() { ("", "") } else { (".", "/") };
    Err(refusal(
        ErrorKind::InvalidMeta,
        &format!("{PATH}/{name}{slash}{part}"),
        "type",
        format!(
            "the capability {name}{dot}{part} is no object: send {{}} to declare it, or leave it out"
        ),
    ))
}
