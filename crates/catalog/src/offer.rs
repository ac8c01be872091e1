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
    /// Whether its names always carry its id on the wire, also where they are unique.
    pub prefix: bool,
    /// The revision in which the definitions are written.
    pub revision: Revision,
    /// What the server said of itself.
    pub advertised: Advertised,
    /// `tools/list`
    pub tools: List,
    /// `resources/list`
    pub resources: List,
    /// `resources/templates/list`
    pub templates: List,
    /// `prompts/list`
    pub prompts: List,
}

/// One list of a server, all its pages together.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The definitions, in the server's order.
    pub items: Vec<Item>,
    /// What stood beside the list in the result of the first page.
    pub extras: Vec<(String, Raw)>,
}

impl Offer {
    /// An offer without any lists yet.
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

    /// One of its lists.
    #[must_use]
    pub fn list(&self, kind: ListKind) -> &List {
        match kind {
            ListKind::Tools => &self.tools,
            ListKind::Resources => &self.resources,
            ListKind::ResourceTemplates => &self.templates,
            ListKind::Prompts => &self.prompts,
        }
    }

    /// One of its lists, to fill it.
    pub fn list_mut(&mut self, kind: ListKind) -> &mut List {
        match kind {
            ListKind::Tools => &mut self.tools,
            ListKind::Resources => &mut self.resources,
            ListKind::ResourceTemplates => &mut self.templates,
            ListKind::Prompts => &mut self.prompts,
        }
    }

    /// Whether a list has the same definitions, in the same order and bytes: then its change need not be told to anybody.
    #[must_use]
    pub fn same_items(&self, other: &Self, kind: ListKind) -> bool {
        let (own, others) = (&self.list(kind).items, &other.list(kind).items);
        own.len() == others.len() && own.iter().zip(others).all(|(a, b)| a.raw == b.raw)
    }
}
