//! Classifies a client's message: a request of either era, a notification, or the answer to a question.

use std::borrow::Cow;
use std::sync::Arc;

use jsonrpc::{ErrorObject, Id, Kind, Message, Object, Raw, RawKind};
use model::Trace;

use super::session::{Call, CallKind, Handshake, Session};
use super::{Arrival, Filter, Output};
use crate::capabilities::ClientCapabilities;
use crate::error;
use crate::error::Stage;
use crate::exchange::{Method, Peer, Request, Retry};
use crate::meta::{LogLevel, ModernMeta, key};
use crate::method::{self, Side};
use crate::mirror;
use crate::revision::{self, Era, Revision};

impl Session {
    /// Handles a message of the client.
    pub(super) fn take_in(&mut self, message: Message, arrival: Arrival) {
        match message.kind() {
            Kind::Request => self.request(&message, arrival),
            Kind::Notification => self.notification(&message, &arrival),
            Kind::Response => self.response(message),
        }
    }

    fn request(&mut self, message: &Message, arrival: Arrival) {
        let Some(id) = message.id() else { return };
        let meta = meta_of(message);
        let modern = self.is_modern(message, meta.as_ref(), &arrival);
        let taken = match message.method() {
            // 2026-07-28 basic/versioning: `initialize` selects the legacy era, whatever the transport shows beside it.
            Some("initialize") if !has(meta.as_ref(), key::PROTOCOL_VERSION) => self.initialize(message, id),
            Some("ping") if !modern => {
                self.reply(Message::result(id, &Raw::object_empty()), 200);
                Ok(())
            }
            _ if modern => self.modern_request(message, id, meta.as_ref(), arrival),
            _ => self.legacy_request(message, id, meta.as_ref(), arrival),
        };
        if let Err(refusal) = taken {
            let status = if self.legacy_peer().is_some() {
                200
            } else {
                error::http_status(&refusal, Stage::Envelope)
            };
            self.reply(Message::failure(Some(id), &refusal), status);
        }
    }

    /// Returns whether a request is modern: it names its version, in `_meta` or in a mirror. Before any `initialize`,
    /// one that only a modern client sends is modern too, so that the client is told what is missing.
    fn is_modern(&self, message: &Message, meta: Option<&Raw>, arrival: &Arrival) -> bool {
        let mirrored = || {
            let shown = arrival.mirrors.as_ref().and_then(|mirrors| mirrors.revision.as_deref());
            shown.is_some_and(is_modern_revision)
        };
        let opens = || message.method() == Some("server/discover") || has(meta, key::CLIENT_CAPABILITIES);
        has(meta, key::PROTOCOL_VERSION) || mirrored() || (self.legacy_peer().is_none() && opens())
    }

    fn initialize(&mut self, message: &Message, id: &Id) -> Result<(), ErrorObject> {
        if self.legacy_peer().is_some() {
            return Err(ErrorObject::invalid_request("this session is initialized already; open a new one"));
        }
        let params = members(message)?;
        let requested = params.get("protocolVersion").and_then(Raw::as_str);
        let requested = requested.ok_or_else(|| ErrorObject::invalid_params("`initialize` needs `protocolVersion`, a string"))?;
        let peer = Arc::new(Peer {
            revision: revision::negotiate(&requested),
            capabilities: ClientCapabilities::new(params.get("capabilities").cloned().unwrap_or_else(Raw::object_empty)),
            info: params.get("clientInfo").cloned(),
        });
        let method = method_of("initialize", peer.revision)?;
        let ticket = self.begin(id, method, &peer, CallKind::Initialize, None, None)?;
        self.handshake = Handshake::Legacy(peer.clone());
        self.push(Output::Hello(ticket, peer));
        Ok(())
    }

    fn legacy_request(&mut self, message: &Message, id: &Id, meta: Option<&Raw>, arrival: Arrival) -> Result<(), ErrorObject> {
        let Some(peer) = self.legacy_peer().cloned() else {
            // 2026-07-28 basic: a request without the required fields is -32602. A client that meant an older revision
            // is told how to begin there.
            return Err(ErrorObject::invalid_params(format_args!(
                "`_meta` with `{}` is missing; a client of an older protocol version sends `initialize` first",
                key::PROTOCOL_VERSION
            )));
        };
        let method = method_of(message.method().unwrap_or_default(), peer.revision)?;
        let members = members(message)?;
        let (progress, trace) = token_and_trace(meta)?;
        // A level is the session's; the kernel passes it on to servers and answers.
        let log_level = if method.is("logging/setLevel") {
            Some(level(members)?)
        } else {
            self.log_level
        };
        let ticket = self.begin(id, method.clone(), &peer, CallKind::Request, progress.clone(), None)?;
        self.log_level = log_level;
        let request = Request {
            message: message.clone(),
            method,
            params: message.params(),
            peer,
            progress,
            log_level,
            trace: if arrival.trace.is_empty() { trace } else { arrival.trace },
            retry: None,
            rename: None,
            mirrors: None,
            headers: None,
        };
        self.push(Output::Request(ticket, Box::new(request)));
        Ok(())
    }

