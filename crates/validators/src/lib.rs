//! Validators take an argument and return findings: what is refused, where, why, and what would pass (MGP §4.5, §7).
//!
//! Law: what is judged is exactly what is forwarded. A judgement is a function of the text and its policy, bounded in
//! time, depth and memory for any input; nothing is read from the machine. Name resolution is requested from the
//! caller, who passes the addresses back to be judged.
//!
//! ```
//! use validators::path::{self, Roots};
//!
//! let roots = Roots::new(["/srv/project"]).expect("an absolute path");
//! assert!(path::check("notes/100%.txt", &roots).is_clean());
//! assert_eq!(path::check("%2e%2e/passwd", &roots).as_slice()[0].rule, "path.outside");
//! ```

#![forbid(unsafe_code)]

mod finding;
mod text;

pub mod arguments;
pub mod code;
pub mod path;
pub mod shell;
pub mod sql;
pub mod url;

pub use finding::{Finding, Findings, Place};
