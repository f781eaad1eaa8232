//! Who sends a request and how it came, collected piece by piece.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ops::Range;

use mcp_elicit::{Caller, Principal};

use crate::boundary::{self, Done, invalid_argument, need, place};
use crate::error::mcp_elicit_error;
use crate::status::mcp_elicit_status;
use crate::text::{bytes, text};

/// Who sends a request, in the words of the server, and how it came.
///
/// The principal is taken from credentials that the server has verified, never from the request.
/// There is no default: make a caller with mcp_elicit_caller_new_user,
/// mcp_elicit_caller_new_single_user or mcp_elicit_caller_new_none. It came without headers, as
/// over stdio, unless mcp_elicit_caller_set_http or mcp_elicit_caller_add_header says otherwise.
/// Free it with mcp_elicit_caller_free; it may serve any number of requests that came alike.
///
/// Thread-safety: any number of threads may open calls with it at once while none changes it.
pub struct mcp_elicit_caller {
    principal: Principal,
    http: Option<Headers>,
    mirrored: Vec<(String, Vec<String>)>,
}

/// Names and values of headers, one behind the other.
#[derive(Default)]
struct Headers {
    names: String,
    values: Vec<u8>,
    each: Vec<(Range<usize>, Range<usize>)>,
}

impl Headers {
    fn push(&mut self, name: &str, value: &[u8]) {
        let (names, values) = (self.names.len(), self.values.len());
        self.names.push_str(name);
        self.values.extend_from_slice(value);
        self.each.push((names..self.names.len(), values..self.values.len()));
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.each.iter().filter_map(|(name, value)| {
            Some((self.names.get(name.clone())?, self.values.get(value.clone())?))
        })
    }
}

impl mcp_elicit_caller {
    fn new(principal: Principal) -> Box<Self> {
        Box::new(Self { principal, http: None, mirrored: Vec::new() })
    }

    /// The caller as the core takes it.
    pub(crate) fn core(&self) -> Caller<'_> {
        let mut caller = Caller::new(self.principal.clone());
        if let Some(headers) = &self.http {
            caller = caller.http(headers.iter());
        }
        for (name, path) in &self.mirrored {
            caller = caller.param_header(name, path.iter().map(String::as_str));
        }
        caller
    }
}

/// A user at an OAuth client: `issuer` and `subject` say who it is (the `iss` and `sub` of a
/// verified token), `client` which client acts (`client_id` or `azp`). Where credentials know no
/// issuer or no client, give a constant of your own. State is bound to all three: what one user
/// began at one client, no other can go on with (mrtr, server requirement 5).
///
/// Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. On success `*caller` is yours: free
/// it with mcp_elicit_caller_free.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: one of the three is empty, which is nearly always a claim that was
/// not read and would make many users one.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_caller_new_user(
    issuer: *const c_char,
    issuer_len: usize,
    subject: *const c_char,
    subject_len: usize,
    client: *const c_char,
    client_len: usize,
    caller: Option<&mut MaybeUninit<Option<Box<mcp_elicit_caller>>>>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let place = place(caller, None, "caller")?;
        // SAFETY: the header asks for texts of these lengths.
        let (issuer, subject, client) = unsafe {
            (
                text(issuer, issuer_len, "issuer")?,
                text(subject, subject_len, "subject")?,
                text(client, client_len, "client")?,
            )
        };
        place.write(Some(mcp_elicit_caller::new(Principal::new(issuer, subject, client)?)));
        Ok(())
    })
}

/// The one person whom the server is for, as over stdio.
///
/// It is yours: free it with mcp_elicit_caller_free. NULL only after a defect of this library.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_caller_new_single_user() -> Option<Box<mcp_elicit_caller>> {
    boundary::value(None, || Some(mcp_elicit_caller::new(Principal::single_user())))
}

/// Nobody in particular. State is then bound to no one: whoever holds it can go on with it.
///
/// It is yours: free it with mcp_elicit_caller_free. NULL only after a defect of this library.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_caller_new_none() -> Option<Box<mcp_elicit_caller>> {
    boundary::value(None, || Some(mcp_elicit_caller::new(Principal::none())))
}

