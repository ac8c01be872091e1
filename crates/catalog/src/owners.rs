//! Which server declared an extension, and so gets the methods that the core does not know.

use std::collections::HashMap;
use std::sync::Arc;

use mcp::capabilities::{claimed_by, claims};

use crate::Offer;

/// First segments of methods, and the offer that declared them; `None` where two did.
#[derive(Debug, Default)]
pub(crate) struct Owners(HashMap<Box<str>, Option<usize>>);

impl Owners {
    pub(crate) fn build(offers: &[Arc<Offer>]) -> Self {
        let mut owners = HashMap::new();
        for (o, offer) in offers.iter().enumerate() {
            for claim in claims(&offer.advertised.capabilities) {
                let owner = owners.entry(claim).or_insert(Some(o));
                *owner = owner.filter(|owner| *owner == o);
            }
        }
        Self(owners)
    }

    /// The offer that a method belongs to.
    pub(crate) fn of(&self, method: &str) -> Option<usize> {
        self.0.get(claimed_by(method)).copied().flatten()
    }
}
