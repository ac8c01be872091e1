//! Resource use of processes, from `/proc`: processor time, resident memory, threads, and that of their children.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};
use serde::Serialize;

/// Nanoseconds in one tick of `/proc/PID/stat`; Linux shows 100 ticks a second on every machine.
const TICK_NS: u64 = 10_000_000;

/// A process to measure, given as `NAME=PID`.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    pub(crate) name: String,
    pub(crate) pid: u32,
}

impl FromStr for Watch {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let Some((name, pid)) = text.split_once('=') else {
            bail!("`{text}` is not NAME=PID");
        };
        Ok(Self {
            name: name.to_owned(),
            pid: pid.parse().with_context(|| format!("`{pid}` is not a process id"))?,
        })
    }
}

/// The state of a process and its descendants at one moment.
#[derive(Debug)]
pub(crate) struct Sample {
    root: u32,
    processes: BTreeMap<u32, Process>,
}

impl Sample {
    /// Reads the process `root` and all its descendants; fails when there is no such process.
    pub(crate) fn of(root: u32) -> anyhow::Result<Self> {
        let own = Process::read(root).with_context(|| format!("process {root} is gone"))?;
        let mut processes: BTreeMap<u32, Process> = descendants(root)?
            .into_iter()
            .filter_map(|pid| Some((pid, Process::read(pid)?)))
            .collect();
        processes.insert(root, own);
        Ok(Self { root, processes })
    }

    /// Returns the resident memory of the process itself in kB.
    pub(crate) fn rss_kb(&self) -> u64 {
        self.processes[&self.root].rss_kb
    }

    /// Returns the resources used since `before`.
    pub(crate) fn since(&self, before: &Self) -> Usage {
        let own = &self.processes[&self.root];
        let mut usage = Usage {
            cpu_ns: own.cpu_since(before.processes.get(&self.root)),
            rss_before_kb: before.rss_kb(),
            rss_kb: own.rss_kb,
            peak_kb: own.peak_kb,
            threads: own.threads,
            ..Usage::default()
        };
        for (pid, process) in self.processes.iter().filter(|(pid, _)| **pid != self.root) {
            usage.children += 1;
            usage.children_cpu_ns += process.cpu_since(before.processes.get(pid));
            usage.children_rss_kb += process.rss_kb;
        }
        usage
    }
}

/// The proportional share of memory of a process in kB: pages that it has with others count in parts. Reading it takes the kernel a
/// walk through the process's pages, so it is no part of a sample.
pub(crate) fn pss_kb(pid: u32) -> anyhow::Result<u64> {
    let file = format!("/proc/{pid}/smaps_rollup");
    let rollup = fs::read_to_string(&file).with_context(|| format!("failed to read {file}"))?;
    Ok(status_field(&rollup, "Pss:"))
}

/// The resources that a process used between two samples.
#[derive(Debug, Default, Clone, Serialize)]
pub(crate) struct Usage {
    /// The processor time of the process itself.
    pub(crate) cpu_ns: u64,
    /// The resident memory at the beginning.
    pub(crate) rss_before_kb: u64,
    /// The resident memory at the end.
    pub(crate) rss_kb: u64,
    /// The greatest resident memory it ever had.
    pub(crate) peak_kb: u64,
    /// The number of threads at the end.
    pub(crate) threads: u64,
    /// The number of descendants at the end.
    pub(crate) children: u64,
    /// The processor time of the descendants that are still running.
    pub(crate) children_cpu_ns: u64,
    /// The resident memory of the descendants, shared pages counted once for each.
    pub(crate) children_rss_kb: u64,
}

/// A process at one moment.
#[derive(Debug, Default)]
struct Process {
    /// The processor time of each living thread, by thread id.
    threads_ns: BTreeMap<u32, u64>,
    /// The user and system time of all threads that ever lived.
    ticks: u64,
    rss_kb: u64,
    peak_kb: u64,
    threads: u64,
}

