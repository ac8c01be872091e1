//! Parses text to a tree: lists, pipelines, simple commands, groups, redirects and here-documents.
//!
//! Everything that is not understood is an error: a text that two shells could read in two ways is refused, not judged.

use super::ast::{Assignment, Command, Connector, Item, Redirect, RedirectKind, Script, Simple, Unit, Word};

/// How deeply scripts may nest.
const MAX_DEPTH: usize = 16;

/// The words that begin a compound command, which cannot be judged command by command without evaluating it.
const COMPOUND: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function", "coproc", "[[", "]]",
    "in",
];

/// The reason why a text is not a script that can be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) at: usize,
    pub(crate) reason: &'static str,
}

/// The end of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    End,
    /// A closing parenthesis: `)`.
    Paren,
    /// A closing brace in command position: `}`.
    Brace,
}

/// A parser of one text.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    text: &'a str,
    pub(crate) at: usize,
    depth: usize,
    here_documents: Vec<HereDocument>,
}

#[derive(Debug)]
struct HereDocument {
    delimiter: String,
    strip_tabs: bool,
    expands: bool,
}

/// Parses a whole text.
pub(crate) fn parse(text: &str) -> Result<Script, SyntaxError> {
    Parser {
        text,
        at: 0,
        depth: 0,
        here_documents: Vec::new(),
    }
    .whole()
}

impl<'a> Parser<'a> {
    /// Returns a parser of a text inside another one.
    pub(crate) fn inside(text: &'a str, outer: &Parser<'_>) -> Self {
        Self {
            text,
            at: 0,
            depth: outer.depth,
            here_documents: Vec::new(),
        }
    }

    pub(crate) fn whole(&mut self) -> Result<Script, SyntaxError> {
        let script = self.list(Until::End)?;
        if self.at < self.text.len() {
            return Err(self.error("something here has no beginning"));
        }
        Ok(script)
    }

