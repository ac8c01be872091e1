//! Reads the arguments of a kernel tool's call strictly: an unknown argument is refused, never ignored.

use jsonrpc::{Object, Raw};
use model::{PrincipalId, ServerId, Timestamp};

use super::KernelTool;
use crate::error::Refusal;
use crate::json::shown;
use crate::time;

/// The length of the longest name of a principal, a tool or a request.
const LONGEST_NAME: usize = 256;
/// The length of the longest justification.
const LONGEST_TEXT: usize = 2_000;

/// The arguments of a call, whose names are all known.
pub(super) struct Arguments {
    tool: KernelTool,
    object: Object,
}

impl Arguments {
    pub(super) fn read(tool: KernelTool, arguments: Option<&Raw>, known: &[&str]) -> Result<Self, Refusal> {
        let object = match arguments {
            None => Object::default(),
            Some(raw) => raw
                .object()
                .map_err(|error| refused(tool, format_args!("its arguments can't be read: {error}")))?,
        };
        if let Some((unknown, _)) = object.iter().find(|(name, _)| !known.contains(name)) {
            let text = format_args!("it has no argument `{}`; it has `{}`", shown(unknown), known.join("`, `"));
            return Err(refused(tool, text));
        }
        Ok(Self { tool, object })
    }

    pub(super) fn refused(&self, why: impl std::fmt::Display) -> Refusal {
        refused(self.tool, why)
    }

    /// Returns a value; `null` counts as none.
    pub(super) fn get(&self, name: &str) -> Option<&Raw> {
        self.object.get(name).filter(|value| &value.bytes()[..] != b"null")
    }

    fn text(&self, name: &str, longest: usize) -> Result<Option<String>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let text = value.as_str().map(std::borrow::Cow::into_owned);
        let text = text.ok_or_else(|| self.refused(format_args!("`{name}` is no text")))?;
        if text.is_empty() || text.len() > longest || text.chars().any(|c| c.is_control() && c != '\n') {
            return Err(self.refused(format_args!(
                "`{name}` needs 1 to {longest} bytes of text without control characters"
            )));
        }
        Ok(Some(text))
    }

    pub(super) fn name(&self, name: &str) -> Result<Option<String>, Refusal> {
        self.text(name, LONGEST_NAME)
    }

    pub(super) fn prose(&self, name: &str) -> Result<Option<String>, Refusal> {
        self.text(name, LONGEST_TEXT)
    }

    pub(super) fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, Refusal> {
        value.ok_or_else(|| self.refused(format_args!("it needs `{name}`")))
    }

    pub(super) fn principal(&self, name: &str) -> Result<PrincipalId, Refusal> {
        let text = self.required(name, self.name(name)?)?;
        Ok(PrincipalId::new(&text))
    }

    pub(super) fn server(&self, name: &str) -> Result<Option<ServerId>, Refusal> {
        let Some(text) = self.name(name)? else { return Ok(None) };
        let id =
            ServerId::new(&text).map_err(|_| self.refused(format_args!("`{name}` is `{}`, which is no id of a server", shown(&text))))?;
        Ok(Some(id))
    }

    /// Returns the choice that an argument's word stands for.
    pub(super) fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Refusal> {
        let Some(word) = self.name(name)? else { return Ok(None) };
        let chosen = choices.iter().find(|(choice, _)| *choice == word);
        let chosen = chosen.ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
            self.refused(format_args!("`{name}` is `{}`; it can be `{}`", shown(&word), words.join("`, `")))
        })?;
        Ok(Some(chosen.1))
    }

    /// Returns a time in the future: with a past one the call would have another meaning than was intended.
    pub(super) fn expiry(&self, name: &str, now: Timestamp) -> Result<Option<Timestamp>, Refusal> {
        let Some(text) = self.name(name)? else { return Ok(None) };
        let at = time::parse(&text);
        let at = at.ok_or_else(|| {
            let example = "2026-03-01T00:00:00Z";
            self.refused(format_args!("`{name}` is `{}`, which is no instant like `{example}`", shown(&text)))
        })?;
        if at.has_come(now) {
            let text = format_args!("`{name}` is `{}`, which is over: it is {} now", shown(&text), time::format(now));
            return Err(self.refused(text));
        }
        Ok(Some(at))
    }

    pub(super) fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        let number = number.ok_or_else(|| self.refused(format_args!("`{name}` needs a whole number from {least} to {most}")))?;
        Ok(Some(number))
    }
}

fn refused(tool: KernelTool, why: impl std::fmt::Display) -> Refusal {
    Refusal::invalid(format!("`{}` is not called: {why}", tool.name())).with_hint("change the arguments and call it again")
}
