//! The loops over the rows of a step.

use super::{Found, Machine, Own, ahead::BATCH};
use crate::eval::{
    error::Stop,
    index::NONE,
    plan::{Access, Key, Rows, Step},
    relation::Range,
    segment::Segment,
};

/// A key of an index or a whole row, on the heap only if it is long.
pub(super) type Words = smallvec::SmallVec<[u64; 6]>;

/// The number of columns up to which a key needs no heap allocation.
const SHORT: usize = 4;

impl Machine<'_, '_> {
    /// Runs the rest of the plan for each row that fits.
    pub(super) fn rows(&mut self, at: usize, rows: &Rows) -> Result<bool, Stop> {
        let found = &self.found[at];
        if rows.range == Range::Delta && found.times.is_some() {
            return self.fresh(at, rows);
        }
        let keys = match &rows.access {
            Access::Scan => return self.scan(at, rows, found, &[]),
            Access::Find(keys) | Access::Index(_, keys) => keys.as_slice(),
        };
        let mut short = [0; SHORT];
        let long: Vec<u64>;
        let key = if let Some(short) = short.get_mut(..keys.len()) {
            short.iter_mut().zip(keys).for_each(|(word, key)| *word = self.word(key));
            &*short
        } else {
            long = keys.iter().map(|key| self.word(key)).collect();
            &long
        };
        match &rows.access {
            Access::Find(_) | Access::Scan => self.find(at, rows, found, key),
            Access::Index(columns, _) if found.indexed() => self.lookup(at, rows, found, columns, key),
            Access::Index(columns, _) => {
                // Without an index the columns are checked row by row.
                let checks: Vec<(u16, u64)> = columns.iter().copied().zip(key.iter().copied()).collect();
                self.scan(at, rows, found, &checks)
            }
        }
    }

    #[inline(always)]
    fn find(&mut self, at: usize, rows: &Rows, found: &Found, key: &[u64]) -> Result<bool, Stop> {
        self.step(1)?;
        let hash = self.relation(rows.pred).own.keys.row(key);
        let frozen = found.frozen.as_ref().and_then(|frozen| frozen.segment.find(key, hash));
        let number = frozen.map(|place| place as u32).or_else(|| {
            let own = &self.relation(rows.pred).own;
            let number = own.find(key, hash).map(|place| own.first + place as u32);
            number.filter(|number| (found.from..found.to).contains(number))
        });
        match number {
            Some(number) => self.visit(at, rows, key, Some(number)),
            None => Ok(false),
        }
    }

    #[inline(always)]
    fn lookup(&mut self, at: usize, rows: &Rows, found: &Found, columns: &[u16], key: &[u64]) -> Result<bool, Stop> {
        let mut any = false;
        let width = self.relation(rows.pred).width();
        if let (Some(_), Some(index)) = (&found.frozen, &found.frozen_index) {
            any |= self.slice(at, rows, index.get(width, columns, key), width)?;
            if any && rows.once {
                return Ok(true);
            }
        }
        match &found.own {
            Own::Fixed(index) => any |= self.slice(at, rows, index.get(width, columns, key), width)?,
            Own::Chain(chain) => any |= self.chain(at, rows, found, *chain, key)?,
            Own::Empty | Own::Whole => {}
        }
        Ok(any)
    }

    /// Goes through rows that lie side by side.
    fn slice(&mut self, at: usize, rows: &Rows, slice: &[u64], width: usize) -> Result<bool, Stop> {
        if slice.is_empty() {
            return Ok(false);
        }
        if let Some(direct) = self.direct(at) {
            return self.emit_direct(direct, slice, width);
        }
        let mut any = false;
        for row in slice.chunks_exact(width) {
            self.step(1)?;
            any |= self.visit(at, rows, row, None)?;
            if any && rows.once {
                break;
            }
        }
        Ok(any)
    }

    fn chain(&mut self, at: usize, rows: &Rows, found: &Found, chain: usize, key: &[u64]) -> Result<bool, Stop> {
        let mut any = false;
        let (first, width) = {
            let relation = self.relation(rows.pred);
            (relation.own.first, relation.width())
        };
        let mut buffer = Words::new();
        let mut place = {
            let relation = self.relation(rows.pred);
            relation.chains[chain].newest(&relation.own.rows, width, key)
        };
        while place != NONE {
            self.step(1)?;
            let number = first + place;
            let relation = self.relation(rows.pred);
            let before = relation.chains[chain].before(place);
            if number >= found.from && number < found.to {
                buffer.clear();
                buffer.extend_from_slice(relation.own.row(place as usize));
                any |= self.visit(at, rows, &buffer, Some(number))?;
                if any && rows.once {
                    break;
                }
            }
            place = before;
        }
        Ok(any)
    }

