//! The guard gives permission to send: it holds the policy in force, the permits that policy gives, what people decide, and the record of all that.
//!
//! The kernel asks [`Guard::admit`] about everything that is to leave the gateway, and [`Guard::admission`] about a tool call, which may need a
//! person's consent. Both return a [`SendPermit`] or a refusal. The writer of a message asks the permit a last time right before the first byte.
//!
//! Law: a [`SendPermit`] is made in this crate and nowhere else. What a permit rests on is recorded before it is given (DESIGN 8). The guard knows
//! subjects, never connections: it asks no client, and sends nothing itself.

#![forbid(unsafe_code)]

mod admission;
mod admit;
mod alerts;
mod calendar;
mod change;
mod config;
mod consent;
mod decisions;
mod enforced;
mod epochs;
mod grants;
mod guard;
mod judge;
mod permit;
mod pins;
mod record;
mod refusal;
mod report_rate;
mod reported;
mod resolver;
mod subject;

pub use admission::{Admission, Admitted, Pending, Redeemed, Step, ToolCall};
pub use calendar::Calendar;
pub use change::AnswerError;
pub use config::{Alert, OwnTools, Records, Security, ServerSecurity};
pub use decisions::Shown;
pub use epochs::InFlight;
pub use grants::{about_grant, granted};
pub use guard::Guard;
pub use judge::{Definition, Judged, Source};
pub use permit::SendPermit;
pub use pins::Unapproved;
pub use record::{Record, details, event, new_trace};
pub use refusal::refusal;
pub use resolver::{NoResolver, Resolver};
pub use subject::Subject;
