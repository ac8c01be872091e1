//! The thread that changes `control.db`, with group commit: commits that arrive while it waits for the disk share the
//! next fsync.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::apply::{Refused, apply};
use super::meaning::meaning;
use super::{outbox, read};
use crate::audit::{Log, Origin};
use crate::event::MAX_TEXT;
use crate::{Change, Commit, CommitError, Committed, Event, Health, Remembered, SealKeys, StoreError, keys};

/// The most commits that share an fsync.
const GROUP: usize = 256;
/// The most changes of a commit.
const MAX_CHANGES: usize = 10_000;

/// A function that copies a store while nothing changes in `control.db`.
type Target = Box<dyn FnOnce(&Connection) -> Result<(), StoreError> + Send>;

type Reply<T, E = StoreError> = oneshot::Sender<Result<T, E>>;

enum Command {
    Commit(Commit, Reply<Committed, CommitError>),
    Load(Reply<Remembered>),
    Rotate(Reply<SealKeys>),
    Copy(Target, Reply<()>),
}

/// A handle of the thread.
#[derive(Debug)]
pub(crate) struct Control {
    commands: Mutex<Option<mpsc::Sender<Command>>>,
    trouble: Arc<Mutex<Option<StoreError>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    limit: usize,
}

struct Worker {
    db: Connection,
    path: PathBuf,
    log: Option<Arc<Log>>,
    revision: u64,
    /// Whether the audit has refused events that wait in the outbox.
    has_backlog: bool,
    trouble: Arc<Mutex<Option<StoreError>>>,
}

impl Control {
    /// Starts the thread, once the events that the audit lacks have been sent to it. Without a log nothing is changed.
    pub(crate) fn start(db: Connection, path: &Path, log: Result<Arc<Log>, StoreError>, limit: usize) -> Result<Self, StoreError> {
        let trouble = Arc::new(Mutex::new(log.as_ref().err().cloned()));
        let mut worker = Worker {
            revision: read::revision(&db).map_err(|why| meaning(path, &why))?,
            db,
            path: path.to_owned(),
            has_backlog: false,
            log: log.ok(),
            trouble: Arc::clone(&trouble),
        };
        worker.try_to_catch_up()?;
        let (commands, inbox) = mpsc::channel(limit);
        let thread = std::thread::Builder::new()
            .name("control".into())
            .spawn(move || worker.run(inbox))
            .expect("the system can start a thread");
        Ok(Self {
            commands: Mutex::new(Some(commands)),
            trouble,
            thread: Mutex::new(Some(thread)),
            limit,
        })
    }

    pub(crate) async fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        check(&commit)?;
        let (reply, answer) = oneshot::channel();
        self.send(Command::Commit(commit, reply))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    pub(crate) async fn load(&self) -> Result<Remembered, StoreError> {
        self.ask(Command::Load).await
    }

    pub(crate) async fn rotate(&self) -> Result<SealKeys, StoreError> {
        self.ask(Command::Rotate).await
    }

    /// Runs a copying function while nothing changes; the calling thread blocks.
    pub(crate) fn copy(&self, target: Target) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Copy(target, reply))?;
        answer.blocking_recv().map_err(|_| StoreError::Closed)?
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.send(command(reply))?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    fn send(&self, command: Command) -> Result<(), StoreError> {
        let commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(commands) = &*commands else {
            return Err(StoreError::Closed);
        };
        commands.try_send(command).map_err(|why| match why {
            mpsc::error::TrySendError::Full(_) => StoreError::Busy { waiting: self.limit },
            mpsc::error::TrySendError::Closed(_) => StoreError::Closed,
        })
    }

    pub(crate) fn health(&self) -> Health {
        match &*self.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Health::ReadOnly(why.clone()),
            None => Health::Sound,
        }
    }

    /// Finishes the work that is queued, and stops the thread.
    pub(crate) fn close(&self) {
        drop(self.commands.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the thread that changes control.db ended with a panic");
        }
    }
}

/// Refuses a commit with a text that is too long to be kept.
fn check(commit: &Commit) -> Result<(), StoreError> {
    let too_large = |what, bytes, limit| Err(StoreError::TooLarge { what, bytes, limit });
    if commit.changes.len() > MAX_CHANGES {
        return Err(StoreError::TooMany {
            changes: commit.changes.len(),
            limit: MAX_CHANGES,
        });
    }
    for change in &commit.changes {
        let bytes = longest_text(change);
        if bytes > MAX_TEXT {
            return too_large("a text of a change", bytes, MAX_TEXT);
        }
    }
    commit.events.iter().try_for_each(crate::audit::check)
}

