//! Tests of the rates that the validators promise, on the project's own rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use expect_test::expect_file;

use crate::rows::{CLASSES, Row, read};

/// How many benign rows each class has at least.
const BENIGN: usize = 150;

fn rows(class: &str) -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    read(&folder, class).expect("the rows are well-formed")
}

#[expect(clippy::cast_precision_loss, reason = "numbers of rows are small")]
fn percent(part: usize, all: usize) -> f64 {
    part as f64 * 100.0 / all as f64
}

#[test]
fn every_class_keeps_its_rates() {
    for class in CLASSES {
        let rows = rows(class.name);
        let judged = |hostile: bool| {
            let of_kind: Vec<&Row> = rows.iter().filter(|row| row.hostile == hostile).collect();
            let refused = of_kind.iter().filter(|row| !(class.judge)(&row.text).is_clean()).count();
            percent(refused, of_kind.len())
        };
        let (blocked, alarms) = (judged(true), judged(false));
        assert!(
            blocked >= class.blocked,
            "{}: {blocked:.2} % of the hostile rows are refused",
            class.name
        );
        assert!(
            alarms <= class.alarms,
            "{}: {alarms:.2} % of the benign rows are refused",
            class.name
        );
    }
}

#[test]
fn the_rows_are_spread_over_constructs() {
    for class in CLASSES {
        let rows = rows(class.name);
        let benign = rows.iter().filter(|row| !row.hostile).count();
        let constructs: BTreeSet<&str> = rows.iter().map(|row| row.construct.as_str()).collect();
        assert!(benign >= BENIGN, "{} has {benign} benign rows", class.name);
        assert!(constructs.len() >= 10 && !constructs.contains(""), "{}: {constructs:?}", class.name);
        let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        assert_eq!(ids.len(), rows.len(), "{}: an id stands twice", class.name);
        assert!(rows.iter().all(|row| !row.needs_network));
    }
}

/// Prints the table of constructs: what the rows are about, and how many there are of each kind. `UPDATE_EXPECT=1`
/// rewrites it.
#[test]
fn the_constructs_are_printed() {
    let mut table = String::from("class construct: hostile, benign\n");
    for class in CLASSES {
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for row in rows(class.name) {
            let (hostile, benign) = counts.entry(row.construct).or_default();
            if row.hostile {
                *hostile += 1;
            } else {
                *benign += 1;
            }
        }
        let sums = counts.values().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        writeln!(table, "\n{}: {}, {}", class.name, sums.0, sums.1).expect("a string takes it");
        for (construct, (hostile, benign)) in counts {
            writeln!(table, "  {construct}: {hostile}, {benign}").expect("a string takes it");
        }
    }
    expect_file!["../data/constructs.txt"].assert_eq(&table);
}
