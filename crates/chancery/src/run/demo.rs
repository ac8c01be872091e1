//! `chancery demo`: a gateway in front of the built-in example servers, an agent's session through it, and where to connect a client.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use kernel::front::Front;
use kernel::spec::{EraChoice, Launch, ServerSpec, Share, Start};
use kernel::{Dependencies, Kernel, NoCache, Records, Security, Settings};
use model::ServerId;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use transport::http::{ListenOptions, Listener};
use transport::{ClientLimits, Outbound};

use super::gateway::Gateway;
use super::in_process::{InProcessClient, Interim};
use super::interrupts::Interrupts;
use super::output::{failed, say};
use super::remember;
use crate::cli;

/// Runs `chancery demo`.
///
/// # Errors
/// When the address can't be listened on, or the session does not go as it must.
pub async fn demo(args: cli::Demo) -> anyhow::Result<ExitCode> {
    let options = ListenOptions {
        address: args.listen,
        ..ListenOptions::default()
    };
    let listener = Listener::bind(options).await.map_err(failed)?;
    let url = listener.url();
    let mut interrupts = Interrupts::listen()?;
    let folder = tempfile::Builder::new().prefix("chancery-demo-").tempdir()?;
    let gateway = start(remember::passing(folder.path()).await?)?;
    let shutdown = CancellationToken::new();
    let front: Arc<dyn Front> = Arc::new(gateway.kernel.clone());
    let serving = tokio::spawn(listener.serve(front, shutdown.clone()));
    let shown = interrupts.or(async {
        session(&gateway.kernel).await?;
        say(&how_to_connect(&url));
        Ok(ExitCode::SUCCESS)
    });
    let done = shown.await;
    if !args.once && matches!(done, Ok(ExitCode::SUCCESS)) {
        say("Serving until Ctrl-C.");
        interrupts.next().await;
    }
    shutdown.cancel();
    gateway.stop().await;
    serving.await?;
    done
}

fn start(records: Records) -> anyhow::Result<Gateway> {
    let settings = Settings {
        servers: vec![example("minimal")?, example("everything")?],
        startup_wait: Duration::from_secs(10),
        security: Some(Security::default()),
        ..Settings::default()
    };
    let outbound = Arc::new(Outbound::new(ClientLimits::default(), None));
    let outside = Dependencies::new(outbound.clone(), Arc::new(NoCache)).records(records);
    let kernel = Kernel::start(settings, outside);
    Ok(Gateway { kernel, outbound })
}

fn example(name: &str) -> anyhow::Result<ServerSpec> {
    let command = std::env::current_exe()?.display().to_string();
    Ok(ServerSpec {
        id: ServerId::new(name)?,
        launch: Ok(Launch::Stdio {
            command,
            args: vec!["example".to_owned(), name.to_owned()],
            env: BTreeMap::new(),
            cwd: None,
        }),
        era: EraChoice::Auto,
        share: Share::Session,
        start: Start::Eager,
        prefix: false,
        include: Vec::new(),
        exclude: Vec::new(),
        request_timeout: Duration::from_secs(60),
        startup_timeout: Duration::from_secs(10),
        digest: name.to_owned(),
    })
}

/// Plays an agent's session: lists and calls tools, waits for one that takes its time, and has a person asked, by a
/// server and by the gateway before something dangerous.
async fn session(kernel: &Kernel) -> anyhow::Result<()> {
    say("An agent connects to the gateway, which stands in front of two servers.\n");
    let mut agent = InProcessClient::connect(kernel, json!({"elicitation": {}})).await?;
    let tools = agent.list("tools/list", "tools").await?;
    say(&format!(
        "agent   > tools/list\ngateway < {} tools of both servers, one list; what both call `echo` is told apart:",
        tools.len()
    ));
    let echoes: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .filter(|name| name.ends_with("echo"))
        .collect();
    say(&format!("          {}\n", echoes.join(", ")));

    step(&mut agent, "minimal__echo", json!({"text": "hello"})).await?;
    step(&mut agent, "count", json!({"to": 3, "pause": 200})).await?;
    step(&mut agent, "ask_form", json!({})).await?;

    // Its server says that it destroys: the gateway asks first.
    step(&mut agent, "write_note", json!({"title": "draft", "text": "to be thrown away"})).await?;
    step(&mut agent, "delete_note", json!({"title": "draft"})).await?;

    say("agent   > resources/read memo://welcome");
    let read = agent.request("resources/read", json!({"uri": "memo://welcome"}), |_| None).await?;
    say(&format!("minimal < {}\n", read["contents"][0]["text"].as_str().unwrap_or_default()));
    Ok(())
}

