//! Changes to who may do what, and the whole of what is remembered about it.

use std::sync::Arc;

use model::{
    Access, Approval, ApprovalState, By, Digest, Grant, GrantScope, Permission, PermissionDecision, Pin, PrincipalId, RequestId, ServerId,
    Timestamp, Token, ToolId,
};

use crate::{Event, SealKeys};

/// A permission that a server asked for and that is not decided (MGP §3.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRequest {
    /// The request's id; one request may ask for several permissions.
    pub request: RequestId,
    /// The server that asks.
    pub server: ServerId,
    /// The permission that it asks for.
    pub permission: Permission,
    /// When it was asked.
    pub asked: Timestamp,
    /// The instant from which it counts as denied; `None` for never.
    pub expires: Option<Timestamp>,
}

/// A further fact that an operator confirmed, for example the hash of a configuration file. Its kind defines its
/// meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The kind of fact.
    pub kind: Arc<str>,
    /// The subject of the fact.
    pub name: Arc<str>,
    /// The value of the fact.
    pub value: Arc<str>,
    /// The operator or policy that stated it.
    pub by: By,
}

/// One change. Where it contradicts what is remembered, the whole commit is refused with a [`crate::Conflict`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Adds a token. Refused where its id or its digest is taken.
    PutToken(Token),
    /// Revokes a token, which is not accepted any more. Refused where there is none of this id, or it was revoked
    /// before.
    RevokeToken {
        /// The token's id.
        id: Arc<str>,
        /// Who revokes it.
        by: By,
    },
    /// Adds a grant, which replaces the one with the same principal, scope and access.
    PutGrant(Grant),
    /// Removes a grant. Refused where there is none.
    RevokeGrant {
        /// The principal of the grant.
        principal: PrincipalId,
        /// The scope of the grant.
        scope: GrantScope,
        /// Whether the grant allows or denies.
        access: Access,
    },
    /// Adds a server's request for a permission. Refused where the request is open already.
    AskPermission(PermissionRequest),
    /// Decides about an open request. Refused where it is not open: of two people who decide at once, the second gets a
    /// conflict. A deferral leaves it open (MGP D4).
    AnswerPermission(PermissionDecision),
    /// Sets a decision without a request: by a policy, or a revocation of an earlier one. It replaces the earlier one.
    SetPermission(PermissionDecision),
    /// Withdraws a request. Not refused where it is not open.
    WithdrawPermission {
        /// The request.
        request: RequestId,
        /// The permission that it asked for.
        permission: Permission,
    },
    /// Adds a call that waits for a person's approval. Refused where the id is taken.
    AskApproval(Approval),
    /// Moves an approval from pending to approved or denied, or from approved to used. Refused otherwise, and where it
    /// has expired at the instant of the new state: that is why it can be used once.
    MoveApproval {
        /// The approval.
        request: RequestId,
        /// Its new state.
        state: ApprovalState,
    },
    /// Pins a tool.
    PutPin {
        /// The new pin.
        pin: Pin,
        /// The digest of the pin that it replaces, as the caller knows it; refused where another one is there.
        instead_of: Option<Digest>,
    },
    /// Removes a tool's pin. Not refused where there is none.
    RemovePin(ToolId),
    /// Adds a fact, which replaces the one with the same kind and name.
    PutFact(Fact),
    /// Removes a fact. Not refused where there is none.
    RemoveFact {
        /// Its kind.
        kind: Arc<str>,
        /// Its name.
        name: Arc<str>,
    },
    /// Removes what ended before an instant: tokens, grants, permissions, requests and approvals that had expired,
    /// tokens that had been revoked, approvals that had been denied or used. Nothing that is valid is touched, so
    /// policy stays as it is.
    Prune {
        /// The instant; some weeks ago, so that a clock that is wrong for a while costs nothing.
        before: Timestamp,
    },
}

impl Change {
    /// Returns whether policy decides otherwise after the change, so that its revision grows. A request that waits for
    /// a decision, and what pruning removes, do not change policy: an approval is bound to a revision (MGP §4.4) and
    /// would never fit if asking for it made a new one.
    #[must_use]
    pub fn moves_policy(&self) -> bool {
        match self {
            Self::PutToken(_)
            | Self::RevokeToken { .. }
            | Self::PutGrant(_)
            | Self::RevokeGrant { .. }
            | Self::AnswerPermission(_)
            | Self::SetPermission(_)
            | Self::PutPin { .. }
            | Self::RemovePin(_)
            | Self::PutFact(_)
            | Self::RemoveFact { .. } => true,
            Self::AskPermission(_)
            | Self::WithdrawPermission { .. }
            | Self::AskApproval(_)
            | Self::MoveApproval { .. }
            | Self::Prune { .. } => false,
        }
    }
}

/// Changes and the events that report them: either all of it takes effect, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The events, in order.
    pub events: Vec<Event>,
}

impl Commit {
    /// Makes a commit of these changes and events.
    #[must_use]
    pub fn new(changes: Vec<Change>, events: Vec<Event>) -> Self {
        Self { changes, events }
    }
}

/// The result of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The policy's revision after the commit: one more than before where a change moves policy, else as before.
    pub revision: u64,
}

/// Everything that is remembered about who may do what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// The policy's revision: the number of commits that moved it, plus one.
    pub revision: u64,
    /// Every token, by id.
    pub tokens: Vec<Token>,
    /// Every grant, by principal and scope.
    pub grants: Vec<Grant>,
    /// The last decision about each permission of each server.
    pub permissions: Vec<PermissionDecision>,
    /// The permissions that servers asked for and that are not decided, the oldest first.
    pub requests: Vec<PermissionRequest>,
    /// Every approval, the oldest first.
    pub approvals: Vec<Approval>,
    /// Every pin, by tool.
    pub pins: Vec<Pin>,
    /// Every fact, by kind and name.
    pub facts: Vec<Fact>,
    /// The keys for sealed state.
    pub keys: SealKeys,
}
