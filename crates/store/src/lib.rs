//! The store: what the gateway remembers about who may do what, and what happened.
//!
//! Law: store, then answer. A change is on the disk before [`ControlStore::commit`] resolves, an event is with the operating system before
//! [`AuditStore::append`] does. What cannot be stored is refused, and nothing is ever written after what is on the disk became uncertain.
//!
//! A folder holds two things, each with a writer and a trait of its own (DESIGN 8):
//!
//! - `control.db`, SQLite ([`ControlStore`]): tokens, grants, permissions, approvals, pins, trusted facts, and keys for sealed state. Changes come as [`Change`]s,
//!   together with the events that tell of them, in one transaction; transactions that wait at the same time share one fsync.
//! - `audit/` ([`AuditStore`]): append-only segments of events, each chained to the one before by SHA-256. `index.db` beside them makes queries fast and can be
//!   deleted at any time.
//!
//! [`Store`] is both. The third file of DESIGN 8, `data.db`, comes with the first thing that needs it, and with a trait of its own.
//!
//! ```text
//! let store = LocalStore::open(Settings::new(folder))?;
//! let remembered = store.load().await?;
//! let committed = store.commit(Commit::new(vec![Change::PutGrant(grant)], vec![event])).await?;
//! let seq = store.append(admitted).await?;
//! ```

#![forbid(unsafe_code)]

mod audit;
mod backup;
mod change;
mod control;
pub mod disk;
mod error;
mod event;
mod keys;
mod local;
mod settings;
mod store;
mod verify;

pub use audit::{AuditQuery, Cursor, Export, Order, Page, Tally, TallyBy, export};
pub use change::{Change, Commit, Committed, Fact, PermissionRequest, Remembered};
pub use error::{CommitError, Conflict, StoreError};
pub use event::{Actor, AuditKey, AuditResult, Chunk, Event, Stored};
pub use keys::{SealKey, SealKeys};
pub use local::{LocalStore, holder};
pub use settings::{Clock, Retention, Settings, SyncMode};
pub use store::{AuditStore, BoxFuture, ControlStore, Follower, Health, Store};
pub use verify::{Bad, Report, Torn, verify};
