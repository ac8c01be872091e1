//! The state of the module `operator`: everything that operations act on, constructed once.

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use guard::{Guard, Security};
use mcp::method::ListKind;
use model::ToolId;
use runtime::Runtime;
use upstream::{Server, Upstream};

use super::judged::JudgedTool;
use crate::faces::Clients;
use crate::servers::{PermissionBroker, learn, wants};
use crate::settings::Settings;
use crate::status::ServerStatus;
use crate::views::source;

/// The state that operations act on.
pub(crate) struct OperatorRoom {
    pub(crate) guard: Arc<Guard>,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) clients: Arc<Clients>,
    pub(crate) broker: Arc<PermissionBroker>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) settings: Arc<ArcSwap<Settings>>,
}

impl OperatorRoom {
    /// Returns the present status of each server, in the order of the configuration.
    pub(crate) fn statuses(&self) -> Vec<ServerStatus> {
        self.upstream.servers().iter().map(|server| ServerStatus::of(server)).collect()
    }

    /// Judges every tool of every server, with the given configuration or the one in force, in the order of the configuration and by name.
    pub(crate) fn judged(&self, security: Option<&Security>) -> Vec<JudgedTool> {
        let servers = self.upstream.servers();
        servers.iter().flat_map(|server| self.judged_of(server, security)).collect()
    }

    fn judged_of(&self, server: &Server, security: Option<&Security>) -> Vec<JudgedTool> {
        let (id, offers) = (&server.spec().id, server.state.offers());
        let policy = self.guard.policy();
        let pins: HashMap<_, _> = policy.pins(id).map(|(facts, pin)| (facts.name.clone(), pin)).collect();
        let judged = self.guard.judged(security, &source(&server.state, &offers)).into_values();
        let tools = judged.map(|judged| JudgedTool {
            id: ToolId {
                server: id.clone(),
                name: judged.facts.name.clone(),
            },
            pin: pins.get(&judged.facts.name).cloned(),
            facts: judged.facts,
            assessment: judged.assessment,
            hidden: judged.hidden,
        });
        tools.collect()
    }

    /// Applies the configuration of a server's permissions, and the decisions about them.
    pub(crate) fn configure_permissions(&self, server: &Server) {
        self.broker.configure(&server.spec().id, wants(&self.guard, server));
    }

    /// Makes a server's offer known to policy.
    pub(crate) fn learn(&self, server: &Server) {
        learn(&self.guard, &self.runtime, &self.broker, server, server.state.offers());
    }

    /// Tells clients that their lists may have changed.
    pub(crate) fn all_lists_changed(&self) {
        let all = ListKind::ALL.into_iter().collect();
        self.clients.lists_changed(&all, self.settings.load().debounce);
    }
}

impl std::fmt::Debug for OperatorRoom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OperatorRoom").finish_non_exhaustive()
    }
}
