//! JSON texts, read once and kept whole.
//!
//! Owns the one reader of everything that a peer sends. A [`Json`] is the text itself and a table
//! of spans into it, so that every digit and every escape stays as it was sent and a part can be
//! spliced into a reply without being rendered again.
//!
//! Stricter than RFC 8259 where two readers could disagree: a repeated key, a lone surrogate and
//! nesting past a limit are refused. Not a general-purpose library: it does not build values and
//! does not convert numbers to floating point unasked (see `docs/decisions/0003-own-json-reader.md`).

mod number;
mod parse;
mod salvage;
mod write;

use std::borrow::Cow;
use std::fmt;

pub use number::Decimal;
pub use parse::{JsonError, JsonFault};
pub(crate) use salvage::salvage_id;
pub use write::{escape_into, quote_into};

/// Nesting that a text may have when nothing else is said: 64 arrays or objects inside one another.
pub const DEFAULT_DEPTH: usize = 64;

/// One JSON text that was read and found sound.
///
/// Cheap to look into, immutable, `Send` and `Sync`. Cloning copies the text.
#[derive(Clone)]
pub struct Json {
    text: Box<str>,
    nodes: Vec<Node>,
    /// Whether there is white space between tokens.
    spaced: bool,
}

/// What a value is, in the words of JSON Schema's `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonType {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// Any number, with or without a fraction.
    Number,
    /// A text.
    String,
    /// `[...]`
    Array,
    /// `{...}`
    Object,
}

impl JsonType {
    /// The name JSON Schema gives to this type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A value inside a [`Json`]: a pointer, free to copy.
#[derive(Clone, Copy)]
pub struct Value<'j> {
    json: &'j Json,
    at: u32,
}

/// Where a value stands in its [`Json`], for those who own the text and point into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position(u32);

/// A span of the text. Members of an object are a key node followed by a value node; `after` is
/// the node that follows the whole subtree.
#[derive(Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    after: u32,
    kind: JsonType,
    /// A string with at least one backslash.
    escaped: bool,
}

impl Json {
    /// Reads a text with the usual depth limit ([`DEFAULT_DEPTH`]).
    ///
    /// # Errors
    /// [`JsonError`] with the fault, its offset in bytes and, where there is one, a JSON pointer.
    pub fn parse(text: impl Into<String>) -> Result<Self, JsonError> {
        Self::parse_with_depth(text, DEFAULT_DEPTH)
    }

    /// Reads a text that may nest `depth` arrays and objects.
    ///
    /// # Errors
    /// As [`Json::parse`].
    pub fn parse_with_depth(text: impl Into<String>, depth: usize) -> Result<Self, JsonError> {
        let text: String = text.into();
        let (nodes, spaced) = parse::parse(&text, depth)?;
        Ok(Self { text: text.into_boxed_str(), nodes, spaced })
    }

    /// Reads bytes, which must be UTF-8, without a byte order mark.
    ///
    /// # Errors
    /// As [`Json::parse`].
    pub fn parse_bytes(bytes: &[u8], depth: usize) -> Result<Self, JsonError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse_with_depth(text, depth),
            Err(error) => Err(JsonError::new(JsonFault::Utf8, error.valid_up_to())),
        }
    }

    /// The value that the text is.
    pub fn root(&self) -> Value<'_> {
        Value { json: self, at: 0 }
    }

    /// The value at a position that one of this text's values told.
    pub(crate) fn at(&self, position: Position) -> Value<'_> {
        Value { json: self, at: position.0 }
    }

    /// The text as it was given, white space included.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text without white space between its tokens; holds no raw newline.
    pub fn compact(&self) -> String {
        self.root().compact()
    }

    /// A JSON string whose content is `text`.
    pub fn string(text: &str) -> Self {
        let mut quoted = String::with_capacity(text.len() + 2);
        quote_into(&mut quoted, text);
        let node = Node {
            start: 0,
            end: quoted.len() as u32,
            after: 1,
            kind: JsonType::String,
            escaped: quoted.len() != text.len() + 2,
        };
        Self { text: quoted.into_boxed_str(), nodes: vec![node], spaced: false }
    }

    /// `{}`
    pub(crate) fn empty_object() -> Self {
        let node = Node { start: 0, end: 2, after: 1, kind: JsonType::Object, escaped: false };
        Self { text: "{}".into(), nodes: vec![node], spaced: false }
    }

    /// The text of any value that `serde` can print as JSON.
    ///
    /// # Errors
    /// [`JsonError`] where the value does not print (a map whose keys are not texts), or prints
    /// what is refused here.
    #[cfg(feature = "serde")]
    pub fn from_serialize<T: serde::Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        let text =
            serde_json::to_string(value).map_err(|_| JsonError::new(JsonFault::Unprintable, 0))?;
        Self::parse(text)
    }

    /// Reads the text into a type of the caller's.
    ///
    /// # Errors
    /// What `serde_json` says of it. Its message can repeat parts of the value.
    #[cfg(feature = "serde")]
    pub fn deserialize<'de, T: serde::Deserialize<'de>>(&'de self) -> serde_json::Result<T> {
        serde_json::from_str(&self.text)
    }
}

impl<'j> Value<'j> {
    fn node(self) -> Node {
        self.json.nodes[self.at as usize]
    }

    /// What kind of value this is.
    pub fn json_type(self) -> JsonType {
        self.node().kind
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        self.json_type() == JsonType::Null
    }

    /// Whether this is an object.
    pub fn is_object(self) -> bool {
        self.json_type() == JsonType::Object
    }

    /// Whether this is an array.
    pub fn is_array(self) -> bool {
        self.json_type() == JsonType::Array
    }

