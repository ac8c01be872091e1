//! Prints the tables, line by line as they are measured, and whether the figures meet their targets.

use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::load::{Load, Search};

/// The events per second that a store has to take, in both modes, from many tasks at once.
const TARGET: f64 = 20_000.0;

/// The measurements so far.
#[derive(Debug)]
pub(crate) struct Report {
    folder: PathBuf,
    met: Vec<bool>,
    rows: bool,
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

impl Report {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            met: Vec::new(),
            rows: false,
        }
    }

    fn line(&self, line: &str) {
        let mut out = std::io::stdout();
        // A reader that has closed its end (`| head`) is no error of ours.
        out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).ok();
    }

    /// Measures how fast the machine and the disk are now.
    pub(crate) fn calibrate(&self) {
        let loops = median(200, || {
            black_box(hash(black_box(b"a byte after the other")));
        });
        let mut file = tempfile::tempfile_in(&self.folder).expect("a file can be made");
        let sync = median(50, || append_and_sync(&mut file));
        let line = format!(
            "calibration: loop {:.1} µs, a write of 4 KiB with its fsync {:.0} µs (medians)",
            micros(loops),
            micros(sync)
        );
        self.line(&line);
    }

    pub(crate) fn events(&mut self, mode: &str, concurrency: usize, load: &Load) {
        self.row(&format!("events, {mode}"), concurrency, load);
        if concurrency == 1024 {
            self.met.push(load.per_second() >= TARGET);
        }
    }

    pub(crate) fn changes(&mut self, concurrency: usize, load: &Load) {
        self.row("changes", concurrency, load);
    }

    fn row(&mut self, what: &str, concurrency: usize, load: &Load) {
        if !self.rows {
            self.rows = true;
            self.line("\n| what | at once | per second | p50 µs | p99 µs | CPU each µs |\n|---|---:|---:|---:|---:|---:|");
        }
        let cpu = load.cpu_each().map_or("–".to_owned(), |cpu| format!("{:.1}", micros(cpu)));
        let line = format!(
            "| {what} | {concurrency} | {:.0} | {:.1} | {:.1} | {cpu} |",
            load.per_second(),
            micros(load.wait(50)),
            micros(load.wait(99)),
        );
        self.line(&line);
    }

    pub(crate) fn searches(&self, searches: &[Search]) {
        let events = searches.first().map_or(0, |search| search.events);
        self.line(&format!("\n| with {events} events | found | ms |\n|---|---:|---:|"));
        for search in searches {
            let line = format!("| {} | {} | {:.1} |", search.what, search.found, search.took.as_secs_f64() * 1e3);
            self.line(&line);
        }
    }

    /// Returns whether every target was met.
    pub(crate) fn verdict(self) -> bool {
        let met = !self.met.is_empty() && self.met.iter().all(|met| *met);
        let verdict = if met { "met" } else { "missed" };
        self.line(&format!(
            "\n{TARGET:.0} events a second from 1024 at once, in both modes: {verdict}"
        ));
        met
    }
}

fn median(times: usize, mut run: impl FnMut()) -> Duration {
    let mut samples: Vec<Duration> = (0..times)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    samples.sort_unstable();
    samples.get(times / 2).copied().unwrap_or_default()
}

fn append_and_sync(file: &mut File) {
    file.write_all(&[7; 4096])
        .and_then(|()| file.sync_data())
        .expect("the disk takes it");
}

/// Hashes a few bytes a thousand times: a time that grows when the machine is slow.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for round in 0..1000_u64 {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte) ^ round).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}
