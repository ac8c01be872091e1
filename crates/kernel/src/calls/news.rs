//! News for clients that belong to no request.

use jsonrpc::Message;

/// Brings news to the clients that want them. The faces implement it.
pub(crate) trait News: Send + Sync {
    /// Brings a notification of a task that runs on the line of that number to the modern clients that listen to it.
    fn task(&self, line: u64, message: &Message);
}
