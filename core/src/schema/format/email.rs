//! Email addresses: `Mailbox` of RFC 5321, section 4.1.2. One address, ASCII, no comment, no
//! display name.

use super::host;

pub(super) fn is_email(text: &str) -> bool {
    let bytes = text.as_bytes();
    let local = match bytes.first() {
        Some(b'"') => quoted(bytes),
        _ => dotted(bytes),
    };
    // The longest local part that RFC 5321, section 4.5.3.1.1, lets a host refuse to carry.
    let Some(local) = local.filter(|&len| len <= 64) else { return false };
    if bytes.get(local) != Some(&b'@') {
        return false;
    }
    let domain = &text[local + 1..];
    match domain.strip_prefix('[') {
        Some(literal) => literal.strip_suffix(']').is_some_and(is_address_literal),
        None => host::is_hostname(domain),
    }
}

/// Length of the atoms, joined by single dots, that `bytes` begins with.
fn dotted(bytes: &[u8]) -> Option<usize> {
    let len = bytes.iter().take_while(|&&b| is_atom(b) || b == b'.').count();
    let local = &bytes[..len];
    let sound = len > 0
        && local[0] != b'.'
        && local[len - 1] != b'.'
        && !local.windows(2).any(|pair| pair == b"..");
    sound.then_some(len)
}

/// Length of the quoted text that `bytes` begins with, quotes included.
fn quoted(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return (at > 1).then_some(at + 1),
            b'\\' => match bytes.get(at + 1)? {
                b' '..=b'~' => at += 2,
                _ => return None,
            },
            b' '..=b'~' => at += 1,
            _ => return None,
        }
    }
}

fn is_atom(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

fn is_address_literal(text: &str) -> bool {
    const TAG: usize = "IPv6:".len();
    match text.get(..TAG) {
        Some(tag) if tag.eq_ignore_ascii_case("IPv6:") => host::is_ipv6(&text[TAG..]),
        _ => host::is_ipv4(text),
    }
}
