//! Decodes the chunked transfer coding (RFC 9112 7.1). Pure; any cutting of the bytes gives the same data.

use bytes::{Bytes, BytesMut};

/// The greatest length of the line with a chunk's size and its extensions, and of all trailers together.
const MOST_AROUND: usize = 8 * 1024;

/// The part of the coding that the next bytes belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Size,
    Data(u64),
    /// The line break after the data.
    Break,
    Trailers {
        seen: usize,
    },
    Nothing,
}

/// The result of one step of the decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A piece of the data, never empty.
    Data(Bytes),
    /// More bytes are needed.
    Wait,
    /// The body has ended.
    End,
}

/// The decoder of a body in chunks.
#[derive(Clone, Debug)]
pub(crate) struct Chunked {
    next: Next,
}

impl Chunked {
    pub(crate) fn new() -> Self {
        Self { next: Next::Size }
    }

    /// Consumes the next step from `input`.
    ///
    /// # Errors
    /// When the bytes are not chunks.
    pub(crate) fn step(&mut self, input: &mut BytesMut) -> Result<Step, &'static str> {
        loop {
            match self.next {
                Next::Size => {
                    let Some(line) = line(input)? else { return Ok(Step::Wait) };
                    self.next = match size(&line).ok_or("the size of a chunk is not a number")? {
                        0 => Next::Trailers { seen: 0 },
                        size => Next::Data(size),
                    };
                }
                Next::Data(left) => {
                    if input.is_empty() {
                        return Ok(Step::Wait);
                    }
                    let here = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
                    let left = left - here as u64;
                    self.next = if left == 0 { Next::Break } else { Next::Data(left) };
                    return Ok(Step::Data(input.split_to(here).freeze()));
                }
                Next::Break => {
                    if input.len() < 2 {
                        return Ok(Step::Wait);
                    }
                    if &input.split_to(2)[..] != b"\r\n" {
                        return Err("a chunk is longer than its size");
                    }
                    self.next = Next::Size;
                }
                Next::Trailers { seen } => {
                    let Some(line) = line(input)? else { return Ok(Step::Wait) };
                    let seen = seen + line.len();
                    if seen > MOST_AROUND {
                        return Err("the trailers are too long");
                    }
                    self.next = if line.is_empty() { Next::Nothing } else { Next::Trailers { seen } };
                }
                Next::Nothing => return Ok(Step::End),
            }
        }
    }
}

/// Returns a line without its break.
fn line(input: &mut BytesMut) -> Result<Option<BytesMut>, &'static str> {
    let Some(at) = memchr::memchr(b'\n', input) else {
        return if input.len() > MOST_AROUND {
            Err("a line between chunks is too long")
        } else {
            Ok(None)
        };
    };
    let mut line = input.split_to(at + 1);
    if at == 0 || line[at - 1] != b'\r' || at > MOST_AROUND {
        return Err("a line between chunks is not ended by CR and LF");
    }
    line.truncate(at - 1);
    Ok(Some(line))
}

fn size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let plausible = (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
    let digits = std::str::from_utf8(digits).ok().filter(|_| plausible)?;
    u64::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(pieces: &[&[u8]]) -> Result<(Vec<u8>, bool, Vec<u8>), &'static str> {
        let (mut chunked, mut input, mut data) = (Chunked::new(), BytesMut::new(), Vec::new());
        let mut ended = false;
        for piece in pieces {
            input.extend_from_slice(piece);
            while !ended {
                match chunked.step(&mut input)? {
                    Step::Data(piece) => data.extend_from_slice(&piece),
                    Step::Wait => break,
                    Step::End => ended = true,
                }
            }
        }
        Ok((data, ended, input.to_vec()))
    }

    #[test]
    fn chunks_by_example() {
        let whole = b"5\r\nhello\r\n6 ;ext=\"a\"\r\n world\r\n0\r\nTrailer: x\r\n\r\nnext";
        assert_eq!(decode(&[whole]), Ok((b"hello world".to_vec(), true, b"next".to_vec())));
        assert_eq!(decode(&[b"5\r\nhel"]), Ok((b"hel".to_vec(), false, Vec::new())));
        for bad in [
            "\r\n",
            "x\r\n",
            "-1\r\n",
            "+1\r\na\r\n",
            "5\nhello\r\n",
            "5\r\nhelloo\r\n",
            "1234567890abcdef0\r\n",
            " 5\r\nhello\r\n",
            "0x5\r\nhello\r\n",
        ] {
            assert!(decode(&[bad.as_bytes()]).is_err(), "{bad:?}");
        }
        let endless = vec![b'1'; 10_000];
        assert!(decode(&[&endless]).is_err());
        let trailers = format!("0\r\n{}", "a: b\r\n".repeat(10_000));
        assert!(decode(&[trailers.as_bytes()]).is_err());
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same(
            chunks in prop::collection::vec("[a-z\r\n]{1,20}", 0..6),
            tail in "(0\r\n\r\n|0\r\na: b\r\n\r\n|zz|)",
            cuts in prop::collection::vec(0usize..200, 0..8),
        ) {
            let text: String = chunks.iter().map(|chunk| format!("{:x}\r\n{chunk}\r\n", chunk.len())).collect::<String>() + &tail;
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &text.as_bytes()[w[0]..w[1]]).collect();
            let whole = decode(&[text.as_bytes()]);
            if tail.starts_with('0') {
                prop_assert_eq!(whole.clone(), Ok((chunks.concat().into_bytes(), true, Vec::new())));
            }
            prop_assert_eq!(decode(&pieces), whole);
        }

        #[test]
        fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(decode(&[&bytes]));
        }
    }
}
