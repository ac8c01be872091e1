//! The views of the catalogue: one for each shape of client, and of that the part that each subject may see.
//!
//! A view is updated server by server: a change of one server costs only that server's part. Nothing is built under a lock that a call waits for.

mod cached;
mod last;
mod own_tools;
mod room;
mod shown;
mod visible;

pub(crate) use last::LastView;
pub(crate) use own_tools::own_tools;
pub(crate) use room::Views;
pub(crate) use shown::source;
