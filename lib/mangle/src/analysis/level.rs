//! Trust: who may define what. Rules only ever add, so what a level may not say has to be refused when it is loaded.

use std::fmt;

/// How far a source is trusted, lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// What came with a request.
    Client,
    /// What the author of a domain wrote.
    Domain,
    /// What the operator allows.
    Policy,
    /// What the product itself rests on; also the level of a program that stands alone, hence the default.
    #[default]
    Schema,
}

impl Level {
    /// All of them, lowest first.
    pub const ALL: [Self; 4] = [Self::Client, Self::Domain, Self::Policy, Self::Schema];

    /// As it is written on the command line and in `open(/domain)`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Domain => "domain",
            Self::Policy => "policy",
            Self::Schema => "schema",
        }
    }

    /// The level of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
