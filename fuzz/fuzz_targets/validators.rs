//! Checks the laws of the validators, on any text: a judgement ends, and its spans lie in the text.
#![no_main]

#[path = "../../crates/validators/tests/it/rows.rs"]
#[expect(dead_code, reason = "the rows are for the seeds")]
mod rows;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for class in rows::CLASSES {
        for finding in (class.judge)(&text).as_slice() {
            assert!(finding.span.start <= finding.span.end);
            assert!(text.get(finding.span.clone()).is_some(), "{finding:?}");
        }
    }
});
