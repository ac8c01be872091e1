//! Instants on the calendar, for records that outlive a process.

/// An instant in UTC, as milliseconds since 1970-01-01T00:00:00Z. Expiry is compared here only, as instants, never as text (MGP D16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Returns the instant `millis` milliseconds later, or the last representable one.
    #[must_use]
    pub fn after(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Returns whether the instant has come: what expires at an instant no longer holds at that instant.
    #[must_use]
    pub fn has_come(self, now: Self) -> bool {
        now >= self
    }
}