    /// The truth value, where it is one.
    pub fn as_bool(self) -> Option<bool> {
        (self.json_type() == JsonType::Boolean).then(|| self.raw() == "true")
    }

    /// The content of a string, escapes resolved; borrowed where there are none.
    pub fn as_str(self) -> Option<Cow<'j, str>> {
        let node = self.node();
        (node.kind == JsonType::String).then(|| content(&self.json.text, node))
    }

    /// The content of a string that has no escapes.
    pub(crate) fn as_plain_str(self) -> Option<&'j str> {
        match self.as_str() {
            Some(Cow::Borrowed(text)) => Some(text),
            _ => None,
        }
    }

    /// Where this stands, to find it again with [`Json::at`].
    pub(crate) fn position(self) -> Position {
        Position(self.at)
    }

    /// The number as exact decimal.
    pub fn as_decimal(self) -> Option<Decimal<'j>> {
        (self.json_type() == JsonType::Number).then(|| Decimal::read(self.raw()))
    }

    /// The text of this value as it stands, white space inside it included.
    pub fn raw(self) -> &'j str {
        let node = self.node();
        &self.json.text[node.start as usize..node.end as usize]
    }

    /// The member under `key`, where this is an object that has one.
    pub fn get(self, key: &str) -> Option<Value<'j>> {
        self.entries().find(|entry| entry.key_is(key)).map(|entry| entry.value)
    }

    /// The member under `key` unless it is absent or `null`.
    pub fn get_present(self, key: &str) -> Option<Value<'j>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// The members of an object in their order; nothing for any other value.
    pub fn entries(self) -> Entries<'j> {
        let node = self.node();
        let end = if node.kind == JsonType::Object { node.after } else { self.at + 1 };
        Entries { json: self.json, at: self.at + 1, end }
    }

    /// The items of an array in their order; nothing for any other value.
    pub fn items(self) -> Items<'j> {
        let node = self.node();
        let end = if node.kind == JsonType::Array { node.after } else { self.at + 1 };
        Items { json: self.json, at: self.at + 1, end }
    }

    /// This value as a text of its own, without white space.
    pub fn to_json(self) -> Json {
        write::extract(self)
    }

    /// The text without white space between its tokens; holds no raw newline.
    pub fn compact(self) -> String {
        let mut out = String::with_capacity(self.raw().len());
        self.compact_into(&mut out);
        out
    }

    /// Appends the text without white space between its tokens.
    pub fn compact_into(self, out: &mut String) {
        write::compact_into(self, out);
    }
}

/// A member of an object.
#[derive(Clone, Copy)]
pub struct Entry<'j> {
    json: &'j Json,
    key: Node,
    /// The member's value.
    pub value: Value<'j>,
}

impl<'j> Entry<'j> {
    /// The key, escapes resolved.
    pub fn key(&self) -> Cow<'j, str> {
        content(&self.json.text, self.key)
    }

    /// Whether the key is `key`.
    pub fn key_is(&self, key: &str) -> bool {
        if self.key.escaped {
            self.key() == key
        } else {
            let text = self.json.text.as_bytes();
            text[self.key.start as usize + 1..self.key.end as usize - 1] == *key.as_bytes()
        }
    }

    /// The key as it stands in the text, with its quotes and escapes.
    pub fn raw_key(&self) -> &'j str {
        &self.json.text[self.key.start as usize..self.key.end as usize]
    }
}

/// Iterates over the members of an object.
#[derive(Clone)]
pub struct Entries<'j> {
    json: &'j Json,
    at: u32,
    end: u32,
}

impl<'j> Iterator for Entries<'j> {
    type Item = Entry<'j>;

    fn next(&mut self) -> Option<Entry<'j>> {
        if self.at >= self.end {
            return None;
        }
        let key = self.json.nodes[self.at as usize];
        let value = Value { json: self.json, at: self.at + 1 };
        self.at = value.node().after;
        Some(Entry { json: self.json, key, value })
    }
}

/// Iterates over the items of an array.
#[derive(Clone)]
pub struct Items<'j> {
    json: &'j Json,
    at: u32,
    end: u32,
}

impl<'j> Iterator for Items<'j> {
    type Item = Value<'j>;

    fn next(&mut self) -> Option<Value<'j>> {
        if self.at >= self.end {
            return None;
        }
        let value = Value { json: self.json, at: self.at };
        self.at = value.node().after;
        Some(value)
    }
}

fn content(text: &str, node: Node) -> Cow<'_, str> {
    let inner = &text[node.start as usize + 1..node.end as usize - 1];
    if node.escaped { Cow::Owned(parse::unescape(inner)) } else { Cow::Borrowed(inner) }
}

/// Appends `/` and `token` to a JSON pointer, escaped as RFC 6901 says.
pub fn push_pointer(pointer: &mut String, token: &str) {
    pointer.push('/');
    if !token.bytes().any(|b| b == b'~' || b == b'/') {
        return pointer.push_str(token);
    }
    for c in token.chars() {
        match c {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            c => pointer.push(c),
        }
    }
}

/// Says the kind and the length, never the content: a text may hold what a person typed.
impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({}, {} bytes)", self.root().json_type().name(), self.text.len())
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({}, {} bytes)", self.json_type().name(), self.raw().len())
    }
}

/// Two texts are equal when they are the same token by token; the order of keys counts.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.compact() == other.compact()
    }
}

impl std::str::FromStr for Json {
    type Err = JsonError;

    fn from_str(text: &str) -> Result<Self, JsonError> {
        Self::parse(text)
    }
}

#[cfg(feature = "serde")]
impl TryFrom<serde_json::Value> for Json {
    type Error = JsonError;

    fn try_from(value: serde_json::Value) -> Result<Self, JsonError> {
        Self::from_serialize(&value)
    }
}
