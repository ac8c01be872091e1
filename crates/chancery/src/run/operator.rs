//! `chancery token …`, `approvals …`, `access …`, `permissions …` and `audit tail`.

use std::process::ExitCode;

use kernel::http_api::Verb;
use serde_json::{Map, Value, json};

use super::configured::Configured;
use super::operate::{self, OperatorApi, encoded};
use super::output::{note, say};
use crate::cli::operate::{AccessCommand, ApprovalsCommand, PermissionAnswer, PermissionsCommand, Role, TokenCommand};
use crate::cli::records::{Format, Tail};

/// A command of operators.
#[derive(Clone, Debug)]
pub enum Operate {
    /// `token …`
    Token(TokenCommand),
    /// `approvals …`
    Approvals(ApprovalsCommand),
    /// `access …`
    Access(AccessCommand),
    /// `permissions …`
    Permissions(PermissionsCommand),
}

/// Runs `audit tail`.
///
/// # Errors
/// When no gateway runs, or it can't be reached.
pub async fn tail(configured: Configured, args: Tail) -> anyhow::Result<ExitCode> {
    let json = args.format == Format::Json;
    operate::follow(&configured, "/audit/stream", move |event| tell(&event, json)).await
}

/// Runs a command of operators.
///
/// # Errors
/// When it can't be done; the text says what to do.
pub async fn operate(configured: Configured, what: Operate) -> anyhow::Result<ExitCode> {
    if let Operate::Approvals(ApprovalsCommand::List(args)) = &what
        && args.watch
    {
        let json = args.format == Format::Json;
        return operate::follow(&configured, "/approvals/stream", move |waiting| show_waiting(&waiting, json)).await;
    }
    let api = OperatorApi::find(&configured).await?;
    let done = match what {
        Operate::Token(command) => token(&api, command).await,
        Operate::Approvals(command) => approvals(&api, command).await,
        Operate::Access(command) => access(&api, command).await,
        Operate::Permissions(command) => permissions(&api, command).await,
    };
    api.end().await;
    done
}

// === tokens ===

