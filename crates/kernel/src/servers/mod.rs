//! Passes the events of servers to the guard, the catalogue, the clients and the operators.

mod audit_feed;
mod events;
mod learn;
mod permissions;

pub(crate) use events::{Events, Links};
pub(crate) use learn::{learn, wants};
pub(crate) use permissions::PermissionBroker;
