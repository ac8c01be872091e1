//! Checks that no validator contains rows of the data: rules that contain the data's own strings would be useless on
//! others.

use std::path::{Path, PathBuf};

use crate::rows::{CLASSES, read};

/// The length in bytes below which strings are words of the languages themselves.
const MIN_BYTES: usize = 12;

/// Returns the folder of rows given with `CHANCERY_SECURITY_DATA`, or the project's own.
fn data() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::env::var_os("CHANCERY_SECURITY_DATA").map_or(own, PathBuf::from)
}

fn sources(folder: &Path, into: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, into);
        } else {
            let text = std::fs::read_to_string(&path).expect("a source");
            into.push((path, text));
        }
    }
}

#[test]
fn no_row_stands_in_a_validator() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut found = Vec::new();
    let mut compared = 0;
    for class in CLASSES {
        for row in read(&data(), class.name).expect("the rows are well-formed") {
            let text = row.text.trim();
            if !row.hostile || text.len() < MIN_BYTES {
                continue;
            }
            compared += 1;
            let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
            let holders = files.iter().filter(|(_, source)| source.contains(text) || source.contains(&quoted));
            found.extend(holders.map(|(path, _)| format!("{}: {text:?} in {}", row.id, path.display())));
        }
    }
    assert!(compared > 100, "only {compared} rows were compared");
    assert!(found.is_empty(), "{found:#?}");
}
