//! Parses premises and transforms.

use super::{MAX_TERMS, Parse, Parser, item::push};
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::{
        ast::{Call, Clause, CompareOp, Comparison, Let, Literal, Premise, TermKind, Transform},
        token::TokenKind,
    },
};

/// How many premises a rule may have. People write a dozen; each one that joins is a nested loop.
const MAX_PREMISES: usize = 500;

/// How many terms a rule may have, nested ones included. The analysis goes through a rule several times before it
/// checks the cancel flag again.
const MAX_TERMS_OF_RULE: usize = 100_000;

impl Parser<'_> {
    /// Parses everything between `:-` and the full stop.
    pub(super) fn body(&mut self, clause: &mut Clause) -> Parse<()> {
        let head = MAX_TERMS - self.room;
        self.room = MAX_TERMS_OF_RULE.saturating_sub(head);
        loop {
            if clause.premises.len() == MAX_PREMISES {
                let found = Diagnostic::new(Code::TooManyPremises, self.token.span, "the rule has too many premises");
                let found = found
                    .here(format!("{MAX_PREMISES} are allowed"))
                    .label(clause.head.span, "the rule");
                return self.lose(found.help("make facts of what it lists, or derive a part of it by a rule of its own"));
            }
            let premise = self.premise()?;
            push(&mut clause.premises, premise);
            let comma = self.eat(TokenKind::Comma).is_some();
            if !comma || matches!(self.token.kind, TokenKind::Dot | TokenKind::Pipe) {
                break;
            }
        }
        clause.premises.shrink_to_fit();
        while self.eat(TokenKind::Pipe).is_some() {
            clause.transforms.push(self.transform()?);
        }
        Ok(())
    }

    fn premise(&mut self) -> Parse<Premise> {
        self.premise_traps()?;
        let start = self.token.span;
        if self.eat(TokenKind::Bang).is_some() {
            let literal = self.literal(start)?;
            if literal.operator.is_some() || literal.time.is_some() {
                self.extension(literal.span, "a negated premise with a time");
            }
            return Ok(Premise::Negated(literal));
        }
        let is_atom = match self.token.kind {
            TokenKind::Word => !self.text(start).starts_with("fn:") && self.word_is_atom(),
            TokenKind::DiamondMinus | TokenKind::DiamondPlus | TokenKind::BoxMinus | TokenKind::BoxPlus => true,
            _ => false,
        };
        if is_atom {
            let literal = self.literal(start)?;
            self.compared_atom(&literal)?;
            return Ok(Premise::Atom(literal));
        }
        self.comparison().map(Box::new).map(Premise::Compare)
    }

    /// Returns whether the word here is a predicate rather than a lower-case variable in a comparison.
    fn word_is_atom(&self) -> bool {
        comparison(self.ahead.kind).is_none()
    }

    fn literal(&mut self, start: crate::syntax::Span) -> Parse<Literal> {
        let operator = self.operator()?.map(Box::new);
        let atom = self.atom()?;
        let time = if self.at(TokenKind::At) {
            Some(Box::new(self.annotation()?))
        } else {
            None
        };
        let span = self.since(start);
        Ok(Literal {
            operator,
            atom,
            time,
            span,
        })
    }

    fn comparison(&mut self) -> Parse<Comparison> {
        let left = self.term()?;
        self.operator_traps()?;
        let Some(op) = comparison(self.token.kind) else {
            return self.not_a_premise(&left);
        };
        let op_span = self.bump().span;
        let right = self.term()?;
        self.operator_traps()?;
        let span = left.span.to(right.span);
        Ok(Comparison {
            op,
            op_span,
            left,
            right,
            span,
        })
    }

    fn transform(&mut self) -> Parse<Transform> {
        let start = self.token.span;
        let mut transform = Transform {
            group: None,
            lets: Vec::new(),
            span: start,
        };
        if self.eat_word("do").is_some() {
            transform.group = Some(self.group()?);
        } else {
            transform.lets.push(self.let_statement()?);
        }
        while self.eat(TokenKind::Comma).is_some() {
            transform.lets.push(self.let_statement()?);
        }
        transform.span = self.since(start);
        Ok(transform)
    }

    /// Parses the function after `do`.
    fn group(&mut self) -> Parse<Call> {
        let term = self.term()?;
        match term.kind {
            TermKind::Call(call) => Ok(*call),
            _ => {
                let found = Diagnostic::new(Code::UnexpectedToken, term.span, "expected a function after `do`");
                self.lose(found.help("write `do fn:group_by(X)`, or `do fn:group_by()` for one group of everything"))
            }
        }
    }

    fn let_statement(&mut self) -> Parse<Let> {
        let start = self.token.span;
        if self.eat_word("let").is_none() {
            return self.unexpected(if self.last.kind == TokenKind::Pipe {
                "`do` or `let`"
            } else {
                "`let`"
            });
        }
        let variable = match self.eat(TokenKind::Variable).or_else(|| self.eat(TokenKind::Wildcard)) {
            Some(token) => self.ident(token.span),
            None => return self.unexpected("a variable"),
        };
        self.expect(TokenKind::Equal)?;
        let value = self.term()?;
        self.operator_traps()?;
        if !matches!(
            value.kind,
            TermKind::Call(_) | TermKind::List(_) | TermKind::Map(_) | TermKind::Struct(_)
        ) {
            self.extension(value.span, "a `let` without a function");
        }
        let span = self.since(start);
        Ok(Let { variable, value, span })
    }
}

/// Returns the comparison that a token denotes.
pub(super) const fn comparison(kind: TokenKind) -> Option<CompareOp> {
    Some(match kind {
        TokenKind::Equal => CompareOp::Equal,
        TokenKind::NotEqual => CompareOp::NotEqual,
        TokenKind::Less => CompareOp::Less,
        TokenKind::LessEqual => CompareOp::LessEqual,
        TokenKind::Greater => CompareOp::Greater,
        TokenKind::GreaterEqual => CompareOp::GreaterEqual,
        _ => return None,
    })
}
