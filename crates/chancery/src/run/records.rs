//! `chancery store …` and `chancery audit …`: read the store from outside, whether or not a gateway runs.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::{Value, json};
use store::{AuditQuery, LocalStore, Report, Settings, Store as _, StoreError, Stored};

use super::output::{failed, note, say};
use crate::cli::records::{Backup, Export, ExportFormat, Filter, Format, KeptAudit, Query, StoreCommand};
use crate::event;
use crate::words::plural;

/// Runs `chancery store …` on the store in a folder.
///
/// # Errors
/// When the store can't be read, or the copy can't be made.
pub fn store(command: &StoreCommand, folder: &Path) -> anyhow::Result<ExitCode> {
    match command {
        StoreCommand::Verify(args) => verify(folder, args.format, true),
        StoreCommand::Backup(args) => backup(folder, args),
    }
}

/// Runs `chancery audit query|export|verify` on the store in a folder.
///
/// # Errors
/// When the audit can't be read.
pub fn audit(command: &KeptAudit, folder: &Path) -> anyhow::Result<ExitCode> {
    match command {
        KeptAudit::Verify(args) => verify(folder, args.format, false),
        KeptAudit::Export(args) => export(folder, args),
        KeptAudit::Query(args) => query(folder, args),
    }
}

/// Checks that the folder exists that a command or the configuration names, and returns it.
///
/// # Errors
/// When there is none.
pub fn existing(folder: PathBuf) -> anyhow::Result<PathBuf> {
    if folder.join("audit").is_dir() {
        return Ok(folder);
    }
    anyhow::bail!(
        "there is no store in `{}`: a gateway makes it when it starts; `--store DIR` names another one",
        folder.display()
    )
}

// === verify, backup ===

fn verify(folder: &Path, format: Format, control: bool) -> anyhow::Result<ExitCode> {
    let mut report = store::verify(folder).map_err(failed)?;
    if !control {
        report.control = None;
    }
    match format {
        Format::Json => say(&serde_json::to_string_pretty(&as_json(&report))?),
        Format::Text => lines(&report).iter().for_each(|line| say(line)),
    }
    Ok(match report.is_sound() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn lines(report: &Report) -> Vec<String> {
    let records = usize::try_from(report.records).unwrap_or(usize::MAX);
    let mut lines = vec![format!(
        "{}: {} in {}; the last is {}, the head {}",
        if report.is_sound() { "sound" } else { "not sound" },
        plural(records, "event"),
        plural(report.segments, "segment"),
        report.last,
        report.head
    )];
    if report.dropped > 0 {
        lines.push(format!("retention has dropped {} before them", plural(report.dropped, "segment")));
    }
    if let Some(bad) = &report.bad {
        lines.push(format!(
            "event {} in `{}`, at byte {}: {}",
            bad.seq,
            bad.file.display(),
            bad.offset,
            bad.why
        ));
        lines.push("what stands before it can be believed; compare with a backup, `chancery audit verify --store DIR`".to_owned());
    }
    if let Some(torn) = &report.torn {
        lines.push(format!(
            "event {} in `{}` was just being written; the next start removes what is there of it",
            torn.seq,
            torn.file.display()
        ));
    }
    if let Some(why) = &report.control {
        lines.push(format!("failed to {why}"));
    }
    lines
}

fn as_json(report: &Report) -> Value {
    json!({
        "sound": report.is_sound(),
        "segments": report.segments,
        "dropped_segments": report.dropped,
        "events": report.records,
        "last": report.last,
        "head": report.head.to_string(),
        "bad": report.bad.as_ref().map(|bad| json!({
            "file": bad.file.display().to_string(), "event": bad.seq, "offset": bad.offset, "why": bad.why,
        })),
        "torn": report.torn.as_ref().map(|torn| json!({
            "file": torn.file.display().to_string(), "event": torn.seq, "bytes": torn.bytes,
        })),
        "control": report.control.as_ref().map(ToString::to_string),
    })
}

fn backup(folder: &Path, args: &Backup) -> anyhow::Result<ExitCode> {
    let store = LocalStore::open(&Settings::new(folder)).map_err(|error| match error {
        StoreError::InUse { .. } => anyhow::anyhow!("failed to {error}: a store can be copied while no gateway uses it"),
        error => failed(error),
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(store.backup(&args.to)).map_err(failed)?;
    drop(store);
    say(&format!("`{}` is in `{}`", folder.display(), args.to.display()));
    Ok(ExitCode::SUCCESS)
}

// === query, export ===

fn wanted(filter: &Filter) -> AuditQuery {
    let text = |text: &Option<String>| text.as_deref().map(Into::into);
    AuditQuery {
        from: filter.since,
        until: filter.until,
        kinds: filter.kinds.iter().map(|kind| kind.as_str().into()).collect(),
        actor: text(&filter.actor),
        server: text(&filter.server),
        tool: text(&filter.tool),
        result: filter.result.map(Into::into),
        trace: text(&filter.trace),
        ..AuditQuery::default()
    }
}

/// Prints the last events that match. The log is read from its beginning, so that it can be read while another process
/// writes to it.
fn query(folder: &Path, args: &Query) -> anyhow::Result<ExitCode> {
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let mut last = VecDeque::new();
    for event in store::export(folder, wanted(&args.filter)).map_err(failed)? {
        if last.len() == limit {
            last.pop_front();
        }
        last.push_back(event.map_err(failed)?);
    }
    let events = last.iter().rev();
    match args.format {
        Format::Json => {
            let events: Vec<Value> = events.map(event::numbered).collect();
            say(&serde_json::to_string_pretty(&events)?);
        }
        Format::Text if last.is_empty() => note("no event is like that"),
        Format::Text => events.for_each(|event| say(&line(event))),
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns one line for people.
pub(super) fn line(event: &Stored) -> String {
    let key = &event.key;
    let target = match (&key.server, &key.tool) {
        (Some(server), Some(tool)) => format!("{server}/{tool}"),
        (Some(server), None) => server.to_string(),
        _ => "-".to_owned(),
    };
    let line = format!(
        "{} {:>8} {:7} {} {}:{} {target}",
        mgp::time::format(key.at),
        event.seq,
        key.result.as_str(),
        key.kind,
        key.actor.kind,
        key.actor.id,
    );
    // Names come from servers and clients: none may steer the terminal.
    line.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn export(folder: &Path, args: &Export) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write_events(&mut out, folder, args).and_then(|()| out.flush().context("failed to write to stdout")) {
        // A reader that has closed its end (`| head`) is no error of ours.
        Err(error)
            if error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) => {}
        done => done?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_events(out: &mut impl Write, folder: &Path, args: &Export) -> anyhow::Result<()> {
    if args.format == ExportFormat::Csv {
        out.write_all(event::COLUMNS.as_bytes())?;
    }
    for event in store::export(folder, wanted(&args.filter)).map_err(failed)? {
        let event = event.map_err(failed)?;
        match args.format {
            ExportFormat::Jsonl => {
                serde_json::to_writer(&mut *out, &event::numbered(&event))?;
                out.write_all(b"\n")?;
            }
            ExportFormat::Csv => out.write_all(event::row(&event).as_bytes())?,
        }
    }
    Ok(())
}