    fn modern_request(&mut self, message: &Message, id: &Id, meta: Option<&Raw>, arrival: Arrival) -> Result<(), ErrorObject> {
        let name = message.method().unwrap_or_default();
        // Which fields a request of another revision must have is not known here: its version is refused first.
        let meta = ModernMeta::of(meta).map_err(|error| foreign_version(meta).unwrap_or(error))?;
        let members = members(message)?;
        let mirrors = arrival.mirrors;
        if let Some(mirrors) = &mirrors {
            mirror::validate_envelope(mirrors, name, members, &meta.version)?;
        }
        let revision = Revision::parse(&meta.version).filter(|revision| revision.is_modern());
        let revision = revision.ok_or_else(|| error::unsupported_version(&meta.version, &[Revision::LATEST]))?;
        let method = method_of(name, revision)?;
        let kind = match name {
            "server/discover" => CallKind::Discover,
            "subscriptions/listen" => CallKind::Listen { piped: mirrors.is_none() },
            _ => CallKind::Request,
        };
        let listens = matches!(kind, CallKind::Listen { .. });
        if listens {
            has_filter(members)?;
            Filter::read(message.params().as_ref()).check()?;
        }
        let peer = self.modern_peer(&meta, revision);
        let ticket = self.begin(id, method.clone(), &peer, kind, meta.progress_token.clone(), meta.log_level)?;
        if kind == CallKind::Discover {
            self.push(Output::Hello(ticket, peer));
            return Ok(());
        }
        let request = Box::new(Request {
            message: message.clone(),
            method,
            params: message.params(),
            peer,
            progress: meta.progress_token,
            log_level: meta.log_level,
            trace: if arrival.trace.is_empty() { meta.trace } else { arrival.trace },
            retry: retry_of(members),
            rename: None,
            mirrors,
            headers: None,
        });
        self.push(if listens {
            Output::Listen(ticket, request)
        } else {
            Output::Request(ticket, request)
        });
        Ok(())
    }

    fn modern_peer(&mut self, meta: &ModernMeta, revision: Revision) -> Arc<Peer> {
        if let Some(last) = &self.last_peer
            && last.revision == revision
            && last.capabilities.raw() == meta.capabilities.raw()
            && last.info == meta.client_info
        {
            return last.clone();
        }
        let peer = Arc::new(Peer {
            revision,
            capabilities: meta.capabilities.clone(),
            info: meta.client_info.clone(),
        });
        self.last_peer = Some(peer.clone());
        peer
    }

    fn begin(
        &mut self,
        id: &Id,
        method: Method,
        peer: &Arc<Peer>,
        kind: CallKind,
        progress: Option<Raw>,
        log_level: Option<LogLevel>,
    ) -> Result<model::Ticket, ErrorObject> {
        let ticket = self.ticket();
        if self.early.take(id, ticket.0) {
            return Err(ErrorObject::new(
                jsonrpc::code::INVALID_REQUEST,
                "the request was cancelled before it arrived",
            ));
        }
        self.in_flight.insert(id.clone(), ticket).map_err(|refused| match refused {
            jsonrpc::Refused::Duplicate => {
                ErrorObject::invalid_request(format!("a request with the id {} is being answered; use a new id", id.raw().text()))
            }
            jsonrpc::Refused::Full => {
                ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, "too many unanswered requests; wait for some answers")
            }
        })?;
        self.calls.insert(
            ticket,
            Call {
                id: id.clone(),
                peer: peer.clone(),
                kind,
                progress,
                log_level,
                method,
            },
        );
        Ok(ticket)
    }

    fn notification(&mut self, message: &Message, arrival: &Arrival) {
        match message.method().unwrap_or_default() {
            "notifications/initialized" if self.legacy_peer().is_some() && !self.initialized => {
                self.initialized = true;
                self.push(Output::Initialized);
            }
            "notifications/initialized" => {}
            "notifications/cancelled" => self.cancelled(message, arrival),
            "notifications/progress" => self.ask_progress(message),
            name if self.may_notify(name) => self.push(Output::Notify(message.clone())),
            _ => {}
        }
    }

    /// Returns whether the client's revision has it as a client's notification; what the core does not know is an extension's.
    fn may_notify(&self, name: &str) -> bool {
        let revision = self.legacy_peer().map_or(Revision::LATEST, |peer| peer.revision);
        method::named(name).is_empty() || method::lookup(name, Side::Client, revision).is_some()
    }

    /// Handles a client's `notifications/cancelled`. 2025-11-25 basic/utilities/cancellation: an unknown id is ignored,
    /// unless its request may still arrive, and `initialize` can't be cancelled.
    fn cancelled(&mut self, message: &Message, arrival: &Arrival) {
        let Some(params) = message.params() else { return };
        let Some(id) = params.get("requestId").and_then(|raw| Id::parse(&raw)) else {
            return;
        };
        let Some(ticket) = self.in_flight.get(&id).copied() else {
            let may_overtake = arrival.mirrors.is_some();
            if may_overtake {
                self.early.remember(id, self.next_ticket);
            }
            return;
        };
        if self.calls.get(&ticket).is_some_and(|call| call.kind == CallKind::Initialize) {
            return;
        }
        self.end(ticket);
        let reason = params.get("reason").and_then(|r| r.as_str().map(Cow::into_owned));
        self.push(Output::Cancelled(ticket, reason));
        self.take_back_asked_in(ticket);
    }
}

