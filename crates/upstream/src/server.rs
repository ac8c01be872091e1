//! One configured server: its state, and the lines that lead to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use mcp::capabilities::{Carry, ClientCapabilities};
use mcp::exchange::Peer;
use mcp::revision::{Era, Revision};
use mcp::server::ClientHello;
use model::{Principal, PrincipalId};

use crate::context::Context;
use crate::health::Health;
use crate::lanes::{LanePermit, Lanes};
use crate::line::{Key, Line};
use crate::session::Session;
use crate::spec::{Launch, ServerSpec, Share};
use crate::state::ServerState;
use crate::unavailable::Unavailable;

/// The number of one server's children that one principal may have for modern calls whose client can be asked.
const PIPE_LANES: usize = 4;
/// The number of HTTP sessions for modern calls whose client can be asked. Many servers ask on the session's own stream, which does not say for which
/// call.
const HTTP_LANES: usize = 32;

/// A configured server, with its lines.
pub struct Server {
    /// The server's state, which its lines share.
    pub state: Arc<ServerState>,
    lines: Mutex<LineMap>,
    lanes: Lanes,
}

type LineMap = HashMap<Key, Arc<Line>, foldhash::fast::RandomState>;

/// The client for whose requests a line is wanted.
#[derive(Clone, Debug)]
pub struct Sharer {
    /// The principal on whose behalf it asks.
    pub principal: PrincipalId,
    /// The number of its session; none for a caller whose requests are independent of each other.
    pub client: Option<u64>,
    /// Its capabilities.
    pub peer: Arc<Peer>,
}

/// The reason why there is no line.
#[derive(Clone, Debug)]
pub enum NoLine {
    /// The server can't be used.
    Unavailable(Unavailable),
    /// All lanes of the caller are in use.
    Busy,
}

impl NoLine {
    /// Returns the reason as the client is told it.
    #[must_use]
    pub fn unavailable(self) -> Unavailable {
        match self {
            Self::Unavailable(why) => why,
            Self::Busy => Unavailable::new("all its connections for calls that can be asked back are busy; try again later"),
        }
    }
}

impl From<Unavailable> for NoLine {
    fn from(why: Unavailable) -> Self {
        Self::Unavailable(why)
    }
}

impl Server {
    /// Creates a configured server. Nothing is started.
    #[must_use]
    pub fn new(spec: ServerSpec, context: &Arc<Context>) -> Arc<Self> {
        Arc::new(Self {
            state: ServerState::new(spec, context),
            lines: Mutex::default(),
            lanes: Lanes::default(),
        })
    }

    fn lines(&self) -> MutexGuard<'_, LineMap> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the server's configuration.
    #[must_use]
    pub fn spec(&self) -> &ServerSpec {
        &self.state.spec
    }

    fn context(&self) -> &Context {
        &self.state.context
    }

    // === the choice of a line

    /// Returns the line that all clients without capabilities share; the gateway's own.
    #[must_use]
    pub fn base_line(&self) -> Arc<Line> {
        self.stateless_line(&Principal::local().id)
    }

    /// Returns the line of a principal to a modern server: stateless, every request carries its own capabilities.
    #[must_use]
    pub fn stateless_line(&self, principal: &PrincipalId) -> Arc<Line> {
        let key = Key {
            principal: principal.clone(),
            capabilities: self.state.no_capabilities().clone(),
            client: None,
            lane: 0,
        };
        let known = self.lines().get(&key).cloned();
        known.unwrap_or_else(|| {
            let hello = ClientHello {
                capabilities: ClientCapabilities::empty(),
                info: self.context().identity.info.clone(),
            };
            self.line(key, hello)
        })
    }

    /// Returns the line on which a principal listens: the one that its calls take, unless its calls have lanes, which are temporary; or the gateway's
    /// own line, if all clients share that.
    ///
    /// # Errors
    /// When the server's era is not known yet, and the server cannot be reached.
    pub async fn listening_line(&self, principal: &PrincipalId, peer: &Peer) -> Result<Arc<Line>, Unavailable> {
        if self.spec().share == Share::All {
            return Ok(self.base_line());
        }
        let capabilities = relayed(peer, Revision::LATEST_LEGACY);
        if self.era().await? == Era::Modern || capabilities.reverse() {
            return Ok(self.stateless_line(principal));
        }
        let key = Key {
            principal: principal.clone(),
            capabilities: capabilities.key().into(),
            client: None,
            lane: 0,
        };
        let info = self.context().identity.info.clone();
        Ok(self.line(key, ClientHello { capabilities, info }))
    }

