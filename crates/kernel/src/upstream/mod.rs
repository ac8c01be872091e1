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
pub(crate) use line::Line;
pub(crate) use server::Server;
pub(crate) use session::Session;

/// Why a server can't be used now. The text is for users: it says what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{why}")]
pub(crate) struct Unavailable {
    /// What is wrong.
    pub(crate) why: String,
    /// Whether trying again may help without anybody's doing.
    pub(crate) transient: bool,
}

impl Unavailable {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            transient: true,
        }
    }

    pub(crate) fn lasting(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            transient: false,
        }
    }
}
