//! Notifications for clients that belong to no request.

use jsonrpc::Message;

/// Sends notifications to the clients that want them. The faces implement it.
pub(crate) trait News: Send + Sync {
    /// Sends the notification of a task, which runs on the line of that number, to the modern clients that listen to the task.
    fn task(&self, line: u64, message: &Message);
}
