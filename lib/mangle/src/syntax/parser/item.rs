//! Parses packages, declarations and clauses.

use super::{Lost, MAX_TERMS, Parse, Parser};
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::{
        ast::{Atom, Bounds, Clause, Decl, Ident, Item, Package, Unit, Use},
        source::Span,
        token::TokenKind,
    },
};

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Unit {
        let mut unit = Unit {
            span: self.source.span(),
            ..Unit::default()
        };
        while !self.at(TokenKind::End) {
            let start = self.token.span;
            if self.item(&mut unit).is_err() && self.token.span == start {
                // No token was taken: skip one, or the loop would not end.
                self.bump();
            }
        }
        unit.comments = std::mem::take(&mut self.comments);
        unit
    }

    fn item(&mut self, unit: &mut Unit) -> Parse<()> {
        self.room = MAX_TERMS;
        let keyword = if self.at(TokenKind::Variable) {
            self.text(self.token.span)
        } else {
            ""
        };
        let done = match keyword {
            "Package" => self.package(unit),
            "Use" => self.use_package(unit),
            "Decl" => self.decl().map(|decl| unit.items.push(Item::Decl(Box::new(decl)))),
            _ => self.clause().map(|clause| unit.items.push(Item::Clause(clause))),
        };
        if done.is_err() {
            self.recover();
        }
        done
    }

    fn package(&mut self, unit: &mut Unit) -> Parse<()> {
        let start = self.bump().span;
        if unit.package.is_some() || !unit.uses.is_empty() || !unit.items.is_empty() {
            let found = Diagnostic::new(Code::MisplacedHead, start, "`Package` is not the first thing in the file");
            self.report(found.help("move it to the top; a file has one"));
        }
        let (name, descr) = self.package_head()?;
        let span = self.since(start);
        unit.package = Some(Package { name, descr, span });
        Ok(())
    }

    fn use_package(&mut self, unit: &mut Unit) -> Parse<()> {
        let start = self.bump().span;
        if !unit.items.is_empty() {
            let found = Diagnostic::new(Code::MisplacedHead, start, "`Use` comes after declarations or clauses");
            self.report(found.help("move it to the top, after `Package`"));
        }
        let (name, descr) = self.package_head()?;
        let span = self.since(start);
        unit.uses.push(Use { name, descr, span });
        Ok(())
    }

    /// Parses `name [atoms]!`.
    fn package_head(&mut self) -> Parse<(Ident, Vec<Atom>)> {
        let span = match self.eat(TokenKind::Word) {
            Some(token) => token.span,
            None => return self.unexpected("the name of a package"),
        };
        let text = self.text(span);
        if text.bytes().any(|byte| byte.is_ascii_uppercase() || byte == b':') {
            let found = Diagnostic::new(Code::InvalidPackage, span, format!("`{text}` is not a package name"));
            let lower = text.to_ascii_lowercase().replace(':', ".");
            self.report(
                found
                    .here("only lower case, with full stops between words")
                    .fix("use lower case", span, lower),
            );
        }
        let name = self.ident(span);
        let descr = if self.at(TokenKind::LeftBracket) {
            self.atoms()?
        } else {
            Vec::new()
        };
        if self.eat(TokenKind::Bang).is_none() {
            let found = Diagnostic::new(
                Code::UnexpectedToken,
                self.last.span.after(),
                "expected `!` after the name of the package",
            );
            let fix = self.last.span.after();
            return self.lose(found.fix("put `!` behind it", fix, "!"));
        }
        Ok((name, descr))
    }

    fn decl(&mut self) -> Parse<Decl> {
        let start = self.bump().span;
        let mut decl = Decl {
            atom: self.atom()?,
            temporal: self.eat_word("temporal").map(|word| word.span),
            descr: Vec::new(),
            bounds: Vec::new(),
            inclusion: Vec::new(),
            span: start,
        };
        if self.eat_word("descr").is_some() {
            decl.descr = self.atoms()?;
        }
        while self.at_word("bound") {
            decl.bounds.push(self.bounds()?);
        }
        if self.eat_word("inclusion").is_some() {
            decl.inclusion = self.atoms()?;
        }
        self.end_of_clause("`temporal`, `descr`, `bound` and `inclusion`, in this order, or `.`")?;
        decl.span = self.since(start);
        Ok(decl)
    }

    fn bounds(&mut self) -> Parse<Bounds> {
        let start = self.bump().span;
        let open = self.expect(TokenKind::LeftBracket)?.span;
        let types = self.list_of(open, TokenKind::RightBracket, Self::term)?;
        let span = self.since(start);
        Ok(Bounds { types, span })
    }

    /// Parses `[atom, atom]`.
    fn atoms(&mut self) -> Parse<Vec<Atom>> {
        let open = self.expect(TokenKind::LeftBracket)?.span;
        self.list_of(open, TokenKind::RightBracket, Self::atom)
    }

    fn clause(&mut self) -> Parse<Clause> {
        let start = self.token.span;
        self.head_traps()?;
        self.small_keyword()?;
        let head = self.atom()?;
        let time = if self.at(TokenKind::At) {
            Some(Box::new(self.annotation()?))
        } else {
            None
        };
        let mut clause = Clause {
            head,
            time,
            premises: Vec::new(),
            transforms: Vec::new(),
            span: start,
        };
        let what = if self.eat(TokenKind::Arrow).is_some() {
            self.body(&mut clause)?;
            if clause.transforms.is_empty() {
                "`,`, `|>` or `.`"
            } else {
                "`|>` or `.`"
            }
        } else {
            "`:-` or `.`"
        };
        self.end_of_clause(what)?;
        clause.span = self.since(start);
        if clause.is_fact() {
            self.no_variables(clause.span);
        }
        Ok(clause)
    }

    /// Parses `word(args)`. A word alone is reported and taken as an atom without arguments.
    pub(super) fn atom(&mut self) -> Parse<Atom> {
        if !self.at(TokenKind::Word) {
            return self.not_an_atom();
        }
        let word = self.bump().span;
        let predicate = self.ident(word);
        self.reserved_word(&predicate);
        if predicate.text.starts_with("fn:") {
            let found = Diagnostic::new(
                Code::NotAnAtom,
                word,
                format!("`{}` is a function, not a predicate", predicate.text),
            );
            return self.lose(found.help("a function gives a value: use it in an argument, or as in `X = fn:plus(Y, 1)`"));
        }
        let args = match self.arguments()? {
            Some(args) => args,
            None => {
                self.missing_parentheses(&predicate);
                Vec::new()
            }
        };
        let span = self.since(word);
        Ok(Atom { predicate, args, span })
    }

    /// Parses the full stop; if it is clear where it was meant to be, it is reported and the clause is kept.
    fn end_of_clause(&mut self, expected: &str) -> Parse<()> {
        if self.eat(TokenKind::Dot).is_some() || self.swallowed_full_stop() {
            return Ok(());
        }
        let next_begins = self.at(TokenKind::End) || (self.at_line_start() && self.at_item());
        if !next_begins {
            return self.unexpected(expected);
        }
        let place = Span::new(self.last.span.end, self.last.span.end);
        let found = Diagnostic::new(Code::MissingFullStop, place, "the clause does not end");
        self.report(found.here("expected `.`").fix("end it with a full stop", place, "."));
        Ok(())
    }

    /// Parses items between brackets with commas between them; a comma before the closing bracket is allowed.
    pub(super) fn list_of<T>(&mut self, open: Span, close: TokenKind, mut one: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        loop {
            if self.eat(close).is_some() {
                break;
            }
            let item = one(self)?;
            push(&mut items, item);
            if self.eat(TokenKind::Comma).is_none() {
                self.close(open, close)?;
                break;
            }
        }
        items.shrink_to_fit();
        Ok(items)
    }

    /// Parses the closing bracket.
    pub(super) fn close(&mut self, open: Span, close: TokenKind) -> Parse<()> {
        if self.eat(close).is_some() {
            return Ok(());
        }
        self.operator_traps()?;
        let mut found = self.unexpected_here(&format!("`,` or {}", close.describe()));
        if matches!(self.token.kind, TokenKind::Dot | TokenKind::Arrow | TokenKind::End) {
            found.code = Code::UnclosedBracket;
        }
        self.report(found.label(open, "the bracket that is open"));
        Err(Lost)
    }
}

/// Adds an item to a list. Most lists are short, and there are many of them: the first item gets room for itself alone,
/// so that no memory has to be trimmed afterwards.
pub(super) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.is_empty() {
        items.reserve_exact(1);
    }
    items.push(item);
}