fn is_modern_revision(text: &str) -> bool {
    Revision::parse(text).map_or_else(|| text > Revision::LATEST_LEGACY.as_str(), |revision| revision.era() == Era::Modern)
}

/// Returns the members of a request's params. A key that occurs twice is refused where the gateway reads, because the
/// server might read the other one (DESIGN, Laws: What policy judged is what is sent).
fn members(message: &Message) -> Result<&Object, ErrorObject> {
    if message.params().is_some_and(|params| params.kind() != RawKind::Object) {
        return Err(ErrorObject::invalid_params("`params` must be an object"));
    }
    message.members().map_err(ErrorObject::invalid_params)
}

/// Returns a request's `_meta`; of several, the first, so that the request is refused with an error of its era.
fn meta_of(message: &Message) -> Option<Raw> {
    match message.members() {
        Ok(members) => members.get(key::META).cloned(),
        Err(_) => message.params()?.get(key::META),
    }
}

fn has(meta: Option<&Raw>, name: &str) -> bool {
    meta.is_some_and(|meta| meta.get(name).is_some())
}

/// Returns the refusal of a request whose `_meta` names a version that the gateway does not serve.
fn foreign_version(meta: Option<&Raw>) -> Option<ErrorObject> {
    let version = meta?.get(key::PROTOCOL_VERSION)?;
    let version = version.as_str()?;
    let spoken = Revision::parse(&version).is_some_and(Revision::is_modern);
    (!spoken).then(|| error::unsupported_version(&version, &[Revision::LATEST]))
}

fn retry_of(params: &Object) -> Option<Retry> {
    let retry = Retry {
        responses: params.get("inputResponses").cloned(),
        state: params.get("requestState").cloned(),
    };
    (retry.responses.is_some() || retry.state.is_some()).then_some(retry)
}

/// Returns the progress token and the trace of a legacy request's `_meta`, where that is an object.
fn token_and_trace(meta: Option<&Raw>) -> Result<(Option<Raw>, Trace), ErrorObject> {
    let Some(meta) = meta.filter(|meta| meta.kind() == RawKind::Object) else {
        return Ok((None, Trace::default()));
    };
    let meta = meta
        .object()
        .map_err(|e| ErrorObject::invalid_params(format_args!("`_meta`: {e}")))?;
    let token = meta.get(key::PROGRESS_TOKEN);
    let token = token.filter(|token| matches!(token.kind(), RawKind::String | RawKind::Number));
    let text = |name| meta.get(name).and_then(Raw::as_str).map(Cow::into_owned);
    let trace = Trace {
        parent: text(key::TRACEPARENT),
        state: text(key::TRACESTATE),
        baggage: text(key::BAGGAGE),
        named: None,
    };
    Ok((token.cloned(), trace))
}

/// Reads the level of a `logging/setLevel`. 2025-11-25 server/utilities/logging: an invalid level is -32602.
fn level(params: &Object) -> Result<LogLevel, ErrorObject> {
    params
        .get("level")
        .and_then(|level| LogLevel::parse(&level.as_str()?))
        .ok_or_else(|| {
            ErrorObject::invalid_params("`level` must be one of debug, info, notice, warning, error, critical, alert, emergency")
        })
}

/// Checks that a `subscriptions/listen` has its filter, which is required (2026-07-28 schema,
/// `SubscriptionsListenRequestParams`).
fn has_filter(params: &Object) -> Result<(), ErrorObject> {
    let filter = params.get("notifications");
    let filter = filter.ok_or_else(|| ErrorObject::invalid_params("`subscriptions/listen` needs `notifications`, an object"))?;
    let read = filter.object().map(drop);
    read.map_err(|e| ErrorObject::invalid_params(format_args!("`notifications`: {e}")))
}

fn method_of(name: &str, revision: Revision) -> Result<Method, ErrorObject> {
    Method::of(name, revision).ok_or_else(|| ErrorObject::method_not_found(name))
}
