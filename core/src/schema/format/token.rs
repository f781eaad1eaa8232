//! Short formats of fixed shape: UUID (RFC 4122), JSON pointer (RFC 6901), base64 (RFC 4648).

pub(super) fn is_uuid(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Empty, or tokens that each begin with `/` and hold `~` only as `~0` or `~1`.
pub(super) fn is_json_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}

/// Groups of four with padding at the end only.
pub(super) fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'/')
}

/// The alphabet with `-` and `_`, without padding.
pub(super) fn is_base64url(text: &str) -> bool {
    text.len() % 4 != 1 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
