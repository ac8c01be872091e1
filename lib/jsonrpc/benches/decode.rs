//! Measures how fast frames are decoded, compared with serde_json and raw parts: `cargo bench -p jsonrpc`.

use std::borrow::Cow;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use jsonrpc::{Change, Id, Limits, decode_message};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The envelope as one would read it with serde_json: parts raw, unknown members dropped.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn serde_json_decode(bytes: &[u8]) -> usize {
    let envelope: Envelope<'_> = serde_json::from_slice(bytes).expect("the cases are valid");
    let raw = |part: Option<&RawValue>| part.map_or(0, |part| part.get().len());
    let method = envelope.method.map_or(0, |m| m.len());
    envelope.jsonrpc.len() + method + raw(envelope.id) + raw(envelope.params) + raw(envelope.result) + raw(envelope.error)
}

/// Returns the shortest time of many short runs, in nanoseconds a call.
fn time(mut f: impl FnMut()) -> f64 {
    let mut rounds = 1_u32;
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(600) {
        let start = Instant::now();
        for _ in 0..rounds {
            f();
        }
        let took = start.elapsed();
        best = best.min(took.as_secs_f64() * 1e9 / f64::from(rounds));
        if took < Duration::from_millis(2) {
            rounds *= 2;
        }
    }
    best
}

fn result(value: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":7,"result":{value}}}"#)
}

/// Returns about 100 kB of `unit`, repeated.
fn fill(unit: &str) -> String {
    unit.repeat(100_000 / unit.len())
}

fn content(text: &str) -> String {
    result(&format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#))
}

fn array(element: &str) -> String {
    result(&format!("[{}{element}]", fill(&format!("{element},"))))
}

fn cases() -> Vec<(&'static str, String)> {
    let request = r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"fs__read_file","arguments":{"path":"/home/alice/project/src/main.rs","limit":2000,"offset":0},"_meta":{"progressToken":"c2f1-12"}}}"#;
    let row = r#"{"id":12345,"name":"alice","tags":["a","b"],"ok":true,"score":0.25,"parent":null}"#;
    let pretty = "{\n    \"uri\": \"file:///home/alice/src/main.rs\",\n    \"mimeType\": \"text/x-rust\",\n    \"size\": 120\n  }";
    vec![
        ("request of 200 B", request.into()),
        ("plain text", content(&fill("The quick brown fox jumps over the lazy dog. "))),
        (
            "source code",
            content(&fill(r#"    let name = \"value\";\n    println!(\"{name}\");\n"#)),
        ),
        ("Chinese text", content(&fill("快速的棕色狐狸跳过懒狗。"))),
        ("dense rows", array(row)),
        ("indented rows", array(pretty)),
        ("floats", array("-0.123456789012345")),
        ("small integers", array("7")),
    ]
}

#[expect(clippy::print_stdout, reason = "a benchmark reports to its caller")]
fn main() {
    println!(
        "{:<18}{:>9}{:>12}{:>9}{:>12}{:>9}{:>12}",
        "", "bytes", "decode ns", "GB/s", "serde ns", "GB/s", "new id ns"
    );
    let only = std::env::args().nth(1).filter(|a| !a.starts_with("--"));
    for (name, text) in cases()
        .into_iter()
        .filter(|(name, _)| only.as_ref().is_none_or(|only| name.contains(only.as_str())))
    {
        let bytes = Bytes::from(text);
        let limits = Limits::default();
        let ours = time(|| {
            black_box(decode_message(black_box(bytes.clone()), &limits)).expect("the cases are valid");
        });
        let theirs = time(|| {
            black_box(serde_json_decode(black_box(&bytes)));
        });
        let message = decode_message(bytes.clone(), &limits).expect("the cases are valid");
        let id = Id::number(4711);
        let change = time(|| {
            black_box(message.with(Change {
                id: Some(black_box(&id)),
                ..Change::default()
            }));
        });
        let len = bytes.len();
        #[expect(clippy::cast_precision_loss, reason = "a few bytes more or less do not matter")]
        let rate = |ns: f64| len as f64 / ns;
        println!(
            "{name:<18}{len:>9}{ours:>12.0}{:>9.2}{theirs:>12.0}{:>9.2}{change:>12.0}",
            rate(ours),
            rate(theirs)
        );
    }
}
