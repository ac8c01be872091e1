//! Checks the laws of editing: the edits stand before the first zero byte, the value after it.
#![no_main]

#[path = "../../lib/jsonrpc/tests/it/laws.rs"]
#[expect(dead_code, reason = "the laws of reading are the other target's")]
mod laws;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(end) = data.iter().position(|&b| b == 0) {
        laws::editing(&data[end + 1..], &data[..end]);
    }
});