/// Returns the length of a change's longest text that a client or server may have chosen.
fn longest_text(change: &Change) -> usize {
    let longest = |texts: &[&str]| texts.iter().map(|text| text.len()).max().unwrap_or_default();
    match change {
        Change::PutToken(token) => longest(&[&token.id, token.principal.as_str()]),
        Change::RevokeToken { id, by } => longest(&[id, by.principal.as_str()]),
        Change::PutGrant(grant) => longest(&[
            grant.principal.as_str(),
            super::row::scope(&grant.scope).2,
            grant.justification.as_deref().unwrap_or_default(),
        ]),
        Change::RevokeGrant { principal, scope, .. } => longest(&[principal.as_str(), super::row::scope(scope).2]),
        Change::AskPermission(request) => longest(&[request.request.as_str(), request.permission.as_str()]),
        Change::AnswerPermission(decision) | Change::SetPermission(decision) => {
            longest(&[decision.request.as_str(), decision.permission.as_str()])
        }
        Change::WithdrawPermission { request, permission } => longest(&[request.as_str(), permission.as_str()]),
        Change::AskApproval(approval) => longest(&[approval.request.as_str(), approval.principal.as_str(), &approval.tool.name]),
        Change::MoveApproval { request, .. } => request.as_str().len(),
        Change::PutPin { pin, .. } => pin.tool.name.len(),
        Change::RemovePin(tool) => tool.name.len(),
        Change::PutFact(fact) => longest(&[&fact.kind, &fact.name, &fact.value]),
        Change::RemoveFact { kind, name } => longest(&[kind, name]),
        Change::Prune { .. } => 0,
    }
}

/// The outcome of one commit of a group.
type Outcome = Result<Committed, CommitError>;
/// The outcome of each commit of a group, and the events of all of them.
type Made = (Vec<Outcome>, Vec<(Event, Origin)>);

