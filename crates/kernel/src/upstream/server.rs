//! One configured server: its health, its era, its lines, and what it was last seen to offer.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use catalog::Offer;
use mcp::capabilities::{Carry, ClientCapabilities};
use mcp::exchange::Peer;
use mcp::method::ListKind;
use mcp::revision::{Era, Revision};
use mcp::server::ClientHello;
use mgp::negotiation::{Agreement, Extension};
use model::{Permission, Principal, PrincipalId, TrustLevel};
use tokio::sync::watch;

use super::lanes::{LanePermit, Lanes};
use super::line::{Key, Line};
use super::{Session, Unavailable};
use crate::backoff::Backoff;
use crate::client::Client;
use crate::guard::forward;
use crate::guard::permissions::{self, Desk};
use crate::inner::Inner;
use crate::metrics::CallCounts;
use crate::spec::{EraChoice, Launch, ServerSpec, Share, Start};

/// A connection that lived this long counts as a good one: the next failure starts the backoff anew.
const GOOD_LIFE: Duration = Duration::from_secs(10);
/// Children that one principal may have of one server for modern calls that can be asked back.
const PIPE_LANES: usize = 4;
/// Sessions for the same over HTTP, where many servers ask on the session's own stream, which does not say for which call.
const HTTP_LANES: usize = 32;
/// How long a call waits for a lane before a parked call is given up for it.
const LANE_PATIENCE: Duration = Duration::from_secs(2);

/// A server.
pub(crate) struct Server {
    pub(crate) spec: ServerSpec,
    inner: Weak<Inner>,
    state: Mutex<State>,
    lines: Mutex<Lines>,
    /// Calls, by method and outcome.
    pub(crate) calls: CallCounts,
    /// No longer part of the configuration: nothing is connected any more.
    retired: AtomicBool,
    lanes: Lanes,
    /// Its permissions.
    pub(crate) desk: Desk,
    /// Counts what is learnt: an offer, a failure.
    news: watch::Sender<u64>,
}

type Lines = HashMap<Key, Arc<Line>, foldhash::fast::RandomState>;

struct State {
    era: Option<Era>,
    sse: bool,
    health: Health,
    backoff: Backoff,
    retry_at: Option<Instant>,
    /// Why what it offers could not be read, or not all of it, the last time; none once it was.
    trouble: Option<String>,
    /// When a list first waited for it.
    waited_since: Option<Instant>,
    offers: HashMap<Arc<[u8]>, Known>,
    fetching: HashMap<(Arc<[u8]>, ListKind), bool>,
    /// What was agreed of MGP on the latest connection.
    agreed: Option<Agreement>,
}

/// What a server offers to clients of some capabilities.
#[derive(Clone)]
struct Known {
    offer: Arc<Offer>,
    /// Read from this process's own connection, not from the cache of an earlier one.
    fresh: bool,
}

/// How a server does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It was not needed yet.
    Configured,
    /// What it offers is known from an earlier time.
    Known,
    /// It is connected.
    Started,
    /// It can't be used, and why.
    Error(Unavailable),
}

/// Leave to fetch some lists; while it lives nobody else fetches them.
pub(crate) struct FetchTurn {
    server: Weak<Server>,
    capabilities: Arc<[u8]>,
    kinds: Vec<ListKind>,
}

impl Server {
    pub(crate) fn new(spec: ServerSpec, inner: &Weak<Inner>) -> Arc<Self> {
        let health = spec
            .launch
            .as_ref()
            .err()
            .map_or(Health::Configured, |why| Health::Error(Unavailable::lasting(why.clone())));
        let desk = Desk::new(&spec.id);
        Arc::new(Self {
            spec,
            inner: inner.clone(),
            state: Mutex::new(State {
                era: None,
                sse: false,
                health,
                backoff: Backoff::new(Duration::from_millis(500), Duration::from_secs(60)),
                retry_at: None,
                trouble: None,
                waited_since: None,
                offers: HashMap::new(),
                fetching: HashMap::new(),
                agreed: None,
            }),
            lines: Mutex::default(),
            calls: CallCounts::default(),
            retired: AtomicBool::new(false),
            lanes: Lanes::default(),
            desk,
            news: watch::Sender::new(0),
        })
    }

