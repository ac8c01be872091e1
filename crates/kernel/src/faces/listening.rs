//! The client's side of `subscriptions/listen`: the stream is acknowledged, maintained, and ended by the client or the gateway.

use std::sync::Arc;

use mcp::client::Input;
use mcp::exchange::Request;
use model::Ticket;
use tokio_util::sync::CancellationToken;

use super::client::Client;
use crate::calls::{Asked, Port as _, keep_up, lines_of, open};

/// Serves a stream until its client cancels it, or until `ending`, which is reported to the client. Dropping the future ends the stream without a
/// message.
pub(super) async fn serve(client: &Arc<Client>, ticket: Ticket, request: &Request, ending: &CancellationToken) {
    let Some(cancelled) = client.cancellation(ticket) else { return };
    let asked = Asked {
        calls: &client.calls,
        caller: &client.caller,
        ticket,
    };
    let stay = async {
        let (honoured, subscribed) = open(asked, request).await;
        let lines = lines_of(&subscribed);
        let work = client.listen(ticket, honoured, subscribed);
        client.send(work).await;
        keep_up(lines).await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        () = ending.cancelled() => {
            let work = client.take(Input::EndListen(ticket));
            client.send(work).await;
        }
        () = cancelled.notified() => {}
        () = stay => {}
    }
    client.end_listening(ticket);
}
