//! The inferred part of a tool's risk, which needs neither a declaration nor configuration (DESIGN 7; MGP §17.2).

use model::Risk;
use validators::arguments::{Kind, Slots};

/// A risk that is inferred from the arguments of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// The least risk that the tool has.
    pub risk: Risk,
    /// The ground of the inference, as a sentence without a subject: ``takes a command in `/cmd` ``.
    pub because: String,
}

/// Infers the risk of a tool from its arguments: a tool that takes a command or code can do anything. Returns none if the arguments show nothing.
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
