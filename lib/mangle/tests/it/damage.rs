//! Checks the laws on damaged programs of the corpus: cut, repeated, spliced, one byte changed.

use crate::{
    corpus,
    generate::Random,
    laws::{analysing, evaluating, reading},
};

/// How many damaged programs an ordinary run has.
const COUNT: u64 = 3_000;

#[test]
fn damaged_programs_break_no_law() {
    damage(1, COUNT);
}

/// Runs for `cargo xtask soak mangle`.
#[test]
#[ignore = "long: cargo xtask soak mangle"]
fn soak_mangle_damage() {
    let seed = std::env::var("SOAK_SEED").ok().and_then(|seed| seed.parse().ok());
    damage(seed.unwrap_or(2), 200_000);
}

fn damage(seed: u64, count: u64) {
    let texts: Vec<Vec<u8>> = corpus::cases()
        .into_iter()
        .flat_map(|case| case.sources)
        .map(|source| source.text.into_bytes())
        .collect();
    let short: Vec<&Vec<u8>> = texts.iter().filter(|text| text.len() < 2_000).collect();
    for text in &short {
        every_law(text);
    }
    let mut random = Random::new(seed);
    for _ in 0..count {
        let mut text = short[random.below(short.len())].clone();
        for _ in 0..random.within(1, 3) {
            let other = short[random.below(short.len())];
            change(&mut text, other, &mut random);
        }
        every_law(&text);
    }
}

fn every_law(text: &[u8]) {
    reading(text);
    analysing(text);
    evaluating(text);
}

/// Damages a text in one place.
fn change(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    const BYTES: &[u8] = b"()[]{}<>,.:;!@|\"'`\\/#_-+=*XYab01 \n\xe2\xff";
    let at = random.below(text.len() + 1);
    let end = (at + random.below(12)).min(text.len());
    match random.below(6) {
        0 => drop(text.drain(at..end)),
        1 => {
            let piece = text[at..end].to_vec();
            let to = random.below(text.len() + 1);
            text.splice(to..to, piece);
        }
        2 => text.truncate(at),
        3 => {
            let from = random.below(other.len() + 1);
            let to = (from + random.below(40)).min(other.len());
            text.splice(at..at, other[from..to].iter().copied());
        }
        4 => text.insert(at, *random.pick(BYTES)),
        _ => {
            if let Some(byte) = text.get_mut(at) {
                *byte = *random.pick(BYTES);
            }
        }
    }
}
