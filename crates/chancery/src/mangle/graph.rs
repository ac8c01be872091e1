//! `mangle graph`: what depends on what, as DOT.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::ExitCode;

use mangle::{
    analysis::{Analysis, PredicateInfo},
    diagnostic::Severity,
    eval::Cancel,
};

use super::{
    args::Graph,
    deadline::Deadline,
    ended,
    load::{load, report},
    print, tell,
};

/// Prints the graph of a program that is not rejected.
pub(super) fn graph(args: &Graph) -> anyhow::Result<ExitCode> {
    let deadline = Deadline::start(args.reading.deadline, Cancel::default());
    let loaded = load(&args.program, &deadline.bounds(&args.reading))?;
    if loaded.is_rejected() {
        let found = loaded.findings(Severity::Error);
        tell(&report(&found, &loaded.sources));
        return Ok(ended(&found));
    }
    print(&dot(&loaded.analysis))?;
    Ok(ExitCode::SUCCESS)
}

/// A node for each predicate, a box for each stratum, an edge from what is read to what reads it.
fn dot(analysis: &Analysis) -> String {
    let mut out = String::from("digraph mangle {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
    let mut strata: BTreeMap<Option<usize>, Vec<(usize, &PredicateInfo)>> = BTreeMap::new();
    for (number, info) in analysis.predicates.iter().enumerate() {
        strata.entry(info.stratum).or_default().push((number, info));
    }
    for (stratum, members) in strata {
        if let Some(stratum) = stratum {
            let _infallible = writeln!(
                out,
                "  subgraph cluster_{stratum} {{\n    label=\"stratum {stratum}\"; style=dotted;"
            );
        }
        for (number, info) in members {
            let shape = if info.rules.is_empty() { ", style=rounded" } else { "" };
            let temporal = if info.temporal { " @" } else { "" };
            let _infallible = writeln!(out, "    p{number} [label=\"{}{temporal}\"{shape}];", info.label());
        }
        if stratum.is_some() {
            out.push_str("  }\n");
        }
    }
    let edges: BTreeSet<(u32, u32, bool)> = analysis
        .dependencies
        .iter()
        .map(|edge| (edge.on.0, edge.from.0, edge.complete))
        .collect();
    for (on, from, complete) in edges {
        let style = if complete { " [style=dashed, label=\"all of\"]" } else { "" };
        let _infallible = writeln!(out, "  p{on} -> p{from}{style};");
    }
    out.push_str("}\n");
    out
}
