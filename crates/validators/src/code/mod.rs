//! Code safety (MGP §7): Python, JavaScript and TypeScript by their syntax trees.
//!
//! What can't be parsed is refused, and so is what is reached in a way that only running would tell. This is defence in depth: nobody can list
//! all ways out of an interpreter, so code that passes belongs in a sandbox none the less.

mod grammar;
mod javascript;
mod level;
mod node;
mod python;
mod rejection;
mod tree;

pub use level::{Language, Level, Policy};
pub use rejection::rejection;

use std::ops::Range;

use self::node::Node;
use self::tree::{Source, Unparsed};
use crate::finding::{Findings, shown};

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

/// Whether the built-in lists refuse a module by name, at every level that refuses anything.
pub(crate) fn is_blocked_module(language: Language, module: &str) -> bool {
    Policy::new(Level::Standard, language).blocks(module)
}

/// The patterns that a server declares (MGP §7.3) are text, and are looked for as text, whatever the blanks.
fn patterns(findings: &mut Findings, text: &str, policy: &Policy) {
    for pattern in policy.blocked_patterns.iter().filter(|pattern| !pattern.is_empty()) {
        if let Some(at) = text.find(pattern.as_str()) {
            refuse_pattern(findings, at..at + pattern.len(), pattern);
        }
    }
}

/// A call that a declared pattern means, by the name that it resolves to: `eval(` or `os.system`.
fn called_pattern<'a>(policy: &'a Policy, name: &str) -> Option<&'a str> {
    let means = |pattern: &str| {
        let pattern = pattern.trim_end_matches('(').trim_end();
        !pattern.is_empty() && (name == pattern || name.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('.')))
    };
    policy.blocked_patterns.iter().map(String::as_str).find(|pattern| means(pattern))
}

fn refuse_import(findings: &mut Findings, span: Range<usize>, module: &str) {
    let reason = format!("Blocked import: '{}'", shown(module));
    findings.add("code.import", span, reason, "use an allowed module");
}

fn refuse_pattern(findings: &mut Findings, span: Range<usize>, pattern: &str) {
    let reason = format!("Blocked pattern: '{}'", shown(pattern));
    findings.add("code.pattern", span, reason, "do without it");
}

fn refuse_call(findings: &mut Findings, span: Range<usize>, name: &str) {
    let reason = format!("Blocked call: '{}'", shown(name));
    findings.add("code.call", span, reason, "do without it");
}

fn refuse_dynamic(findings: &mut Findings, span: Range<usize>, what: &str) {
    let reason = format!("Dynamic access: '{}'", shown(what));
    findings.add("code.dynamic", span, reason, "write the name out");
}

fn refuse_attribute(findings: &mut Findings, span: Range<usize>, name: &str) {
    let reason = format!("Blocked attribute: '{}'", shown(name));
    findings.add("code.attribute", span, reason, "do without it");
}

fn refuse_write(findings: &mut Findings, span: Range<usize>, what: &str) {
    let reason = format!("Write operation: '{}'", shown(what));
    findings.add("code.writes", span, reason, "only read, and return what you have");
}

/// The span of a node.
fn span(node: Node<'_>) -> Range<usize> {
    node.byte_range()
}

/// What follows from the text of a node.
fn text<'a>(source: &Source<'a>, node: Node<'_>) -> &'a str {
    source.text.get(node.byte_range()).unwrap_or_default()
}
