//! The state of the module `calls`: everything that handling a request needs, constructed once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use guard::{Guard, Subject};
use mcp::exchange::{Outcome, Peer, Request};
use model::{Deadline, ServerId, Ticket};
use policy::Action;
use runtime::Runtime;
use upstream::{Identity, Server, Upstream};

use super::caller::Caller;
use super::dismissals::Dismissals;
use super::news::News;
use super::own_tools::OwnTools;
use super::parked::ParkedCalls;
use super::port::Port;
use super::questions::Questions;
use super::returned::Returned;
use super::seal::Seal;
use super::task_routes::TaskRoutes;
use crate::settings::Settings;
use crate::views::Views;

/// The handling of callers' requests.
pub struct Calls {
    pub(crate) guard: Arc<Guard>,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) views: Arc<Views>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) settings: Arc<ArcSwap<Settings>>,
    pub(crate) questions: Arc<Questions>,
    pub(crate) dismissals: Arc<Dismissals>,
    pub(crate) tasks: Arc<TaskRoutes>,
    pub(crate) own_tools: Arc<dyn OwnTools>,
    pub(crate) news: Arc<dyn News>,
    pub(crate) parked: Arc<ParkedCalls>,
    pub(crate) returned: Returned,
    pub(crate) seal: Seal,
    pub(crate) numbers: AtomicU64,
}

/// One request in progress: the handling, its caller, and its ticket among that caller's.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) calls: &'a Arc<Calls>,
    pub(crate) caller: &'a Arc<Caller>,
    pub(crate) ticket: Ticket,
}

impl Calls {
    /// Creates a caller with its port. The creator keeps the port alive; without it, the caller's requests fail. A subject without a session gets a
    /// number of its own, so that it shares no connection on which a server asks questions.
    #[must_use]
    pub fn caller(&self, mut subject: Subject, port: std::sync::Weak<dyn Port>) -> Arc<Caller> {
        subject.session.get_or_insert_with(|| self.next_number());
        Caller::new(subject, port, &self.questions, &self.dismissals)
    }

    /// Releases what a caller that has gone holds: its subscriptions, and the lines that only it used.
    pub fn hang_up(&self, caller: &Caller) {
        caller.let_go();
        if let Some(number) = caller.subject.session {
            self.client_gone(number);
        }
    }

    /// Returns a number for a caller, which no other caller has.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn server(&self, id: &ServerId) -> Option<Arc<Server>> {
        self.upstream.server(id)
    }

    pub(crate) fn identity(&self) -> &Identity {
        self.upstream.identity()
    }

    fn client_gone(&self, client: u64) {
        for server in self.upstream.servers().iter() {
            server.client_gone(client);
        }
    }

    /// Returns the deadline until which a parked call waits for its client.
    pub(crate) fn park_until(&self) -> Deadline {
        Deadline::after(runtime::now(), self.settings.load().park_ttl)
    }
}

impl Asked<'_> {
    /// Asks the guard about an action that is not a tool call.
    pub(crate) async fn admit(&self, action: Action<'_>, request: &Request) -> Result<guard::SendPermit, Outcome> {
        let admitted = self.calls.guard.admit(&self.caller.subject, action, &request.trace).await;
        admitted.map_err(Outcome::refused)
    }

    /// Returns the present view.
    pub(crate) fn view(&self, peer: &Peer) -> Arc<catalog::View> {
        self.calls.views.view(&self.caller.subject, &self.caller.view, peer)
    }
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Calls").finish_non_exhaustive()
    }
}
