//! Recognises the syntax of other languages, and reports how it is written here.

use super::{Parse, Parser};
use crate::{
    diagnostic::{Code, Diagnostic},
    syntax::{Span, token::TokenKind},
};

/// A piece of another language's syntax.
struct Foreign {
    theirs: &'static str,
    /// Its spelling here; empty if there is no replacement.
    ours: &'static str,
    /// The message about it.
    why: &'static str,
    /// Advice on what to do, where an edit does not say it.
    help: &'static str,
}

const fn row(theirs: &'static str, ours: &'static str, why: &'static str, help: &'static str) -> Foreign {
    Foreign { theirs, ours, why, help }
}

const SYMBOLS: &[Foreign] = &[
    row("==", "=", "equality is written `=`", ""),
    row("=:=", "=", "equality is written `=`", ""),
    row(":=", "=", "a value is given with `=`", ""),
    row("=<", "<=", "less or equal is written `<=`", ""),
    row("=>", ">=", "greater or equal is written `>=`", ""),
    row("\\=", "!=", "inequality is written `!=`", ""),
    row("\\+", "!", "negation is written `!`", ""),
    row("&&", ",", "premises are separated by commas", ""),
    row("&", ",", "premises are separated by commas", ""),
    row("->", ":-", "the head comes first, then `:-`, then the premises", ""),
    row("-->", ":-", "the head comes first, then `:-`, then the premises", ""),
    row("//", "#", "comments begin with `#`", ""),
    row("%", "#", "comments begin with `#`", ""),
    row("||", "", "there is no `or`", "write one rule for each case"),
    row(
        "|",
        "",
        "there is no `or`",
        "write one rule for each case; transforms come after `|>`",
    ),
    row(";", "", "there is no `or`", "write one rule for each case; clauses end with `.`"),
    row(
        "?",
        "",
        "a program asks no questions",
        "derive the answer with a rule, or ask in `chancery mangle repl`",
    ),
];

/// Words of other languages, in any case, at places where no word can follow.
const WORDS: &[Foreign] = &[
    row("and", ",", "premises are separated by commas", ""),
    row("or", "", "there is no `or`", "write one rule for each case"),
    row("if", ":-", "`if` is written `:-`", ""),
    row("where", ":-", "`if` is written `:-`", ""),
    row("is", "=", "a value is given with `=`", ""),
    row(
        "in",
        "",
        "there is no operator `in`",
        "ask for the items of a list with `:list:member(X, List)`",
    ),
    row(
        "like",
        "",
        "there is no operator `like`",
        "ask with `:string:contains`, `:string:starts_with` or `:string:ends_with`",
    ),
];

impl Parser<'_> {
    /// Returns the finding about the symbol of another language at this place.
    pub(super) fn foreign_symbol(&self, text: &str) -> Diagnostic {
        let both = match (text, self.text(self.ahead.span)) {
            ("-", "-") | ("/", "*") => self.token.span.end == self.ahead.span.start,
            _ => false,
        };
        if both {
            let found = Diagnostic::new(Code::ForeignSyntax, self.token.span.to(self.ahead.span), "comments begin with `#`");
            return found.help("write `#` before each line of it");
        }
        match SYMBOLS.iter().find(|row| row.theirs == text) {
            Some(row) => self.foreign(row),
            None => Diagnostic::new(Code::UnexpectedCharacter, self.token.span, format!("unexpected `{text}`")),
        }
    }

    /// Returns the finding about the word at this place, if other languages have it.
    pub(super) fn foreign_word(&self) -> Option<Diagnostic> {
        let text = self.text(self.token.span);
        let is_word = matches!(self.token.kind, TokenKind::Word | TokenKind::Variable);
        let row = WORDS.iter().find(|row| is_word && text.eq_ignore_ascii_case(row.theirs))?;
        Some(self.foreign(row))
    }

    /// Returns the finding about `p(X) <- q(X)`, the arrow of other languages.
    pub(super) fn foreign_arrow(&self) -> Option<Diagnostic> {
        let both = self.at(TokenKind::Less) && self.text(self.ahead.span) == "-" && self.token.span.end == self.ahead.span.start;
        let whole = self.token.span.to(self.ahead.span);
        both.then(|| Diagnostic::new(Code::ForeignSyntax, whole, "`if` is written `:-`").fix("write `:-`", whole, ":-"))
    }

    /// Reports `decl p(X)`: a keyword that begins with a capital here.
    pub(super) fn small_keyword(&mut self) -> Parse<()> {
        let span = self.token.span;
        let meant = match self.text(span) {
            "decl" => "Decl",
            "package" => "Package",
            "use" => "Use",
            _ => return Ok(()),
        };
        if self.ahead.kind != TokenKind::Word {
            return Ok(());
        }
        let found = Diagnostic::new(Code::ForeignSyntax, span, format!("`{meant}` begins with a capital"));
        self.lose(found.fix(format!("write `{meant}`"), span, meant))
    }

    fn foreign(&self, row: &Foreign) -> Diagnostic {
        let span = self.token.span;
        let found = Diagnostic::new(Code::ForeignSyntax, span, row.why);
        match (row.ours, row.help) {
            ("", help) => found.help(help),
            // A comma stands right behind the token before it.
            (",", _) => found.fix("write `,`", self.without_blank(span), ","),
            (ours, _) => found.fix(format!("write `{ours}`"), span, ours),
        }
    }

    /// Extends a token by the blanks before it, unless a line or a comment ends there.
    fn without_blank(&self, span: Span) -> Span {
        let whole = self.last.span.after().to(span);
        let between = Span::new(whole.start, span.start);
        if self.text(between).bytes().all(|byte| byte == b' ') {
            whole
        } else {
            span
        }
    }
}
