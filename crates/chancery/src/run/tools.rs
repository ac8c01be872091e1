//! `chancery tools list|call|export`.

use std::process::ExitCode;

use anyhow::bail;
use kernel::{Health, ServerStatus, ToolStatus, Unavailable};
use model::ServerId;
use serde_json::{Value, json};

use super::arguments::Arguments;
use super::configured::{Configured, check_names, no_servers};
use super::gateway::Gateway;
use super::interrupts::Interrupts;
use super::look::look;
use super::output::{note, say};
use super::terminal::Terminal;
use super::{remember, settings};
use crate::cli::{ToolsCall, ToolsCommand, ToolsList};
use crate::config::Config;
use crate::export::{self, Language};
use crate::words::first_line;

/// Runs `chancery tools …`.
///
/// # Errors
/// When the call fails, or the tool is unknown.
pub async fn tools(configured: Configured, args: ToolsCommand) -> anyhow::Result<ExitCode> {
    match args {
        ToolsCommand::List(args) => {
            with(configured, &args.servers, Recorded::No, async |gateway, statuses| {
                note_left_out(statuses);
                list(gateway, &args)
            })
            .await
        }
        ToolsCommand::Export(args) => {
            with(configured, &args.servers, Recorded::No, async |gateway, statuses| {
                note_left_out(statuses);
                Ok(export_tools(gateway, args.lang))
            })
            .await
        }
        ToolsCommand::Call(args) => {
            let arguments = Arguments::read(&args)?;
            let named = named_server(&args.tool, &configured.loaded.config);
            with(configured, &named, Recorded::Yes, async |gateway, statuses| {
                // The call itself reports errors of a server that was named.
                if named.is_empty() {
                    note_left_out(statuses);
                }
                call(gateway, statuses, &args, arguments).await
            })
            .await
        }
    }
}

/// Whether what a command does is recorded in the audit.
#[derive(Clone, Copy)]
enum Recorded {
    Yes,
    No,
}

/// Runs a function with a gateway that has these servers, or all: the command does not wait for servers that it does
/// not concern.
async fn with(
    configured: Configured,
    servers: &[String],
    recorded: Recorded,
    work: impl AsyncFnOnce(&Gateway, &[ServerStatus]) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let mut config = configured.loaded.config;
    if config.servers.is_empty() {
        bail!(no_servers(&configured.loaded.untrusted));
    }
    check_names(&config, servers)?;
    config
        .servers
        .retain(|server| servers.is_empty() || servers.iter().any(|id| *id == server.id.as_str()));
    let mut interrupts = Interrupts::listen()?;
    let records = match recorded {
        Recorded::Yes => Some(remember::free(&config, &configured.sources).await?.0),
        Recorded::No => None,
    };
    let gateway = Gateway::start(settings::open(&config, None), records, &config, &configured.sources);
    let done = interrupts.or(async {
        let statuses = look(&gateway, false, |_| {}).await;
        work(&gateway, &statuses).await
    });
    let done = done.await;
    gateway.stop().await;
    done
}

/// Returns the server that the name of a tool begins with, if there is one.
fn named_server(tool: &str, config: &Config) -> Vec<String> {
    let name = tool.split_once('/').or_else(|| tool.split_once("__")).map(|(server, _)| server);
    let known = name.filter(|name| config.servers.iter().any(|server| server.id.as_str() == *name));
    known.map(str::to_owned).into_iter().collect()
}

/// Notes which servers are missing from the output; `doctor` says why, and what to do.
fn note_left_out(statuses: &[ServerStatus]) {
    let mut missing = false;
    for status in statuses {
        if let Health::Error(error) = &status.health {
            note(&format!("`{}` is left out: {}", status.id, in_short(error)));
            missing = true;
        }
    }
    if missing {
        note("`chancery doctor` says more");
    }
}

fn in_short(error: &Unavailable) -> &str {
    error.why.split("; ").next().unwrap_or_default()
}

