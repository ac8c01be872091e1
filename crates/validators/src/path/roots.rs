//! The folders in which a path may lie.

use std::fmt;

use super::normal::{self, Anchor, Path};

/// The allowed folders. Relative paths begin in the first one; without any, nothing is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    list: Vec<Root>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    drive: Option<char>,
    segments: Vec<String>,
}

/// The error for a root that is not an absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRoot {
    root: String,
}

impl fmt::Display for InvalidRoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no absolute path of a folder without `..`", self.root)
    }
}

impl std::error::Error for InvalidRoot {}

impl Roots {
    /// Returns roots from absolute paths, of either kind of system.
    ///
    /// # Errors
    /// When one of them is relative or steps upwards.
    pub fn new<'a>(roots: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidRoot> {
        let list = roots
            .into_iter()
            .map(|root| Root::parse(root).ok_or_else(|| InvalidRoot { root: root.to_owned() }))
            .collect::<Result<_, _>>()?;
        Ok(Self { list })
    }

    /// Returns whether the path lies in one of them.
    pub(super) fn hold(&self, path: &Path<'_>) -> bool {
        let drive = match path.anchor {
            Anchor::Elsewhere => return false,
            Anchor::Relative => return self.list.first().is_some_and(|root| stays(root, path)),
            Anchor::Root => None,
            Anchor::Drive(letter) => Some(letter),
        };
        let resolved = resolve(Vec::new(), path);
        self.list.iter().any(|root| root.drive == drive && root.holds(&resolved))
    }

    /// Returns the working folder, as a path.
    pub(crate) fn working(&self) -> Option<String> {
        self.list.first().map(|root| {
            let drive = root.drive.map_or(String::new(), |letter| format!("{letter}:"));
            format!("{drive}/{}", root.segments.join("/"))
        })
    }
}

/// Returns whether a relative path stays inside: it may step above its root only to come back.
fn stays(root: &Root, path: &Path<'_>) -> bool {
    let start = root.segments.iter().map(String::as_str).collect();
    root.holds(&resolve(start, path))
}

fn resolve<'a>(mut at: Vec<&'a str>, path: &Path<'a>) -> Vec<&'a str> {
    for segment in &path.segments {
        if *segment == ".." {
            at.pop();
        } else {
            at.push(segment);
        }
    }
    at
}

impl Root {
    fn parse(text: &str) -> Option<Self> {
        let path = normal::parse(text).ok()?;
        let drive = match path.anchor {
            Anchor::Root => None,
            Anchor::Drive(letter) => Some(letter),
            Anchor::Relative | Anchor::Elsewhere => return None,
        };
        if path.segments.contains(&"..") {
            return None;
        }
        let segments = path.segments.into_iter().map(str::to_owned).collect();
        Some(Self { drive, segments })
    }

    /// Returns whether the segments lie in this root. Windows ignores the case of names; other systems do not.
    fn holds(&self, segments: &[&str]) -> bool {
        segments.len() >= self.segments.len()
            && self.segments.iter().zip(segments).all(|(root, segment)| {
                if self.drive.is_some() {
                    root.eq_ignore_ascii_case(segment)
                } else {
                    root == segment
                }
            })
    }
}
