//! Where a gateway remembers: the folder of a configuration.

use std::path::PathBuf;

use anyhow::Context as _;

use crate::config::{self, Config, Sources};

/// Where the gateway of a configuration remembers.
///
/// # Errors
/// When neither the configuration nor the environment names a place.
pub fn folder(config: &Config, sources: &Sources) -> anyhow::Result<PathBuf> {
    if let Some(folder) = &config.store.folder {
        return Ok(folder.clone());
    }
    let state = config::state_dir(&sources.env).context(
        "no place to remember tokens, grants and the audit in is known: set HOME or CHANCERY_STATE_DIR, or `folder` in `[store]`",
    )?;
    let identity = config.identity.get(..16).unwrap_or(&config.identity);
    Ok(state.join("stores").join(identity))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn sources() -> Sources {
        Sources {
            env: config::Env::default(),
            cwd: PathBuf::new(),
            config: None,
            mcp_json: Vec::new(),
            trust: false,
        }
    }

    #[test]
    fn a_store_for_each_set_of_files() {
        let mut sources = sources();
        let config = config::load_text("mgp.toml", "", &sources.env).expect("a configuration").0;
        assert!(folder(&config, &sources).expect_err("nowhere").to_string().contains("set HOME"));
        sources.env = [("CHANCERY_STATE_DIR", "/state")].into_iter().collect();
        let folder = folder(&config, &sources).expect("a place");
        assert_eq!(folder.parent(), Some(Path::new("/state/stores")));
        assert_eq!(folder.file_name().map(|name| name.len()), Some(16));
    }
}
