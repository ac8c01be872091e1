//! Checks the table construct × (works, each kind of error): no empty cell, and no two programs in one cell without a
//! reason. `cargo test -p mangle --test it the_table -- --nocapture` prints it.

use std::{collections::BTreeMap, fmt::Write};

use super::{Case, cases, folder};

const KINDS: [&str; 10] = [
    "works",
    "text",
    "names",
    "variables",
    "types",
    "strata",
    "time",
    "trust",
    "evaluation",
    "budget",
];

#[test]
#[expect(clippy::print_stdout, reason = "the table is for people")]
fn the_table_has_no_empty_cell() {
    let cases = cases();
    let mut cells: BTreeMap<(String, String), Vec<&Case>> = BTreeMap::new();
    for case in &cases {
        cells.entry(case.cell.clone()).or_default().push(case);
    }
    let wanted = wanted();
    println!("{}", printed(&wanted, &cells));
    for (construct, kinds) in &wanted {
        for kind in kinds {
            assert!(
                cells.contains_key(&(construct.clone(), kind.clone())),
                "no program shows `{construct}` with `{kind}`"
            );
        }
    }
    for ((construct, kind), programs) in &cells {
        let listed = wanted.iter().any(|(row, kinds)| row == construct && kinds.contains(kind));
        assert!(
            listed,
            "`{}` is of `{construct}` with `{kind}`, which table.txt does not list",
            programs[0].name
        );
        let without: Vec<&str> = programs.iter().filter(|case| case.why.is_none()).map(|case| &*case.name).collect();
        assert!(without.len() <= 1, "{without:?} share a cell; all but one have to say `why`");
        let works = programs.iter().all(|case| case.facts.is_some() == (kind == "works"));
        assert!(works, "a program of `{construct}` with `{kind}` expects the opposite");
    }
}

/// Returns the rows of table.txt: a construct and its possible outcomes.
fn wanted() -> Vec<(String, Vec<String>)> {
    let text = std::fs::read_to_string(folder().join("table.txt")).expect("the table is part of the crate");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| {
        let (construct, kinds) = line.split_once(": ").unwrap_or_else(|| panic!("no kinds in `{line}`"));
        let kinds: Vec<String> = kinds.split(' ').map(str::to_owned).collect();
        assert!(kinds.iter().all(|kind| KINDS.contains(&&**kind)), "an unknown kind in `{line}`");
        (construct.to_owned(), kinds)
    })
    .collect()
}

fn printed(wanted: &[(String, Vec<String>)], cells: &BTreeMap<(String, String), Vec<&Case>>) -> String {
    let mut table = format!("{:25}", "");
    for kind in KINDS {
        let _ = write!(table, " {kind:>10}");
    }
    for (construct, kinds) in wanted {
        let _ = write!(table, "\n{construct:25}");
        for kind in KINDS {
            let count = cells.get(&(construct.clone(), kind.to_owned())).map_or(0, Vec::len);
            let cell = if kinds.iter().any(|one| one == kind) {
                count.to_string()
            } else {
                String::new()
            };
            let _ = write!(table, " {cell:>10}");
        }
    }
    table
}
