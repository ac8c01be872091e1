//! What must hold, and whether it did.

use serde_json::{Value, json};

use super::cells::{Cell, Lane};
use super::options::Size;
use super::probe::Sample;
use super::run::{Key, Measured};
use super::stats::{Spread, number};

/// A limit, and what was measured against it.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) figure: String,
    pub(crate) limit: f64,
    pub(crate) unit: &'static str,
    /// `None` when it wasn't measured.
    pub(crate) measured: Option<Spread>,
}

impl Target {
    fn new(figure: impl Into<String>, limit: f64, unit: &'static str, measured: Option<Spread>) -> Self {
        Self {
            figure: figure.into(),
            limit,
            unit,
            measured,
        }
    }

    /// Whether the median keeps the limit.
    pub(crate) fn holds(&self) -> Option<bool> {
        self.measured.map(|spread| spread.median <= self.limit)
    }

    /// The limit in a table.
    pub(crate) fn limit(&self) -> String {
        let limit = number(self.limit);
        let limit = if limit.contains('.') {
            limit.trim_end_matches('0').trim_end_matches('.')
        } else {
            &limit
        };
        format!("≤ {limit} {}", self.unit).trim_end().to_owned()
    }

    /// The target as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "figure": self.figure,
            "limit": self.limit,
            "unit": self.unit,
            "measured": self.measured.map(Spread::json),
            "holds": self.holds(),
        })
    }
}

/// Every target. Those of the cells are ratios within a round, so that they hold on any machine.
pub(crate) fn all(measured: &Measured) -> Vec<Target> {
    let mut targets = Vec::new();
    let cpu = |sample: &Sample| sample.cpu_us;
    let p50 = |sample: &Sample| sample.p50_us;
    let ratio = |cell, concurrency, size, lane, to, figure: fn(&Sample) -> f64| {
        measured.ratio(
            Key {
                cell,
                concurrency,
                size,
                lane,
            },
            to,
            figure,
        )
    };
    let ours = |cell, concurrency, size, figure| ratio(cell, concurrency, size, Lane::Chancery, Lane::Hyper, figure);
    for cell in [Cell::HttpLegacy, Cell::HttpModern] {
        let title = cell.title();
        targets.push(Target::new(
            format!("CPU per call, {title}, c = 16, 200 B"),
            1.5,
            "× hyper",
            ours(cell, 16, Size::Small, cpu),
        ));
        targets.push(Target::new(
            format!("p50, {title}, c = 1, 200 B"),
            1.4,
            "× hyper",
            ours(cell, 1, Size::Small, p50),
        ));
        targets.push(Target::new(
            format!("CPU per call, {title}, c = 16, 100 kB"),
            1.2,
            "× hyper",
            ours(cell, 16, Size::Large, cpu),
        ));
    }
    for (size, limit) in [(Size::Small, 1.3), (Size::Large, 1.2)] {
        let figure = format!("CPU per call, {}, c = 16, {}", Cell::HttpStdio.title(), size.name());
        targets.push(Target::new(figure, limit, "× hyper", ours(Cell::HttpStdio, 16, size, cpu)));
    }
    for cell in [Cell::HttpLegacy, Cell::HttpModern, Cell::HttpStdio] {
        let guarded = ratio(cell, 16, Size::Small, Lane::Chancery, Lane::Unguarded, cpu);
        let figure = format!("CPU per call with policy, validators and audit, {}, c = 16, 200 B", cell.title());
        targets.push(Target::new(figure, 1.3, "× unguarded", guarded));
    }
    for cell in [Cell::ModernLegacy, Cell::LegacyModern] {
        let bridged = ratio(cell, 16, Size::Small, Lane::Chancery, Lane::Unbridged, cpu);
        let figure = format!("CPU per call, {}, c = 16, 200 B", cell.title());
        targets.push(Target::new(figure, 2.0, "× unbridged", bridged));
    }
    let reading = |name| measured.reading(name);
    targets.extend([
        Target::new("warm tools/list of 1,000 tools, p50", 5.0, "× tools/call", reading("list.ratio")),
        Target::new("warm tools/list of 1,000 tools, p99", 1_000.0, "µs", reading("list.p99")),
        Target::new("spawn to first tools/list, cached catalogue", 20.0, "ms", reading("start.known")),
        Target::new(
            "the same with 100 unknown stdio upstreams",
            1.5,
            "× bare loop",
            reading("start.ratio"),
        ),
        Target::new("resident memory, idle", 15.0, "MB", reading("memory.idle")),
        Target::new("resident memory of an idle session", 20.0, "kB", reading("memory.session")),
        // Allocators hand pages back when they please: a megabyte either way is not growth.
        Target::new("growth over many calls", 1.0, "MB", reading("growth.calls")),
        Target::new("growth over many sessions", 1.0, "MB", reading("growth.sessions")),
        Target::new(
            "the bare proxy itself, CPU per call, c = 16, 200 B",
            1.3,
            "× nginx",
            ratio(Cell::HttpLegacy, 16, Size::Small, Lane::Hyper, Lane::Nginx, cpu),
        ),
    ]);
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_short_and_inclusive() {
        let spread = |median| {
            Some(Spread {
                median,
                min: 0.0,
                max: 9.0,
            })
        };
        let target = |limit, measured| Target::new("x", limit, "MB", measured);
        assert_eq!(target(1.5, spread(1.5)).holds(), Some(true));
        assert_eq!(target(1.5, spread(1.51)).holds(), Some(false));
        assert_eq!(target(1.5, None).holds(), None);
        let limits = [1.5, 5.0, 20.0, 1_000.0].map(|limit| target(limit, None).limit());
        assert_eq!(limits, ["≤ 1.5 MB", "≤ 5 MB", "≤ 20 MB", "≤ 1,000 MB"]);
    }
}
