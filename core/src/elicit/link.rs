//! Which links may be put before a person.
//!
//! Stricter than a browser: what is accepted here reads the same to every parser, so that the
//! host shows the domain that is really opened.
//! Protocol: client/elicitation, "URL Mode Elicitation Requests" (`url` MUST be a valid URL) and
//! "Safe URL Handling" (server requirements 2 and 4).

use crate::error::Fault;
use crate::schema::is_uri;

/// Longer links are cut by browsers and proxies.
const LONGEST: usize = 8192;

/// Checks an absolute http or https URL. `http` is for loopback unless `allow_http`.
pub(crate) fn check_link(url: &str, allow_http: bool) -> Result<(), Fault> {
    let fault = |rule, message: &str| Err(Fault::new("/url", rule, message));
    if url.is_empty() {
        return fault("url", "a link is needed: give an absolute https URL");
    }
    if url.len() > LONGEST {
        return fault("maxLength", "the link is longer than 8192 bytes");
    }
    let Some((scheme, rest)) = url.split_once(':') else {
        return fault("url", "the link is not absolute: begin it with https://");
    };
    let https = scheme.eq_ignore_ascii_case("https");
    if !https && !scheme.eq_ignore_ascii_case("http") {
        return fault("scheme", "a link must be an https URL; no other scheme can be asked for");
    }
    let Some(rest) = rest.strip_prefix("//") else {
        return fault("url", "the link has no host: write https://host/path");
    };
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    if authority.contains('@') {
        return fault("userinfo", "the link names a user before its host; leave that out");
    }
    if !is_uri(url) {
        return fault(
            "url",
            "the link has characters that a URL cannot hold: percent-encode them, and write a \
             host name that is not ASCII in its xn-- form",
        );
    }
    let (host, port) = split_port(authority);
    if host.is_empty() || host.starts_with('.') || host.contains("..") || host.contains('%') {
        return fault("host", "the link has no proper host name");
    }
    if !port.is_empty() && port.parse::<u16>().is_err() {
        return fault("port", "the port of the link is not between 0 and 65535");
    }
    if !https && !allow_http && !is_loopback(host) {
        return fault(
            "https",
            "the link is http; use https, or allow insecure http for this ask (development only)",
        );
    }
    Ok(())
}

/// Host and port of an authority without user information.
fn split_port(authority: &str) -> (&str, &str) {
    let after_brackets = authority.rfind(']').map_or(0, |at| at + 1);
    match authority[after_brackets..].rfind(':') {
        Some(at) => (&authority[..after_brackets + at], &authority[after_brackets + at + 1..]),
        None => (authority, ""),
    }
}

fn is_loopback(host: &str) -> bool {
    let name = host.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name == "[::1]"
        || name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(url: &str) -> &'static str {
        check_link(url, false).err().map_or("", |fault| fault.rule)
    }

    /// elicitation: "The `url` parameter MUST contain a valid URL."
    #[test]
    fn links_that_can_be_asked() {
        for url in [
            "https://example.com",
            "https://example.com:8443/connect?flow=AZaz09-_#part",
            "HTTPS://EXAMPLE.com/",
            "https://xn--bcher-kva.example/%C3%A9",
            "https://[2001:db8::1]:443/x",
            "https://10.0.0.1/",
            "http://127.0.0.1:8000/connect",
            "http://localhost/",
            "http://app.localhost:80/",
            "http://[::1]:3000/",
        ] {
            assert_eq!(rule(url), "", "{url}");
        }
        assert!(check_link("http://example.com/", true).is_ok());
    }

    #[test]
    fn links_that_cannot() {
        for (url, expected) in [
            ("", "url"),
            ("/connect", "url"),
            ("example.com/connect", "url"),
            ("https:", "url"),
            ("https:example.com", "url"),
            ("https:/example.com", "url"),
            ("https:///path", "host"),
            ("https://?q", "host"),
            ("https://:443/", "host"),
            ("https://a..b/", "host"),
            ("https://%65xample.com/", "host"),
            ("https://example.com:99999/", "port"),
            ("https://example.com:8a/", "url"),
            ("https://user@example.com/", "userinfo"),
            ("https://user:pass@example.com/", "userinfo"),
            ("https://example.com%40evil.example@good.example/", "userinfo"),
            ("https://example.com\\@evil.example/", "userinfo"),
            ("https://example.com\\evil", "url"),
            ("https://exa mple.com/", "url"),
            ("https://example.com/a b", "url"),
            ("https://example.com/\n", "url"),
            ("https://example.com/\u{202e}", "url"),
            ("https://bücher.example/", "url"),
            ("https://example.com/%zz", "url"),
            ("https://example.com/<script>", "url"),
            (" https://example.com/", "scheme"),
            ("javascript:alert(1)", "scheme"),
            ("JavaScript://example.com/%0aalert(1)", "scheme"),
            ("data:text/html,x", "scheme"),
            ("file:///etc/passwd", "scheme"),
            ("ftp://example.com/", "scheme"),
            ("http://example.com/", "https"),
            ("http://127.0.0.1.evil.example/", "https"),
            ("http://localhost.evil.example/", "https"),
            ("http://128.0.0.1/", "https"),
        ] {
            assert_eq!(rule(url), expected, "{url}");
        }
        assert_eq!(rule(&format!("https://example.com/{}", "a".repeat(9000))), "maxLength");
    }
}
