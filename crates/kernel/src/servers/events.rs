//! The sink of server events: each event goes to the module that it concerns.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::ArcSwap;
use catalog::Offer;
use guard::Guard;
use jsonrpc::{Change, ErrorObject, Message};
use mcp::adapt;
use mcp::method::ListKind;
use mcp::revision::Revision;
use mgp::negotiation::Extension;
use model::ServerId;
use runtime::Runtime;
use upstream::{Question, ServerEvent, ServerEvents, Upstream};

use super::audit_feed;
use super::learn::{learn, wants};
use super::permissions::PermissionBroker;
use crate::calls::{Calls, Questions, news_of};
use crate::faces::Clients;
use crate::settings::Settings;
use crate::views::Views;

/// The sink of server events, which passes each to the modules that it concerns.
#[derive(Default)]
pub(crate) struct Events {
    links: OnceLock<Links>,
}

/// The modules that events go to. The servers are constructed with the sink, so it is linked to the modules after that.
pub(crate) struct Links {
    pub(crate) guard: Arc<Guard>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) settings: Arc<ArcSwap<Settings>>,
    pub(crate) upstream: Weak<Upstream>,
    pub(crate) views: Weak<Views>,
    pub(crate) broker: Arc<PermissionBroker>,
    pub(crate) clients: Weak<Clients>,
    pub(crate) questions: Weak<Questions>,
    pub(crate) calls: Weak<Calls>,
}

impl Events {
    /// Links the sink to the modules. Before that no server is started, so there are no events.
    pub(crate) fn link(&self, links: Links) {
        drop(self.links.set(links));
    }
}

impl ServerEvents for Events {
    fn event(&self, event: ServerEvent) {
        if let Some(links) = self.links.get() {
            links.event(event);
        }
    }
}

impl Links {
    fn event(&self, event: ServerEvent) {
        match event {
            ServerEvent::Offering { server, offers } => self.offering(&server, offers),
            ServerEvent::Offered { lists, .. } => self.offered(&lists),
            ServerEvent::Negotiated { server, session, own } => self.negotiated(&server, session, own),
            ServerEvent::SessionEnded { session, why } => {
                if let Some(questions) = self.questions.upgrade() {
                    questions.session_ended(session, &why);
                }
            }
            ServerEvent::Notification {
                line,
                clients,
                revision,
                message,
                ..
            } => self.notified(line, &clients, revision, &message),
            ServerEvent::ResourceUpdated {
                server,
                clients,
                uri,
                message,
            } => self.each(&clients, |client| client.resource_updated(&server, &uri, &message)),
            ServerEvent::Asked { owner, question } => self.asked(owner, question),
            ServerEvent::QuestionWithdrawn { question, reason } => {
                if let Some(questions) = self.questions.upgrade() {
                    questions.withdraw(&question, reason);
                }
            }
            ServerEvent::Reported { server, params } => self.guard.reported(&server, params.as_ref()),
            ServerEvent::TriedAsClient { server, method, params } => self.guard.tried_as_client(&server, &method, params.as_ref()),
        }
    }

    fn offering(&self, server: &ServerId, offers: Vec<Arc<Offer>>) {
        let server = self.upstream.upgrade().and_then(|upstream| upstream.server(server));
        if let Some(server) = server {
            learn(&self.guard, &self.runtime, &self.broker, &server, offers);
        }
    }

    fn offered(&self, lists: &HashSet<ListKind>) {
        if let Some(views) = self.views.upgrade() {
            views.changed();
        }
        if let Some(clients) = self.clients.upgrade() {
            clients.lists_changed(lists, self.settings.load().debounce);
        }
    }

    fn negotiated(&self, id: &ServerId, session: u64, own: bool) {
        let Some(server) = self.upstream.upgrade().and_then(|upstream| upstream.server(id)) else {
            return;
        };
        let wants = wants(&self.guard, &server);
        self.guard.wants(id, wants.clone());
        let Some(session) = server.session(session) else { return };
        let negotiated = session.mgp().negotiated();
        let has = |extension| negotiated.is_some_and(|outcome| outcome.has(extension));
        // A server is told once, over the gateway's own connection.
        if own && has(Extension::Audit) {
            audit_feed::follow(&self.guard, &self.runtime, &session);
        }
        self.broker.connected(&session, wants, has(Extension::Security));
    }

    fn notified(&self, line: u64, clients: &[u64], revision: Revision, message: &Message) {
        let news = self.calls.upgrade().and_then(|calls| news_of(&calls, line, message));
        if let (Some(news), Some(all)) = (news, self.clients.upgrade()) {
            crate::calls::News::task(&*all, line, &news);
        }
        if let Some(message) = for_legacy(message, revision) {
            self.each(clients, |client| client.event(&message));
        }
    }

    fn each(&self, numbers: &[u64], tell: impl Fn(&crate::faces::Client)) {
        let Some(clients) = self.clients.upgrade() else { return };
        for number in numbers {
            if let Some(client) = clients.by_number(*number) {
                tell(&client);
            }
        }
    }

    /// Puts a question that belongs to no call to the one client whose line it came over.
    fn asked(&self, owner: Option<u64>, question: Question) {
        let clients = self.clients.upgrade();
        let owner = owner.and_then(|number| clients?.by_number(number));
        match owner {
            Some(client) => client.caller.put_question(None, question),
            None => question.refuse(ErrorObject::new(
                jsonrpc::code::INVALID_REQUEST,
                "the question belongs to no request, so there is no client to ask",
            )),
        }
    }
}

/// Translates a notification for legacy clients; none if the legacy era has no equivalent.
fn for_legacy(message: &Message, from: Revision) -> Option<Message> {
    if !from.is_modern() {
        return Some(message.clone());
    }
    let (name, params) = adapt::notification(message.method()?, message.params().as_ref(), from, Revision::LATEST_LEGACY)?;
    let changed = Change {
        method: Some(&name),
        params: params.as_ref(),
        ..Change::default()
    };
    Some(message.with(changed))
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
