//! Names and addresses of hosts: RFC 1123 names, RFC 2673 and RFC 4291 addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Labels of letters, digits and inner hyphens, 63 bytes each, 253 in all, joined by dots.
pub(super) fn is_hostname(text: &str) -> bool {
    (1..=253).contains(&text.len()) && text.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
        && bytes[0] != b'-'
        && bytes[bytes.len() - 1] != b'-'
}

/// Four decimal octets, none with a leading zero.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

/// An address without zone.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}
