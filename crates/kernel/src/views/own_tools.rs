//! The gateway's own tools as lists show them, and as policy needs them (MGP §5.4, MGP D10, MGP D14 to MGP D17).

use std::sync::{Arc, OnceLock};

use catalog::{Item, Offer};
use guard::OwnTools;
use jsonrpc::Raw;
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use mcp::revision::Revision;
use mgp::kernel_tool::KernelTool;
use model::{Risk, Role};
use policy::{Checks, ToolFacts};
use runtime::sha256;

use crate::own_server::own_server;

/// The gateway's own tools as an offer, with dotted names and with underscored ones.
#[derive(Debug, Default)]
pub(super) struct OwnOffers {
    dotted: OnceLock<Arc<Offer>>,
    underscored: OnceLock<Arc<Offer>>,
}

impl OwnOffers {
    /// Returns the offer, which is built once.
    pub(super) fn get(&self, underscored: bool, info: &Raw) -> Arc<Offer> {
        let made = if underscored { &self.underscored } else { &self.dotted };
        made.get_or_init(|| Arc::new(offer(underscored, info))).clone()
    }
}

fn offer(underscored: bool, info: &Raw) -> Offer {
    let advertised = Advertised {
        capabilities: Raw::object_empty().edit().set(&["tools"], &Raw::object_empty()).finish(),
        info: info.clone(),
        instructions: None,
    };
    let mut offer = Offer::new(own_server(), false, Revision::LATEST_LEGACY, advertised);
    let items = KernelTool::ALL.into_iter().map(|tool| tool.definition(underscored));
    offer.tools.items = items.filter_map(|raw| Item::read(ListKind::Tools, &raw)).collect();
    offer
}

/// Returns the name by which policy knows one of the gateway's tools, if lists show it to a subject of that role.
pub(super) fn listed(name: &str, role: Role) -> Option<&'static str> {
    KernelTool::find(name).filter(|tool| tool.is_listed(role)).map(KernelTool::name)
}

/// Describes the gateway's own tools to policy.
pub(crate) fn own_tools() -> OwnTools {
    let facts = |tool: KernelTool| ToolFacts {
        name: tool.name().into(),
        risk: Risk::Safe,
        confirm: false,
        role: if tool.may_call(Role::Agent) { Role::Agent } else { Role::Operator },
        permissions: Vec::new(),
        digest: sha256(tool.name().as_bytes()),
        checks: Arc::new(Checks::default()),
    };
    OwnTools {
        server: own_server(),
        facts: KernelTool::ALL.into_iter().map(facts).collect(),
    }
}
