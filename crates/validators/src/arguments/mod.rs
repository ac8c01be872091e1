//! Judges the arguments of a call: finds the commands, statements, addresses, paths and code among them, and runs the
//! validators.
//!
//! ```
//! use validators::arguments::{Plan, Slots, Validator};
//!
//! let schema = serde_json::json!({ "properties": { "command": { "type": "string" } } });
//! let slots = Slots::infer("run", "", &schema);
//! let plan = Plan::new([Validator::parse("sandbox")?]);
//! let verdict = plan.judge(&slots, r#"{ "command": "rm -rf /" }"#);
//! assert_eq!(verdict.violations[0].argument, "/command");
//! # Ok::<(), validators::arguments::UnknownValidator>(())
//! ```

mod infer;
mod json;
mod judge;
mod kind;
mod names;
mod plan;
mod readonly;

pub use infer::{Slot, Slots};
pub use judge::{Resolve, Verdict, Violation};
pub use kind::Kind;
pub use plan::{Declaration, Plan, UnknownValidator, Validator};
pub use readonly::{Facts, refuses};
