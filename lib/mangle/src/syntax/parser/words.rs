//! The words of a text: equal ones share their memory.

use std::{array, collections::HashMap, sync::Arc};

/// A map that grows moves all that it has, and nobody can stop it meanwhile. So there are many small ones.
const MAPS: usize = 32;

/// The words so far.
pub(super) struct Words<'s>([HashMap<&'s str, Arc<str>>; MAPS]);

impl Default for Words<'_> {
    fn default() -> Self {
        Self(array::from_fn(|_| HashMap::new()))
    }
}

impl<'s> Words<'s> {
    /// The word of a text.
    pub(super) fn share(&mut self, text: &'s str) -> Arc<str> {
        let known = &mut self.0[place(text)];
        Arc::clone(known.entry(text).or_insert_with(|| text.into()))
    }
}

/// Which map a word is in, by its end: that is where the words of long lists differ.
fn place(text: &str) -> usize {
    let end = text.bytes().rev().take(4);
    end.fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte))) % MAPS
}
