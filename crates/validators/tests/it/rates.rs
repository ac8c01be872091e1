//! The rates that the validators promise, on the project's own rows.

use std::collections::BTreeSet;
use std::path::Path;

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
