//! What a tool looks like before anybody says anything about it: the part of its risk that is inferred (DESIGN 7; MGP §17.2).

use model::Risk;
use validators::arguments::{Kind, Slots};

/// A risk that is inferred from the arguments of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// The least risk it has.
    pub risk: Risk,
    /// What it is inferred from, as a sentence without a subject: ``takes a command in `/cmd` ``.
    pub because: String,
}

/// What the arguments of a tool say about its risk: whoever takes a command or code can do anything. Nothing, where they say nothing.
#[must_use]
pub fn inferred(slots: &Slots) -> Option<Inferred> {
    slots.as_slice().iter().find_map(|slot| {
        let what = match slot.kind {
            Kind::Command => "a command",
            Kind::Code(_) => "code",
            _ => return None,
        };
        Some(Inferred {
            risk: Risk::Dangerous,
            because: format!("takes {what} in `{}`", slot.pointer),
        })
    })
}
