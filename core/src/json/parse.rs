//! The reader: one pass, no recursion, every refusal with its place.

use std::borrow::Cow;
use std::fmt;

use super::{JsonType, Node, content, push_pointer};

/// Why a JSON text was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonFault {
    /// Not JSON (RFC 8259).
    Syntax,
    /// Not UTF-8.
    Utf8,
    /// Longer than can be read (4 GiB), or than a limit of the caller's.
    TooLarge,
    /// Nested deeper than the limit.
    Depth,
    /// A key stands twice in one object: two readers could see two values.
    RepeatedKey,
    /// Half of a surrogate pair (`\ud800`): no Unicode text holds it.
    LoneSurrogate,
    /// The value does not print as JSON.
    Unprintable,
}

impl JsonFault {
    /// A stable name for programs to compare.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Utf8 => "utf8",
            Self::TooLarge => "too_large",
            Self::Depth => "depth",
            Self::RepeatedKey => "repeated_key",
            Self::LoneSurrogate => "lone_surrogate",
            Self::Unprintable => "unprintable",
        }
    }

    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::Syntax => "not JSON",
            Self::Utf8 => "not UTF-8",
            Self::TooLarge => "too large",
            Self::Depth => "nested too deep",
            Self::RepeatedKey => "a key stands twice in one object",
            Self::LoneSurrogate => "half of a surrogate pair",
            Self::Unprintable => "does not print as JSON",
        }
    }
}

/// A refused JSON text: what, where. Never holds any of the text but keys on the way to the fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    fault: JsonFault,
    offset: usize,
    pointer: Option<String>,
}

impl JsonError {
    pub(crate) fn new(fault: JsonFault, offset: usize) -> Self {
        Self { fault, offset, pointer: None }
    }

    /// What is wrong.
    pub fn fault(&self) -> JsonFault {
        self.fault
    }

    /// Where, in bytes from the start of the text.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// JSON pointer to the value or key at fault; none where the text is not JSON at all.
    pub fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fault.message())?;
        match &self.pointer {
            Some(pointer) if !pointer.is_empty() => {
                write!(f, " at {pointer} (byte {})", self.offset)
            }
            _ => write!(f, " at byte {}", self.offset),
        }
    }
}

impl std::error::Error for JsonError {}

/// An array or object that is still open.
struct Frame {
    node: u32,
    /// Keys of an object, items of an array so far.
    members: u32,
    /// The key whose value is being read; 0, which is never a key, for none.
    key: u32,
    object: bool,
    /// A key's marks were there before it, or it has escapes: only a comparison can tell.
    unsure: bool,
    /// Marks of the keys so far; the same key has the same marks.
    marks: u64,
}

struct Parser<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Node>,
    open: Vec<Frame>,
    depth: usize,
    /// Whether there is white space between tokens.
    spaced: bool,
    /// Where a fault is that is not where the reader stands, and the key that stands twice.
    culprit: (usize, Option<Node>),
}

/// What goes wrong on the way is told in one byte; the reader still knows where it stood.
type Step<T = ()> = Result<T, JsonFault>;

/// The table of a text, and whether the text has white space between its tokens.
pub(super) fn parse(text: &str, depth: usize) -> Result<(Vec<Node>, bool), JsonError> {
    if text.len() >= u32::MAX as usize {
        return Err(JsonError::new(JsonFault::TooLarge, 0));
    }
    let mut parser = Parser {
        text,
        bytes: text.as_bytes(),
        at: 0,
        // A guess that fits ordinary messages; `Vec` grows where it is short.
        nodes: Vec::with_capacity((text.len() / 12).clamp(8, 4096)),
        open: Vec::with_capacity(depth.min(8)),
        depth,
        spaced: false,
        culprit: (0, None),
    };
    match parser.run() {
        Ok(()) => Ok((parser.nodes, parser.spaced)),
        Err(fault) => Err(parser.error(fault)),
    }
}