    /// The kernel. A server never outlives it.
    pub(crate) fn inner(&self) -> Arc<Inner> {
        self.inner.upgrade().expect("a server is owned by its kernel")
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // === era

    /// The era, where it is configured or was found out.
    pub(crate) fn known_era(&self) -> Option<Era> {
        match self.spec.era {
            EraChoice::Legacy => Some(Era::Legacy),
            EraChoice::Modern => Some(Era::Modern),
            EraChoice::Auto => self.state().era,
        }
    }

    /// Forgets an era that was found out: the server may have changed.
    pub(crate) fn doubt_era(&self) {
        self.state().era = None;
    }

    pub(crate) fn note_era(&self, era: Era) {
        self.state().era = Some(era);
    }

    pub(crate) fn speaks_sse(&self) -> bool {
        self.state().sse
    }

    pub(crate) fn note_sse(&self) {
        self.state().sse = true;
    }

    // === health

    /// Refuses while the server was just tried without success.
    pub(crate) fn check_backoff(&self) -> Result<(), Unavailable> {
        let state = self.state();
        match (&state.health, state.retry_at) {
            (Health::Error(error), Some(at)) if crate::now() < at => {
                let wait = (at - crate::now()).as_secs_f32();
                Err(Unavailable::new(format!("{error} (tried again in {wait:.1} s)")))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn came_up(&self) {
        let mut state = self.state();
        state.waited_since = None;
        state.health = Health::Started;
        state.retry_at = None;
        drop(state);
        tracing::info!(server = %self.spec.id, "started");
    }

    pub(crate) fn went_down(&self, error: &Unavailable) {
        {
            let mut state = self.state();
            let wait = state.backoff.next();
            state.retry_at = error.transient.then(|| crate::now() + wait);
            // One that stays away is tried for ever; that it failed once more for the same reason is no news.
            if matches!(&state.health, Health::Error(before) if before.why == error.why) {
                tracing::debug!(server = %self.spec.id, why = %error, "is still not available");
            } else {
                tracing::warn!(server = %self.spec.id, why = %error, "is not available");
            }
            state.health = Health::Error(error.clone());
        }
        self.inner().metrics.server_failed(self.spec.id.as_str());
        self.tell_news();
    }

    /// A connection ended by itself.
    pub(crate) fn lost(&self, since: Instant, error: Unavailable) {
        {
            let mut state = self.state();
            if crate::now() - since >= GOOD_LIFE {
                state.backoff.reset();
            }
            let wait = state.backoff.next();
            state.retry_at = Some(crate::now() + wait);
            tracing::warn!(server = %self.spec.id, why = %error, "the connection was lost");
            state.health = Health::Error(error);
        }
        self.inner().metrics.server_restarted(self.spec.id.as_str());
        self.tell_news();
    }

    /// What it offers could not be read.
    pub(crate) fn note_trouble(&self, why: &str) {
        self.state().trouble = Some(why.to_owned());
        self.tell_news();
    }

    /// Why what it offers could not be read, or not all of it, the last time.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.state().trouble.clone()
    }

    /// Whether it is to start with the gateway, and neither what it offers nor that it can't be used is known yet.
    pub(crate) fn is_awaited(&self) -> bool {
        let state = self.state();
        self.spec.start == Start::Eager && state.offers.is_empty() && state.trouble.is_none() && !matches!(state.health, Health::Error(_))
    }

    /// How it does for somebody who needs what it offers: one that is connected and does not say what it offers can't be used.
    pub(crate) fn usable(&self) -> Health {
        let state = self.state();
        if state.health != Health::Started || !state.offers.is_empty() {
            return state.health.clone();
        }
        let why = state.trouble.as_deref().unwrap_or("it has not answered yet");
        Health::Error(Unavailable::new(format!("connected, but what it offers could not be read: {why}")))
    }

    pub(crate) fn health(&self) -> Health {
        self.state().health.clone()
    }

    /// When the server may be tried again; none when it may be now.
    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.state().retry_at
    }

    /// Changes when something is learnt.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    fn tell_news(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    // === what it offers

    /// What it offers to clients of these capabilities; without its own entry, what it offers to those who have none.
    pub(crate) fn offer(&self, capabilities: &Arc<[u8]>) -> Option<Arc<Offer>> {
        let state = self.state();
        let known = state
            .offers
            .get(capabilities)
            .or_else(|| state.offers.get(&self.inner().no_capabilities));
        known.map(|known| known.offer.clone())
    }

    /// Whether what it offers to clients of exactly these capabilities is known.
    pub(crate) fn has_own_offer(&self, capabilities: &Arc<[u8]>) -> bool {
        self.knows(capabilities)
    }

    fn knows(&self, capabilities: &Arc<[u8]>) -> bool {
        self.state().offers.contains_key(capabilities)
    }

    /// Takes an offer from the cache of an earlier process.
    pub(crate) fn remember(self: &Arc<Self>, capabilities: Arc<[u8]>, offer: Offer) {
        let mut state = self.state();
        // What it spoke then is tried first; a failure has it asked anew.
        state.era = state.era.or(Some(offer.revision.era()));
        state.offers.entry(capabilities).or_insert(Known {
            offer: Arc::new(offer),
            fresh: false,
        });
        if state.health == Health::Configured {
            state.health = Health::Known;
        }
        drop(state);
        self.tell_guard(&self.inner());
    }

    /// Everything that it offers, to whatever clients; what those without capabilities see comes first.
    pub(crate) fn offers(&self) -> Vec<Arc<Offer>> {
        let base = self.inner().no_capabilities.clone();
        let state = self.state();
        let mut offers: Vec<(&Arc<[u8]>, &Known)> = state.offers.iter().collect();
        offers.sort_by_key(|(capabilities, _)| (**capabilities != base, (*capabilities).clone()));
        offers.into_iter().map(|(_, known)| known.offer.clone()).collect()
    }

    /// The permissions that it wants for itself: by configuration, and by what it said when it was last connected.
    pub(crate) fn wants(&self) -> Vec<Permission> {
        let agreed = self.state().agreed.as_ref().map(|agreed| agreed.permissions.clone());
        let mut wants = self.inner().guard.wanted(&self.spec.id);
        wants.extend(agreed.unwrap_or_default());
        wants.sort();
        wants.dedup();
        wants
    }

    /// Whether its errors say whether and when a call may be made again.
    pub(crate) fn says_how_to_retry(&self) -> bool {
        let state = self.state();
        state
            .agreed
            .as_ref()
            .is_some_and(|agreed| agreed.active.has(Extension::ErrorHandling))
    }

    /// Whether a line is the gateway's own.
    fn is_own(&self, key: &Key) -> bool {
        key.capabilities == self.inner().no_capabilities && key.principal == Principal::local().id && key.client.is_none() && key.lane == 0
    }

    /// How far it says that it is to be trusted.
    pub(crate) fn claimed_trust(&self) -> Option<TrustLevel> {
        self.state().agreed.as_ref().and_then(|agreed| agreed.trust)
    }

    /// Takes in what came of the negotiation of MGP on a connection whose start-up is complete.
    pub(crate) fn negotiated(self: &Arc<Self>, session: &Arc<Session>) {
        let inner = self.inner();
        let offer = inner.mgp();
        let Some(ready) = session.ready.get().filter(|_| !offer.extensions.is_empty()) else {
            return;
        };
        let outcome = offer.with_server(&ready.offer.capabilities);
        for warning in &outcome.warnings {
            tracing::warn!(server = %self.spec.id, %warning, "MGP");
        }
        let speaks = outcome.has(Extension::Security);
        self.state().agreed.clone_from(&outcome.agreement);
        drop(session.agreed.set(outcome));
        inner.guard.wants(&self.spec.id, self.wants());
        let listens = session.agreed.get().is_some_and(|outcome| outcome.has(Extension::Audit));
        // It is told once, over the gateway's own connection.
        if listens && session.line.upgrade().is_some_and(|line| self.is_own(&line.key)) {
            forward::follow(session);
        }
        permissions::connected(self, session, speaks);
    }

    /// Lets policy know what it offers, before any list shows it.
    pub(crate) fn tell_guard(self: &Arc<Self>, inner: &Arc<Inner>) {
        let wanted = inner.guard.learn(&self.spec.id, &self.offers(), self.wants(), self.claimed_trust());
        permissions::tools_want(self, wanted);
        let (weak, id) = (Arc::downgrade(inner), self.spec.id.clone());
        inner.spawn(async move {
            if let Some(inner) = weak.upgrade() {
                inner.guard.pin(&inner, &id).await;
            }
        });
    }

    /// Makes a fresh offer the known one; clients hear of what changed.
    pub(crate) fn publish(self: &Arc<Self>, capabilities: &Arc<[u8]>, offer: Offer, announced: &[ListKind]) {
        let inner = self.inner();
        let offer = Arc::new(offer);
        let known = Known {
            offer: offer.clone(),
            fresh: true,
        };
        let before = {
            let mut state = self.state();
            state.trouble = None;
            state.offers.insert(capabilities.clone(), known)
        };
        let changed: Vec<ListKind> = match &before {
            Some(known) => ListKind::ALL
                .into_iter()
                .filter(|kind| !known.offer.same_items(&offer, *kind))
                .collect(),
            None => ListKind::ALL
                .into_iter()
                .filter(|kind| !offer.list(*kind).items.is_empty())
                .collect(),
        };
        // A list that a server announces as changed is announced on, whether or not its bytes differ.
        let first = before.is_none_or(|known| !known.fresh);
        let told = ListKind::ALL
            .into_iter()
            .filter(|kind| changed.contains(kind) || (!first && announced.contains(kind) && announced.len() < ListKind::ALL.len()));
        let told: HashSet<ListKind> = told.collect();
        inner.cache.save(&self.spec.digest, capabilities, &offer.to_cache());
        self.tell_guard(&inner);
        inner.views.outdated();
        self.tell_news();
        inner.hub.lists_changed(&inner, &told);
    }

    /// Waits for leave to fetch; `None` when somebody else has been asked to fetch the same again.
    pub(crate) async fn fetch_turn(self: &Arc<Self>, capabilities: &Arc<[u8]>, kinds: &[ListKind]) -> Option<FetchTurn> {
        let inner = self.inner();
        loop {
            {
                let mut state = self.state();
                let busy: Vec<ListKind> = kinds
                    .iter()
                    .copied()
                    .filter(|kind| state.fetching.contains_key(&(capabilities.clone(), *kind)))
                    .collect();
                if busy.is_empty() {
                    for kind in kinds {
                        state.fetching.insert((capabilities.clone(), *kind), false);
                    }
                    return Some(FetchTurn {
                        server: Arc::downgrade(self),
                        capabilities: capabilities.clone(),
                        kinds: kinds.to_vec(),
                    });
                }
                // One more round after the present one is enough for everybody who asks meanwhile.
                let all_waiting = busy
                    .iter()
                    .all(|kind| state.fetching.get(&(capabilities.clone(), *kind)) == Some(&true));
                if all_waiting {
                    return None;
                }
                for kind in busy {
                    state.fetching.insert((capabilities.clone(), kind), true);
                }
            }
            tokio::time::sleep(inner.settings().debounce).await;
        }
    }

    /// What is left of the time that lists wait for this server. It is counted once, from the first list that needs it: a server that hangs
    /// costs one client the wait, not each of them.
    pub(crate) fn patience(&self, startup_wait: Duration) -> Duration {
        let since = *self.state().waited_since.get_or_insert_with(crate::now);
        (since + startup_wait).saturating_duration_since(crate::now())
    }

    /// Resolves when it is known what the server offers to such a client, or that it is unusable. The key of the offer is
    /// looked at anew each time: it changes when the server turns out to be a modern one.
    pub(crate) async fn until_known(&self, peer: &Peer) {
        let mut news = self.news();
        while !self.knows(&self.offer_key(peer)) && !matches!(self.health(), Health::Error(_)) {
            if news.changed().await.is_err() {
                return;
            }
        }
    }

    // === lines

    /// The capabilities that are relayed to this server for such a client, and their key (DESIGN 1).
    fn relayed(&self, peer: &Peer, to: Revision) -> ClientCapabilities {
        let tasks = peer.era() == Era::Legacy && to.era() == Era::Legacy;
        peer.capabilities.relay(&Carry {
            from: peer.revision,
            to,
            reverse: true,
            client_tasks: tasks,
        })
    }

    /// The line that everybody without capabilities shares; the gateway's own.
    pub(crate) fn base_line(self: &Arc<Self>) -> Arc<Line> {
        let inner = self.inner();
        let key = Key {
            principal: Principal::local().id,
            capabilities: inner.no_capabilities.clone(),
            client: None,
            lane: 0,
        };
        let hello = ClientHello {
            capabilities: ClientCapabilities::empty(),
            info: inner.own_info.clone(),
        };
        self.line(key, hello)
    }

    /// The line for a client's call. A modern client that can be asked back waits for a lane of its own.
    pub(crate) async fn line_for(
        self: &Arc<Self>,
        client: &Arc<Client>,
        peer: &Arc<Peer>,
    ) -> Result<(Arc<Line>, Option<LanePermit>), Unavailable> {
        if let Some(line) = client.line(&self.spec.id).filter(|line| std::ptr::eq(&*line.server, &**self)) {
            return Ok((line, None));
        }
        if peer.era() == Era::Modern && self.known_era() == Some(Era::Modern) {
            return Ok((self.stateless_line(&client.principal.id), None));
        }
        Box::pin(self.find_line(client, peer)).await
    }

    /// The line of a principal to a modern server: stateless, every request carries its own capabilities.
    fn stateless_line(self: &Arc<Self>, principal: &PrincipalId) -> Arc<Line> {
        let inner = self.inner();
        let key = Key {
            principal: principal.clone(),
            capabilities: inner.no_capabilities.clone(),
            client: None,
            lane: 0,
        };
        let known = self.lines().get(&key).cloned();
        known.unwrap_or_else(|| {
            self.line(
                key,
                ClientHello {
                    capabilities: ClientCapabilities::empty(),
                    info: inner.own_info.clone(),
                },
            )
        })
    }

    /// The line on which a principal listens: the one that its calls take, unless those can be asked back and have lanes of their own, which
    /// come and go; or the gateway's own, where everybody shares that.
    pub(crate) async fn listening_line(self: &Arc<Self>, principal: &PrincipalId, peer: &Peer) -> Result<Arc<Line>, Unavailable> {
        if self.spec.share == Share::All {
            return Ok(self.base_line());
        }
        let era = match self.known_era() {
            Some(era) => era,
            None => self.base_line().session().await?.era(),
        };
        let capabilities = self.relayed(peer, Revision::LATEST_LEGACY);
        if era == Era::Modern || capabilities.reverse() {
            return Ok(self.stateless_line(principal));
        }
        let key = Key {
            principal: principal.clone(),
            capabilities: capabilities.key().into(),
            client: None,
            lane: 0,
        };
        let info = self.inner().own_info.clone();
        Ok(self.line(key, ClientHello { capabilities, info }))
    }

    async fn find_line(self: &Arc<Self>, client: &Arc<Client>, peer: &Arc<Peer>) -> Result<(Arc<Line>, Option<LanePermit>), Unavailable> {
        if self.spec.share == Share::All {
            return Ok((self.base_line(), None));
        }
        let era = match self.known_era() {
            Some(era) => era,
            None => self.base_line().session().await?.era(),
        };
        let (line, lane) = self.line_of(client, peer, era).await?;
        if peer.era() == Era::Legacy {
            client.keep_line(&self.spec.id, &line);
            line.attach(client);
        }
        Ok((line, lane))
    }

    async fn line_of(
        self: &Arc<Self>,
        client: &Arc<Client>,
        peer: &Arc<Peer>,
        era: Era,
    ) -> Result<(Arc<Line>, Option<LanePermit>), Unavailable> {
        let inner = self.inner();
        let principal = client.principal.id.clone();
        if era == Era::Modern {
            return Ok((self.stateless_line(&principal), None));
        }
        let capabilities = self.relayed(peer, Revision::LATEST_LEGACY);
        let reverse = capabilities.reverse();
        let canonical: Arc<[u8]> = capabilities.key().into();
        let lane = if reverse && peer.era() == Era::Modern {
            Some(self.lane(&principal, &canonical).await?)
        } else {
            None
        };
        let bound = reverse && peer.era() == Era::Legacy;
        let info = if bound { peer.info.clone() } else { None };
        let key = Key {
            principal,
            capabilities: canonical,
            client: bound.then_some(client.number),
            lane: lane.as_ref().map_or(0, |lane| lane.lane),
        };
        let hello = ClientHello {
            capabilities,
            info: info.unwrap_or_else(|| inner.own_info.clone()),
        };
        Ok((self.line(key, hello), lane))
    }

    /// Whether a line costs a child or a standing connection.
    fn is_pipe(&self) -> bool {
        matches!(self.spec.launch, Ok(Launch::Stdio { .. } | Launch::Builtin(_))) || self.speaks_sse()
    }

    /// Waits for a lane. When calls whose clients may never come back hold all of them, the oldest such call is given up.
    async fn lane(&self, principal: &PrincipalId, capabilities: &Arc<[u8]>) -> Result<LanePermit, Unavailable> {
        let places = if self.is_pipe() { PIPE_LANES } else { HTTP_LANES };
        let patience = LANE_PATIENCE.min(self.spec.request_timeout);
        if let Ok(Some(lane)) = tokio::time::timeout(patience, self.lanes.acquire(principal, capabilities, places)).await {
            return Ok(lane);
        }
        self.inner().parked.give_up_oldest(&self.spec.id, principal);
        let lane = tokio::time::timeout(self.spec.request_timeout, self.lanes.acquire(principal, capabilities, places)).await;
        let busy = || Unavailable::new("all its connections for calls that can be asked back are busy; try again later");
        lane.ok().flatten().ok_or_else(busy)
    }

    fn line(self: &Arc<Self>, key: Key, hello: ClientHello) -> Arc<Line> {
        let mut lines = self.lines();
        if self.is_retired() {
            // Not kept: a line and its server hold each other.
            return Line::new(self, key, hello);
        }
        lines.entry(key.clone()).or_insert_with(|| Line::new(self, key, hello)).clone()
    }

    /// The key under which offers to such a client are known.
    pub(crate) fn offer_key(&self, peer: &Peer) -> Arc<[u8]> {
        let inner = self.inner();
        if self.spec.share == Share::All || self.known_era() == Some(Era::Modern) {
            return inner.no_capabilities.clone();
        }
        let capabilities = self.relayed(peer, Revision::LATEST_LEGACY);
        capabilities.key().into()
    }

    /// Makes sure that what the server offers to such a client is known or being found out.
    pub(crate) fn look_up(self: &Arc<Self>, client: &Arc<Client>, peer: &Arc<Peer>) {
        if self.knows(&self.offer_key(peer)) || self.spec.launch.is_err() {
            return;
        }
        let (server, client, peer) = (self.clone(), client.clone(), peer.clone());
        let over = self.inner().shutdown.clone();
        self.inner().spawn(async move {
            let connect = async {
                if let Ok((line, _lane)) = server.line_for(&client, &peer).await {
                    drop(line.session().await);
                }
            };
            over.run_until_cancelled(connect).await;
        });
    }

    /// Ends the lines of a client that has gone.
    pub(crate) fn client_gone(&self, client: u64) {
        let gone: Vec<Arc<Line>> = {
            let mut lines = self.lines();
            let keys: Vec<Key> = lines.keys().filter(|key| key.client == Some(client)).cloned().collect();
            keys.iter().filter_map(|key| lines.remove(key)).collect()
        };
        drop(gone);
    }

    /// Ends lines that nobody needs.
    pub(crate) fn sweep(&self, now_ms: u64, idle_ms: u64) {
        let base = self.inner().no_capabilities.clone();
        let gone: Vec<Arc<Line>> = {
            let mut lines = self.lines();
            let keep_base = |key: &Key| key.capabilities == base && key.principal == Principal::local().id;
            let idle: Vec<Key> = lines
                .iter()
                .filter(|(key, line)| !keep_base(key) && line.is_idle(now_ms, idle_ms))
                .filter(|(_, line)| !self.holds_task(line))
                .map(|(key, _)| key.clone())
                .collect();
            idle.iter().filter_map(|key| lines.remove(key)).collect()
        };
        drop(gone);
        self.lanes.sweep();
    }

    /// Whether a task would end with a line: a process takes its own along, and so does a session of the legacy era. Modern servers over HTTP have
    /// neither.
    fn holds_task(&self, line: &Arc<Line>) -> bool {
        let anywhere = !self.is_pipe() && self.known_era() == Some(Era::Modern);
        !anywhere && self.inner().tasks.holds(line)
    }

    /// Ends every connection, for good: whoever still holds the server makes no new one.
    pub(crate) fn hang_up(&self, why: &str) {
        let lines: Vec<Arc<Line>> = {
            let mut lines = self.lines();
            self.retired.store(true, Ordering::Release);
            lines.drain().map(|(_, line)| line).collect()
        };
        for line in lines {
            line.hang_up(why);
        }
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Acquire)
    }

    pub(crate) fn live_sessions(&self) -> Vec<Arc<Session>> {
        self.lines().values().filter_map(|line| line.live()).collect()
    }
}

/// Keeps a line of a server connected, for as long as the server is in use and may come up: tries again whenever it fails.
pub(crate) async fn tend(server: &Weak<Server>, line: impl Fn(&Arc<Server>) -> Arc<Line>) {
    loop {
        let Some(strong) = server.upgrade().filter(|server| !server.is_retired()) else {
            return;
        };
        let session = line(&strong).session().await;
        let wait = match (&session, strong.retry_at()) {
            (Ok(session), _) => {
                let ended = session.over().clone();
                drop(strong);
                ended.cancelled().await;
                wait_after_loss(server)
            }
            (Err(_), Some(at)) => at.saturating_duration_since(crate::now()),
            (Err(error), None) if !error.transient => return,
            (Err(_), None) => Duration::from_secs(1),
        };
        drop(session);
        tokio::time::sleep(wait).await;
    }
}

fn wait_after_loss(server: &Weak<Server>) -> Duration {
    let at = server.upgrade().and_then(|server| server.retry_at());
    at.map_or(Duration::from_millis(100), |at| at.saturating_duration_since(crate::now()))
}

impl Drop for FetchTurn {
    fn drop(&mut self) {
        if let Some(server) = self.server.upgrade() {
            let mut state = server.state();
            for kind in &self.kinds {
                state.fetching.remove(&(self.capabilities.clone(), *kind));
            }
        }
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("id", &self.spec.id).finish_non_exhaustive()
    }
}