fn list(gateway: &Gateway, args: &ToolsList) -> anyhow::Result<ExitCode> {
    let tools = gateway.kernel.tools();
    if args.json {
        let all: Vec<Value> = tools
            .iter()
            .map(|t| json!({"name": t.wire, "server": t.id.server.as_str(), "tool": t.definition.to_value()}))
            .collect();
        say(&serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    let width = tools.iter().map(|tool| tool.id.to_string().len()).max().unwrap_or(0).min(48);
    for tool in &tools {
        let description = tool
            .definition
            .get("description")
            .and_then(|d| d.as_str().map(std::borrow::Cow::into_owned))
            .unwrap_or_default();
        say(format!("{:width$}  {}", tool.id.to_string(), first_line(&description, 90)).trim_end());
    }
    if tools.is_empty() {
        note("no tools: run `chancery doctor` to see how the servers do");
    }
    Ok(ExitCode::SUCCESS)
}

fn schema(tool: &ToolStatus, key: &str) -> Option<Value> {
    tool.definition.get(key).map(|schema| schema.to_value())
}

fn export_tools(gateway: &Gateway, language: Language) -> ExitCode {
    let tools: Vec<export::Tool> = gateway
        .kernel
        .tools()
        .iter()
        .map(|tool| export::Tool {
            name: tool.wire.clone(),
            description: tool
                .definition
                .get("description")
                .and_then(|d| d.as_str().map(std::borrow::Cow::into_owned)),
            input: schema(tool, "inputSchema").unwrap_or_else(|| json!({"type": "object"})),
            output: schema(tool, "outputSchema"),
        })
        .collect();
    say(export::export(language, &tools).trim_end());
    ExitCode::SUCCESS
}

async fn call(gateway: &Gateway, statuses: &[ServerStatus], args: &ToolsCall, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let tools = gateway.kernel.tools();
    let Some(tool) = tools.iter().find(|tool| is_called(tool, &args.tool)) else {
        bail!("{}", unknown(&args.tool, &tools, statuses))
    };
    let arguments = arguments.for_schema(&schema(tool, "inputSchema").unwrap_or_default());
    let result = Terminal::new().call(&gateway.kernel, &tool.wire, &arguments).await?;
    if args.json {
        say(&serde_json::to_string_pretty(&result)?);
    } else {
        show(&result);
    }
    let failed = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns whether a tool has a name: `server/tool`, `server__tool`, or the bare name where that is unique (DESIGN 3).
fn is_called(tool: &ToolStatus, name: &str) -> bool {
    own_name(name, &tool.id.server) == Some(&*tool.id.name) || tool.wire == name
}

/// Returns the tool's part of a name, if the name begins with that server.
fn own_name<'a>(name: &'a str, server: &ServerId) -> Option<&'a str> {
    let rest = name.strip_prefix(server.as_str())?;
    rest.strip_prefix('/').or_else(|| rest.strip_prefix("__"))
}

fn unknown(name: &str, tools: &[ToolStatus], statuses: &[ServerStatus]) -> String {
    for ServerStatus { id, health, .. } in statuses.iter().filter(|status| own_name(name, &status.id).is_some()) {
        if let Health::Error(error) = health {
            return format!("`{id}` is not up: {}; `chancery doctor {id}` says more", in_short(error));
        }
        if !tools.iter().any(|tool| tool.id.server == *id) {
            return format!("no tool is called `{name}`: `{id}` offers none; `chancery doctor {id}` says how it does");
        }
    }
    let same: Vec<String> = tools
        .iter()
        .filter(|tool| &*tool.id.name == name)
        .map(|tool| format!("`{}`", tool.id))
        .collect();
    if !same.is_empty() {
        return format!("several servers have a tool `{name}`: say {}", same.join(" or "));
    }
    // A bare name is like other bare names, a long one like long ones.
    let likeness = |tool: &ToolStatus| strsim::jaro_winkler(&tool.id.name, name).max(strsim::jaro_winkler(&tool.id.to_string(), name));
    let near = tools.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match near.map(|tool| &tool.id) {
        Some(near) => format!("no tool is called `{name}`; did you mean `{near}`? (`chancery tools list` shows all)"),
        None => format!("no tool is called `{name}`: no server offers any; run `chancery doctor`"),
    }
}

fn show(result: &Value) {
    let blocks = result.get("content").and_then(Value::as_array).cloned().unwrap_or_default();
    for block in &blocks {
        match block["type"].as_str() {
            Some("text") => say(block["text"].as_str().unwrap_or_default()),
            Some(kind @ ("image" | "audio")) => {
                let bytes = block["data"].as_str().map_or(0, |data| data.len() / 4 * 3);
                say(&format!(
                    "[{kind} {}, about {bytes} bytes]",
                    block["mimeType"].as_str().unwrap_or("of unknown type")
                ));
            }
            _ => say(&block.to_string()),
        }
    }
    if blocks.is_empty() {
        say(&result.get("structuredContent").unwrap_or(result).to_string());
    }
}
