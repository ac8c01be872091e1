//! `mangle graph`: draws which predicates depend on which, as DOT or Mermaid.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::ExitCode;

use mangle::{
    analysis::{Analysis, PredicateInfo},
    diagnostic::Severity,
    eval::Cancel,
};

use super::{
    args::{Drawing, Graph},
    deadline::Deadline,
    exit::ended,
    load::{load, report},
    output::{print, tell},
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
    let graph = Shape::of(&loaded.analysis);
    print(&match args.format {
        Drawing::Dot => graph.dot(),
        Drawing::Mermaid => graph.mermaid(),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The graph: a node for each predicate, a box for each stratum, an edge from what is read to what reads it.
struct Shape<'a> {
    /// The predicates of each stratum, with their numbers; those without rules are in none.
    strata: BTreeMap<Option<usize>, Vec<(usize, &'a PredicateInfo)>>,
    /// The edges: source, target, and whether the source must be complete first.
    edges: BTreeSet<(u32, u32, bool)>,
}

impl<'a> Shape<'a> {
    fn of(analysis: &'a Analysis) -> Self {
        let mut strata: BTreeMap<Option<usize>, Vec<(usize, &PredicateInfo)>> = BTreeMap::new();
        for (number, info) in analysis.predicates.iter().enumerate() {
            strata.entry(info.stratum).or_default().push((number, info));
        }
        let edges = analysis.dependencies.iter();
        Self {
            strata,
            edges: edges.map(|edge| (edge.on.0, edge.from.0, edge.complete)).collect(),
        }
    }

    fn dot(&self) -> String {
        let mut out = String::from("digraph mangle {\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];\n");
        for (stratum, members) in &self.strata {
            let indent = if let Some(stratum) = stratum {
                let _infallible = writeln!(
                    out,
                    "  subgraph cluster_{stratum} {{\n    label=\"stratum {stratum}\"; style=dotted;"
                );
                "    "
            } else {
                "  "
            };
            for (number, info) in members {
                let shape = if info.rules.is_empty() { ", style=rounded" } else { "" };
                let _infallible = writeln!(out, "{indent}p{number} [label=\"{}\"{shape}];", label(info));
            }
            if stratum.is_some() {
                out.push_str("  }\n");
            }
        }
        for (on, from, complete) in &self.edges {
            let style = if *complete { " [style=dashed, label=\"all of\"]" } else { "" };
            let _infallible = writeln!(out, "  p{on} -> p{from}{style};");
        }
        out.push_str("}\n");
        out
    }

    fn mermaid(&self) -> String {
        let mut out = String::from("flowchart LR\n");
        for (stratum, members) in &self.strata {
            let indent = if let Some(stratum) = stratum {
                let _infallible = writeln!(out, "  subgraph s{stratum}[\"stratum {stratum}\"]");
                "    "
            } else {
                "  "
            };
            for (number, info) in members {
                let (open, close) = if info.rules.is_empty() { ("(", ")") } else { ("[", "]") };
                let _infallible = writeln!(out, "{indent}p{number}{open}\"{}\"{close}", label(info));
            }
            if stratum.is_some() {
                out.push_str("  end\n");
            }
        }
        for (on, from, complete) in &self.edges {
            let arrow = if *complete { "-. all of .->" } else { "-->" };
            let _infallible = writeln!(out, "  p{on} {arrow} p{from}");
        }
        out
    }
}

/// Returns name and number of arguments; `@` marks a temporal predicate.
fn label(info: &PredicateInfo) -> String {
    let temporal = if info.temporal { " @" } else { "" };
    format!("{}{temporal}", info.label())
}
