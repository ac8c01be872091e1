//! Sends a command's request to the operator API: that of the running gateway or, where none runs, of one that is
//! started for this command only.

use std::io::{BufRead as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use bytes::Bytes;
use console::ROOT;
use kernel::http_api::{self, Verb};
use kernel::spec::Start;
use model::{Principal, Role};
use serde_json::{Value, json};
use transport::socket;

use super::configured::Configured;
use super::gateway::Gateway;
use super::{gateways, remember, settings};

/// The operator API that a command's requests go to.
pub(super) enum OperatorApi {
    /// The API of a running gateway.
    Running(PathBuf),
    /// The API of the command's own gateway.
    Own(Box<Gateway>),
}

/// An answer: its status, and the object.
pub(super) struct ApiAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The answer, or the problem.
    pub value: Value,
}

impl OperatorApi {
    /// Finds the running gateway of the configuration, or opens its store.
    pub(super) async fn find(configured: &Configured) -> anyhow::Result<Self> {
        let number = gateways::chosen(configured);
        if let Some(path) = gateways::socket(configured, number) {
            return Ok(Self::Running(path));
        }
        let Configured { sources, loaded, .. } = configured;
        let config = &loaded.config;
        let records = remember::sole(config, sources, number).await?;
        let mut settings = settings::secured(config, None);
        // The servers' cached offers are used; no server is started for a look at a list.
        settings.servers.iter_mut().for_each(|server| server.start = Start::OnUse);
        Ok(Self::Own(Box::new(Gateway::start(settings, Some(records), config, sources))))
    }

    /// Sends a request. A refusal of the API is an answer too.
    pub(super) async fn ask(&self, verb: Verb, target: &str, body: Option<&Value>) -> anyhow::Result<ApiAnswer> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let (status, text) = match self {
            Self::Running(path) => {
                let (path, target) = (path.clone(), format!("{ROOT}{target}"));
                tokio::task::spawn_blocking(move || over(&path, verb, &target, body.as_bytes())).await??
            }
            Self::Own(gateway) => inside(gateway, verb, target, body).await?,
        };
        let value = serde_json::from_slice(&text).context("failed to understand the gateway's answer")?;
        Ok(ApiAnswer { status, value })
    }

    /// Sends a request that must succeed.
    pub(super) async fn expect(&self, verb: Verb, target: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let ApiAnswer { status, value } = self.ask(verb, target, body).await?;
        match status {
            200..=299 => Ok(value),
            _ => bail!("{}", value["detail"].as_str().unwrap_or("the gateway refused it")),
        }
    }

    /// Returns every entry of a list, page by page. `target` must have a query, even an empty one (`?`).
    pub(super) async fn all(&self, target: &str) -> anyhow::Result<Vec<Value>> {
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.expect(Verb::Get, &format!("{target}&limit=1000{cursor}"), None).await?;
            items.extend(page["items"].as_array().cloned().unwrap_or_default());
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={}", encoded(next)),
                None => return Ok(items),
            }
        }
    }

    /// Ends the gateway that was started for the command only.
    pub(super) async fn end(self) {
        if let Self::Own(gateway) = self {
            gateway.stop().await;
        }
    }
}

/// Sends a request to a running gateway. Blocks.
fn over(path: &std::path::Path, verb: Verb, target: &str, body: &[u8]) -> anyhow::Result<(u16, Vec<u8>)> {
    let mut reply = socket::request(path, verb, target, Some(body)).context("failed to reach the running gateway")?;
    let mut text = Vec::new();
    reply.body.read_to_end(&mut text)?;
    Ok((reply.status, text))
}

/// Sends a request to the command's own gateway. A user who can open the store is its owner.
async fn inside(gateway: &Gateway, verb: Verb, target: &str, body: String) -> anyhow::Result<(u16, Vec<u8>)> {
    let owner = Principal {
        role: Role::Operator,
        ..Principal::local()
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = http_api::Request {
        who: owner.into(),
        verb,
        path: path.to_owned(),
        query: Some(query.to_owned()),
        last_event: None,
        body: Bytes::from(body),
    };
    match gateway.api().api.answer(request).await {
        http_api::Answer::Whole { status, body, .. } => Ok((status, body.to_vec())),
        http_api::Answer::Events(_) => bail!("no gateway runs, so nothing will happen: start one with `chancery serve`"),
    }
}

/// Reads the events of a running gateway as long as it runs; `seen` is called for each.
pub(super) async fn follow(
    configured: &Configured,
    target: &'static str,
    seen: impl Fn(Value) + Send + 'static,
) -> anyhow::Result<ExitCode> {
    let Some(path) = gateways::socket(configured, gateways::chosen(configured)) else {
        bail!("no gateway of this configuration runs, so nothing will happen: start one with `chancery serve`");
    };
    let following = move || -> anyhow::Result<ExitCode> {
        let reply = socket::request(&path, Verb::Get, &format!("{ROOT}{target}"), None).context("failed to reach the running gateway")?;
        for line in reply.body.lines() {
            if let Some(data) = line?.strip_prefix("data:") {
                seen(serde_json::from_str(data.trim()).context("failed to understand the gateway's answer")?);
            }
        }
        Ok(ExitCode::SUCCESS)
    };
    // The thread may wait for the next event when an interrupt ends the command.
    let (sender, ended) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("follow".to_owned()).spawn(move || {
        // After an interrupt the receiver is gone.
        drop(sender.send(following()));
    })?;
    super::interrupts::Interrupts::listen()?.or(async { ended.await? }).await
}

/// Returns `server` or `server/tool`, as fields.
pub(super) fn target(text: &str) -> Value {
    match text.split_once('/') {
        Some((server, tool)) => json!({ "server": server, "tool": tool }),
        None => json!({ "server": text }),
    }
}

/// Returns `server` or `server/tool`, as parameters of a query.
pub(super) fn target_query(text: &str) -> String {
    match text.split_once('/') {
        Some((server, tool)) => format!("server={}&tool={}", encoded(server), encoded(tool)),
        None => format!("server={}", encoded(text)),
    }
}

/// Encodes a text for a URL.
pub(super) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let one = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}
