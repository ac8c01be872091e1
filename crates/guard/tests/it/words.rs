//! Parses the words of a line of a transcript.

use std::sync::Arc;
use std::time::Duration;

use guard::Subject;
use jsonrpc::Raw;
use model::{GrantScope, Principal, PrincipalId, Role, ServerId, ToolId};

/// A line in words. JSON is one word, the last.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    words: Vec<&'a str>,
    pub(crate) json: Option<&'a str>,
}

impl<'a> Words<'a> {
    pub(crate) fn of(line: &'a str) -> Self {
        let (text, json) = match line.find(['{', '[']) {
            Some(at) => (&line[..at], Some(line[at..].trim_end())),
            None => (line, None),
        };
        Self {
            words: text.split_whitespace().collect(),
            json,
        }
    }

    pub(crate) fn at(&self, at: usize) -> &'a str {
        self.get(at).unwrap_or_else(|| panic!("word {at} is missing: {self:?}"))
    }

    pub(crate) fn get(&self, at: usize) -> Option<&'a str> {
        self.words.get(at).copied()
    }

    pub(crate) fn rest(&self, from: usize) -> &[&'a str] {
        self.words.get(from..).unwrap_or_default()
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Returns the word behind another one: `5m` of `for 5m`.
    pub(crate) fn behind(&self, word: &str) -> Option<&'a str> {
        let at = self.words.iter().position(|known| *known == word)?;
        self.get(at + 1)
    }

    pub(crate) fn raw(&self) -> Option<Raw> {
        self.json.map(raw)
    }
}

pub(crate) fn raw(json: &str) -> Raw {
    Raw::parse(json.as_bytes().to_vec(), &jsonrpc::Limits::default()).expect("good JSON")
}

pub(crate) fn server(id: &str) -> ServerId {
    ServerId::new(id).expect("a good id")
}

/// Parses `fs/read`.
pub(crate) fn tool(text: &str) -> ToolId {
    ToolId::parse(text).expect("`server/tool`")
}

/// Parses `fs` or `fs/read`.
pub(crate) fn scope(text: &str) -> GrantScope {
    GrantScope::parse(text).expect("`server` or `server/tool`")
}

/// Parses a principal: `op` is an operator, every other one an agent.
pub(crate) fn principal(name: &str) -> Principal {
    Principal {
        id: PrincipalId::new(name),
        role: if name == "op" { Role::Operator } else { Role::Agent },
    }
}

/// Parses `bob`, or `bob@ci` for one that was authenticated with the token `ci`.
pub(crate) fn subject(text: &str) -> Subject {
    let (name, token) = text
        .split_once('@')
        .map_or((text, None), |(name, token)| (name, Some(Arc::from(token))));
    Subject {
        token,
        ..Subject::new(principal(name))
    }
}

/// Parses `250ms`, `5s`, `5m` and `5h`.
pub(crate) fn duration(text: &str) -> Duration {
    let unit = text.find(|c: char| !c.is_ascii_digit()).expect("a unit");
    let count: u64 = text[..unit].parse().expect("a number");
    match &text[unit..] {
        "ms" => Duration::from_millis(count),
        "s" => Duration::from_secs(count),
        "m" => Duration::from_secs(count * 60),
        "h" => Duration::from_secs(count * 3600),
        unit => panic!("`{unit}` is no unit"),
    }
}
