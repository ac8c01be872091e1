//! Connects a line: chooses the era and the transport, completes the handshake, and restores the line's state on the new connection (DESIGN 2).

use std::sync::{Arc, Weak};
use std::time::Duration;

use jsonrpc::ErrorObject;
use mcp::exchange::Outcome;
use mcp::method::ListKind;
use mcp::revision::{Era, Revision};
use mcp::server::HandshakeError;
use model::{Principal, Trace};

use crate::call::Call;
use crate::event::ServerEvent;
use crate::line::Line;
use crate::link::{Link, LinkError};
use crate::session::{Owner, Session};
use crate::spec::{EraChoice, HttpKind, Launch};
use crate::unavailable::Unavailable;
use crate::waiter::CallEvent;
use crate::{fetch, listener};

/// The time in which a child has to answer the probe of the modern era.
const PROBE: Duration = Duration::from_secs(10);

/// The time that the first call waits for the session's own stream; a server may answer that request only with its first message.
const STREAM_WAIT: Duration = Duration::from_millis(500);

/// The outcome of a handshake.
enum Greeting {
    Ready,
    Refused(HandshakeError),
    Http(u16, String),
    Lost(String),
    NotSent(String),
}

impl Line {
    /// Returns the connection: the one there is, or a new one.
    ///
    /// # Errors
    /// When the server can't be reached, or an attempt has just failed.
    pub async fn session(self: &Arc<Self>) -> Result<Arc<Session>, Unavailable> {
        self.touch();
        match self.live() {
            Some(session) => Ok(session),
            None => Box::pin(self.reconnect()).await,
        }
    }

    async fn reconnect(self: &Arc<Self>) -> Result<Arc<Session>, Unavailable> {
        let _alone = self.connecting.lock().await;
        if let Some(session) = self.live() {
            return Ok(session);
        }
        let retired = || Unavailable::lasting("it was removed from the configuration, or changed");
        if self.server.is_retired() {
            return Err(retired());
        }
        self.server.check_backoff()?;
        match connect(self).await {
            Ok(session) => {
                self.live.store(Some(session.clone()));
                if self.server.is_retired() {
                    self.hang_up("the server was removed from the configuration, or changed");
                    return Err(retired());
                }
                self.server.came_up();
                self.resume(&session);
                Ok(session)
            }
            Err(error) => {
                self.server.went_down(&error);
                Err(error)
            }
        }
    }

    /// Restores on a new connection what the line's sharers want of it: subscriptions and the log level. Then reads what the server offers now.
    fn resume(self: &Arc<Self>, session: &Arc<Session>) {
        fetch::refresh(self, session, &ListKind::ALL);
        if session.era() == Era::Modern {
            listener::start(self, session);
        }
        fetch::restore(session, self.subscriptions(), self.level());
    }

    /// Returns whether the line is the gateway's own.
    fn is_own(&self) -> bool {
        let key = &self.key;
        let is_plain = key.capabilities == *self.server.no_capabilities() && key.client.is_none() && key.lane == 0;
        is_plain && key.principal == Principal::local().id
    }
}

/// Connects a line once.
async fn connect(line: &Arc<Line>) -> Result<Arc<Session>, Unavailable> {
    let spec = &line.server.spec;
    let launch = spec.launch.as_ref().map_err(|why| Unavailable::lasting(why.clone()))?;
    let limit = spec.startup_timeout;
    let attempt = async {
        match launch {
            Launch::Stdio { .. } | Launch::Builtin(_) => connect_stdio(line).await,
            Launch::Http { kind, .. } => connect_http(line, *kind).await,
        }
    };
    let mut attempt = std::pin::pin!(attempt);
    match tokio::time::timeout(limit, &mut attempt).await {
        Ok(connected) => connected,
        Err(_) => Err(Unavailable::new(format!(
            "it did not complete the handshake within {} s; if it is only slow to start, raise `startup_timeout`",
            limit.as_secs_f32()
        ))
        // The attempt still holds the process: its stderr often says what it waits for.
        .saying(line.newest().map(|session| session.last_words()).unwrap_or_default())),
    }
}

