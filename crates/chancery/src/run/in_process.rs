//! A client inside the process, for commands that use the gateway in the same way as any other client.

use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use kernel::Kernel;
use kernel::front::{ClientPipe, Front as _};
use model::Principal;
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// An in-process client on a pipe of its own.
pub(super) struct InProcessClient {
    pipe: Arc<dyn ClientPipe>,
    incoming: mpsc::Receiver<bytes::Bytes>,
    next: u64,
}

/// A message of the gateway in the course of a request.
pub(super) enum Interim<'a> {
    /// A notification.
    Notice(&'a Value),
    /// A question; the handler returns the result to answer with.
    Question(&'a Value),
}

impl InProcessClient {
    /// Connects and completes the handshake, with these capabilities.
    pub(super) async fn connect(kernel: &Kernel, capabilities: Value) -> anyhow::Result<Self> {
        let (outgoing, incoming) = mpsc::channel(64);
        let mut client = Self {
            pipe: kernel.open(Principal::local().into(), outgoing),
            incoming,
            next: 0,
        };
        let hello = json!({
            "protocolVersion": mcp::revision::Revision::LATEST_LEGACY.as_str(),
            "capabilities": capabilities,
            "clientInfo": {"name": "chancery-cli", "version": env!("CARGO_PKG_VERSION")},
        });
        client.request("initialize", hello, |_| None).await?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        Ok(client)
    }

    async fn send(&self, message: &Value) {
        self.pipe.receive(message.to_string().into()).await;
    }

    /// Sends a request and waits for the answer; `interim` gets the messages that arrive meanwhile and answers questions.
    pub(super) async fn request(
        &mut self,
        method: &str,
        params: Value,
        mut interim: impl FnMut(Interim<'_>) -> Option<Value>,
    ) -> anyhow::Result<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        loop {
            let frame = self.incoming.recv().await.context("the gateway has ended the connection")?;
            let message: Value = serde_json::from_slice(&frame).context("the gateway said something that is not JSON")?;
            if message.get("method").is_none() && message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(anyhow!("{}", error["message"].as_str().unwrap_or("the request failed"))),
                    None => Ok(message["result"].clone()),
                };
            }
            match (message.get("method"), message.get("id")) {
                (Some(_), Some(question)) => {
                    let answer = match interim(Interim::Question(&message)) {
                        Some(result) => json!({"jsonrpc": "2.0", "id": question, "result": result}),
                        None => {
                            json!({"jsonrpc": "2.0", "id": question, "error": {"code": -32601, "message": "this client can't be asked"}})
                        }
                    };
                    self.send(&answer).await;
                }
                (Some(_), None) => drop(interim(Interim::Notice(&message))),
                _ => {}
            }
        }
    }

    /// Returns every item of a list, over all its pages.
    pub(super) async fn list(&mut self, method: &str, key: &str) -> anyhow::Result<Vec<Value>> {
        let mut items = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.request(method, params, |_| None).await?;
            match page.get(key) {
                Some(Value::Array(list)) => items.extend(list.iter().cloned()),
                _ => bail!("the answer to `{method}` has no `{key}`"),
            }
            match page.get("nextCursor") {
                Some(cursor) if !cursor.is_null() => params = json!({ "cursor": cursor }),
                _ => return Ok(items),
            }
        }
    }
}
