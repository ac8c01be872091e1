//! The path of one request from its name to its answer: resolve → admit → place → drive → settle, with consent, tasks, retries and bridges as steps
//! around it.
//!
//! `run` is the beginning, `named` the path of a plain tool call, `send` the part between its admission and its answer. A request comes from a
//! [`Caller`]: an MCP client, or any other kind that implements [`Port`]. `tool_call` makes the request for a caller that has no MCP message.

mod admission;
mod call_result;
mod caller;
mod consent;
mod dismissals;
mod drive;
mod extension;
mod fulfil;
mod labels;
mod listen;
mod lists;
mod named;
mod news;
mod own_tool;
mod own_tools;
mod parked;
mod parking;
mod place;
mod port;
mod process_key;
mod questions;
mod refused;
mod resources;
mod retry;
mod returned;
mod room;
mod route;
mod run;
mod seal;
mod send;
mod settle;
mod subscriptions;
mod task_bridge;
mod task_routes;
mod tasks;
mod tool_call;
mod trace;
mod watched;

pub use caller::Caller;
pub(crate) use dismissals::Dismissals;
pub(crate) use listen::{keep_up, lines_of, open};
pub(crate) use news::News;
pub(crate) use own_tools::OwnTools;
pub(crate) use parked::ParkedCalls;
pub use port::{Asker, Port};
pub(crate) use questions::Questions;
pub(crate) use returned::Returned;
pub(crate) use room::Asked;
pub use room::Calls;
pub(crate) use seal::Seal;
pub(crate) use subscriptions::Subscribed;
pub(crate) use task_bridge::news_of;
pub(crate) use task_routes::{Found, TaskRoutes};
