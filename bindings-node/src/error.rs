//! Errors, as handles that JavaScript can look into and hand back.

use mcp_elicit::json::quote_into;
use mcp_elicit::{Error, ErrorKind, Fault, Json, Reply};
use napi::Env;
use napi::bindgen_prelude::External;
use napi_derive::napi;

use crate::boundary::enter;

/// What an error says, as JSON: `kind`, `isForPeer`, `code`, `httpStatus`, `message`, `faults`, and
/// `data` where there is any.
#[napi(catch_unwind)]
pub fn error_json(env: Env, error: &External<Error>) -> napi::Result<String> {
    enter(env, || {
        let mut out = String::from("{\"kind\":");
        quote_into(&mut out, error.kind().name());
        out.push_str(&format!(
            ",\"isForPeer\":{},\"code\":{},\"httpStatus\":{},\"message\":",
            error.kind().is_for_peer(),
            error.code(),
            error.http_status()
        ));
        quote_into(&mut out, error.message());
        out.push_str(",\"faults\":");
        write_faults(&mut out, error.faults());
        if let Some(data) = error.data() {
            out.push_str(",\"data\":");
            out.push_str(data.text());
        }
        out.push('}');
        Ok(out)
    })
}

/// The wire form, as the frame of a reply; null where it has none.
#[napi(catch_unwind)]
pub fn error_reply(env: Env, error: &External<Error>) -> napi::Result<Option<String>> {
    enter(env, || Ok(error.reply().as_ref().map(reply_frame)))
}

/// The wire form where the peer must be told, as the frame of a reply; null where the error is
/// the server's own to mend.
#[napi(catch_unwind)]
pub fn error_into_reply(env: Env, error: &External<Error>) -> napi::Result<Option<String>> {
    enter(env, || Ok(Error::clone(error).into_reply().ok().as_ref().map(reply_frame)))
}

/// An error of the kind with that name, found out about in JavaScript.
#[napi(catch_unwind)]
pub fn error_new(env: Env, kind: String, message: String) -> napi::Result<External<Error>> {
    enter(env, || {
        let kind = ErrorKind::ALL.iter().find(|known| known.name() == kind);
        Ok(External::new(Error::new(*kind.unwrap_or(&ErrorKind::Internal), message)))
    })
}

/// An error of the application's own; `data` is JSON.
#[napi(catch_unwind)]
pub fn error_application(
    env: Env,
    code: i32,
    message: String,
    data: Option<String>,
) -> napi::Result<External<Error>> {
    enter(env, || {
        let data = data.map(Json::parse).transpose()?;
        Ok(External::new(Error::application(code, message, data)))
    })
}

/// The HTTP headers of every reply, as pairs.
#[napi(catch_unwind)]
pub fn reply_headers(env: Env) -> napi::Result<Vec<Vec<String>>> {
    enter(env, || {
        let reply = Error::new(ErrorKind::Internal, "").reply();
        let headers = reply.as_ref().map_or(&[][..], Reply::headers);
        Ok(headers.iter().map(|(name, value)| vec![(*name).into(), (*value).into()]).collect())
    })
}

/// Appends faults as a JSON array.
pub(crate) fn write_faults(out: &mut String, faults: &[Fault]) {
    out.push('[');
    for (index, fault) in faults.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        fault.write_json(out);
    }
    out.push(']');
}

/// A reply in one string: three digits of HTTP status, the first letter of the kind (`c`omplete,
/// `i`nput_required, `e`rror), for an error the name of its kind, and the body, which begins with
/// the first brace.
pub(crate) fn reply_frame(reply: &Reply) -> String {
    let mut frame = String::with_capacity(reply.body().len() + 32);
    match reply.status() {
        200 => frame.push_str("200"),
        status => frame.push_str(&format!("{status:03}")),
    }
    frame.push_str(&reply.kind().name()[..1]);
    frame.push_str(reply.error_kind().map_or("", ErrorKind::name));
    frame.push_str(reply.body());
    frame
}