impl Process {
    /// Reads a process; returns `None` when it has ended.
    fn read(pid: u32) -> Option<Self> {
        let root = PathBuf::from(format!("/proc/{pid}"));
        let status = fs::read_to_string(root.join("status")).ok()?;
        let stat = fs::read_to_string(root.join("stat")).ok()?;
        let threads_ns = numbered(&root.join("task").to_string_lossy())
            .filter_map(|tid| {
                let schedstat = fs::read_to_string(root.join(format!("task/{tid}/schedstat"))).ok()?;
                Some((tid, schedstat.split(' ').next()?.parse().ok()?))
            })
            .collect();
        let after_name = stat.rsplit_once(')')?.1;
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        Some(Self {
            threads_ns,
            ticks: fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?,
            rss_kb: status_field(&status, "VmRSS:"),
            peak_kb: status_field(&status, "VmHWM:"),
            threads: status_field(&status, "Threads:"),
        })
    }

    /// Returns the nanoseconds of processor time since `before`, or since the process started.
    ///
    /// The sum over threads is exact, but the time of a thread that ended is missing (and a kernel may keep no such
    /// sums at all); then the ticks are the better figure.
    fn cpu_since(&self, before: Option<&Self>) -> u64 {
        let nothing = Self::default();
        let before = before.unwrap_or(&nothing);
        let ticks_ns = self.ticks.saturating_sub(before.ticks) * TICK_NS;
        let lost = self.threads_ns.is_empty() || before.threads_ns.keys().any(|tid| !self.threads_ns.contains_key(tid));
        if lost {
            return ticks_ns;
        }
        let start = |tid| before.threads_ns.get(tid).copied().unwrap_or(0);
        self.threads_ns.iter().map(|(tid, now)| now.saturating_sub(start(tid))).sum()
    }
}

/// Returns a number of `/proc/PID/status`; 0 where the field is absent.
fn status_field(status: &str, field: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns the entries of a directory whose names are numbers; none when it can't be read.
fn numbered(directory: &str) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// Returns the ids of all living descendants of `root`.
fn descendants(root: u32) -> anyhow::Result<Vec<u32>> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let parents: Vec<(u32, u32)> = numbered("/proc").filter_map(|pid| Some((pid, parent(pid)?))).collect();
    anyhow::ensure!(!parents.is_empty(), "/proc lists no process; a benchmark needs Linux");
    let mut family = vec![root];
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        family.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| pid));
        next += 1;
    }
    Ok(family.split_off(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn watches_are_a_name_and_a_process_id() {
        let watch: Watch = "gateway=17".parse().expect("valid");
        assert_eq!((watch.name.as_str(), watch.pid), ("gateway", 17));
        for wrong in ["gateway", "gateway=", "gateway=x"] {
            assert!(wrong.parse::<Watch>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn work_shows_as_processor_time() {
        let before = Sample::of(std::process::id()).expect("ourselves");
        let start = std::time::Instant::now();
        while start.elapsed().as_millis() < 50 {
            std::hint::black_box(start);
        }
        let usage = Sample::of(std::process::id()).expect("ourselves").since(&before);
        assert!(usage.cpu_ns > 1_000_000, "{usage:?}");
        assert!(
            usage.rss_kb > 100 && usage.peak_kb >= usage.rss_kb && usage.threads >= 1,
            "{usage:?}"
        );
    }

    #[test]
    fn shared_pages_count_in_parts() {
        let own = std::process::id();
        let rss_kb = Sample::of(own).expect("ourselves").rss_kb();
        let pss_kb = pss_kb(own).expect("ourselves");
        // Between the two readings the process may grow.
        assert!(pss_kb > 100 && pss_kb < rss_kb + 10_000, "{pss_kb} of {rss_kb}");
    }

    #[test]
    fn children_are_counted_apart() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("cat starts");
        let sample = Sample::of(std::process::id()).expect("ourselves");
        assert!(sample.processes.contains_key(&child.id()));
        assert!(sample.since(&sample).children >= 1);
        drop(child.stdin.take());
        child.wait().expect("cat ends");
        assert!(Sample::of(child.id()).is_err(), "a process that ended can't be watched");
    }

    #[test]
    fn ticks_stand_in_for_threads_that_ended() {
        let process = |threads: &[(u32, u64)], ticks| Process {
            threads_ns: threads.iter().copied().collect(),
            ticks,
            ..Process::default()
        };
        let before = process(&[(1, 100), (2, 50)], 3);
        assert_eq!(process(&[(1, 400), (2, 50), (3, 7)], 3).cpu_since(Some(&before)), 307);
        assert_eq!(process(&[(1, 400)], 5).cpu_since(Some(&before)), 2 * TICK_NS);
        assert_eq!(process(&[], 5).cpu_since(None), 5 * TICK_NS);
    }
}
