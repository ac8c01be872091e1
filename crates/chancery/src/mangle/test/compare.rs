//! Compares what a case expects with the facts.

use std::collections::{BTreeMap, BTreeSet};

use mangle::{
    analysis::constant,
    eval::{Budget, Cancel, Model},
    explain::Explainer,
    program::Interval,
    syntax::{
        Dialect, Sources,
        ast::{Clause, TermKind},
        parse,
    },
    value::{Interner, parse_rfc3339},
};

use super::{
    super::{
        facts,
        load::{Loaded, report},
        why,
    },
    problem::Problem,
    suite::Case,
};

/// The most lines of an explanation that are shown.
const LINES: usize = 12;

/// The result that is compared with the expectations.
pub(super) struct Found<'a> {
    pub(super) model: &'a Model,
    pub(super) loaded: &'a Loaded,
    pub(super) file: &'a str,
    /// Whether to explain why a fact is there or not; mutation tests don't need it.
    pub(super) explain: bool,
}

/// A fact with wildcards: an argument that is `None` may be anything, and without a time any time matches.
struct Pattern {
    label: String,
    args: Vec<Option<String>>,
    time: Option<Time>,
    text: String,
    line: u32,
}

/// The time at which a fact is expected to hold.
#[derive(Clone, Copy)]
struct Time {
    interval: Interval,
    /// Whether the time is `@[T]`: a fact that holds longer holds at that moment too.
    is_moment: bool,
}

impl Pattern {
    fn matches(&self, row: &[String], at: impl Fn(Time, Interval) -> bool) -> bool {
        let agree = |(wanted, found): (&Option<String>, &String)| wanted.as_ref().is_none_or(|wanted| wanted == found);
        let columns = row.len() >= self.args.len() && self.args.iter().zip(row).all(agree);
        columns
            && self
                .time
                .is_none_or(|time| interval(&row[self.args.len()..]).is_some_and(|holds| at(time, holds)))
    }

    fn is_there(&self, row: &[String]) -> bool {
        self.matches(row, |time, holds| {
            holds == time.interval || time.is_moment && holds.contains(time.interval)
        })
    }

    fn is_there_at_some_time(&self, row: &[String]) -> bool {
        self.matches(row, |time, holds| holds.overlaps(time.interval))
    }

    fn is(&self, row: &[String]) -> bool {
        self.matches(row, |time, holds| holds == time.interval)
    }

    fn is_whole(&self) -> bool {
        self.args.iter().all(Option::is_some)
    }
}

/// Returns the time after the columns of a row, as it is written.
fn interval(bounds: &[String]) -> Option<Interval> {
    let [start, end] = bounds else { return None };
    let bound = |text: &str, open: i64| if text == "_" { Some(open) } else { parse_rfc3339(text) };
    Interval::new(bound(start, i64::MIN)?, bound(end, i64::MAX)?)
}

/// Returns every difference from what the case expects.
pub(super) fn compare(case: &Case, found: &Found<'_>) -> Vec<Problem> {
    let (mut problems, all) = (Vec::new(), found.model.to_text());
    let rows = |label: &str| all.get(label).map_or(&[][..], Vec::as_slice);
    for pattern in patterns(&case.texts.expect, found, &mut problems) {
        if !rows(&pattern.label).iter().any(|row| pattern.is_there(row)) {
            problems.push(found.missing(&pattern, &all));
        }
    }
    for pattern in patterns(&case.texts.absent, found, &mut problems) {
        for row in rows(&pattern.label).iter().filter(|row| pattern.is_there_at_some_time(row)) {
            problems.push(found.unexpected(&pattern, row));
        }
    }
    let exactly = patterns(&case.texts.exactly, found, &mut problems);
    let mut seen = BTreeSet::new();
    for first in exactly.iter().filter(|pattern| seen.insert(&pattern.label)) {
        let wanted = || exactly.iter().filter(|pattern| pattern.label == first.label);
        for pattern in wanted().filter(|pattern| !rows(&first.label).iter().any(|row| pattern.is(row))) {
            problems.push(found.missing(pattern, &all));
        }
        for row in rows(&first.label).iter().filter(|row| !wanted().any(|pattern| pattern.is(row))) {
            problems.push(found.unexpected(first, row));
        }
    }
    problems
}

