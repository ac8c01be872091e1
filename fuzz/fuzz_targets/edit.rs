//! The laws of editing: up to the first zero byte stands what to edit, behind it the value.
#![no_main]

#[path = "../../lib/jsonrpc/tests/it/laws.rs"]
#[expect(dead_code, reason = "the laws of reading are the other target's")]
mod laws;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(end) = data.iter().position(|&b| b == 0) {
        laws::editing(&data[end + 1..], &data[..end]);
    }
});
