//! Opens the store of a gateway, before any client is served.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use kernel::Records;
use store::{ControlStore as _, Health, LocalStore, Settings, Store as _, StoreError};

use crate::config::{self, Config, Sources};

/// How many standalone gateways of one configuration have a store at the same time, each its own.
pub const MOST: usize = 16;

/// Returns the folder of a configuration's store.
///
/// # Errors
/// When neither the configuration nor the environment names a place.
pub(super) fn folder(config: &Config, sources: &Sources) -> anyhow::Result<PathBuf> {
    if let Some(folder) = &config.store.folder {
        return Ok(folder.clone());
    }
    let state = config::state_dir(&sources.env).context(
        "no place to remember tokens, grants and the audit in is known: set HOME or CHANCERY_STATE_DIR, or `folder` in `[store]`",
    )?;
    let identity = config.identity.get(..16).unwrap_or(&config.identity);
    Ok(state.join("stores").join(identity))
}

/// Opens the store of a gateway's number, and no other; 1 is that of `chancery serve`.
///
/// # Errors
/// When another gateway has the store, or it can't be used.
pub(super) async fn sole(config: &Config, sources: &Sources, number: usize) -> anyhow::Result<Records> {
    let settings = settings(config, numbered(&folder(config, sources)?, number));
    match open(settings).await? {
        Ok(records) => Ok(records),
        Err(error @ StoreError::InUse { .. }) => bail!(
            "failed to {error}: `folder` in `[store]` names one; clients of this machine reach the running gateway by `chancery stdio`"
        ),
        Err(error) => Err(unusable(&error)),
    }
}

/// Opens a store for a gateway of one client, and returns it with its number. Where another gateway has the first one,
/// it gets one of its own, and the log says so.
///
/// # Errors
/// When no store can be used.
pub(super) async fn any(config: &Config, sources: &Sources) -> anyhow::Result<(Records, usize)> {
    let (records, number) = free(config, sources).await?;
    if number > 1 {
        tracing::warn!(
            folder = %numbered(&folder(config, sources)?, number).display(),
            number,
            "another gateway of this configuration runs: this one has grants, approvals and an audit of its own, which \
             `chancery --gateway {number} …` reaches; run `chancery serve`, and every `chancery stdio` shares it"
        );
    }
    Ok((records, number))
}

/// Opens the first store of a configuration that no gateway has, and returns it with its number.
///
/// # Errors
/// When no store can be used.
pub(super) async fn free(config: &Config, sources: &Sources) -> anyhow::Result<(Records, usize)> {
    let folder = folder(config, sources)?;
    for number in 1..=MOST {
        match open(settings(config, numbered(&folder, number))).await? {
            Ok(records) => return Ok((records, number)),
            Err(StoreError::InUse { .. }) => {}
            Err(error) => return Err(unusable(&error)),
        }
    }
    bail!(
        "{MOST} gateways of this configuration run already, each with a store of its own below `{}`: run `chancery serve`, and every \
         `chancery stdio` shares it",
        folder.display()
    )
}

/// Opens a store that is removed with its folder.
///
/// # Errors
/// When the folder can't be used.
pub(super) async fn passing(folder: &Path) -> anyhow::Result<Records> {
    open(Settings::new(folder)).await?.map_err(|error| unusable(&error))
}

pub(super) fn numbered(folder: &Path, number: usize) -> PathBuf {
    match number {
        1 => folder.to_owned(),
        _ => {
            let mut name = folder.file_name().unwrap_or_default().to_owned();
            name.push(format!("-{number}"));
            folder.with_file_name(name)
        }
    }
}

fn settings(config: &Config, folder: PathBuf) -> Settings {
    Settings {
        sync: config.store.sync,
        retention: config.store.retention,
        ..Settings::new(folder)
    }
}

/// Opens the store and reads it. Work that waits for the disk is done on a thread of its own.
async fn open(settings: Settings) -> anyhow::Result<Result<Records, StoreError>> {
    let opened = tokio::task::spawn_blocking(move || LocalStore::open(&settings)).await?;
    let store = match opened {
        Ok(store) => Arc::new(store),
        Err(error) => return Ok(Err(error)),
    };
    match store.health() {
        Health::Sound => {}
        // No call could be recorded, so none could be admitted.
        Health::ReadOnly(error) if error.is_lasting() => return Ok(Err(error)),
        Health::ReadOnly(error) => tracing::error!("the store is read only: failed to {error}"),
    }
    let loaded = store.load().await;
    Ok(loaded.map(|remembered| Records { store, remembered }))
}

fn unusable(error: &StoreError) -> anyhow::Error {
    match error {
        StoreError::Damaged { .. } | StoreError::Failed { .. } => {
            anyhow::anyhow!("failed to {error}; `chancery store verify` says what can still be believed")
        }
        error => anyhow::anyhow!("failed to {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(folder: &Path) -> Config {
        let text = format!("[store]\nfolder = '{}'\n", folder.display());
        config::load_text("mgp.toml", &text, &config::Env::default())
            .expect("a configuration")
            .0
    }

    fn sources() -> Sources {
        Sources {
            env: config::Env::default(),
            cwd: PathBuf::new(),
            config: None,
            mcp_json: Vec::new(),
            trust: false,
        }
    }

    #[tokio::test]
    async fn one_gateway_a_folder_and_standalone_ones_beside_it() {
        let scratch = tempfile::tempdir().expect("a folder");
        let config = config(&scratch.path().join("store"));
        let first = sole(&config, &sources(), 1).await.expect("the store");
        let refused = sole(&config, &sources(), 1).await.expect_err("it is taken").to_string();
        assert!(
            refused.contains(&format!("(process {})", std::process::id())) && refused.contains("`folder` in `[store]`"),
            "{refused}"
        );
        let (second, number) = any(&config, &sources()).await.expect("one of its own");
        assert!(number == 2 && scratch.path().join("store-2").is_dir());
        drop((first, second));
        sole(&config, &sources(), 1).await.expect("it is free again");
    }

    #[tokio::test]
    async fn a_damaged_store_is_not_served_from() {
        let scratch = tempfile::tempdir().expect("a folder");
        let config = config(scratch.path());
        drop(sole(&config, &sources(), 1).await.expect("a store"));
        std::fs::write(scratch.path().join("control.db"), "no database").expect("written");
        let refused = sole(&config, &sources(), 1).await.expect_err("it is damaged").to_string();
        assert!(refused.contains("damaged") && refused.contains("store verify"), "{refused}");
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
