//! Recognises common mistakes: each finding here suggests what was probably meant.

use super::{Parse, Parser, body::comparison};
use crate::{
    builtin,
    diagnostic::{Code, Diagnostic},
    syntax::{
        Span,
        ast::{Ident, Literal, Term, TermKind},
        token::TokenKind,
    },
};

/// The functions for operators between numbers.
const ARITHMETIC: &[(&str, &str)] = &[("+", "fn:plus"), ("-", "fn:minus"), ("*", "fn:mult"), ("/", "fn:div")];

/// The words of the grammar, none of which can name a predicate.
const RESERVED: &[&str] = &["bound", "descr", "do", "inclusion", "let", "now", "opt", "temporal"];

impl Parser<'_> {
    /// Reports a predicate with the name of a word of the grammar.
    pub(super) fn reserved_word(&mut self, predicate: &Ident) {
        if RESERVED.contains(&&*predicate.text) {
            let text = format!("`{}` is a word of the language", predicate.text);
            let found = Diagnostic::new(Code::ReservedWord, predicate.span, text);
            self.report(found.help("take another name for the predicate"));
        }
    }

    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Parse<T> {
        self.operator_traps()?;
        let found = self.unexpected_here(expected);
        self.lose(found)
    }

    /// Returns the finding "expected this, found that", or a more specific one.
    pub(super) fn unexpected_here(&self, expected: &str) -> Diagnostic {
        let span = self.token.span;
        let text = self.text(span);
        if let Some(found) = self.foreign_word().or_else(|| self.foreign_arrow()) {
            return found;
        }
        match self.token.kind {
            TokenKind::Unterminated => Diagnostic::new(
                Code::UnterminatedString,
                Span::new(span.start, span.start + 1),
                "the string does not end",
            )
            .here("it begins here")
            .help("close it with the same quote; a quote inside is written `\\\"`"),
            TokenKind::Unknown => Diagnostic::new(
                Code::UnexpectedCharacter,
                span,
                format!("unexpected character `{}`", text.escape_debug()),
            )
            .help(format!("expected {expected}")),
            TokenKind::Foreign => self.foreign_symbol(text),
            TokenKind::Greater if self.last.kind == TokenKind::Less && self.last.span.end == span.start => {
                let whole = self.last.span.to(span);
                Diagnostic::new(Code::ForeignSyntax, whole, "inequality is written `!=`").fix("write `!=`", whole, "!=")
            }
            TokenKind::End if self.token.span.start > 0 => {
                let place = self.last.span.after();
                Diagnostic::new(
                    Code::UnexpectedToken,
                    place,
                    format!("expected {expected}, found the end of the file"),
                )
            }
            kind => {
                let found = match kind {
                    TokenKind::Word | TokenKind::Variable | TokenKind::BadVariable | TokenKind::Name | TokenKind::Number => {
                        format!("`{}`", shorten(text))
                    }
                    _ => kind.describe().to_owned(),
                };
                Diagnostic::new(Code::UnexpectedToken, span, format!("expected {expected}, found {found}"))
            }
        }
    }

    /// Reports arithmetic after a term: `X + 1`, `X -1`, `X/2`.
    pub(super) fn operator_traps(&mut self) -> Parse<()> {
        let left = self.last;
        let is_operand = matches!(
            left.kind,
            TokenKind::Variable | TokenKind::Number | TokenKind::Float | TokenKind::RightParen | TokenKind::Duration
        );
        let text = self.text(self.token.span);
        let (operator, right) = match self.token.kind {
            TokenKind::Foreign => (text, self.text(self.ahead.span)),
            TokenKind::Number | TokenKind::Float | TokenKind::Duration if text.starts_with('-') => ("-", &text[1..]),
            TokenKind::Name if self.token.span.start == left.span.end => ("/", &text[1..]),
            _ => return Ok(()),
        };
        let Some((_, function)) = ARITHMETIC.iter().find(|row| row.0 == operator).filter(|_| is_operand) else {
            return Ok(());
        };
        let found = Diagnostic::new(Code::InfixArithmetic, self.token.span, format!("there is no operator `{operator}`"));
        let is_simple = left.kind != TokenKind::RightParen && right.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let end = if self.token.kind == TokenKind::Foreign {
            self.ahead.span
        } else {
            self.token.span
        };
        let found = if is_simple {
            let call = format!("{function}({}, {right})", self.text(left.span));
            found.fix(format!("write `{call}`"), left.span.to(end), call)
        } else {
            found.help(format!("write `{function}(.., ..)`"))
        };
        self.lose(found)
    }

    /// Reports `/lit.` at the end of a clause, which counts as ended.
    pub(super) fn swallowed_full_stop(&mut self) -> bool {
        let name = self.last.span;
        let swallowed = self.last.kind == TokenKind::Name && self.text(name).ends_with('.');
        if !swallowed || matches!(self.token.kind, TokenKind::Comma | TokenKind::Pipe) {
            return false;
        }
        let stop = Span::new(name.end - 1, name.end);
        let found = Diagnostic::new(Code::SwallowedFullStop, stop, "the full stop belongs to the name before it");
        let found = found
            .here("this does not end the clause")
            .label(name, format!("one name, `{}`", self.text(name)));
        self.report(found.fix("put a space before the full stop", stop.before(), " "));
        true
    }

    pub(super) fn missing_parentheses(&mut self, word: &Ident) {
        let place = word.span.after();
        let found = Diagnostic::new(Code::MissingParentheses, word.span, format!("`{}` has no parentheses", word.text));
        self.report(found.here("expected `(` behind it").fix("add empty parentheses", place, "()"));
    }

    /// Reports a token with which no fact, rule or premise can begin.
    pub(super) fn not_an_atom<T>(&mut self) -> Parse<T> {
        let span = self.token.span;
        let text = self.text(span);
        if matches!(self.token.kind, TokenKind::Variable | TokenKind::BadVariable) && self.ahead.kind == TokenKind::LeftParen {
            let found = Diagnostic::new(
                Code::NotAnAtom,
                span,
                format!("`{text}` begins with a capital, so it is no predicate"),
            );
            return self.lose(found.fix("begin with a small letter", span, lower(text)));
        }
        if matches!(
            self.token.kind,
            TokenKind::Variable | TokenKind::Name | TokenKind::String | TokenKind::Number
        ) {
            let found = Diagnostic::new(Code::NotAnAtom, span, format!("expected a predicate, found `{}`", shorten(text)));
            return self.lose(found.help("a fact is written `p(X)`, a rule `p(X) :- q(X).`"));
        }
        self.unexpected("a predicate")
    }

    pub(super) fn head_traps(&mut self) -> Parse<()> {
        if !self.at(TokenKind::Bang) {
            return Ok(());
        }
        let found = Diagnostic::new(Code::NegatedHead, self.token.span, "a clause cannot say what does not hold");
        self.lose(
            found.help("leave it out: what nothing derives does not hold. To take something away, derive the rest with `!` in a body"),
        )
    }

    pub(super) fn premise_traps(&mut self) -> Parse<()> {
        let span = self.token.span;
        if self.text(span).eq_ignore_ascii_case("not") && self.ahead.kind == TokenKind::Word {
            let space = Span::new(span.start, self.ahead.span.start);
            let found = Diagnostic::new(Code::ForeignSyntax, span, "negation is written `!`").fix("write `!`", space, "!");
            self.report(found);
            self.bump();
            return Ok(());
        }
        if (self.at_word("let") || self.at_word("do")) && matches!(self.ahead.kind, TokenKind::Variable | TokenKind::Word) {
            let word = self.text(span);
            let found = Diagnostic::new(Code::MisplacedTransform, span, format!("`{word}` stands among the premises"));
            let found = if self.last.kind == TokenKind::Comma {
                found.fix("begin the transforms with `|>`", self.last.span, " |>")
            } else {
                found.help("write the premises first, then `|>`")
            };
            return self.lose(found);
        }
        Ok(())
    }

    /// Reports a term that is neither compared nor a predicate.
    pub(super) fn not_a_premise<T>(&mut self, left: &Term) -> Parse<T> {
        if matches!(self.token.kind, TokenKind::Foreign | TokenKind::Unknown) {
            return self.unexpected("a comparison");
        }
        if let Some(found) = self.foreign_word() {
            return self.lose(found);
        }
        let text = shorten(self.text(left.span));
        let found = Diagnostic::new(
            Code::NotAnAtom,
            left.span,
            format!("`{text}` is neither a predicate nor a comparison"),
        );
        let found = match &left.kind {
            TermKind::Call(_) => found.help(format!(
                "compare what it gives: `X = {text}`, or `:filter({text})` for a truth value"
            )),
            TermKind::Variable(_) => found.help("compare it, `X = /a`, or say of it something that holds, `p(X)`"),
            _ => found.help("a premise is `p(X)`, `!p(X)` or a comparison such as `X = /a`"),
        };
        self.lose(found)
    }

    /// Reports `p(X) = Y`: a predicate has no value.
    pub(super) fn compared_atom(&mut self, literal: &Literal) -> Parse<()> {
        self.operator_traps()?;
        if comparison(self.token.kind).is_none() {
            return Ok(());
        }
        let name = &literal.atom.predicate.text;
        let found = Diagnostic::new(
            Code::PredicateAsTerm,
            literal.span,
            format!("`{name}` is a predicate and has no value to compare"),
        );
        let found = found.help(format!("give it an argument for the value, `{name}(X)`, and compare that"));
        self.lose(found)
    }

    /// Reports a token with which no term can begin.
    pub(super) fn not_a_term<T>(&mut self) -> Parse<T> {
        let span = self.token.span;
        let text = self.text(span);
        match self.token.kind {
            TokenKind::BadVariable => {
                let camel = camel(text);
                let found = Diagnostic::new(Code::InvalidVariable, span, format!("`{text}` is not a variable"));
                let found = found.here("variables have letters and digits only");
                self.lose(found.fix(format!("write `{camel}`"), span, camel))
            }
            TokenKind::Foreign if matches!(text, "+" | "-" | "?") => {
                let quoted = format!("'{text}'");
                let found = Diagnostic::new(Code::ForeignSyntax, span, format!("`{text}` is not a term"));
                self.lose(found.fix("quote it, as modes are written", span, quoted))
            }
            TokenKind::Foreign if text == "/" || text == "//" => {
                let found = Diagnostic::new(Code::InvalidName, span, "a name constant has a part after each slash");
                self.lose(found.help("write `/part` or `/part/part`, of letters, digits and `.-_~%`"))
            }
            TokenKind::Wildcard if self.ahead.kind == TokenKind::Word && self.ahead.span.start == span.end => {
                let whole = span.to(self.ahead.span);
                let found = Diagnostic::new(Code::InvalidVariable, whole, format!("`{}` is not a variable", self.text(whole)));
                self.lose(found.fix("write `_` alone", whole, "_"))
            }
            TokenKind::RightParen
            | TokenKind::RightBracket
            | TokenKind::RightBrace
            | TokenKind::Dot
            | TokenKind::Arrow
            | TokenKind::End => {
                let found = self.unexpected_here("a term");
                let unclosed = matches!(self.token.kind, TokenKind::Dot | TokenKind::Arrow | TokenKind::End);
                let found = if unclosed && self.depth > 1 {
                    Diagnostic {
                        code: Code::UnclosedBracket,
                        ..found
                    }
                } else {
                    found
                };
                self.lose(found)
            }
            _ => self.unexpected("a term"),
        }
    }

    /// Reports `p(x)`: a word that is not a function in the place of a term.
    pub(super) fn word_as_term(&mut self) -> Parse<TermKind> {
        let word = self.bump().span;
        let text = self.text(word);
        if self.at(TokenKind::LeftParen) {
            let found = Diagnostic::new(Code::PredicateAsTerm, word, format!("`{text}` is a predicate inside a term"));
            let name = format!("fn:{text}");
            let is_function = builtin::function(&name).is_some() || builtin::reducer(&name).is_some();
            return self.lose(if is_function {
                found.fix(format!("for the function, write `{name}`"), word, name)
            } else {
                found.help(format!(
                    "make it a premise of its own, `{text}(..)`; functions are built in, and begin with `fn:`"
                ))
            });
        }
        let found = Diagnostic::new(
            Code::LowerCaseVariable,
            word,
            format!("`{text}` is neither a variable nor a constant"),
        );
        let found = match text {
            "true" | "false" => found.fix("write the name constant", word, format!("/{text}")),
            "now" => found.fix("call the function", word, "fn:time:now()"),
            _ => found
                .fix(format!("for a variable, write `{}`", camel(text)), word, camel(text))
                .fix(format!("for a name, write `/{text}`"), word, format!("/{text}"))
                .fix(format!("for a string, write `\"{text}\"`"), word, format!("\"{text}\"")),
        };
        self.report(found);
        Ok(TermKind::Variable(camel(text).into()))
    }

    /// Drops the fixes that would make variables of the words in a fact, because a fact has none.
    pub(super) fn no_variables(&mut self, fact: Span) {
        let source = self.source;
        let own = self
            .diagnostics
            .iter_mut()
            .rev()
            .take_while(|found| fact.contains(found.primary.span));
        for found in own.filter(|found| found.code == Code::LowerCaseVariable) {
            let variable = source.text().get(source.range(found.primary.span)).map(camel);
            found
                .fixes
                .retain(|fix| fix.edits.iter().all(|edit| Some(&edit.text) != variable.as_ref()));
        }
    }
}

/// Returns a text from the source, shortened to a line.
fn shorten(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    if first.chars().count() <= 40 && first.len() == text.len() {
        return first.to_owned();
    }
    format!("{}…", first.chars().take(40).collect::<String>())
}

/// Returns a word spelled as a variable: a capital at the start and after each character that a variable cannot
/// contain.
fn camel(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect()
}

/// Returns a word spelled as a predicate.
fn lower(text: &str) -> String {
    text[..1].to_ascii_lowercase() + &text[1..]
}