impl Found<'_> {
    fn missing(&self, pattern: &Pattern, all: &BTreeMap<String, Vec<Vec<String>>>) -> Problem {
        let rows = all.get(&pattern.label).map_or(&[][..], Vec::as_slice);
        let explained = if self.explain && pattern.is_whole() {
            self.explained(&pattern.text, true)
        } else {
            None
        };
        let because = explained.unwrap_or_else(|| match rows {
            [] => vec![format!("there is no fact of {}", pattern.label)],
            rows => vec![format!("nearest: {}", nearest(pattern, rows).join(", "))],
        });
        Problem::Missing {
            fact: pattern.text.clone(),
            line: pattern.line,
            because,
        }
    }

    fn unexpected(&self, pattern: &Pattern, row: &[String]) -> Problem {
        let fact = facts::text(&pattern.label, row);
        let explained = if self.explain { self.explained(&fact, false) } else { None };
        Problem::Unexpected {
            because: explained.unwrap_or_default(),
            fact,
            line: pattern.line,
        }
    }

    /// Returns why a fact holds or does not hold, without the line that says which.
    fn explained(&self, fact: &str, not: bool) -> Option<Vec<String>> {
        let mut explainer = Explainer::new(self.model, Budget::default(), Cancel::default());
        let question = why::question(fact, self.model, &mut explainer).ok()?;
        let place = why::Place::new(self.loaded, self.model);
        let text = why::explain(&mut explainer, &question, not, &place).ok()??;
        let first = usize::from(not);
        let mut lines: Vec<String> = text.lines().skip(first).map(|line| line.replacen("  ", "", first)).collect();
        if lines.len() > LINES {
            lines.truncate(LINES);
            lines.push("..".to_owned());
        }
        Some(lines)
    }
}

/// Returns the facts that share the most arguments with the pattern.
fn nearest(pattern: &Pattern, rows: &[Vec<String>]) -> Vec<String> {
    let agreeing = |row: &Vec<String>| {
        let pairs = pattern.args.iter().zip(row);
        pairs.filter(|(wanted, found)| wanted.as_ref() == Some(found)).count()
    };
    let mut rows: Vec<&Vec<String>> = rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(agreeing(row)));
    rows.into_iter().take(3).map(|row| facts::text(&pattern.label, row)).collect()
}

fn patterns(text: &str, found: &Found<'_>, problems: &mut Vec<Problem>) -> Vec<Pattern> {
    let Ok(sources) = Sources::of(found.file, text) else {
        return Vec::new();
    };
    let Some(source) = sources.get(0) else { return Vec::new() };
    let parsed = parse(source, Dialect::Extended);
    if !parsed.is_ok() {
        problems.push(Problem::Unreadable(report(&parsed.diagnostics, &sources)));
    }
    let mut interner = Interner::new();
    let pattern = |clause: &Clause| {
        let text = sources.text(clause.span).trim_end_matches('.').trim_end();
        let line = source.position(clause.span.start).line;
        pattern(clause, text, line, found.model.now(), &mut interner)
    };
    let (read, unread): (Vec<_>, Vec<_>) = parsed.unit.clauses().map(pattern).partition(Result::is_ok);
    problems.extend(unread.into_iter().filter_map(Result::err));
    read.into_iter().filter_map(Result::ok).collect()
}

fn pattern(clause: &Clause, text: &str, line: u32, now: i64, interner: &mut Interner) -> Result<Pattern, Problem> {
    let mut args = Vec::new();
    for arg in &clause.head.args {
        let value = constant(arg, interner);
        if !clause.is_fact() || value.is_none() && arg.kind != TermKind::Wildcard {
            let what = format!("line {line}: only facts of constants and `_` can be expected, not `{text}`\n");
            return Err(Problem::Unreadable(what));
        }
        args.push(value.map(|value| interner.print(value).to_string()));
    }
    let label = format!("{}/{}", clause.head.predicate.text, args.len());
    let time = match &clause.time {
        None => None,
        Some(time) => {
            let what = || Problem::Unreadable(format!("line {line}: write times, the earlier one first, not `{text}`\n"));
            Some(Time {
                interval: why::interval(time, now).ok_or_else(what)?,
                is_moment: time.end.is_none(),
            })
        }
    };
    Ok(Pattern {
        label,
        args,
        time,
        text: text.to_owned(),
        line,
    })
}
