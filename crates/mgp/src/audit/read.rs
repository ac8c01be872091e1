//! Reads events: stored ones, and those that servers send (§6.5, D11).

use jsonrpc::{DecodeError, Object, ObjectBuilder, Raw, RawKind};
use model::{ServerId, Timestamp};

use super::event::{Actor, ActorKind, Draft, Event, Outcome, Target};
use super::{EventType, Redactor};
use crate::json::shown;
use crate::time;
use crate::trace::TraceId;

/// The length of the longest id of an actor, a server or a tool.
const LONGEST: usize = 256;

/// The reason why a value is not an event of §6.3.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EventError {
    /// An object is not an object, or repeats a key.
    #[error("read the event: `{0}`: {1}")]
    Object(&'static str, DecodeError),
    /// A member is missing or has a wrong value.
    #[error("read the event: it needs `{0}`, {1}")]
    Member(&'static str, &'static str),
}

impl Event {
    /// Reads an event. Members that §6.3 does not have are ignored.
    ///
    /// # Errors
    /// When the value is not an event of §6.3.
    pub fn read(params: &Raw) -> Result<Self, EventError> {
        let object = members("params", params)?;
        let timestamp = text(&object, "timestamp").and_then(|text| time::parse(&text));
        let trace = text(&object, "trace_id").and_then(|text| TraceId::parse(&text));
        let event_type = text(&object, "event_type").and_then(|text| EventType::parse(&text));
        let result = text(&object, "result").and_then(|text| Outcome::parse(&text));
        let details = match object.get("details") {
            None => Raw::object_empty(),
            Some(details) if details.kind() == RawKind::Object => details.clone(),
            Some(_) => return Err(EventError::Member("details", "an object")),
        };
        Ok(Self {
            timestamp: timestamp.ok_or(EventError::Member("timestamp", "an instant of RFC 3339"))?,
            trace: trace.ok_or(EventError::Member("trace_id", "1 to 128 visible characters"))?,
            draft: Draft {
                event_type: event_type.ok_or(EventError::Member("event_type", "one of §6.4 or a reverse-domain name"))?,
                actor: actor(&object)?,
                target: target(&object)?,
                result: result.ok_or(EventError::Member("result", "`SUCCESS`, `FAILURE`, `BLOCKED` or `PENDING`"))?,
                details,
            },
        })
    }

    /// Returns the sequence number of a notification, from either carrier.
    #[must_use]
    pub fn seq(params: &Raw) -> Option<u64> {
        crate::carrier::get(params, "seq")?.as_u64()
    }

    /// Returns the event to store for an event that a server sends (D11): the server, and its statement. It has a type of its own, so that no server
    /// can pretend that the gateway granted or executed something. It is never forwarded.
    #[must_use]
    pub fn reported(server: &ServerId, params: Option<&Raw>, now: Timestamp, otherwise: TraceId, redactor: &Redactor) -> Self {
        let params = params.cloned().unwrap_or_else(Raw::object_empty);
        let trace = TraceId::read(Some(&params)).unwrap_or(otherwise);
        let is_valid = Self::read(&params).is_ok();
        let details = ObjectBuilder::new()
            .flag("verified", false)
            .flag("well_formed", is_valid)
            .raw("reported", &redactor.redact(&params))
            .finish();
        let draft = Draft::new(EventType::REPORTED, Actor::server(server), Target::server(server), Outcome::Success);
        draft.details(details).at(now, trace)
    }
}

fn members(name: &'static str, raw: &Raw) -> Result<Object, EventError> {
    raw.object().map_err(|error| EventError::Object(name, error))
}

fn text(object: &Object, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(std::borrow::Cow::into_owned)
}

fn id(object: &Object, key: &str) -> Option<String> {
    text(object, key)
        .filter(|id| !id.is_empty() && id.len() <= LONGEST)
        .map(|id| shown(&id))
}

fn actor(object: &Object) -> Result<Actor, EventError> {
    let actor = object.get("actor").ok_or(EventError::Member("actor", "an object"))?;
    let actor = members("actor", actor)?;
    let kind = text(&actor, "type").and_then(|word| ActorKind::parse(&word));
    Ok(Actor {
        kind: kind.ok_or(EventError::Member("actor.type", "`agent`, `operator`, `server` or `kernel`"))?,
        id: id(&actor, "id").ok_or(EventError::Member("actor.id", "a text"))?,
    })
}

fn target(object: &Object) -> Result<Target, EventError> {
    let target = object.get("target").ok_or(EventError::Member("target", "an object"))?;
    let target = members("target", target)?;
    Ok(Target {
        server: id(&target, "server_id").ok_or(EventError::Member("target.server_id", "a text"))?,
        tool: id(&target, "tool_name"),
    })
}
