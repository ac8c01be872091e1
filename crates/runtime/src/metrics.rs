//! The figures of the gateway: each crate counts what happens in it, and `/metrics` returns the figures in Prometheus' text format.

use std::fmt;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS: [f64; 14] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0, 120.0,
];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MethodLabels {
    method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServerLabels {
    server: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    server: String,
    method: &'static str,
    outcome: &'static str,
}

/// A small table of figures by two static words. A call finds its own figures without a hash and without a copy.
#[derive(Debug)]
pub struct Memo<V>(RwLock<Vec<([&'static str; 2], V)>>);

impl<V> Default for Memo<V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<V> Memo<V> {
    fn with(&self, words: [&'static str; 2], make: impl FnOnce() -> V, act: impl FnOnce(&V)) {
        {
            let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, value)) = known.iter().find(|(key, _)| *key == words) {
                return act(value);
            }
        }
        let value = make();
        act(&value);
        self.0.write().unwrap_or_else(PoisonError::into_inner).push((words, value));
    }
}

/// The counters of one server's calls, by method and outcome.
pub type CallCounts = Memo<(Counter, Histogram)>;

/// The values that are measured at the moment when the metrics are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gauges {
    /// Clients that are connected.
    pub clients: usize,
    /// Open legacy HTTP sessions.
    pub sessions: usize,
    /// Calls that servers have not answered.
    pub in_flight: usize,
    /// Calls that wait for a client to come back with an answer.
    pub parked: usize,
    /// Open connections to servers.
    pub connections: usize,
    /// Messages that wait to be written to clients on pipes.
    pub queued: usize,
}

/// All figures of one gateway.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    calls: Family<CallLabels, Counter>,
    latency: Family<MethodLabels, Histogram, fn() -> Histogram>,
    server_latency: Family<ServerLabels, Histogram, fn() -> Histogram>,
    up: Family<ServerLabels, Gauge>,
    waiting: Family<ServerLabels, Gauge>,
    strays: Family<ServerLabels, Counter>,
    garbage: Family<ServerLabels, Counter>,
    failures: Family<ServerLabels, Counter>,
    restarts: Family<ServerLabels, Counter>,
    undelivered: Counter,
    missing: Gauge,
    by_request: Memo<(Counter, Histogram)>,
    clients: Gauge,
    sessions: Gauge,
    in_flight: Gauge,
    parked: Gauge,
    connections: Gauge,
    queued: Gauge,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let mut metrics = Self {
            registry: Registry::with_prefix("chancery"),
            requests: Family::default(),
            calls: Family::default(),
            latency: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            server_latency: Family::new_with_constructor(|| Histogram::new(BUCKETS)),
            up: Family::default(),
            waiting: Family::default(),
            strays: Family::default(),
            garbage: Family::default(),
            failures: Family::default(),
            restarts: Family::default(),
            undelivered: Counter::default(),
            missing: Gauge::default(),
            by_request: Memo::default(),
            clients: Gauge::default(),
            sessions: Gauge::default(),
            in_flight: Gauge::default(),
            parked: Gauge::default(),
            connections: Gauge::default(),
            queued: Gauge::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let r = &mut self.registry;
        r.register("requests", "Requests of clients, by method and outcome", self.requests.clone());
        r.register("calls", "Calls to servers, by server, method and outcome", self.calls.clone());
        r.register(
            "request_seconds",
            "Time from a request's arrival to its outcome, by method",
            self.latency.clone(),
        );
        r.register(
            "call_seconds",
            "Time from a call's way to its server to its outcome, by server",
            self.server_latency.clone(),
        );
        r.register(
            "server_up",
            "Whether a server is connected and what it offers is known: 1 or 0",
            self.up.clone(),
        );
        r.register(
            "server_in_flight_calls",
            "Calls that a server has not answered",
            self.waiting.clone(),
        );
        r.register(
            "stray_messages",
            "Messages of servers that fitted nothing: second answers, answers to no question",
            self.strays.clone(),
        );
        r.register("garbage_frames", "Frames of servers that were not messages", self.garbage.clone());
        r.register("server_failures", "Failed attempts to reach a server", self.failures.clone());
        r.register(
            "server_losses",
            "Connections to a server that ended by themselves",
            self.restarts.clone(),
        );
        r.register(
            "undelivered_messages",
            "Messages beside answers that a client was too slow to take",
            self.undelivered.clone(),
        );
        r.register(
            "missing_servers",
            "Servers that the last view of the catalogue had to do without",
            self.missing.clone(),
        );
        r.register("clients", "Clients that are connected", self.clients.clone());
        r.register("http_sessions", "Open legacy HTTP sessions", self.sessions.clone());
        r.register("in_flight_calls", "Calls that servers have not answered", self.in_flight.clone());
        r.register(
            "parked_calls",
            "Calls that wait for a client to come back with an answer",
            self.parked.clone(),
        );
        r.register("server_connections", "Open connections to servers", self.connections.clone());
        r.register(
            "queued_messages",
            "Messages that wait to be written to clients on pipes",
            self.queued.clone(),
        );
    }

    /// Counts a client's request by its method's label and its outcome, and the time it took.
    pub fn request(&self, method: &'static str, outcome: &'static str, elapsed: Duration) {
        let make = || {
            let count = self.requests.get_or_create(&RequestLabels { method, outcome }).clone();
            let latency = self.latency.get_or_create(&MethodLabels { method }).clone();
            (count, latency)
        };
        self.by_request.with([method, outcome], make, |(count, latency)| {
            count.inc();
            latency.observe(elapsed.as_secs_f64());
        });
    }

    /// Counts a call to a server, and the time it took. `known` are that server's own counters.
    pub fn call(&self, known: &CallCounts, server: &str, method: &'static str, outcome: &'static str, elapsed: Duration) {
        let make = || {
            let server = server.to_owned();
            let latency = self.server_latency.get_or_create(&ServerLabels { server: server.clone() }).clone();
            let labels = CallLabels { server, method, outcome };
            (self.calls.get_or_create(&labels).clone(), latency)
        };
        known.with([method, outcome], make, |(count, latency)| {
            count.inc();
            latency.observe(elapsed.as_secs_f64());
        });
    }

    /// Forgets the state of all servers, before it is set anew: a server that is no longer configured has no figures.
    pub fn forget_servers(&self) {
        self.up.clear();
        self.waiting.clear();
    }

    /// Sets the state of one server: whether it is up, and its unanswered calls.
    pub fn server(&self, server: &str, is_up: bool, waiting: i64) {
        let labels = ServerLabels { server: server.to_owned() };
        self.up.get_or_create(&labels).set(is_up.into());
        self.waiting.get_or_create(&labels).set(waiting);
    }

    /// Counts a server's message that belongs to no open request, such as a second answer.
    pub fn stray(&self, server: &str) {
        self.strays.get_or_create(&ServerLabels { server: server.to_owned() }).inc();
    }

    /// Counts a server's frame that was not a message.
    pub fn garbage(&self, server: &str) {
        self.garbage.get_or_create(&ServerLabels { server: server.to_owned() }).inc();
    }

    /// Counts a failed attempt to reach a server.
    pub fn server_failed(&self, server: &str) {
        self.failures.get_or_create(&ServerLabels { server: server.to_owned() }).inc();
    }

    /// Counts a connection to a server that ended by itself.
    pub fn server_restarted(&self, server: &str) {
        self.restarts.get_or_create(&ServerLabels { server: server.to_owned() }).inc();
    }

    /// Counts a message beside an answer that a client was too slow to take.
    pub fn undelivered(&self) {
        self.undelivered.inc();
    }

    /// Sets how many servers are missing from the last view of the catalogue.
    pub fn missing(&self, servers: usize) {
        self.missing.set(i64::try_from(servers).unwrap_or(i64::MAX));
    }

    /// Sets the gauges of the whole gateway, which are measured when the metrics are read.
    pub fn gauges(&self, now: &Gauges) {
        let set = |gauge: &Gauge, n: usize| {
            gauge.set(i64::try_from(n).unwrap_or(i64::MAX));
        };
        set(&self.clients, now.clients);
        set(&self.sessions, now.sessions);
        set(&self.in_flight, now.in_flight);
        set(&self.parked, now.parked);
        set(&self.connections, now.connections);
        set(&self.queued, now.queued);
    }

    /// Writes all figures in Prometheus' text format.
    pub fn text(&self) -> String {
        let mut text = String::new();
        match prometheus_client::encoding::text::encode(&mut text, &self.registry) {
            Ok(()) => text,
            Err(error) => format!("# failed to write the metrics: {error}\n"),
        }
    }
}
