//! The audit service of MGP §19.4 over the gateway's own record: `query_audit_log`, `get_audit_stats`, `export_audit`.
//!
//! It keeps nothing itself, so that no event is sent to it: what it answers with is what the store holds when it is asked.

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