/// Frees a caller. NULL is allowed. Calls that were opened with it go on.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_caller_free(caller: Option<Box<mcp_elicit_caller>>) {
    boundary::value((), || drop(caller));
}

/// Says that the request came over HTTP, though it may have no headers: those that the protocol
/// requires must then be there and fit the body (streamable-http, "Server Validation").
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub extern "C" fn mcp_elicit_caller_set_http(
    caller: Option<&mut mcp_elicit_caller>,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        need(caller, "caller")?.http.get_or_insert_default();
        Ok(())
    })
}

/// Adds a header of the HTTP request, which says mcp_elicit_caller_set_http too. Add them all, in
/// any order and any case, repeated ones repeated; those that the protocol does not name are passed
/// over. `value` may be any bytes.
///
/// Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. Both are copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_caller_add_header(
    caller: Option<&mut mcp_elicit_caller>,
    name: *const c_char,
    name_len: usize,
    value: *const c_char,
    value_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let caller = need(caller, "caller")?;
        // SAFETY: the header asks for texts of these lengths.
        let (name, value) =
            unsafe { (text(name, name_len, "name")?, bytes(value, value_len, "value")?) };
        caller.http.get_or_insert_default().push(name, value);
        Ok(())
    })
}

/// Declares that the called tool mirrors an argument in the header `Mcp-Param-{name}`: its schema
/// has `x-mcp-header` there (tools, "x-mcp-header"). `pointer` is the JSON pointer to the argument,
/// seen from `arguments`, such as "/placement/region".
///
/// Holds for tools/call over HTTP and is passed over elsewhere. Headers of this kind that nobody
/// declared are ignored.
///
/// Lengths are in bytes; MCP_ELICIT_NUL means NUL-terminated. Both are copied.
///
/// Returns MCP_ELICIT_OK, or a status that `*err` (if not NULL) explains.
/// MCP_ELICIT_INVALID_ARGUMENT: `pointer` is no JSON pointer to a member. A name that is no header
/// name, or stands twice, is found when a call is opened.
#[must_use]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_elicit_caller_add_param_header(
    caller: Option<&mut mcp_elicit_caller>,
    name: *const c_char,
    name_len: usize,
    pointer: *const c_char,
    pointer_len: usize,
    err: Option<&mut MaybeUninit<Option<Box<mcp_elicit_error>>>>,
) -> mcp_elicit_status {
    boundary::status(err, || {
        let caller = need(caller, "caller")?;
        // SAFETY: the header asks for texts of these lengths.
        let (name, pointer) =
            unsafe { (text(name, name_len, "name")?, text(pointer, pointer_len, "pointer")?) };
        caller.mirrored.push((name.to_owned(), keys_of(pointer)?));
        Ok(())
    })
}

/// The keys that a JSON pointer (RFC 6901) goes through.
fn keys_of(pointer: &str) -> Done<Vec<String>> {
    let refused = || invalid_argument("pointer", "is no JSON pointer such as \"/region\"");
    let keys = pointer.strip_prefix('/').ok_or_else(refused)?;
    keys.split('/')
        .map(|key| {
            // Tildes stand before 0 and 1 alone.
            let sound = key.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
            sound.then(|| key.replace("~1", "/").replace("~0", "~")).ok_or_else(refused)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6901, sections 3 to 5.
    #[test]
    fn keys_of_a_pointer() {
        let keys = |pointer| keys_of(pointer).ok();
        assert_eq!(keys("/region"), Some(vec!["region".into()]));
        assert_eq!(
            keys("/a~1b/m~0n/~01/"),
            Some(vec!["a/b".into(), "m~n".into(), "~1".into(), String::new()])
        );
        for refused in ["", "region", "/a~", "/a~2", "#/a"] {
            assert_eq!(keys(refused), None, "{refused}");
        }
    }
}
