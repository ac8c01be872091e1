//! The state machine of approvals: calls that wait for a person's consent are asked, decided, redeemed once, or over (MGP §4.4).
//!
//! An approval is bound to the exact call: principal, server, tool, digest of the arguments, and the policy under which it was asked. The caller
//! computes the digest over the canonical form of the bytes that will be sent. The caller also gives the ids, which must not be guessable.
//!
//! Law: store, then answer. Each step returns the record that has to be durable before its result is reported; [`Approvals::undo`] reverts a step
//! that could not be stored. After each step, [`Approvals::over`] returns the approvals that ended without effect.

mod machine;

use std::fmt;

use model::{Approval, ApprovalState, By, Digest, Grant, PrincipalId, RequestId, Timestamp, ToolId};

use crate::{Reason, Revision};

pub use machine::Approvals;

/// One exact call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call {
    /// The principal that calls.
    pub principal: PrincipalId,
    /// The tool.
    pub tool: ToolId,
    /// The digest of the arguments.
    pub arguments: Digest,
}

/// The bounds of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The number of calls that may wait for a person at the same time.
    pub pending: usize,
    /// The number of those that may belong to one principal.
    pub pending_each: usize,
    /// The number of decided approvals that are remembered until they expire: consents that are not redeemed yet, refusals, and used consents.
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

/// The result of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The approval of this call, which the caller stores if it is new. It may be decided already: then no person is asked again.
    pub approval: Approval,
    /// Whether it is new.
    pub is_new: bool,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This one call may pass.
    Approve,
    /// Calls of this tool by this principal may pass from now on, by a standing grant.
    Always {
        /// The time at which the grant expires.
        until: Option<Timestamp>,
    },
    /// This call may not pass, and no person is asked again before the request expires.
    Deny,
}

/// The result of an answer, which the caller stores in one transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The approval after the answer.
    pub approval: Approval,
    /// The standing grant, for [`Answer::Always`]. It takes effect when policy gets it.
    pub grant: Option<Grant>,
    /// The approval before the answer, for [`Approvals::undo`].
    pub before: Approval,
}

/// The reason why an answer had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecideError {
    /// No request with that id waits: it never did, or it is over.
    Unknown(RequestId),
    /// The request has expired.
    Expired(RequestId),
    /// Another person has answered first.
    Already(RequestId, ApprovalState),
}

/// The redeemed consent to one call, which policy accepts once, for that call. Only [`Approvals::redeem`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    call: Call,
    request: RequestId,
    revision: Revision,
}

impl Confirmed {
    /// Returns the call.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Returns the request that a person decided.
    #[must_use]
    pub fn request(&self) -> &RequestId {
        &self.request
    }

    /// Returns the revision of the policy under which the person was asked.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }
}

/// The reason why a call has no consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotConfirmed {
    /// No person was asked, the approval is over, or the policy has changed since: the caller has to ask.
    Nothing,
    /// A person was asked and has not answered.
    Pending(RequestId),
    /// A person refused.
    Denied(RequestId, By),
}

impl NotConfirmed {
    /// Returns the refusal of the call, which does not wait; none if a person has to be asked first.
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
            Self::Expired(request) => write!(f, "`{request}` has expired: its caller may call again"),
            Self::Already(request, state) => match state {
                ApprovalState::Approved(by) => write!(f, "`{request}` was approved by `{}` already", by.principal),
                ApprovalState::Denied(by) => write!(f, "`{request}` was denied by `{}` already", by.principal),
                ApprovalState::Used(_) | ApprovalState::Pending => write!(f, "`{request}` was approved already, and the call was made"),
            },
        }
    }
}

impl std::error::Error for DecideError {}
