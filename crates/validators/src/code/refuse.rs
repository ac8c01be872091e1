//! The findings about code, each with its rule and its words.

use std::ops::Range;

use crate::finding::{Findings, shown};

/// Refuses a module.
pub(super) fn import(findings: &mut Findings, span: Range<usize>, module: &str) {
    let reason = format!("Blocked import: '{}'", shown(module));
    findings.add("code.import", span, reason, "use an allowed module");
}

/// Refuses a pattern that a server declares.
pub(super) fn pattern(findings: &mut Findings, span: Range<usize>, pattern: &str) {
    let reason = format!("Blocked pattern: '{}'", shown(pattern));
    findings.add("code.pattern", span, reason, "do without it");
}

/// Refuses a call.
pub(super) fn call(findings: &mut Findings, span: Range<usize>, name: &str) {
    let reason = format!("Blocked call: '{}'", shown(name));
    findings.add("code.call", span, reason, "do without it");
}

/// Refuses a name that is known only when the code runs.
pub(super) fn dynamic(findings: &mut Findings, span: Range<usize>, what: &str) {
    let reason = format!("Dynamic access: '{}'", shown(what));
    findings.add("code.dynamic", span, reason, "write the name out");
}

/// Refuses an attribute.
pub(super) fn attribute(findings: &mut Findings, span: Range<usize>, name: &str) {
    let reason = format!("Blocked attribute: '{}'", shown(name));
    findings.add("code.attribute", span, reason, "do without it");
}

/// Refuses what writes, where code may only read.
pub(super) fn write(findings: &mut Findings, span: Range<usize>, what: &str) {
    let reason = format!("Write operation: '{}'", shown(what));
    findings.add("code.writes", span, reason, "only read, and return what you have");
}
