//! The person at the terminal as a caller: sees progress, and is asked nothing.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Message, Raw};
use kernel::{Asker, BoxFuture, Calls, Kernel, Port, Subject};
use mcp::capabilities::ClientCapabilities;
use mcp::exchange::Peer;
use mcp::revision::Revision;
use model::{Principal, Ticket};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::output::note;

/// The only request that the terminal makes.
const CALL: Ticket = Ticket(1);

/// The way back to a terminal. It has declared no capabilities, so that no server asks it anything.
pub(super) struct Terminal {
    peer: Arc<Peer>,
    /// Never notified: a person who interrupts the command ends the whole gateway.
    cancellation: Arc<Notify>,
}

impl Terminal {
    pub(super) fn new() -> Arc<Self> {
        let info = json!({"name": "chancery-cli", "version": env!("CARGO_PKG_VERSION")});
        Arc::new(Self {
            peer: Arc::new(Peer {
                revision: Revision::LATEST_LEGACY,
                capabilities: ClientCapabilities::empty(),
                info: Some(Raw::of(&info)),
            }),
            cancellation: Arc::default(),
        })
    }

    /// Calls a tool as the local user and returns its result.
    pub(super) async fn call(self: &Arc<Self>, kernel: &Kernel, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let calls: &Arc<Calls> = kernel.calls();
        let port: Arc<dyn Port> = self.clone();
        let caller = calls.caller(Subject::new(Principal::local()), Arc::downgrade(&port));
        let outcome = calls.call_tool(&caller, CALL, tool, Some(Raw::of(arguments))).await;
        calls.hang_up(&caller);
        match outcome {
            Some(Ok(result)) => Ok(result.to_value()),
            Some(Err(error)) => Err(anyhow::anyhow!("{}", error.message)),
            None => Err(anyhow::anyhow!("the call was cancelled")),
        }
    }

    fn show(message: &Message) {
        if message.method() != Some("notifications/progress") {
            return;
        }
        let params = message.params().map_or(Value::Null, |params| params.to_value());
        let total = params.get("total").map(|total| format!("/{total}")).unwrap_or_default();
        let text = params["message"].as_str().unwrap_or_default();
        note(&format!("progress {}{total} {text}", params["progress"]));
    }
}

impl Port for Terminal {
    fn peer(&self) -> Option<Arc<Peer>> {
        Some(self.peer.clone())
    }

    fn cancellation(&self, _: Ticket) -> Option<Arc<Notify>> {
        Some(self.cancellation.clone())
    }

    fn interim(&self, _: Ticket, message: Message) -> BoxFuture<'_, ()> {
        Self::show(&message);
        Box::pin(std::future::ready(()))
    }

    fn interim_now(&self, _: Ticket, message: Message) {
        Self::show(&message);
    }

    fn ask(&self, _: Option<Ticket>, question: Message, asker: Box<dyn Asker>) -> Ticket {
        asker.answered(Err(ErrorObject::method_not_found(question.method().unwrap_or_default())));
        Ticket(0)
    }

    fn withdraw(&self, _: Ticket, _: Option<String>) {}
}