async fn connect_stdio(line: &Arc<Line>) -> Result<Arc<Session>, Unavailable> {
    let era = match line.server.spec.era {
        EraChoice::Legacy => Some(Era::Legacy),
        EraChoice::Modern => Some(Era::Modern),
        EraChoice::Auto => line.server.known_era(),
    };
    if let Some(era) = era {
        let session = open(line, era, None).await?;
        let greeting = greet(line, &session).await;
        return settle(line, session, greeting).await;
    }
    let session = open(line, Era::Modern, None).await?;
    let greeting = tokio::time::timeout(PROBE, greet(line, &session)).await;
    match greeting {
        Ok(Greeting::Ready) => settle(line, session, Greeting::Ready).await,
        Ok(Greeting::Lost(_) | Greeting::NotSent(_)) => {
            let session = open(line, Era::Legacy, None).await?;
            let greeting = greet(line, &session).await;
            settle(line, session, greeting).await
        }
        // Any answer but a good one, or none in time, is a legacy server: it gets `initialize` on the same pipe.
        _ => {
            session.begin_again(Era::Legacy);
            let mut greeting = greet(line, &session).await;
            // A server that was only slow has read the probe in the meantime, and supports no `initialize`.
            if names_modern(&greeting) {
                session.begin_again(Era::Modern);
                greeting = greet(line, &session).await;
            }
            settle(line, session, greeting).await
        }
    }
}

/// Returns whether a probe was refused for its version only, by a server that names a modern version, be it another one or the one of the probe.
fn names_modern(greeting: &Greeting) -> bool {
    let Greeting::Refused(HandshakeError::Refused(error)) = greeting else {
        return false;
    };
    let supported = mcp::error::supported_versions(error);
    error.code == mcp::error::UNSUPPORTED_VERSION && supported.iter().filter_map(|v| Revision::parse(v)).any(Revision::is_modern)
}

async fn connect_http(line: &Arc<Line>, kind: HttpKind) -> Result<Arc<Session>, Unavailable> {
    if kind == HttpKind::Sse || line.server.speaks_sse() {
        return connect_sse(line).await;
    }
    let era = match line.server.spec.era {
        EraChoice::Legacy => Some(Era::Legacy),
        EraChoice::Modern => Some(Era::Modern),
        EraChoice::Auto => line.server.known_era(),
    };
    if era != Some(Era::Legacy) {
        let session = open(line, Era::Modern, None).await?;
        match greet(line, &session).await {
            Greeting::Ready => return settle(line, session, Greeting::Ready).await,
            Greeting::NotSent(why) => return Err(unreachable(&why)),
            // 2026-07-28 basic/versioning: one that names modern versions is not asked in the legacy era.
            failed if names_modern(&failed) => {
                let session = open(line, Era::Modern, None).await?;
                let greeting = greet(line, &session).await;
                return settle(line, session, greeting).await;
            }
            failed if era == Some(Era::Modern) => return settle(line, session, failed).await,
            _ => {}
        }
    }
    let session = open(line, Era::Legacy, None).await?;
    let greeting = greet(line, &session).await;
    if let Greeting::Http(400 | 404 | 405, _) = greeting
        && kind == HttpKind::Auto
        && let Ok(session) = connect_sse(line).await
    {
        return Ok(session);
    }
    settle(line, session, greeting).await
}

async fn connect_sse(line: &Arc<Line>) -> Result<Arc<Session>, Unavailable> {
    let session = open(line, Era::Legacy, Some(HttpKind::Sse)).await?;
    let greeting = greet(line, &session).await;
    let session = settle(line, session, greeting).await?;
    line.server.note_sse();
    Ok(session)
}

async fn open(line: &Arc<Line>, era: Era, kind: Option<HttpKind>) -> Result<Arc<Session>, Unavailable> {
    let context = &line.server.context;
    let owner: Weak<dyn Owner> = Arc::<Line>::downgrade(line);
    let session = Session::new(context, &line.server.spec.id, owner, era);
    line.note_attempt(&session);
    let mut spec = line.server.spec.clone();
    if let (Ok(Launch::Http { kind: configured, .. }), Some(kind)) = (&mut spec.launch, kind) {
        *configured = kind;
    }
    let link = context.connector.connect(&spec, Arc::new(Arc::downgrade(&session))).await;
    let link = link.map_err(|error| match error {
        LinkError::Unreachable(why) => unreachable(&why),
        error @ (LinkError::Spawn { .. } | LinkError::Address { .. }) => Unavailable::new(format!("failed to {error}")),
        error => Unavailable::new(error.to_string()),
    })?;
    drop(session.link.set(link));
    Ok(session)
}

