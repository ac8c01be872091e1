//! Adapts messages between revisions: results, errors, notifications and reverse requests.
//!
//! Law: what the receiver's revision does not define but admits stays. Only what a strict peer would refuse is changed,
//! and what it says is kept in terms that the peer's revision has.

mod content;
mod elicitation;
mod input;
mod list;
mod notification;
mod result;
mod reverse;
mod sampling;
mod tool;

pub use input::{InputError, InputRequest, InputRequired, InputResponses, retry_params, without_retry};
pub use notification::notification;
pub use result::{ResultType, complete, result, result_type, strip};
pub use reverse::{required_capabilities, reverse_params, reverse_result};
pub use tool::tool;

#[cfg(test)]
mod tests;
