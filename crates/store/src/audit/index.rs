//! The index: for each block of some hundred records, the texts that occur in it, in SQLite beside the segments.
//!
//! A row for each event with an index for each column would cost more than storing the event. A block costs a row, a
//! posting for each different text, and a filter for its traces; a query reads the blocks that may hold what it looks
//! for. Records that are not indexed yet are read one by one, so the index decides how fast an answer is and never what
//! it is, and may be deleted at any time.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use model::{Digest, Timestamp};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, ToSql, params};

use super::query::{AuditQuery, Order};
use super::record::View;
use super::scan::Frame;
use crate::StoreError;
use crate::disk::private;

/// The number of records in a block; the last block of a segment may have fewer.
pub(crate) const BLOCK: u64 = 256;
/// The bytes of a filter for traces: 16 bits for each record of a block.
const FILTER: usize = 512;
/// The number of bits that a trace sets.
const PROBES: u64 = 6;
const VERSION: u32 = 1;

const SCHEMA: &str = "
    CREATE TABLE words (id INTEGER PRIMARY KEY, field TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (field, text)) STRICT;
    CREATE TABLE blocks (
        first INTEGER PRIMARY KEY, last INTEGER NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL, until INTEGER NOT NULL,
        earliest INTEGER NOT NULL, latest INTEGER NOT NULL, traces BLOB, head BLOB NOT NULL
    ) STRICT;
    CREATE TABLE postings (word INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (word, block)) STRICT, WITHOUT ROWID;
    CREATE INDEX postings_by_block ON postings (block);
    CREATE TABLE condemned (segment INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
    CREATE TABLE place (indexed INTEGER NOT NULL) STRICT;
    INSERT INTO place VALUES (0);
";

/// The index of a log.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    path: PathBuf,
}

/// Consecutive records of one segment.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) segment: u64,
    pub(crate) offset: u64,
    pub(crate) until: u64,
    earliest: Timestamp,
    latest: Timestamp,
    words: HashMap<&'static str, HashSet<Box<str>>>,
    traces: Option<Box<[u8; FILTER]>>,
    head: Digest,
}

/// A block as queries see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) segment: u64,
    pub(crate) offset: u64,
    pub(crate) until: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl Block {
    /// Returns a block that starts with a record.
    pub(crate) fn starting(segment: u64, frame: &Frame<'_>) -> Self {
        let mut block = Self {
            first: frame.view.seq,
            last: frame.view.seq,
            segment,
            offset: frame.offset,
            until: frame.end,
            earliest: frame.view.at,
            latest: frame.view.at,
            words: HashMap::new(),
            traces: None,
            head: frame.head,
        };
        block.add(frame);
        block
    }

    /// Adds the record that follows.
    pub(crate) fn add(&mut self, frame: &Frame<'_>) {
        let view = &frame.view;
        (self.last, self.until, self.head) = (view.seq, frame.end, frame.head);
        self.earliest = self.earliest.min(view.at);
        self.latest = self.latest.max(view.at);
        for (field, text) in fields(view) {
            let known = self.words.entry(field).or_default();
            if !known.contains(text) {
                known.insert(text.into());
            }
        }
        if let Some(trace) = view.trace {
            let filter = self.traces.get_or_insert_with(|| Box::new([0; FILTER]));
            for (byte, bit) in probes(trace) {
                filter[byte] |= bit;
            }
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.last - self.first + 1 >= BLOCK
    }
}

/// Returns the texts of a record that have postings.
fn fields<'a>(view: &View<'a>) -> impl Iterator<Item = (&'static str, &'a str)> {
    let always = [
        ("kind", Some(view.kind)),
        ("actor_kind", Some(view.actor_kind)),
        ("actor", Some(view.actor)),
        ("result", Some(view.result.as_str())),
        ("server", view.server),
        ("tool", view.tool),
    ];
    always.into_iter().filter_map(|(field, text)| Some((field, text?)))
}

