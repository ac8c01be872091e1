//! A process that writes to a store is killed at random points, over and over: what was answered is there, once, and everything fits together.
//!
//! The process is this test program itself, told by its environment to write until it dies. It says each answer on its output, which survives it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use model::{Access, Approval, ApprovalState, Digest, PrincipalId, RequestId, Timestamp, ToolId};
use store::disk::{Disk, DiskFile, LocalDisk};
use store::{AuditStore, Change, Commit, ControlStore, Health, LocalStore, Settings, Store, SyncMode, verify};

use crate::fixture::{by, event, everything, folder, grant, name, open, scope, server_id, settings, token};

const FOLDER: &str = "STORE_KILLED_FOLDER";
const ROUND: &str = "STORE_KILLED_ROUND";
const SEED: &str = "STORE_KILLED_SEED";
/// The number of rounds that one store is used for.
const LIFE: u64 = 20;

#[test]
fn twenty_kills_lose_nothing_and_do_nothing_twice() {
    kills(20);
}

/// Runs for `cargo xtask soak store`.
#[test]
#[ignore = "long: cargo xtask soak store"]
fn soak_store_is_killed() {
    kills(500);
}

fn kills(count: u64) {
    let seed = std::env::var("SOAK_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(20_261_122);
    eprintln!("SOAK_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut counted = Counted::default();
    let mut place = folder();
    let mut answered = Answered::default();
    for round in 0..count {
        if round.is_multiple_of(LIFE) {
            (place, answered) = (folder(), Answered::default());
        }
        let at = format!("SOAK_SEED={seed}, round {round}");
        let seed = random.u64(..);
        let lines = killed(place.path(), round, seed, &mut random);
        answered.note(&lines);
        counted.answers += lines.len();
        check(&killed_settings(place.path(), seed), &answered, &mut counted, &at);
    }
    eprintln!("{count} kills: {counted:?}");
    assert!(counted.answers > 0 && counted.events > 0);
    assert!(counted.recovered > 0 || count < 20, "no record was ever cut short");
}

/// What a run has seen, to show that it has seen something.
#[derive(Debug, Default)]
struct Counted {
    answers: usize,
    events: usize,
    recovered: usize,
}

fn killed_settings(folder: &Path, seed: u64) -> Settings {
    Settings {
        sync: if seed.is_multiple_of(3) {
            SyncMode::Always
        } else {
            SyncMode::Interval(Duration::from_millis(5))
        },
        ..settings(folder)
    }
}

/// Runs the process and kills it at some point, and returns its answers.
fn killed(folder: &Path, round: u64, seed: u64, random: &mut fastrand::Rng) -> Vec<String> {
    let complaint = folder.join("stderr");
    let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["--exact", "kill::writes_until_it_dies", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(ROUND, round.to_string())
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .stderr(File::create(&complaint).expect("a file can be made"))
        .spawn()
        .expect("it starts");
    let mut output = BufReader::new(child.stdout.take().expect("it has an output"));
    let wanted = if random.u8(..10) == 0 { 0 } else { random.usize(1..400) };
    let mut lines = Vec::new();
    while lines.len() <= wanted
        && let Some(line) = said(&mut output)
    {
        lines.push(line);
    }
    if wanted == 0 {
        // It is opening the store.
        let pause = Duration::from_micros(random.u64(..20_000));
        let since = Instant::now();
        while since.elapsed() < pause {
            std::hint::spin_loop();
        }
    }
    end(&mut child, &complaint);
    while let Some(line) = said(&mut output) {
        lines.push(line);
    }
    lines.retain(|line| line != "opening");
    lines
}

fn end(child: &mut Child, complaint: &Path) {
    // It may have died of its disk before.
    match child.kill() {
        Err(why) if why.kind() != io::ErrorKind::InvalidInput => panic!("it cannot be killed: {why}"),
        _ => {}
    }
    let status = child.wait().expect("it ends");
    let said = || std::fs::read_to_string(complaint).unwrap_or_default();
    assert!(status.code().is_none(), "it ended by itself, as {status}: {}", said());
}

/// Returns the next line of the process, without what the test harness says.
fn said(output: &mut BufReader<ChildStdout>) -> Option<String> {
    loop {
        let mut line = String::new();
        // The last line may be cut short: then it was not said.
        if output.read_line(&mut line).ok()? == 0 || !line.ends_with('\n') {
            return None;
        }
        if let Some((_, said)) = line.trim_end().split_once("> ") {
            return Some(said.to_owned());
        }
    }
}

/// What was answered to processes that are dead now.
#[derive(Debug, Default)]
struct Answered {
    /// Each event that was appended, with its number.
    appended: BTreeMap<String, u64>,
    /// Each change, as the event that tells of it.
    changed: BTreeSet<String>,
    /// The highest revision.
    revision: u64,
    /// The last key.
    key: u64,
}

impl Answered {
    fn note(&mut self, lines: &[String]) {
        for line in lines {
            let (what, number) = line.rsplit_once(' ').expect("an answer has a number");
            let number: u64 = number.parse().expect("it is a number");
            if what.starts_with("append ") {
                self.appended.insert(what.to_owned(), number);
            } else if what == "key" {
                self.key = self.key.max(number);
            } else {
                self.revision = self.revision.max(number);
                self.changed.insert(what.to_owned());
            }
        }
    }
}

fn check(settings: &Settings, answered: &Answered, counted: &mut Counted, at: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("it starts");
    let store = open(settings);
    assert_eq!(store.health(), Health::Sound, "{at}");
    let (events, remembered) = runtime.block_on(async { (everything(&store).await, store.load().await.expect("it loads")) });
    let mut told: BTreeMap<String, u64> = BTreeMap::new();
    for stored in &events {
        let name = name(stored);
        if name == "dev.chancery.audit_recovered" {
            counted.recovered += 1;
        } else {
            assert_eq!(told.insert(name.clone(), stored.seq), None, "{at}: `{name}` twice");
        }
    }
    counted.events += events.len();
    for (name, seq) in &answered.appended {
        assert_eq!(told.get(name), Some(seq), "{at}: `{name}` was answered and lost");
    }
    for name in &answered.changed {
        assert!(told.contains_key(name), "{at}: `{name}` was answered and its event lost");
    }
    let happened = |what: &str, id: &str| told.contains_key(&format!("{what} {id}"));
    let ids = |what: &str| -> BTreeSet<String> {
        let prefix = format!("{what} ");
        told.keys()
            .filter_map(|name| name.strip_prefix(&prefix))
            .map(str::to_owned)
            .collect()
    };
    let granted: BTreeSet<String> = remembered.grants.iter().map(|grant| grant.principal.as_str().to_owned()).collect();
    let expected: BTreeSet<String> = ids("grant").into_iter().filter(|id| !happened("revoke", id)).collect();
    assert_eq!(granted, expected, "{at}: grants are what their events say");
    assert_eq!(remembered.tokens.len(), ids("token").len(), "{at}");
    for token in &remembered.tokens {
        assert!(happened("token", &token.id), "{at}");
        assert_eq!(token.revoked.is_some(), happened("cancel", &token.id), "{at}: token {}", token.id);
    }
    assert_eq!(remembered.approvals.len(), ids("ask").len(), "{at}");
    for approval in &remembered.approvals {
        let id = approval.request.as_str();
        let expected = (happened("ask", id), happened("approve", id), happened("use", id));
        let is = match approval.state {
            ApprovalState::Pending => (true, false, false),
            ApprovalState::Approved(_) => (true, true, false),
            ApprovalState::Used(_) => (true, true, true),
            ApprovalState::Denied(_) => panic!("{at}: nobody denied {id}"),
        };
        assert_eq!(is, expected, "{at}: approval {id}");
    }
    let moved = ["grant", "revoke", "token", "cancel"]
        .map(|what| ids(what).len() as u64)
        .iter()
        .sum::<u64>();
    assert_eq!(remembered.revision, 1 + moved, "{at}: each change moved the policy once");
    assert!(
        remembered.revision >= answered.revision && remembered.keys.current.id() >= answered.key,
        "{at}"
    );
    drop(store);
    let report = verify(&settings.folder).expect("it can be read");
    assert!(report.is_sound() && report.torn.is_none(), "{at}: {report:?}");
}

/// The process. Run as a test by hand it does nothing.
#[test]
#[ignore = "started by the tests above"]
fn writes_until_it_dies() {
    let (Ok(folder), Ok(round), Ok(seed)) = (std::env::var(FOLDER), std::env::var(ROUND), std::env::var(SEED)) else {
        return;
    };
    let seed: u64 = seed.parse().expect("a number");
    let mut settings = killed_settings(Path::new(&folder), seed);
    // Every second process dies of its own in the middle of a write: a kill hardly ever comes at such a point.
    if seed.is_multiple_of(2) {
        let bytes = usize::try_from(seed / 2 % 60_000).expect("small");
        settings.disk = Arc::new(DyingDisk(Arc::new(AtomicUsize::new(bytes))));
    }
    say("opening");
    let store = Arc::new(open(&settings));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("it starts");
    runtime.block_on(async {
        let tasks: Vec<_> = (0..8)
            .map(|task| tokio::spawn(write(Arc::clone(&store), format!("{round}-{task}"), seed ^ task)))
            .collect();
        for task in tasks {
            task.await.expect("it writes until it dies");
        }
    });
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    out.write_all(format!("> {line}\n").as_bytes())
        .and_then(|()| out.flush())
        .expect("the test listens");
}

async fn write(store: Arc<LocalStore>, task: String, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    for n in 0_u64.. {
        let id = format!("{task}-{n}");
        match random.u8(..10) {
            0..5 => {
                let name = format!("append {id}");
                let seq = store.append(event(&name)).await.expect("it is stored");
                say(&format!("{name} {seq}"));
            }
            5 => {
                change(&store, "grant", &id, Change::PutGrant(grant(&id, "fs"))).await;
                let revoked = Change::RevokeGrant {
                    principal: PrincipalId::new(&id),
                    scope: scope("fs"),
                    access: Access::Allow,
                };
                change(&store, "revoke", &id, revoked).await;
            }
            6 => change(&store, "grant", &id, Change::PutGrant(grant(&id, "fs/read"))).await,
            7 => {
                change(&store, "token", &id, Change::PutToken(token(&id, random.u64(..)))).await;
                if random.bool() {
                    change(
                        &store,
                        "cancel",
                        &id,
                        Change::RevokeToken {
                            id: id.as_str().into(),
                            by: by("root", 2),
                        },
                    )
                    .await;
                }
            }
            8 => {
                let keys = store.rotate_seal_key().await.expect("it is stored");
                say(&format!("key {}", keys.current.id()));
            }
            _ => approve_and_use(&store, &id).await,
        }
    }
}

async fn change(store: &LocalStore, what: &str, id: &str, change: Change) {
    let name = format!("{what} {id}");
    let committed = store.commit(Commit::new(vec![change], vec![event(&name)])).await;
    say(&format!("{name} {}", committed.expect("it is stored").revision));
}

/// Uses an approval twice at once, of which one use may succeed.
async fn approve_and_use(store: &LocalStore, id: &str) {
    let request = RequestId::new(id);
    let asked = Approval {
        request: request.clone(),
        principal: PrincipalId::new("alice"),
        tool: ToolId {
            server: server_id("fs"),
            name: "delete".into(),
        },
        arguments: Digest([7; 32]),
        revision: 1,
        asked: Timestamp(1),
        expires: Timestamp(100),
        state: ApprovalState::Pending,
    };
    change(store, "ask", id, Change::AskApproval(asked)).await;
    let state = ApprovalState::Approved(by("root", 2));
    let approved = Change::MoveApproval {
        request: request.clone(),
        state,
    };
    change(store, "approve", id, approved).await;
    let used = || {
        let change = Change::MoveApproval {
            request: request.clone(),
            state: ApprovalState::Used(by("alice", 3)),
        };
        store.commit(Commit::new(vec![change], vec![event(&format!("use {id}"))]))
    };
    let (one, other) = tokio::join!(used(), used());
    let won: Vec<_> = [one, other].into_iter().flatten().collect();
    assert_eq!(won.len(), 1, "it is used once");
    say(&format!("use {id} {}", won[0].revision));
}

/// A disk on which the process dies in the middle of a write, after so many bytes.
#[derive(Clone, Debug)]
struct DyingDisk(Arc<AtomicUsize>);

#[derive(Debug)]
struct DyingFile(DyingDisk, Arc<dyn DiskFile>);

impl Disk for DyingDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(DyingFile(self.clone(), LocalDisk.create(path)?)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(DyingFile(self.clone(), LocalDisk.open(path)?)))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        LocalDisk.remove(path)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        LocalDisk.sync_folder(path)
    }
}

impl DiskFile for DyingFile {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.0.0.load(Ordering::SeqCst);
        if left < bytes.len() {
            self.1.write(&bytes[..left])?;
            std::process::abort();
        }
        self.0.0.fetch_sub(bytes.len(), Ordering::SeqCst);
        self.1.write(bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.1.sync()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.1.truncate(length)
    }
}
