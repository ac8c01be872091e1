//! Measures the latency of an intent over 10,000 tools on a warm snapshot.

use std::{hint::black_box, sync::Arc, time::Instant};

use mangle::{
    eval::Snapshot,
    program::{Facts, Program},
};

use crate::{
    data::{Input, Random, Table},
    ours::{block, model, options, program, rules},
    peak,
};

/// The relations that come with a request; all others are in the snapshot.
const SESSION: &[&str] = &["wants", "intent"];
const REQUESTS: usize = 500;

/// Measures, and returns a line of JSON with the percentiles.
pub fn run(input: &Input) -> String {
    let mut program: Program = program(&rules(input));
    for predicate in &mut program.predicates {
        predicate.session = SESSION.contains(&&*predicate.name);
    }
    for table in input.tables.iter().filter(|table| !SESSION.contains(&table.name)) {
        let mut interner = std::mem::take(&mut program.interner);
        let block = block(&program, &mut interner, table);
        program.interner = interner;
        program.facts.blocks.push(block);
    }
    let program = Arc::new(program);
    let start = Instant::now();
    let snapshot = Snapshot::new(Arc::clone(&program), &options()).expect("it ends");
    let frozen = start.elapsed().as_secs_f64() * 1e3;
    let mut random = Random(5);
    let (mut times, mut loops) = (Vec::with_capacity(REQUESTS), Vec::with_capacity(REQUESTS));
    let mut derived = 0;
    for _ in 0..REQUESTS {
        loops.push(calibrate());
        let session = session(&mut random);
        let start = Instant::now();
        let mut request = snapshot.request(&options()).expect("no fact depends on the time");
        for table in &session {
            let block = block(&program, request.interner(), table);
            request.give(&Facts { blocks: vec![block] }).expect("numbers are facts");
        }
        let model = model(request);
        times.push(start.elapsed().as_secs_f64() * 1e3);
        derived += model.derived();
    }
    times.sort_by(f64::total_cmp);
    loops.sort_by(f64::total_cmp);
    let at = |share: f64| times[((REQUESTS as f64 * share) as usize).min(REQUESTS - 1)];
    format!(
        "{{\"engine\":\"mangle\",\"case\":\"intent\",\"p50\":{:.3},\"p99\":{:.3},\"max\":{:.3},\"loop_ms\":{:.3},\"snapshot_ms\":{frozen:.3},\"rows\":{},\"derived\":{},\"kib\":{}}}",
        at(0.5),
        at(0.99),
        at(1.0),
        loops[REQUESTS / 2],
        snapshot.rows(),
        derived / REQUESTS as u64,
        peak()
    )
}

/// Returns the milliseconds of a fixed amount of arithmetic, which show how fast the processor is at this moment.
fn calibrate() -> f64 {
    const STEPS: u64 = 1_000_000;
    let start = Instant::now();
    let mut word = black_box(0x9e37_79b9_7f4a_7c15_u64);
    for _ in 0..STEPS {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
    }
    black_box(word);
    start.elapsed().as_secs_f64() * 1e3
}

/// Generates an intent that wants thirty tags out of a hundred.
fn session(random: &mut Random) -> Vec<Table> {
    let first = random.below(40);
    let wants = (0..30).flat_map(|at| [first + 2 * at, 20 + (at % 7) * 10]).collect();
    vec![
        Table {
            name: "wants",
            width: 2,
            rows: wants,
        },
        Table {
            name: "intent",
            width: 1,
            rows: vec![random.below(20)],
        },
    ]
}
