//! Tickets: ids of pieces of work inside the gateway.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The id of one piece of work that a core has asked for; the outcome is reported under the same ticket.
///
/// Tickets are unique within the machine that issued them and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// Work that is under way, by ticket.
pub type TicketMap<T> = HashMap<Ticket, T, BuildHasherDefault<TicketHasher>>;

/// A hasher that spreads tickets over a table. Tickets are internal counters that no peer chooses, so a keyed hash
/// would protect nothing.
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
