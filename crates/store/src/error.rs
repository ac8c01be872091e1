//! Why something was not stored or not read, and what the caller or the operator can do about it.

use std::path::Path;
use std::sync::Arc;

use model::{ApprovalState, Digest};

/// Why the store did not do it. Many callers may share one reason, so it can be cloned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The disk, or the space that the settings allow, is full. Nothing was changed; a later attempt may succeed.
    #[error("write to `{path}`: the disk is full; free some space: nothing was lost, and the next request tries again")]
    Full {
        /// What was written to.
        path: Arc<str>,
    },
    /// A write or an fsync failed, so nobody knows what is on the disk. Nothing more is written until the store is opened anew.
    #[error(
        "write to `{path}`: {why}; nothing more is written, because what is on the disk is uncertain: check the disk, then start again"
    )]
    Failed {
        /// What was written to.
        path: Arc<str>,
        /// What the system said.
        why: Arc<str>,
    },
    /// A file does not hold what was written to it. It can be read as far as it is sound, and is not written to.
    #[error("use `{path}`: it is damaged: {what}; restore a backup, or move the store's folder away and start with an empty one")]
    Damaged {
        /// The file.
        path: Arc<str>,
        /// What is wrong with it.
        what: Arc<str>,
    },
    /// More waits for the disk than may wait.
    #[error("take on more: {waiting} writes wait for the disk already; try again")]
    Busy {
        /// How many.
        waiting: usize,
    },
    /// A record is longer than records may be.
    #[error("store {what} of {bytes} bytes: {limit} are the most; shorten it")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A commit has more changes than commits may have.
    #[error("commit {changes} changes at once: {limit} are the most; split them")]
    TooMany {
        /// How many it has.
        changes: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Another process writes to the folder.
    #[error("use `{path}`: another chancery{by} writes to it; stop that one, or use another folder")]
    InUse {
        /// The folder.
        path: Arc<str>,
        /// Who, as ` (process 17)`; empty where it is not known.
        by: Arc<str>,
    },
    /// A file is of a later version than this one knows.
    #[error("read `{path}`: a later chancery wrote it (version {found}, this one knows {known}); use that one")]
    Newer {
        /// The file.
        path: Arc<str>,
        /// Its version.
        found: u32,
        /// The latest known here.
        known: u32,
    },
    /// Something could not be read or made.
    #[error("{action} `{path}`: {why}")]
    Io {
        /// What was tried: `open`, `read`.
        action: &'static str,
        /// On what.
        path: Arc<str>,
        /// What the system said.
        why: Arc<str>,
    },
    /// The store has been closed.
    #[error("use the store: it has been closed")]
    Closed,
}

impl StoreError {
    /// An error of the system while something was read or made.
    pub(crate) fn io(action: &'static str, path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Io {
            action,
            path: shown(path),
            why: why.to_string().into(),
        }
    }

    /// An error of the system while something was written: full disks pass, everything else stays.
    pub(crate) fn write(path: &Path, why: &std::io::Error) -> Self {
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        match why.kind() {
            StorageFull | QuotaExceeded => Self::Full { path: shown(path) },
            _ => Self::failed(path, why),
        }
    }

    pub(crate) fn failed(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Failed {
            path: shown(path),
            why: why.to_string().into(),
        }
    }

    pub(crate) fn damaged(path: &Path, what: impl Into<Arc<str>>) -> Self {
        Self::Damaged {
            path: shown(path),
            what: what.into(),
        }
    }

    /// Whether it will be the same until the store is opened anew.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Damaged { .. } | Self::Newer { .. } | Self::Closed)
    }
}

/// A path as people are shown it.
pub(crate) fn shown(path: &Path) -> Arc<str> {
    path.display().to_string().into()
}

/// Why a commit took no effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// Somebody was faster, or the thing is not there. None of the commit's changes took effect.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The store could not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How a change contradicts what is remembered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// A token of this id or this digest is there.
    #[error("make the token `{0}`: there is one with this name or this secret")]
    TokenExists(Arc<str>),
    /// No token has this id.
    #[error("find the token `{0}`: list the tokens to see their ids")]
    TokenUnknown(Arc<str>),
    /// The token was revoked before.
    #[error("revoke the token `{0}`: it is revoked already")]
    TokenRevoked(Arc<str>),
    /// There is no such grant.
    #[error("find a grant of `{scope}` to `{principal}`: list the grants to see what there is")]
    GrantUnknown {
        /// Whom it would be about.
        principal: Arc<str>,
        /// What it would be about.
        scope: Arc<str>,
    },
    /// A request of this id waits or has waited.
    #[error("ask under the id `{0}`: it is taken")]
    RequestExists(Arc<str>),
    /// No request of this id waits for this permission: it was decided meanwhile, or never asked.
    #[error("decide the request `{0}`: it is not open; somebody may have decided it meanwhile")]
    RequestNotOpen(Arc<str>),
    /// There is no approval of this id.
    #[error("find the approval `{0}`: list the approvals to see their ids")]
    ApprovalUnknown(Arc<str>),
    /// The approval cannot go from how it stands to what was wanted.
    #[error("change the approval `{request}`: it is {}", state_word(.is))]
    ApprovalDecided {
        /// Its id.
        request: Arc<str>,
        /// How it stands.
        is: ApprovalState,
    },
    /// The approval has expired.
    #[error("use the approval `{0}`: it has expired; ask again")]
    ApprovalExpired(Arc<str>),
    /// A pin of another definition stands, which the caller has not seen.
    #[error("pin `{tool}`: it is pinned at {is} meanwhile")]
    PinMoved {
        /// The tool.
        tool: Arc<str>,
        /// What it is pinned at.
        is: Digest,
    },
}

fn state_word(state: &ApprovalState) -> &'static str {
    match state {
        ApprovalState::Pending => "pending",
        ApprovalState::Approved(_) => "approved",
        ApprovalState::Denied(_) => "denied",
        ApprovalState::Used(_) => "used",
    }
}
