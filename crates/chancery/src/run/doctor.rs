//! `chancery doctor`: starts every server and says how it does and what to mend.

use std::process::ExitCode;

use anyhow::bail;
use kernel::{Health, ServerStatus};
use serde_json::{Value, json};

use super::{Configured, Gateway, say};
use crate::cli;

/// `chancery doctor`
///
/// # Errors
/// When a server is named that is not configured.
pub async fn doctor(configured: Configured, args: cli::Doctor) -> anyhow::Result<ExitCode> {
    let mut config = configured.loaded.config.clone();
    if let Some(unknown) = args
        .servers
        .iter()
        .find(|name| !config.servers.iter().any(|server| server.id.as_str() == name.as_str()))
    {
        let known: Vec<String> = config.servers.iter().map(|server| server.id.to_string()).collect();
        bail!("no server is called `{unknown}`; there are: {}", known.join(", "));
    }
    config
        .servers
        .retain(|server| args.servers.is_empty() || args.servers.iter().any(|name| name == server.id.as_str()));
    if config.servers.is_empty() {
        say(
            "no servers are configured: `chancery import` takes them over from your other clients, `chancery config path` says where to write them",
        );
        return Ok(ExitCode::SUCCESS);
    }
    let gateway = Gateway::start(&config, &configured.sources);
    let statuses = gateway.kernel.look(true).await;
    gateway.stop().await;
    let broken = statuses.iter().filter(|status| matches!(status.health, Health::Error(_))).count();
    if args.json {
        let all: Vec<Value> = statuses.iter().map(as_json).collect();
        say(&serde_json::to_string_pretty(&all)?);
    } else {
        show(&statuses, broken);
    }
    Ok(if broken > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show(statuses: &[ServerStatus], broken: usize) {
    let width = statuses.iter().map(|status| status.id.as_str().len()).max().unwrap_or(0).max(6);
    for status in statuses {
        match &status.health {
            Health::Error(why) => {
                say(&format!("✗ {:width$}  {why}", status.id.as_str()));
                if let Some(advice) = advice(why) {
                    say(&format!("  {:width$}  → {advice}", ""));
                }
            }
            _ => say(&format!("✓ {:width$}  {}", status.id.as_str(), summary(status))),
        }
    }
    say(&match broken {
        0 => format!("{} of {} servers work", statuses.len(), statuses.len()),
        n => format!("{} of {} servers work; {n} need attention", statuses.len() - n, statuses.len()),
    });
}

fn summary(status: &ServerStatus) -> String {
    let [tools, resources, templates, prompts] = status.counts;
    let revision = status.revision.map_or("unknown revision", |revision| revision.as_str());
    let era = status
        .revision
        .map_or("", |revision| if revision.is_modern() { " (modern)" } else { " (legacy)" });
    let name = |key: &str| {
        status
            .info
            .as_ref()
            .and_then(|info| info.get(key)?.as_str().map(std::borrow::Cow::into_owned))
            .unwrap_or_default()
    };
    let latency = status
        .latency
        .map(|latency| format!(", answers in {:.1} ms", latency.as_secs_f64() * 1e3))
        .unwrap_or_default();
    format!(
        "{revision}{era}, {} {}: {tools} tools, {} resources, {prompts} prompts{latency}",
        name("name"),
        name("version"),
        resources + templates
    )
}

/// What usually helps.
fn advice(why: &str) -> Option<&'static str> {
    let known = [
        (
            "HTTP 401",
            "put a token into `headers` of this server, for example `Authorization = \"Bearer ${TOKEN}\"`",
        ),
        ("HTTP 403", "the credentials are refused: check `headers` of this server"),
        ("HTTP 404", "the path of `url` is wrong: most servers listen on `/mcp`"),
        ("nobody answers", "start the server, or correct `url`"),
        (
            "not set",
            "export the variable before you start the gateway, or give a default: `${NAME:-value}`",
        ),
        ("handshake within", "run the command by hand to see what it waits for"),
        ("exited", "run the command by hand to see why it ends"),
    ];
    known.iter().find(|(sign, _)| why.contains(sign)).map(|(_, advice)| *advice)
}

fn as_json(status: &ServerStatus) -> Value {
    let [tools, resources, templates, prompts] = status.counts;
    let (state, why) = match &status.health {
        Health::Configured => ("configured", None),
        Health::Known => ("known", None),
        Health::Started => ("started", None),
        Health::Error(why) => ("error", Some(why.clone())),
    };
    json!({
        "id": status.id.as_str(), "state": state, "why": why, "advice": why.as_deref().and_then(advice),
        "revision": status.revision.map(mcp::revision::Revision::as_str),
        "serverInfo": status.info.as_ref().map(jsonrpc::Raw::to_value),
        "tools": tools, "resources": resources, "resourceTemplates": templates, "prompts": prompts,
        "latencyMs": status.latency.map(|latency| latency.as_secs_f64() * 1e3),
    })
}
