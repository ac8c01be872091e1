//! The servers behind the gateway: each has its health, its offers and its lines, and each line has its present connection.
//!
//! The kernel asks a [`Server`] for the [`Line`] of a caller, the line for its [`Session`], and places a [`Call`] there. A server's messages that are
//! not answers go as [`ServerEvent`]s to the one sink that is given at construction.
//!
//! Law: everything that is sent carries a [`guard::SendPermit`], and the writer checks it last, right before the first byte. This crate decides
//! nothing, and knows no client.

#![forbid(unsafe_code)]

mod backoff;
mod cache;
mod call;
mod connect;
mod context;
mod event;
mod exchange;
mod fetch;
mod frame;
mod health;
mod heard;
mod identity;
mod lanes;
mod line;
pub mod link;
mod listener;
mod offers;
mod protocol;
mod question;
mod receive;
mod server;
mod servers;
mod session;
pub mod spec;
mod state;
mod unavailable;
mod waiter;

pub use cache::{NoCache, OfferCache};
pub use call::Call;
pub use context::{Config, Context};
pub use event::{CallEvents, ServerEvent, ServerEvents};
pub use fetch::{ask, ask_under, refreshed};
pub use frame::Frame;
pub use health::Health;
pub use identity::Identity;
pub use lanes::LanePermit;
pub use line::{Attachment, Key, Line};
pub use protocol::{Mgp, SessionProtocol};
pub use question::{Asking, Question, QuestionId};
pub use server::{NoLine, Server, Sharer, keep_connected};
pub use servers::{Changed, Servers, Upstream};
pub use session::Session;
pub use state::ServerState;
pub use unavailable::Unavailable;
pub use waiter::{CallEvent, EventSink};
