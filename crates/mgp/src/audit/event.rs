//! Audit events, and their form on the wire (§6.3).

use std::fmt;

use jsonrpc::{Message, ObjectBuilder, Raw};
use model::{PrincipalId, Role, ServerId, Timestamp, ToolId};

use super::EventType;
use crate::trace::TraceId;
use crate::{carrier, time};

/// The notification that carries an event.
pub const METHOD: &str = "notifications/mgp.audit";

/// The bytes that most events need, so that their buffer is allocated once.
const USUAL_BYTES: usize = 512;

/// An audit event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The time of the event.
    pub timestamp: Timestamp,
    /// The trace that the event belongs to.
    pub trace: TraceId,
    /// The type, the actor, the target, the outcome and the details.
    pub draft: Draft,
}

/// An event without its time and its trace, as its author drafts it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Draft {
    /// The type of the event.
    pub event_type: EventType,
    /// The actor.
    pub actor: Actor,
    /// The target.
    pub target: Target,
    /// The outcome.
    pub result: Outcome,
    /// The details: an object without secrets; see [`super::Redactor`].
    pub details: Raw,
}

/// The actor of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// The kind of the actor.
    pub kind: ActorKind,
    /// The id of the actor.
    pub id: String,
}

/// The kind of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// An agent, which calls tools.
    Agent,
    /// An operator, who decides about others.
    Operator,
    /// A server; its own statements are not checked (D11).
    Server,
    /// The gateway.
    Kernel,
}

/// The target of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The server; `kernel` for the gateway itself (D15).
    pub server: String,
    /// The tool, by its server's own name.
    pub tool: Option<String>,
}

/// The outcome of an event (D11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The action succeeded.
    Success,
    /// The action failed.
    Failure,
    /// The action was refused.
    Blocked,
    /// A person has to decide.
    Pending,
}

impl Draft {
    /// Creates an event without details.
    pub fn new(event_type: EventType, actor: Actor, target: Target, result: Outcome) -> Self {
        Self {
            event_type,
            actor,
            target,
            result,
            details: Raw::object_empty(),
        }
    }

    /// Sets the details, an object.
    pub fn details(self, details: Raw) -> Self {
        Self { details, ..self }
    }

    /// Completes the draft with its time and its trace.
    #[must_use]
    pub fn at(self, timestamp: Timestamp, trace: TraceId) -> Event {
        Event {
            timestamp,
            trace,
            draft: self,
        }
    }
}

impl Event {
    fn members(&self) -> ObjectBuilder {
        let draft = &self.draft;
        let actor = |members: ObjectBuilder| members.text("type", draft.actor.kind.as_str()).text("id", &draft.actor.id);
        let target = |members: ObjectBuilder| {
            members
                .text("server_id", &draft.target.server)
                .maybe_text("tool_name", draft.target.tool.as_deref())
        };
        ObjectBuilder::with_capacity(USUAL_BYTES)
            .text("timestamp", &time::format(self.timestamp))
            .text("trace_id", self.trace.as_str())
            .text("event_type", draft.event_type.as_str())
            .object("actor", actor)
            .object("target", target)
            .text("result", draft.result.as_str())
            .raw("details", &draft.details)
    }

    /// Returns the event in the bytes of §6.3, in which it is stored.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.members().bytes()
    }

    /// Returns the event of §6.3 as a value.
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        self.members().finish()
    }

    /// Returns the notification for a server that negotiated `audit`.
    #[must_use]
    pub fn notification(&self, seq: u64) -> Message {
        notification(&self.to_raw(), seq)
    }
}

/// Returns the notification of an event from its stored bytes. The sequence number, in both carriers, lets the server detect a gap, which
/// `mgp.audit.replay` fills (D10, D11).
#[must_use]
pub fn notification(event: &Raw, seq: u64) -> Message {
    let params = carrier::set(event.edit(), "seq", &Raw::uint(seq)).finish();
    Message::notification(METHOD, Some(&params))
}

impl Actor {
    /// Returns the actor of an authenticated principal.
    #[must_use]
    pub fn principal(id: &PrincipalId, role: Role) -> Self {
        Self {
            kind: match role {
                Role::Agent => ActorKind::Agent,
                Role::Operator => ActorKind::Operator,
            },
            id: id.as_str().to_owned(),
        }
    }

    /// Returns the actor of a part or rule of the gateway.
    #[must_use]
    pub fn kernel(part: &str) -> Self {
        Self {
            kind: ActorKind::Kernel,
            id: part.to_owned(),
        }
    }

    /// Returns the actor of a server, by its configured id.
    #[must_use]
    pub fn server(id: &ServerId) -> Self {
        Self {
            kind: ActorKind::Server,
            id: id.as_str().to_owned(),
        }
    }
}

impl Target {
    /// Returns the target of the gateway itself.
    #[must_use]
    pub fn kernel() -> Self {
        Self {
            server: "kernel".to_owned(),
            tool: None,
        }
    }

    /// Returns the target of a server.
    #[must_use]
    pub fn server(id: &ServerId) -> Self {
        Self {
            server: id.as_str().to_owned(),
            tool: None,
        }
    }

    /// Returns the target of a tool.
    #[must_use]
    pub fn tool(id: &ToolId) -> Self {
        Self {
            server: id.server.as_str().to_owned(),
            tool: Some((*id.name).to_owned()),
        }
    }
}

impl ActorKind {
    const ALL: [Self; 4] = [Self::Agent, Self::Operator, Self::Server, Self::Kernel];

    /// Returns its word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Operator => "operator",
            Self::Server => "server",
            Self::Kernel => "kernel",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 4] = [Self::Success, Self::Failure, Self::Blocked, Self::Pending];

    /// Returns its word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "SUCCESS",
            Self::Failure => "FAILURE",
            Self::Blocked => "BLOCKED",
            Self::Pending => "PENDING",
        }
    }

    /// Parses an outcome by its word on the wire.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|result| result.as_str() == word)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
