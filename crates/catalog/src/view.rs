//! The view: many offers as they are shown to one client.

use std::sync::{Arc, OnceLock};

use jsonrpc::Raw;
use mcp::method::ListKind;
use mcp::revision::Revision;
use model::{ServerId, ToolId};

use crate::advertise::greets_alike;
use crate::listing::{Listing, Sources};
use crate::names::Names;
use crate::parts::Parts;
use crate::{Advertisement, InvalidCursor, Located, Offer, Target, owners, places};

/// The merged lists of the servers that one set of relayed capabilities reaches. A view is immutable: a change of an offer makes another view, which
/// shares the parts of all other offers with the earlier one.
#[derive(Debug)]
pub struct View {
    offers: Vec<Arc<Offer>>,
    missing: Vec<ServerId>,
    page_size: usize,
    info: Option<Raw>,
    parts: Parts,
    tools: Names,
    prompts: Names,
    /// The lists, in the order of [`ListKind::ALL`].
    listings: [Arc<Listing>; 4],
    /// The advertisement, computed for the first handshake, and shared by the versions of the view with equal content.
    advertised: Arc<OnceLock<Advertisement>>,
}

impl View {
    /// Merges offers, given in the order of the configuration. `missing` are the configured servers of which nothing is
    /// known (yet); `page_size` is the number of definitions on a page, 0 for all.
    #[must_use]
    pub fn build(offers: Vec<Arc<Offer>>, missing: Vec<ServerId>, page_size: usize) -> Self {
        let empty = Self::empty(page_size);
        empty.derived(offers, missing, &empty)
    }

    fn empty(page_size: usize) -> Self {
        let parts = Parts::default();
        Self {
            offers: Vec::new(),
            missing: Vec::new(),
            page_size,
            info: None,
            tools: Names::new(ListKind::Tools),
            prompts: Names::new(ListKind::Prompts),
            listings: ListKind::ALL.map(|kind| Arc::new(Listing::new(kind, &parts, page_size))),
            parts,
            advertised: Arc::default(),
        }
    }

    /// Returns the next version of the view, with these offers and missing servers. It is equal to the view that is built from them, and costs about
    /// as much as the offers whose `Arc` is not in this view. If all are, it is this view.
    #[must_use]
    pub fn updated(self: &Arc<Self>, offers: Vec<Arc<Offer>>, missing: Vec<ServerId>) -> Arc<Self> {
        self.with_offers(offers, missing, self)
    }

    /// Returns the view of these offers with the settings of `like`. It shares the parts of this view and of `like`.
    pub(crate) fn with_offers(self: &Arc<Self>, offers: Vec<Arc<Offer>>, missing: Vec<ServerId>, like: &Self) -> Arc<Self> {
        let is_alike = self.page_size == like.page_size && self.info == like.info && self.missing == missing;
        let is_same = |(one, other): (&Arc<Offer>, &Arc<Offer>)| Arc::ptr_eq(one, other);
        if is_alike && self.offers.len() == offers.len() && self.offers.iter().zip(&offers).all(is_same) {
            return self.clone();
        }
        Arc::new(self.derived(offers, missing, like))
    }

    fn derived(&self, offers: Vec<Arc<Offer>>, missing: Vec<ServerId>, like: &Self) -> Self {
        let (parts, difference) = self.parts.updated(&offers, &like.parts);
        let names = |of: fn(&Self) -> &Names| of(self).updated(&parts, &difference, &[(&self.parts, of(self)), (&like.parts, of(like))]);
        let mut view = Self {
            tools: names(|view| &view.tools),
            prompts: names(|view| &view.prompts),
            listings: self.listings.clone(),
            advertised: self.advertised.clone(),
            offers,
            missing,
            page_size: like.page_size,
            info: like.info.clone(),
            parts,
        };
        for (kind, i) in ListKind::ALL.into_iter().zip(0..) {
            if self.page_size != view.page_size || !Listing::is_alike(kind, self.sources(kind), view.sources(kind)) {
                view.listings[i] = Arc::new(Listing::new(kind, &view.parts, view.page_size));
            }
        }
        if !view.greets_like(self) {
            view.advertised = Arc::default();
        }
        view
    }

