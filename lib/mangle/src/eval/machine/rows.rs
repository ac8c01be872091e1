//! The loops over rows of a step.

use super::{Found, Machine, Own, Target};
use crate::eval::{
    error::Stop,
    index::NONE,
    plan::{Access, Rows, Step},
    relation::Range,
};

/// A key of an index or a whole row: no longer on the heap than it must be.
pub(super) type Words = smallvec::SmallVec<[u64; 6]>;

impl Machine<'_, '_> {
    /// For each row that fits: the rest of the plan.
    pub(super) fn rows(&mut self, at: usize, rows: &Rows) -> Result<bool, Stop> {
        let found = &self.found[at];
        if rows.range == Range::Delta && found.times.is_some() {
            return self.fresh(at, rows);
        }
        match &rows.access {
            Access::Find(keys) => {
                if let [a, b] = keys.as_slice() {
                    let key = [self.word(a), self.word(b)];
                    return self.find(at, rows, found, &key);
                }
                if let [key] = keys.as_slice() {
                    let key = [self.word(key)];
                    return self.find(at, rows, found, &key);
                }
                let key: Words = keys.iter().map(|key| self.word(key)).collect();
                self.find(at, rows, found, &key)
            }
            Access::Index(columns, keys) if !matches!((&found.own, &found.frozen_index), (Own::Whole, None)) => {
                if let [key] = keys.as_slice() {
                    let key = [self.word(key)];
                    return self.lookup(at, rows, found, columns, &key);
                }
                let key: Words = keys.iter().map(|key| self.word(key)).collect();
                self.lookup(at, rows, found, columns, &key)
            }
            Access::Index(columns, keys) => {
                // No index: the columns are checked row by row.
                let checks: Vec<(u16, u64)> = columns.iter().zip(keys).map(|(&column, key)| (column, self.word(key))).collect();
                self.scan(at, rows, found, &checks)
            }
            Access::Scan => self.scan(at, rows, found, &[]),
        }
    }

    fn find(&mut self, at: usize, rows: &Rows, found: &Found, key: &[u64]) -> Result<bool, Stop> {
        self.step(1)?;
        let hash = self.relation(rows.pred).own.keys.row(key);
        if let Some(frozen) = &found.frozen
            && let Some(number) = frozen.segment.find(key, hash)
        {
            return self.visit(at, rows, key, Some(number as u32));
        }
        let own = &self.relation(rows.pred).own;
        let Some(number) = own.find(key, hash).map(|place| own.first + place as u32) else {
            return Ok(false);
        };
        if number < found.from || number >= found.to {
            return Ok(false);
        }
        self.visit(at, rows, key, Some(number))
    }

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
            Own::Whole => {}
        }
        Ok(any)
    }

    /// Rows that lie side by side.
    fn slice(&mut self, at: usize, rows: &Rows, slice: &[u64], width: usize) -> Result<bool, Stop> {
        if let (Some(direct), Target::Rows) = (&self.found[at].direct, &self.target) {
            return match direct.width() {
                1 => self.emit_direct::<1>(direct, slice, width),
                2 => self.emit_direct::<2>(direct, slice, width),
                _ => self.emit_direct::<3>(direct, slice, width),
            };
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

    /// All rows that the step may see. `checks` are columns with the words they must have.
    fn scan(&mut self, at: usize, rows: &Rows, found: &Found, checks: &[(u16, u64)]) -> Result<bool, Stop> {
        let mut any = false;
        if let Some(frozen) = &found.frozen {
            let segment = &frozen.segment;
            for number in found.from..found.to.min(segment.len() as u32) {
                self.step(1)?;
                let row = segment.row(number as usize);
                if checks.iter().all(|&(column, word)| row[usize::from(column)] == word) {
                    any |= self.visit(at, rows, row, Some(number))?;
                    if any && rows.once {
                        return Ok(true);
                    }
                }
            }
        }
        if self.is_head(rows.pred) {
            return Ok(self.scan_head(at, rows, found, checks)? || any);
        }
        let segment = &self.world.relations[rows.pred.index()].own;
        for number in found.from.max(segment.first)..found.to {
            self.step(1)?;
            let row = segment.row((number - segment.first) as usize);
            if checks.iter().all(|&(column, word)| row[usize::from(column)] == word) {
                any |= self.visit(at, rows, row, Some(number))?;
                if any && rows.once {
                    break;
                }
            }
        }
        Ok(any)
    }

    /// Own rows of the relation that rows are added to meanwhile: they are copied out, some at a time.
    fn scan_head(&mut self, at: usize, rows: &Rows, found: &Found, checks: &[(u16, u64)]) -> Result<bool, Stop> {
        let mut any = false;
        let mut buffer: smallvec::SmallVec<[u64; 128]> = smallvec::SmallVec::new();
        let (first, width) = {
            let own = &self.relation(rows.pred).own;
            (own.first, own.width)
        };
        let (mut place, end) = ((found.from.max(first) - first) as usize, found.to.saturating_sub(first) as usize);
        while place < end {
            let count = (end - place).min((buffer.inline_size() / width).max(1));
            buffer.clear();
            buffer.extend_from_slice(&self.relation(rows.pred).own.rows[place * width..(place + count) * width]);
            for (row, number) in buffer.chunks_exact(width).zip(first + place as u32..) {
                self.step(1)?;
                if checks.iter().all(|&(column, word)| row[usize::from(column)] == word) {
                    any |= self.visit(at, rows, row, Some(number))?;
                    if any && rows.once {
                        return Ok(true);
                    }
                }
            }
            place += count;
        }
        Ok(any)
    }

    /// One row: what does not fit is left, the rest goes to registers, then the plan goes on.
    #[inline(always)]
    pub(super) fn visit(&mut self, at: usize, rows: &Rows, row: &[u64], number: Option<u32>) -> Result<bool, Stop> {
        for (column, key) in &rows.checks {
            if row[usize::from(*column)] != self.word(key) {
                return Ok(false);
            }
        }
        for &(column, first) in &rows.same {
            if row[usize::from(column)] != row[usize::from(first)] {
                return Ok(false);
            }
        }
        for &(column, slot) in &rows.binds {
            self.registers[usize::from(slot)] = row[usize::from(column)];
        }
        let found = &self.found[at];
        if rows.timing.is_none() && !found.versioned {
            return self.next(at);
        }
        self.visit_numbered(at, rows, row, number)
    }

    /// What follows a row that fits: for a negated atom nothing, it was only looked for.
    #[inline(always)]
    pub(super) fn next(&mut self, at: usize) -> Result<bool, Stop> {
        if matches!(self.plan.steps[at], Step::Absent(_)) {
            return Ok(true);
        }
        self.run(at + 1)
    }

    /// Whether some row fits a negated atom.
    pub(super) fn exists(&mut self, at: usize, rows: &Rows) -> Result<bool, Stop> {
        self.rows(at, rows)
    }
}
