//! Calls that wait for a person's consent, as a machine: asked, decided, redeemed once, or over (MGP §4.4).
//!
//! An approval is bound to the exact call: principal, server, tool, digest of the arguments, and the policy under which it was asked. The
//! digest belongs to whoever asks: over the canonical form of the very bytes that will be sent. Ids are given from outside, too; they must
//! not be guessable.
//!
//! Law: store, then answer. Each step returns the record that has to be durable before anybody is told; [`Approvals::undo`] takes back a
//! step that could not be stored. After each step, [`Approvals::over`] says what has come to nothing.

mod machine;

use std::fmt;

use model::{Approval, ApprovalState, By, Digest, Grant, PrincipalId, RequestId, Timestamp, ToolId};

use crate::{Reason, Revision};

pub use machine::Approvals;

/// One exact call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call {
    /// Who calls.
    pub principal: PrincipalId,
    /// What.
    pub tool: ToolId,
    /// With what: the digest of the arguments.
    pub arguments: Digest,
}

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How many calls wait for a person at once.
    pub pending: usize,
    /// How many of them may be of one principal.
    pub pending_each: usize,
    /// How many that are decided are remembered until they expire: consents that are not redeemed yet, refusals, and what was used.
    pub decided: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            pending: 1000,
            pending_each: 100,
            decided: 1000,
        }
    }
}

/// What became of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The approval of this call, to be stored if it is new. It may be decided already: then nobody is asked again.
    pub approval: Approval,
    /// Whether it was made just now.
    pub is_new: bool,
}

/// What a person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This one call may pass.
    Approve,
    /// Calls of this tool by this principal may pass from now on: a standing grant.
    Always {
        /// Until when.
        until: Option<Timestamp>,
    },
    /// It may not, and is not asked again before the request expires.
    Deny,
}

/// What became of an answer: to be stored, all of it in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The approval as it is now.
    pub approval: Approval,
    /// The standing grant, for [`Answer::Always`]. It takes effect when policy gets it.
    pub grant: Option<Grant>,
    /// The approval as it was, for [`Approvals::undo`].
    pub before: Approval,
}

/// Why an answer came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecideError {
    /// Nothing of that name waits: it never did, or it is over.
    Unknown(RequestId),
    /// Its time is over.
    Expired(RequestId),
    /// Somebody was first.
    Already(RequestId, ApprovalState),
}

/// The consent to one call, redeemed: policy takes it once, for that call. Only [`Approvals::redeem`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    call: Call,
    request: RequestId,
    revision: Revision,
}

impl Confirmed {
    /// The call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The request that a person decided.
    #[must_use]
    pub fn request(&self) -> &RequestId {
        &self.request
    }

    /// The policy under which the person was asked.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }
}

/// Why a call has no consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotConfirmed {
    /// Nobody was asked, or it is over, or the policy has changed since: ask.
    Nothing,
    /// Somebody has been asked and has not answered.
    Pending(RequestId),
    /// Somebody refused.
    Denied(RequestId, By),
}

impl NotConfirmed {
    /// The refusal of a call that does not wait; none where somebody has to be asked first.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Nothing => None,
            Self::Pending(request) => Some(Reason::ApprovalPending { request: request.clone() }),
            Self::Denied(request, by) => Some(Reason::ApprovalDenied {
                request: request.clone(),
                by: by.principal.clone(),
            }),
        }
    }
}

impl fmt::Display for DecideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(request) => write!(f, "nothing waits under `{request}`: list what waits"),
            Self::Expired(request) => write!(f, "`{request}` has expired: whoever still wants it calls again"),
            Self::Already(request, state) => match state {
                ApprovalState::Approved(by) => write!(f, "`{request}` was approved by `{}` already", by.principal),
                ApprovalState::Denied(by) => write!(f, "`{request}` was denied by `{}` already", by.principal),
                ApprovalState::Used(_) | ApprovalState::Pending => write!(f, "`{request}` was approved already, and the call was made"),
            },
        }
    }
}

impl std::error::Error for DecideError {}
