//! The laws on many damaged frames: a bounded, seeded run of what the fuzz targets do without end.

use crate::laws;

/// Frames that touch every path of the scanner; the fuzz targets start from them, too.
pub(crate) const CORPUS: [&str; 22] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":[1,2.5e-3,-0]},"_meta":{"progressToken":7}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"é","progress":0.5}}"#,
    r#"{"jsonrpc":"2.0","id":"\u0061","result":{"content":[{"type":"text","text":"line\nline \"q\" \\ 快速的棕色狐狸跳过懒狗 a tail of more than one block of bytes"}]}}"#,
    r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":[null,true,false]}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
    r#" [ {"jsonrpc":"2.0","method":"a"} , {"jsonrpc":"2.0","id":2,"result":null} , 1, [] ] "#,
    "[]",
    r#"{"id":123456789012345678901234567890,"jsonrpc":"2\u002e0","x-unknown":[[[{}]]],"method":"a\/b","params":null}"#,
    r#"{"jsonrpc":"2.0","id":1.0,"method":"m"}"#,
    r#"{"jsonrpc":"2.0","id":1e1000,"method":"m"}"#,
    r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#,
    r#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"m","method":"n"}"#,
    "{\r\n\t\"jsonrpc\" : \"2.0\" ,\r\n        \"id\" : \"x\" ,\n \"method\" : \"\\ud83d\\ude00\" , \"params\" : [ ]\n}\n",
    r#""\ud800\udfff\uD83D\u0000\b\f\n\r\t\/\"\\""#,
    "\u{feff}{}",
    r#"{"a":{"b":{"c":1},"":[1,{"a":2}]},"c":"\u0000","_meta":{"a":null},"é\n":{}}"#,
    r#"{ "a" : 1 , "b" : { "a" : [ ] , "c" : 3 } , "c" : -1.5E+10 , "id" : {} , "params" : { "_meta" : { "b" : 0 } } }"#,
    r#"{"a":1,"\u0061":2,"b":{"a":1,"a":2},"b":3}"#,
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    r#"[0,-0,0.0,1e5,1E+5,1e-5,18446744073709551616,-9223372036854775809,0.1234567890123456789]"#,
    "truefalsenull",
    "\"\\u00",
];

/// Bytes that mean something somewhere.
const TOKENS: [&[u8]; 26] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u0061",
    b"\\ud800",
    b"null",
    b"true",
    b"-",
    b"0",
    b"1e9",
    b".",
    b" ",
    b"\n",
    b"\x00",
    b"\x1f",
    b"\x7f",
    b"\xc3",
    b"\xe2\x82\xac",
    b"\xff",
    b"\"id\":1,",
    b"\"a\":{},",
];

fn damage(frame: &mut Vec<u8>, random: &mut fastrand::Rng) {
    let at = random.usize(..=frame.len());
    let end = (at + random.usize(..12)).min(frame.len());
    match random.u8(..6) {
        0 => frame.truncate(at),
        1 => drop(frame.drain(at..end)),
        2 => drop(frame.splice(at..at, random.choice(TOKENS).unwrap_or_default().iter().copied())),
        3 => drop(frame.splice(at..end, random.choice(TOKENS).unwrap_or_default().iter().copied())),
        4 => {
            let piece = frame[at..end].to_vec();
            let to = random.usize(..=frame.len());
            drop(frame.splice(to..to, piece));
        }
        _ => {
            if let Some(byte) = frame.get_mut(at) {
                *byte ^= 1 << random.u8(..8);
            }
        }
    }
}

/// Runs `law` on damaged frames; a failure names its seed.
fn run(seeds: std::ops::Range<u64>, law: impl Fn(&[u8], &mut fastrand::Rng)) {
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut frame = random.choice(CORPUS).unwrap_or_default().as_bytes().to_vec();
        for _ in 0..random.usize(..4) {
            damage(&mut frame, &mut random);
        }
        let shown = frame.clone();
        let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| law(&frame, &mut random)));
        assert!(held.is_ok(), "seed {seed}: {}", shown.escape_ascii());
    }
}

#[test]
fn the_laws_of_reading_hold_for_damaged_frames() {
    run(0..12_000, |frame, _| laws::reading(frame));
}

#[test]
fn the_laws_of_editing_hold_for_damaged_frames() {
    run(0..12_000, |frame, random| {
        let steps = random.usize(..5);
        let script: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(steps * 3).collect();
        laws::editing(frame, &script);
    });
}

#[test]
fn every_cut_of_the_corpus_is_judged_like_any_frame() {
    for frame in CORPUS {
        for cut in 0..=frame.len() {
            laws::reading(&frame.as_bytes()[..cut]);
            laws::reading(&frame.as_bytes()[cut..]);
        }
    }
}
