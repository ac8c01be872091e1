//! Checks the laws of reading, on any bytes.
#![no_main]

#[path = "../../lib/jsonrpc/tests/it/laws.rs"]
#[expect(dead_code, reason = "the laws of editing are the other target's")]
mod laws;

libfuzzer_sys::fuzz_target!(|data: &[u8]| laws::reading(data));
