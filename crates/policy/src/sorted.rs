//! A sorted map whose versions share what they have in common: to change one entry among a hundred thousand copies one small chunk.
//!
//! Two levels are enough: chunks of at most 128 entries, and one list of chunks. It needs no hash, so that nobody who chooses names can
//! choose them to collide, and it has an order, so that lists come out the same each time.

use std::borrow::Borrow;
use std::sync::Arc;

/// A chunk with more entries is split.
const MOST: usize = 128;
/// A chunk with fewer entries is joined with its neighbour.
const FEWEST: usize = 16;

/// The map. A clone costs one count; the first change after it copies the list of chunks and the one chunk that it touches.
#[derive(Clone, Debug)]
pub(crate) struct Sorted<K, V> {
    chunks: Arc<Vec<Chunk<K, V>>>,
}

#[derive(Clone, Debug)]
struct Chunk<K, V> {
    /// At most the key of the first entry, and more than every key of the chunk before.
    from: K,
    entries: Arc<Vec<(K, V)>>,
}

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self {
            chunks: Arc::new(Vec::new()),
        }
    }
}

impl<K: Ord + Clone, V: Clone> Sorted<K, V> {
    /// The value under a key.
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let entries = &self.chunks.get(place(&self.chunks, key))?.entries;
        let at = entries.binary_search_by(|(other, _)| other.borrow().cmp(key)).ok()?;
        Some(&entries[at].1)
    }

    /// The value under a key, to be changed in this version.
    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        // Looked up first: a key that is not there copies nothing.
        self.get(key)?;
        let chunks = Arc::make_mut(&mut self.chunks);
        let chunk = place(chunks, key);
        let entries = Arc::make_mut(&mut chunks[chunk].entries);
        let at = entries.binary_search_by(|(other, _)| other.borrow().cmp(key)).ok()?;
        Some(&mut entries[at].1)
    }

    /// Puts a value under a key; returns the one before.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.is_empty() {
            chunks.push(Chunk {
                from: key.clone(),
                entries: Arc::default(),
            });
        }
        let at = place(chunks, &key);
        let chunk = &mut chunks[at];
        let entries = Arc::make_mut(&mut chunk.entries);
        match entries.binary_search_by(|(other, _)| other.cmp(&key)) {
            Ok(found) => return Some(std::mem::replace(&mut entries[found].1, value)),
            Err(gap) => entries.insert(gap, (key, value)),
        }
        if entries[0].0 < chunk.from {
            chunk.from = entries[0].0.clone();
        }
        if entries.len() > MOST {
            let upper = entries.split_off(MOST / 2);
            let from = upper[0].0.clone();
            chunks.insert(
                at + 1,
                Chunk {
                    from,
                    entries: Arc::new(upper),
                },
            );
        }
        None
    }

    /// The value under a key, made first where there is none.
    pub(crate) fn entry(&mut self, key: &K, make: impl FnOnce() -> V) -> &mut V {
        if self.get(key).is_none() {
            self.insert(key.clone(), make());
        }
        self.get_mut(key).expect("it was there, or has just been put there")
    }

    /// Takes a key out; returns its value.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.get(key)?;
        let chunks = Arc::make_mut(&mut self.chunks);
        let chunk = place(chunks, key);
        let entries = Arc::make_mut(&mut chunks[chunk].entries);
        let at = entries.binary_search_by(|(other, _)| other.borrow().cmp(key)).ok()?;
        let (_, value) = entries.remove(at);
        join(chunks, chunk);
        Some(value)
    }

    /// All entries, by their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.chunks
            .iter()
            .flat_map(|chunk| chunk.entries.iter().map(|(key, value)| (key, value)))
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
}

/// The chunk where a key is, or belongs.
fn place<K: Borrow<Q>, V, Q: Ord + ?Sized>(chunks: &[Chunk<K, V>], key: &Q) -> usize {
    chunks.partition_point(|chunk| chunk.from.borrow() <= key).saturating_sub(1)
}

/// Keeps chunks from crumbling: an empty one goes, a small one joins the one after it.
fn join<K: Ord + Clone, V: Clone>(chunks: &mut Vec<Chunk<K, V>>, at: usize) {
    if chunks[at].entries.is_empty() {
        chunks.remove(at);
        return;
    }
    let fits = |next: &Chunk<K, V>| chunks[at].entries.len() + next.entries.len() <= MOST;
    if chunks[at].entries.len() < FEWEST && chunks.get(at + 1).is_some_and(fits) {
        let next = chunks.remove(at + 1);
        Arc::make_mut(&mut chunks[at].entries).extend(next.entries.iter().cloned());
    }
}

#[cfg(test)]
mod tests;
