//! `:show`: describes predicates.

use std::fmt::Write as _;

use mangle::analysis::{Analysis, PredicateInfo};

use crate::words::plural;

/// Describes the predicates of this name, or all of them: what each contains and where it comes from.
pub(super) fn show(analysis: &Analysis, name: &str) -> String {
    let all = name.is_empty() || name == "all";
    let mut infos: Vec<&PredicateInfo> = analysis.predicates.iter().filter(|info| all || *info.name == *name).collect();
    infos.sort_by_key(|info| (info.name.clone(), info.arity));
    if infos.is_empty() {
        return "there is none\n".to_owned();
    }
    infos.into_iter().map(described).collect()
}

fn described(info: &PredicateInfo) -> String {
    let temporal = if info.temporal { " temporal" } else { "" };
    let stratum = info.stratum.map_or_else(String::new, |stratum| format!(", stratum {stratum}"));
    let (facts, rules) = (plural(info.facts, "fact"), plural(info.rules.len(), "rule"));
    let mut text = format!("{}{temporal}: {facts}, {rules}{stratum}\n", info.label());
    for row in &info.types {
        let types: Vec<String> = row.iter().map(ToString::to_string).collect();
        // Writing to a string does not fail.
        let _infallible = writeln!(text, "  bound [{}]", types.join(", "));
    }
    for doc in info.declaration.iter().flat_map(|decl| &decl.doc) {
        let _infallible = writeln!(text, "  {doc}");
    }
    text
}
