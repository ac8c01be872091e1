//! Tests the map against that of the standard library, and what a change copies.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn it_is_a_sorted_map_and_versions_do_not_disturb_each_other(steps in prop::collection::vec((0_u8..4, 0_u16..700, any::<u8>()), 0..1500)) {
        let mut map = Sorted::default();
        let mut model = BTreeMap::new();
        let mut kept = Vec::new();
        for (step, (kind, key, value)) in steps.into_iter().enumerate() {
            match kind {
                0 => prop_assert_eq!(map.remove(&key), model.remove(&key)),
                1 => *map.entry(&key, || 0) = { *model.entry(key).or_insert(0) = value; value },
                _ => prop_assert_eq!(map.insert(key, value), model.insert(key, value)),
            }
            prop_assert_eq!(map.get(&key), model.get(&key));
            if step % 200 == 0 {
                kept.push((map.clone(), model.clone()));
            }
        }
        kept.push((map, model));
        for (map, model) in kept {
            let mut entries: Vec<(&u16, &u8)> = map.iter().collect();
            prop_assert!(entries.iter().is_sorted_by_key(|(key, _)| (number(*key), **key)));
            entries.sort_unstable();
            prop_assert!(entries.into_iter().eq(model.iter()));
            prop_assert_eq!(map.is_empty(), model.is_empty());
        }
    }
}

#[test]
fn a_change_shares_all_other_chunks() {
    let mut map = Sorted::default();
    for key in 0..100_000_u32 {
        map.insert(key, key);
    }
    let before = map.clone();
    map.insert(50_000, 0);
    let shared = |chunk: &Chunk<u32, u32>| before.chunks.iter().any(|other| Arc::ptr_eq(&other.entries, &chunk.entries));
    let copied: Vec<usize> = map
        .chunks
        .iter()
        .filter(|chunk| !shared(chunk))
        .map(|chunk| chunk.entries.len())
        .collect();
    assert_eq!(copied.len(), 1);
    assert!(copied[0] <= MOST);
}

#[test]
fn chunks_do_not_crumble() {
    let mut map = Sorted::default();
    for key in 0..10_000_u32 {
        map.insert(key, ());
    }
    // The factor is coprime with 10,000, so that every key comes once, in no order.
    for (left, key) in (0..10_000_u32).rev().zip((0..10_000_u32).map(|step| step * 3_767 % 10_000)) {
        map.remove(&key);
        assert!(
            map.chunks.len() <= left as usize / (FEWEST / 2) + 2,
            "{} chunks of {left} entries",
            map.chunks.len()
        );
    }
    assert!(map.is_empty());
}

/// A key whose number is equal to that of many others.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Colliding(u32);

impl Hash for Colliding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 % 2).hash(state);
    }
}

#[test]
fn keys_that_collide_are_told_apart() {
    let mut map = Sorted::default();
    for key in 0..1000 {
        assert_eq!(map.insert(Colliding(key), key), None);
    }
    for key in (0..1000).step_by(3) {
        assert_eq!(map.remove(&Colliding(key)), Some(key));
    }
    for key in 0..1000 {
        assert_eq!(map.get(&Colliding(key)).copied(), (key % 3 != 0).then_some(key));
    }
}
