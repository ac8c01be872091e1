//! Finds the rule files beside a document: those that no editor has open may contain the packages that it uses.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// The most files of one folder that are read.
const MOST_FILES: usize = 256;
/// The most bytes of a file that no editor has open.
const MOST_BYTES: u64 = 1 << 20;

/// The characters that a part of a path cannot contain in a URI.
const SPECIAL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// Returns the URIs and texts of the rule files in the folder of a document, itself and tests left out, in the order of their names. A
/// document that is no file has none.
pub(super) fn beside(uri: &str) -> Vec<(String, String)> {
    let Some((base, folder)) = folder(uri) else { return Vec::new() };
    let Some(own) = path(uri) else { return Vec::new() };
    // A folder that cannot be read has no files.
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(MOST_FILES);
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| is_rules(file) && *file != own);
    files.sort();
    let text = |file: PathBuf| {
        let name = utf8_percent_encode(file.file_name()?.to_str()?, SPECIAL);
        let short = std::fs::metadata(&file).ok().filter(|file| file.len() <= MOST_BYTES);
        let text = short.and_then(|_| std::fs::read_to_string(&file).ok())?;
        Some((format!("{base}{name}"), text))
    };
    files.into_iter().filter_map(text).collect()
}

/// Returns whether two URIs name the same file, however each editor writes them.
pub(super) fn same(one: &str, other: &str) -> bool {
    one == other || path(one).is_some_and(|one| path(other) == Some(one))
}

fn is_rules(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".mg") && !name.ends_with("_test.mg")
}

/// Returns the beginning that the URIs of the files in a document's folder share, and the folder.
fn folder(uri: &str) -> Option<(&str, PathBuf)> {
    let end = uri.rfind('/')? + 1;
    Some((&uri[..end], path(uri)?.parent()?.to_owned()))
}

/// Returns the path of a file's URI.
fn path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = percent_decode_str(path).decode_utf8().ok()?;
    path.starts_with('/').then(|| PathBuf::from(&*path))
}
