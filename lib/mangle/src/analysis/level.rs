//! Trust levels: which source may define what. Rules only ever add facts, so a definition that a level may not make has
//! to be refused when it is loaded.

use std::fmt;

/// How far a source is trusted, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The source came with a request.
    Client,
    /// The author of a domain wrote the source.
    Domain,
    /// The operator wrote the source.
    Policy,
    /// The source is part of the product; also the level of a program that stands alone, hence the default.
    #[default]
    Schema,
}

impl Level {
    /// All levels, in ascending order.
    pub const ALL: [Self; 4] = [Self::Client, Self::Domain, Self::Policy, Self::Schema];

    /// Returns the level's name on the command line and in `open(/domain)`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Domain => "domain",
            Self::Policy => "policy",
            Self::Schema => "schema",
        }
    }

    /// Returns the level of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
