//! The paths of the gateway's own files.

use std::path::{Path, PathBuf};

use super::expand::Env;

/// Returns the home directory.
#[must_use]
pub fn home(env: &Env) -> Option<PathBuf> {
    env.get_filled("HOME").or_else(|| env.get_filled("USERPROFILE")).map(PathBuf::from)
}

/// Returns the user's own configuration (MGP §15.2).
#[must_use]
pub fn user_config(env: &Env) -> Option<PathBuf> {
    Some(home(env)?.join(".config").join("mgp").join("servers.toml"))
}

/// Returns the configuration of the project in `cwd` (MGP §15.2).
#[must_use]
pub fn project_config(cwd: &Path) -> PathBuf {
    cwd.join("mgp.toml")
}

/// Returns the directory of state that is not configuration: cached catalogues, trusted hashes, sockets.
/// `$CHANCERY_STATE_DIR` overrides it.
#[must_use]
pub fn state_dir(env: &Env) -> Option<PathBuf> {
    if let Some(dir) = env.get_filled("CHANCERY_STATE_DIR") {
        return Some(PathBuf::from(dir));
    }
    if cfg!(windows) {
        return env.get_filled("LOCALAPPDATA").map(|dir| Path::new(dir).join("chancery"));
    }
    if let Some(dir) = env.get_filled("XDG_STATE_HOME") {
        return Some(Path::new(dir).join("chancery"));
    }
    let below = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".local/state"
    };
    Some(home(env)?.join(below).join("chancery"))
}

/// Returns the path without links and `..`, where the file exists.
pub(super) fn whole(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Replaces a file as a whole: the new one is written beside it, synced, then renamed over it. A new file is for its
/// owner only; an existing one keeps its mode.
///
/// # Errors
/// When the directory can't be made or the file can't be written.
pub fn replace_file(path: &Path, contents: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;

    // A symbolic link (dotfiles are often kept elsewhere) stays one: what it points to is replaced.
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = dir.join(format!(".{name}.{}.tmp", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    let written = file.write_all(contents).and_then(|()| file.sync_all());
    if let Ok(metadata) = std::fs::metadata(path) {
        file.set_permissions(metadata.permissions())?;
    }
    drop(file);
    match written.and_then(|()| std::fs::rename(&beside, path)) {
        Ok(()) => Ok(()),
        Err(error) => {
            // The temporary file is useless now; an error in removing it changes nothing.
            std::fs::remove_file(&beside).ok();
            Err(error)
        }
    }
}
