//! What a client's message means: a request of either era, a notification, or the answer to a question.

use std::sync::Arc;

use jsonrpc::{ErrorObject, Id, Kind, Message, Raw};

use super::session::{Call, CallKind, Handshake, Session};
use super::{Arrival, Output};
use crate::capabilities::ClientCapabilities;
use crate::error;
use crate::error::Stage;
use crate::exchange::{Method, Peer, Request, Retry};
use crate::meta::{self, LogLevel, ModernMeta};
use crate::mirror;
use crate::revision::{self, Era, Revision};

impl Session {
    pub(super) fn take_in(&mut self, message: Message, arrival: Arrival) {
        match message.kind() {
            Kind::Request => self.request(message, arrival),
            Kind::Notification => self.notification(&message),
            Kind::Response => self.response(message),
        }
    }

    fn request(&mut self, message: Message, arrival: Arrival) {
        let (Some(id), Some(name)) = (message.id().cloned(), message.method().map(str::to_owned)) else {
            return;
        };
        let taken = match name.as_str() {
            "initialize" if !names_modern(&message) => self.initialize(message, &id),
            "ping" if !names_modern(&message) => {
                self.reply(Message::result(&id, &Raw::object_empty()), 200);
                Ok(())
            }
            _ if self.is_modern(&message, &arrival) => self.modern_request(message, &id, &name, arrival),
            _ => self.legacy_request(message, &id, &name, arrival),
        };
        if let Err(refusal) = taken {
            let status = if self.legacy_peer().is_some() {
                200
            } else {
                error::http_status(&refusal, Stage::Envelope)
            };
            self.reply(Message::failure(Some(&id), &refusal), status);
        }
    }

    /// A request is modern when it says so, in `_meta` or in a mirror; a client that was never initialized and says nothing is told what is missing.
    fn is_modern(&self, message: &Message, arrival: &Arrival) -> bool {
        let mirrored = || {
            arrival
                .mirrors
                .as_ref()
                .and_then(|m| m.revision.as_deref())
                .is_some_and(is_modern_revision)
        };
        names_modern(message) || mirrored() || (self.legacy_peer().is_none() && message.method() == Some("server/discover"))
    }

    fn initialize(&mut self, message: Message, id: &Id) -> Result<(), ErrorObject> {
        if self.legacy_peer().is_some() {
            return Err(ErrorObject::invalid_request("this session is initialized already; open a new one"));
        }
        let params = message
            .params()
            .ok_or_else(|| ErrorObject::invalid_params("`initialize` needs params"))?;
        let requested = params
            .get("protocolVersion")
            .and_then(|v| v.as_str().map(std::borrow::Cow::into_owned));
        let requested = requested.ok_or_else(|| ErrorObject::invalid_params("`initialize` needs `protocolVersion`, a string"))?;
        let peer = Arc::new(Peer {
            revision: revision::negotiate(&requested),
            capabilities: ClientCapabilities::new(params.get("capabilities").unwrap_or_else(Raw::object_empty)),
            info: params.get("clientInfo"),
        });
        self.handshake = Handshake::Legacy(peer.clone());
        let method = method_of("initialize", peer.revision)?;
        let ticket = self.begin(id, method, &peer, CallKind::Initialize, None, None)?;
        self.push(Output::Hello(ticket, peer));
        Ok(())
    }

    fn legacy_request(&mut self, message: Message, id: &Id, name: &str, arrival: Arrival) -> Result<(), ErrorObject> {
        let Some(peer) = self.legacy_peer().cloned() else {
            return Err(ErrorObject::invalid_request(
                "say `initialize` first, or name the protocol version in `_meta[\"io.modelcontextprotocol/protocolVersion\"]`",
            ));
        };
        let method = method_of(name, peer.revision)?;
        if name == "logging/setLevel" {
            return self.set_level(&message, id, peer, method);
        }
        let params = message.params();
        let progress = meta::progress_token(params.as_ref());
        let trace = trace_of(params.as_ref(), arrival.trace);
        let ticket = self.begin(id, method.clone(), &peer, CallKind::Request, progress.clone(), None)?;
        let log_level = self.log_level;
        let request = Request {
            message,
            method,
            params,
            peer,
            progress,
            log_level,
            trace,
            retry: None,
            rename: None,
            mirrors: None,
            headers: None,
        };
        self.push(Output::Request(ticket, Box::new(request)));
        Ok(())
    }

