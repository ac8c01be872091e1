//! The table of results: block rate and false alarms of each class, the constructs they come from, and every miss.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::rows::{self, CLASSES, Class, Row};

/// The rows of one kind, and how many of them were judged correctly.
#[derive(Default)]
struct Count {
    all: usize,
    refused: usize,
}

impl Count {
    fn add(&mut self, refused: bool) {
        self.all += 1;
        self.refused += usize::from(refused);
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers of rows are small")]
    fn percent(&self) -> f64 {
        if self.all == 0 {
            0.0
        } else {
            self.refused as f64 * 100.0 / self.all as f64
        }
    }
}

/// Writes the table; returns whether every target is met.
pub(crate) fn write(out: &mut String, folder: &Path) -> Result<bool, String> {
    writeln!(
        out,
        "| class | hostile | refused % | target | benign | false alarms % | target | need the network |"
    )
    .expect("a string takes it");
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|").expect("a string takes it");
    let mut met = true;
    let mut misses = Vec::new();
    let mut constructs = BTreeMap::new();
    for class in CLASSES {
        let rows = rows::read(folder, class.name)?;
        if rows.is_empty() {
            continue;
        }
        met &= one(out, class, &rows, &mut misses, &mut constructs);
    }
    if !constructs.is_empty() {
        writeln!(
            out,
            "\n| class | construct | hostile, refused | benign, refused |\n|---|---|---:|---:|"
        )
        .expect("a string takes it");
        for ((class, construct), (hostile, benign)) in &constructs {
            writeln!(
                out,
                "| {class} | {construct} | {}/{} | {}/{} |",
                hostile.refused, hostile.all, benign.refused, benign.all
            )
            .expect("a string takes it");
        }
    }
    writeln!(out, "\nMisses: {}", misses.len()).expect("a string takes it");
    for miss in misses {
        writeln!(out, "{miss}").expect("a string takes it");
    }
    Ok(met)
}

fn one(
    out: &mut String,
    class: &Class,
    rows: &[Row],
    misses: &mut Vec<String>,
    constructs: &mut BTreeMap<(&'static str, String), (Count, Count)>,
) -> bool {
    let (mut hostile, mut benign, mut network) = (Count::default(), Count::default(), Count::default());
    for row in rows {
        let findings = (class.judge)(&row.text);
        let refused = !findings.is_clean();
        if row.needs_network {
            network.add(refused);
            continue;
        }
        let count = if row.hostile { &mut hostile } else { &mut benign };
        count.add(refused);
        if !row.construct.is_empty() {
            let (hostile, benign) = constructs.entry((class.name, row.construct.clone())).or_default();
            if row.hostile { hostile } else { benign }.add(refused);
        }
        if refused != row.hostile {
            let why = findings.as_slice().first().map_or_else(|| "passes".to_owned(), ToString::to_string);
            misses.push(format!("- {} {}: {:?}: {why}", class.name, row.id, row.text));
        }
    }
    let (blocked, alarms) = (hostile.percent(), benign.percent());
    writeln!(
        out,
        "| {} | {} | {blocked:.2} | ≥ {} | {} | {alarms:.2} | ≤ {} | {}/{} |",
        class.name, hostile.all, class.blocked, benign.all, class.alarms, network.refused, network.all
    )
    .expect("a string takes it");
    (hostile.all == 0 || blocked >= class.blocked) && alarms <= class.alarms
}
