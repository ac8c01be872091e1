//! A recursive-descent parser from tokens to the syntax tree. Each finding costs one clause: the parser continues after
//! its full stop.

mod body;
mod foreign;
mod item;
mod term;
mod time;
mod traps;

use super::{
    Bounds,
    ast::{Ident, Unit},
    lexer::Lexer,
    source::{Source, Span},
    token::{Token, TokenKind},
    word::Word,
};
use crate::diagnostic::{Code, Diagnostic};

/// The language that is accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The public grammar with our extensions: single-bound operators, times and durations as terms, durations of
    /// several units, negated temporal atoms.
    #[default]
    Extended,
    /// The public grammar only.
    Strict,
}

/// The result of parsing a text.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The clauses that could be read.
    pub unit: Unit,
    /// The findings about the others.
    pub diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// Returns whether every clause could be read.
    pub fn is_ok(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Parses a source within the default [`Bounds`]. The time is proportional to its length for any bytes, and it never
/// fails: what cannot be read is reported, at most a hundred times.
pub fn parse(source: &Source, dialect: Dialect) -> Parsed {
    parse_within(source, dialect, &Bounds::default())
}

/// Does the work of [`parse`] within these bounds.
pub fn parse_within(source: &Source, dialect: Dialect, bounds: &Bounds) -> Parsed {
    let mut parser = Parser::new(source, dialect, bounds);
    let unit = parser.unit();
    Parsed {
        unit,
        diagnostics: parser.diagnostics,
    }
}

/// How many findings of one file are kept.
const MAX_FINDINGS: usize = 100;
/// How deeply terms may nest.
const MAX_DEPTH: usize = 100;
/// How many terms a declaration or clause may have, nested ones included: a larger fact is data.
const MAX_TERMS: usize = 1_000_000;

/// How many bytes a word, number or name may have. People do not write longer ones, and findings repeat them.
const MAX_WORD: u32 = 1 << 16;
/// How many bytes a string may have: an evaluation processes no larger value.
const MAX_LITERAL: u32 = crate::eval::MAX_VALUE as u32;

/// How many bytes a token adds to the tree at most, on average over any part of a program.
const TOKEN_BYTES: u32 = 96;
/// The number of tokens between two checks of the bounds.
const CHUNK: u64 = 4096;

/// The error that a clause was given up; the finding has been reported.
#[derive(Debug)]
struct Lost;

type Parse<T> = Result<T, Lost>;

struct Parser<'s> {
    source: &'s Source,
    bounds: &'s Bounds,
    /// The tokens to read before the next check of the bounds; a long one counts as many.
    fuel: u64,
    /// The tokens granted as fuel, read or not.
    taken: u64,
    /// Whether the bounds were exceeded, which is the last thing to report.
    stopped: bool,
    dialect: Dialect,
    lexer: Lexer<'s>,
    /// The token before [`Self::token`].
    last: Token,
    /// The current token.
    token: Token,
    /// The token after it.
    ahead: Token,
    depth: usize,
    /// How many more terms the item may have.
    room: usize,
    /// The comments that were skipped.
    comments: Vec<Span>,
    diagnostics: Vec<Diagnostic>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s Source, dialect: Dialect, bounds: &'s Bounds) -> Self {
        let none = Token {
            kind: TokenKind::Dot,
            span: source.span().before(),
        };
        let mut this = Self {
            source,
            bounds,
            fuel: 0,
            taken: 0,
            stopped: false,
            dialect,
            lexer: Lexer::new(source, &bounds.cancel),
            last: none,
            token: none,
            ahead: none,
            depth: 0,
            room: MAX_TERMS,
            comments: Vec::new(),
            diagnostics: Vec::new(),
        };
        this.token = this.read();
        this.ahead = this.read();
        this
    }

    /// Advances by a token, and returns the one that was current.
    fn bump(&mut self) -> Token {
        self.last = self.token;
        self.token = self.ahead;
        self.ahead = self.read();
        self.last
    }

    /// Reads the next token of the grammar, after counting its cost.
    fn read(&mut self) -> Token {
        loop {
            let token = self.lexer.next();
            let length = token.span.end - token.span.start;
            // A token adds its text to the tree, a comment only its place.
            let (most, cost) = match token.kind {
                TokenKind::End if self.bounds.cancel.is_cancelled() => return self.stop(self.cancelled()),
                TokenKind::End => return token,
                TokenKind::Comment => (u32::MAX, 1),
                TokenKind::String | TokenKind::Bytes | TokenKind::Unterminated => (MAX_LITERAL, 1 + length / TOKEN_BYTES),
                _ => (MAX_WORD, 1 + length / TOKEN_BYTES),
            };
            if length > most {
                // Once it is cancelled, the last token reaches to the end of the text.
                let cancelled = self.bounds.cancel.is_cancelled();
                let why = if cancelled { self.cancelled() } else { too_long(token, most) };
                return self.stop(why);
            }
            match self.fuel.checked_sub(u64::from(cost)) {
                Some(left) => self.fuel = left,
                None => {
                    if let Some(why) = self.refuel(u64::from(cost)) {
                        return self.stop(why);
                    }
                }
            }
            if token.kind != TokenKind::Comment {
                return token;
            }
            self.comments.push(token.span);
        }
    }

    /// Counts a token of this cost, and returns the finding if the bounds are exceeded.
    #[cold]
    fn refuel(&mut self, cost: u64) -> Option<Diagnostic> {
        if self.bounds.cancel.is_cancelled() {
            return Some(self.cancelled());
        }
        self.taken -= self.fuel;
        let left = (self.bounds.bytes / u64::from(TOKEN_BYTES)).saturating_sub(self.taken);
        if left < cost {
            let text = format!(
                "the program needs more than the {} bytes of memory that it is allowed",
                self.bounds.bytes
            );
            let found = Diagnostic::new(Code::BudgetExceeded, self.token.span, text).here("read up to here");
            return Some(found.help("hand large sets of facts over as data, not as text"));
        }
        let given = left.min(CHUNK.max(cost));
        self.taken += given;
        self.fuel = given - cost;
        None
    }

    fn cancelled(&self) -> Diagnostic {
        Diagnostic::new(Code::BudgetExceeded, self.token.span, "reading was cancelled")
            .here("read up to here")
            .help("it was interrupted, or took longer than it was allowed")
    }

    /// Ends the text here; `why` is the last finding to report.
    fn stop(&mut self, why: Diagnostic) -> Token {
        if !self.stopped {
            self.diagnostics.push(why);
        }
        self.stopped = true;
        self.lexer.stop();
        Token {
            kind: TokenKind::End,
            span: self.token.span.after(),
        }
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// Takes the token if it is of this kind.
    fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        self.at(kind).then(|| self.bump())
    }

    /// Takes a word that is a keyword in its place.
    fn eat_word(&mut self, word: &str) -> Option<Token> {
        self.at_word(word).then(|| self.bump())
    }

    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Word) && self.text(self.token.span) == word
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<Token> {
        self.eat(kind).ok_or(()).or_else(|()| self.unexpected(kind.describe()))
    }

    fn text(&self, span: Span) -> &'s str {
        self.source.text().get(self.source.range(span)).unwrap_or_default()
    }

    /// Returns the word of a token.
    fn word(&self, span: Span) -> Word {
        self.source.word(span)
    }

    fn ident(&self, span: Span) -> Ident {
        Ident {
            text: self.word(span),
            span,
        }
    }

    /// Returns the span from `start` to the end of the last token.
    fn since(&self, start: Span) -> Span {
        start.to(self.last.span)
    }

    /// Returns whether the token begins a line: then it may begin a clause.
    fn at_line_start(&self) -> bool {
        let range = self.source.range(self.token.span);
        range.start == 0 || self.source.text().as_bytes().get(range.start - 1) == Some(&b'\n')
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.stopped {
            return;
        }
        if self.diagnostics.len() < MAX_FINDINGS {
            self.diagnostics.push(diagnostic);
        } else if self.diagnostics.len() == MAX_FINDINGS {
            let more = Diagnostic::new(
                Code::TooManyFindings,
                diagnostic.primary.span,
                "there are more findings from here on",
            );
            self.diagnostics.push(more.help("mend the first ones and look again"));
        }
    }

    /// Reports a finding and gives the clause up.
    fn lose<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Lost)
    }

    /// Reports a construct that only the extended language has.
    fn extension(&mut self, span: Span, what: &str) {
        if self.dialect == Dialect::Strict {
            let found = Diagnostic::new(Code::Extension, span, format!("{what} is an extension"));
            self.report(found.help("the extended language has it: ask for that with `--extended`"));
        }
    }

    /// Skips to the start of the next clause: after a full stop, or to a line that begins like a clause.
    fn recover(&mut self) {
        while !self.at(TokenKind::End) {
            if self.bump().kind == TokenKind::Dot || (self.at_line_start() && self.at_item()) {
                break;
            }
        }
    }

    /// Returns whether a declaration or clause could begin here.
    fn at_item(&self) -> bool {
        match self.token.kind {
            TokenKind::Word => matches!(
                self.ahead.kind,
                TokenKind::LeftParen | TokenKind::Dot | TokenKind::Arrow | TokenKind::At
            ),
            TokenKind::Variable => matches!(self.text(self.token.span), "Decl" | "Package" | "Use"),
            _ => false,
        }
    }
}

/// Returns the finding about a token with more bytes than it may have.
fn too_long(token: Token, most: u32) -> Diagnostic {
    let text = format!("{} has more than {most} bytes", token.kind.describe());
    Diagnostic::new(Code::BudgetExceeded, token.span, text).help("hand large values over as data, not as text")
}

#[cfg(test)]
mod tests;
