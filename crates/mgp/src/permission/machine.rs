//! The state machine of one server's permissions: what it wants, what was decided, and what its connections were told (§3.4, D2 to D4).
//!
//! Law: after every [`Permissions::handle`], drain [`Permissions::poll`] until it returns `None`. Nothing here decides for a person, and a decision
//! is an input only once it is durable. Start-up does not wait for a decision (D2): while a permission is undecided, policy refuses the calls.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use jsonrpc::{ErrorObject, ObjectBuilder, Raw};
use model::{Permission, PermissionAnswer, PermissionDecision, RequestId, ServerId, Ticket, Timestamp};

use super::settings::Settings;
use super::standing::{Asked, Basis, Listed, Standing, Wanted, Wish};
use super::wire::{self, Said};
use crate::audit::{Actor, Draft, EventType, Outcome, Target};

/// The number of one server's permissions for which a person is asked. Further ones are refused without asking.
const MOST_WISHES: usize = 256;

/// One connection to the server, as the kernel numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Connection(pub u64);

/// The inputs of the machine.
#[derive(Clone, Debug)]
pub enum Input {
    /// The earlier decisions, from the store, as the first input. They cause no events.
    Known(Vec<PermissionDecision>),
    /// The permissions that the server as a whole wants (§2.3): those that it declares on any connection, and configured ones. They replace the
    /// earlier ones, so a connection that declares less must not shorten the list while another one exists.
    Wants(BTreeSet<Permission>),
    /// The permissions that its tools want (§4.3), which replace the earlier ones.
    ToolsWant(BTreeSet<Permission>),
    /// The configuration has changed.
    Configured(Settings),
    /// Start-up of a connection is complete; `speaks` if it negotiated `security`.
    Connected {
        /// The connection.
        connection: Connection,
        /// Whether it is sent messages about permissions.
        speaks: bool,
    },
    /// A connection has ended.
    Gone(Connection),
    /// The [`Output::Ask`] stands in the operators' queue under this id.
    Asked {
        /// The id.
        request: RequestId,
        /// The permissions that were asked for.
        permissions: Vec<Permission>,
    },
    /// A person decided, or revoked a decision, and it is stored together with its [`Permissions::events`].
    Decided(Vec<PermissionDecision>),
    /// The reply to an [`Output::Send`].
    Answered(Ticket, Reply),
    /// The time of an [`Output::Wake`] has come.
    Tick,
}

/// The reply of the server to a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The server accepted the request; the content of its result is ignored.
    Done,
    /// The server answered with an error.
    Error(ErrorObject),
    /// The server did not answer within [`wire::TIMEOUT`].
    TimedOut,
}

/// The outputs of the machine, which the kernel carries out.
#[derive(Clone, Debug)]
pub enum Output {
    /// Send a request to the server; wait at most [`wire::TIMEOUT`], and report the reply.
    Send {
        /// The connection.
        connection: Connection,
        /// The ticket under which the reply is reported.
        ticket: Ticket,
        /// The method.
        method: &'static str,
        /// Its params.
        params: Raw,
    },
    /// Ask a person; report the id with [`Input::Asked`].
    Ask(Vec<Permission>),
    /// The set of allowed calls has changed: calls that were allowed before must not be sent any more (DESIGN 9).
    Changed,
    /// Record an event.
    Event(Draft),
    /// Send [`Input::Tick`] at that time.
    Wake(Timestamp),
    /// Close the connection: the server gets none of its permissions, and is configured to be strict (D2).
    Disconnect(Connection),
}

/// The permissions of one server.
#[derive(Debug)]
pub struct Permissions {
    pub(super) server: ServerId,
    pub(super) settings: Settings,
    pub(super) decisions: BTreeMap<Permission, PermissionDecision>,
    pub(super) wishes: BTreeMap<Permission, Wish>,
    pub(super) peers: BTreeMap<Connection, Peer>,
    /// The latest time that was given: when a clock is set back, expired decisions stay expired.
    pub(super) now: Timestamp,
    pub(super) wake: Option<Timestamp>,
    next_ticket: u64,
    outbox: VecDeque<Output>,
}

