//! The key under which state is sealed: one for each process, in memory only (DESIGN 10).

use std::sync::{Mutex, PoisonError};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mcp::seal::Sealer;
use runtime::fill;

/// A key that exists as long as the process: only this process opens what it seals.
pub(crate) struct ProcessKey {
    key: LessSafeKey,
    nonce: Mutex<u64>,
    prefix: [u8; 4],
}

impl std::fmt::Debug for ProcessKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ProcessKey(***)")
    }
}

impl ProcessKey {
    /// Makes a fresh random key.
    pub(crate) fn new() -> Self {
        let mut key = [0_u8; 32];
        fill(&mut key);
        let mut prefix = [0_u8; 4];
        fill(&mut prefix);
        let key = UnboundKey::new(&AES_256_GCM, &key).expect("a 256-bit key fits AES-256-GCM");
        Self {
            key: LessSafeKey::new(key),
            nonce: Mutex::new(0),
            prefix,
        }
    }

    fn next_nonce(&self) -> [u8; NONCE_LEN] {
        let mut count = self.nonce.lock().unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        let mut nonce = [0_u8; NONCE_LEN];
        nonce[..4].copy_from_slice(&self.prefix);
        nonce[4..].copy_from_slice(&count.to_be_bytes());
        nonce
    }
}

impl Sealer for ProcessKey {
    fn seal(&self, plain: &[u8]) -> String {
        let nonce = self.next_nonce();
        let mut sealed = plain.to_vec();
        let tag = self
            .key
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed);
        tag.expect("a state of a few KiB is within the limits of AES-GCM");
        let mut whole = nonce.to_vec();
        whole.extend_from_slice(&sealed);
        URL_SAFE_NO_PAD.encode(whole)
    }

    fn open(&self, sealed: &str) -> Option<Vec<u8>> {
        if sealed.len() > mcp::seal::MAX_SEALED {
            return None;
        }
        let mut whole = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        if whole.len() < NONCE_LEN {
            return None;
        }
        let mut body = whole.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&whole).ok()?;
        self.key
            .open_in_place(nonce, Aad::empty(), &mut body)
            .ok()
            .map(|plain| plain.to_vec())
    }
}
