//! URIs: RFC 3986, ASCII only, section 3 for `uri` and section 4.1 for `uri-reference`.

use super::host;

/// A scheme and what follows it.
pub(super) fn is_uri(text: &str) -> bool {
    match text.split_once(':') {
        Some((scheme, rest)) => is_scheme(scheme) && is_rest(rest),
        None => false,
    }
}

/// A URI, or a reference relative to one.
pub(super) fn is_uri_reference(text: &str) -> bool {
    if is_uri(text) {
        return true;
    }
    // Section 4.2: the first segment of a relative path holds no colon.
    let first = text.split(['/', '?', '#']).next().unwrap_or("");
    !first.contains(':') && is_rest(text)
}

fn is_scheme(scheme: &str) -> bool {
    let mut bytes = scheme.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// `hier-part [ "?" query ] [ "#" fragment ]`
fn is_rest(rest: &str) -> bool {
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hier, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = match hier.strip_prefix("//") {
        Some(after) => {
            let end = after.find('/').unwrap_or(after.len());
            if !is_authority(&after[..end]) {
                return false;
            }
            &after[end..]
        }
        None => hier,
    };
    all(path, b":@/") && all(query, b":@/?") && all(fragment, b":@/?")
}

fn is_authority(authority: &str) -> bool {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    all(user, b":") && is_host_and_port(host)
}

fn is_host_and_port(text: &str) -> bool {
    let (sound, port) = match text.strip_prefix('[') {
        Some(inner) => match inner.split_once(']') {
            Some((literal, port)) => (is_ip_literal(literal), port),
            None => return false,
        },
        None => {
            let end = text.find(':').unwrap_or(text.len());
            // An address of version 4 out of its bounds is still a registered name.
            (all(&text[..end], b""), &text[end..])
        }
    };
    let port_fits = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
        None => port.is_empty(),
    };
    sound && port_fits
}

fn is_ip_literal(text: &str) -> bool {
    match text.strip_prefix(['v', 'V']) {
        None => host::is_ipv6(text),
        Some(future) => match future.split_once('.') {
            Some((version, address)) => {
                !version.is_empty()
                    && version.bytes().all(|b| b.is_ascii_hexdigit())
                    && !address.is_empty()
                    && !address.contains('%')
                    && all(address, b":")
            }
            None => false,
        },
    }
}

/// Whether every character is unreserved, a sub-delimiter, one of `extra`, or percent-encoded.
fn all(text: &str, extra: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            match bytes.get(at + 1..at + 3) {
                Some([a, b]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => at += 3,
                _ => return false,
            }
        } else if byte.is_ascii_alphanumeric()
            || b"-._~!$&'()*+,;=".contains(&byte)
            || extra.contains(&byte)
        {
            at += 1;
        } else {
            return false;
        }
    }
    true
}
