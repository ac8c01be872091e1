//! From text to a tree in which every key and value knows where it stands.

use std::sync::Arc;

use crate::config::{Entry, Node, Problem, Source, Value};

/// No settings file nests deeper.
const DEPTH: usize = 64;

/// Parses JSON with `//` and `/* */` comments, trailing commas and a byte order mark.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(source: &Arc<Source>) -> Result<Node, Problem> {
    let mut parser = Parser {
        source,
        text: source.text(),
        at: if source.text().starts_with('\u{feff}') { 3 } else { 0 },
    };
    parser.skip()?;
    if parser.at == parser.text.len() {
        // An empty settings file is what an editor leaves of one that was never used.
        return Ok(Node::new(source.at(parser.at..parser.at), Value::Null));
    }
    let node = parser.value(0)?;
    parser.skip()?;
    if parser.at < parser.text.len() {
        return Err(parser.wrong("there is more after the end of the value"));
    }
    Ok(node)
}

struct Parser<'a> {
    source: &'a Arc<Source>,
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, what: &str) -> Problem {
        let end = self.rest().chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        Problem::error(format!("this is not valid JSON: {what}")).at(&self.source.at(self.at..end))
    }

    /// Skips whitespace and comments.
    fn skip(&mut self) -> Result<(), Problem> {
        loop {
            let space = self.rest().len() - self.rest().trim_start().len();
            self.at += space;
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let end = self.rest().find("*/").ok_or_else(|| self.wrong("a comment has no end"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        if depth > DEPTH {
            return Err(self.wrong("it is nested too deeply"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'a'..=b'z') => self.word()?,
            Some(_) => return Err(self.wrong("a value should stand here")),
            None => return Err(self.wrong("it ends too early")),
        };
        Ok(Node::new(self.source.at(start..self.at), value))
    }

    fn table(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            self.skip()?;
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Value::Table(entries));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in quotes, or `}`, should stand here"));
            }
            let key = self.string()?;
            let at = self.source.at(start..self.at);
            if entries.iter().any(|entry| entry.key == key) {
                return Err(Problem::error(format!("the key `{key}` stands here twice")).at(&at));
            }
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("a `:` should stand here"));
            }
            self.at += 1;
            self.skip()?;
            let node = self.value(depth + 1)?;
            entries.push(Entry { key, at, node });
            self.comma(b'}', "`,` or `}` should stand here")?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Value::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.comma(b']', "`,` or `]` should stand here")?;
        }
    }

    fn comma(&mut self, close: u8, what: &str) -> Result<(), Problem> {
        self.skip()?;
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(())
            }
            Some(byte) if byte == close => Ok(()),
            _ => Err(self.wrong(what)),
        }
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        let mut escaped = false;
        let end = self.rest().bytes().skip(1).position(|byte| {
            let closes = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes || byte == b'\n'
        });
        let end = end.map_or(self.text.len(), |end| start + 1 + end);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return Err(self.wrong("a string has no end"));
        }
        self.at = end + 1;
        serde_json::from_str(&self.text[start..=end]).map_err(|_| {
            let place = self.source.at(start..end + 1);
            Problem::error("this is not valid JSON: a string holds a wrong escape or a control character").at(&place)
        })
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = self.rest().find(|c| !number(c)).unwrap_or(self.rest().len());
        let text = &self.rest()[..length];
        let value = match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(int), _) => Value::Int(int),
            (_, Ok(float)) => Value::Float(float),
            _ => return Err(self.wrong("this is no number")),
        };
        self.at += length;
        Ok(value)
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let length = self.rest().find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest().len());
        let value = match &self.rest()[..length] {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => return Err(self.wrong("a value should stand here; text needs quotes")),
        };
        self.at += length;
        Ok(value)
    }
}
