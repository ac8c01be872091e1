//! The lists: merged over all servers, complete as far as the servers have answered, and saying so when they have not.

use std::sync::Arc;

use catalog::View;
use jsonrpc::ErrorObject;
use mcp::exchange::{Answered, Outcome, Peer, Request};
use mcp::method::ListKind;

use crate::client::Client;
use crate::upstream::server::Health;

/// One page of a list.
pub(crate) async fn page(client: &Arc<Client>, kind: ListKind, request: &Request) -> Outcome {
    let cursor = request.params.as_ref().and_then(|params| params.get("cursor"));
    let cursor = match cursor.as_ref().map(|raw| raw.as_str().map(std::borrow::Cow::into_owned)) {
        Some(None) => return Outcome::refused(ErrorObject::invalid_params("`cursor` must be a string")),
        Some(Some(text)) => Some(text),
        None => None,
    };
    let view = settled(client, &request.peer).await;
    match view.page(kind, cursor.as_deref(), request.peer.revision) {
        Ok(result) => Outcome::Result(Answered {
            message: None,
            result,
            revision: request.peer.revision,
        }),
        Err(error) => Outcome::refused(ErrorObject::invalid_params(error.to_string())),
    }
}

/// The view for a client, once every server that was never seen has had its time to answer (DESIGN 5).
pub(crate) async fn settled(client: &Arc<Client>, peer: &Arc<Peer>) -> Arc<View> {
    let inner = &client.inner;
    if let Some(view) = inner.settled_view(client, peer) {
        return view;
    }
    let servers = inner.servers();
    let mut waiting = Vec::new();
    for server in servers.iter() {
        server.look_up(client, peer);
        if !matches!(server.health(), Health::Error(_)) {
            let patience = server.patience(inner.settings().startup_wait);
            waiting.push(tokio::time::timeout(patience, server.until_known(peer)));
        }
    }
    // Whoever is late is named in the answer.
    drop(futures_util::future::join_all(waiting).await);
    inner.view_for(client, peer)
}
