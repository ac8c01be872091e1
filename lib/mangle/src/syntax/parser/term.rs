//! Parses terms.

use super::{MAX_DEPTH, Parse, Parser};
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::{
        Span,
        ast::{Call, Ident, Member, Term, TermKind, TypeExpr},
        literal,
        token::TokenKind,
    },
};

impl Parser<'_> {
    pub(super) fn term(&mut self) -> Parse<Term> {
        if self.depth == MAX_DEPTH {
            let found = Diagnostic::new(Code::NestingTooDeep, self.token.span, "this is nested too deeply");
            return self.lose(found.help(format!(
                "terms may be nested {MAX_DEPTH} levels deep: name the inner parts with `=`"
            )));
        }
        let Some(room) = self.room.checked_sub(1) else {
            let found = Diagnostic::new(Code::BudgetExceeded, self.token.span, "the clause has too many terms");
            return self.lose(found.help("hand large values over as data; make facts of what a rule lists"));
        };
        self.room = room;
        self.depth += 1;
        let start = self.token.span;
        let kind = self.term_kind(start);
        self.depth -= 1;
        Ok(Term {
            kind: kind?,
            span: self.since(start),
        })
    }

    fn term_kind(&mut self, start: Span) -> Parse<TermKind> {
        let kind = match self.token.kind {
            TokenKind::Variable => TermKind::Variable(self.word(start)),
            TokenKind::Wildcard => TermKind::Wildcard,
            TokenKind::Name => TermKind::Name(self.name(start)),
            TokenKind::String => TermKind::String(self.string(start)?),
            TokenKind::Bytes => TermKind::Bytes(self.bytes(start)?),
            TokenKind::Number => TermKind::Number(self.number(start)),
            TokenKind::Float => TermKind::Float(self.float(start)),
            TokenKind::Timestamp => {
                self.extension(start, "a time as a term");
                TermKind::Time(self.time(start))
            }
            TokenKind::Duration => {
                self.extension(start, "a duration as a term");
                TermKind::Duration(self.duration(start))
            }
            TokenKind::LeftBracket => return self.list_or_map(),
            TokenKind::LeftBrace => return self.structure(),
            TokenKind::Dot if self.type_follows() => return self.type_expression(),
            TokenKind::Word => return self.call(),
            _ => return self.not_a_term(),
        };
        self.bump();
        Ok(kind)
    }

    fn name(&mut self, span: Span) -> Box<str> {
        let text = self.text(span);
        // `/a/` lexes as `/a` and a separate slash.
        if self.ahead.kind == TokenKind::Foreign && self.ahead.span.start == span.end && self.text(self.ahead.span).starts_with('/') {
            let whole = span.to(self.ahead.span);
            let found = Diagnostic::new(Code::InvalidName, whole, format!("`{}` is not a name constant", self.text(whole)));
            let found = found.here("a part is empty").fix("take the slash away", self.ahead.span, "");
            self.report(found);
            self.ahead = self.read();
        }
        text.into()
    }

    fn string(&mut self, span: Span) -> Parse<Box<str>> {
        let bytes = self.unescaped(Span::new(span.start + 1, span.end - 1), false)?;
        // The escapes of a string give characters, and the rest is valid text already.
        Ok(String::from_utf8(bytes).map(String::into_boxed_str).unwrap_or_default())
    }

    fn bytes(&mut self, span: Span) -> Parse<Box<[u8]>> {
        self.unescaped(Span::new(span.start + 2, span.end - 1), true)
            .map(Vec::into_boxed_slice)
    }

    fn unescaped(&mut self, content: Span, is_bytes: bool) -> Parse<Vec<u8>> {
        literal::unescape(self.text(content), is_bytes).or_else(|bad| {
            let found = Diagnostic::new(Code::InvalidEscape, bad.span(content.start), "this escape has no meaning");
            self.lose(found.here(bad.why).help("write `\\\\` for a backslash"))
        })
    }

    fn number(&mut self, span: Span) -> i64 {
        let text = self.text(span);
        text.parse().unwrap_or_else(|_| {
            let found = Diagnostic::new(Code::InvalidNumber, span, format!("`{text}` does not fit 64 bits"));
            self.report(found.help("write it as a float, `1.5e30`, or as a string"));
            0
        })
    }

    fn float(&mut self, span: Span) -> f64 {
        let text = self.text(span);
        let value: f64 = text.parse().unwrap_or(f64::INFINITY);
        if !value.is_finite() {
            let found = Diagnostic::new(Code::InvalidNumber, span, format!("`{text}` does not fit a float"));
            self.report(found.help("floats go up to about 1.8e308"));
            return 0.0;
        }
        value
    }

    /// Parses `[a, b]` or `[k : v]`: the first colon decides.
    fn list_or_map(&mut self) -> Parse<TermKind> {
        let open = self.bump().span;
        if self.nothing_but_comma(TokenKind::RightBracket) {
            return Ok(TermKind::List(Vec::new()));
        }
        let first = self.term()?;
        if self.eat(TokenKind::Colon).is_some() {
            let value = self.term()?;
            let mut entries = vec![(first, value)];
            if self.eat(TokenKind::Comma).is_some() {
                entries.extend(self.list_of(open, TokenKind::RightBracket, Self::entry)?);
            } else {
                self.close(open, TokenKind::RightBracket)?;
            }
            return Ok(TermKind::Map(entries));
        }
        let mut items = vec![first];
        if self.eat(TokenKind::Comma).is_some() {
            items.extend(self.list_of(open, TokenKind::RightBracket, Self::term)?);
        } else {
            self.close(open, TokenKind::RightBracket)?;
        }
        Ok(TermKind::List(items))
    }

    fn structure(&mut self) -> Parse<TermKind> {
        let open = self.bump().span;
        if self.nothing_but_comma(TokenKind::RightBrace) {
            return Ok(TermKind::Struct(Vec::new()));
        }
        self.list_of(open, TokenKind::RightBrace, Self::entry).map(TermKind::Struct)
    }

    /// Takes the rest of an empty list, `]` or `,]` (the second is documented too); returns whether it is one.
    fn nothing_but_comma(&mut self, close: TokenKind) -> bool {
        if self.at(TokenKind::Comma) && self.ahead.kind == close {
            self.bump();
        }
        self.eat(close).is_some()
    }

    /// Parses `key : value`.
    fn entry(&mut self) -> Parse<(Term, Term)> {
        let key = self.term()?;
        self.expect(TokenKind::Colon)?;
        Ok((key, self.term()?))
    }

    /// Parses `fn:name(args)`; any other word is a common mistake.
    fn call(&mut self) -> Parse<TermKind> {
        if !self.text(self.token.span).starts_with("fn:") {
            return self.word_as_term();
        }
        let word = self.bump().span;
        let function = self.ident(word);
        let args = match self.arguments()? {
            Some(args) => args,
            None => {
                self.missing_parentheses(&function);
                Vec::new()
            }
        };
        let span = self.since(word);
        Ok(TermKind::Call(Box::new(Call { function, args, span })))
    }

    /// Parses `(args)`, if a parenthesis follows.
    pub(super) fn arguments(&mut self) -> Parse<Option<Vec<Term>>> {
        match self.eat(TokenKind::LeftParen) {
            Some(open) => self.list_of(open.span, TokenKind::RightParen, Self::term).map(Some),
            None => Ok(None),
        }
    }

    /// Returns whether the full stop here begins a type: a capital follows at once.
    fn type_follows(&self) -> bool {
        let capital = matches!(self.ahead.kind, TokenKind::Variable | TokenKind::BadVariable);
        capital && self.ahead.span.start == self.token.span.end
    }

    /// Parses `.Name<members>`.
    fn type_expression(&mut self) -> Parse<TermKind> {
        self.bump();
        let span = self.bump().span;
        let name: Ident = self.ident(span);
        let open = self.expect(TokenKind::Less)?.span;
        let members = self.list_of(open, TokenKind::Greater, Self::member)?;
        Ok(TermKind::Type(Box::new(TypeExpr { name, members })))
    }

    fn member(&mut self) -> Parse<Member> {
        let start = self.token.span;
        let optional = self.eat_word("opt").is_some();
        let key = self.term()?;
        let value = match self.eat(TokenKind::Colon) {
            Some(_) => Some(self.term()?),
            None if optional => return self.unexpected("`:`"),
            None => None,
        };
        let span = self.since(start);
        Ok(Member {
            optional,
            key,
            value,
            span,
        })
    }
}