    // === characters ===

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Steps over `c`, the character that was peeked.
    pub(crate) fn advance(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    pub(crate) fn expect(&mut self, c: char) -> Result<(), SyntaxError> {
        if self.peek() != Some(c) {
            return Err(self.error("a bracket is not closed"));
        }
        self.advance(c);
        Ok(())
    }

    pub(crate) fn take_while(&mut self, mut takes: impl FnMut(char) -> bool) -> String {
        let rest = self.rest();
        let length = rest.find(|c| !takes(c)).unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }

    pub(crate) fn error(&self, reason: &'static str) -> SyntaxError {
        SyntaxError { at: self.at, reason }
    }

    /// Returns an error about the character that was peeked.
    pub(crate) fn error_at(&self, _: char, reason: &'static str) -> SyntaxError {
        self.error(reason)
    }

    pub(crate) fn deeper(&mut self) -> Result<(), SyntaxError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("scripts stand too deep in scripts"));
        }
        Ok(())
    }

    pub(crate) fn shallower(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn nested(&mut self, until: Until) -> Result<Script, SyntaxError> {
        self.deeper()?;
        let script = self.list(until)?;
        self.shallower();
        Ok(script)
    }

    /// Skips blanks, continued lines and comments.
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            if let Some(c @ (' ' | '\t')) = rest.chars().next() {
                self.advance(c);
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    /// Skips blanks, comments and line breaks.
    fn skip_lines(&mut self) -> Result<(), SyntaxError> {
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    fn newline(&mut self) -> Result<(), SyntaxError> {
        self.advance('\n');
        for document in std::mem::take(&mut self.here_documents) {
            self.here_body(&document)?;
        }
        Ok(())
    }

    // === grammar ===

    fn list(&mut self, until: Until) -> Result<Script, SyntaxError> {
        let mut items = Vec::new();
        self.skip_lines()?;
        while !self.ends(until) {
            let commands = self.pipeline()?;
            self.skip_blanks();
            let start = self.at;
            let connector = self.connector()?;
            items.push(Item {
                commands,
                connector,
                connector_span: start..self.at,
            });
            match connector {
                Connector::End => break,
                Connector::And | Connector::Or => {
                    self.skip_lines()?;
                    if self.ends(until) {
                        return Err(self.error("an operator has no command behind it"));
                    }
                }
                Connector::Sequence | Connector::Newline | Connector::Background => self.skip_lines()?,
            }
        }
        if !self.here_documents.is_empty() {
            return Err(self.error("a here-document has no text"));
        }
        Ok(Script { items })
    }

    fn ends(&self, until: Until) -> bool {
        let rest = self.rest();
        match until {
            Until::End => rest.is_empty(),
            Until::Paren => rest.is_empty() || rest.starts_with(')'),
            Until::Brace => rest.is_empty() || rest.starts_with('}'),
        }
    }

    fn connector(&mut self) -> Result<Connector, SyntaxError> {
        let rest = self.rest();
        let (connector, length) = if rest.starts_with("&&") {
            (Connector::And, 2)
        } else if rest.starts_with("||") {
            (Connector::Or, 2)
        } else if rest.starts_with(";;") || rest.starts_with(";&") {
            return Err(self.error("an operator stands where a command is wanted"));
        } else if rest.starts_with(';') {
            (Connector::Sequence, 1)
        } else if rest.starts_with('&') {
            (Connector::Background, 1)
        } else if rest.starts_with('\n') {
            self.newline()?;
            return Ok(Connector::Newline);
        } else {
            (Connector::End, 0)
        };
        self.at += length;
        Ok(connector)
    }

    fn pipeline(&mut self) -> Result<Vec<Command>, SyntaxError> {
        self.skip_blanks();
        let negated = self.rest().strip_prefix('!');
        if negated.is_some_and(|rest| rest.starts_with([' ', '\t'])) {
            self.advance('!');
        }
        let mut commands = vec![self.command()?];
        loop {
            self.skip_blanks();
            let rest = self.rest();
            if !rest.starts_with('|') || rest.starts_with("||") {
                return Ok(commands);
            }
            self.at += if rest.starts_with("|&") { 2 } else { 1 };
            self.skip_lines()?;
            commands.push(self.command()?);
        }
    }

    fn command(&mut self) -> Result<Command, SyntaxError> {
        self.skip_blanks();
        let start = self.at;
        let rest = self.rest();
        let (script, close) = if rest.starts_with("((") {
            return Err(self.error("arithmetic commands are not judged"));
        } else if rest.starts_with('(') {
            self.advance('(');
            (self.nested(Until::Paren)?, ')')
        } else if rest.starts_with("{ ") || rest.starts_with("{\n") || rest.starts_with("{\t") {
            self.advance('{');
            (self.nested(Until::Brace)?, '}')
        } else {
            return Ok(Command::Simple(self.simple()?));
        };
        if script.items.is_empty() {
            return Err(self.error("a group has no command in it"));
        }
        self.expect(close)?;
        let mut redirects = Vec::new();
        self.skip_blanks();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
            self.skip_blanks();
        }
        Ok(Command::Group {
            script,
            redirects,
            span: start..self.at,
        })
    }

    fn simple(&mut self) -> Result<Simple, SyntaxError> {
        let mut simple = Simple {
            span: self.at..self.at,
            ..Simple::default()
        };
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                simple.span.end = self.at;
                simple.redirects.push(redirect);
                continue;
            }
            let start = self.at;
            let word = self.word()?;
            if self.at == start {
                break;
            }
            simple.span.end = self.at;
            if simple.words.is_empty() {
                if let Some(assignment) = assignment(&word) {
                    if assignment.value.units.is_empty() && self.peek() == Some('(') {
                        return Err(self.error("arrays are not judged"));
                    }
                    simple.assignments.push(assignment);
                    continue;
                }
                if word.bare().is_some_and(|bare| COMPOUND.contains(&bare.as_str())) {
                    return Err(SyntaxError {
                        at: start,
                        reason: "compound commands are not judged; write one command after the other",
                    });
                }
            }
            simple.words.push(word);
        }
        if self.peek() == Some('(') {
            return Err(self.error("a bracket stands where none may, or a function is defined"));
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty() {
            return Err(self.error("there is no command where one is wanted"));
        }
        Ok(simple)
    }

    // === redirects ===

    fn redirect(&mut self) -> Result<Option<Redirect>, SyntaxError> {
        let start = self.at;
        let rest = self.rest();
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let operator = &rest[digits..];
        let Some((kind, length)) = redirect_operator(operator) else {
            return Ok(None);
        };
        // A descriptor is a small number, and `&>` takes none.
        if digits > 2 || (digits > 0 && operator.starts_with('&')) {
            return Ok(None);
        }
        self.at += digits + length;
        self.skip_blanks();
        let operator = &operator[..length];
        if operator == "<<" || operator == "<<-" {
            return self.here_operator(operator == "<<-", start).map(Some);
        }
        let target = self.word()?;
        if target.span.is_empty() {
            return Err(self.error("a redirect has no target"));
        }
        let kind = match (kind, target.text()) {
            // `>&file` is bash for both streams into a file.
            (RedirectKind::Duplicate, Some(text)) if is_descriptor(&text) => RedirectKind::Duplicate,
            (RedirectKind::Duplicate, _) => RedirectKind::Write,
            (kind, _) => kind,
        };
        Ok(Some(Redirect {
            kind,
            target,
            span: start..self.at,
        }))
    }

    fn here_operator(&mut self, strip_tabs: bool, start: usize) -> Result<Redirect, SyntaxError> {
        let word = self.word()?;
        let (Some(delimiter), false) = (word.text(), word.span.is_empty()) else {
            return Err(self.error("a here-document has no plain end word"));
        };
        self.here_documents.push(HereDocument {
            delimiter,
            strip_tabs,
            expands: word.bare().is_some(),
        });
        Ok(Redirect {
            kind: RedirectKind::Text,
            target: Word {
                units: Vec::new(),
                span: word.span,
            },
            span: start..self.at,
        })
    }

    fn here_body(&mut self, document: &HereDocument) -> Result<(), SyntaxError> {
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return Err(self.error("a here-document does not end"));
            }
            let line = rest.split('\n').next().unwrap_or_default();
            let compared = if document.strip_tabs { line.trim_start_matches('\t') } else { line };
            if compared == document.delimiter {
                self.at += line.len();
                if self.peek() == Some('\n') {
                    self.advance('\n');
                }
                return Ok(());
            }
            if document.expands && line.contains(['$', '`', '\\']) {
                return Err(self.error("a here-document may hold no expansion; quote its end word"));
            }
            self.at += line.len();
            if self.peek() == Some('\n') {
                self.advance('\n');
            }
        }
    }
}

