//! JSON-RPC 2.0 without I/O: envelopes, ids, raw payloads, and the tables of open requests in both directions.
//!
//! Law: what no rule has to change is forwarded byte for byte. One validating scan finds where the parts of a
//! message lie; a part that must change is spliced in, and nothing is serialised again (DESIGN, Laws: Raw).
//!
//! ```
//! use jsonrpc::{Change, Frame, Id, Limits, decode};
//!
//! let frame = decode(&br#"{"jsonrpc":"2.0","id":7,"method":"ping","x-extra":1.0}"#[..], &Limits::default())?;
//! let Frame::One(message) = frame else { panic!("one message") };
//! assert_eq!(message.method(), Some("ping"));
//! let id = Id::number(1);
//! let renamed = message.with(Change { id: Some(&id), ..Change::default() });
//! assert_eq!(&renamed.bytes()[..], br#"{"jsonrpc":"2.0","id":1,"method":"ping","x-extra":1.0}"#);
//! # Ok::<(), jsonrpc::DecodeError>(())
//! ```

mod builder;
mod canonical;
mod change;
mod edit;
mod envelope;
mod error;
mod error_object;
mod frame;
mod id;
mod in_flight;
mod limits;
mod message;
mod object;
mod pending;
mod raw;
mod scan;
mod text;
mod value;

pub use builder::{ObjectBuilder, array};
pub use change::Change;
pub use edit::Editor;
pub use error::DecodeError;
pub use error_object::{ErrorObject, code};
pub use frame::{Frame, MAX_BATCH, decode, decode_message};
pub use id::Id;
pub use in_flight::{InFlight, Refused};
pub use limits::{Limits, MAX_DEPTH};
pub use message::{Kind, Message};
pub use object::Object;
pub use pending::{Full, Pending};
pub use raw::{Elements, Raw, RawKind};
