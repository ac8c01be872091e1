//! A caller: the subject on whose behalf requests are made, its port, and the lines that it holds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use guard::Subject;
use jsonrpc::Message;
use mcp::exchange::Peer;
use model::{PrincipalId, ServerId, Ticket};
use upstream::{Attachment, CallEvents, Line, Question, Sharer};

use super::dismissals::{Dismissal, Dismissals};
use super::port::Port;
use super::questions::{OwnQuestion, Questions};
use super::subscriptions::{Subscriptions, unsubscribe_upstream};
use crate::views::LastView;

/// A caller of any kind: an MCP client, the operator, a participant of a space, a step of an intent.
pub struct Caller {
    /// The subject on whose behalf the caller asks.
    pub subject: Subject,
    port: Weak<dyn Port>,
    questions: Arc<Questions>,
    /// Its place among the callers that a token let in; none without a token.
    dismissal: Option<Dismissal>,
    lines: Mutex<HeldLines>,
    subscriptions: Mutex<Subscriptions>,
    /// The view that it saw last, so that a call need not look it up.
    pub(crate) view: LastView,
}

/// The lines that a caller holds from one call to the next, and those on which it receives messages that belong to no call.
#[derive(Default)]
struct HeldLines {
    by_server: HashMap<ServerId, Arc<Line>, foldhash::fast::RandomState>,
    attachments: Vec<Attachment>,
}

impl Caller {
    pub(super) fn new(subject: Subject, port: Weak<dyn Port>, questions: &Arc<Questions>, dismissals: &Arc<Dismissals>) -> Arc<Self> {
        Arc::new(Self {
            dismissal: dismissals.register(&subject),
            subject,
            port,
            questions: questions.clone(),
            lines: Mutex::default(),
            subscriptions: Mutex::default(),
            view: LastView::default(),
        })
    }

    /// Returns the principal.
    #[must_use]
    pub fn principal(&self) -> &PrincipalId {
        &self.subject.principal.id
    }

    /// Returns the port, for as long as the caller exists.
    pub(crate) fn port(&self) -> Option<Arc<dyn Port>> {
        self.port.upgrade()
    }

    /// Resolves when the token that let the caller in is revoked or expires after this was polled for the first time.
    pub(super) async fn dismissed(&self) {
        match &self.dismissal {
            Some(dismissal) => dismissal.dismissed().await,
            None => std::future::pending().await,
        }
    }

    /// Describes the caller to a server that has to find a line for it.
    pub(crate) fn sharer(&self, peer: &Arc<Peer>) -> Sharer {
        Sharer {
            principal: self.principal().clone(),
            client: self.subject.session,
            peer: peer.clone(),
        }
    }

    /// Puts a question of the gateway's own to the caller; none when the caller has gone.
    pub(crate) fn ask(&self, related: Ticket, message: Message) -> Option<OwnQuestion> {
        Some(OwnQuestion::put(&self.port()?, related, message))
    }

    /// Puts a server's question to the caller.
    pub(crate) fn put_question(&self, related: Option<Ticket>, question: Question) {
        match self.port() {
            Some(port) => self.questions.put(&self.subject, &port, related, question),
            None => question.refuse(jsonrpc::ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "the client has gone")),
        }
    }

    /// Sends progress or a log of a request.
    pub(crate) async fn interim(&self, ticket: Ticket, message: Message) {
        if let Some(port) = self.port() {
            port.interim(ticket, message).await;
        }
    }

    // === the lines that it holds

    fn held(&self) -> MutexGuard<'_, HeldLines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the line that the caller holds to a server.
    pub(crate) fn line(&self, server: &ServerId) -> Option<Arc<Line>> {
        self.held().by_server.get(server).cloned()
    }

    /// Starts to hold a line, and to receive its server's messages that belong to no call.
    pub(crate) fn hold(&self, line: &Arc<Line>) {
        self.attach(line);
        self.held().by_server.insert(line.server.spec.id.clone(), line.clone());
    }

    /// Starts to receive the messages of a line's server that belong to no call.
    pub(crate) fn attach(&self, line: &Arc<Line>) {
        let Some(client) = self.subject.session else { return };
        let mut held = self.held();
        if !held.attachments.iter().any(|attachment| attachment.is_to(line)) {
            held.attachments.push(line.attach(client));
        }
    }

    /// Releases the lines to servers that were removed.
    pub(crate) fn drop_lines(&self, servers: &[ServerId]) {
        let gone: Vec<Arc<Line>> = {
            let by_server = &mut self.held().by_server;
            servers.iter().filter_map(|server| by_server.remove(server)).collect()
        };
        drop(gone);
    }

    /// Returns the lines that the caller holds.
    pub(crate) fn lines(&self) -> Vec<Arc<Line>> {
        self.held().by_server.values().cloned().collect()
    }

    /// Releases all lines and subscriptions of a caller that has gone.
    pub(crate) fn let_go(&self) {
        let held = std::mem::take(&mut *self.held());
        let subscriptions = std::mem::take(&mut *self.subscriptions());
        drop(subscriptions.streams);
        for (server, uri) in subscriptions.uris {
            if let Some(line) = held.by_server.get(&server) {
                unsubscribe_upstream(line, &uri);
            }
        }
        drop(held);
    }

    /// Returns the caller's subscriptions.
    pub(crate) fn subscriptions(&self) -> MutexGuard<'_, Subscriptions> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallEvents for Caller {
    fn interim_now(&self, ticket: Ticket, message: Message) {
        if let Some(port) = self.port() {
            port.interim_now(ticket, message);
        }
    }

    fn asked(&self, ticket: Ticket, question: Question) {
        self.put_question(Some(ticket), question);
    }
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").field("subject", &self.subject).finish_non_exhaustive()
    }
}