    fn greets_like(&self, other: &Self) -> bool {
        let alike = |(one, other): (&Arc<Offer>, &Arc<Offer>)| Arc::ptr_eq(one, other) || greets_alike(one, other);
        let offers = self.offers.len() == other.offers.len() && self.offers.iter().zip(&other.offers).all(alike);
        offers && self.missing.is_empty() == other.missing.is_empty()
    }

    /// Returns the view with the gateway's `serverInfo` on its pages, for modern clients.
    #[must_use]
    pub fn signed(self, info: Raw) -> Self {
        Self { info: Some(info), ..self }
    }

    /// Returns what a client receives in the handshake.
    #[must_use]
    pub fn advertised(&self) -> &Advertisement {
        self.advertised
            .get_or_init(|| Advertisement::build(self.parts.entries(), self.missing.len()))
    }

    /// Returns the configured servers whose part is missing.
    #[must_use]
    pub fn missing(&self) -> &[ServerId] {
        &self.missing
    }

    /// Returns the merged offers, in the order of the configuration.
    #[must_use]
    pub fn offers(&self) -> &[Arc<Offer>] {
        &self.offers
    }

    /// Returns one page of a list: the result object in the shape of revision `to`, serialised once and shared from
    /// then on. Without a cursor, it is the first page.
    ///
    /// # Errors
    /// A cursor that this list does not have: the list has changed in the meantime, or the client invented the cursor.
    pub fn page(&self, kind: ListKind, cursor: Option<&str>, to: Revision) -> Result<Raw, InvalidCursor> {
        self.listing(kind).page(cursor, to, self.sources(kind))
    }

    /// Returns the tool that a client means: by its listed name, by `server__tool`, or by the server's own name if no
    /// other server has it.
    #[must_use]
    pub fn tool(&self, wire_name: &str) -> Option<Target<'_>> {
        self.tools.find(&self.parts, wire_name)
    }

    /// Returns the prompt that a client means; names as for [`View::tool`].
    #[must_use]
    pub fn prompt(&self, wire_name: &str) -> Option<Target<'_>> {
        self.prompts.find(&self.parts, wire_name)
    }

    /// Returns the servers that may have a resource: those that list it, else those whose template matches. Servers also have resources that they do
    /// not list, so a resource that is not located here may still be at the server that returned it earlier.
    #[must_use]
    pub fn resource(&self, uri: &str) -> Located<'_> {
        places::resource(&self.parts, uri)
    }

    /// Returns the servers that may have a resource template, or the resource that is named in its place.
    #[must_use]
    pub fn template(&self, uri_template: &str) -> Located<'_> {
        places::template(&self.parts, uri_template)
    }

    /// Returns the server that a method of an extension belongs to: the one that declared, under `extensions`, `experimental` or a top-level key of
    /// its own, a capability by the name of the method's first segment. Returns `None` if no server or more than one did.
    #[must_use]
    pub fn extension_owner(&self, method: &str) -> Option<&ServerId> {
        owners::owner(&self.parts, method)
    }

    /// Returns every tool in the order of the list: its name on the wire, and what it is.
    pub fn wire_names(&self) -> impl Iterator<Item = (&str, ToolId)> {
        let of = |entry| self.tools.targets(entry);
        self.parts.entries().iter().flat_map(of).map(|target| (target.wire, target.id()))
    }

    fn sources(&self, kind: ListKind) -> Sources<'_> {
        let names = match kind {
            ListKind::Tools => Some(&self.tools),
            ListKind::Prompts => Some(&self.prompts),
            ListKind::Resources | ListKind::ResourceTemplates => None,
        };
        Sources {
            parts: &self.parts,
            names,
            missing: &self.missing,
            info: self.info.as_ref(),
        }
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
