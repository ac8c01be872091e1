//! The measurement itself: rounds over everything, so that whatever else happens on the machine meets all lanes alike.

use std::collections::BTreeMap;

use anyhow::bail;

use super::cells::{Cell, Lane};
use super::figures::{self, Reading};
use super::fleet::Fleet;
use super::machine::Machine;
use super::options::{Options, Size};
use super::probe::{self, Length, Load, Sample, What};
use super::stats::{Spread, number};

/// One line of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) cell: Cell,
    pub(crate) concurrency: u32,
    pub(crate) size: Size,
    pub(crate) lane: Lane,
}

/// Everything that was measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) machine: Machine,
    /// Milliseconds of the calibration loop before each round, and after the last.
    pub(crate) calibration: Vec<f64>,
    /// The samples of each line by round.
    pub(crate) samples: BTreeMap<Key, BTreeMap<usize, Sample>>,
    pub(crate) readings: Vec<Reading>,
    /// What went wrong, and whether our own gateway did it.
    pub(crate) failures: Vec<Failure>,
}

/// A measurement that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) why: String,
    ours: bool,
}

/// Measures all cells in rounds, then the figures.
pub(crate) fn measure(options: &Options, fleet: &mut Fleet) -> anyhow::Result<Measured> {
    let mut measured = Measured {
        machine: Machine::look(),
        calibration: Vec::new(),
        samples: BTreeMap::new(),
        readings: Vec::new(),
        failures: Vec::new(),
    };
    if measured.machine.load > 0.3 {
        eprintln!(
            "the machine is not idle (load {:.2}); the figures will not be worth publishing",
            measured.machine.load
        );
    }
    measured.calibrate(fleet)?;
    for round in 1..=options.rounds {
        for key in keys(options, round) {
            measured.sample(options, fleet, round, key);
        }
        measured.calibrate(fleet)?;
    }
    if options.lanes.contains(&Lane::Chancery) {
        for figure in &options.figures {
            match figures::measure(*figure, options, fleet) {
                Ok(readings) => measured.readings.extend(readings),
                Err(error) => measured.fail(format!("figure {figure:?}"), &error, true),
            }
        }
    }
    Ok(measured)
}

/// The lines of one round. Lanes change fastest: what is compared is measured next to each other. Each round begins with
/// another lane, so that none always follows the same neighbour.
fn keys(options: &Options, round: usize) -> Vec<Key> {
    let mut keys = Vec::new();
    for &concurrency in &options.concurrency {
        for &size in &options.sizes {
            for &cell in &options.cells {
                let mut lanes: Vec<Lane> = cell.lanes().iter().copied().filter(|lane| options.lanes.contains(lane)).collect();
                let first = round % lanes.len().max(1);
                lanes.rotate_left(first);
                keys.extend(lanes.into_iter().map(|lane| Key {
                    cell,
                    concurrency,
                    size,
                    lane,
                }));
            }
        }
    }
    keys
}

impl Measured {
    fn calibrate(&mut self, fleet: &Fleet) -> anyhow::Result<()> {
        let report = probe::peer(&fleet.binaries.bench_peer, &["calibrate"], &[])?;
        self.calibration.push(probe::number(&report, "/ms")?);
        Ok(())
    }

    fn sample(&mut self, options: &Options, fleet: &mut Fleet, round: usize, key: Key) {
        let line = format!("{} c={} {} {}", key.cell, key.concurrency, key.size.name(), key.lane);
        match drive(options, fleet, key) {
            Ok(Some(sample)) => {
                eprintln!(
                    "round {round}/{}: {line}: {} rps, p50 {} µs, {} µs of CPU",
                    options.rounds,
                    number(sample.rps),
                    number(sample.p50_us),
                    number(sample.cpu_us)
                );
                self.samples.entry(key).or_default().insert(round, sample);
            }
            Ok(None) if round == 1 => eprintln!("{} is not installed and left out of {line}", key.lane),
            Ok(None) => {}
            Err(error) => self.fail(format!("round {round}, {line}"), &error, key.lane.is_ours()),
        }
    }

    fn fail(&mut self, what: String, error: &anyhow::Error, ours: bool) {
        eprintln!("{what}: {error:#}");
        self.failures.push(Failure {
            what,
            why: format!("{error:#}"),
            ours,
        });
    }

    /// The spread of `figure` over the rounds of one line.
    pub(crate) fn spread(&self, key: Key, figure: impl Fn(&Sample) -> f64) -> Option<Spread> {
        Spread::of(self.samples.get(&key)?.values().map(figure))
    }