async fn greet(line: &Arc<Line>, session: &Arc<Session>) -> Greeting {
    let context = &line.server.context;
    let declared = session.protocols().iter().fold(line.hello.clone(), |hello, protocol| {
        protocol.declare(&context.config(), hello, session.era())
    });
    let mut call = match Call::hello(session, &declared, &context.own_permit) {
        Ok(call) => call,
        Err(error) => return Greeting::Lost(error.to_string()),
    };
    let mut greeting = None;
    loop {
        match call.next().await {
            CallEvent::Greeted(Ok(())) if !session.is_http() || session.era() == Era::Modern => return Greeting::Ready,
            CallEvent::Greeted(Ok(())) => return greeting.unwrap_or(Greeting::Ready),
            CallEvent::Greeted(Err(error)) => return Greeting::Refused(error),
            // `notifications/initialized` is queued before the greeting: it must have arrived before the first call.
            CallEvent::Aside(outgoing) => {
                if let Some(Link::Http(link)) = session.link.get()
                    && let Err(error) = link.post(session.post_of(outgoing, &Trace::default())).await
                {
                    greeting = Some(Greeting::Lost(error.to_string()));
                }
            }
            CallEvent::Done(outcome) => return failed(&outcome),
            CallEvent::Lost(why) => return Greeting::Lost(why),
            CallEvent::NotSent(why) => return Greeting::NotSent(why),
            CallEvent::SessionGone => return Greeting::Http(404, "unknown session".to_owned()),
            CallEvent::Ask(question) => question.refuse(ErrorObject::invalid_request("the handshake is not complete")),
            CallEvent::Interim(_) => {}
        }
    }
}

fn failed(outcome: &Outcome) -> Greeting {
    let Outcome::Error(failed) = outcome else {
        return Greeting::Lost("the handshake was not answered".to_owned());
    };
    let status = failed
        .error
        .data
        .as_ref()
        .and_then(|data| data.get("httpStatus"))
        .and_then(|s| s.as_u64());
    let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or(0);
    Greeting::Http(status, failed.error.message.clone())
}

async fn settle(line: &Arc<Line>, session: Arc<Session>, greeting: Greeting) -> Result<Arc<Session>, Unavailable> {
    let why = match greeting {
        Greeting::Ready => {
            line.server.note_era(session.era());
            negotiate(line, &session);
            if session.is_http() && session.era() == Era::Legacy {
                // The stream for messages that belong to no call must be open when the first call is made.
                let opened = listener::follow_session(&session);
                drop(tokio::time::timeout(STREAM_WAIT, opened).await);
            }
            return Ok(session);
        }
        Greeting::Refused(error) => Unavailable::new(format!("failed to {error}")),
        Greeting::Http(_, text) => Unavailable::new(text),
        // A child that ends at once may be gone before the first message is written.
        Greeting::NotSent(why) if session.is_http() => unreachable(&why),
        Greeting::Lost(why) | Greeting::NotSent(why) => {
            Unavailable::new(format!("during the handshake: {why}")).saying(session.last_words())
        }
    };
    session.end("the handshake failed");
    Err(why)
}

/// Lets the protocols beside MCP negotiate on a connection whose handshake is complete, and reports the result.
fn negotiate(line: &Arc<Line>, session: &Arc<Session>) {
    let (server, context) = (&line.server, &line.server.context);
    let Some(ready) = session.ready() else { return };
    let config = context.config();
    let negotiated = session
        .protocols()
        .iter()
        .map(|protocol| protocol.ready(&config, &server.spec.id, ready));
    if negotiated.fold(false, |any, this| any | this) {
        server.note_agreement(session.mgp().negotiated().and_then(|outcome| outcome.agreement.as_ref()));
        context.tell(ServerEvent::Negotiated {
            server: server.spec.id.clone(),
            session: session.number,
            own: line.is_own(),
        });
    }
}

fn unreachable(why: &str) -> Unavailable {
    Unavailable::new(format!("no server answers there: {why}"))
}
