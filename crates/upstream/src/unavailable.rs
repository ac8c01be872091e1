//! The reason why a server cannot be used now, for the people who have to repair it.

/// The reason why a server can't be used now. The text is for users: it says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}{}", hint(last_words))]
pub struct Unavailable {
    /// What is wrong.
    pub why: String,
    /// The last lines that its process wrote to stderr, newest last; ten at most.
    pub last_words: Vec<String>,
    /// Whether trying again may help without a person's action.
    pub transient: bool,
}

/// One line has room for the very last ones only.
fn hint(last_words: &[String]) -> String {
    match &last_words[last_words.len().saturating_sub(3)..] {
        [] => String::new(),
        lines => format!("; its last words on stderr: {}", lines.join(" | ")),
    }
}

impl Unavailable {
    /// Returns a reason that may pass by itself: trying again may help.
    #[must_use]
    pub fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            last_words: Vec::new(),
            transient: true,
        }
    }

    /// Returns a reason that stays until a person repairs the server.
    #[must_use]
    pub fn lasting(why: impl Into<String>) -> Self {
        Self {
            transient: false,
            ..Self::new(why)
        }
    }

    /// Adds the last lines that the process wrote to stderr.
    #[must_use]
    pub fn saying(self, last_words: Vec<String>) -> Self {
        Self { last_words, ..self }
    }
}
