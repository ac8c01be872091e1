//! MCP connections: the machines, streams and subscriptions of clients. An MCP client is one kind of [`crate::Port`].
//!
//! Law: a face asks no policy and finds no server; it passes its client's requests to the module `calls`.

mod batch;
mod changes;
mod client;
mod credential;
mod dismissal;
mod http;
mod listening;
mod pipe;
mod registry;
mod reply;
mod room;
mod streams;

pub(crate) use client::{Client, Delivery};
pub(crate) use credential::authenticate;
pub(crate) use dismissal::LAST_ANSWERS;
pub(crate) use http::{delete, listen, post};
pub(crate) use pipe::Pipe;
pub(crate) use registry::Clients;
pub(crate) use room::Faces;
