//! One audit event, and how it is written (§6.3).

use std::fmt;

use jsonrpc::{Message, ObjectBuilder, Raw};
use model::{PrincipalId, Role, ServerId, Timestamp, ToolId};

use super::EventType;
use crate::trace::TraceId;
use crate::{carrier, time};

/// The notification that carries an event.
pub const METHOD: &str = "notifications/mgp.audit";

/// Room for most events, so that they are allocated once.
const USUAL_BYTES: usize = 512;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub timestamp: Timestamp,
    /// In the course of what.
    pub trace: TraceId,
    /// What, by whom, to what, and how it ended.
    pub draft: Draft,
}

/// An event without its time and its trace: what those who know what happened can say of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Draft {
    /// What happened.
    pub event_type: EventType,
    /// Who did it.
    pub actor: Actor,
    /// To what.
    pub target: Target,
    /// How it ended.
    pub result: Outcome,
    /// More: an object, free of secrets; see [`super::Redactor`].
    pub details: Raw,
}

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// What it is.
    pub kind: ActorKind,
    /// Which.
    pub id: String,
}

/// What can do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// Somebody who calls tools.
    Agent,
    /// Somebody who decides about others.
    Operator,
    /// A server; what it says of itself is not checked (D11).
    Server,
    /// The gateway.
    Kernel,
}

/// What something was done to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The server; `kernel` for the gateway itself (D15).
    pub server: String,
    /// The tool, by its server's own name.
    pub tool: Option<String>,
}

/// How something ended (D11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It was done.
    Success,
    /// It was tried, and failed.
    Failure,
    /// It was refused.
    Blocked,
    /// Somebody has to decide.
    Pending,
}

impl Draft {
    /// An event without details.
    pub fn new(event_type: EventType, actor: Actor, target: Target, result: Outcome) -> Self {
        Self {
            event_type,
            actor,
            target,
            result,
            details: Raw::object_empty(),
        }
    }

    /// The same with details, an object.
    pub fn details(self, details: Raw) -> Self {
        Self { details, ..self }
    }

    /// The event.
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

    /// The event in the bytes of §6.3, as it is kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.members().bytes()
    }

    /// The same as a value.
    #[must_use]
    pub fn to_raw(&self) -> Raw {
        self.members().finish()
    }

    /// The notification for a server that negotiated `audit`.
    #[must_use]
    pub fn notification(&self, seq: u64) -> Message {
        notification(&self.to_raw(), seq)
    }
}

/// The notification of an event in the bytes in which it was kept. The sequence number, in both carriers, lets the server see a gap, which
/// `mgp.audit.replay` fills (D10, D11).
#[must_use]
pub fn notification(event: &Raw, seq: u64) -> Message {
    let params = carrier::set(event.edit(), "seq", &Raw::uint(seq)).finish();
    Message::notification(METHOD, Some(&params))
}

impl Actor {
    /// Somebody by their credential.
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

    /// The gateway, and which part or rule of it.
    #[must_use]
    pub fn kernel(part: &str) -> Self {
        Self {
            kind: ActorKind::Kernel,
            id: part.to_owned(),
        }
    }

    /// A server, by its configured id.
    #[must_use]
    pub fn server(id: &ServerId) -> Self {
        Self {
            kind: ActorKind::Server,
            id: id.as_str().to_owned(),
        }
    }
}

impl Target {
    /// The gateway itself.
    #[must_use]
    pub fn kernel() -> Self {
        Self {
            server: "kernel".to_owned(),
            tool: None,
        }
    }

    /// A server.
    #[must_use]
    pub fn server(id: &ServerId) -> Self {
        Self {
            server: id.as_str().to_owned(),
            tool: None,
        }
    }

    /// A tool.
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

    /// Its word.
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
    /// All four.
    pub const ALL: [Self; 4] = [Self::Success, Self::Failure, Self::Blocked, Self::Pending];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "SUCCESS",
            Self::Failure => "FAILURE",
            Self::Blocked => "BLOCKED",
            Self::Pending => "PENDING",
        }
    }

    /// By its word.
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
