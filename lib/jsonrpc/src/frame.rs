//! Decodes bytes from a peer into one message or a batch.

use bytes::Bytes;

use crate::envelope::Envelope;
use crate::error::Fault;
use crate::scan::{Scanner, check_frame};
use crate::{DecodeError, Limits, Message};

/// How many messages a batch may have; a longer one is refused as a whole (DESIGN, Laws: Bounded everything).
pub const MAX_BATCH: usize = 1024;

/// The content of one frame.
#[derive(Clone, Debug)]
pub enum Frame {
    /// One message.
    One(Message),
    /// A batch, never empty; each invalid message has its own error.
    Batch(Vec<Result<Message, DecodeError>>),
}

/// Reads one frame: a message or a batch.
///
/// # Errors
/// See [`DecodeError::code`]. Bad syntax anywhere refuses the whole frame, a bad envelope only its own message.
pub fn decode(bytes: impl Into<Bytes>, limits: &Limits) -> Result<Frame, DecodeError> {
    let bytes = bytes.into();
    check_frame(&bytes, limits)?;
    let mut scanner = Scanner::new(&bytes, limits);
    scanner.space();
    if scanner.peek() == Some(b'[') {
        return batch(&bytes, &mut scanner).map(Frame::Batch);
    }
    one(&bytes, &mut scanner, true)?.map(Frame::One)
}

/// Reads one frame that must be one message.
///
/// # Errors
/// As for [`decode`]; a batch is refused with -32600.
pub fn decode_message(bytes: impl Into<Bytes>, limits: &Limits) -> Result<Message, DecodeError> {
    match decode(bytes, limits)? {
        Frame::One(message) => Ok(message),
        Frame::Batch(_) => Err(DecodeError::new(Fault::Batch, 0)),
    }
}

fn batch(bytes: &Bytes, scanner: &mut Scanner<'_>) -> Result<Vec<Result<Message, DecodeError>>, DecodeError> {
    let at = scanner.pos();
    let mut messages = Vec::new();
    let mut more = scanner.open(b']')?;
    while more {
        if messages.len() == MAX_BATCH {
            return Err(DecodeError::new(Fault::LongBatch { limit: MAX_BATCH }, scanner.pos()));
        }
        messages.push(one(bytes, scanner, false)?);
        more = scanner.more(b']')?;
    }
    scanner.end()?;
    if messages.is_empty() {
        return Err(DecodeError::new(Fault::EmptyBatch, at));
    }
    Ok(messages)
}

/// Reads the message at the cursor; nothing may follow the `last` one. The outer result reports syntax errors, which
/// invalidate the frame; the inner one reports errors of this message alone.
fn one(bytes: &Bytes, scanner: &mut Scanner<'_>, last: bool) -> Result<Result<Message, DecodeError>, DecodeError> {
    let start = scanner.pos();
    if scanner.peek() != Some(b'{') {
        scanner.value()?;
        if last {
            scanner.end()?;
        }
        return Ok(Err(DecodeError::new(Fault::NotAnObject, start)));
    }
    let mut envelope = Envelope::default();
    let mut read = envelope.read(scanner, bytes);
    let end = scanner.pos();
    if last {
        read = read.and_then(|()| scanner.end());
    }
    read.map_err(|flaw| flaw.of_message(envelope.id(bytes), envelope.likely_kind()))?;
    Ok(envelope
        .judge(bytes, start)
        .and_then(|(kind, id)| Message::of_parts(bytes.slice(start..end), start, kind, id, envelope.parts)))
}
