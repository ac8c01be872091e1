//! Errors of MGP: the 19 codes, their recovery, and both shapes of a refusal (§14, D18).
//!
//! Law: a [`Refusal`] is one value. A client that negotiated `error_handling` and a model whose host hides JSON-RPC errors read equal data.

mod category;
mod code;
mod recovery;
mod refusal;
mod reported;

pub use category::Category;
pub use code::Code;
pub use recovery::{Recovery, Strategy};
pub use refusal::Refusal;
pub use reported::Reported;
