//! The trust of a server: its claim, and the effective level (D1).

use model::TrustLevel;

/// Parses one of the six words that are in use, of the founding specification (§2.3, §16.6) and of later drafts. Returns `None` for any other: see
/// [`claimed`].
#[must_use]
pub fn parse(word: &str) -> Option<TrustLevel> {
    Some(match word {
        "trusted" | "core" => TrustLevel::Trusted,
        "standard" => TrustLevel::Standard,
        "experimental" => TrustLevel::Experimental,
        "sandboxed" | "untrusted" => TrustLevel::Sandboxed,
        _ => return None,
    })
}

/// Returns the level that a server claims; an unknown word is the least trust.
#[must_use]
pub fn claimed(word: &str) -> TrustLevel {
    parse(word).unwrap_or(TrustLevel::Sandboxed)
}

/// Returns the effective trust. A claim can only lower the configured level, or the default (D1, DESIGN 7).
#[must_use]
pub fn effective(configured: TrustLevel, claim: Option<TrustLevel>) -> TrustLevel {
    claim.map_or(configured, |claim| claim.min(configured))
}

#[cfg(test)]
mod tests {
    use model::TrustLevel::{self, Experimental, Sandboxed, Standard, Trusted};

    #[test]
    fn d1_six_words_four_levels_and_the_least_for_others() {
        let words = ["trusted", "core", "standard", "experimental", "sandboxed", "untrusted", "root", ""];
        let levels: Vec<TrustLevel> = words.iter().map(|word| super::claimed(word)).collect();
        assert_eq!(
            levels,
            [Trusted, Trusted, Standard, Experimental, Sandboxed, Sandboxed, Sandboxed, Sandboxed]
        );
        assert_eq!(super::parse("Core"), None);
    }

    #[test]
    fn d1_a_claim_only_lowers() {
        for configured in [Sandboxed, Experimental, Standard, Trusted] {
            assert_eq!(super::effective(configured, None), configured);
            assert_eq!(
                super::effective(configured, Some(Trusted)),
                configured,
                "a self-claimed `core` changes nothing"
            );
            assert_eq!(super::effective(configured, Some(Sandboxed)), Sandboxed);
        }
    }
}
