//! What of MGP the gateway offers to either side (MGP §2).

use guard::Guard;
use mgp::negotiation::{Extension, Offer};

/// The extensions that are built.
const BUILT: [Extension; 5] = [
    Extension::Security,
    Extension::AccessControl,
    Extension::Audit,
    Extension::CodeSafety,
    Extension::ErrorHandling,
];

/// Returns what the gateway offers. An open gateway guards nothing, and says nothing of MGP.
pub(crate) fn mgp_offer(is_guarded: bool) -> Offer {
    Offer {
        extensions: BUILT.into_iter().filter(|_| is_guarded).collect(),
    }
}

/// Returns what a gateway with that guard offers.
pub(crate) fn of_guard(guard: &Guard) -> Offer {
    mgp_offer(guard.is_guarded())
}
