//! Stores under load, each in a folder that goes with it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use model::{Access, By, Grant, GrantScope, PrincipalId, ServerId, Timestamp};
use store::{
    Actor, AuditKey, AuditQuery, AuditResult, AuditStore, Change, Commit, ControlStore, Event, LocalStore, Settings, SyncMode, TallyBy,
};

/// The result of a load.
#[derive(Debug)]
pub(crate) struct Load {
    pub(crate) done: usize,
    pub(crate) span: Duration,
    /// The CPU time of the whole process, where the machine reports it.
    pub(crate) cpu: Option<Duration>,
    /// How long each caller waited, in order.
    pub(crate) waits: Vec<Duration>,
}

impl Load {
    pub(crate) fn per_second(&self) -> f64 {
        self.done as f64 / self.span.as_secs_f64()
    }

    pub(crate) fn wait(&self, percent: usize) -> Duration {
        let at = (self.waits.len() * percent / 100).min(self.waits.len().saturating_sub(1));
        self.waits.get(at).copied().unwrap_or_default()
    }

    pub(crate) fn cpu_each(&self) -> Option<Duration> {
        Some(self.cpu? / u32::try_from(self.done.max(1)).ok()?)
    }
}

/// How long a query took on a log of so many events.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) what: &'static str,
    pub(crate) events: usize,
    pub(crate) found: usize,
    pub(crate) took: Duration,
}

fn open(folder: &Path, sync: SyncMode) -> (tempfile::TempDir, Arc<LocalStore>) {
    let place = tempfile::tempdir_in(folder).expect("a folder can be made");
    let settings = Settings {
        sync,
        ..Settings::new(place.path().join("store"))
    };
    (place, Arc::new(LocalStore::open(&settings).expect("the store opens")))
}

/// Returns an event of the size that a call makes, about 600 bytes.
fn event(n: usize) -> Event {
    let body = format!(
        "{{\"timestamp\":\"2026-02-27T12:00:00.000Z\",\"trace_id\":\"{n:032x}\",\"event_type\":\"TOOL_EXECUTED\",\"actor\":{{\"type\":\"agent\",\
         \"id\":\"agent.cloto_default\"}},\"target\":{{\"server_id\":\"tool.terminal\",\"tool_name\":\"execute_command\"}},\"result\":\"SUCCESS\",\
         \"details\":{{\"risk_level\":\"dangerous\",\"validator_applied\":\"sandbox\",\"duration_ms\":1200,\"filler\":\"{}\"}}}}",
        "x".repeat(200)
    );
    Event {
        key: AuditKey {
            at: Timestamp(1_772_193_600_000 + i64::try_from(n / 20).unwrap_or_default()),
            kind: if n.is_multiple_of(2) {
                "TOOL_EXECUTED"
            } else {
                "dev.chancery.call_admitted"
            }
            .into(),
            actor: Actor {
                kind: "agent".into(),
                id: format!("agent-{}", n % 20).into(),
            },
            server: Some(format!("server-{}", n % 30).into()),
            tool: Some(format!("tool-{}", n % 200).into()),
            result: if n.is_multiple_of(50) {
                AuditResult::Failure
            } else {
                AuditResult::Success
            },
            trace: Some(format!("{:032x}", n / 2).into()),
        },
        body: Bytes::from(body),
    }
}

fn change(n: usize) -> Commit {
    let server = ServerId::new(&format!("server-{}", n % 30)).expect("an id");
    let grant = Grant {
        principal: PrincipalId::new(&format!("agent-{n}")),
        scope: GrantScope::Server(server),
        access: Access::Allow,
        confirms: false,
        granted: By {
            principal: PrincipalId::new("operator"),
            at: Timestamp(1),
        },
        expires: None,
        justification: None,
    };
    Commit::new(vec![Change::PutGrant(grant)], vec![event(n)])
}

/// Appends events from many tasks at once for a while.
pub(crate) async fn events(folder: &Path, sync: SyncMode, concurrency: usize, span: Duration) -> Load {
    let (_place, store) = open(folder, sync);
    run(concurrency, span, move |n| {
        let store = Arc::clone(&store);
        async move {
            store.append(event(n)).await.expect("it is stored");
        }
    })
    .await
}

/// Commits changes from many tasks at once for a while.
pub(crate) async fn changes(folder: &Path, concurrency: usize, span: Duration) -> Load {
    let (_place, store) = open(folder, SyncMode::Interval(Duration::from_millis(50)));
    run(concurrency, span, move |n| {
        let store = Arc::clone(&store);
        async move {
            store.commit(change(n)).await.expect("it is stored");
        }
    })
    .await
}

async fn run<F: Future<Output = ()> + Send>(concurrency: usize, span: Duration, one: impl Fn(usize) -> F + Clone + Send + 'static) -> Load {
    let (start, cpu) = (Instant::now(), cpu_time());
    let tasks: Vec<_> = (0..concurrency)
        .map(|task| {
            let one = one.clone();
            tokio::spawn(async move {
                let mut waits = Vec::new();
                while start.elapsed() < span {
                    let from = Instant::now();
                    one(task + waits.len() * concurrency).await;
                    waits.push(from.elapsed());
                }
                waits
            })
        })
        .collect();
    let mut waits = Vec::new();
    for task in tasks {
        waits.extend(task.await.expect("it ends"));
    }
    let span = start.elapsed();
    let cpu = cpu_time().zip(cpu).map(|(after, before)| after.saturating_sub(before));
    waits.sort_unstable();
    Load {
        done: waits.len(),
        span,
        cpu,
        waits,
    }
}

/// Returns the CPU time of this process so far: user and system, as Linux counts them in hundredths of a second.
fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

/// Queries a log of a million events.
pub(crate) async fn searches(folder: &Path) -> Vec<Search> {
    const EVENTS: usize = 1_000_000;
    let (_place, store) = open(folder, SyncMode::Interval(Duration::from_millis(50)));
    let start = Instant::now();
    for n in 0..EVENTS {
        store.append(event(n)).await.expect("it is stored");
    }
    let search = |what, found, from: Instant| Search {
        what,
        events: EVENTS,
        found,
        took: from.elapsed(),
    };
    let mut all = vec![search("appending them, one after the other", EVENTS, start)];
    let rare = AuditQuery {
        trace: Some(format!("{:032x}", EVENTS / 4).into()),
        ..AuditQuery::default()
    };
    let denied = AuditQuery {
        actor: Some("agent-0".into()),
        server: Some("server-0".into()),
        result: Some(AuditResult::Failure),
        ..AuditQuery::default()
    };
    let queries = [
        ("one trace, at once after that", rare.clone()),
        ("the last hundred", AuditQuery::default()),
        ("the last hundred of one actor, server and result", denied),
        ("one trace", rare),
    ];
    for (what, query) in queries {
        let from = Instant::now();
        let page = store.query(query).await.expect("it is searched");
        all.push(search(what, page.events.len(), from));
    }
    let from = Instant::now();
    let tally = store.tally(AuditQuery::default(), TallyBy::Server).await.expect("it counts");
    all.push(search("a tally of everything by server", tally.counts.len(), from));
    all
}
