//! The graph of a crate's files, with the names that one uses of another as its edges, and the cycles in it.

use std::collections::{BTreeMap, BTreeSet};

use super::resolve::{self, Target};
use super::scope::Crate;

/// The edges of a crate: `0[from][to]` has the names that one file uses of another.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Graph<'a>(BTreeMap<&'a str, BTreeMap<&'a str, Edge>>);

/// The names that one file uses of another, each with the line of its first mention.
pub(crate) type Edge = BTreeMap<String, usize>;

impl<'a> Graph<'a> {
    /// Builds the graph of a crate. A module that re-exports what lies below it has no edge to it by that.
    pub(crate) fn of(krate: &Crate<'a>) -> Self {
        let mut graph = Self::default();
        for mention in &krate.mentions {
            let from = krate.scopes[mention.scope].file;
            for target in resolve::targets(krate, mention.scope, &mention.path) {
                let Target::Item(module, name) = target else { continue };
                let passed_up = mention.is_reexport && krate.is_within(module, krate.module_of(mention.scope));
                let to = krate.scopes[module].file;
                if from != to && !passed_up {
                    let edge = graph.0.entry(from).or_default().entry(to).or_default();
                    let line = edge.entry(name).or_insert(mention.line);
                    *line = mention.line.min(*line);
                }
            }
        }
        graph
    }

    /// Returns every pair of files with an edge from the first to the second.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().flat_map(|(from, all)| all.keys().map(|to| (*from, *to)))
    }

    /// Returns the edge between two files.
    pub(crate) fn edge(&self, from: &str, to: &str) -> Option<&Edge> {
        self.0.get(from)?.get(to)
    }

    /// Returns the groups of more than one file in which each file reaches every other (strongly connected components), by their first
    /// file.
    pub(crate) fn groups(&self) -> Vec<BTreeSet<&'a str>> {
        let reached: BTreeMap<&str, BTreeSet<&'a str>> = self.0.keys().map(|file| (*file, self.reached(file))).collect();
        let mut groups: Vec<BTreeSet<&'a str>> = Vec::new();
        for (file, ahead) in &reached {
            if groups.iter().any(|group| group.contains(file)) {
                continue;
            }
            let leads_back = |other: &&&'a str| reached.get(**other).is_some_and(|back| back.contains(file));
            let group: BTreeSet<&'a str> = ahead.iter().filter(leads_back).copied().collect();
            if group.len() > 1 {
                groups.push(group);
            }
        }
        groups
    }

    /// Returns every file that a file reaches; itself only if it lies on a cycle.
    fn reached(&self, from: &str) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut ahead: Vec<&str> = vec![from];
        while let Some(file) = ahead.pop() {
            for to in self.0.get(file).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(*to) {
                    ahead.push(to);
                }
            }
        }
        reached
    }
}
