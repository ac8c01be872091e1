//! The rounds: every task in every lane, lanes changing fastest, so that what is compared is measured next to each other.

use std::time::Instant;

use anyhow::bail;

use super::compare::{Kind, LANES, Lane, Line, Round};
use super::measure::{Servers, Task};
use super::options::{Options, Part};
use super::source::Gateways;
use crate::bench::build::Binaries;
use crate::bench::machine::Machine;
use crate::bench::probe;
use crate::bench::stats::number;

/// What hardly varies is measured at most so often.
const FEW: usize = 3;

/// Everything that was measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) machine: Machine,
    /// Milliseconds of the calibration loop before the first round, and after each.
    pub(crate) calibration: Vec<f64>,
    pub(crate) lines: Vec<Line>,
    /// What went wrong, in words.
    pub(crate) failures: Vec<String>,
}

/// Measures all that the options ask for.
pub(crate) fn measure(options: &Options, gateways: &Gateways) -> anyhow::Result<Measured> {
    let mut measured = Measured {
        machine: Machine::look(),
        calibration: Vec::new(),
        lines: Vec::new(),
        failures: Vec::new(),
    };
    if measured.machine.load > 0.3 {
        eprintln!(
            "the machine is not idle (load {:.2}): times will vary, instructions hardly",
            measured.machine.load
        );
    }
    measured.calibrate(gateways)?;
    let (noisy, steady): (Vec<Task>, Vec<Task>) = tasks(options).into_iter().partition(|task| task.kind() == Kind::Noisy);
    let few = options.rounds.min(FEW);
    let mut progress = Progress::new((noisy.len() * options.rounds + steady.len() * few) * LANES.len());
    for (tasks, rounds) in [(noisy, options.rounds), (steady, few)] {
        let mut lines: Vec<Vec<Line>> = tasks.iter().map(|task| empty_lines(*task)).collect();
        for round in (1..=rounds).filter(|_| !tasks.is_empty()) {
            for (task, lines) in tasks.iter().zip(&mut lines) {
                measured.round(options, gateways, *task, (round, rounds), lines, &mut progress);
            }
            measured.calibrate(gateways)?;
        }
        measured.lines.extend(lines.into_iter().flatten());
    }
    Ok(measured)
}

impl Measured {
    /// Measures one task in all lanes. A round in which one of them failed is none.
    fn round(
        &mut self,
        options: &Options,
        gateways: &Gateways,
        task: Task,
        (round, rounds): (usize, usize),
        lines: &mut [Line],
        progress: &mut Progress,
    ) {
        let mut values: Vec<Round> = vec![[f64::NAN; LANES.len()]; lines.len()];
        for lane in Lane::in_turn(round) {
            progress.step();
            match task.measure(options, binaries(gateways, lane)) {
                Ok(measured) => {
                    let shown: Vec<String> = lines
                        .iter()
                        .zip(&measured)
                        .map(|(line, value)| format!("{}: {} {}", line.title, number(*value), line.unit).trim_end().to_owned())
                        .collect();
                    progress.say(&format!("round {round}/{rounds}, {lane:?}, {}", shown.join("; ")));
                    for (line, value) in values.iter_mut().zip(measured) {
                        line[lane as usize] = value;
                    }
                }
                Err(error) => {
                    let failure = format!("round {round}, {lane:?}, {}: {error:#}", lines[0].title);
                    progress.say(&failure);
                    self.failures.push(failure);
                }
            }
        }
        for (line, values) in lines.iter_mut().zip(values) {
            line.rounds.extend(values.iter().all(|value| value.is_finite()).then_some(values));
        }
    }

    fn calibrate(&mut self, gateways: &Gateways) -> anyhow::Result<()> {
        let report = probe::peer(&gateways.bench_peer, &["calibrate"], &[])?;
        self.calibration.push(probe::number(&report, "/ms")?);
        Ok(())
    }

    /// An error if a measurement failed.
    pub(crate) fn complete(&self) -> anyhow::Result<()> {
        match self.failures.len() {
            0 => Ok(()),
            count => bail!("{count} measurements failed"),
        }
    }
}

/// What there is to measure.
fn tasks(options: &Options) -> Vec<Task> {
    let mut tasks = Vec::new();
    for part in &options.parts {
        match part {
            Part::Calls => {
                for &concurrency in &options.concurrency {
                    tasks.extend(options.cells.iter().map(|&cell| Task::Calls { cell, concurrency }));
                }
            }
            Part::Memory => tasks.extend([Servers::One, Servers::Hundred].map(|servers| Task::Memory { servers })),
            Part::Lists => tasks.push(Task::Lists),
            Part::Instructions => {
                tasks.extend(options.cells.iter().map(|&cell| Task::Instructions { cell }));
                tasks.push(Task::ListInstructions);
            }
        }
    }
    tasks
}

fn empty_lines(task: Task) -> Vec<Line> {
    let line = |(title, unit)| Line {
        title,
        unit,
        kind: task.kind(),
        rounds: Vec::new(),
    };
    task.figures().into_iter().map(line).collect()
}

fn binaries(gateways: &Gateways, lane: Lane) -> Binaries {
    let gateway = if lane.is_present() { &gateways.present } else { &gateways.commit };
    Binaries::of_gateway(gateway.clone(), gateways.bench_peer.clone())
}

/// How far a long run is, on stderr.
#[derive(Debug)]
struct Progress {
    start: Instant,
    at: usize,
    steps: usize,
}

impl Progress {
    fn new(steps: usize) -> Self {
        Self {
            start: Instant::now(),
            at: 0,
            steps,
        }
    }

    fn step(&mut self) {
        self.at += 1;
    }

    fn say(&self, what: &str) {
        let minutes = self.start.elapsed().as_secs_f64() / 60.0;
        eprintln!("[{}/{}, {minutes:.1} min] {what}", self.at, self.steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::cells::Cell;

    fn tasks_of(line: &str) -> Vec<Task> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        tasks(&Options::parse(&args).expect("valid").expect("no help"))
    }

    #[test]
    fn parts_and_cells_make_tasks() {
        let tasks = tasks_of("--against x --measure calls,instructions --cells stdio-stdio --concurrency 1,16");
        let cell = Cell::StdioStdio;
        let calls = |concurrency| Task::Calls { cell, concurrency };
        assert_eq!(tasks, [calls(1), calls(16), Task::Instructions { cell }, Task::ListInstructions]);
        assert_eq!(tasks_of("--against x").len(), 6 + 2 + 1 + 7);
    }

    #[test]
    fn every_figure_has_a_title_of_its_own() {
        let lines: Vec<Line> = tasks_of("--against x --concurrency 1,16")
            .into_iter()
            .flat_map(empty_lines)
            .collect();
        let mut titles: Vec<&str> = lines.iter().map(|line| line.title.as_str()).collect();
        titles.sort_unstable();
        titles.dedup();
        assert_eq!(titles.len(), lines.len());
    }

    #[test]
    fn a_lane_has_the_gateway_of_its_side() {
        let gateways = Gateways {
            commit: "a".into(),
            present: "b".into(),
            bench_peer: "p".into(),
        };
        let gateway = |lane| binaries(&gateways, lane).chancery.expect("a gateway");
        let names: Vec<_> = LANES.into_iter().map(gateway).collect();
        assert_eq!(names, ["a", "b", "a", "b"].map(std::path::PathBuf::from));
    }
}
