//! The refusal of a call by the validators.

use std::fmt;

use validators::arguments::Violation;

use crate::action::shown;
use crate::code;

/// The reason why the validators refuse a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    /// The reason why no call of this tool passes; none if the arguments are the reason.
    pub never: Option<&'static str>,
    /// The violations of arguments, at most 32.
    pub violations: Vec<Violation>,
    /// The `code_safety` rejection of MGP §7.4, if code was refused.
    pub rejection: Option<serde_json::Value>,
}

impl Blocked {
    /// Returns the rule of the first violation.
    pub(crate) fn rule(&self) -> &'static str {
        match self.violations.first() {
            Some(violation) => violation.finding.rule,
            None => "readonly.tool",
        }
    }

    /// Returns `CODE_SAFETY_VIOLATION` if code was refused, else `VALIDATION_BLOCKED`.
    pub(crate) fn code(&self) -> u16 {
        let of_code = self.violations.iter().any(|violation| violation.finding.rule.starts_with("code."));
        if of_code {
            code::CODE_SAFETY_VIOLATION
        } else {
            code::VALIDATION_BLOCKED
        }
    }

    pub(crate) fn hint(&self) -> String {
        match self.violations.first() {
            Some(violation) => violation.finding.hint.clone(),
            None => "ask an operator to say in the configuration that the tool only reads".to_owned(),
        }
    }
}

/// Formats the first violation, and the number of further ones. All of them are in [`Blocked::violations`].
impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.violations.first() else {
            return f.write_str(self.never.unwrap_or("the tool does not only read"));
        };
        match first.argument.as_str() {
            "" => f.write_str("the arguments")?,
            pointer => write!(f, "the argument `{}`", shown(pointer))?,
        }
        write!(f, ": {} ({})", first.finding.reason, first.finding.rule)?;
        match self.violations.len() - 1 {
            0 => Ok(()),
            more => write!(f, ", and {more} more"),
        }
    }
}
