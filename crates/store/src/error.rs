//! The reasons why something was not stored or read, and what the caller or the operator can do about them.

use std::path::Path;
use std::sync::Arc;

use model::{ApprovalState, Digest};

/// An error of the store. Many callers may share one, so it can be cloned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The disk, or the space that the settings allow, is full. Nothing was changed; a later attempt may succeed.
    #[error("write to `{path}`: the disk is full; free some space: nothing was lost, and the next request tries again")]
    Full {
        /// The file that was written.
        path: Arc<str>,
    },
    /// A write or an fsync failed, so the contents of the disk are uncertain. Nothing more is written until the store
    /// is opened anew.
    #[error(
        "write to `{path}`: {why}; nothing more is written, because what is on the disk is uncertain: check the disk, then start again"
    )]
    Failed {
        /// The file that was written.
        path: Arc<str>,
        /// What the system said.
        why: Arc<str>,
    },
    /// A file's contents are not what was written to it. It can be read as far as it is sound, and is not written to.
    #[error("use `{path}`: it is damaged: {what}; restore a backup, or move the store's folder away and start with an empty one")]
    Damaged {
        /// The file.
        path: Arc<str>,
        /// What is wrong with it.
        what: Arc<str>,
    },
    /// The queue for the disk is full.
    #[error("take on more: {waiting} writes wait for the disk already; try again")]
    Busy {
        /// The number of waiting events or commits.
        waiting: usize,
    },
    /// A record is longer than records may be.
    #[error("store {what} of {bytes} bytes: {limit} are the most; shorten it")]
    TooLarge {
        /// The part that is too long.
        what: &'static str,
        /// Its length.
        bytes: usize,
        /// The greatest length.
        limit: usize,
    },
    /// A commit has more changes than commits may have.
    #[error("commit {changes} changes at once: {limit} are the most; split them")]
    TooMany {
        /// The number of its changes.
        changes: usize,
        /// The greatest number.
        limit: usize,
    },
    /// Another process writes to the folder.
    #[error("use `{path}`: another chancery{by} writes to it; stop that one, or use another folder")]
    InUse {
        /// The folder.
        path: Arc<str>,
        /// The other process, as ` (process 17)`; empty where it is not known.
        by: Arc<str>,
    },
    /// A file has a later version than this program knows.
    #[error("read `{path}`: a later chancery wrote it (version {found}, this one knows {known}); use that one")]
    Newer {
        /// The file.
        path: Arc<str>,
        /// Its version.
        found: u32,
        /// The latest version that this program knows.
        known: u32,
    },
    /// Something could not be read or made.
    #[error("{action} `{path}`: {why}")]
    Io {
        /// The operation: `open`, `read`.
        action: &'static str,
        /// The file or folder.
        path: Arc<str>,
        /// What the system said.
        why: Arc<str>,
    },
    /// The store has been closed.
    #[error("use the store: it has been closed")]
    Closed,
}

impl StoreError {
    /// Makes the error for a failed read or creation.
    pub(crate) fn io(action: &'static str, path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Io {
            action,
            path: shown(path),
            why: why.to_string().into(),
        }
    }

    /// Makes the error for a failed write: a full disk may be temporary, every other error is lasting.
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

    /// Returns whether the error lasts until the store is opened anew.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Damaged { .. } | Self::Newer { .. } | Self::Closed)
    }
}

/// Returns a path in the form that is shown to people.
pub(crate) fn shown(path: &Path) -> Arc<str> {
    path.display().to_string().into()
}

/// Why a commit took no effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// Another commit was faster, or the thing is not there. None of the commit's changes took effect.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How a change contradicts what is remembered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// A token with this id or this digest exists.
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
        /// The principal of the missing grant.
        principal: Arc<str>,
        /// The scope of the missing grant.
        scope: Arc<str>,
    },
    /// A request of this id is open or has been.
    #[error("ask under the id `{0}`: it is taken")]
    RequestExists(Arc<str>),
    /// No request of this id for this permission is open: it was decided meanwhile, or never asked.
    #[error("decide the request `{0}`: it is not open; it may have been decided meanwhile")]
    RequestNotOpen(Arc<str>),
    /// There is no approval of this id.
    #[error("find the approval `{0}`: list the approvals to see their ids")]
    ApprovalUnknown(Arc<str>),
    /// The approval cannot move from its present state to the wanted one.
    #[error("change the approval `{request}`: it is {}", state_word(.is))]
    ApprovalDecided {
        /// Its id.
        request: Arc<str>,
        /// Its present state.
        is: ApprovalState,
    },
    /// The approval has expired.
    #[error("use the approval `{0}`: it has expired; ask again")]
    ApprovalExpired(Arc<str>),
    /// The tool has a pin of another definition, which the caller has not seen.
    #[error("pin `{tool}`: it is pinned at {is} meanwhile")]
    PinMoved {
        /// The tool.
        tool: Arc<str>,
        /// The digest of the pinned definition.
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
