//! HTTP responses: the messages in a body that comes in pieces.
//!
//! Owns the two forms of a body, one JSON object and a stream of events. Knows nothing of what
//! the messages say.
//! Protocol: streamable-http, "Sending Messages" 6 and "Receiving Messages".

use super::{HostLimits, broken};
use crate::error::Result;

/// One HTTP response to a request, read as its pieces arrive.
///
/// Give each piece of the body to [`HttpReply::push`] and each message that comes out to
/// [`Driver::receive`](super::Driver::receive). When that was the reply, stop: the rest of a stream
/// is of no interest, and a server may keep it open. At the end of the body call
/// [`HttpReply::finish`].
#[derive(Debug)]
pub struct HttpReply {
    status: u16,
    body: Body,
    limit: usize,
}

#[derive(Debug)]
enum Body {
    Json(Vec<u8>),
    Events(EventStream),
    /// What carries no message, such as a page of a proxy's.
    Other,
}

impl HttpReply {
    /// A response with this status and `Content-Type`, whose body is still to come.
    pub fn new(status: u16, content_type: Option<&str>, limits: &HostLimits) -> Self {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let body = if essence.eq_ignore_ascii_case("application/json") {
            Body::Json(Vec::new())
        } else if essence.eq_ignore_ascii_case("text/event-stream") {
            Body::Events(EventStream::new(limits))
        } else {
            Body::Other
        };
        Self { status, body, limit: limits.reply_bytes }
    }

    /// Takes a piece of the body, and gives the messages that it completes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidReply`](crate::ErrorKind::InvalidReply) where a message is over the
    /// limit.
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<Vec<u8>>> {
        match &mut self.body {
            Body::Json(body) if piece.len() > self.limit.saturating_sub(body.len()) => {
                let why = format!("it is longer than {} bytes", self.limit);
                Err(broken("", "too_large", why))
            }
            Body::Json(body) => {
                body.extend_from_slice(piece);
                Ok(Vec::new())
            }
            Body::Events(events) => events.push(piece),
            Body::Other => Ok(Vec::new()),
        }
    }

    /// The body is over and the reply has not come out of [`HttpReply::push`]: here it is.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidReply`](crate::ErrorKind::InvalidReply) where there is none: rule
    /// `http_status` (an error or an empty answer of the server's, or of something before it),
    /// `content_type`, or `no_reply` (a stream that ended early).
    pub fn finish(self) -> Result<Vec<u8>> {
        let success = matches!(self.status, 200..=299);
        match self.body {
            Body::Json(body) if !body.is_empty() => Ok(body),
            Body::Events(_) if success => {
                Err(broken("", "no_reply", "the stream ended before the reply"))
            }
            Body::Other if self.status == 200 => {
                let why = "the body is neither application/json nor text/event-stream";
                Err(broken("", "content_type", why))
            }
            _ => Err(broken("", "http_status", format!("HTTP {} without a message", self.status))),
        }
    }
}

/// The messages in a stream of server-sent events.
///
/// Takes the bytes in any pieces. Of the format (HTML, "Server-sent events") it knows what matters
/// here: lines end in CR, LF or both; `data` lines of an event are joined; comments, other fields
/// and events of other types than `message` are passed over.
#[derive(Debug)]
pub struct EventStream {
    line: Vec<u8>,
    /// The last byte was a CR: a LF after it belongs to it.
    after_cr: bool,
    /// Nothing but a byte order mark may stand before the first line.
    begun: bool,
    data: Option<Vec<u8>>,
    /// The event says that it is of another type.
    other: bool,
    limit: usize,
}

impl EventStream {
    /// A stream whose messages keep to the limit.
    pub fn new(limits: &HostLimits) -> Self {
        Self {
            line: Vec::new(),
            after_cr: false,
            begun: false,
            data: None,
            other: false,
            limit: limits.reply_bytes,
        }
    }

    /// Takes a piece of the stream, and gives the messages that it completes.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidReply`](crate::ErrorKind::InvalidReply) where a message is over the
    /// limit.
    pub fn push(&mut self, piece: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut messages = Vec::new();
        for &byte in piece {
            let ends_line = match byte {
                b'\n' if self.after_cr => {
                    self.after_cr = false;
                    continue;
                }
                b'\n' | b'\r' => true,
                _ => false,
            };
            self.after_cr = byte == b'\r';
            if ends_line {
                messages.extend(self.end_line());
                continue;
            }
            let held = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
            // The name of the field and its colon count, too; nobody is that near the limit.
            if held >= self.limit.saturating_add(8) {
                let why = format!("it is longer than {} bytes", self.limit);
                return Err(broken("", "too_large", why));
            }
            self.line.push(byte);
        }
        Ok(messages)
    }

    /// A line is whole; the empty one ends an event.
    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        let mut line = &line[..];
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            let other = std::mem::take(&mut self.other);
            return self.data.take().filter(|data| !other && !data.is_empty());
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"event" => self.other = !(value.is_empty() || value == b"message"),
            _ => {}
        }
        None
    }
}
