//! A whole gateway in process, and scripted peers of both sides and both eras.
//!
//! ```ignore
//! let gateway = testkit::gateway().upstream("echo", Script::legacy().tool("say", [Step::answer("$arguments")])).start();
//! let alice = gateway.client(Era::Legacy, Wire::Pipe).connect().await;
//! assert_eq!(alice.call("say", json!({"text": "hi"})).await.result(), json!({"text": "hi"}));
//! ```
//!
//! Law: nothing here sleeps. A test waits for an event, and panics after [`PATIENCE`] with a message that says what did
//! arrive.

#![forbid(unsafe_code)]

mod client;
mod gateway;
mod mailbox;
mod memory;
pub mod process;
mod script;
mod scripted;
pub mod wire;

use std::time::Duration;

pub use client::{Client, ClientBuilder, Exchange, Reply, Wire};
pub use gateway::{Builder, Door, Gateway, gateway, spec_of};
pub use mailbox::{Arrived, Mailbox};
pub use mcp::revision::{Era, Revision};
pub use memory::MemoryCache;
pub use script::{Script, Step};
pub use scripted::{Received, Scripted};

/// How long a test waits for an event before that counts as a failure.
pub const PATIENCE: Duration = Duration::from_secs(15);
