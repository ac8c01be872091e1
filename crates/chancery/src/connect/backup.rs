//! Files as they were before we changed them, kept beside them.

use std::path::{Path, PathBuf};

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
            "`{}` is being changed by somebody else; try again",
            path.display()
        ))),
        Err(error) => Err(Problem::error(format!("`{}` can't be written: {error}", kept.display()))),
    }
}

/// The backups of a file, the newest first, with their texts.
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

/// `20261120T223005Z`; sorts as the time does.
pub(super) fn timestamp(now: u64) -> String {
    let (days, seconds) = (now / 86_400, now % 86_400);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// The date of a day since 1970-01-01, in the Gregorian calendar; years are counted from March, so that the leap day ends one.
fn civil(days: u64) -> (u64, u64, u64) {
    let since_0000_03_01 = days + 719_468;
    let era = since_0000_03_01 / 146_097;
    let day_of_era = since_0000_03_01 % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}
