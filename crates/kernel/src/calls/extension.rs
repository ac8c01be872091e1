//! Methods of extensions: they go to the server that declared them, and are denied if no server did.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Message};
use mcp::exchange::{Outcome, Peer, Request};
use model::{ServerId, Trace};
use policy::Action;
use upstream::Server;

use super::caller::Caller;
use super::room::{Asked, Calls};
use super::{lists, place, refused, send};

/// Handles a request of an extension.
pub(crate) async fn request(asked: Asked<'_>, request: Box<Request>) -> Outcome {
    let name = request.method.name().to_owned();
    let mut owner = owner(asked.calls, asked.caller, &name);
    if owner.is_none() {
        // The first request may come before the first list.
        drop(Box::pin(lists::settled(asked.calls, asked.caller, &request.peer)).await);
        owner = self::owner(asked.calls, asked.caller, &name);
    }
    let Some(owner) = owner else {
        return Outcome::refused(ErrorObject::method_not_found(&name));
    };
    let Some(server) = asked.calls.server(&owner) else {
        return refused::gone(&owner);
    };
    let action = Action::Extension {
        server: &owner,
        method: &name,
    };
    match asked.admit(action, &request).await {
        Ok(permit) => send::send(asked, request, &server, permit).await,
        Err(refused) => refused,
    }
}

/// Returns the server that an extension's method belongs to, for a caller.
fn owner(calls: &Calls, caller: &Caller, method: &str) -> Option<ServerId> {
    let peer = caller.port().and_then(|port| port.peer());
    let peer = peer.unwrap_or_else(|| calls.identity().peer.clone());
    let view = calls.views.view(&caller.subject, &caller.view, &peer);
    view.extension_owner(method).cloned()
}

impl Calls {
    /// Forwards a caller's notification: changed roots to the servers on lines of its own, an extension's notification to its owner.
    pub(crate) fn notify(self: &Arc<Self>, caller: &Arc<Caller>, message: &Message) {
        let name = message.method().unwrap_or_default();
        if name == "notifications/roots/list_changed" {
            let is_own = |line: &Arc<upstream::Line>| line.key.client.is_some() && line.key.client == caller.subject.session;
            for line in caller.lines().into_iter().filter(is_own) {
                if let Some(session) = line.live()
                    && let Some(permit) = self.may_notify(caller, &line.server.spec.id, name)
                {
                    session.notify(message, &permit);
                }
            }
            return;
        }
        if let Some(server) = owner(self, caller, name).and_then(|owner| self.server(&owner))
            && let Some(permit) = self.may_notify(caller, &server.spec().id, name)
        {
            self.notify_owner(caller, server, message.clone(), permit);
        }
    }

    fn may_notify(&self, caller: &Caller, server: &ServerId, method: &str) -> Option<guard::SendPermit> {
        let action = Action::Notify { server, method };
        self.guard.admit_now(&caller.subject, action, &Trace::default()).ok()
    }

    /// Sends a notification to the owner of an extension, on the line that the caller's calls take. If there is no such line yet, it is made first.
    fn notify_owner(self: &Arc<Self>, caller: &Arc<Caller>, server: Arc<Server>, message: Message, permit: guard::SendPermit) {
        if let Some(session) = caller.line(&server.spec().id).and_then(|line| line.live()) {
            return session.notify(&message, &permit);
        }
        let (calls, caller) = (self.clone(), caller.clone());
        self.runtime.spawn_until_shutdown(async move {
            let line = match caller.port().and_then(|port| port.peer()) {
                Some(peer) => calls.line_for(&caller, &server, &peer).await,
                None => server.listening_line(caller.principal(), &calls.identity().peer).await,
            };
            if let Ok(line) = line
                && let Ok(session) = line.session().await
            {
                session.notify(&message, &permit);
            }
        });
    }

    /// Returns the line for a caller's requests to a server, without a lane, because the server asks no questions there.
    pub(crate) async fn line_for(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        server: &Arc<Server>,
        peer: &Arc<Peer>,
    ) -> Result<Arc<upstream::Line>, upstream::Unavailable> {
        let asked = Asked {
            calls: self,
            caller,
            ticket: model::Ticket(0),
        };
        Ok(place::line_for(asked, server, peer).await?.0)
    }
}