    /// The level is the session's; the kernel passes it on to servers and answers.
    fn set_level(&mut self, message: &Message, id: &Id, peer: Arc<Peer>, method: Method) -> Result<(), ErrorObject> {
        let params = message.params();
        let level = params
            .as_ref()
            .and_then(|p| p.get("level"))
            .and_then(|v| LogLevel::parse(&v.as_str()?));
        let level = level.ok_or_else(|| {
            ErrorObject::invalid_params("`level` must be one of debug, info, notice, warning, error, critical, alert, emergency")
        })?;
        let ticket = self.begin(id, method.clone(), &peer, CallKind::Request, None, None)?;
        self.log_level = Some(level);
        self.push(Output::LogLevel(level));
        let request = Request {
            message: message.clone(),
            method,
            params,
            peer,
            progress: None,
            log_level: Some(level),
            trace: model::Trace::default(),
            retry: None,
            rename: None,
            mirrors: None,
            headers: None,
        };
        self.push(Output::Request(ticket, Box::new(request)));
        Ok(())
    }

    fn modern_request(&mut self, message: Message, id: &Id, name: &str, arrival: Arrival) -> Result<(), ErrorObject> {
        let params = message.params();
        let meta = ModernMeta::read(params.as_ref())?;
        let mirrors = arrival.mirrors;
        if let Some(mirrors) = &mirrors {
            mirror::validate(mirrors, name, params.as_ref(), None)?;
        }
        let revision = Revision::parse(&meta.version).filter(|revision| revision.is_modern());
        let revision = revision.ok_or_else(|| error::unsupported_version(&meta.version, &[Revision::LATEST]))?;
        let method = method_of(name, revision)?;
        let peer = self.modern_peer(&meta, revision);
        let kind = match name {
            "server/discover" => CallKind::Discover,
            "subscriptions/listen" => CallKind::Listen,
            _ => CallKind::Request,
        };
        let progress = meta.progress_token.clone();
        let retry = params.as_ref().and_then(retry_of);
        let trace = trace_of(params.as_ref(), arrival.trace);
        let ticket = self.begin(id, method.clone(), &peer, kind, progress.clone(), meta.log_level)?;
        let request = Box::new(Request {
            message,
            method,
            params,
            peer: peer.clone(),
            progress,
            log_level: meta.log_level,
            trace,
            retry,
            rename: None,
            mirrors,
            headers: None,
        });
        self.push(match kind {
            CallKind::Discover => Output::Hello(ticket, peer),
            CallKind::Listen => Output::Listen(ticket, request),
            CallKind::Initialize | CallKind::Request => Output::Request(ticket, request),
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

    fn notification(&mut self, message: &Message) {
        match message.method().unwrap_or_default() {
            "notifications/initialized" => self.push(Output::Initialized),
            "notifications/cancelled" => self.cancelled(message),
            "notifications/progress" => self.ask_progress(message),
            _ => self.push(Output::Notify(message.clone())),
        }
    }

    /// 2025-11-25 basic/utilities/cancellation: an unknown id is ignored, and `initialize` can't be cancelled.
    fn cancelled(&mut self, message: &Message) {
        let Some(params) = message.params() else { return };
        let Some(id) = params.get("requestId").and_then(|raw| Id::parse(&raw)) else {
            return;
        };
        let Some(ticket) = self.in_flight.get(&id).copied() else { return };
        if self.calls.get(&ticket).is_some_and(|call| call.kind == CallKind::Initialize) {
            return;
        }
        self.in_flight.take(&id);
        self.calls.remove(&ticket);
        let reason = params.get("reason").and_then(|r| r.as_str().map(std::borrow::Cow::into_owned));
        self.push(Output::Cancelled(ticket, reason));
    }
}

fn names_modern(message: &Message) -> bool {
    meta::is_modern(message.params().as_ref())
}

fn is_modern_revision(text: &str) -> bool {
    Revision::parse(text).map_or_else(|| text > Revision::LATEST_LEGACY.as_str(), |revision| revision.era() == Era::Modern)
}

fn retry_of(params: &Raw) -> Option<Retry> {
    let retry = Retry {
        responses: params.get("inputResponses"),
        state: params.get("requestState"),
    };
    (retry.responses.is_some() || retry.state.is_some()).then_some(retry)
}

fn trace_of(params: Option<&Raw>, shown: model::Trace) -> model::Trace {
    if shown.is_empty() { meta::trace(params) } else { shown }
}

fn method_of(name: &str, revision: Revision) -> Result<Method, ErrorObject> {
    Method::of(name, revision).ok_or_else(|| ErrorObject::method_not_found(name))
}
