//! Reads a child's stderr: the last lines are kept, all of them go to the log.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, BytesMut};
use model::ServerId;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The number of lines that are kept.
const KEPT_LINES: usize = 200;
/// The part of a line that is kept, in bytes.
const KEPT_OF_LINE: usize = 4096;

/// The last lines of a child's stderr. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<VecDeque<String>>>);

impl Tail {
    /// Returns the lines, newest last.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn add(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Reads stderr to its end.
pub(crate) async fn read<R: AsyncRead + Unpin>(mut stderr: R, server: ServerId, tail: Tail) {
    let mut buffer = BytesMut::with_capacity(KEPT_OF_LINE);
    let mut cut = false;
    while matches!(stderr.read_buf(&mut buffer).await, Ok(read) if read > 0) {
        while let Some(at) = memchr::memchr(b'\n', &buffer) {
            let line = buffer.split_to(at);
            buffer.advance(1);
            // The rest of a line whose beginning was taken already is dropped.
            if !std::mem::take(&mut cut) {
                note(&line, &server, &tail);
            }
        }
        if buffer.len() >= KEPT_OF_LINE {
            if !std::mem::replace(&mut cut, true) {
                note(&buffer, &server, &tail);
            }
            buffer.clear();
        }
        buffer.reserve(1024);
    }
    if !cut {
        note(&buffer, &server, &tail);
    }
}

fn note(line: &[u8], server: &ServerId, tail: &Tail) {
    let line = printable(&line[..line.len().min(KEPT_OF_LINE)]);
    if !line.is_empty() {
        tracing::debug!(target: "chancery::stderr", %server, "{line}");
        tail.add(line);
    }
}

/// Returns the text without control characters that could steer a terminal.
fn printable(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim_end()
        .chars()
        .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn tail_of(text: &[u8]) -> Vec<String> {
        let tail = Tail::default();
        let server = ServerId::new("s").expect("an id");
        read(text, server, tail.clone()).await;
        tail.lines()
    }

    #[tokio::test]
    async fn the_last_lines_are_kept() {
        let text: String = (0..1000).map(|n| format!("line {n}\r\n")).collect();
        let lines = tail_of(text.as_bytes()).await;
        assert_eq!(lines.len(), KEPT_LINES);
        assert_eq!(lines.last().map(String::as_str), Some("line 999"));
    }

    #[tokio::test]
    async fn a_long_line_is_cut_and_control_characters_go() {
        let text = format!("{}\nnext \u{1b}[31mred\nlast", "x".repeat(100_000));
        let lines = tail_of(text.as_bytes()).await;
        assert_eq!(lines.len(), 3);
        assert!(lines[0].len() <= KEPT_OF_LINE);
        assert_eq!(lines[1], "next \u{fffd}[31mred");
        assert_eq!(lines[2], "last");
    }
}
