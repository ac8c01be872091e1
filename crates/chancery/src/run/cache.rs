//! Caches the last known offers of servers, in a file each below the state directory.

use std::path::PathBuf;
use std::sync::Arc;

use kernel::OfferCache;

use crate::config;

/// The most offers of one server that are read: a directory full of foreign files is not.
const MAX_FILES: usize = 64;
/// The most bytes of one offer.
const MAX_BYTES: u64 = 16 << 20;

/// The files below one directory: `<server digest>/<capabilities in hexadecimal digest>.json`, the capabilities on the
/// first line.
#[derive(Debug)]
pub(super) struct Files {
    dir: PathBuf,
}

impl Files {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    fn of(&self, server_digest: &str) -> PathBuf {
        self.dir.join(config::of_bytes(server_digest.as_bytes()))
    }
}

impl OfferCache for Files {
    fn load(&self, server_digest: &str) -> Vec<(Arc<[u8]>, Vec<u8>)> {
        let Ok(entries) = std::fs::read_dir(self.of(server_digest)) else {
            return Vec::new();
        };
        let small = |entry: &std::fs::DirEntry| entry.metadata().is_ok_and(|m| m.is_file() && m.len() <= MAX_BYTES);
        let files = entries.flatten().filter(small).take(MAX_FILES);
        files
            .filter_map(|entry| {
                let bytes = std::fs::read(entry.path()).ok()?;
                let end = bytes.iter().position(|byte| *byte == b'\n')?;
                Some((bytes[..end].into(), bytes[end + 1..].to_vec()))
            })
            .collect()
    }

    fn save(&self, server_digest: &str, capabilities: &[u8], offer: &[u8]) {
        let path = self.of(server_digest).join(config::of_bytes(capabilities)).with_extension("json");
        let mut bytes = Vec::with_capacity(capabilities.len() + 1 + offer.len());
        bytes.extend_from_slice(capabilities);
        bytes.push(b'\n');
        bytes.extend_from_slice(offer);
        let same = std::fs::read(&path).is_ok_and(|old| old == bytes);
        if !same && let Err(error) = config::replace_file(&path, &bytes) {
            tracing::debug!(path = %path.display(), %error, "the catalogue was not cached");
        }
    }
}
