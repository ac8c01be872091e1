//! Laws that hold of every parser of a peer's bytes, whatever the bytes and however they are cut. They are also the
//! targets of fuzzing.

use bytes::Bytes;
use transport::frame::lines::{Line, Lines};
use transport::frame::sse::{Block, Parser};

/// The limit under which bytes are read.
const LIMIT: usize = 64;

/// Cuts `data` behind its first bytes, which say where.
fn cut(data: &[u8]) -> Vec<&[u8]> {
    let Some((&count, rest)) = data.split_first() else {
        return Vec::new();
    };
    let (sizes, mut rest) = rest.split_at(usize::from(count % 16).min(rest.len()));
    let mut pieces = Vec::new();
    for size in sizes {
        let (piece, after) = rest.split_at(usize::from(*size).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

fn events(pieces: &[&[u8]]) -> (Vec<Block>, bool) {
    let (mut parser, mut blocks) = (Parser::new(LIMIT), Vec::new());
    for piece in pieces {
        parser.push(Bytes::copy_from_slice(piece));
        loop {
            match parser.next_block() {
                Ok(Some(block)) => blocks.push(block),
                Ok(None) => break,
                Err(_) => return (blocks, true),
            }
        }
    }
    (blocks, false)
}

fn lines(pieces: &[&[u8]]) -> Vec<Line> {
    let (mut lines, mut found) = (Lines::new(LIMIT), Vec::new());
    for piece in pieces {
        lines.space();
        lines.push(piece);
        found.extend(std::iter::from_fn(|| lines.next_line()));
    }
    found
}

/// Cuts change nothing, and no event is larger than the limit.
pub(crate) fn sse(data: &[u8]) {
    let pieces = cut(data);
    let (cut_blocks, cut_refused) = events(&pieces);
    let (blocks, refused) = events(&[&pieces.concat()]);
    assert_eq!((&cut_blocks, cut_refused), (&blocks, refused));
    assert!(blocks.iter().all(|block| block.event.data.len() <= LIMIT));
}

/// Cuts change nothing; a frame is one line within the limit, and is not empty.
pub(crate) fn line_frames(data: &[u8]) {
    let pieces = cut(data);
    let found = lines(&pieces);
    assert_eq!(found, lines(&[&pieces.concat()]));
    for line in found {
        if let Line::Frame(frame) = line {
            assert!(!frame.is_empty() && frame.len() <= LIMIT && !frame.contains(&b'\n'));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// Bytes that make events and lines more often than others.
    fn speech() -> impl Strategy<Value = Vec<u8>> {
        let word = prop::sample::select(vec![
            "data", "id", "event", "retry", ":", ": ", "\n", "\r", "\r\n", "\n\n", "12", "x", "\u{feff}", "\0", "{}",
        ]);
        (prop::collection::vec(any::<u8>(), 0..20), prop::collection::vec(word, 0..60)).prop_map(|(mut bytes, words)| {
            bytes.extend_from_slice(words.concat().as_bytes());
            bytes
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn of_events(data in speech()) {
            super::sse(&data);
        }

        #[test]
        fn of_lines(data in speech()) {
            super::line_frames(&data);
        }
    }
}
