//! The lexer: from text to tokens, one at a time. The meaning of `[-` or `<-` depends on what follows, so the lexer
//! looks ahead there.

use super::{
    source::{Source, Span},
    token::{Token, TokenKind},
};
use crate::eval::Cancel;

/// A reader of tokens from a source. It never fails: invalid text becomes a token that the parser reports.
#[derive(Debug)]
pub(crate) struct Lexer<'s> {
    text: &'s [u8],
    base: u32,
    at: usize,
    cancel: &'s Cancel,
    /// The position at which the flag was last checked.
    looked: usize,
}

/// The number of bytes between two checks of the flag.
const PIECE: usize = 1 << 20;

/// How far the lexer looks for the bracket that makes a temporal operator of the characters before it.
const MAX_BLANKS: usize = 1 << 16;

/// Operators of other languages that are written differently here: no token of ours begins like this.
const FOREIGN: &[&str] = &[
    "==", "=<", "=>", "=:=", "\\+", "&&", "||", "//", ":=", "-->", "->", "+", "-", "*", "/", "%", ";", "?", "&", "|", "\\=",
];

impl<'s> Lexer<'s> {
    /// Returns a lexer at the start of a source. Once it is cancelled, the text ends.
    pub(crate) fn new(source: &'s Source, cancel: &'s Cancel) -> Self {
        let text = source.text().as_bytes();
        // A byte order mark is not part of the content.
        let at = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self {
            text,
            base: source.span().start,
            at,
            cancel,
            looked: at,
        }
    }

    /// Returns the next token, comments included; at the end, [`TokenKind::End`] for ever.
    pub(crate) fn next(&mut self) -> Token {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c'));
        let start = self.at;
        let kind = self.scan();
        Token {
            kind,
            span: self.span_from(start),
        }
    }

    /// Ends the text here.
    pub(crate) fn stop(&mut self) {
        self.at = self.text.len();
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(self.base + start as u32, self.base + self.at as u32)
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips bytes while `keep` holds. Checks the flag once in each piece, however many tokens it has, and reads no
    /// further once it is set.
    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        loop {
            let rest = &self.text[self.at..];
            let piece = &rest[..rest.len().min(PIECE)];
            let kept = piece.iter().position(|&byte| !keep(byte)).unwrap_or(piece.len());
            self.at += kept;
            if self.at - self.looked >= PIECE {
                self.looked = self.at;
                if self.cancel.is_cancelled() {
                    return self.stop();
                }
            }
            if kept < PIECE {
                return;
            }
        }
    }

    /// Advances by `length` bytes, and returns the kind of the token that they are.
    fn take(&mut self, length: usize, kind: TokenKind) -> TokenKind {
        self.at += length;
        kind
    }

    fn scan(&mut self) -> TokenKind {
        use TokenKind as T;
        match (self.byte(0), self.byte(1)) {
            (0, _) if self.at >= self.text.len() => T::End,
            (b'#', _) => {
                self.skip_while(|byte| byte != b'\n');
                T::Comment
            }
            (b'b', b'"' | b'\'' | b'`') => {
                self.at += 1;
                self.string(T::Bytes)
            }
            (b'"' | b'\'' | b'`', _) => self.string(T::String),
            (b'a'..=b'z', _) | (b':', b'a'..=b'z') => self.word(),
            (b'A'..=b'Z', _) => self.variable(),
            (b'_', _) => self.take(1, T::Wildcard),
            (b'0'..=b'9', _) | (b'-', b'0'..=b'9') | (b'.', b'0'..=b'9') => self.number(),
            (b'-', b'.') if self.byte(2).is_ascii_digit() => self.number(),
            (b'/', next) if is_name_byte(next) => self.name(),
            (b':', b'-') => self.take(2, T::Arrow),
            (b'|', b'>') => self.take(2, T::Pipe),
            (b'<', b'-') if self.bracket_follows(2) => self.take(2, T::DiamondMinus),
            (b'<', b'+') if self.bracket_follows(2) => self.take(2, T::DiamondPlus),
            (b'[', b'-') if self.bracket_follows(2) => self.take(2, T::BoxMinus),
            (b'[', b'+') if self.bracket_follows(2) => self.take(2, T::BoxPlus),
            (b'!', b'=') => self.take(2, T::NotEqual),
            (b'<', b'=') => self.take(2, T::LessEqual),
            (b'>', b'=') => self.take(2, T::GreaterEqual),
            (b'@' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b'.' | b'!' | b'<' | b'>', _) => self.symbol(),
            _ => self.foreign().unwrap_or_else(|| self.symbol()),
        }
    }

    fn symbol(&mut self) -> TokenKind {
        use TokenKind as T;
        let kind = match self.byte(0) {
            b'@' => T::At,
            b'(' => T::LeftParen,
            b')' => T::RightParen,
            b'[' => T::LeftBracket,
            b']' => T::RightBracket,
            b'{' => T::LeftBrace,
            b'}' => T::RightBrace,
            b',' => T::Comma,
            b'.' => T::Dot,
            b':' => T::Colon,
            b'!' => T::Bang,
            b'=' => T::Equal,
            b'<' => T::Less,
            b'>' => T::Greater,
            _ => return self.unknown(),
        };
        self.take(1, kind)
    }