fn redirect_operator(rest: &str) -> Option<(RedirectKind, usize)> {
    const OPERATORS: &[(&str, RedirectKind)] = &[
        ("<<<", RedirectKind::Text),
        ("<<-", RedirectKind::Text),
        ("&>>", RedirectKind::Write),
        ("<<", RedirectKind::Text),
        ("<>", RedirectKind::Write),
        ("<&", RedirectKind::Duplicate),
        (">>", RedirectKind::Write),
        (">|", RedirectKind::Write),
        (">&", RedirectKind::Duplicate),
        ("&>", RedirectKind::Write),
    ];
    if rest.starts_with("<(") || rest.starts_with(">(") {
        return None;
    }
    let long = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator));
    match (long, rest.chars().next()) {
        (Some((operator, kind)), _) => Some((*kind, operator.len())),
        (None, Some('<')) => Some((RedirectKind::Read, 1)),
        (None, Some('>')) => Some((RedirectKind::Write, 1)),
        _ => None,
    }
}

fn is_descriptor(text: &str) -> bool {
    text == "-" || (!text.is_empty() && text.len() <= 2 && text.chars().all(|c| c.is_ascii_digit()))
}

/// Parses `NAME=value`, with a name that is not quoted.
fn assignment(word: &Word) -> Option<Assignment> {
    let equals = word.units.iter().position(|unit| matches!(unit, Unit::Plain('=')))?;
    let name: String = word.units[..equals]
        .iter()
        .map(|unit| match unit {
            Unit::Plain(c) if is_name(*c) || *c == '+' => Some(*c),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let name = name.strip_suffix('+').unwrap_or(&name).to_owned();
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || name.contains('+') {
        return None;
    }
    let value = Word {
        units: word.units[equals + 1..].to_vec(),
        span: word.span.clone(),
    };
    Some(Assignment { name, value })
}

/// Whether a character may stand in the name of a variable.
pub(crate) fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
