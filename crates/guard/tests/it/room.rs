//! A guard with its store and its callers, driven by the lines of a transcript.
//!
//! `==NAME` begins a case with a new guard. The results of a line stand below it, after `>`; `recorded` are its events in the audit.
//!
//! ```text
//! config principal bob remote      the configuration, which is in force with the next line that is none
//! fs offers look change destroy    the guard learns what a server offers; other definitions stand there as JSON
//! bob calls fs/look {}             a tool call, named #1, #2 … where it is admitted; `continues` for a later round of it
//! r1 looks                         the call that waits under the request r1 looks whether a person has decided
//! op approves r1                   a person decides; `op grants bob fs` changes what is allowed
//! #1 is begun                      the writer begins to write #1, and `#1 is written` ends that
//! after 5m                         time passes
//! ```

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use guard::{Admission, Admitted, Guard, InFlight, OwnTools, Pending, Records, Resolver, Security, SendPermit};
use jsonrpc::Raw;
use model::{Digest, RequestId, Risk, Role, ServerId, Timestamp};
use policy::{Checks, ToolFacts};
use runtime::{BoxFuture, Runtime};
use store::{Clock, CommitError};
use tokio::task::JoinHandle;

use crate::store_stub::{Disk, StoreStub};
use crate::words::{self, Words};
use crate::{config, said};

const NOON: i64 = 1_795_003_200_000;

/// An admitted call that has not ended.
pub(crate) struct Sent {
    pub(crate) permit: SendPermit,
    pub(crate) admitted: Option<Admitted>,
    pub(crate) in_flight: Option<InFlight>,
}

/// The guard of a transcript, with its store and its calls.
pub(crate) struct Room {
    pub(crate) security: Option<Security>,
    pub(crate) is_configured: bool,
    pub(crate) hands: Arc<AtomicI64>,
    pub(crate) store: Option<Arc<StoreStub>>,
    pub(crate) seen: u64,
    pub(crate) guard: Option<&'static Arc<Guard>>,
    names: Arc<Names>,
    pub(crate) sent: Vec<Sent>,
    pub(crate) waiting: Vec<(RequestId, Admission<'static>, Pending)>,
    pub(crate) requests: Vec<RequestId>,
    pub(crate) offered: BTreeMap<ServerId, Vec<(String, Raw)>>,
    pub(crate) changing: Vec<(String, JoinHandle<Result<(), CommitError>>)>,
}

/// A resolver with the names of the transcript.
#[derive(Debug, Default)]
struct Names(Mutex<BTreeMap<String, Vec<IpAddr>>>);

impl Resolver for Names {
    fn addresses<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Vec<IpAddr>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(name).cloned();
        Box::pin(async {
            match found {
                Some(found) => found,
                // This is a resolver that gets no answer.
                None => std::future::pending().await,
            }
        })
    }
}

impl Room {
    pub(crate) fn new() -> Self {
        Self {
            security: Some(config::begin()),
            is_configured: false,
            hands: Arc::new(AtomicI64::new(NOON)),
            store: Some(StoreStub::new()),
            seen: 1,
            guard: None,
            names: Arc::default(),
            sent: Vec::new(),
            waiting: Vec::new(),
            requests: Vec::new(),
            offered: BTreeMap::new(),
            changing: Vec::new(),
        }
    }

    /// Executes one line, and returns its results.
    pub(crate) async fn carry_out(&mut self, line: &str) -> Vec<String> {
        let words = Words::of(line);
        let mut said = match words.at(0) {
            "config" => {
                config::configure(self.security.as_mut().expect("the gateway is guarded"), &words);
                self.is_configured = false;
                return Vec::new();
            }
            "open" => {
                self.security = None;
                self.is_configured = false;
                Vec::new()
            }
            "guarded" => {
                self.security = Some(config::begin());
                self.is_configured = false;
                Vec::new()
            }
            "forgetful" => {
                self.store = None;
                return Vec::new();
            }
            // Of many repetitions, only the number of events is shown.
            times if words.get(1) == Some("times") => {
                let (_, line) = line.split_once(" times ").expect("a line");
                let times: usize = times.parse().expect("a number");
                let mut recorded = 0;
                for _ in 0..times {
                    self.guarded(&Words::of(line), line).await;
                    recorded += self.recorded().len();
                }
                vec![format!("{recorded} recorded")]
            }
            _ => self.guarded(&words, line).await,
        };
        settle().await;
        said.extend(self.changed());
        said.extend(self.recorded());
        let requests = &self.requests;
        said.into_iter().map(|text| said::without_ids(&text, requests)).collect()
    }

