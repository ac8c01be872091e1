//! The servers behind the gateway: each with its lines, each line with its present connection.

pub(crate) mod call;
pub(crate) mod connect;
pub(crate) mod fetch;
pub(crate) mod lanes;
pub(crate) mod line;
pub(crate) mod listener;
pub(crate) mod server;
pub(crate) mod session;

pub(crate) use call::{Call, CallEvent, Hears};
pub(crate) use lanes::LanePermit;
pub(crate) use line::Line;
pub(crate) use server::Server;
pub(crate) use session::Session;

/// Why a server can't be used now. The text is for users: it says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why}{}", hint(last_words))]
pub struct Unavailable {
    /// What is wrong.
    pub why: String,
    /// The last lines that its process wrote to stderr, newest last; ten at most.
    pub last_words: Vec<String>,
    /// Whether trying again may help without anybody's doing.
    pub transient: bool,
}

/// In one line there is room for the very last ones only.
fn hint(last_words: &[String]) -> String {
    match &last_words[last_words.len().saturating_sub(3)..] {
        [] => String::new(),
        lines => format!("; its last words on stderr: {}", lines.join(" | ")),
    }
}

impl Unavailable {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            last_words: Vec::new(),
            transient: true,
        }
    }

    pub(crate) fn lasting(why: impl Into<String>) -> Self {
        Self {
            transient: false,
            ..Self::new(why)
        }
    }

    /// The same, with what the process said last.
    pub(crate) fn saying(self, last_words: Vec<String>) -> Self {
        Self { last_words, ..self }
    }
}
