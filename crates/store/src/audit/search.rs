//! Finds events, a page at a time, and counts them: in the index, and behind it in the log.

use std::collections::{HashMap, VecDeque};

use rusqlite::Connection;

use super::index::{self, Found, Index};
use super::query::{AuditQuery, Cursor, Order, Page, Tally, TallyBy};
use super::reader::LogReader;
use super::record::View;
use super::scan::Next;
use crate::{StoreError, Stored};

/// The most events on a page.
const MAX_LIMIT: usize = 1000;
/// The most blocks that are read for a page. A rare event among many may take several pages, of which the first are empty.
const MAX_BLOCKS: usize = 16_384;
/// The most different values that a tally tells apart.
const MAX_VALUES: usize = 10_000;

/// The sources of a query: the index, and the records of the log that are not indexed yet.
#[derive(Debug)]
pub(crate) struct Search {
    reader: LogReader,
    index: Index,
    /// The last record that was written when the query began.
    written: u64,
}

/// A function that is called for each event.
type Each<'a> = &'a mut dyn FnMut(&View<'_>);

impl Search {
    pub(crate) fn new(reader: LogReader, index: Index, written: u64) -> Self {
        Self { reader, index, written }
    }

    fn connect(&self) -> Result<(Connection, u64), StoreError> {
        let opened = self.index.connect().and_then(|db| {
            let indexed = index::indexed(&db)?;
            Ok((db, indexed))
        });
        opened.map_err(|why| self.index.error(&why))
    }

    /// Reads one page.
    pub(crate) fn page(&self, query: &AuditQuery) -> Result<Page, StoreError> {
        let (db, indexed) = self.connect()?;
        let limit = query.limit.clamp(1, MAX_LIMIT);
        let range = match (query.order, query.cursor) {
            (Order::Newest, Some(Cursor(seq))) => (0, seq.saturating_sub(1).min(self.written)),
            (Order::Oldest, Some(Cursor(seq))) => (seq.saturating_add(1), self.written),
            (_, None) => (0, self.written),
        };
        let mut gather = Gather {
            events: VecDeque::new(),
            limit,
            order: query.order,
            stopped_at: None,
        };
        if query.order == Order::Newest {
            self.behind_index(query, (range.0.max(indexed + 1), range.1), &mut gather)?;
        }
        if !gather.is_full() {
            self.in_index(&db, query, (range.0, range.1.min(indexed)), &mut gather)?;
        }
        if query.order == Order::Oldest && !gather.is_full() && gather.stopped_at.is_none() {
            self.behind_index(query, (range.0.max(indexed + 1), range.1), &mut gather)?;
        }
        Ok(gather.page())
    }

    /// Reads the records that are not indexed, forwards.
    fn behind_index(&self, query: &AuditQuery, (from, until): (u64, u64), gather: &mut Gather) -> Result<(), StoreError> {
        let mut late = VecDeque::new();
        self.unindexed(query, (from, until), &mut |view| {
            if gather.order == Order::Newest {
                late.push_front(view.stored());
                late.truncate(gather.limit + 1);
            } else if !gather.is_full() {
                gather.events.push_back(view.stored());
            }
        })?;
        gather.events.extend(late);
        Ok(())
    }

    fn unindexed(&self, query: &AuditQuery, (from, until): (u64, u64), each: Each<'_>) -> Result<(), StoreError> {
        if from > until {
            return Ok(());
        }
        let mut walk = self.reader.walk(from);
        while walk.position() <= until {
            let Some((_, frame)) = walk.next()? else { break };
            if frame.view.seq <= until && query.matches(&frame.view) {
                each(&frame.view);
            }
        }
        Ok(())
    }

    /// Reads the blocks that the index names.
    fn in_index(&self, db: &Connection, query: &AuditQuery, range: (u64, u64), gather: &mut Gather) -> Result<(), StoreError> {
        let mut blocks = 0;
        let searched = index::candidates(db, query, range, query.order, |block| {
            blocks += 1;
            let mut found = Vec::new();
            self.block(&block, query, range, &mut |view| found.push(view.stored()))?;
            if query.order == Order::Newest {
                found.reverse();
            }
            gather.events.extend(found);
            if blocks == MAX_BLOCKS {
                gather.stopped_at = Some(match query.order {
                    Order::Newest => block.first,
                    Order::Oldest => block.last,
                });
            }
            Ok(!gather.is_full() && gather.stopped_at.is_none())
        });
        searched.map_err(|why| self.index.error(&why))?
    }

    fn block(&self, block: &Found, query: &AuditQuery, (from, until): (u64, u64), each: Each<'_>) -> Result<(), StoreError> {
        let Some(mut frames) = self.reader.part(block.segment, block.offset, block.until)? else {
            return Ok(());
        };
        loop {
            match frames.next()? {
                Next::Record(frame) => {
                    if (from..=until).contains(&frame.view.seq) && query.matches(&frame.view) {
                        each(&frame.view);
                    }
                }
                Next::End => return Ok(()),
                Next::Short(_) | Next::Bad(_) => {
                    let path = super::segment_path(self.reader.folder(), block.segment);
                    let what = format!("one of the records {} to {} is not what was written", block.first, block.last);
                    return Err(StoreError::damaged(&path, what));
                }
            }
        }
    }

    /// Counts events by a column.
    pub(crate) fn tally(&self, query: &AuditQuery, by: TallyBy) -> Result<Tally, StoreError> {
        let (db, indexed) = self.connect()?;
        let mut counts: HashMap<String, u64> = HashMap::new();
        let mut tally = Tally::default();
        let mut count = |view: &View<'_>| {
            let value = match by {
                TallyBy::Kind => view.kind,
                TallyBy::Actor => view.actor,
                TallyBy::Server => view.server.unwrap_or_default(),
                TallyBy::Tool => view.tool.unwrap_or_default(),
                TallyBy::Result => view.result.as_str(),
            };
            tally.total += 1;
            if let Some(count) = counts.get_mut(value) {
                *count += 1;
            } else if counts.len() < MAX_VALUES {
                counts.insert(value.to_owned(), 1);
            } else {
                tally.others += 1;
            }
        };
        let range = (0, self.written.min(indexed));
        let searched = index::candidates(&db, query, range, Order::Oldest, |block| {
            self.block(&block, query, range, &mut count)?;
            Ok(true)
        });
        searched.map_err(|why| self.index.error(&why))??;
        self.unindexed(query, (indexed + 1, self.written), &mut count)?;
        tally.counts = counts.into_iter().map(|(value, count)| (value.into(), count)).collect();
        tally.counts.sort_by(|(a, more), (b, less)| less.cmp(more).then(a.cmp(b)));
        Ok(tally)
    }
}

/// A page that is being filled.
struct Gather {
    events: VecDeque<Stored>,
    limit: usize,
    order: Order,
    /// The position at which reading stopped because its limit was reached.
    stopped_at: Option<u64>,
}

impl Gather {
    /// Returns whether the page is full. It gathers one event more than it returns, which tells whether another page
    /// follows.
    fn is_full(&self) -> bool {
        self.events.len() > self.limit
    }

    fn page(mut self) -> Page {
        let more = self.is_full();
        self.events.truncate(self.limit);
        let last = self.events.back().map(|event| event.seq);
        Page {
            next: if more { last } else { self.stopped_at }.map(Cursor),
            events: self.events.into(),
        }
    }
}
