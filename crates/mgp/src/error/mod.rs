//! Errors of MGP: the 19 codes, what they say about trying again, and both shapes in which a refusal is told (§14, D18).
//!
//! Law: a [`Refusal`] is one value. What a client reads that negotiated `error_handling`, and what a model reads whose host hides JSON-RPC errors,
//! is the same data.

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