    /// Goes through all rows that the step may read. `checks` are columns with the words they must have.
    fn scan(&mut self, at: usize, rows: &Rows, found: &Found, checks: &[(u16, u64)]) -> Result<bool, Stop> {
        let mut any = false;
        if let Some(frozen) = &found.frozen {
            any |= self.scan_segment(at, rows, &frozen.segment, checks)?;
            if any && rows.once {
                return Ok(true);
            }
        }
        if self.is_head(rows.pred) {
            return Ok(self.scan_head(at, rows, checks)? || any);
        }
        let world = self.world;
        Ok(self.scan_segment(at, rows, &world.relations[rows.pred.index()].own, checks)? || any)
    }

    fn scan_segment(&mut self, at: usize, rows: &Rows, segment: &Segment, checks: &[(u16, u64)]) -> Result<bool, Stop> {
        let (start, end) = self.found[at].places(segment);
        let words = &segment.rows[start * segment.width..end * segment.width];
        self.scan_words(at, rows, words, segment.width, segment.first + start as u32, checks)
    }

    /// Goes through the relation's own rows while rows are added to it: they are copied out, some at a time.
    fn scan_head(&mut self, at: usize, rows: &Rows, checks: &[(u16, u64)]) -> Result<bool, Stop> {
        let mut any = false;
        let mut buffer: smallvec::SmallVec<[u64; 128]> = smallvec::SmallVec::new();
        let own = &self.relation(rows.pred).own;
        let (first, width) = (own.first, own.width);
        let (mut place, end) = self.found[at].places(own);
        while place < end {
            let count = (end - place).min((buffer.inline_size() / width).max(1));
            buffer.clear();
            buffer.extend_from_slice(&self.relation(rows.pred).own.rows[place * width..(place + count) * width]);
            any |= self.scan_words(at, rows, &buffer, width, first + place as u32, checks)?;
            if any && rows.once {
                break;
            }
            place += count;
        }
        Ok(any)
    }

    /// Goes through rows that lie end to end, the first of which has the number `first`.
    fn scan_words(&mut self, at: usize, rows: &Rows, words: &[u64], width: usize, first: u32, checks: &[(u16, u64)]) -> Result<bool, Stop> {
        if checks.is_empty()
            && let Some(direct) = self.direct(at)
        {
            return self.emit_direct(direct, words, width);
        }
        let mut any = false;
        let mut numbers = first..;
        for words in words.chunks(BATCH * width) {
            self.look_ahead(at, words, width);
            for (row, number) in words.chunks_exact(width).zip(&mut numbers) {
                self.step(1)?;
                if checks.iter().all(|&(column, word)| row[usize::from(column)] == word) {
                    any |= self.visit(at, rows, row, Some(number))?;
                    if any && rows.once {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(any)
    }

    /// Processes one row: if it fits, it is loaded into registers and the plan continues.
    #[inline(always)]
    pub(super) fn visit(&mut self, at: usize, rows: &Rows, row: &[u64], number: Option<u32>) -> Result<bool, Stop> {
        let plain = self.found[at].plain;
        if !plain && !self.fits_row(rows, row) {
            return Ok(false);
        }
        for &(column, slot) in &rows.binds {
            self.registers[usize::from(slot)] = row[usize::from(column)];
        }
        if plain {
            self.next(at)
        } else {
            self.visit_numbered(at, rows, row, number)
        }
    }

    /// Returns whether a row has the words that it must have.
    pub(super) fn fits_row(&self, rows: &Rows, row: &[u64]) -> bool {
        let checks = |(column, key): &(u16, Key)| row[usize::from(*column)] == self.word(key);
        let same = |&(column, first): &(u16, u16)| row[usize::from(column)] == row[usize::from(first)];
        rows.checks.iter().all(checks) && rows.same.iter().all(same)
    }

    /// Continues after a row that fits: for a negated atom nothing follows, the row was only looked for.
    #[inline(always)]
    pub(super) fn next(&mut self, at: usize) -> Result<bool, Stop> {
        if matches!(self.plan.steps[at], Step::Absent(_)) {
            return Ok(true);
        }
        self.run(at + 1)
    }

    /// Returns whether some row fits a negated atom.
    pub(super) fn exists(&mut self, at: usize, rows: &Rows) -> Result<bool, Stop> {
        self.rows(at, rows)
    }
}
