//! Results, errors, notifications and reverse requests on their way between revisions.
//!
//! Law: what the receiver's revision does not know but admits stays. Only what a strict peer would refuse is changed, and then so that what it
//! says is kept in words that the peer has.

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