    /// Returns the line for a client's call. A modern client that can be asked waits for a lane of its own, for `patience` at most.
    ///
    /// # Errors
    /// When the server's era is not known yet and the server cannot be reached, or no lane is free in time.
    pub async fn line_for(&self, sharer: &Sharer, patience: Duration) -> Result<(Arc<Line>, Option<LanePermit>), NoLine> {
        if self.spec().share == Share::All {
            return Ok((self.base_line(), None));
        }
        if self.era().await? == Era::Modern {
            return Ok((self.stateless_line(&sharer.principal), None));
        }
        let peer = &sharer.peer;
        let capabilities = relayed(peer, Revision::LATEST_LEGACY);
        let reverse = capabilities.reverse();
        let canonical: Arc<[u8]> = capabilities.key().into();
        let lane = match reverse && peer.era() == Era::Modern {
            true => Some(self.lane(&sharer.principal, &canonical, patience).await?),
            false => None,
        };
        let bound = reverse && peer.era() == Era::Legacy;
        let info = if bound { peer.info.clone() } else { None };
        let key = Key {
            principal: sharer.principal.clone(),
            capabilities: canonical,
            client: sharer.client.filter(|_| bound),
            lane: lane.as_ref().map_or(0, |lane| lane.lane),
        };
        let hello = ClientHello {
            capabilities,
            info: info.unwrap_or_else(|| self.context().identity.info.clone()),
        };
        Ok((self.line(key, hello), lane))
    }

