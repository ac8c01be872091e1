//! A persistent sorted map, whose versions share chunks: changing one entry among a hundred thousand copies one small chunk.
//!
//! Two levels are enough: chunks of at most 128 entries, and one list of chunks. The order is that of a number made of the key, and of the key where
//! numbers are the same: a search looks at numbers side by side, and at one or two keys. The number depends on the key alone. Names that are chosen
//! to collide only make a search look at more keys.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A chunk with more entries is split.
const MOST: usize = 128;
/// A chunk with fewer entries is joined with its neighbour.
const FEWEST: usize = 16;

/// A persistent sorted map. A clone costs one reference count; the first change after it copies the list of chunks and the one chunk that it touches.
#[derive(Clone, Debug)]
pub(crate) struct Sorted<K, V> {
    chunks: Arc<Vec<Chunk<K, V>>>,
}

#[derive(Clone, Debug)]
struct Chunk<K, V> {
    /// The lower bound of the chunk: at most the place of its first entry, and more than every place of the chunk before.
    from: (u64, K),
    entries: Arc<Vec<Entry<K, V>>>,
}

#[derive(Clone, Debug)]
struct Entry<K, V> {
    number: u64,
    key: K,
    value: V,
}

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self {
            chunks: Arc::new(Vec::new()),
        }
    }
}

impl<K: Ord + Hash + Clone, V: Clone> Sorted<K, V> {
    /// Returns the value of a key.
    pub(crate) fn get<Q: Ord + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let number = number(key);
        let entries = &self.chunks.get(place(&self.chunks, number, key))?.entries;
        let at = find(entries, number, key).ok()?;
        Some(&entries[at].value)
    }

    /// Returns the value of a key, which can be changed in this version.
    pub(crate) fn get_mut<Q: Ord + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        // The key is looked up first, so that nothing is copied for a missing key.
        self.get(key)?;
        let number = number(key);
        let chunks = Arc::make_mut(&mut self.chunks);
        let chunk = place(chunks, number, key);
        let entries = Arc::make_mut(&mut chunks[chunk].entries);
        let at = find(entries, number, key).ok()?;
        Some(&mut entries[at].value)
    }

    /// Inserts the value of a key; returns the previous one.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let number = number(&key);
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.is_empty() {
            chunks.push(Chunk {
                from: (number, key.clone()),
                entries: Arc::default(),
            });
        }
        let at = place(chunks, number, &key);
        let chunk = &mut chunks[at];
        let entries = Arc::make_mut(&mut chunk.entries);
        match find(entries, number, &key) {
            Ok(found) => return Some(std::mem::replace(&mut entries[found].value, value)),
            Err(gap) => entries.insert(gap, Entry { number, key, value }),
        }
        let first = &entries[0];
        if compare(first.number, &first.key, chunk.from.0, &chunk.from.1).is_lt() {
            chunk.from = (first.number, first.key.clone());
        }
        if entries.len() > MOST {
            let upper = entries.split_off(MOST / 2);
            let from = (upper[0].number, upper[0].key.clone());
            let entries = Arc::new(upper);
            chunks.insert(at + 1, Chunk { from, entries });
        }
        None
    }

    /// Returns the value of a key, which is created first if there is none.
    pub(crate) fn entry(&mut self, key: &K, make: impl FnOnce() -> V) -> &mut V {
        if self.get(key).is_none() {
            self.insert(key.clone(), make());
        }
        self.get_mut(key).expect("it was there, or has just been put there")
    }

    /// Removes a key; returns its value.
    pub(crate) fn remove<Q: Ord + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.get(key)?;
        let number = number(key);
        let chunks = Arc::make_mut(&mut self.chunks);
        let chunk = place(chunks, number, key);
        let entries = Arc::make_mut(&mut chunks[chunk].entries);
        let at = find(entries, number, key).ok()?;
        let value = entries.remove(at).value;
        join(chunks, chunk);
        Some(value)
    }

    /// Iterates over all entries, in an order that depends on the keys alone.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        let entries = self.chunks.iter().flat_map(|chunk| chunk.entries.iter());
        entries.map(|entry| (&entry.key, &entry.value))
    }

    /// Returns whether the map is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
}

/// Compares two entries: numbers first, then keys.
fn compare<Q: Ord + ?Sized>(number: u64, key: &Q, other: u64, other_key: &Q) -> Ordering {
    number.cmp(&other).then_with(|| key.cmp(other_key))
}

/// Returns the index of the chunk to which a key belongs.
fn place<K: Borrow<Q>, V, Q: Ord + ?Sized>(chunks: &[Chunk<K, V>], number: u64, key: &Q) -> usize {
    let before = |chunk: &Chunk<K, V>| compare(chunk.from.0, chunk.from.1.borrow(), number, key).is_le();
    chunks.partition_point(before).saturating_sub(1)
}

/// Returns the index of a key among the entries of a chunk, or the index at which it belongs.
fn find<K: Borrow<Q>, V, Q: Ord + ?Sized>(entries: &[Entry<K, V>], number: u64, key: &Q) -> Result<usize, usize> {
    entries.binary_search_by(|entry| compare(entry.number, entry.key.borrow(), number, key))
}

/// Returns the number of a key, its hash.
fn number<Q: Hash + ?Sized>(key: &Q) -> u64 {
    let mut mixer = Mixer(0x9e37_79b9_7f4a_7c15);
    key.hash(&mut mixer);
    mixer.finish()
}

/// A hasher that mixes bytes into a number, eight at a time.
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let mixed = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            self.0 = mixed ^ (mixed >> 32);
        }
    }

    fn finish(&self) -> u64 {
        let mixed = self.0.wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Prevents small chunks: an empty chunk is removed, a small one is joined with the next.
fn join<K: Clone, V: Clone>(chunks: &mut Vec<Chunk<K, V>>, at: usize) {
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
