//! The instructions of a process, counted by valgrind's callgrind.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::bench::peers::on_path;

/// What to do where valgrind is not installed.
const MISSING: &str = "valgrind, which counts the instructions, is not installed: install it (Debian and Ubuntu: `apt-get install valgrind`; \
                       Fedora: `dnf install valgrind`), or say what else to measure: `--measure calls,memory,lists`";

/// Where valgrind is.
pub(crate) fn find() -> anyhow::Result<PathBuf> {
    on_path("valgrind").context(MISSING)
}

/// What a program is started under to have its instructions counted, without those of its children, and written to `out`.
pub(crate) fn command(valgrind: &Path, out: &Path) -> Vec<String> {
    let out = format!("--callgrind-out-file={}", out.display());
    let valgrind = valgrind.to_string_lossy().into_owned();
    let options = ["--tool=callgrind", "--quiet", "--trace-children=no"];
    std::iter::once(valgrind).chain(options.map(str::to_owned)).chain([out]).collect()
}

/// The instructions in what callgrind wrote: the event `Ir` in the totals of all its parts.
pub(crate) fn instructions(written: &str) -> anyhow::Result<u64> {
    let events = written.lines().find_map(|line| line.strip_prefix("events:"));
    let events = events.context("callgrind names no events: it did not write its file, or not to its end")?;
    let at = events.split_whitespace().position(|event| event == "Ir");
    let at = at.context("callgrind did not count the event `Ir`")?;
    let mut total = None;
    for totals in written.lines().filter_map(|line| line.strip_prefix("totals:")) {
        let count = totals.split_whitespace().nth(at).and_then(|count| count.parse::<u64>().ok());
        let count = count.with_context(|| format!("callgrind wrote totals without a number for `Ir`:{totals}"))?;
        total = Some(total.unwrap_or(0) + count);
    }
    total.context("callgrind wrote no totals: the program did not end by itself")
}

/// The instructions of one call: what so many more calls took, so that the start of the program and its end fall out.
pub(crate) fn per_call(of_once: u64, of_twice: u64, calls: usize) -> f64 {
    (of_twice as f64 - of_once as f64) / calls.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str = "\
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 4711
cmd:  chancery stdio --config x.toml
part: 1


desc: I1 cache: 
desc: Timerange: Basic block 0 - 13931722
desc: Trigger: Program termination

positions: line
events: Ir
summary: 150434720


ob=(2) /usr/bin/chancery
fl=(2) ???
fn=(2) 0x0000000000020290
0 3
cfn=(58)
calls=1 0 
0 150434643

totals: 150434720
";

    #[test]
    fn the_total_is_found() {
        assert_eq!(instructions(WRITTEN).expect("whole"), 150_434_720);
    }

    #[test]
    fn parts_are_added_and_other_events_left_out() {
        let parts = "events: Dr Ir Dw\ntotals: 1 20 300\npart: 2\nevents: Dr Ir Dw\ntotals: 4 50 600\n";
        assert_eq!(instructions(parts).expect("whole"), 70);
    }

    #[test]
    fn what_is_missing_is_said() {
        for (written, word) in [
            ("", "no events"),
            ("events: Dr\ntotals: 1\n", "`Ir`"),
            ("events: Ir\nsummary: 7\n", "no totals"),
            ("events: Ir\ntotals: many\n", "without a number"),
        ] {
            let error = instructions(written).expect_err(written).to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn the_start_falls_out() {
        assert_eq!(per_call(1_000_000 + 300 * 70, 1_000_000 + 600 * 70, 300), 70.0);
    }

    #[test]
    fn the_program_follows_the_options() {
        let command = command(Path::new("/usr/bin/valgrind"), Path::new("/run/out"));
        assert_eq!(command.first().map(String::as_str), Some("/usr/bin/valgrind"));
        assert_eq!(command.last().map(String::as_str), Some("--callgrind-out-file=/run/out"));
    }
}
