//! The policy engine: it decides whether a principal may perform an action.
//!
//! Law: a policy is asked about everything that the gateway sends to a server, and about everything that a server wants of a client. It decides from
//! its input alone: no clock, no I/O, no state that the answer changes. The state that changes with each call is separate: calls that wait for a
//! person ([`Approvals`]), and the counts of rate limits ([`Limits`]).
//!
//! ```
//! use model::{Principal, ServerId, Timestamp, Trace};
//! use policy::{Action, Origin, Policy, Query, Revision, Tables};
//!
//! let mut edit = Policy::begin(Tables::default(), Revision::default());
//! let alice = Principal::named("alice");
//! edit.know(&alice.id, Origin::Remote);
//! let policy = edit.finish();
//! let fs = ServerId::new("fs")?;
//! let action = Action::ReadResource { server: &fs, uri: "file:///notes" };
//! let decision = policy.decide(&Query::new(&alice, action, &Trace::default(), Timestamp(0)));
//! assert_eq!(decision.because.code(), Some(policy::code::ACCESS_DENIED));
//! # Ok::<(), model::ServerIdError>(())
//! ```

#![forbid(unsafe_code)]

mod action;
mod approvals;
mod blocked;
mod checks;
pub mod code;
mod decide;
mod decision;
mod facts;
mod index;
mod limits;
mod policy;
mod query;
mod rates;
mod reason;
mod revision;
mod risk;
mod sorted;
mod tables;

pub use action::Action;
pub use approvals::{Answer, Approvals, Asked, Bounds, Call, Confirmed, DecideError, Decided, NotConfirmed};
pub use blocked::Blocked;
pub use checks::Checks;
pub use decision::{Decision, Need, Verdict};
pub use facts::{KERNEL, ServerFacts, ToolFacts};
pub use index::{Edit, Origin, PermissionState, PinState, Source, Standing, TokenRefusal};
pub use limits::Limits;
pub use policy::{GrantProblem, Policy, Viewer};
pub use query::{Consent, Query, Resolved};
pub use rates::{Rate, Rates};
pub use reason::{Reason, Target};
pub use revision::Revision;
pub use risk::{Inferred, inferred};
pub use tables::{DefaultAccess, OnChange, OnDangerous, OnModerate, PermissionPolicy, ServerTable, Tables, ToolTable};

#[cfg(test)]
mod tests;