    /// Returns the era; asks the server where it is not known yet.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn era(&self) -> Result<Era, Unavailable> {
        match self.state.known_era() {
            Some(era) => Ok(era),
            None => Ok(Box::pin(async { self.base_line().session().await }).await?.era()),
        }
    }

    /// Returns whether each line costs a child or a standing connection.
    fn is_pipe(&self) -> bool {
        matches!(self.spec().launch, Ok(Launch::Stdio { .. } | Launch::Builtin(_))) || self.state.speaks_sse()
    }

    async fn lane(&self, principal: &PrincipalId, capabilities: &Arc<[u8]>, patience: Duration) -> Result<LanePermit, NoLine> {
        let places = if self.is_pipe() { PIPE_LANES } else { HTTP_LANES };
        let lane = tokio::time::timeout(patience, self.lanes.acquire(principal, capabilities, places)).await;
        lane.ok().flatten().ok_or(NoLine::Busy)
    }

    fn line(&self, key: Key, hello: ClientHello) -> Arc<Line> {
        let mut lines = self.lines();
        if self.state.is_retired() {
            // The line is not kept: a server that was removed from the configuration gets no new lines.
            return Line::new(&self.state, key, hello);
        }
        let line = lines.entry(key.clone()).or_insert_with(|| Line::new(&self.state, key, hello));
        line.clone()
    }

    // === its offers

    /// Returns the key under which offers to such a client are known.
    #[must_use]
    pub fn offer_key(&self, peer: &Peer) -> Arc<[u8]> {
        if self.spec().share == Share::All || self.state.known_era() == Some(Era::Modern) {
            return self.state.no_capabilities().clone();
        }
        relayed(peer, Revision::LATEST_LEGACY).key().into()
    }

    /// Returns the key under which offers to the gateway itself are known.
    #[must_use]
    pub fn offer_key_of_gateway(&self) -> Arc<[u8]> {
        self.state.no_capabilities().clone()
    }

    /// Returns whether the server's offer to such a client is known.
    #[must_use]
    pub fn is_known(&self, peer: &Peer) -> bool {
        self.state.has_own_offer(&self.offer_key(peer))
    }

    /// Resolves when the server's offer to such a client is known and reported, or that the server is unusable. The key of the offer is computed again
    /// each time: it changes when the server turns out to be a modern one.
    pub async fn until_known(&self, peer: &Peer) {
        let mut news = self.state.news();
        let is_unusable = || matches!(self.state.health(), Health::Error(_));
        let is_seen = || self.is_known(peer) && self.state.is_reported();
        while !is_seen() && !is_unusable() {
            if news.changed().await.is_err() {
                return;
            }
        }
    }

    // === the end of lines

    /// Returns the connections that have not ended.
    #[must_use]
    pub fn live_sessions(&self) -> Vec<Arc<Session>> {
        self.lines().values().filter_map(|line| line.live()).collect()
    }

    /// Returns the connection of that number, whether or not its handshake is complete.
    #[must_use]
    pub fn session(&self, number: u64) -> Option<Arc<Session>> {
        let lines = self.lines();
        let mut sessions = lines.values().filter_map(|line| line.newest());
        sessions.find(|session| session.number == number)
    }

    /// Ends the lines of a client that has gone.
    pub fn client_gone(&self, client: u64) {
        let gone: Vec<Arc<Line>> = {
            let mut lines = self.lines();
            let keys: Vec<Key> = lines.keys().filter(|key| key.client == Some(client)).cloned().collect();
            keys.iter().filter_map(|key| lines.remove(key)).collect()
        };
        drop(gone);
    }

    /// Ends lines that no client needs. A line that `holds_task` stays: when a process or a session of the legacy era ends, its tasks end too.
    pub fn sweep(&self, now_ms: u64, idle_ms: u64, holds_task: impl Fn(&Arc<Line>) -> bool) {
        // A modern server over HTTP has neither a process nor a session.
        let tasks_live_anywhere = !self.is_pipe() && self.state.known_era() == Some(Era::Modern);
        let keep_base = |key: &Key| key.capabilities == *self.state.no_capabilities() && key.principal == Principal::local().id;
        let gone: Vec<Arc<Line>> = {
            let mut lines = self.lines();
            let idle: Vec<Key> = lines
                .iter()
                .filter(|(key, line)| !keep_base(key) && line.is_idle(now_ms, idle_ms))
                .filter(|(_, line)| tasks_live_anywhere || !holds_task(line))
                .map(|(key, _)| key.clone())
                .collect();
            idle.iter().filter_map(|key| lines.remove(key)).collect()
        };
        drop(gone);
        self.lanes.sweep();
    }

    /// Ends every connection, for good: a task that still holds the server makes no new one.
    pub fn hang_up(&self, why: &str) {
        let lines: Vec<Arc<Line>> = {
            let mut lines = self.lines();
            self.state.retire();
            lines.drain().map(|(_, line)| line).collect()
        };
        for line in lines {
            line.hang_up(why);
        }
    }
}

/// Returns the capabilities that are relayed to a server of a revision for such a client (DESIGN 1).
fn relayed(peer: &Peer, to: Revision) -> ClientCapabilities {
    let tasks = peer.era() == Era::Legacy && to.era() == Era::Legacy;
    peer.capabilities.relay(&Carry {
        from: peer.revision,
        to,
        reverse: true,
        client_tasks: tasks,
    })
}

/// Keeps the line of a server connected, for as long as the server is configured and may come up: tries again when it fails.
pub async fn keep_connected(server: &Weak<ServerState>, line: impl Fn() -> Option<Arc<Line>>) {
    loop {
        let Some(strong) = server.upgrade().filter(|server| !server.is_retired()) else {
            return;
        };
        let Some(line) = line() else { return };
        let session = line.session().await;
        drop(line);
        let wait = match (&session, strong.retry_at()) {
            (Ok(session), _) => {
                let ended = session.over().clone();
                drop(strong);
                ended.cancelled().await;
                wait_after_loss(server)
            }
            (Err(_), Some(at)) => at.saturating_duration_since(runtime::now()),
            (Err(error), None) if !error.transient => return,
            (Err(_), None) => Duration::from_secs(1),
        };
        drop(session);
        tokio::time::sleep(wait).await;
    }
}

fn wait_after_loss(server: &Weak<ServerState>) -> Duration {
    let at = server.upgrade().and_then(|server| server.retry_at());
    at.map_or(Duration::from_millis(100), |at| at.saturating_duration_since(runtime::now()))
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("id", &self.spec().id).finish_non_exhaustive()
    }
}
