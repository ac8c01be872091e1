//! The audit: a log of events in segments, each record chained to the one before, and an index beside it.

mod export;
mod follow;
mod heads;
mod index;
mod keeper;
mod log;
mod query;
mod reader;
mod record;
mod recover;
mod retention;
mod scan;
mod search;
mod segment;
mod writer;

pub use export::{Export, export};
pub(crate) use follow::LogFollower;
pub(crate) use heads::{Dropped, dropped};
pub(crate) use index::{Found, Index};
pub(crate) use keeper::Keeper;
pub(crate) use log::{Log, Origin};
pub use query::{AuditQuery, Cursor, Order, Page, Tally, TallyBy};
pub(crate) use reader::LogReader;
pub(crate) use record::{View, check, push_payload};
pub(crate) use recover::{Recovered, note_synced, recover, synced};
pub(crate) use scan::{Frames, Next};
pub(crate) use search::Search;
pub(crate) use segment::{HEADER, header_of, list, segment_path};
