//! Audit events: their exact format, their types, and the removal of secrets (§6, D11).

mod call;
mod event;
mod kind;
mod read;
mod redact;
mod secret_text;

pub use call::{Call, Ending};
pub use event::{Actor, ActorKind, Draft, Event, METHOD, Outcome, Target, notification};
pub use kind::EventType;
pub use read::EventError;
pub use redact::Redactor;
