//! `chancery doctor`: starts every server, reports its state, and says what to correct.

use std::collections::BTreeMap;
use std::process::ExitCode;

use kernel::operator::JudgedTool;
use kernel::{Health, ServerStatus, Unavailable};
use model::ServerId;
use serde_json::{Value, json};

use super::configured::{Configured, check_names, no_servers};
use super::gateway::Gateway;
use super::interrupts::Interrupts;
use super::look::look;
use super::output::say;
use super::risks;
use super::settings;
use crate::cli;
use crate::words::plural;

/// Runs `chancery doctor`.
///
/// # Errors
/// When a server is named that is not configured.
pub async fn doctor(configured: Configured, args: cli::Doctor) -> anyhow::Result<ExitCode> {
    let mut config = configured.loaded.config.clone();
    if config.servers.is_empty() {
        say(&no_servers(&configured.loaded.untrusted));
        return Ok(ExitCode::SUCCESS);
    }
    check_names(&config, &args.servers)?;
    config
        .servers
        .retain(|server| args.servers.is_empty() || args.servers.iter().any(|name| name == server.id.as_str()));
    let mut interrupts = Interrupts::listen()?;
    let gateway = Gateway::start(settings::open(&config, None), None, &config, &configured.sources);
    let report = Report {
        width: config
            .servers
            .iter()
            .map(|server| server.id.as_str().len())
            .max()
            .unwrap_or(0)
            .max(6),
        invocations: config.invocations,
    };
    let done = interrupts.or(async {
        let show = |status: &ServerStatus| report.lines(status).iter().for_each(|line| say(line));
        let quiet = |_: &ServerStatus| {};
        let seen: &dyn Fn(&ServerStatus) = if args.json { &quiet } else { &show };
        let statuses = look(&gateway, true, seen).await;
        let judged = gateway.kernel.judged(&config.security);
        if args.json {
            let all: Vec<Value> = statuses.iter().map(|status| as_json(status, &judged)).collect();
            say(&serde_json::to_string_pretty(&all)?);
        } else {
            risks::lines(&judged).iter().for_each(|line| say(line));
            say(&total(&statuses));
        }
        let well = statuses.iter().all(|status| !matches!(status.health, Health::Error(_)));
        Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    });
    let done = done.await;
    gateway.stop().await;
    done
}

/// The output for a person.
struct Report {
    /// The width of the longest id.
    width: usize,
    /// The program or address of each server.
    invocations: BTreeMap<ServerId, String>,
}

impl Report {
    fn lines(&self, status: &ServerStatus) -> Vec<String> {
        let width = self.width;
        let Health::Error(error) = &status.health else {
            let mut lines = vec![format!("✓ {:width$}  {}", status.id.as_str(), summary(status))];
            lines.extend(status.note.iter().map(|note| format!("  {:width$}  but: {note}", "")));
            return lines;
        };
        let mut lines = vec![format!("✗ {:width$}  {}", status.id.as_str(), error.why)];
        let invocation = self.invocations.get(&status.id).filter(|_| error.transient);
        lines.extend(invocation.map(|invocation| format!("  {:width$}  configured as: {invocation}", "")));
        lines.extend(error.last_words.iter().map(|line| format!("  {:width$}  stderr: {line}", "")));
        lines.extend(advice(error).map(|advice| format!("  {:width$}  → {advice}", "")));
        lines
    }
}

fn total(statuses: &[ServerStatus]) -> String {
    let broken: Vec<&str> = statuses
        .iter()
        .filter(|status| matches!(status.health, Health::Error(_)))
        .map(|status| status.id.as_str())
        .collect();
    let (working, all) = (statuses.len() - broken.len(), statuses.len());
    match broken.as_slice() {
        [] => format!("{working} of {all} servers work"),
        names => format!("{working} of {all} servers work; to mend: {}", names.join(", ")),
    }
}

fn summary(status: &ServerStatus) -> String {
    let [tools, resources, templates, prompts] = status.counts;
    let revision = status.revision.map_or("unknown revision", |revision| revision.as_str());
    let era = status
        .revision
        .map_or("", |revision| if revision.is_modern() { " (modern)" } else { " (legacy)" });
    let said = |key: &str| {
        let info = status.info.as_ref()?;
        let text = info.get(key)?.as_str().map(std::borrow::Cow::into_owned)?;
        (!text.is_empty()).then_some(text)
    };
    let names: Vec<String> = ["name", "version"].into_iter().filter_map(said).collect();
    let names = if names.is_empty() {
        String::new()
    } else {
        format!(", {}", names.join(" "))
    };
    let latency = status
        .latency
        .map(|latency| format!(", answers in {:.1} ms", latency.as_secs_f64() * 1e3))
        .unwrap_or_default();
    format!(
        "{revision}{era}{names}: {}, {}, {}{latency}",
        plural(tools, "tool"),
        plural(resources + templates, "resource"),
        plural(prompts, "prompt"),
    )
}

/// Returns the advice that usually helps.
fn advice(error: &Unavailable) -> Option<&'static str> {
    let known = [
        (
            "HTTP 401",
            "put a token into `headers` of this server, for example `Authorization = \"Bearer ${TOKEN}\"`",
        ),
        ("HTTP 403", "the credentials are refused: check `headers` of this server"),
        ("HTTP 404", "the path of `url` is wrong: most servers listen on `/mcp`"),
        ("no server answers", "start the server, or correct `url`"),
        (
            "not set",
            "export the variable before you start the gateway, or give a default: `${NAME:-value}`",
        ),
        (
            "handshake within",
            "run that command by hand to see what it waits for: a login, a download, or a request over HTTP; then it needs a `url`",
        ),
        (
            "closed its stdout",
            "a `command` must go on running and answer on its stdout; if it serves HTTP, start it yourself and give its `url` instead",
        ),
        (
            "kept open by another process",
            "the command left a process behind and ended; give the program itself as `command`, not what starts it",
        ),
        (
            "exited (exit status: 0)",
            "it ended as if all were well: it may need an argument to serve (`stdio`, `serve`), or have gone into the background",
        ),
        (
            "exited",
            "run that command by hand to see why it ends; it gets only a few variables, the others must stand in `env`",
        ),
    ];
    known.iter().find(|(sign, _)| error.why.contains(sign)).map(|(_, advice)| *advice)
}

fn as_json(status: &ServerStatus, judged: &[JudgedTool]) -> Value {
    let [tools, resources, templates, prompts] = status.counts;
    let (state, error) = match &status.health {
        Health::Configured => ("configured", None),
        Health::Known => ("known", None),
        Health::Started => ("started", None),
        Health::Error(error) => ("error", Some(error)),
    };
    json!({
        "id": status.id.as_str(), "state": state, "note": status.note, "why": error.map(ToString::to_string), "advice": error.and_then(advice),
        "revision": status.revision.map(mcp::revision::Revision::as_str),
        "serverInfo": status.info.as_ref().map(jsonrpc::Raw::to_value),
        "tools": tools, "resources": resources, "resourceTemplates": templates, "prompts": prompts,
        "latencyMs": status.latency.map(|latency| latency.as_secs_f64() * 1e3),
        "risks": judged.iter().filter(|tool| tool.id.server == status.id).map(risks::as_json).collect::<Vec<_>>(),
    })
}
