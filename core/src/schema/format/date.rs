//! Dates and times: RFC 3339 `full-date`, `full-time`, `date-time`, and the durations of its
//! appendix A.

/// `2026-07-28`, with the days that the month has.
pub(super) fn is_date(text: &str) -> bool {
    full_date(text.as_bytes())
}

/// `2026-07-28T09:30:00Z`; `T` and `Z` in either case, a fraction of any length, an offset always.
/// Second 60 only where the UTC time is 23:59.
pub(super) fn is_date_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 11
        && full_date(&bytes[..10])
        && matches!(bytes[10], b'T' | b't')
        && full_time(&bytes[11..])
}

/// `09:30:00Z`.
pub(super) fn is_time(text: &str) -> bool {
    full_time(text.as_bytes())
}

fn full_date(bytes: &[u8]) -> bool {
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(century), Some(year), Some(month), Some(day)) =
        (two(bytes, 0), two(bytes, 2), two(bytes, 5), two(bytes, 8))
    else {
        return false;
    };
    let year = century * 100 + year;
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn full_time(bytes: &[u8]) -> bool {
    if bytes.len() < 9 || bytes[2] != b':' || bytes[5] != b':' {
        return false;
    }
    let (Some(hour), Some(minute), Some(second)) = (two(bytes, 0), two(bytes, 3), two(bytes, 6))
    else {
        return false;
    };
    let mut rest = &bytes[8..];
    if rest[0] == b'.' {
        let digits = rest[1..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 {
            return false;
        }
        rest = &rest[1 + digits..];
    }
    let Some(offset) = offset_minutes(rest) else { return false };
    if hour > 23 || minute > 59 || second > 60 {
        return false;
    }
    // A leap second ends a UTC day, whatever the clock on the wall shows then.
    second < 60 || (i64::from(hour * 60 + minute) - offset).rem_euclid(1440) == 1439
}

/// Minutes east of UTC that `Z`, `+hh:mm` or `-hh:mm` says.
fn offset_minutes(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (two(bytes, 1)?, two(bytes, 4)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            let minutes = i64::from(hours * 60 + minutes);
            Some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => None,
    }
}

fn two(bytes: &[u8], at: usize) -> Option<u32> {
    match bytes.get(at..at + 2)? {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
            Some(u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
        }
        _ => None,
    }
}

/// `P3DT4H`, `P2W`: units in their order, each at most once and none left out between two, as the
/// grammar of RFC 3339 has them.
pub(super) fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    if let Some(weeks) = rest.strip_suffix('W') {
        return !weeks.is_empty() && weeks.bytes().all(|b| b.is_ascii_digit());
    }
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    let date_fits = units_fit(date, b"YMD");
    match time {
        None => date_fits && !date.is_empty(),
        Some(time) => date_fits && !time.is_empty() && units_fit(time, b"HMS"),
    }
}

/// Whether `text` is numbers each with a unit of `units`, neighbours among the units neighbours in
/// the text. Empty fits.
fn units_fit(text: &str, units: &[u8]) -> bool {
    let mut next = None;
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let Some(unit) = rest.get(digits) else { return false };
        let Some(at) = units.iter().position(|u| u == unit) else { return false };
        if digits == 0 || next.is_some_and(|next| at != next) {
            return false;
        }
        next = Some(at + 1);
        rest = &rest[digits + 1..];
    }
    true
}
