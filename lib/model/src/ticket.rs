//! Names for pieces of work.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Names one piece of work that a core has asked for; the outcome comes back under the same ticket.
///
/// Tickets are unique within the machine that issued them and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// What is under way, by ticket.
pub type TicketMap<T> = HashMap<Ticket, T, BuildHasherDefault<TicketHasher>>;

/// Spreads tickets over a table. They are counters of our own: no peer chooses them, so that a keyed hash would guard against nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct TicketHasher(u64);

impl Hasher for TicketHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // Fibonacci hashing: the odd number nearest to 2^64 divided by the golden ratio.
        self.0 = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
