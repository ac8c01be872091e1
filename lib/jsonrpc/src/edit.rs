//! Edits to one object: one scan, one copy, and all untouched bytes as they are.

use crate::scan::Scanner;
use crate::{Raw, RawKind, text};

/// Edits to one object, by path; [`Editor::finish`] makes them.
///
/// The result is as if the edits were made one after another. All untouched bytes stay: order, spacing, escapes. Where
/// a key on a path occurs twice in its object, the first one counts and the others are removed. Paths come from our own
/// code, never from a peer.
#[derive(Clone, Debug)]
#[must_use]
pub struct Editor {
    raw: Raw,
    root: Node,
}

/// The edit of one value.
#[derive(Clone, Debug, Default)]
struct Node {
    action: Action,
    /// Edits to members of the value, in the order in which they were first named.
    members: Vec<(Box<str>, Self)>,
}

#[derive(Clone, Debug, Default)]
enum Action {
    /// The value stays; edits to its members are made if it is an object.
    #[default]
    Keep,
    /// The value stays if it is an object, else becomes `{}`; then its members are edited.
    MakeObject,
    Set(Raw),
    Remove,
}

impl Editor {
    /// Returns an editor of `raw`, or of `{}` where `raw` is not an object.
    pub(crate) fn new(raw: Raw) -> Self {
        let raw = if raw.kind() == RawKind::Object { raw } else { Raw::object_empty() };
        Self {
            raw,
            root: Node::default(),
        }
    }

    /// Replaces the value in place, or appends the member at the end of its object. Objects along the path that are
    /// missing are created; a value along the path that is not an object becomes one. An empty path replaces
    /// everything.
    pub fn set(mut self, path: &[&str], value: &Raw) -> Self {
        self.root.set(path, value);
        self
    }

    /// Removes the member and one comma. Does nothing where there is no such member, or for an empty path.
    pub fn remove(mut self, path: &[&str]) -> Self {
        if !path.is_empty() {
            self.root.remove(path);
        }
        self
    }

    /// Returns the edited value.
    pub fn finish(self) -> Raw {
        match &self.root {
            Node {
                action: Action::Set(value),
                ..
            } => value.clone(),
            Node { members, .. } if members.is_empty() => self.raw,
            root => {
                let mut out = Vec::with_capacity(self.raw.len() + root.added());
                root.write_object(self.raw.bytes(), &mut out);
                Raw::trusted(out.into())
            }
        }
    }
}

impl Node {
    fn set(&mut self, path: &[&str], value: &Raw) {
        let [key, rest @ ..] = path else {
            *self = Self {
                action: Action::Set(value.clone()),
                members: Vec::new(),
            };
            return;
        };
        match &mut self.action {
            Action::Set(earlier) => *earlier = earlier.edit().set(path, value).finish(),
            Action::Remove => self.action = Action::Set(Raw::object_empty().edit().set(path, value).finish()),
            Action::Keep | Action::MakeObject => {
                self.action = Action::MakeObject;
                self.member(key).set(rest, value);
            }
        }
    }

    fn remove(&mut self, path: &[&str]) {
        let [key, rest @ ..] = path else {
            *self = Self {
                action: Action::Remove,
                members: Vec::new(),
            };
            return;
        };
        match &mut self.action {
            Action::Set(earlier) if earlier.kind() == RawKind::Object => {
                *earlier = earlier.edit().remove(path).finish();
            }
            Action::Set(_) | Action::Remove => {}
            Action::Keep | Action::MakeObject => self.member(key).remove(rest),
        }
    }

    fn member(&mut self, key: &str) -> &mut Self {
        let i = self.members.iter().position(|(name, _)| **name == *key).unwrap_or_else(|| {
            self.members.push((key.into(), Self::default()));
            self.members.len() - 1
        });
        &mut self.members[i].1
    }

    /// Returns the approximate number of bytes that the edits add.
    fn added(&self) -> usize {
        let own = if let Action::Set(value) = &self.action { value.len() } else { 2 };
        own + self.members.iter().map(|(name, node)| name.len() + 4 + node.added()).sum::<usize>()
    }

