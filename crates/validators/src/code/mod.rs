//! Code safety (MGP §7): Python, JavaScript and TypeScript by their syntax trees.
//!
//! Code that cannot be parsed is refused, and so is access whose target only running would show. This is defence in
//! depth: it is impossible to list all ways out of an interpreter, so code that passes still belongs in a sandbox.

mod grammar;
mod javascript;
mod level;
mod node;
mod python;
mod refuse;
mod rejection;
mod tree;

pub use level::{Language, Level, Policy};
pub use rejection::rejection;

use self::tree::Unparsed;
use crate::finding::Findings;

/// Judges code.
#[must_use]
pub fn check(text: &str, policy: &Policy) -> Findings {
    let mut findings = Findings::default();
    if policy.level == Level::Unrestricted {
        return findings;
    }
    if text.len() > policy.max_bytes {
        let reason = format!("the code has {} bytes, more than {}", text.len(), policy.max_bytes);
        findings.add("code.size", 0..text.len(), reason, "give less code");
        return findings;
    }
    patterns(&mut findings, text, policy);
    if let Err(Unparsed { at, reason }) = judge(text, policy, &mut findings) {
        findings.add("code.syntax", at..text.len(), reason, "give code that parses");
    }
    findings
}

fn judge(text: &str, policy: &Policy, findings: &mut Findings) -> Result<(), Unparsed> {
    let source = tree::parse(text, policy.language)?;
    match policy.language {
        Language::Python => python::judge(&source, policy, findings),
        Language::JavaScript | Language::TypeScript => javascript::judge(&source, policy, findings),
    }
    Ok(())
}

/// Returns whether the built-in lists refuse a module by name, at every level that refuses anything.
pub(crate) fn is_blocked_module(language: Language, module: &str) -> bool {
    Policy::new(Level::Standard, language).blocks(module)
}

/// Searches for the patterns that a server declares (MGP §7.3), as text, ignoring blanks.
fn patterns(findings: &mut Findings, text: &str, policy: &Policy) {
    for pattern in policy.blocked_patterns.iter().filter(|pattern| !pattern.is_empty()) {
        if let Some(at) = text.find(pattern.as_str()) {
            refuse::pattern(findings, at..at + pattern.len(), pattern);
        }
    }
}
