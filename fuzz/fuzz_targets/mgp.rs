//! Checks the laws of reading messages of MGP peers, on any bytes.
#![no_main]

#[path = "../../crates/mgp/tests/it/laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|data: &[u8]| laws::reading(data));
