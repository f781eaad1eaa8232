//! `_meta` of a request: version, client, capabilities.
//!
//! Protocol: basic, "Per-request protocol fields". A request without a required field is
//! malformed: -32602, HTTP 400.

use super::{PROTOCOL_VERSION, capabilities, refusal};
use crate::error::{Error, ErrorKind, Result};
use crate::json::Value;

/// Where the version stands in a message.
pub(super) const VERSION_PATH: &str = "/params/_meta/io.modelcontextprotocol~1protocolVersion";

/// The fields of `_meta` that are ours, found in one walk, not yet checked.
#[derive(Clone, Copy, Default)]
pub(super) struct Meta<'j> {
    version: Option<Value<'j>>,
    client_info: Option<Value<'j>>,
    client_capabilities: Option<Value<'j>>,
}

impl<'j> Meta<'j> {
    pub(super) fn read(meta: Option<Value<'j>>) -> Result<Self> {
        let meta = match meta {
            Some(meta) if meta.is_object() => meta,
            Some(meta) if !meta.is_null() => {
                return Err(invalid(
                    "/params/_meta",
                    "type",
                    format!(
                        "no object: this server speaks {PROTOCOL_VERSION}, where params._meta is one"
                    ),
                ));
            }
            _ => {
                return Err(invalid(
                    "/params/_meta",
                    "required",
                    format!(
                        "missing: this server speaks {PROTOCOL_VERSION}, where every request \
                         carries its protocol version and the client's capabilities here"
                    ),
                ));
            }
        };
        let mut read = Self::default();
        for entry in meta.entries() {
            let key = entry.key();
            match key.strip_prefix("io.modelcontextprotocol/") {
                Some("protocolVersion") => read.version = Some(entry.value),
                Some("clientInfo") => read.client_info = Some(entry.value),
                Some("clientCapabilities") => read.client_capabilities = Some(entry.value),
                _ => {}
            }
        }
        Ok(read)
    }

    /// The value that says which version the request is of: a string.
    pub(super) fn version(&self) -> Result<Value<'j>> {
        let path = VERSION_PATH;
        match self.version.filter(|version| !version.is_null()) {
            Some(version) if version.as_str().is_some() => Ok(version),
            Some(_) => Err(invalid(
                path,
                "type",
                format!("not a version: send the string \"{PROTOCOL_VERSION}\""),
            )),
            None => Err(invalid(
                path,
                "required",
                format!("missing: send the version of the request, \"{PROTOCOL_VERSION}\""),
            )),
        }
    }

    /// What the client can do: an object.
    pub(super) fn client_capabilities(&self) -> Result<Value<'j>> {
        match self.client_capabilities.filter(|declared| !declared.is_null()) {
            Some(declared) if declared.is_object() => Ok(declared),
            Some(_) => Err(invalid(
                capabilities::PATH,
                "type",
                "no object: send the client's capabilities, {} where it has none",
            )),
            None => Err(invalid(
                capabilities::PATH,
                "required",
                "missing: send the client's capabilities, {} where it has none",
            )),
        }
    }

    /// What the client says of itself: an object with name and version, if there is one.
    pub(super) fn client_info(&self) -> Result<Option<Value<'j>>> {
        let Some(info) = self.client_info.filter(|info| !info.is_null()) else { return Ok(None) };
        let path = "/params/_meta/io.modelcontextprotocol~1clientInfo";
        if !info.is_object() {
            return Err(invalid(
                path,
                "type",
                "no object: send the client's name and version, or leave it out",
            ));
        }
        let (mut name, mut version) = (None, None);
        for entry in info.entries() {
            match &*entry.key() {
                "name" => name = Some(entry.value),
                "version" => version = Some(entry.value),
                _ => {}
            }
        }
        for (member, value) in [("name", name), ("version", version)] {
            let rule = match value {
                Some(value) if value.as_str().is_some() => continue,
                Some(_) => "type",
                None => "required",
            };
            return Err(invalid(
                &format!("{path}/{member}"),
                rule,
                format!("send the client's {member} as a string, or leave clientInfo out"),
            ));
        }
        Ok(Some(info))
    }
}

fn invalid(path: &str, rule: &'static str, message: impl Into<String>) -> Error {
    refusal(ErrorKind::InvalidMeta, path, rule, message)
}
