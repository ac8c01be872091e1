//! Compares the table with a set that is known to be right: rows, look-ups, growth and keys.

use super::Table;
use crate::eval::hash::Keys;

/// Returns rows of two small numbers, as they are stored: the tag is in the lowest bits.
fn rows() -> Vec<[u64; 2]> {
    let side = 0..100;
    side.clone().flat_map(|a| side.clone().map(move |b| [16 * a, 16 * b])).collect()
}

#[test]
fn a_table_finds_what_was_put_into_it_and_nothing_else() {
    let (rows, keys) = (rows(), Keys::new(7));
    let (known, strange) = rows.split_at(rows.len() / 2);
    let mut table = Table::default();
    let same = |row: [u64; 2]| move |at: u32| known[at as usize] == row;
    for (at, &row) in known.iter().enumerate() {
        assert_eq!(table.find_or_insert(keys.row(&row), at as u32, same(row)), None);
        assert_eq!(table.find_or_insert(keys.row(&row), u32::MAX - 1, same(row)), Some(at as u32));
    }
    for (at, &row) in known.iter().enumerate() {
        assert_eq!(table.find(keys.row(&row), same(row)), Some(at as u32));
    }
    for &row in strange {
        assert_eq!(table.find(keys.row(&row), |at| known[at as usize] == row), None);
    }
}

#[test]
fn replacing_gives_what_was_there() {
    let keys = Keys::new(1);
    let mut table = Table::default();
    for number in 0..50 {
        let before = table.replace(keys.row(&[7]), number, |_| true);
        assert_eq!(before, number.checked_sub(1));
    }
    assert_eq!(table.heap(), 8 * 8, "one entry needs no more than the least table");
}

#[test]
fn rows_chosen_for_one_seed_are_scattered_by_another() {
    // An attack by a peer that knew the seed: rows that all begin at one place of a table with 1,024 slots.
    let (known, secret) = (Keys::new(0), Keys::new(0x5eed));
    let place = |keys: Keys, row: &[u64; 2]| keys.row(row) >> (64 - 10);
    let rows: Vec<[u64; 2]> = (0..1_000_000)
        .map(|n| [16 * n, 16 * (n % 7)])
        .filter(|row| place(known, row) == 3)
        .collect();
    assert!(rows.len() > 500, "there are such rows");
    let mut hit = [0_u32; 1024];
    rows.iter().for_each(|row| hit[place(secret, row) as usize] += 1);
    assert!(hit.iter().all(|&count| count < 12), "{}", hit.iter().max().unwrap_or(&0));
}
