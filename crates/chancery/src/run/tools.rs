//! `chancery tools list|call|export`.

use std::io::Read as _;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use kernel::{Health, ServerStatus, ToolStatus};
use serde_json::{Map, Value, json};

use super::insider::{Aside, Insider};
use super::interrupts::Interrupts;
use super::look::look;
use super::{Configured, Gateway, check_names, no_servers, note, say};
use crate::cli::{ToolsCall, ToolsCommand, ToolsExport, ToolsList};
use crate::config::Config;
use crate::export;
use crate::words::first_line;

/// `chancery tools …`
///
/// # Errors
/// When the call fails, or the tool is unknown.
pub async fn tools(configured: Configured, args: ToolsCommand) -> anyhow::Result<ExitCode> {
    let mut config = configured.loaded.config;
    if config.servers.is_empty() {
        bail!(no_servers(&configured.loaded.untrusted));
    }
    match &args {
        ToolsCommand::List(ToolsList { servers, .. }) | ToolsCommand::Export(ToolsExport { servers, .. }) => check_names(&config, servers)?,
        ToolsCommand::Call(_) => {}
    }
    if let Some(wanted) = wanted(&args, &config) {
        config.servers.retain(|server| wanted.iter().any(|id| *id == server.id.as_str()));
    }
    let interrupts = Interrupts::listen()?;
    let gateway = Gateway::start(&config, &configured.sources, None);
    let done = interrupts.or(async {
        let statuses = look(&gateway, false, |_| {}).await;
        note_left_out(&statuses);
        match args {
            ToolsCommand::List(args) => list(&gateway, &args),
            ToolsCommand::Export(args) => Ok(export_tools(&gateway, &args)),
            ToolsCommand::Call(args) => call(&gateway, &args).await,
        }
    });
    let done = done.await;
    gateway.stop().await;
    done
}

/// Says which servers are missing from what follows; why in full, and what to do, is `doctor`'s to say.
fn note_left_out(statuses: &[ServerStatus]) {
    let mut missing = false;
    for status in statuses {
        if let Health::Error(error) = &status.health {
            let short = error.why.split("; ").next().unwrap_or_default();
            note(&format!("`{}` is left out: {short}", status.id));
            missing = true;
        }
    }
    if missing {
        note("`chancery doctor` says more");
    }
}

/// The servers that a command needs; `None` for all. Nobody waits for a server that has nothing to do with the command.
fn wanted(args: &ToolsCommand, config: &Config) -> Option<Vec<String>> {
    match args {
        ToolsCommand::List(ToolsList { servers, .. }) | ToolsCommand::Export(ToolsExport { servers, .. }) => {
            Some(servers.clone()).filter(|servers| !servers.is_empty())
        }
        ToolsCommand::Call(args) => {
            let (server, _) = args.tool.split_once('/').or_else(|| args.tool.split_once("__"))?;
            let known = config.servers.iter().any(|spec| spec.id.as_str() == server);
            known.then(|| vec![server.to_owned()])
        }
    }
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

fn export_tools(gateway: &Gateway, args: &ToolsExport) -> ExitCode {
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
            input: tool
                .definition
                .get("inputSchema")
                .map_or_else(|| json!({"type": "object"}), |schema| schema.to_value()),
            output: tool.definition.get("outputSchema").map(|schema| schema.to_value()),
        })
        .collect();
    say(export::export(args.lang, &tools).trim_end());
    ExitCode::SUCCESS
}

async fn call(gateway: &Gateway, args: &ToolsCall) -> anyhow::Result<ExitCode> {
    let tools = gateway.kernel.tools();
    let found = tools.iter().find(|tool| tool.id.to_string() == args.tool || tool.wire == args.tool);
    let Some(tool) = found else {
        bail!("{}", unknown(&args.tool, &tools))
    };
    let arguments = arguments(args)?;
    let mut insider = Insider::connect(&gateway.kernel, json!({})).await?;
    let params = json!({"name": tool.wire, "arguments": arguments, "_meta": {"progressToken": 1}});
    let result = insider.request("tools/call", params, show_progress).await?;
    if args.json {
        say(&serde_json::to_string_pretty(&result)?);
    } else {
        show(&result);
    }
    let failed = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn show_progress(aside: Aside<'_>) -> Option<Value> {
    if let Aside::Notice(message) = aside
        && message["method"] == "notifications/progress"
    {
        let total = message["params"].get("total").map(|total| format!("/{total}")).unwrap_or_default();
        let text = message["params"]["message"].as_str().unwrap_or_default();
        note(&format!("progress {}{total} {text}", message["params"]["progress"]));
    }
    None
}

fn unknown(name: &str, tools: &[ToolStatus]) -> String {
    let same: Vec<String> = tools
        .iter()
        .filter(|tool| &*tool.id.name == name)
        .map(|tool| format!("`{}`", tool.id))
        .collect();
    if !same.is_empty() {
        return format!("several servers have a tool `{name}`: say {}", same.join(" or "));
    }
    let near = tools
        .iter()
        .map(|tool| tool.id.to_string())
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
    match near {
        Some(near) => format!("no tool is called `{name}`; did you mean `{near}`? (`chancery tools list` shows all)"),
        None => format!("no tool is called `{name}`: no server offers any; run `chancery doctor`"),
    }
}

fn arguments(args: &ToolsCall) -> anyhow::Result<Value> {
    let text = match args.arguments.as_deref() {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
        Some(text) => text.to_owned(),
        None => {
            let mut object = Map::new();
            for arg in &args.args {
                let (name, value) = arg
                    .split_once('=')
                    .with_context(|| format!("`--arg {arg}` needs the form NAME=VALUE"))?;
                let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
                object.insert(name.to_owned(), value);
            }
            return Ok(Value::Object(object));
        }
    };
    let value: Value = serde_json::from_str(&text).context("the arguments are not JSON")?;
    if !value.is_object() {
        bail!("the arguments must be a JSON object, such as '{{\"path\": \"notes.md\"}}'");
    }
    Ok(value)
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