    /// Writes the value that stood at this place with its edits; the caller handles `Remove`.
    fn write(&self, old: &[u8], out: &mut Vec<u8>) {
        match &self.action {
            Action::Set(value) => out.extend_from_slice(value.bytes()),
            Action::MakeObject if !old.starts_with(b"{") => self.write_object(b"{}", out),
            Action::Keep if !old.starts_with(b"{") => out.extend_from_slice(old),
            _ => self.write_object(old, out),
        }
    }

    /// Writes the object `old` with its members edited. Recurses as deep as the paths of the edits.
    fn write_object(&self, old: &[u8], out: &mut Vec<u8>) {
        let mut copy = Copy {
            old,
            out,
            copied: 0,
            gap: None,
            kept: 0,
            end: 1,
        };
        let mut done = vec![false; self.members.len()];
        let mut scanner = Scanner::trusted(old);
        let mut more = scanner.open(b'}').unwrap_or(false);
        let mut delimiter = 0;
        while more {
            let Ok((key, value)) = scanner.member() else { break };
            let found = self
                .members
                .iter()
                .position(|(name, _)| text::equals(&old[key.span.clone()], key.escaped, name.as_bytes()));
            copy.end = value.end;
            match found {
                None => copy.keep(delimiter),
                Some(i) if done[i] || matches!(self.members[i].1.action, Action::Remove) => copy.skip(delimiter),
                Some(i) => {
                    copy.keep(delimiter);
                    copy.replace(&value, |value, out| self.members[i].1.write(value, out));
                }
            }
            if let Some(i) = found {
                done[i] = true;
            }
            more = scanner.more(b'}').unwrap_or(false);
            // `more` stepped over the comma and the whitespace behind it.
            delimiter = copy.end + old[copy.end..].iter().position(|&b| b == b',').unwrap_or(0);
        }
        copy.close();
        for ((name, node), done) in self.members.iter().zip(done) {
            if !done && node.appends() {
                copy.append(name, |out| node.write(b"null", out));
            }
        }
        copy.finish();
    }

    /// Returns whether the edit adds a member that was absent.
    fn appends(&self) -> bool {
        matches!(self.action, Action::Set(_) | Action::MakeObject)
    }
}

/// The partly written copy of one object.
struct Copy<'a> {
    old: &'a [u8],
    out: &'a mut Vec<u8>,
    /// How far `old` has been copied or left out.
    copied: usize,
    /// The delimiter before the members that are being left out.
    gap: Option<usize>,
    kept: usize,
    /// The end of the last value; at first, just after the brace.
    end: usize,
}

impl Copy<'_> {
    fn flush(&mut self, to: usize) {
        self.out.extend_from_slice(&self.old[self.copied..to]);
        self.copied = to;
    }

    /// Keeps the member behind the brace or comma at `delimiter`.
    fn keep(&mut self, delimiter: usize) {
        if let Some(gap) = self.gap.take() {
            self.flush(gap + 1);
            self.copied = delimiter + 1;
        }
        self.kept += 1;
    }

    /// Leaves out the member behind the brace or comma at `delimiter`.
    fn skip(&mut self, delimiter: usize) {
        self.gap.get_or_insert(delimiter);
    }

    fn replace(&mut self, value: &std::ops::Range<usize>, write: impl FnOnce(&[u8], &mut Vec<u8>)) {
        self.flush(value.start);
        write(&self.old[value.clone()], self.out);
        self.copied = value.end;
    }

    /// Finishes the old members: none follows.
    fn close(&mut self) {
        match self.gap.take() {
            // A comma goes with the last member, the brace stays.
            Some(gap) => self.flush(gap + usize::from(self.kept == 0)),
            None => self.flush(self.end),
        }
        self.copied = self.end;
    }

    fn append(&mut self, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
        if self.kept > 0 {
            self.out.push(b',');
        }
        self.kept += 1;
        text::write_string(name.as_bytes(), self.out);
        self.out.push(b':');
        write(self.out);
    }

    fn finish(self) {
        self.out.extend_from_slice(&self.old[self.copied..]);
    }
}
