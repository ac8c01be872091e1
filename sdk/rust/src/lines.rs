//! Reads and writes one message per line, with bounds (2026-07-28 basic/transports/stdio).

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// The longest line, in bytes.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// The result of reading a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line without its end.
    Whole(Bytes),
    /// A line longer than [`MAX_LINE`], which was discarded.
    TooLong,
}

/// A reader of lines up to the end of input; a last line without a line break counts too. Empty lines are skipped.
pub(crate) struct Lines<R> {
    reader: R,
    buffer: BytesMut,
    /// How many bytes of the buffer are known to hold no line break.
    seen: usize,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: BytesMut::with_capacity(16 * 1024),
            seen: 0,
            skipping: false,
        }
    }

    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        loop {
            if let Some(line) = self.cut() {
                return Ok(Some(line));
            }
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                self.seen = 0;
                let rest = self.buffer.split().freeze();
                let kept = !self.skipping && !rest.trim_ascii().is_empty();
                return Ok(kept.then_some(Line::Whole(rest)));
            }
        }
    }

    fn cut(&mut self) -> Option<Line> {
        loop {
            let Some(end) = self.buffer[self.seen..].iter().position(|byte| *byte == b'\n') else {
                self.seen = self.buffer.len();
                if self.seen > MAX_LINE {
                    // The rest of an endless line is not kept.
                    self.buffer.clear();
                    self.seen = 0;
                    if !std::mem::replace(&mut self.skipping, true) {
                        return Some(Line::TooLong);
                    }
                }
                return None;
            };
            let mut line = self.buffer.split_to(self.seen + end + 1);
            self.seen = 0;
            line.truncate(line.len() - 1);
            if std::mem::replace(&mut self.skipping, false) || line.trim_ascii().is_empty() {
                continue;
            }
            return Some(Line::Whole(line.freeze()));
        }
    }
}

/// Writes lines until all senders are gone; lines that are waiting are written together.
pub(crate) async fn write_lines<W: AsyncWrite + Unpin>(mut writer: W, mut lines: mpsc::Receiver<Bytes>) -> std::io::Result<()> {
    while let Some(line) = lines.recv().await {
        let mut next = Some(line);
        let mut together = BytesMut::new();
        while let Some(line) = next {
            together.extend_from_slice(&line);
            together.extend_from_slice(b"\n");
            next = if together.len() < 64 * 1024 { lines.try_recv().ok() } else { None };
        }
        writer.write_all(&together).await?;
        writer.flush().await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(text);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.expect("memory does not fail") {
            all.push(line);
        }
        all
    }

    fn whole(text: &'static str) -> Line {
        Line::Whole(Bytes::from_static(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_end_with_a_newline_or_the_end() {
        assert_eq!(all(b"a\n\n \nb\r\nc").await, [whole("a"), whole("b\r"), whole("c")]);
        assert_eq!(all(b"").await, []);
    }

    #[tokio::test]
    async fn an_endless_line_is_thrown_away_and_the_next_one_is_read() {
        let mut text = vec![b'x'; MAX_LINE * 2];
        text.extend_from_slice(b"\nnext\n");
        assert_eq!(all(&text).await, [Line::TooLong, whole("next")]);
    }
}
