//! Writes the seed corpus of every target, from the data that the tests damage, too.

use std::{fs, io};

#[path = "../../lib/jsonrpc/tests/it/corpus.rs"]
mod corpus;

fn main() -> io::Result<()> {
    for target in ["decode", "edit"] {
        let dir = format!("{}/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
        fs::create_dir_all(&dir)?;
        for (i, frame) in corpus::CORPUS.iter().enumerate() {
            let script: &[u8] = if target == "edit" {
                b"\x01\x09\x61\x22\x11\x62\x11\x11\x20\0"
            } else {
                b""
            };
            fs::write(format!("{dir}/seed-{i}"), [script, frame.as_bytes()].concat())?;
        }
    }
    validators()?;
    mgp()?;
    mangle()
}

/// Writes the rows that the validators are measured on.
fn validators() -> io::Result<()> {
    let root = env!("CARGO_MANIFEST_DIR");
    let dir = format!("{root}/corpus/validators");
    fs::create_dir_all(&dir)?;
    for entry in fs::read_dir(format!("{root}/../crates/validators/tests/data"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let class = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (i, line) in fs::read_to_string(&path)?.lines().enumerate() {
            let row: serde_json::Value = serde_json::from_str(line)?;
            fs::write(format!("{dir}/{class}-{i}"), row["text"].as_str().unwrap_or_default())?;
        }
    }
    Ok(())
}

/// Writes messages of MGP peers.
fn mgp() -> io::Result<()> {
    let root = env!("CARGO_MANIFEST_DIR");
    let dir = format!("{root}/corpus/mgp");
    fs::create_dir_all(&dir)?;
    let seeds = fs::read_to_string(format!("{root}/../crates/mgp/tests/it/data/seeds.jsonl"))?;
    for (i, line) in seeds.lines().enumerate() {
        fs::write(format!("{dir}/seed-{i}"), line)?;
    }
    Ok(())
}

/// Writes the programs of the rule language's own corpus.
fn mangle() -> io::Result<()> {
    let root = env!("CARGO_MANIFEST_DIR");
    for target in ["mangle_parse", "mangle_analyse", "mangle_eval"] {
        let dir = format!("{root}/corpus/{target}");
        fs::create_dir_all(&dir)?;
        for entry in fs::read_dir(format!("{root}/../lib/mangle/tests/data/corpus"))? {
            let path = entry?.path();
            if let (Some("mg"), Some(name)) = (path.extension().and_then(|end| end.to_str()), path.file_name()) {
                fs::copy(&path, format!("{dir}/{}", name.to_string_lossy()))?;
            }
        }
    }
    Ok(())
}
