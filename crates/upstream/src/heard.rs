//! Takes a server's messages on a line that belong to no call: lists that changed are read again, everything else goes to the event sink.

use std::sync::Arc;

use jsonrpc::{Change, Message};
use mcp::meta::key;
use mcp::method::ListKind;

use crate::event::ServerEvent;
use crate::fetch;
use crate::line::Line;
use crate::question::Question;
use crate::session::{Owner, Session};
use crate::unavailable::Unavailable;

impl Owner for Line {
    fn notified(self: Arc<Self>, session: &Arc<Session>, message: &Message) {
        let name = message.method().unwrap_or_default();
        if let Some(kind) = ListKind::ALL.into_iter().find(|kind| kind.changed() == name) {
            return self.list_changed(session, kind);
        }
        match name {
            "notifications/subscriptions/acknowledged" => self.acknowledged(message),
            "notifications/resources/updated" => self.updated(message),
            _ => self.server.context.tell(ServerEvent::Notification {
                server: self.server.spec.id.clone(),
                line: self.number,
                clients: self.clients(),
                revision: session.revision(),
                message: without_subscription(message),
            }),
        }
    }

    fn asked(self: Arc<Self>, question: Question) {
        let owner = self.key.client;
        self.server.context.tell(ServerEvent::Asked { owner, question });
    }

    fn lost(&self, session: &Session, why: &str) {
        if self.forget(session) {
            self.server.lost(session.since, Unavailable::new(why).saying(session.last_words()));
        }
    }

    fn renewed(&self, session: &Session) {
        self.forget(session);
    }
}

impl Line {
    fn list_changed(self: &Arc<Self>, session: &Arc<Session>, kind: ListKind) {
        if !session.offers(kind) {
            let list = kind.method();
            return tracing::debug!(server = %self.server.spec.id, list, "ignored: the server has no such list");
        }
        let kinds: &[ListKind] = if kind == ListKind::Resources {
            &[ListKind::Resources, ListKind::ResourceTemplates]
        } else {
            std::slice::from_ref(&kind)
        };
        fetch::refresh(self, session, kinds);
    }

    /// Notes the subscriptions that a modern server has acknowledged.
    pub(crate) fn acknowledged(&self, message: &Message) {
        let params = message.params();
        let uris = params
            .as_ref()
            .and_then(|params| params.at(&["notifications", "resourceSubscriptions"]));
        let uris = uris.map(|uris| uris.items()).unwrap_or_default();
        let uris = uris.iter().filter_map(|uri| uri.as_str().map(std::borrow::Cow::into_owned));
        self.note_subscribed(uris.collect());
    }

    fn updated(&self, message: &Message) {
        let uri = message.params().and_then(|params| params.get("uri"));
        let Some(uri) = uri.and_then(|uri| uri.as_str().map(std::borrow::Cow::into_owned)) else {
            return;
        };
        self.server.context.tell(ServerEvent::ResourceUpdated {
            server: self.server.spec.id.clone(),
            clients: self.clients(),
            uri,
            message: without_subscription(message),
        });
    }
}

/// Removes the id of the gateway's own subscription from a notification: it means nothing to a client.
fn without_subscription(message: &Message) -> Message {
    match message.params() {
        Some(params) if params.at(&["_meta", key::SUBSCRIPTION_ID]).is_some() => {
            let params = params.edit().remove(&["_meta", key::SUBSCRIPTION_ID]).finish();
            message.with(Change {
                params: Some(&params),
                ..Change::default()
            })
        }
        _ => message.clone(),
    }
}
