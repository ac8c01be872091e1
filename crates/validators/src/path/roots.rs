//! The folders that a path may lead into.

use std::fmt;

use super::normal::{self, Anchor, Path};

/// Allowed folders. Relative paths begin in the first one; without any, nothing is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roots {
    list: Vec<Root>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    drive: Option<char>,
    segments: Vec<String>,
}

/// A root that is no absolute path.
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
    /// Roots from absolute paths, of either kind of system.
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

    /// Whether the path leads into one of them.
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

    /// The working folder, as a path.
    pub(crate) fn working(&self) -> Option<String> {
        self.list.first().map(|root| {
            let drive = root.drive.map_or(String::new(), |letter| format!("{letter}:"));
            format!("{drive}/{}", root.segments.join("/"))
        })
    }
}

/// A relative path may step above its root only to come back in.
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

    /// Windows does not tell the case of names; other systems do.
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
