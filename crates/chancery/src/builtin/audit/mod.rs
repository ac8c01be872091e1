//! The audit service of MGP §19.4 over the gateway's own record: `query_audit_log`, `get_audit_stats`, `export_audit`.
//!
//! The service stores nothing itself, so no event is sent to it: it answers with what the store holds at the time of
//! the call.

mod arguments;
mod export;
mod kept;
mod query;
mod server;
mod stats;

#[cfg(test)]
mod tests;

pub(crate) use kept::Audit;
pub(crate) use server::server;