async fn token(api: &OperatorApi, command: TokenCommand) -> anyhow::Result<ExitCode> {
    match command {
        TokenCommand::List(args) => {
            let tokens = api.all("/tokens?").await?;
            list(
                &tokens,
                args.format,
                "no token was made yet: `chancery token create PRINCIPAL` makes one",
                |token| line(token, &["id", "principal", "role", "state", "scopes", "expires_at"]),
            );
        }
        TokenCommand::Create(args) => {
            let body = json!({
                "principal": args.principal,
                "role": match args.role { Role::Agent => "agent", Role::Operator => "operator" },
                "scopes": args.scopes,
                "expires_at": args.expires,
                "id": args.id,
            });
            let made = api.expect(Verb::Post, "/tokens", Some(&body)).await?;
            match args.format {
                Format::Json => say(&serde_json::to_string_pretty(&made)?),
                Format::Text => {
                    note(&format!(
                        "token {} of `{}`; it is shown this once, keep it where no other user can read it:",
                        text(&made["id"]),
                        text(&made["principal"])
                    ));
                    say(&text(&made["token"]));
                }
            }
        }
        TokenCommand::Revoke(args) => {
            let gone = api.expect(Verb::Delete, &format!("/tokens/{}", encoded(&args.id)), None).await?;
            say(&format!(
                "token {} of `{}` is not accepted any more",
                text(&gone["id"]),
                text(&gone["principal"])
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

// === approvals ===

async fn approvals(api: &OperatorApi, command: ApprovalsCommand) -> anyhow::Result<ExitCode> {
    let decide = async |request: &str, body: Value| {
        let decided = api
            .expect(Verb::Post, &format!("/approvals/{}/decision", encoded(request)), Some(&body))
            .await?;
        say(&format!(
            "{}: {}/{} for `{}`",
            text(&decided["state"]),
            text(&decided["server"]),
            text(&decided["tool"]),
            text(&decided["principal"])
        ));
        anyhow::Ok(ExitCode::SUCCESS)
    };
    match command {
        ApprovalsCommand::List(args) => {
            let waiting = api.all("/approvals?").await?;
            list(&waiting, args.format, "no call waits for a person", waiting_lines);
            Ok(ExitCode::SUCCESS)
        }
        ApprovalsCommand::Approve(args) => {
            let body = json!({ "decision": "approve", "always": args.always, "until": args.until });
            decide(&args.request, body).await
        }
        ApprovalsCommand::Deny(args) => decide(&args.request, json!({ "decision": "deny" })).await,
    }
}

fn waiting_lines(waiting: &Value) -> String {
    format!(
        "{}  {}/{} for `{}`, until {}\n    {}\n    {}",
        text(&waiting["request_id"]),
        text(&waiting["server"]),
        text(&waiting["tool"]),
        text(&waiting["principal"]),
        text(&waiting["expires_at"]),
        text(&waiting["because"]),
        text(&waiting["arguments"])
    )
}

fn show_waiting(waiting: &Value, json: bool) {
    let items = waiting["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    match json {
        true => say(&waiting.to_string()),
        false if items.is_empty() => say("-- no call waits for a person"),
        false => {
            say(&format!("-- {}", crate::words::plural(items.len(), "call")));
            items.iter().for_each(|item| say(&waiting_lines(item)));
        }
    }
}

// === access ===

async fn access(api: &OperatorApi, command: AccessCommand) -> anyhow::Result<ExitCode> {
    match command {
        AccessCommand::List(args) => {
            let principal = args.principal.map(|principal| format!("principal={}", encoded(&principal)));
            let grants = api.all(&format!("/access?{}", principal.unwrap_or_default())).await?;
            list(
                &grants,
                args.format,
                "nothing was granted here; grants of the configuration stand there",
                grant_line,
            );
        }
        AccessCommand::Check(args) => {
            let target = format!(
                "/access/check?principal={}&{}",
                encoded(&args.principal),
                operate::target_query(&args.target)
            );
            let standing = api.expect(Verb::Get, &target, None).await?;
            match args.format {
                Format::Json => say(&serde_json::to_string_pretty(&standing)?),
                Format::Text => say(&format!("{} ({})", text(&standing["access"]), text(&standing["source"]))),
            }
            return Ok(ExitCode::from(u8::from(standing["access"] != "allow")));
        }
        AccessCommand::Grant(args) => {
            let mut body = operate::target(&args.target);
            body["principal"] = json!(args.principal);
            body["access"] = json!(if args.deny { "deny" } else { "allow" });
            body["confirms"] = json!(args.confirms);
            body["expires_at"] = json!(args.expires);
            body["justification"] = json!(args.because);
            let granted = api.expect(Verb::Put, "/access", Some(&body)).await?;
            say(&grant_line(&granted));
        }
        AccessCommand::Revoke(args) => {
            let target = format!(
                "/access?principal={}&{}",
                encoded(&args.principal),
                operate::target_query(&args.target)
            );
            let gone = api.expect(Verb::Delete, &target, None).await?;
            let gone = gone["revoked"].as_array().map(Vec::as_slice).unwrap_or_default();
            gone.iter().for_each(|grant| say(&format!("revoked: {}", grant_line(grant))));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn grant_line(grant: &Value) -> String {
    let target = match grant["tool"].as_str() {
        Some(tool) => format!("{}/{}", text(&grant["server"]), printable(tool)),
        None => text(&grant["server"]),
    };
    let confirms = if grant["confirms"] == true { ", without asking" } else { "" };
    let until = grant["expires_at"].as_str().map(|at| format!(", until {at}")).unwrap_or_default();
    let why = grant["justification"]
        .as_str()
        .map(|why| format!(" ({})", printable(why)))
        .unwrap_or_default();
    format!(
        "{} {} {target}{confirms}{until}{why}",
        text(&grant["principal"]),
        text(&grant["access"])
    )
}

// === permissions ===

async fn permissions(api: &OperatorApi, command: PermissionsCommand) -> anyhow::Result<ExitCode> {
    match command {
        PermissionsCommand::List(args) => {
            let state = if args.waiting { "state=waiting" } else { "" };
            let all = api.all(&format!("/permissions?{state}")).await?;
            list(&all, args.format, "no server has asked for a permission", |permission| {
                line(permission, &["server", "permission", "risk", "state", "expires_at"])
            });
        }
        PermissionsCommand::Decide(args) => {
            let decision = match args.decision {
                PermissionAnswer::Approve => "approved",
                PermissionAnswer::Deny => "denied",
                PermissionAnswer::Defer => "deferred",
            };
            let body = json!({
                "server": args.server, "permission": args.permission, "decision": decision, "expires_at": args.expires,
            });
            let decided = api.expect(Verb::Put, "/permissions", Some(&body)).await?;
            say(&line(&decided, &["server", "permission", "state", "expires_at"]));
        }
    }
    Ok(ExitCode::SUCCESS)
}

// === output ===

/// Prints one event that has just arrived.
fn tell(event: &Value, json: bool) {
    if json {
        return say(&event.to_string());
    }
    let target = &event["target"];
    let name = ["server_id", "tool_name"].iter().filter_map(|field| target[*field].as_str());
    say(&format!(
        "{} {:>8} {:7} {} {}:{} {}",
        text(&event["timestamp"]),
        event["seq"],
        text(&event["result"]),
        text(&event["event_type"]),
        text(&event["actor"]["type"]),
        text(&event["actor"]["id"]),
        printable(&name.collect::<Vec<_>>().join("/"))
    ));
}

fn list(items: &[Value], format: Format, none: &str, line: impl Fn(&Value) -> String) {
    match format {
        Format::Json => say(&Value::from(items.to_vec()).to_string()),
        Format::Text if items.is_empty() => note(none),
        Format::Text => items.iter().for_each(|item| say(&line(item))),
    }
}

/// Returns some fields of an object as one line; those without a value are left out.
fn line(item: &Value, fields: &[&str]) -> String {
    let none = Map::new();
    let item = item.as_object().unwrap_or(&none);
    let shown = fields.iter().filter_map(|field| match (*field, item.get(*field)?) {
        (_, Value::Null) => None,
        ("expires_at", at) => Some(format!("until {}", text(at))),
        (_, Value::Array(list)) if list.is_empty() => None,
        (_, Value::Array(list)) => Some(list.iter().map(text).collect::<Vec<_>>().join(",")),
        (_, value) => Some(text(value)),
    });
    shown.collect::<Vec<_>>().join("  ")
}

fn text(value: &Value) -> String {
    printable(value.as_str().unwrap_or_default())
}

/// Replaces control characters: names and arguments come from servers and clients, and must not steer the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
