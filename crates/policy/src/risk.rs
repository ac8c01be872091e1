//! How much harm a tool can do, out of what its server says, what it looks like, and what the operator says (MGP §4.4, D6, D33; DESIGN 7).
//!
//! Law: the most restrictive wins. A server can raise the risk of its tools; it lowers it only where it is trusted, and never below what
//! the operator says.

use model::{Risk, TrustLevel};
use validators::arguments::{Kind, Slots};

/// What is known of a tool before its risk is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// `security.risk_level`, the highest of all carriers.
    pub declared: Option<Risk>,
    /// `annotations.readOnlyHint`.
    pub read_only: Option<bool>,
    /// `annotations.destructiveHint`.
    pub destructive: Option<bool>,
    /// `security.side_effects` lists something.
    pub side_effects: bool,
    /// `security.validator` is one that nobody here knows (MGP D33).
    pub unknown_validator: bool,
    /// The highest risk of the permissions that it requires (MGP §3.2).
    pub permissions: Option<Risk>,
    /// What its name and arguments look like: [`inferred`], or whatever else infers.
    pub inferred: Option<Risk>,
}

/// A tool's risk, and the rule it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effective {
    /// The risk that counts.
    pub risk: Risk,
    /// Which claim it comes from, for tables that people read.
    pub because: &'static str,
}

impl Claims {
    /// The risk that counts, for a server of this trust; `configured` is what the operator says of the tool.
    #[must_use]
    pub fn effective(&self, trust: TrustLevel, configured: Option<Risk>) -> Effective {
        let mut found = self.ground(trust, configured);
        let mut raise = |risk: Option<Risk>, because: &'static str| {
            if let Some(risk) = risk.filter(|risk| *risk > found.risk) {
                found = Effective { risk, because };
            }
        };
        raise(self.declared, "declared by the server");
        raise(self.destructive.filter(|is| *is).map(|_| Risk::Dangerous), "`destructiveHint`");
        raise(self.unknown_validator.then_some(Risk::Dangerous), "its validator is unknown");
        raise(self.permissions, "the permissions it requires");
        raise(self.side_effects.then_some(Risk::Moderate), "it declares side effects");
        if configured.is_none() {
            raise(self.inferred, "inferred from its arguments");
        }
        found
    }

    /// Where it starts: what the operator says, or `moderate`, which a trusted server may lower.
    fn ground(&self, trust: TrustLevel, configured: Option<Risk>) -> Effective {
        let of = |risk, because| Effective { risk, because };
        let heard = trust >= TrustLevel::Standard;
        match (configured, self.declared, self.read_only) {
            (Some(risk), ..) => of(risk, "configured"),
            (None, Some(Risk::Safe), Some(false)) => of(Risk::Moderate, "`readOnlyHint` says that it writes"),
            (None, Some(Risk::Safe), _) | (None, None, Some(true)) if !heard => of(Risk::Moderate, "its server is not trusted to lower it"),
            (None, Some(Risk::Safe), _) => of(Risk::Safe, "declared by the server"),
            (None, Some(_), _) => of(Risk::Moderate, "declared by the server"),
            (None, None, Some(true)) => of(Risk::Safe, "`readOnlyHint`"),
            (None, None, _) => of(Risk::Moderate, "nothing says less"),
        }
    }
}

/// What the arguments of a tool say: whoever takes a command or code can do anything.
#[must_use]
pub fn inferred(slots: &Slots) -> Option<Risk> {
    let runs = |kind: Kind| matches!(kind, Kind::Command | Kind::Code(_));
    slots.as_slice().iter().any(|slot| runs(slot.kind)).then_some(Risk::Dangerous)
}
