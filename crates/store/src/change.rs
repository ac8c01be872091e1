//! What can change about who may do what, and everything that is remembered of it.

use std::sync::Arc;

use model::{
    Access, Approval, ApprovalState, By, Digest, Grant, GrantScope, Permission, PermissionDecision, Pin, PrincipalId, RequestId, ServerId,
    Timestamp, Token, ToolId,
};

use crate::{Event, SealKeys};

/// A permission that a server asked for and nobody has decided about (MGP §3.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionRequest {
    /// Names the request; one request may ask for several permissions.
    pub request: RequestId,
    /// The server that asks.
    pub server: ServerId,
    /// What it asks for.
    pub permission: Permission,
    /// When it was asked.
    pub asked: Timestamp,
    /// From when on it is as good as denied; never, where there is none.
    pub expires: Option<Timestamp>,
}

/// Something else that an operator vouched for: a configuration file by its hash, say. What it means is its kind's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What kind of fact.
    pub kind: Arc<str>,
    /// What it is about.
    pub name: Arc<str>,
    /// What is known of it.
    pub value: Arc<str>,
    /// Who said so.
    pub by: By,
}

/// One change. Where it contradicts what is remembered, the whole commit is refused with a [`crate::Conflict`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new token. Refused where its id or its digest is taken.
    PutToken(Token),
    /// A token lets nobody in any more. Refused where there is none of this id, or it was revoked before.
    RevokeToken {
        /// The token's id.
        id: Arc<str>,
        /// Who takes it back.
        by: By,
    },
    /// A grant takes the place of the one with the same principal, scope and access.
    PutGrant(Grant),
    /// A grant is taken back. Refused where there is none.
    RevokeGrant {
        /// Whom it is about.
        principal: PrincipalId,
        /// What it is about.
        scope: GrantScope,
        /// Which of the two it is.
        access: Access,
    },
    /// A server asks for a permission. Refused where the request is open already.
    AskPermission(PermissionRequest),
    /// A person decides about an open request. Refused where it is not open: of two who decide at once, the second is told. A deferral
    /// leaves it open (MGP D4).
    AnswerPermission(PermissionDecision),
    /// A decision without a request: by a policy, or a revocation of an earlier one. It takes the place of the earlier one.
    SetPermission(PermissionDecision),
    /// A request is no longer of interest. Not refused where it is not open.
    WithdrawPermission {
        /// The request.
        request: RequestId,
        /// What it asked for.
        permission: Permission,
    },
    /// A call waits for a person. Refused where the id is taken.
    AskApproval(Approval),
    /// An approval goes from pending to approved or denied, or from approved to used. Refused otherwise, and where it has expired at the
    /// instant of the new state: that is why it can be used once.
    MoveApproval {
        /// The approval.
        request: RequestId,
        /// Its new state.
        state: ApprovalState,
    },
    /// A tool is pinned.
    PutPin {
        /// The new pin.
        pin: Pin,
        /// The digest that it takes the place of, as the caller knows it; refused where another one stands.
        instead_of: Option<Digest>,
    },
    /// A tool is no longer pinned. Not refused where it is not.
    RemovePin(ToolId),
    /// A fact takes the place of the one with the same kind and name.
    PutFact(Fact),
    /// A fact is forgotten. Not refused where there is none.
    RemoveFact {
        /// Its kind.
        kind: Arc<str>,
        /// Its name.
        name: Arc<str>,
    },
    /// Forgets what came to its end before an instant: tokens, grants, permissions, requests and approvals that had expired, tokens that
    /// had been revoked, approvals that had been denied or used. Nothing that holds is touched, so policy stays as it is.
    Prune {
        /// The instant; some weeks ago, so that a clock that goes wrong for a while costs nothing.
        before: Timestamp,
    },
}

impl Change {
    /// Whether policy decides otherwise afterwards, so that its revision grows. What only waits for somebody, and what is only tidied away,
    /// does not: an approval is bound to a revision (MGP §4.4) and would never fit if asking for it made a new one.
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

/// Changes and the events that tell of them: all of it takes effect, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The events, in order.
    pub events: Vec<Event>,
}

impl Commit {
    /// A commit of these.
    #[must_use]
    pub fn new(changes: Vec<Change>, events: Vec<Event>) -> Self {
        Self { changes, events }
    }
}

/// What a commit came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The policy's revision with it: one more than before where a change moves policy, else as before.
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
    /// What servers asked for and nobody has decided, the oldest first.
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
