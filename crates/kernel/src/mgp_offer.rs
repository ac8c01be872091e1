//! The part of MGP that the gateway offers to clients and servers (MGP §2).

use guard::Guard;
use mgp::negotiation::{Extension, Offer};

/// The extensions that are implemented.
const BUILT: [Extension; 5] = [
    Extension::Security,
    Extension::AccessControl,
    Extension::Audit,
    Extension::CodeSafety,
    Extension::ErrorHandling,
];

/// Returns the gateway's offer. An open gateway guards nothing, and declares nothing of MGP.
pub(crate) fn mgp_offer(is_guarded: bool) -> Offer {
    Offer {
        extensions: BUILT.into_iter().filter(|_| is_guarded).collect(),
    }
}

/// Returns the offer of a gateway with that guard.
pub(crate) fn of_guard(guard: &Guard) -> Offer {
    mgp_offer(guard.is_guarded())
}
