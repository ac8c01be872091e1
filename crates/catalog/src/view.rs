//! What many offers look like to one client.

use std::sync::Arc;

use jsonrpc::Raw;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::{ServerId, ToolId};

use crate::listing::{Listing, Row};
use crate::names::Names;
use crate::owners::Owners;
use crate::places::Places;
use crate::{Advertisement, InvalidCursor, Located, Offer, Target};

/// The merged lists of the servers that one set of relayed capabilities reaches. Immutable: a change of an offer makes another view.
#[derive(Debug)]
pub struct View {
    offers: Vec<Arc<Offer>>,
    missing: Vec<ServerId>,
    advertised: Advertisement,
    /// In the order of [`ListKind::ALL`].
    listings: [Listing; 4],
    tools: Names,
    prompts: Names,
    places: Places,
    owners: Owners,
    info: Option<Raw>,
}

impl View {
    /// Merges offers, given in the order of the configuration. `missing` are the configured servers of which nothing is known (yet);
    /// `page_size` is how many definitions a page holds, 0 for all.
    #[must_use]
    pub fn build(offers: Vec<Arc<Offer>>, missing: Vec<ServerId>, page_size: usize) -> Self {
        let (tools, tool_rows) = Names::build(&offers, ListKind::Tools);
        let (prompts, prompt_rows) = Names::build(&offers, ListKind::Prompts);
        let listing = |kind, rows| Listing::new(kind, rows, page_size);
        Self {
            advertised: Advertisement::build(&offers, missing.len()),
            listings: [
                listing(ListKind::Tools, tool_rows),
                listing(ListKind::Resources, rows(&offers, ListKind::Resources)),
                listing(ListKind::ResourceTemplates, rows(&offers, ListKind::ResourceTemplates)),
                listing(ListKind::Prompts, prompt_rows),
            ],
            tools,
            prompts,
            places: Places::build(&offers),
            owners: Owners::build(&offers),
            offers,
            missing,
            info: None,
        }
    }

    /// The same, whose pages say to modern clients who made them (`serverInfo`).
    #[must_use]
    pub fn signed(self, info: Raw) -> Self {
        Self { info: Some(info), ..self }
    }

    /// What a client is told at its greeting.
    #[must_use]
    pub fn advertised(&self) -> &Advertisement {
        &self.advertised
    }

    /// The configured servers whose part is not here.
    #[must_use]
    pub fn missing(&self) -> &[ServerId] {
        &self.missing
    }

    /// The offers that are merged here, in the order of the configuration.
    #[must_use]
    pub fn offers(&self) -> &[Arc<Offer>] {
        &self.offers
    }

    /// One page of a list: the result object in the shape of revision `to`, serialised once and shared from then on. Without a cursor, the first.
    ///
    /// # Errors
    /// A cursor that this list does not have: it changed in the meantime, or the cursor is made up.
    pub fn page(&self, kind: ListKind, cursor: Option<&str>, to: Revision) -> Result<Raw, InvalidCursor> {
        self.listing(kind).page(cursor, to, &self.offers, &self.missing, self.info.as_ref())
    }

    /// The tool that a client means: by its listed name, by `server__tool`, or by the server's own name where no other server has it.
    #[must_use]
    pub fn tool(&self, wire_name: &str) -> Option<Target<'_>> {
        Some(self.target(ListKind::Tools, self.tools.row(wire_name)?))
    }

    /// The prompt that a client means; names as for [`View::tool`].
    #[must_use]
    pub fn prompt(&self, wire_name: &str) -> Option<Target<'_>> {
        Some(self.target(ListKind::Prompts, self.prompts.row(wire_name)?))
    }

    /// Who has a resource: whoever lists it, else whoever's template matches. Servers have resources that they do not list, too: what is not located
    /// here may still be with whoever returned it before.
    #[must_use]
    pub fn resource(&self, uri: &str) -> Located<'_> {
        self.located(self.places.resource(uri))
    }

    /// Who has a resource template, or the resource that is named in its place.
    #[must_use]
    pub fn template(&self, uri_template: &str) -> Located<'_> {
        self.located(self.places.template(uri_template))
    }

    /// The server that a method of an extension belongs to: the one that declared, under `extensions`, `experimental` or a top-level key of its own,
    /// a capability by the name of the method's first segment. `None` when nobody did, or two.
    #[must_use]
    pub fn extension_owner(&self, method: &str) -> Option<&ServerId> {
        Some(&self.offers[self.owners.of(method)?].server)
    }

    /// Every tool in the order of the list: its name on the wire, and what it is.
    pub fn wire_names(&self) -> impl Iterator<Item = (&str, ToolId)> {
        let rows = 0..self.listing(ListKind::Tools).rows.len();
        rows.map(|row| self.target(ListKind::Tools, row))
            .map(|target| (target.wire, target.id()))
    }

    fn listing(&self, kind: ListKind) -> &Listing {
        let [tools, resources, templates, prompts] = &self.listings;
        match kind {
            ListKind::Tools => tools,
            ListKind::Resources => resources,
            ListKind::ResourceTemplates => templates,
            ListKind::Prompts => prompts,
        }
    }

    fn target(&self, kind: ListKind, row: usize) -> Target<'_> {
        let row = &self.listing(kind).rows[row];
        let item = row.item(&self.offers, kind);
        Target {
            server: &self.offers[row.offer].server,
            item,
            wire: row.wire.as_deref().unwrap_or(&item.key),
        }
    }

    fn located(&self, holders: Vec<usize>) -> Located<'_> {
        match &holders[..] {
            [] => Located::None,
            [only] => Located::One(&self.offers[*only].server),
            several => Located::Many(several.iter().map(|o| &self.offers[*o].server).collect()),
        }
    }
}

/// All definitions of lists whose keys are never rewritten.
fn rows(offers: &[Arc<Offer>], kind: ListKind) -> Vec<Row> {
    let of = |(offer, o): (usize, &Arc<Offer>)| (0..o.list(kind).items.len()).map(move |item| Row { offer, item, wire: None });
    offers.iter().enumerate().flat_map(of).collect()
}
