//! String formats, asserted: what each name of `format` demands of a text.
//!
//! Owns the checks, written by hand: no regular expression runs here and none backtracks. Knows
//! nothing of forms. Four formats go on the wire (elicitation, "Requested Schema"); the others are
//! checked by us alone when the answer comes back.

mod date;
mod email;
mod host;
mod token;
mod uri;

/// A format that we check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Email,
    Uri,
    Date,
    DateTime,
    Time,
    Duration,
    Hostname,
    Ipv4,
    Ipv6,
    Ip,
    Uuid,
    UriReference,
    JsonPointer,
    Base64,
    Base64Url,
}

/// The least and the most that a format of integers, as printers of types name them, can hold.
pub(crate) fn numeric_range(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "int8" => ("-128", "127"),
        "int16" => ("-32768", "32767"),
        "int32" => ("-2147483648", "2147483647"),
        "int64" | "int" => ("-9223372036854775808", "9223372036854775807"),
        "uint8" => ("0", "255"),
        "uint16" => ("0", "65535"),
        "uint32" => ("0", "4294967295"),
        "uint64" | "uint" => ("0", "18446744073709551615"),
        _ => return None,
    })
}

/// Whether `name` is a format of numbers that every double fits.
pub(crate) fn is_wide_number(name: &str) -> bool {
    matches!(name, "double" | "float" | "number" | "decimal" | "decimal128")
}

impl Format {
    /// Every format, those of the wire first.
    pub(crate) const ALL: &'static [Self] = &[
        Self::Email,
        Self::Uri,
        Self::Date,
        Self::DateTime,
        Self::Time,
        Self::Duration,
        Self::Hostname,
        Self::Ipv4,
        Self::Ipv6,
        Self::Ip,
        Self::Uuid,
        Self::UriReference,
        Self::JsonPointer,
        Self::Base64,
        Self::Base64Url,
    ];

    /// The format that `name` means, where we check it.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// The value of `format`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Hostname => "hostname",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            // Pydantic's name for an address of either version.
            Self::Ip => "ipvanyaddress",
            Self::Uuid => "uuid",
            Self::UriReference => "uri-reference",
            Self::JsonPointer => "json-pointer",
            Self::Base64 => "base64",
            Self::Base64Url => "base64url",
        }
    }

    /// Whether the grammar of a form knows it.
    pub(crate) const fn on_wire(self) -> bool {
        matches!(self, Self::Email | Self::Uri | Self::Date | Self::DateTime)
    }

    /// Whether `text` is of this format.
    pub(crate) fn accepts(self, text: &str) -> bool {
        match self {
            Self::Email => email::is_email(text),
            Self::Uri => uri::is_uri(text),
            Self::Date => date::is_date(text),
            Self::DateTime => date::is_date_time(text),
            Self::Time => date::is_time(text),
            Self::Duration => date::is_duration(text),
            Self::Hostname => host::is_hostname(text),
            Self::Ipv4 => host::is_ipv4(text),
            Self::Ipv6 => host::is_ipv6(text),
            Self::Ip => host::is_ipv4(text) || host::is_ipv6(text),
            Self::Uuid => token::is_uuid(text),
            Self::UriReference => uri::is_uri_reference(text),
            Self::JsonPointer => token::is_json_pointer(text),
            Self::Base64 => token::is_base64(text),
            Self::Base64Url => token::is_base64url(text),
        }
    }

    /// The fewest and the most characters that a text of this format can have.
    pub(crate) const fn lengths(self) -> (u64, u64) {
        match self {
            Self::Email => (3, 320),
            Self::Date => (10, 10),
            Self::DateTime => (20, u64::MAX),
            Self::Time => (9, u64::MAX),
            Self::Uuid => (36, 36),
            Self::Uri | Self::Ipv6 => (2, u64::MAX),
            Self::Duration => (3, u64::MAX),
            Self::Ipv4 => (7, 15),
            Self::Hostname => (1, 253),
            _ => (0, u64::MAX),
        }
    }
}
