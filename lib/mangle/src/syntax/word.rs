//! Words of a text that share its memory.

use std::{
    borrow::Borrow,
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
    ops::Deref,
    sync::Arc,
};

/// A piece of a text, which is kept alive as long as one of its words is. Having and dropping very many of them is
/// cheap, because none has memory of its own.
#[derive(Clone)]
pub struct Word {
    text: Arc<Box<str>>,
    /// The first byte.
    start: u32,
    end: u32,
}

impl Word {
    /// Returns the bytes from `start` to `end` of a text that spans can count; empty if they are outside.
    pub(crate) fn within(text: &Arc<Box<str>>, start: u32, end: u32) -> Self {
        let text = Arc::clone(text);
        Self { text, start, end }
    }
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        self.text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl Borrow<str> for Word {
    fn borrow(&self) -> &str {
        self
    }
}

/// Makes a word with a text of its own, which is short.
impl From<String> for Word {
    fn from(text: String) -> Self {
        let end = text.len() as u32;
        Self::within(&Arc::new(text.into()), 0, end)
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq for Word {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Word {}

impl PartialOrd for Word {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Word {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Word {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, sync::Arc};

    use super::Word;

    #[test]
    fn a_word_is_what_stands_there() {
        let text: Arc<Box<str>> = Arc::new("edge(/ä)".into());
        let word = |start, end| Word::within(&text, start, end).to_string();
        assert_eq!([word(0, 4), word(5, 8), word(3, 3)], ["edge", "/ä", ""]);
        // Within a character, and beyond the end.
        assert_eq!([word(0, 7), word(4, 99)], ["", ""]);
    }

    #[test]
    fn words_of_different_texts_are_equal_if_they_read_the_same() {
        let text: Arc<Box<str>> = Arc::new("edge edge node".into());
        let (one, other, node) = (Word::within(&text, 0, 4), Word::within(&text, 5, 9), Word::within(&text, 10, 14));
        assert_eq!(one, other);
        assert!(other < node);
        let words = HashSet::from([one, node]);
        assert!(words.contains("edge") && words.contains(&Word::from("node")) && !words.contains("nod"));
    }
}
