//! What a machine had to say after one input: mostly one thing, which then costs no allocation.

/// A short list whose first item is kept in place.
#[derive(Debug)]
pub(crate) struct Drained<T> {
    first: Option<T>,
    rest: Vec<T>,
}

impl<T> Default for Drained<T> {
    fn default() -> Self {
        Self {
            first: None,
            rest: Vec::new(),
        }
    }
}

impl<T> Drained<T> {
    pub(crate) fn one(item: T) -> Self {
        Self {
            first: Some(item),
            rest: Vec::new(),
        }
    }

    /// Everything that `next` gives, until it gives nothing.
    pub(crate) fn from_fn(mut next: impl FnMut() -> Option<T>) -> Self {
        let first = next();
        let rest = if first.is_some() {
            std::iter::from_fn(next).collect()
        } else {
            Vec::new()
        };
        Self { first, rest }
    }

    pub(crate) fn push(&mut self, item: T) {
        match self.first {
            None => self.first = Some(item),
            Some(_) => self.rest.push(item),
        }
    }
}

impl<T> IntoIterator for Drained<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.rest)
    }
}
