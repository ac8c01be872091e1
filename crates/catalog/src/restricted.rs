//! The part of a view that one principal may see.

use std::collections::HashMap;
use std::sync::Arc;

use mcp::method::ListKind;
use model::ServerId;

use crate::{Item, List, Offer, View};

/// The rules that decide what a principal may see.
pub trait Visibility {
    /// Returns whether the principal may see the server: that it is missing, and its offer apart from its tools.
    fn is_server_visible(&self, server: &ServerId) -> bool;
    /// Returns whether the principal may see a tool. The view has an offer of each server of which a tool is visible.
    fn is_tool_visible(&self, server: &ServerId, tool: &Item) -> bool;
}

/// The part of a view that one principal may see, as a view. It is equal to the view that is built from the offers without their hidden parts.
#[derive(Clone, Debug)]
pub struct Restricted {
    whole: Arc<View>,
    /// The visible part of each offer of the whole view: the `Arc` of the offer if everything is visible, `None` if nothing is.
    shown: Vec<Option<Arc<Offer>>>,
    view: Arc<View>,
}

impl Restricted {
    /// Restricts a view: checks for each server and each tool whether the principal may see it.
    #[must_use]
    pub fn new(whole: Arc<View>, visible: &impl Visibility) -> Self {
        let shown: Vec<_> = whole.offers().iter().map(|offer| restrict(offer, None, visible)).collect();
        let base = whole.clone();
        Self::of(whole, shown, &base, visible)
    }

    /// Updates to the next version of the whole view, with unchanged rules: checks only new offers.
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

    /// Applies other rules: checks everything again but the known offers of servers about which the rules are unchanged. An offer whose visible part is
    /// unchanged keeps its `Arc`, and so does the view if that holds for all offers.
    #[must_use]
    pub fn reviewed(&self, whole: Arc<View>, visible: &impl Visibility, is_unchanged: impl Fn(&ServerId) -> bool) -> Self {
        let known = self.known();
        let shown = whole.offers().iter().map(|offer| match known.get(&Arc::as_ptr(offer)) {
            Some(shown) if is_unchanged(&offer.server) => (*shown).clone(),
            before => restrict(offer, before.and_then(|shown| shown.as_ref()), visible),
        });
        let shown = shown.collect();
        Self::of(whole, shown, &self.view, visible)
    }

    /// Returns the view that the principal sees.
    #[must_use]
    pub fn view(&self) -> &Arc<View> {
        &self.view
    }

    /// Returns the whole view.
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

/// Returns the visible part of an offer. `before` is returned if it has equal definitions.
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

/// Returns whether `made`, a part of `of`, has exactly these tools, and all or nothing of the other lists.
fn is_selection(made: &Offer, of: &Offer, tools: &[&Item], sees_server: bool) -> bool {
    let same_bytes = |(one, other): (&Item, &&Item)| one.raw.bytes().as_ptr() == other.raw.bytes().as_ptr();
    let rest = [ListKind::Resources, ListKind::ResourceTemplates, ListKind::Prompts];
    let shows = |kind: ListKind| if sees_server { of.list(kind).items.len() } else { 0 };
    made.tools.items.len() == tools.len()
        && made.tools.items.iter().zip(tools).all(same_bytes)
        && rest.into_iter().all(|kind| made.list(kind).items.len() == shows(kind))
}
