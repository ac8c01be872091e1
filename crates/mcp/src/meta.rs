//! The `_meta` of requests, results and notifications: what the modern era keeps there, progress tokens, and the trace.

mod change;
pub mod key;
mod level;
mod read;

pub(crate) use change::without;
pub use change::{Change, Modern, remove, set, with_progress_token, with_trace};
pub use level::LogLevel;
pub use read::{ModernMeta, get, is_modern, names_version, progress_token, trace};

#[cfg(test)]
mod tests;
