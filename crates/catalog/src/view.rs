//! What many offers look like to one client.

use std::sync::{Arc, OnceLock};

use jsonrpc::Raw;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::{ServerId, ToolId};

use crate::advertise::greets_alike;
use crate::listing::{Listing, Sources};
use crate::names::Names;
use crate::roster::Roster;
use crate::{Advertisement, InvalidCursor, Located, Offer, Target, owners, places};

/// The merged lists of the servers that one set of relayed capabilities reaches. Immutable: a change of an offer makes another view, which shares
/// with the earlier one what the others brought.
#[derive(Debug)]
pub struct View {
    offers: Vec<Arc<Offer>>,
    missing: Vec<ServerId>,
    page_size: usize,
    info: Option<Raw>,
    roster: Roster,
    tools: Names,
    prompts: Names,
    /// In the order of [`ListKind::ALL`].
    listings: [Listing; 4],
    /// Worked out for the first client that is greeted, and then shared by all views that say the same.
    advertised: Arc<OnceLock<Advertisement>>,
}

impl View {
    /// Merges offers, given in the order of the configuration. `missing` are the configured servers of which nothing is known (yet);
    /// `page_size` is how many definitions a page holds, 0 for all.
    #[must_use]
    pub fn build(offers: Vec<Arc<Offer>>, missing: Vec<ServerId>, page_size: usize) -> Self {
        Self::empty(page_size).updated(offers, missing)
    }

    fn empty(page_size: usize) -> Self {
        let roster = Roster::default();
        Self {
            offers: Vec::new(),
            missing: Vec::new(),
            page_size,
            info: None,
            tools: Names::new(ListKind::Tools),
            prompts: Names::new(ListKind::Prompts),
            listings: ListKind::ALL.map(|kind| Listing::new(kind, &roster, page_size)),
            roster,
            advertised: Arc::default(),
        }
    }

    /// The view of other offers and missing servers: equal in everything to one that is built of them, at about the cost of what is not the same `Arc`
    /// as here. An offer that was given away is not changed any more.
    #[must_use]
    pub fn updated(&self, offers: Vec<Arc<Offer>>, missing: Vec<ServerId>) -> Self {
        let (roster, difference) = self.roster.updated(&offers);
        let greets_alike = offers.len() == self.offers.len()
            && missing.len() == self.missing.len()
            && offers
                .iter()
                .zip(&self.offers)
                .all(|(one, other)| Arc::ptr_eq(one, other) || greets_alike(one, other));
        Self {
            tools: self.tools.updated(&roster, &difference),
            prompts: self.prompts.updated(&roster, &difference),
            listings: ListKind::ALL.map(|kind| Listing::new(kind, &roster, self.page_size)),
            advertised: if greets_alike { self.advertised.clone() } else { Arc::default() },
            offers,
            missing,
            page_size: self.page_size,
            info: self.info.clone(),
            roster,
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
        self.advertised
            .get_or_init(|| Advertisement::build(&self.offers, self.missing.len()))
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
        let names = match kind {
            ListKind::Tools => Some(&self.tools),
            ListKind::Prompts => Some(&self.prompts),
            ListKind::Resources | ListKind::ResourceTemplates => None,
        };
        let of = Sources {
            roster: &self.roster,
            names,
            missing: &self.missing,
            info: self.info.as_ref(),
        };
        self.listing(kind).page(cursor, to, of)
    }

    /// The tool that a client means: by its listed name, by `server__tool`, or by the server's own name where no other server has it.
    #[must_use]
    pub fn tool(&self, wire_name: &str) -> Option<Target<'_>> {
        self.tools.find(&self.roster, wire_name)
    }

    /// The prompt that a client means; names as for [`View::tool`].
    #[must_use]
    pub fn prompt(&self, wire_name: &str) -> Option<Target<'_>> {
        self.prompts.find(&self.roster, wire_name)
    }

    /// Who has a resource: whoever lists it, else whoever's template matches. Servers have resources that they do not list, too: what is not located
    /// here may still be with whoever returned it before.
    #[must_use]
    pub fn resource(&self, uri: &str) -> Located<'_> {
        places::resource(&self.roster, uri)
    }

    /// Who has a resource template, or the resource that is named in its place.
    #[must_use]
    pub fn template(&self, uri_template: &str) -> Located<'_> {
        places::template(&self.roster, uri_template)
    }

    /// The server that a method of an extension belongs to: the one that declared, under `extensions`, `experimental` or a top-level key of its own,
    /// a capability by the name of the method's first segment. `None` when nobody did, or two.
    #[must_use]
    pub fn extension_owner(&self, method: &str) -> Option<&ServerId> {
        owners::owner(&self.roster, method)
    }

    /// Every tool in the order of the list: its name on the wire, and what it is.
    pub fn wire_names(&self) -> impl Iterator<Item = (&str, ToolId)> {
        let of = |seat| self.tools.targets(seat);
        self.roster.seats().iter().flat_map(of).map(|target| (target.wire, target.id()))
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
}