/// Returns the bits of a trace in a filter: double hashing over FNV-1a.
fn probes(trace: &str) -> impl Iterator<Item = (usize, u8)> {
    let hash = trace.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let step = (hash >> 32) | 1;
    let bits = (FILTER * 8) as u64;
    (0..PROBES).map(move |probe| {
        let bit = hash.wrapping_add(probe.wrapping_mul(step)) % bits;
        (usize::try_from(bit / 8).unwrap_or_default(), 1 << (bit % 8))
    })
}

impl Index {
    /// Opens the index of a log. It is built anew where it is missing, unreadable, of another version, or about another
    /// log.
    pub(crate) fn open(folder: &Path, still_true: impl Fn(&Found, Digest) -> bool) -> Result<Self, StoreError> {
        let index = Self {
            path: folder.join("index.db"),
        };
        if !index.is_usable(still_true) {
            index.make()?;
        }
        Ok(index)
    }

    fn is_usable(&self, still_true: impl Fn(&Found, Digest) -> bool) -> bool {
        let check = || -> rusqlite::Result<bool> {
            let db = self.connect()?;
            let version: u32 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            let sound: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            let last = "SELECT first, last, segment, offset, until, head FROM blocks ORDER BY first DESC LIMIT 1";
            let last = db
                .query_row(last, [], |row| Ok((found(row)?, row.get::<_, [u8; 32]>(5)?)))
                .optional()?;
            Ok(version == VERSION && sound == "ok" && last.is_none_or(|(block, head)| still_true(&block, Digest(head))))
        };
        check().unwrap_or(false)
    }

    fn make(&self) -> Result<(), StoreError> {
        let failed = |why: &dyn std::fmt::Display| StoreError::io("make", &self.path, why);
        for suffix in ["", "-wal", "-shm"] {
            let mut path = self.path.clone().into_os_string();
            path.push(suffix);
            match std::fs::remove_file(path) {
                Err(why) if why.kind() != std::io::ErrorKind::NotFound => return Err(failed(&why)),
                _ => {}
            }
        }
        private(std::fs::OpenOptions::new().write(true).create_new(true))
            .open(&self.path)
            .map_err(|why| failed(&why))?;
        let made = self.connect().and_then(|db| {
            db.pragma_update(None, "journal_mode", "WAL")?;
            db.execute_batch(SCHEMA)?;
            db.pragma_update(None, "user_version", VERSION)
        });
        made.map_err(|why| failed(&why))
    }

    /// Opens a connection of the caller's own.
    pub(crate) fn connect(&self) -> rusqlite::Result<Connection> {
        let db = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        db.busy_timeout(std::time::Duration::from_secs(5))?;
        // What a power cut removes from it is indexed again.
        db.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(db)
    }

    pub(crate) fn error(&self, why: &rusqlite::Error) -> StoreError {
        StoreError::io("use", &self.path, why)
    }
}

fn found(row: &rusqlite::Row<'_>) -> rusqlite::Result<Found> {
    Ok(Found {
        first: unsigned(row.get(0)?),
        last: unsigned(row.get(1)?),
        segment: unsigned(row.get(2)?),
        offset: unsigned(row.get(3)?),
        until: unsigned(row.get(4)?),
    })
}

/// Converts a record's number; numbers are far below 2^63.
fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the last record that is indexed.
pub(crate) fn indexed(db: &Connection) -> rusqlite::Result<u64> {
    db.query_row("SELECT indexed FROM place", [], |row| row.get(0)).map(unsigned)
}

