//! Seals what a call has learned into `requestState` (2026-07-28 basic/patterns/mrtr, "Server Requirements").
//!
//! Law: state opens only for the request it was sealed for, in time, and unchanged; the client can neither read nor forge it.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::known::Known;

/// How long a client may take to answer.
const LIFETIME: Duration = Duration::from_secs(3600);
/// The size of the largest state that we send or accept, in bytes of base64.
const MAX_LEN: usize = 64 * 1024;

/// A key that seals and opens states.
pub(crate) struct Sealer(RandomizedNonceKey);

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(***)")
    }
}

impl Sealer {
    /// Returns a sealer with a random key, for this process alone.
    pub(crate) fn random() -> Self {
        let mut key = [0u8; 32];
        crate::random::fill(&mut key);
        Self::new(&key)
    }

    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self(RandomizedNonceKey::new(&AES_256_GCM, key).expect("the key has the length of the algorithm"))
    }

    /// Seals `known` for `request`, which is what identifies the request: method and canonical parameters. Returns
    /// `None` if it is too large.
    pub(crate) fn seal(&self, request: &[u8], known: &Known, now: SystemTime) -> Option<String> {
        let state = json!({"until": millis(now + LIFETIME), "answers": known.answers, "steps": known.steps});
        let mut sealed = state.to_string().into_bytes();
        let nonce = self.0.seal_in_place_append_tag(Aad::from(request), &mut sealed).ok()?;
        let whole = [nonce.as_ref().as_slice(), &sealed].concat();
        let text = URL_SAFE_NO_PAD.encode(whole);
        (text.len() <= MAX_LEN).then_some(text)
    }

    /// Returns what was sealed for `request`, or `None` if the state is forged, altered, expired, or of another
    /// request.
    pub(crate) fn open(&self, request: &[u8], state: &str, now: SystemTime) -> Option<Known> {
        if state.len() > MAX_LEN {
            return None;
        }
        let mut whole = URL_SAFE_NO_PAD.decode(state).ok()?;
        let (nonce, sealed) = whole.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let opened = self.0.open_in_place(nonce, Aad::from(request), sealed).ok()?;
        let mut state: Value = serde_json::from_slice(opened).ok()?;
        if state["until"].as_u64()? < millis(now) {
            return None;
        }
        let mut take = |key: &str| state[key].as_object_mut().map(std::mem::take);
        Some(Known {
            answers: take("answers")?,
            steps: take("steps")?,
        })
    }
}

fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let mut known = Known::default();
        known.answers.insert("name".to_owned(), json!({"action": "accept"}));
        known
    }

    #[test]
    fn opens_for_the_same_request_only() {
        let (sealer, now) = (Sealer::random(), SystemTime::UNIX_EPOCH);
        let state = sealer.seal(b"tools/call a", &known(), now).expect("small enough");
        assert_eq!(sealer.open(b"tools/call a", &state, now).expect("ours").answers, known().answers);
        assert!(sealer.open(b"tools/call b", &state, now).is_none(), "another request");
        assert!(Sealer::random().open(b"tools/call a", &state, now).is_none(), "another key");
        assert!(
            sealer
                .open(b"tools/call a", &state, now + LIFETIME + Duration::from_secs(1))
                .is_none(),
            "too late"
        );
    }

    #[test]
    fn every_altered_byte_is_noticed() {
        let (sealer, now) = (Sealer::random(), SystemTime::UNIX_EPOCH);
        let state = sealer.seal(b"r", &known(), now).expect("small enough");
        for at in 0..state.len() - 1 {
            let mut forged = state.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            let forged = String::from_utf8(forged).expect("ascii");
            assert!(sealer.open(b"r", &forged, now).is_none(), "byte {at}");
        }
        assert!(sealer.open(b"r", "", now).is_none());
    }
}