impl Parser<'_> {
    fn run(&mut self) -> Step {
        self.skip_space();
        self.value()?;
        while let Some(frame) = self.open.last() {
            let (object, first) = (frame.object, frame.members == 0);
            self.skip_space();
            match self.peek() {
                Some(b'}') if object => {
                    self.close()?;
                    continue;
                }
                Some(b']') if !object => {
                    self.close()?;
                    continue;
                }
                Some(b',') if !first => {
                    self.at += 1;
                    self.skip_space();
                }
                _ if first => {}
                _ => return Err(JsonFault::Syntax),
            }
            self.begin_member(object)?;
            self.value()?;
        }
        self.skip_space();
        if self.at == self.bytes.len() { Ok(()) } else { Err(JsonFault::Syntax) }
    }

    fn begin_member(&mut self, object: bool) -> Step {
        if let Some(frame) = self.open.last_mut() {
            frame.members += 1;
            frame.key = 0;
        }
        if !object {
            return Ok(());
        }
        if self.peek() != Some(b'"') {
            return Err(JsonFault::Syntax);
        }
        let node = self.string()?;
        let key = self.nodes.len() as u32;
        self.nodes.push(node);
        let mark = mark(&self.bytes[node.start as usize + 1..node.end as usize - 1]);
        if let Some(frame) = self.open.last_mut() {
            frame.key = key;
            frame.unsure |= node.escaped || frame.marks & mark == mark;
            frame.marks |= mark;
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(JsonFault::Syntax);
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Reads one scalar, or opens an array or object.
    fn value(&mut self) -> Step {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => {
                let node = self.string()?;
                self.nodes.push(node);
                return Ok(());
            }
            Some(b'{') => return self.open(JsonType::Object),
            Some(b'[') => return self.open(JsonType::Array),
            Some(b't') => self.word("true", JsonType::Boolean)?,
            Some(b'f') => self.word("false", JsonType::Boolean)?,
            Some(b'n') => self.word("null", JsonType::Null)?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(JsonFault::Syntax),
        };
        let node = self.scalar(start, kind, false);
        self.nodes.push(node);
        Ok(())
    }

    /// The node of a scalar that ends here, if it is the next one.
    fn scalar(&self, start: usize, kind: JsonType, escaped: bool) -> Node {
        let after = self.nodes.len() as u32 + 1;
        Node { start: start as u32, end: self.at as u32, after, kind, escaped }
    }

    fn open(&mut self, kind: JsonType) -> Step {
        if self.open.len() >= self.depth {
            self.culprit.0 = self.at;
            return Err(JsonFault::Depth);
        }
        let node = self.nodes.len() as u32;
        let start = self.at as u32;
        self.nodes.push(Node { start, end: start, after: 0, kind, escaped: false });
        let object = kind == JsonType::Object;
        self.open.push(Frame { node, members: 0, key: 0, object, unsure: false, marks: 0 });
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Step {
        self.at += 1;
        let Some(frame) = self.open.last() else { return Err(JsonFault::Syntax) };
        let (index, members, unsure) = (frame.node as usize, frame.members, frame.unsure);
        let after = self.nodes.len() as u32;
        let node = &mut self.nodes[index];
        node.end = self.at as u32;
        node.after = after;
        if unsure && let Some(key) = self.repeated_key(index, members as usize) {
            self.culprit = (key.start as usize, Some(key));
            return Err(JsonFault::RepeatedKey);
        }
        self.open.pop();
        Ok(())
    }

    fn is_same_key(&self, a: Node, b: Node) -> bool {
        if a.escaped || b.escaped {
            return content(self.text, a) == content(self.text, b);
        }
        self.bytes[a.start as usize..a.end as usize] == self.bytes[b.start as usize..b.end as usize]
    }

    /// The second appearance of a key in the object at `index`.
    fn repeated_key(&self, index: usize, members: usize) -> Option<Node> {
        const FEW: usize = 12;
        let mut keys = Keys { nodes: &self.nodes, at: index + 1 };
        if members <= FEW {
            while let Some(first) = keys.next() {
                let mut rest = Keys { ..keys };
                if let Some(second) = rest.find(|key| self.is_same_key(first, *key)) {
                    return Some(second);
                }
            }
            return None;
        }
        let mut all: Vec<(Cow<'_, str>, Node)> =
            keys.map(|key| (content(self.text, key), key)).collect();
        all.sort_unstable_by(|a, b| (&a.0, a.1.start).cmp(&(&b.0, b.1.start)));
        all.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1)
    }

    fn word(&mut self, word: &str, kind: JsonType) -> Step<JsonType> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(kind)
        } else {
            Err(JsonFault::Syntax)
        }
    }

    fn number(&mut self) -> Step<JsonType> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(JsonFault::Syntax),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(JsonType::Number)
    }

    fn digits(&mut self) -> Step {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == from { Err(JsonFault::Syntax) } else { Ok(()) }
    }

    /// Reads a string with its quotes.
    fn string(&mut self) -> Step<Node> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            self.at += plain_run(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(self.scalar(start, JsonType::String, escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(JsonFault::Syntax),
            }
        }
    }

    fn escape(&mut self) -> Step {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let unit = self.hex_unit()?;
                let paired = match unit {
                    0xD800..=0xDBFF => {
                        self.bytes[self.at..].starts_with(b"\\u") && {
                            self.at += 1;
                            matches!(self.hex_unit()?, 0xDC00..=0xDFFF)
                        }
                    }
                    0xDC00..=0xDFFF => false,
                    _ => true,
                };
                if !paired {
                    self.culprit.0 = start;
                    return Err(JsonFault::LoneSurrogate);
                }
            }
            _ => return Err(JsonFault::Syntax),
        }
        Ok(())
    }

    /// Reads `uXXXX`.
    fn hex_unit(&mut self) -> Step<u32> {
        let digits = self.bytes.get(self.at + 1..self.at + 5).ok_or(JsonFault::Syntax)?;
        let mut unit = 0;
        for &digit in digits {
            unit = unit * 16 + char::from(digit).to_digit(16).ok_or(JsonFault::Syntax)?;
        }
        self.at += 5;
        Ok(unit)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.spaced = true;
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// What stopped the reader, with its place.
    fn error(&self, fault: JsonFault) -> JsonError {
        let pointer = match (fault, self.culprit.1) {
            (JsonFault::Syntax, _) => return JsonError::new(fault, self.at),
            (JsonFault::RepeatedKey, Some(key)) => {
                // The object at fault is the last open one: its own key leads to another member.
                let mut pointer = self.pointer(self.open.len().saturating_sub(1));
                push_pointer(&mut pointer, &content(self.text, key));
                pointer
            }
            _ => self.pointer(self.open.len()),
        };
        JsonError { fault, offset: self.culprit.0, pointer: Some(pointer) }
    }

    /// The way through the outermost `depth` open arrays and objects. A key that is still being
    /// read is not part of it.
    fn pointer(&self, depth: usize) -> String {
        let mut pointer = String::new();
        for frame in self.open.iter().take(depth) {
            if frame.key != 0 {
                push_pointer(&mut pointer, &content(self.text, self.nodes[frame.key as usize]));
            } else if !frame.object && frame.members > 0 {
                push_pointer(&mut pointer, &(frame.members - 1).to_string());
            }
        }
        pointer
    }
}

