//! Reads one word: quotes, escapes and expansions as in bash and the POSIX shell.

use super::ast::{Expansion, Script, Unit, Word};
use super::parse::{Parser, SyntaxError, Until, is_name};

/// Returns whether a character ends an unquoted word.
fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

impl Parser<'_> {
    /// Reads the word that begins here; an empty one if there is none.
    pub(crate) fn word(&mut self) -> Result<Word, SyntaxError> {
        let start = self.at;
        let mut units = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if self.rest().get(1..2) == Some("(") => units.push(self.process(c == '<')?),
                c if ends_word(c) => break,
                '\\' => self.escape(&mut units)?,
                '\'' => self.single_quoted(&mut units)?,
                '"' => self.double_quoted(&mut units)?,
                '$' => self.dollar(&mut units, false)?,
                '`' => units.push(self.backquoted()?),
                c => {
                    self.advance(c);
                    units.push(Unit::Plain(c));
                }
            }
        }
        Ok(Word {
            units,
            span: start..self.at,
        })
    }

    fn escape(&mut self, units: &mut Vec<Unit>) -> Result<(), SyntaxError> {
        self.advance('\\');
        match self.peek() {
            None => Err(self.error("a backslash has nothing behind it")),
            Some('\n') => {
                self.advance('\n');
                Ok(())
            }
            Some(c) => {
                self.advance(c);
                units.push(Unit::Quoted(c));
                Ok(())
            }
        }
    }

    fn single_quoted(&mut self, units: &mut Vec<Unit>) -> Result<(), SyntaxError> {
        self.advance('\'');
        loop {
            match self.peek() {
                None => return Err(self.error("a single quote is not closed")),
                Some('\'') => {
                    self.advance('\'');
                    return Ok(());
                }
                Some(c) => {
                    self.advance(c);
                    units.push(Unit::Quoted(c));
                }
            }
        }
    }

    fn double_quoted(&mut self, units: &mut Vec<Unit>) -> Result<(), SyntaxError> {
        self.advance('"');
        loop {
            match self.peek() {
                None => return Err(self.error("a double quote is not closed")),
                Some('"') => {
                    self.advance('"');
                    return Ok(());
                }
                Some('\\') => {
                    self.advance('\\');
                    match self.peek() {
                        Some('\n') => self.advance('\n'),
                        Some(c @ ('$' | '`' | '"' | '\\')) => {
                            self.advance(c);
                            units.push(Unit::Quoted(c));
                        }
                        _ => units.push(Unit::Quoted('\\')),
                    }
                }
                Some('$') => self.dollar(units, true)?,
                Some('`') => units.push(self.backquoted()?),
                Some(c) => {
                    self.advance(c);
                    units.push(Unit::Quoted(c));
                }
            }
        }
    }

    /// Reads an expansion that begins with `$`.
    fn dollar(&mut self, units: &mut Vec<Unit>, quoted: bool) -> Result<(), SyntaxError> {
        self.advance('$');
        match self.peek() {
            Some('\'') if !quoted => self.ansi_quoted(units),
            Some('"') if !quoted => self.double_quoted(units),
            Some('(') if self.rest().starts_with("((") => {
                units.push(self.arithmetic()?);
                Ok(())
            }
            Some('(') => {
                self.advance('(');
                let script = self.nested(Until::Paren)?;
                self.expect(')')?;
                units.push(Unit::Expansion(Expansion::Command(script)));
                Ok(())
            }
            Some('{') => {
                units.push(self.braced_parameter()?);
                Ok(())
            }
            Some('[') => Err(self.error("`$[` is arithmetic in some shells and text in others")),
            Some(c) if is_name_start(c) => {
                let name = self.take_while(is_name);
                units.push(parameter(name, true));
                Ok(())
            }
            Some(c @ ('?' | '#' | '$' | '!' | '@' | '*' | '-' | '0'..='9')) => {
                self.advance(c);
                units.push(parameter(c.to_string(), true));
                Ok(())
            }
            _ => {
                units.push(Unit::Quoted('$'));
                Ok(())
            }
        }
    }

    /// Reads `$'…'`: a POSIX shell that does not know it reads a dollar and a quoted text, which is no worse.
    fn ansi_quoted(&mut self, units: &mut Vec<Unit>) -> Result<(), SyntaxError> {
        self.advance('\'');
        loop {
            match self.peek() {
                None => return Err(self.error("a `$'` quote is not closed")),
                Some('\'') => {
                    self.advance('\'');
                    return Ok(());
                }
                Some('\\') => {
                    self.advance('\\');
                    let c = self.ansi_escape()?;
                    units.push(Unit::Quoted(c));
                }
                Some(c) => {
                    self.advance(c);
                    units.push(Unit::Quoted(c));
                }
            }
        }
    }

    fn ansi_escape(&mut self) -> Result<char, SyntaxError> {
        let Some(c) = self.peek() else {
            return Err(self.error("a backslash has nothing behind it"));
        };
        if c.is_digit(8) {
            let digits = self.take_digits(8, 3);
            return self.code_point(&digits, 8);
        }
        self.advance(c);
        let most = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'a' => return Ok('\u{7}'),
            'b' => return Ok('\u{8}'),
            'e' | 'E' => return Ok('\u{1b}'),
            'f' => return Ok('\u{c}'),
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            't' => return Ok('\t'),
            'v' => return Ok('\u{b}'),
            'c' => return Err(self.error("control escapes hide what is meant")),
            other => return Ok(other),
        };
        let digits = self.take_digits(16, most);
        self.code_point(&digits, 16)
    }

    fn take_digits(&mut self, radix: u32, most: usize) -> String {
        let mut left = most;
        self.take_while(|c| {
            let takes = left > 0 && c.is_digit(radix);
            left = left.saturating_sub(1);
            takes
        })
    }

    fn code_point(&self, digits: &str, radix: u32) -> Result<char, SyntaxError> {
        u32::from_str_radix(digits, radix)
            .ok()
            .filter(|&value| value != 0)
            .and_then(char::from_u32)
            .ok_or_else(|| self.error("an escape stands for no character"))
    }

    /// Reads `${…}`: a name alone is plain; with an operator, only its end matters.
    fn braced_parameter(&mut self) -> Result<Unit, SyntaxError> {
        self.advance('{');
        let name = match self.peek() {
            Some(c) if is_name_start(c) => self.take_while(is_name),
            Some(c @ ('?' | '#' | '$' | '!' | '@' | '*' | '-' | '0'..='9')) => {
                self.advance(c);
                c.to_string()
            }
            _ => return Err(self.error("`${` has no name behind it")),
        };
        if self.peek() == Some('}') {
            self.advance('}');
            return Ok(parameter(name, true));
        }
        self.deeper()?;
        let mut ignored = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.error("`${` is not closed")),
                Some('}') => break,
                Some('\\') => self.escape(&mut ignored)?,
                Some('\'') => self.single_quoted(&mut ignored)?,
                Some('"') => self.double_quoted(&mut ignored)?,
                Some('$') => self.dollar(&mut ignored, false)?,
                Some('`') => {
                    self.backquoted()?;
                }
                Some(c) => self.advance(c),
            }
        }
        self.advance('}');
        self.shallower();
        Ok(parameter(name, false))
    }

    /// Reads `$(( … ))`, which may contain no substitution of its own.
    fn arithmetic(&mut self) -> Result<Unit, SyntaxError> {
        self.advance('(');
        self.advance('(');
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => return Err(self.error("`$((` is not closed")),
                Some(c @ ('`' | '\\' | '\'' | '"' | '[' | '{' | '#' | ';' | '\n')) => {
                    return Err(self.error_at(c, "arithmetic may hold numbers, names and operators only"));
                }
                Some(')') if open == 0 => break,
                Some(c) => {
                    match c {
                        '(' => open += 1,
                        ')' => open -= 1,
                        _ => {}
                    }
                    self.advance(c);
                }
            }
        }
        self.expect(')')?;
        self.expect(')')?;
        Ok(Unit::Expansion(Expansion::Arithmetic))
    }

    fn process(&mut self, reads: bool) -> Result<Unit, SyntaxError> {
        self.advance(if reads { '<' } else { '>' });
        self.advance('(');
        let script = self.nested(Until::Paren)?;
        self.expect(')')?;
        Ok(Unit::Expansion(Expansion::Process { script, reads }))
    }

    /// Reads backquotes: the text between them is parsed separately, without its backslashes.
    fn backquoted(&mut self) -> Result<Unit, SyntaxError> {
        self.advance('`');
        let mut inner = String::new();
        loop {
            match self.peek() {
                None => return Err(self.error("a backquote is not closed")),
                Some('`') => break,
                Some('\\') => {
                    self.advance('\\');
                    match self.peek() {
                        Some(c @ ('$' | '`' | '\\')) => {
                            self.advance(c);
                            inner.push(c);
                        }
                        _ => inner.push('\\'),
                    }
                }
                Some(c) => {
                    self.advance(c);
                    inner.push(c);
                }
            }
        }
        let script = self.reread(&inner)?;
        self.advance('`');
        Ok(Unit::Expansion(Expansion::Reread(script)))
    }

    /// Parses text that does not occur in the source byte for byte; its places are those of the text around it.
    fn reread(&mut self, inner: &str) -> Result<Script, SyntaxError> {
        self.deeper()?;
        let mut parser = Parser::inside(inner, self);
        let script = parser.whole().map_err(|error| SyntaxError { at: self.at, ..error })?;
        self.shallower();
        Ok(script)
    }
}

fn parameter(name: String, plain: bool) -> Unit {
    Unit::Expansion(Expansion::Parameter { name, plain })
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}