/// Adds consecutive blocks.
pub(crate) fn add(db: &mut Connection, blocks: &[Block]) -> rusqlite::Result<()> {
    let Some(last) = blocks.last().map(|block| block.last) else {
        return Ok(());
    };
    let transaction = db.transaction()?;
    {
        let mut block_row = transaction.prepare("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
        let mut posting = transaction.prepare("INSERT OR IGNORE INTO postings VALUES (?, ?)")?;
        let mut find = transaction.prepare("SELECT id FROM words WHERE field = ? AND text = ?")?;
        let mut word = transaction.prepare("INSERT INTO words (field, text) VALUES (?, ?)")?;
        for block in blocks {
            block_row.execute(params![
                signed(block.first),
                signed(block.last),
                signed(block.segment),
                signed(block.offset),
                signed(block.until),
                block.earliest.0,
                block.latest.0,
                block.traces.as_deref(),
                block.head.0,
            ])?;
            for (field, text) in block
                .words
                .iter()
                .flat_map(|(field, texts)| texts.iter().map(move |text| (field, text)))
            {
                let id = match find.query_row((field, text), |row| row.get(0)).optional()? {
                    Some(id) => id,
                    None => word.insert((field, text))?,
                };
                posting.execute((id, signed(block.first)))?;
            }
        }
    }
    transaction.execute("UPDATE place SET indexed = ?", [signed(last)])?;
    transaction.commit()
}

/// Removes the blocks of segments before one, and the texts that only they held. Queries no longer look there.
pub(crate) fn forget_before(db: &mut Connection, segment: u64) -> rusqlite::Result<()> {
    let transaction = db.transaction()?;
    let gone = transaction.execute("DELETE FROM blocks WHERE segment < ?", [signed(segment)])?;
    if gone > 0 {
        transaction.execute("DELETE FROM postings WHERE block < ?", [signed(segment)])?;
        transaction.execute("DELETE FROM words WHERE id NOT IN (SELECT word FROM postings)", [])?;
    }
    transaction.execute("UPDATE place SET indexed = max(indexed, ? - 1)", [signed(segment)])?;
    transaction.commit()
}

/// Returns when each segment was first found to be due for dropping.
pub(crate) fn condemned(db: &Connection) -> rusqlite::Result<HashMap<u64, Timestamp>> {
    let mut rows = db.prepare("SELECT segment, at FROM condemned")?;
    let rows = rows.query_map([], |row| Ok((unsigned(row.get(0)?), Timestamp(row.get(1)?))))?;
    rows.collect()
}

/// Replaces the segments that are due for dropping by exactly these.
pub(crate) fn condemn(db: &mut Connection, segments: &HashMap<u64, Timestamp>) -> rusqlite::Result<()> {
    let transaction = db.transaction()?;
    transaction.execute("DELETE FROM condemned", [])?;
    for (segment, at) in segments {
        transaction.execute("INSERT INTO condemned VALUES (?, ?)", (signed(*segment), at.0))?;
    }
    transaction.commit()
}

/// Passes the blocks that may hold what a filter finds, between two numbers and in an order, to a function until it
/// says to stop.
pub(crate) fn candidates(
    db: &Connection,
    filter: &AuditQuery,
    (from, until): (u64, u64),
    order: Order,
    mut each: impl FnMut(Found) -> Result<bool, StoreError>,
) -> rusqlite::Result<Result<(), StoreError>> {
    let mut sql =
        "SELECT first, last, segment, offset, until, traces FROM blocks WHERE last >= ? AND first <= ? AND latest >= ? AND earliest < ?"
            .to_owned();
    let earliest = filter.from.map_or(i64::MIN, |from| from.0);
    let latest = filter.until.map_or(i64::MAX, |until| until.0);
    let mut values: Vec<Box<dyn ToSql>> = vec![
        Box::new(signed(from)),
        Box::new(signed(until)),
        Box::new(earliest),
        Box::new(latest),
    ];
    for (field, texts) in filter.words() {
        let marks = vec!["?"; texts.len()].join(", ");
        sql.push_str(&format!(
            " AND EXISTS (SELECT 1 FROM words JOIN postings ON word = id WHERE field = ? AND text IN ({marks}) AND block = first)"
        ));
        values.push(Box::new(field));
        values.extend(texts.into_iter().map(|text| Box::new(text) as Box<dyn ToSql>));
    }
    sql.push_str(match order {
        Order::Newest => " ORDER BY first DESC",
        Order::Oldest => " ORDER BY first",
    });
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query(rusqlite::params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        if let Some(trace) = &filter.trace {
            let traces: Option<Vec<u8>> = row.get(5)?;
            let holds = |traces: &[u8]| probes(trace).all(|(byte, bit)| traces.get(byte).is_some_and(|byte| byte & bit != 0));
            if !traces.is_some_and(|traces| holds(&traces)) {
                continue;
            }
        }
        match each(found(row)?) {
            Ok(true) => {}
            Ok(false) => break,
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(()))
}