/// One connection.
#[derive(Debug, Default)]
pub(super) struct Peer {
    /// Whether it negotiated `security` and has not shown that it does not know the methods (D3).
    pub(super) speaks: bool,
    /// The request that it has not answered. There is one at a time, because an await comes before its grant.
    pub(super) waiting: Option<Ticket>,
    /// What it was told last about each permission.
    pub(super) told: BTreeMap<Permission, Told>,
}

/// What a connection was told about one permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) word: Word,
    pub(super) said: Said,
}

/// The words of §3.5 and §3.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Await,
    Approved,
    Denied,
    Deferred,
}

impl Permissions {
    /// Creates the machine of a server that wants no permissions yet.
    #[must_use]
    pub fn new(server: ServerId, settings: Settings, now: Timestamp) -> Self {
        Self {
            server,
            settings,
            decisions: BTreeMap::new(),
            wishes: BTreeMap::new(),
            peers: BTreeMap::new(),
            now,
            wake: None,
            next_ticket: 1,
            outbox: VecDeque::new(),
        }
    }

    /// Handles one input. Drain [`Permissions::poll`] afterwards.
    pub fn handle(&mut self, now: Timestamp, input: Input) {
        self.now = self.now.max(now);
        match input {
            Input::Known(decisions) => self.remember(decisions),
            Input::Wants(permissions) => self.want(permissions, Wanted::ByServer),
            Input::ToolsWant(permissions) => self.want(permissions, Wanted::ByTools),
            Input::Configured(settings) => self.settings = settings,
            Input::Connected { connection, speaks } => {
                let peer = Peer { speaks, ..Peer::default() };
                self.peers.insert(connection, peer);
            }
            Input::Gone(connection) => drop(self.peers.remove(&connection)),
            Input::Asked { request, permissions } => self.asked(&request, &permissions),
            Input::Decided(decisions) => self.decided(decisions),
            Input::Answered(ticket, reply) => self.answered(ticket, &reply),
            Input::Tick => self.wake = None,
        }
        self.settle();
    }

    /// Returns the next output.
    pub fn poll(&mut self) -> Option<Output> {
        self.outbox.pop_front()
    }

    /// Returns whether the peer of a connection supports the methods of §3, as far as known (D3).
    #[must_use]
    pub fn speaks(&self, connection: Connection) -> bool {
        self.peers.get(&connection).is_some_and(|peer| peer.speaks)
    }

    /// Returns the events of decisions, which are stored together with them (DESIGN 8): each describes the change from the state before.
    #[must_use]
    pub fn events(&self, decisions: &[PermissionDecision], now: Timestamp) -> Vec<Draft> {
        let of_this = decisions.iter().filter(|decision| decision.server == self.server);
        let event = |decision: &PermissionDecision| {
            let permission = &decision.permission;
            let before = self.standing(permission, now).0;
            let after = self.settings.judge(permission, Some(decision)).0;
            let (kind, result) = match (before, after) {
                (_, Standing::Approved) => (EventType::PermissionGranted, Outcome::Success),
                (Standing::Approved, _) => (EventType::PermissionRevoked, Outcome::Success),
                (_, Standing::Denied) => (EventType::PermissionDenied, Outcome::Blocked),
                (_, Standing::Pending) => (EventType::PERMISSION_DEFERRED, Outcome::Pending),
            };
            self.draft(kind, result, permission, &Basis::Decision(decision.clone()))
        };
        of_this.map(event).collect()
    }

    /// Returns the state of a permission, and its basis.
    #[must_use]
    pub fn standing(&self, permission: &Permission, now: Timestamp) -> (Standing, Basis) {
        self.settings.judge(permission, self.holds(permission, now))
    }

    /// Lists all permissions that the server and its tools want.
    #[must_use]
    pub fn list(&self, now: Timestamp) -> Vec<Listed> {
        let listed = |(permission, wish): (&Permission, &Wish)| {
            let (standing, basis) = self.standing(permission, now);
            let decided = match &basis {
                Basis::Decision(decision) => Some(decision.request.clone()),
                Basis::Configuration | Basis::Policy(_) => None,
            };
            Listed {
                permission: permission.clone(),
                standing,
                basis,
                request: wish.request().cloned().or(decided),
            }
        };
        self.wishes.iter().map(listed).collect()
    }