    async fn guarded(&mut self, words: &Words<'_>, line: &str) -> Vec<String> {
        self.put_in_force();
        settle().await;
        let first = words.at(0);
        match first {
            "after" => {
                let time = words::duration(words.at(1));
                self.turn(i64::try_from(time.as_millis()).expect("a short time"));
                tokio::time::advance(time).await;
                Vec::new()
            }
            "clock" => {
                let time = i64::try_from(words::duration(words.at(2)).as_millis()).expect("a short time");
                self.turn(if words.at(1) == "back" { -time } else { time });
                Vec::new()
            }
            "disk" => {
                let disk = match words.at(1) {
                    "sound" => Disk::Sound,
                    "full" => Disk::Full,
                    "slow" => Disk::Slow,
                    "crowded" => Disk::Crowded,
                    _ => Disk::Contested,
                };
                self.store.as_ref().expect("a store").put(disk);
                Vec::new()
            }
            "name" => {
                let addresses = words.rest(3).iter().map(|address| address.parse().expect("an address")).collect();
                let mut names = self.names.0.lock().unwrap_or_else(PoisonError::into_inner);
                names.insert(words.at(1).to_owned(), addresses);
                Vec::new()
            }
            "waiting" => self.list(),
            _ if first.starts_with('#') => self.sent(words).await,
            _ if first.starts_with('r') && first[1..].parse::<usize>().is_ok() => self.looks(words).await,
            "op" if crate::people::is_decision(words.at(1)) => self.decides(words, line).await,
            _ => match words.at(1) {
                "offers" => self.offers(words),
                "is" => self.pins(words).await,
                "reports" => {
                    self.guard().reported(&words::server(first), words.raw().as_ref());
                    Vec::new()
                }
                "tries" => {
                    let server = words::server(first);
                    self.guard().tried_as_client(&server, words.at(2), words.raw().as_ref());
                    Vec::new()
                }
                "calls" | "continues" => self.calls(words).await,
                _ => self.does(words).await,
            },
        }
    }

    /// Returns the guard, which is started by the first line that is not configuration.
    pub(crate) fn guard(&self) -> &'static Arc<Guard> {
        self.guard.expect("it is started")
    }

    fn put_in_force(&mut self) {
        if self.is_configured {
            return;
        }
        self.is_configured = true;
        if let Some(guard) = self.guard {
            guard.configure(self.security.as_ref());
            return;
        }
        let hands = self.hands.clone();
        let records = self.store.clone().map(|store| Records {
            store,
            remembered: crate::store_stub::nothing_remembered(),
        });
        let guard = Guard::new(
            self.security.as_ref(),
            records,
            own_tools(),
            self.names.clone(),
            Clock::new(move || Timestamp(hands.load(Ordering::Acquire))),
            Runtime::new(),
        );
        guard.watch_alerts();
        // An admission borrows its guard, and a transcript may come back to it: a few of each live as long as the test.
        self.guard = Some(Box::leak(Box::new(guard)));
    }

    fn turn(&self, millis: i64) {
        self.hands.fetch_add(millis, Ordering::AcqRel);
    }

    fn changed(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        let mut still = Vec::new();
        for (what, change) in std::mem::take(&mut self.changing) {
            match change.is_finished() {
                true => said.push(format!("in force: {what}")),
                false => still.push((what, change)),
            }
        }
        self.changing = still;
        said
    }

    fn recorded(&mut self) -> Vec<String> {
        let events = self.store.as_ref().map(|store| store.events(self.seen)).unwrap_or_default();
        self.seen += events.len() as u64;
        events.iter().map(said::event).collect()
    }
}

impl Room {
    pub(crate) fn know_offer(&mut self, server: ServerId, definitions: Vec<(String, Raw)>) {
        self.offered.insert(server, definitions);
    }

    pub(crate) fn offered(&self, server: &ServerId) -> Vec<(String, Raw)> {
        self.offered.get(server).cloned().unwrap_or_default()
    }
}

/// Runs every task until it waits. Time does not pass.
pub(crate) async fn settle() {
    for _ in 0..64 {
        tokio::task::yield_now().await;
    }
}

/// Returns the gateway's own tools: one for agents and one for operators.
fn own_tools() -> OwnTools {
    let tool = |name: &str, role| ToolFacts {
        name: name.into(),
        risk: Risk::Safe,
        confirm: false,
        role,
        permissions: Vec::new(),
        digest: Digest([0; 32]),
        checks: Arc::new(Checks::default()),
    };
    OwnTools {
        server: words::server("kernel"),
        facts: vec![tool("access.query", Role::Agent), tool("access.grant", Role::Operator)],
    }
}
