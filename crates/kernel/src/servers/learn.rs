//! Tells the guard what a server offers and wants, before any list shows it.

use std::sync::Arc;

use catalog::Offer;
use guard::Guard;
use mgp::permission::Input;
use model::Permission;
use runtime::Runtime;
use upstream::Server;

use super::permissions::PermissionBroker;
use crate::views::source;

/// Makes a server's offer known to policy, and pins tools that are seen for the first time.
pub(crate) fn learn(guard: &Arc<Guard>, runtime: &Runtime, broker: &Arc<PermissionBroker>, server: &Server, offers: Vec<Arc<Offer>>) {
    let wanted = guard.learn(&source(&server.state, &offers), wants(guard, server));
    broker.tell(server.spec().id.clone(), Input::ToolsWant(wanted));
    let (guard, id) = (guard.clone(), server.spec().id.clone());
    runtime.spawn(async move {
        let unapproved = guard.unapproved(&id);
        let items = offers.iter().flat_map(|offer| &offer.tools.items);
        let unseen = items.filter(|item| unapproved.has(&item.key));
        let definitions = unseen.map(|item| (item.key.clone(), item.raw.clone())).collect();
        guard.pin(unapproved, definitions).await;
    });
}

/// Returns the permissions that a server wants for itself: by configuration, and by its declaration when it was last connected.
pub(crate) fn wants(guard: &Guard, server: &Server) -> Vec<Permission> {
    let mut wants = guard.wanted(&server.spec().id);
    wants.extend(server.state.asked_permissions());
    wants.sort();
    wants.dedup();
    wants
}