    /// The spread of the ratio of `figure` between two lanes, round by round: both sides of each ratio were measured
    /// within seconds of each other.
    pub(crate) fn ratio(&self, key: Key, to: Lane, figure: impl Fn(&Sample) -> f64) -> Option<Spread> {
        let (ours, theirs) = (self.samples.get(&key)?, self.samples.get(&Key { lane: to, ..key })?);
        Spread::of(
            ours.iter()
                .filter_map(|(round, ours)| Some(figure(ours) / figure(theirs.get(round)?))),
        )
    }

    /// The reading with this name.
    pub(crate) fn reading(&self, name: &str) -> Option<Spread> {
        self.readings
            .iter()
            .find(|reading| reading.name == name)
            .map(|reading| reading.spread)
    }

    /// An error if a measurement of our own gateway failed.
    pub(crate) fn verdict(&self) -> anyhow::Result<()> {
        match self.failures.iter().filter(|failure| failure.ours).count() {
            0 => Ok(()),
            count => bail!("{count} measurements of the gateway failed"),
        }
    }
}

fn drive(options: &Options, fleet: &mut Fleet, key: Key) -> anyhow::Result<Option<Sample>> {
    let Some(target) = fleet.target(key.cell, key.lane)? else {
        return Ok(None);
    };
    let load = Load {
        era: key.cell.client(),
        concurrency: key.concurrency,
        what: What::Call {
            tool: key.size.tool().to_owned(),
            bytes: key.size.bytes(),
        },
        length: Length::Seconds(options.seconds),
    };
    // The workers of nginx are its children; the children of a gateway are servers.
    probe::drive(&fleet.binaries.bench_peer, &target, &load, key.lane == Lane::Nginx).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn measured(samples: &[(Lane, usize, f64)]) -> (Measured, Key) {
        let key = Key {
            cell: Cell::HttpLegacy,
            concurrency: 16,
            size: Size::Small,
            lane: Lane::Chancery,
        };
        let mut measured = Measured {
            machine: Machine::look(),
            calibration: Vec::new(),
            samples: BTreeMap::new(),
            readings: Vec::new(),
            failures: Vec::new(),
        };
        for &(lane, round, cpu_us) in samples {
            let sample = Sample {
                rps: 0.0,
                p50_us: 0.0,
                p99_us: 0.0,
                cpu_us,
                children_cpu_us: 0.0,
                rss_kb: (0.0, 0.0),
                report: Value::Null,
            };
            measured.samples.entry(Key { lane, ..key }).or_default().insert(round, sample);
        }
        (measured, key)
    }

    #[test]
    fn ratios_pair_what_one_round_measured() {
        let (measured, key) = measured(&[
            (Lane::Chancery, 1, 20.0),
            (Lane::Hyper, 1, 10.0),
            (Lane::Chancery, 2, 90.0),
            (Lane::Hyper, 2, 30.0),
            (Lane::Chancery, 3, 1000.0),
        ]);
        let ratio = measured.ratio(key, Lane::Hyper, |sample| sample.cpu_us);
        assert_eq!(
            ratio,
            Some(Spread {
                median: 2.5,
                min: 2.0,
                max: 3.0
            }),
            "the third round has no partner"
        );
        assert_eq!(measured.ratio(key, Lane::Nginx, |sample| sample.cpu_us), None);
    }

    #[test]
    fn only_our_failures_fail_the_run() {
        let (mut measured, _) = measured(&[]);
        measured.fail("a peer".to_owned(), &anyhow::anyhow!("broke"), false);
        assert!(measured.verdict().is_ok());
        measured.fail("the gateway".to_owned(), &anyhow::anyhow!("broke"), true);
        assert!(measured.verdict().is_err());
    }

    #[test]
    fn lanes_change_fastest_and_take_turns() {
        let args = [
            "--lanes",
            "direct,hyper",
            "--cells",
            "http-legacy,http-modern",
            "--concurrency",
            "1,16",
        ]
        .map(str::to_owned);
        let options = Options::parse(&args).expect("valid").expect("no help");
        let first = keys(&options, 2);
        assert_eq!(first.len(), 2 * 2 * 2 * 2);
        assert_eq!(
            first[..2].iter().map(|key| key.lane).collect::<Vec<_>>(),
            [Lane::Direct, Lane::Hyper]
        );
        assert_eq!((first[0].cell, first[2].cell), (Cell::HttpLegacy, Cell::HttpModern));
        let second = keys(&options, 3);
        assert_eq!(
            second[..2].iter().map(|key| key.lane).collect::<Vec<_>>(),
            [Lane::Hyper, Lane::Direct]
        );
    }
}