impl Worker {
    fn run(mut self, mut inbox: mpsc::Receiver<Command>) {
        let mut next = inbox.blocking_recv();
        while let Some(command) = next {
            let mut group = Vec::new();
            let mut other = None;
            match command {
                Command::Commit(commit, reply) => group.push((commit, reply)),
                command => other = Some(command),
            }
            while other.is_none() && group.len() < GROUP {
                match inbox.try_recv() {
                    Ok(Command::Commit(commit, reply)) => group.push((commit, reply)),
                    Ok(command) => other = Some(command),
                    Err(_) => break,
                }
            }
            if !group.is_empty() {
                self.commit_group(group);
            }
            if let Some(command) = other {
                self.do_other(command);
            }
            next = inbox.blocking_recv();
        }
        // What is left in the log is small, and read again at the next start if this fails.
        if let Err(why) = self.db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::debug!(error = %why, "failed to fold the log of control.db into it");
        }
    }

    fn do_other(&mut self, command: Command) {
        let path = &self.path;
        let failed = |why: rusqlite::Error| meaning(path, &why);
        // A caller that no longer listens is not told.
        let _gone = match command {
            Command::Commit(..) => return,
            Command::Load(reply) => reply.send(read::everything(&self.db).map_err(failed)).is_ok(),
            Command::Rotate(reply) => {
                let rotated = self.writable().and_then(|()| self.rotate());
                reply.send(rotated).is_ok()
            }
            Command::Copy(target, reply) => reply.send(target(&self.db)).is_ok(),
        };
    }

    fn note(&self, why: Option<StoreError>) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if !trouble.as_ref().is_some_and(StoreError::is_lasting) {
            *trouble = why;
        }
    }

    /// Checks that changes are accepted at all.
    fn writable(&self) -> Result<(), StoreError> {
        match &*self.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) if why.is_lasting() => Err(why.clone()),
            _ => Ok(()),
        }
    }

    /// Applies every commit of a group, with one fsync. A conflict concerns its own commit only, any other error all of
    /// them.
    fn commit_group(&mut self, group: Vec<(Commit, Reply<Committed, CommitError>)>) {
        let before = self.revision;
        let (commits, replies): (Vec<Commit>, Vec<_>) = group.into_iter().unzip();
        let made = self.writable().and_then(|()| {
            self.make(&commits).map_err(|why| {
                let why = meaning(&self.path, &why);
                tracing::error!(error = %why, "failed to change control.db");
                why
            })
        });
        match made {
            Ok((outcomes, events)) => {
                self.note(None);
                // The events are safe in the outbox: should the audit refuse them now, they are sent again with the next commit.
                if let Err(why) = self.deliver(events) {
                    tracing::warn!(error = %why, "events of control.db wait for the audit");
                }
                for (reply, outcome) in replies.into_iter().zip(outcomes) {
                    let _gone = reply.send(outcome);
                }
            }
            Err(why) => {
                self.revision = before;
                self.roll_back();
                self.note(Some(why.clone()));
                for reply in replies {
                    let _gone = reply.send(Err(why.clone().into()));
                }
            }
        }
    }

    fn roll_back(&self) {
        if !self.db.is_autocommit()
            && let Err(why) = self.db.execute_batch("ROLLBACK")
        {
            self.note(Some(StoreError::failed(&self.path, &why)));
        }
    }

    fn make(&mut self, commits: &[Commit]) -> rusqlite::Result<Made> {
        let in_audit = self.log.as_ref().map_or(0, |log| log.synced().borrow().origin);
        self.db.execute_batch("BEGIN IMMEDIATE")?;
        let mut outcomes = Vec::with_capacity(commits.len());
        let mut events = Vec::new();
        for commit in commits {
            self.db.execute_batch("SAVEPOINT one")?;
            match self.make_one(commit) {
                Ok(new) => {
                    events.extend(new);
                    if commit.changes.iter().any(Change::moves_policy) {
                        self.revision += 1;
                    }
                    outcomes.push(Ok(Committed { revision: self.revision }));
                }
                Err(Refused::Conflict(conflict)) => {
                    self.db.execute_batch("ROLLBACK TO one")?;
                    outcomes.push(Err(conflict.into()));
                }
                Err(Refused::Sqlite(why)) => return Err(why),
            }
            self.db.execute_batch("RELEASE one")?;
        }
        self.db
            .execute("UPDATE policy SET revision = ?", [super::row::signed(self.revision)])?;
        outbox::remove_until(&self.db, in_audit)?;
        self.db.execute_batch("COMMIT")?;
        Ok((outcomes, events))
    }

    fn make_one(&self, commit: &Commit) -> Result<Vec<(Event, Origin)>, Refused> {
        for change in &commit.changes {
            apply(&self.db, change)?;
        }
        let mut events = Vec::with_capacity(commit.events.len());
        for event in &commit.events {
            events.push((event.clone(), outbox::add(&self.db, event)?));
        }
        Ok(events)
    }

    /// Sends the outbox at a start; if the log refuses, it is tried again with the next commit.
    fn try_to_catch_up(&mut self) -> Result<(), StoreError> {
        match self.catch_up() {
            Err(why @ (StoreError::Full { .. } | StoreError::Failed { .. })) if self.has_backlog => {
                tracing::warn!(error = %why, "events of control.db wait for the audit");
                Ok(())
            }
            caught_up => caught_up,
        }
    }

    /// Sends the audit its events, in order: first those that it refused before.
    fn deliver(&mut self, events: Vec<(Event, Origin)>) -> Result<(), StoreError> {
        if self.has_backlog {
            return self.catch_up();
        }
        let Some(log) = self.log.as_ref().filter(|_| !events.is_empty()) else {
            return Ok(());
        };
        let delivered = log.deliver(events);
        self.has_backlog = delivered.is_err();
        delivered
    }

    /// Sends the audit the events that it lacks: after a crash, or after it refused some.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        let Some(log) = &self.log else { return Ok(()) };
        let failed = |why: rusqlite::Error| meaning(&self.path, &why);
        let known = log.end().0.origin;
        outbox::go_on_behind(&self.db, known).map_err(failed)?;
        let missed = outbox::behind(&self.db, known).map_err(failed)?;
        let delivered = if missed.is_empty() { Ok(()) } else { log.deliver(missed) };
        self.has_backlog = delivered.is_err();
        delivered
    }

    /// Makes a new key, and removes the one before the last.
    fn rotate(&mut self) -> Result<SealKeys, StoreError> {
        let rotate = || -> rusqlite::Result<SealKeys> {
            let transaction = self.db.unchecked_transaction()?;
            transaction.execute("INSERT INTO seal_keys (key) VALUES (?)", [keys::fresh()])?;
            transaction.execute(
                "DELETE FROM seal_keys WHERE id NOT IN (SELECT id FROM seal_keys ORDER BY id DESC LIMIT 2)",
                [],
            )?;
            let keys = read::seal_keys(&transaction)?;
            transaction.commit()?;
            Ok(keys)
        };
        rotate().map_err(|why| {
            let why = meaning(&self.path, &why);
            self.note(Some(why.clone()));
            why
        })
    }
}
