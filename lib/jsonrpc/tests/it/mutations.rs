//! Checks the laws on many damaged frames: a bounded, seeded run of what the fuzz targets do without end.

use crate::corpus::CORPUS;
use crate::laws;

/// Byte sequences that have a meaning somewhere in JSON or JSON-RPC.
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
