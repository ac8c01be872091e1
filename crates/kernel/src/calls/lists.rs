//! The lists, merged over all servers. They are complete as far as the servers have answered, and name the servers that have not.

use std::sync::Arc;

use catalog::View;
use jsonrpc::ErrorObject;
use mcp::client::Filter;
use mcp::exchange::{Advertised, Answered, Outcome, Peer, Request};
use mcp::method::ListKind;
use upstream::{Health, Server};

use super::caller::Caller;
use super::room::{Asked, Calls};
use crate::mgp_offer::of_guard;

/// Answers with one page of a list.
pub(crate) async fn page(asked: Asked<'_>, kind: ListKind, request: &Request) -> Outcome {
    let cursor = request.params.as_ref().and_then(|params| params.get("cursor"));
    let cursor = match cursor.as_ref().map(|raw| raw.as_str().map(std::borrow::Cow::into_owned)) {
        Some(None) => return Outcome::refused(ErrorObject::invalid_params("`cursor` must be a string")),
        Some(Some(text)) => Some(text),
        None => None,
    };
    let view = settled(asked.calls, asked.caller, &request.peer).await;
    match view.page(kind, cursor.as_deref(), request.peer.revision) {
        Ok(result) => Outcome::Result(Answered {
            message: None,
            result,
            revision: request.peer.revision,
        }),
        Err(error) => Outcome::refused(ErrorObject::invalid_params(error.to_string())),
    }
}

/// Returns the view for a caller, after every server without a known offer has had its time to answer (DESIGN 5).
pub(crate) async fn settled(calls: &Arc<Calls>, caller: &Arc<Caller>, peer: &Arc<Peer>) -> Arc<View> {
    let view = || calls.views.look(&caller.subject, &caller.view, peer);
    let seen = view();
    if seen.is_settled() {
        return seen.view().clone();
    }
    let servers = calls.upstream.servers();
    let startup_wait = calls.settings.load().startup_wait;
    let mut waiting = Vec::new();
    for server in servers.iter() {
        look_up(calls, caller, server, peer);
        if !matches!(server.state.health(), Health::Error(_)) {
            let patience = server.state.patience(startup_wait);
            waiting.push(tokio::time::timeout(patience, server.until_known(peer)));
        }
    }
    // The answer names a server that is late.
    drop(futures_util::future::join_all(waiting).await);
    view().view().clone()
}

/// Makes sure that a server's offer to such a caller is known or being read.
pub(crate) fn look_up(calls: &Arc<Calls>, caller: &Arc<Caller>, server: &Arc<Server>, peer: &Arc<Peer>) {
    if server.is_known(peer) || server.spec().launch.is_err() {
        return;
    }
    let (calls, caller, server, peer) = (calls.clone(), caller.clone(), server.clone(), peer.clone());
    calls.runtime.clone().spawn_until_shutdown(async move {
        if let Ok(line) = calls.line_for(&caller, &server, &peer).await {
            drop(line.session().await);
        }
    });
}

/// Returns the addition to an error about an unknown name when some servers could not be asked.
pub(crate) fn missing_note(view: &View) -> String {
    if view.missing().is_empty() {
        return String::new();
    }
    let names: Vec<String> = view.missing().iter().map(ToString::to_string).collect();
    format!(" (not available now: {})", names.join(", "))
}

/// Returns the part of a filter that the gateway honours for a caller.
pub(crate) fn honoured(view: &View, asked: &Filter) -> Filter {
    let capabilities = &view.advertised().capabilities;
    Filter {
        tools: asked.tools && capabilities.list_changed(ListKind::Tools),
        prompts: asked.prompts && capabilities.list_changed(ListKind::Prompts),
        resources: asked.resources && capabilities.list_changed(ListKind::Resources),
        uris: Vec::new(),
        tasks: asked.tasks.clone(),
    }
}

impl Calls {
    /// Returns the gateway's offer to a caller: the union of its servers' offers (`initialize`, `server/discover`).
    pub(crate) async fn advertised(self: &Arc<Self>, caller: &Arc<Caller>, peer: &Arc<Peer>) -> Advertised {
        let view = settled(self, caller, peer).await;
        let advertised = view.advertised();
        let mgp = of_guard(&self.guard);
        let agreement = mgp.with_client(peer.capabilities.raw()).agreement;
        Advertised {
            capabilities: mgp.towards_client(advertised.capabilities.raw(), agreement.as_ref()),
            info: self.identity().info.clone(),
            instructions: advertised.instructions.clone(),
        }
    }

    /// Makes sure that each server's offer to a caller is known or being read.
    pub(crate) fn look_up_all(self: &Arc<Self>, caller: &Arc<Caller>, peer: &Arc<Peer>) {
        for server in self.upstream.servers().iter() {
            look_up(self, caller, server, peer);
        }
    }
}
