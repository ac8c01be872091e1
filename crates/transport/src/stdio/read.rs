//! Reads a server's pipe: each line goes to the inbox, until the end.

use tokio::io::{AsyncRead, AsyncReadExt};
use upstream::link::Inbox;

use crate::frame::lines::{Line, Lines};

/// Why there are no more lines.
pub(super) enum End {
    /// The server closed it, or it broke.
    Closed(String),
    /// A line was longer than the limit allows.
    TooLarge,
}

/// Passes lines to the inbox until the end.
pub(super) async fn frames<R: AsyncRead + Unpin>(stdout: &mut R, max_message: usize, inbox: &dyn Inbox) -> End {
    let mut lines = Lines::new(max_message);
    loop {
        match stdout.read_buf(lines.space()).await {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => return End::Closed(format!("reading its stdout failed: {error}")),
        }
        while let Some(line) = lines.next_line() {
            match line {
                Line::Frame(frame) => inbox.frame(frame),
                Line::TooLong => return End::TooLarge,
            }
        }
    }
    if let Some(rest) = lines.rest() {
        inbox.frame(rest);
    }
    End::Closed("it closed its stdout".to_owned())
}
