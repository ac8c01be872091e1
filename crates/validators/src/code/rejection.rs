//! The answer to refused code, in the form of MGP §7.4, so that an agent can fix its code by itself.

use serde_json::{Value, json};

use super::Policy;
use crate::finding::{Findings, Place};

/// Builds the structured rejection: each violation with its place, and what would pass.
#[must_use]
pub fn rejection(text: &str, findings: &Findings, policy: &Policy) -> Value {
    let violations: Vec<String> = findings
        .as_slice()
        .iter()
        .map(|finding| {
            let Place { line, column } = Place::of(text, finding.span.start);
            format!("{} (line {line}, column {column})", finding.reason)
        })
        .collect();
    let mut hints = json!({ "max_code_size_bytes": policy.max_bytes });
    if policy.is_strict() {
        hints["allowed_imports"] = json!(policy.allowed());
    }
    hints["blocked_imports"] = json!(policy.blocked());
    if !policy.blocked_patterns.is_empty() {
        hints["blocked_patterns"] = json!(policy.blocked_patterns);
    }
    json!({
        "status": "rejected",
        "reason": "Code validation failed",
        "violations": violations,
        "hints": hints,
    })
}
