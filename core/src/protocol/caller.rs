//! Who sends a request and how it came: what the server knows beside the body.
//!
//! Owns the picking of our headers out of all of them. Whether they fit the body is in `headers`.

use std::fmt;

use super::principal::Principal;

/// Who sends a request and how it came.
///
/// ```
/// use mcp_elicit::{Caller, Principal};
///
/// # fn main() -> mcp_elicit::Result<()> {
/// // Over stdio, in a server for one person.
/// let caller = Caller::new(Principal::single_user());
///
/// // Over HTTP: all headers of the request, in any order and any case.
/// let principal = Principal::new("https://login.example", "alice", "desktop")?;
/// let headers = [("Content-Type", "application/json"), ("Mcp-Method", "tools/call")];
/// let caller = Caller::new(principal)
///     .http(headers.iter().map(|(name, value)| (*name, value.as_bytes())))
///     .param_header("Region", ["placement", "region"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Caller<'a> {
    principal: Principal,
    pub(super) http: Option<Headers<'a>>,
    pub(super) mirrored: Vec<ParamHeader<'a>>,
}

/// The headers of one HTTP request that mirror its body.
#[derive(Clone, Default)]
pub(super) struct Headers<'a> {
    pub(super) version: Header<'a>,
    pub(super) method: Header<'a>,
    pub(super) name: Header<'a>,
    /// What follows `Mcp-Param-`, as it was written, and the value.
    pub(super) params: Vec<(&'a str, &'a [u8])>,
}

/// How often a header stands in a request, and its value.
#[derive(Clone, Copy, Default)]
pub(super) enum Header<'a> {
    #[default]
    Absent,
    Once(&'a [u8]),
    /// Two readers could take two values: never good.
    Repeated,
}

/// The header `Mcp-Param-{name}` mirrors the argument at `path`.
#[derive(Clone)]
pub(super) struct ParamHeader<'a> {
    pub(super) name: &'a str,
    pub(super) path: Vec<&'a str>,
}

impl<'a> Caller<'a> {
    /// A request that came without headers, as over stdio.
    pub fn new(principal: Principal) -> Self {
        Self { principal, http: None, mirrored: Vec::new() }
    }

    /// The request came over HTTP with these headers: each as name and value, repeated ones
    /// repeated. Give them all; those that the protocol does not name are passed over. From here
    /// on the headers that the protocol requires must be there and fit the body
    /// (streamable-http, "Server Validation").
    #[must_use]
    pub fn http(mut self, headers: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut ours = Headers::default();
        for (name, value) in headers {
            let Some(rest) = after_prefix(name, "mcp-") else { continue };
            if rest.eq_ignore_ascii_case("method") {
                ours.method.put(value);
            } else if rest.eq_ignore_ascii_case("name") {
                ours.name.put(value);
            } else if rest.eq_ignore_ascii_case("protocol-version") {
                ours.version.put(value);
            } else if let Some(param) = after_prefix(rest, "param-") {
                ours.params.push((param, value));
            }
        }
        self.http = Some(ours);
        self
    }

    /// Declares that the called tool mirrors the argument at `path` (the keys that lead to it from
    /// `arguments`) in the header `Mcp-Param-{name}`: its schema has `x-mcp-header` there. Holds
    /// for `tools/call` over HTTP and is passed over elsewhere. Headers of this kind that nobody
    /// declared are ignored.
    ///
    /// A name that is no header token or stands twice, or an empty path, is
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) when a call is opened.
    #[must_use]
    pub fn param_header(mut self, name: &'a str, path: impl IntoIterator<Item = &'a str>) -> Self {
        self.mirrored.push(ParamHeader { name, path: path.into_iter().collect() });
        self
    }

    /// Who it is.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Whether the request came over HTTP.
    pub fn is_http(&self) -> bool {
        self.http.is_some()
    }
}

impl<'a> Header<'a> {
    pub(super) fn put(&mut self, value: &'a [u8]) {
        *self = match self {
            Self::Absent => Self::Once(value),
            Self::Once(_) | Self::Repeated => Self::Repeated,
        };
    }
}

/// Header values can name what a call is about: said is only that they are there.
impl fmt::Debug for Caller<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("principal", &self.principal)
            .field("http", &self.is_http())
            .finish_non_exhaustive()
    }
}

/// What follows `prefix`, whatever its case.
fn after_prefix<'n>(name: &'n str, prefix: &str) -> Option<&'n str> {
    let (head, rest) = name.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}
