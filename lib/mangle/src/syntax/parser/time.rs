//! Parses annotations and temporal operators.

use super::{Dialect, Parse, Parser};
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::{
        Span,
        ast::{Annotation, Bound, BoundKind, Operator, OperatorKind},
        literal,
        token::TokenKind,
    },
};

impl Parser<'_> {
    /// Parses `@[start, end]` or `@[point]`.
    pub(super) fn annotation(&mut self) -> Parse<Annotation> {
        let at = self.bump().span;
        let (start, end) = self.interval()?;
        let span = self.since(at);
        Ok(Annotation { start, end, span })
    }

    /// Parses a temporal operator such as `<-[from, to]`, if there is one here.
    pub(super) fn operator(&mut self) -> Parse<Option<Operator>> {
        let kind = match self.token.kind {
            TokenKind::DiamondMinus => OperatorKind::DiamondMinus,
            TokenKind::DiamondPlus => OperatorKind::DiamondPlus,
            TokenKind::BoxMinus => OperatorKind::BoxMinus,
            TokenKind::BoxPlus => OperatorKind::BoxPlus,
            _ => return Ok(None),
        };
        let at = self.bump().span;
        let (start, end) = self.interval()?;
        let span = self.since(at);
        if end.is_none() && self.dialect == Dialect::Strict {
            let found = Diagnostic::new(Code::Extension, span, "a temporal operator with one bound is an extension");
            self.report(found.fix("write both bounds", start.span.before(), "0s, "));
        }
        for bound in std::iter::once(&start).chain(&end) {
            self.negative_distance(kind, bound);
            if bound.kind == BoundKind::Unbounded {
                self.extension(bound.span, "a window without a bound");
            }
        }
        Ok(Some(Operator { kind, start, end, span }))
    }

    fn negative_distance(&mut self, kind: OperatorKind, bound: &Bound) {
        if !matches!(bound.kind, BoundKind::Duration(..0)) {
            return;
        }
        let found = Diagnostic::new(Code::NegativeDistance, bound.span, "the distance is negative");
        let direction = match kind {
            OperatorKind::DiamondMinus | OperatorKind::BoxMinus => "the past: `<+` and `[+` look into the future",
            OperatorKind::DiamondPlus | OperatorKind::BoxPlus => "the future: `<-` and `[-` look into the past",
        };
        let positive = self.text(bound.span).trim_start_matches('-').to_owned();
        let found = found.here(format!("`{}` looks into {direction}", kind.text()));
        self.report(found.fix("take the sign away", bound.span, positive));
    }

    /// Parses `[start, end]` or `[point]`.
    fn interval(&mut self) -> Parse<(Bound, Option<Bound>)> {
        let open = self.expect(TokenKind::LeftBracket)?.span;
        let start = self.bound()?;
        let end = match self.eat(TokenKind::Comma) {
            Some(_) => Some(self.bound()?),
            None => None,
        };
        if self.eat(TokenKind::RightBracket).is_none() {
            let found = self.unexpected_here(if end.is_some() { "`]`" } else { "`,` or `]`" });
            return self.lose(found.label(open, "the bracket that is open"));
        }
        Ok((start, end))
    }

    fn bound(&mut self) -> Parse<Bound> {
        let span = self.token.span;
        let kind = match self.token.kind {
            TokenKind::Timestamp => BoundKind::Time(self.time(span)),
            TokenKind::Duration => BoundKind::Duration(self.duration(span)),
            TokenKind::Variable => BoundKind::Variable(self.word(span)),
            TokenKind::Wildcard => BoundKind::Unbounded,
            TokenKind::Word if self.text(span) == "now" => BoundKind::Now,
            TokenKind::String => return self.quoted_time(),
            _ => return self.unexpected("a time, a duration, a variable, `now` or `_`"),
        };
        self.bump();
        Ok(Bound { kind, span })
    }

    fn quoted_time<T>(&mut self) -> Parse<T> {
        let span = self.token.span;
        let inner = self.text(Span::new(span.start + 1, span.end - 1)).to_owned();
        let found = Diagnostic::new(Code::QuotedTime, span, "times are written without quotes");
        let found = if literal::timestamp(&inner).is_some() || literal::duration(&inner).is_some_and(|_| !inner.is_empty()) {
            found.fix("take the quotes away", span, inner)
        } else {
            found.help("write a time as `2024-01-15T10:30:00Z`, a duration as `7d`")
        };
        self.lose(found)
    }

    /// Returns the instant of a token; an invalid one is reported and becomes 1970.
    pub(super) fn time(&mut self, span: Span) -> i64 {
        let text = self.text(span);
        if text.contains('+') || text.rfind('-').is_some_and(|at| at > "dddd-dd".len()) {
            self.extension(span, "a time with an offset");
        }
        literal::timestamp(text).unwrap_or_else(|| {
            let found = Diagnostic::new(Code::InvalidTime, span, format!("`{text}` is not a time"));
            self.report(found.help("write a date that exists between 1677 and 2262: `2024-01-15`, `2024-01-15T10:30:00Z`"));
            0
        })
    }

    /// Returns the duration of a token; an invalid one is reported and becomes zero.
    pub(super) fn duration(&mut self, span: Span) -> i64 {
        let text = self.text(span);
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
        if !text.starts_with('-') && !matches!(unit, "d" | "h" | "m" | "s" | "ms") {
            self.extension(span, "this way to write a duration");
        }
        literal::duration(text).unwrap_or_else(|| {
            let found = Diagnostic::new(Code::InvalidTime, span, format!("`{text}` is not a duration"));
            self.report(found.help("durations go up to 292 years, and their units are d, h, m, s, ms, us and ns"));
            0
        })
    }
}
