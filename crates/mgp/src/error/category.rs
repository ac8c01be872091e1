//! The categories of §14.2: what kind of trouble an error is.

/// What kind of trouble it is (§14.2, §14.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// 1000 to 1099
    Security,
    /// 2000 to 2099
    Lifecycle,
    /// 3000 to 3099
    Resource,
    /// 4000 to 4099
    Validation,
    /// 5000 to 5099
    External,
}

impl Category {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Security, Self::Lifecycle, Self::Resource, Self::Validation, Self::External];

    /// By the range that a number is in (§14.2).
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

    /// Its word (§14.5).
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

    /// By its word; `upstream` is what some servers say for `external` (D32).
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::ALL.into_iter().find(|category| category.as_str() == word);
        known.or_else(|| (word == "upstream").then_some(Self::External))
    }
}
