//! Writes the seed corpus of both targets: the frames that the tests damage, too.

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
    Ok(())
}
