//! The part of a view that one principal may see.

use std::collections::HashMap;
use std::sync::Arc;

use mcp::method::ListKind;
use model::ServerId;

use crate::{Item, List, Offer, View};

/// The rules of what a principal may see.
pub trait Visibility {
    /// Whether the principal may see the server: that it is missing, and what it offers apart from its tools.
    fn is_server_visible(&self, server: &ServerId) -> bool;
    /// Whether the principal may see a tool. The view has an offer of each server of which a tool can be seen.
    fn is_tool_visible(&self, server: &ServerId, tool: &Item) -> bool;
}

/// The part of a view that one principal may see, as a view. It equals in everything the view that is built of the offers without what is hidden.
#[derive(Clone, Debug)]
pub struct Restricted {
    whole: Arc<View>,
    /// Per offer of the whole view what the principal may see of it: the same `Arc` where that is everything, `None` where it is nothing.
    shown: Vec<Option<Arc<Offer>>>,
    view: Arc<View>,
}

impl Restricted {
    /// Asks of each server and each tool whether the principal may see it.
    #[must_use]
    pub fn new(whole: Arc<View>, visible: &impl Visibility) -> Self {
        let shown: Vec<_> = whole.offers().iter().map(|offer| restrict(offer, None, visible)).collect();
        let base = whole.clone();
        Self::of(whole, shown, &base, visible)
    }

    /// Follows the whole view to its next version, under the same rules: asks only of the offers that are new.
    #[must_use]
    pub fn updated(&self, whole: Arc<View>, visible: &impl Visibility) -> Self {
        let known = self.known();
        let shown = whole.offers().iter().map(|offer| match known.get(&Arc::as_ptr(offer)) {
            Some(shown) => (*shown).clone(),
            None => restrict(offer, None, visible),
        });
        let shown = shown.collect();
        Self::of(whole, shown, &self.view, visible)
    }

    /// Applies other rules: asks of everything again. An offer of which as much can be seen as before stays the same `Arc`, and the view does where all do.
    #[must_use]
    pub fn reviewed(&self, whole: Arc<View>, visible: &impl Visibility) -> Self {
        let known = self.known();
        let before = |offer| known.get(&Arc::as_ptr(offer)).and_then(|shown| shown.as_ref());
        let shown = whole.offers().iter().map(|offer| restrict(offer, before(offer), visible)).collect();
        Self::of(whole, shown, &self.view, visible)
    }

    /// The view that the principal sees.
    #[must_use]
    pub fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// The whole view.
    #[must_use]
    pub fn whole(&self) -> &Arc<View> {
        &self.whole
    }

    fn of(whole: Arc<View>, shown: Vec<Option<Arc<Offer>>>, base: &Arc<View>, visible: &impl Visibility) -> Self {
        let missing = whole.missing().iter().filter(|server| visible.is_server_visible(server));
        let missing: Vec<ServerId> = missing.cloned().collect();
        let is_shown = |(whole, shown): (&Arc<Offer>, &Option<Arc<Offer>>)| shown.as_ref().is_some_and(|shown| Arc::ptr_eq(whole, shown));
        let is_all = missing.len() == whole.missing().len() && whole.offers().iter().zip(&shown).all(is_shown);
        let view = match is_all {
            true => whole.clone(),
            false => base.with_offers(shown.iter().flatten().cloned().collect(), missing, &whole),
        };
        Self { whole, shown, view }
    }

    fn known(&self) -> HashMap<*const Offer, &Option<Arc<Offer>>> {
        self.whole.offers().iter().map(Arc::as_ptr).zip(&self.shown).collect()
    }
}

/// What the principal may see of an offer. `before` is returned where it has the same definitions.
fn restrict(offer: &Arc<Offer>, before: Option<&Arc<Offer>>, visible: &impl Visibility) -> Option<Arc<Offer>> {
    let sees_server = visible.is_server_visible(&offer.server);
    let all = &offer.tools.items;
    let tools: Vec<&Item> = all.iter().filter(|tool| visible.is_tool_visible(&offer.server, tool)).collect();
    if sees_server && tools.len() == all.len() {
        return Some(offer.clone());
    }
    if !sees_server && tools.is_empty() {
        return None;
    }
    if let Some(before) = before.filter(|before| is_selection(before, offer, &tools, sees_server)) {
        return Some(before.clone());
    }
    let mut shown = Offer::new(offer.server.clone(), offer.prefix, offer.revision, offer.advertised.clone());
    for kind in ListKind::ALL {
        let list = offer.list(kind);
        let items = match kind {
            ListKind::Tools => tools.iter().copied().cloned().collect(),
            _ if sees_server => list.items.clone(),
            _ => Vec::new(),
        };
        *shown.list_mut(kind) = List {
            items,
            extras: list.extras.clone(),
        };
    }
    Some(Arc::new(shown))
}

/// Whether `made`, which was made of `of`, has these tools of it, and all or nothing of the other lists.
fn is_selection(made: &Offer, of: &Offer, tools: &[&Item], sees_server: bool) -> bool {
    let same_bytes = |(one, other): (&Item, &&Item)| one.raw.bytes().as_ptr() == other.raw.bytes().as_ptr();
    let rest = [ListKind::Resources, ListKind::ResourceTemplates, ListKind::Prompts];
    let shows = |kind: ListKind| if sees_server { of.list(kind).items.len() } else { 0 };
    made.tools.items.len() == tools.len()
        && made.tools.items.iter().zip(tools).all(same_bytes)
        && rest.into_iter().all(|kind| made.list(kind).items.len() == shows(kind))
}