    fn unknown(&mut self) -> TokenKind {
        if self.text[self.at..].starts_with("⟸".as_bytes()) {
            return self.take("⟸".len(), TokenKind::Arrow);
        }
        self.at += 1;
        self.skip_while(|byte| (0x80..0xc0).contains(&byte));
        TokenKind::Unknown
    }

    fn foreign(&mut self) -> Option<TokenKind> {
        let rest = &self.text[self.at..];
        let found = FOREIGN.iter().find(|text| rest.starts_with(text.as_bytes()))?;
        Some(self.take(found.len(), TokenKind::Foreign))
    }

    /// Returns whether the next token after `ahead` bytes is `[`: then the characters here are a temporal operator.
    fn bracket_follows(&self, ahead: usize) -> bool {
        self.text[self.at + ahead..]
            .iter()
            .take(MAX_BLANKS)
            .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\x0c'))
            .is_some_and(|&byte| byte == b'[')
    }

    /// Reads a word: `foo`, `a.b`, `fn:list:get`, `:lt`. A full stop or colon belongs to it only if more of it follows.
    fn word(&mut self) -> TokenKind {
        self.at += 1;
        loop {
            self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let joins = match self.byte(0) {
                b'.' => is_word_byte(self.byte(1)),
                b':' => is_word_byte(self.byte(1)) || self.byte(1) == b':',
                _ => false,
            };
            if !joins {
                return TokenKind::Word;
            }
            self.at += 1;
        }
    }

    fn variable(&mut self) -> TokenKind {
        self.skip_while(|byte| byte.is_ascii_alphanumeric());
        if self.byte(0) != b'_' {
            return TokenKind::Variable;
        }
        self.skip_while(is_word_byte);
        TokenKind::BadVariable
    }

    fn name(&mut self) -> TokenKind {
        while self.byte(0) == b'/' && is_name_byte(self.byte(1)) {
            self.at += 1;
            self.skip_while(is_name_byte);
        }
        TokenKind::Name
    }

    /// Reads a string up to the same quote. A backslash takes the next byte with it.
    fn string(&mut self, kind: TokenKind) -> TokenKind {
        let quote = self.byte(0);
        self.at += 1;
        loop {
            self.skip_while(|byte| byte != quote && byte != b'\\');
            if self.at >= self.text.len() {
                return TokenKind::Unterminated;
            }
            if self.byte(0) == quote {
                return self.take(1, kind);
            }
            self.at = (self.at + 2).min(self.text.len());
        }
    }

    fn number(&mut self) -> TokenKind {
        if self.is_date() {
            return self.timestamp();
        }
        if self.byte(0) == b'-' {
            self.at += 1;
        }
        self.digits();
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.digits();
            self.exponent();
            return TokenKind::Float;
        }
        if self.unit() == 0 {
            return TokenKind::Number;
        }
        // Further digits with units may follow: `1h30m`.
        loop {
            self.at += self.unit();
            let mark = self.at;
            self.digits();
            if self.at == mark || self.unit() == 0 {
                self.at = mark;
                return TokenKind::Duration;
            }
        }
    }

    fn digits(&mut self) {
        self.skip_while(|byte| byte.is_ascii_digit());
    }

    fn exponent(&mut self) {
        let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
        if matches!(self.byte(0), b'e' | b'E') && self.byte(1 + sign).is_ascii_digit() {
            self.at += 1 + sign;
            self.digits();
        }
    }

    /// Returns the length of the unit of time at the cursor, if no letter follows it.
    fn unit(&self) -> usize {
        let length = match (self.byte(0), self.byte(1)) {
            (b'm' | b'u' | b'n', b's') => 2,
            (b'd' | b'h' | b'm' | b's', _) => 1,
            _ => return 0,
        };
        if self.byte(length).is_ascii_alphabetic() { 0 } else { length }
    }

    fn is_date(&self) -> bool {
        let shape = b"dddd-dd-dd";
        shape.iter().enumerate().all(|(ahead, &wanted)| {
            let byte = self.byte(ahead);
            if wanted == b'd' { byte.is_ascii_digit() } else { byte == wanted }
        })
    }

    /// Reads everything that could belong to a time, so that a wrong one is one finding.
    fn timestamp(&mut self) -> TokenKind {
        self.at += "dddd-dd-dd".len();
        if self.byte(0) == b'T' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.skip_while(|byte| byte.is_ascii_digit() || byte == b':');
            if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
                self.at += 1;
                self.digits();
            }
            if self.byte(0) == b'Z' {
                self.at += 1;
            } else if matches!(self.byte(0), b'+' | b'-') && self.byte(1).is_ascii_digit() {
                self.at += 1;
                self.skip_while(|byte| byte.is_ascii_digit() || byte == b':');
            }
        }
        TokenKind::Timestamp
    }
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'~' | b'%')
}
