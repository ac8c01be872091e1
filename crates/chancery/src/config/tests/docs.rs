//! The reference is what the reader does.

use std::path::{Path, PathBuf};

use expect_test::expect_file;

use crate::config::reference::{json_schema, markdown};
use crate::config::schema::{Section, sections};
use crate::config::{Env, load_text};

#[test]
fn the_reference_is_up_to_date() {
    expect_file!["../../../../../docs/reference/configuration.md"].assert_eq(&markdown());
}

#[test]
fn the_json_schema_is_up_to_date() {
    expect_file!["../../../../../docs/reference/configuration.schema.json"].assert_eq(&json_schema());
}

/// Every example value and every default is one that the reader takes.
#[test]
fn every_toml_block_of_the_docs_loads() {
    let names = ["TICKETS_TOKEN", "CHANCERY_TOKEN", "ALICE_TOKEN", "CI_TOKEN", "API_KEY", "TOKEN"];
    let values = names.into_iter().map(|name| (name, format!("value-of-{name}")));
    let env: Env = values.chain([("HOME", "/home/me".to_owned())]).collect();
    let mut blocks = 0;
    for path in documents(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")) {
        let text = std::fs::read_to_string(&path).expect("a text");
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().expect("a block");
            if let Err(problems) = load_text(&path.display().to_string(), block, &env) {
                panic!("{block}\n{}", problems.render(false));
            }
            blocks += 1;
        }
    }
    assert!(blocks >= sections().len(), "{blocks} blocks");
}

/// Returns the Markdown files of a folder and of the folders in it.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of documents") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

/// Returns what has to stand above a key for its table to be whole.
fn above(section: &Section) -> String {
    const SERVER: &str = "[[servers]]\nid = \"a\"\ncommand = \"a\"\n";
    match section.name {
        "servers" => SERVER.to_owned(),
        name if name.starts_with("servers.") => format!("{SERVER}{}\n", section.header()),
        "policy.grants" => format!("{}\nprincipal = \"a\"\nserver = \"a\"\n", section.header()),
        "audit.alerts" => format!("{}\nname = \"a\"\nevent = \"A\"\n", section.header()),
        _ => format!("{}\n", section.header()),
    }
}

#[test]
fn every_default_is_a_value_of_its_key() {
    for section in sections().into_iter().skip(1) {
        for key in section.keys {
            let Some(default) = key.default else { continue };
            let text = format!("{}{} = {default}\n", above(section), key.name);
            if let Err(problems) = load_text("default", &text, &Env::default()) {
                panic!("{text}\n{}", problems.render(false));
            }
        }
    }
}