/// Two bits of 64 for a key, chosen by its length, its beginning and its end.
#[inline]
fn mark(key: &[u8]) -> u64 {
    let (head, tail) = match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => (key.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)), 0),
    };
    let mixed =
        (head ^ tail.rotate_left(23) ^ key.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    1 << (mixed >> 58) | 1 << (mixed >> 52 & 63)
}

/// The key nodes of an object that reaches to the end of the table.
struct Keys<'n> {
    nodes: &'n [Node],
    at: usize,
}

impl Iterator for Keys<'_> {
    type Item = Node;

    fn next(&mut self) -> Option<Node> {
        let key = *self.nodes.get(self.at)?;
        self.at = self.nodes.get(self.at + 1)?.after as usize;
        Some(key)
    }
}

/// How many bytes from the start are neither a quote, a backslash nor a control character.
///
/// Strings are most of a message: most of them end within eight bytes, and a few are long.
#[inline]
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    match bytes.first_chunk().and_then(|word| stop_in(*word)) {
        Some(stop) => stop,
        None => long_run(bytes),
    }
}

fn long_run(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    let mut run = 0;
    // A block at a time, in a form that compilers turn into wide instructions.
    while let Some(block) = bytes[run..].first_chunk::<BLOCK>() {
        if block.iter().fold(false, |stop, &byte| stop | is_stop(byte)) {
            break;
        }
        run += BLOCK;
    }
    while let Some(word) = bytes[run..].first_chunk() {
        if let Some(stop) = stop_in(*word) {
            return run + stop;
        }
        run += 8;
    }
    run + bytes[run..].iter().take_while(|&&byte| !is_stop(byte)).count()
}

fn is_stop(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Where in eight bytes the first stop is.
#[inline]
fn stop_in(bytes: [u8; 8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES * 0x80;
    let word = u64::from_le_bytes(bytes);
    let zero_at = |x: u64| x.wrapping_sub(ONES) & !x & HIGHS;
    let quote = zero_at(word ^ (ONES * u64::from(b'"')));
    let backslash = zero_at(word ^ (ONES * u64::from(b'\\')));
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
    let stop = quote | backslash | control;
    // The lowest flag is exact; borrows can only set flags above it.
    (stop != 0).then(|| stop.trailing_zeros() as usize / 8)
}

/// Resolves the escapes of a string that the reader has found sound.
pub(super) fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(cut) = rest.find('\\') {
        out.push_str(&rest[..cut]);
        let escape = rest.as_bytes().get(cut + 1).copied().unwrap_or(b'\\');
        rest = rest.get(cut + 2..).unwrap_or("");
        match escape {
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'u' => {
                let (c, used) = unit_pair(rest);
                out.push(c);
                rest = rest.get(used..).unwrap_or("");
            }
            plain => out.push(char::from(plain)),
        }
    }
    out.push_str(rest);
    out
}

/// The character that `XXXX` or `XXXX\uXXXX` names, and the length of that text.
fn unit_pair(text: &str) -> (char, usize) {
    let unit = |from: usize| {
        text.get(from..from + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0xFFFD)
    };
    let first = unit(0);
    if (0xD800..0xDC00).contains(&first) {
        let second = unit(6);
        if (0xDC00..0xE000).contains(&second) {
            let scalar = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            return (char::from_u32(scalar).unwrap_or('\u{FFFD}'), 10);
        }
    }
    (char::from_u32(first).unwrap_or('\u{FFFD}'), 4)
}
