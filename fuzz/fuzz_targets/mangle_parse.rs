//! Checks the law of reading rule programs, on any bytes.
#![no_main]

#[path = "../../lib/mangle/tests/it/laws.rs"]
#[expect(dead_code, reason = "the other laws are the other targets'")]
mod laws;

libfuzzer_sys::fuzz_target!(|data: &[u8]| laws::reading(data));