    /// Returns the decision on a permission, unless it has expired.
    pub(super) fn holds(&self, permission: &Permission, now: Timestamp) -> Option<&PermissionDecision> {
        let now = self.now.max(now);
        let decision = self.decisions.get(permission)?;
        decision.expires.is_none_or(|expires| !expires.has_come(now)).then_some(decision)
    }

    pub(super) fn push(&mut self, output: Output) {
        self.outbox.push_back(output);
    }

    pub(super) fn ticket(&mut self) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        ticket
    }

    fn remember(&mut self, decisions: Vec<PermissionDecision>) {
        let of_this = decisions.into_iter().filter(|decision| decision.server == self.server);
        self.decisions
            .extend(of_this.map(|decision| (decision.permission.clone(), decision)));
    }

    /// Notes the permissions that the server or its tools want. A permission that neither wants any more is removed, but its decision stays.
    fn want(&mut self, permissions: BTreeSet<Permission>, by: Wanted) {
        for (permission, wish) in &mut self.wishes {
            *wish.wanted(by) = permissions.contains(permission);
        }
        self.wishes.retain(|_, wish| wish.of_server || wish.of_tools);
        for permission in permissions {
            if self.wishes.len() < MOST_WISHES || self.wishes.contains_key(&permission) {
                *self.wishes.entry(permission).or_insert_with(Wish::new).wanted(by) = true;
            }
        }
        for peer in self.peers.values_mut() {
            peer.told.retain(|permission, _| self.wishes.contains_key(permission));
        }
    }

    fn asked(&mut self, request: &RequestId, permissions: &[Permission]) {
        let mut waiting = Vec::new();
        for permission in permissions {
            if let Some(wish) = self.wishes.get_mut(permission)
                && wish.asked == Asked::Soon
            {
                wish.asked = Asked::As(request.clone());
                waiting.push(permission.as_str());
            }
        }
        if !waiting.is_empty() {
            let details = ObjectBuilder::new()
                .text("request_id", request.as_str())
                .texts("permissions", waiting)
                .finish();
            let draft = Draft::new(
                EventType::PERMISSION_REQUESTED,
                Actor::server(&self.server),
                Target::server(&self.server),
                Outcome::Pending,
            );
            self.push(Output::Event(draft.details(details)));
        }
    }

    fn decided(&mut self, decisions: Vec<PermissionDecision>) {
        for decision in decisions.iter().filter(|decision| decision.server == self.server) {
            if decision.answer != PermissionAnswer::Deferred
                && let Some(wish) = self.wishes.get_mut(&decision.permission)
            {
                wish.asked = Asked::No;
            }
        }
        self.remember(decisions);
    }

    fn answered(&mut self, ticket: Ticket, reply: &Reply) {
        let Some(peer) = self.peers.values_mut().find(|peer| peer.waiting == Some(ticket)) else {
            return;
        };
        peer.waiting = None;
        let unknown = match reply {
            Reply::Done => false,
            Reply::Error(error) => wire::is_unimplemented(error),
            Reply::TimedOut => true,
        };
        if unknown {
            peer.speaks = false;
        }
    }

    pub(super) fn draft(&self, kind: EventType, result: Outcome, permission: &Permission, basis: &Basis) -> Draft {
        let request = match basis {
            Basis::Decision(decision) => Some(decision.request.as_str()),
            Basis::Configuration | Basis::Policy(_) => None,
        };
        let expires = basis.expires().map(crate::time::format);
        let details = ObjectBuilder::new()
            .text("permission", permission.as_str())
            .text("risk_level", super::risk(permission).as_str())
            .text("policy", self.settings.policy.as_str())
            .maybe_text("request_id", request)
            .maybe_text("expires_at", expires.as_deref());
        Draft::new(kind, basis.actor(), Target::server(&self.server), result).details(details.finish())
    }
}
