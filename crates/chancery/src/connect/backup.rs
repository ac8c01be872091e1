//! Backups of files, kept beside them as they were before a change.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::config::Problem;

/// Keeps a file's text under `<file>.<time>.chancery.bak`, with the mode of the file: it may hold secrets.
pub(super) fn keep(path: &Path, text: &str, now: u64) -> Result<PathBuf, Problem> {
    let base = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut kept = path.with_file_name(format!("{base}.{}.chancery.bak", timestamp(now)));
    let mut number = 1;
    while kept.exists() {
        number += 1;
        kept = path.with_file_name(format!("{base}.{}-{number:02}.chancery.bak", timestamp(now)));
    }
    let copied = std::fs::copy(path, &kept).and_then(|_| std::fs::read_to_string(&kept));
    match copied {
        Ok(copy) if copy == text => Ok(kept),
        Ok(_) => Err(Problem::error(format!(
            "`{}` is being changed by another program; try again",
            path.display()
        ))),
        Err(error) => Err(Problem::error(format!("`{}` can't be written: {error}", kept.display()))),
    }
}

/// Returns the backups of a file, the newest first, with their texts.
pub(super) fn newest_first(path: &Path) -> Vec<(PathBuf, String)> {
    let base = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(&base)
            .is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".chancery.bak"))
    };
    let mut found: Vec<_> = names.filter(ours).collect();
    found.sort();
    found.reverse();
    found
        .into_iter()
        .filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text)))
        .collect()
}

/// Returns a time in seconds since 1970 as `20261120T223005Z`; such texts sort as the times do.
pub(super) fn timestamp(now: u64) -> String {
    let seconds = i64::try_from(now).unwrap_or(i64::MAX);
    let instant = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    instant.strftime("%Y%m%dT%H%M%SZ").to_string()
}
