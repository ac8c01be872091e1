//! The categories of errors (§14.2).

/// The category of an error (§14.2, §14.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// Security: 1000 to 1099.
    Security,
    /// Lifecycle: 2000 to 2099.
    Lifecycle,
    /// Resources: 3000 to 3099.
    Resource,
    /// Validation: 4000 to 4099.
    Validation,
    /// External systems: 5000 to 5099.
    External,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 5] = [Self::Security, Self::Lifecycle, Self::Resource, Self::Validation, Self::External];

    /// Returns the category of a number, by its range (§14.2).
    #[must_use]
    pub fn of(number: i64) -> Option<Self> {
        Some(match number {
            1000..=1099 => Self::Security,
            2000..=2099 => Self::Lifecycle,
            3000..=3099 => Self::Resource,
            4000..=4099 => Self::Validation,
            5000..=5099 => Self::External,
            _ => return None,
        })
    }

    /// Returns its word on the wire (§14.5).
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::Lifecycle => "lifecycle",
            Self::Resource => "resource",
            Self::Validation => "validation",
            Self::External => "external",
        }
    }

    /// Parses a category by its word on the wire; some servers write `upstream` for `external` (D32).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::ALL.into_iter().find(|category| category.as_str() == word);
        known.or_else(|| (word == "upstream").then_some(Self::External))
    }
}