async fn step(agent: &mut InProcessClient, tool: &str, arguments: Value) -> anyhow::Result<()> {
    say(&format!("agent   > tools/call {tool} {arguments}"));
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": tool}});
    let result = agent.request("tools/call", params, answer).await?;
    say(&format!(
        "server  < {}\n",
        result["content"][0]["text"].as_str().unwrap_or_default()
    ));
    Ok(())
}

/// Shows progress, and answers questions in place of a person.
fn answer(interim: Interim<'_>) -> Option<Value> {
    match interim {
        Interim::Notice(message) if message["method"] == "notifications/progress" => {
            let params = &message["params"];
            say(&format!("server  . {} of {}", params["progress"], params["total"]));
            None
        }
        Interim::Question(message) if message["method"] == "elicitation/create" => {
            let schema = &message["params"]["requestedSchema"];
            let who = if schema["properties"]["decision"].is_object() {
                "gateway"
            } else {
                "server "
            };
            let text = message["params"]["message"].as_str().unwrap_or_default();
            let mut lines = text.lines().filter(|line| !line.is_empty());
            say(&format!("{who} ? asks the person: {}", lines.next().unwrap_or_default()));
            lines.for_each(|line| say(&format!("          {line}")));
            let content = filled_in(&message["params"]["requestedSchema"]);
            say(&format!("person  > {content}"));
            Some(json!({"action": "accept", "content": content}))
        }
        _ => None,
    }
}

/// Returns a plausible answer to a form: the default, the first choice, or a value of the type.
fn filled_in(schema: &Value) -> Value {
    let Some(properties) = schema["properties"].as_object() else {
        return json!({});
    };
    let value = |name: &String, property: &Value| match (property.get("default"), property["type"].as_str()) {
        (Some(default), _) => default.clone(),
        (None, Some("boolean")) => json!(true),
        (None, Some("integer" | "number")) => property.get("minimum").cloned().unwrap_or_else(|| json!(42)),
        (None, Some("array")) => json!([first_choice(&property["items"])]),
        (None, _) => match first_choice(property) {
            Value::Null => text_for(name, property["format"].as_str()),
            choice => choice,
        },
    };
    properties
        .iter()
        .map(|(name, property)| (name.clone(), value(name, property)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn first_choice(property: &Value) -> Value {
    let titled = ["oneOf", "anyOf"]
        .iter()
        .find_map(|key| property.get(key))
        .map(|options| options[0]["const"].clone());
    titled.unwrap_or_else(|| property["enum"][0].clone())
}

fn text_for(name: &str, format: Option<&str>) -> Value {
    json!(match format {
        Some("email") => "ada@example.com",
        Some("uri") => "https://example.com/ada",
        Some("date") => "1815-12-10",
        Some("date-time") => "1815-12-10T12:00:00Z",
        _ if name.contains("name") => "Ada",
        _ => "a difference engine",
    })
}

fn how_to_connect(url: &str) -> String {
    let program = std::env::current_exe().map_or_else(|_| "chancery".to_owned(), |path| path.display().to_string());
    format!(
        "Connect a client of your own, of any protocol revision:\n\
         \n  endpoint     {url}\
         \n  Claude Code  claude mcp add --transport http chancery {url}\
         \n  inspector    npx @modelcontextprotocol/inspector --cli {url} --transport http --method tools/list\
         \n  health       {base}/healthz   metrics  {base}/metrics\
         \n\nYour own servers:\
         \n  {program} import          takes them over from the clients on this machine\
         \n  {program} doctor          says what works and what to mend\
         \n  {program} serve           serves them all on one endpoint\n",
        base = url.trim_end_matches("/mcp")
    )
}
