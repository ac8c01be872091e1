//! One server's whole offer, as last fetched.

use jsonrpc::Raw;
use mcp::exchange::Advertised;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::ServerId;

use crate::Item;

/// What one server offers.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The server.
    pub server: ServerId,
    /// Whether its names always carry its id on the wire, even where they are unique.
    pub prefix: bool,
    /// The revision in which the definitions are written.
    pub revision: Revision,
    /// What the server advertised in the handshake.
    pub advertised: Advertised,
    /// The tools, from `tools/list`.
    pub tools: List,
    /// The resources, from `resources/list`.
    pub resources: List,
    /// The resource templates, from `resources/templates/list`.
    pub templates: List,
    /// The prompts, from `prompts/list`.
    pub prompts: List,
}

/// One list of a server, all its pages together.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The definitions, in the server's order.
    pub items: Vec<Item>,
    /// The other members of the first page's result.
    pub extras: Vec<(String, Raw)>,
}

impl Offer {
    /// Returns an offer without any lists yet.
    #[must_use]
    pub fn new(server: ServerId, prefix: bool, revision: Revision, advertised: Advertised) -> Self {
        let (tools, resources, templates, prompts) = Default::default();
        Self {
            server,
            prefix,
            revision,
            advertised,
            tools,
            resources,
            templates,
            prompts,
        }
    }

    /// Returns one of its lists.
    #[must_use]
    pub fn list(&self, kind: ListKind) -> &List {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Resources => &self.resources,
            ListKind::ResourceTemplates => &self.templates,
            ListKind::Prompts => &self.prompts,
        }
    }

    /// Returns one of its lists, to be filled.
    pub fn list_mut(&mut self, kind: ListKind) -> &mut List {
        match kind {
            ListKind::Tools => &mut self.tools,
            ListKind::Resources => &mut self.resources,
            ListKind::ResourceTemplates => &mut self.templates,
            ListKind::Prompts => &mut self.prompts,
        }
    }

    /// Returns whether two lists have equal definitions in equal order, byte for byte: then the change need not be
    /// announced.
    #[must_use]
    pub fn same_items(&self, other: &Self, kind: ListKind) -> bool {
        let (own, others) = (&self.list(kind).items, &other.list(kind).items);
        own.len() == others.len() && own.iter().zip(others).all(|(a, b)| a.raw == b.raw)
    }
}
