//! The start of a connection: `initialize` in the legacy era, `server/discover` in the modern.

use jsonrpc::{Id, Message, Raw};
use model::Ticket;

use super::session::{Call, Session};
use super::{CallError, HandshakeError, Outgoing, Output, Placed, Ready};
use crate::capabilities::ClientCapabilities;
use crate::exchange::{Advertised, Method, Outcome};
use crate::meta::key;
use crate::mirror;
use crate::mirror::Mirrors;
use crate::revision::{Era, Revision};

/// What the gateway declares to a server.
#[derive(Clone, Debug)]
pub struct ClientHello {
    /// The relayed capabilities (DESIGN 1: an intersection, never invented).
    pub capabilities: ClientCapabilities,
    /// `clientInfo`
    pub info: Raw,
}

impl Session {
    /// Places the first call of a connection.
    ///
    /// # Errors
    /// Never on a new connection.
    pub fn hello(&mut self, hello: &ClientHello) -> Result<Placed, CallError> {
        let name = if self.era == Era::Legacy { "initialize" } else { "server/discover" };
        let method = Method::of(name, self.revision).unwrap_or_else(|| Method::Extension(name.into()));
        let call = Call {
            method,
            inspect: false,
            logs: false,
            modern: false,
        };
        let number = self.calls.insert(None, call).map_err(|_| CallError::Full(1))?;
        self.hello = Some(number);
        let params = match self.era {
            Era::Legacy => Raw::object_empty()
                .edit()
                .set(&["protocolVersion"], &Raw::string(Revision::LATEST_LEGACY.as_str()))
                .set(&["capabilities"], hello.capabilities.raw())
                .set(&["clientInfo"], &hello.info)
                .finish(),
            Era::Modern => Raw::object_empty()
                .edit()
                .set(&["_meta", key::PROTOCOL_VERSION], &Raw::string(self.revision.as_str()))
                .set(&["_meta", key::CLIENT_INFO], &hello.info)
                .set(&["_meta", key::CLIENT_CAPABILITIES], hello.capabilities.raw())
                .finish(),
        };
        let message = Message::request(&Id::number(number), name, Some(&params));
        let mirrors = match self.era {
            Era::Legacy => Mirrors::default(),
            Era::Modern => mirror::mirrors_for(self.revision, name, Some(&params), None).map_err(CallError::Mirror)?,
        };
        Ok(Placed {
            ticket: Ticket(number),
            outgoing: Outgoing { message, mirrors },
        })
    }

    /// Judges the answer to [`Session::hello`].
    pub(super) fn greeted(&mut self, outcome: Outcome) {
        let ready = match outcome {
            Outcome::Result(answered) if self.era == Era::Legacy => self.initialized(&answered.result),
            Outcome::Result(answered) => self.discovered(&answered.result),
            Outcome::InputRequired(_) => Err(HandshakeError::Incomplete("server/discover", "capabilities")),
            Outcome::Error(failed) => Err(HandshakeError::Refused(failed.error)),
        };
        match ready {
            Ok(ready) => {
                if self.era == Era::Legacy {
                    self.send(Message::notification("notifications/initialized", None));
                }
                self.push(Output::Ready(Box::new(ready)));
            }
            Err(error) => self.push(Output::Failed(error)),
        }
    }

    fn initialized(&mut self, result: &Raw) -> Result<Ready, HandshakeError> {
        let version = text(result, "protocolVersion").ok_or(HandshakeError::Incomplete("initialize", "protocolVersion"))?;
        let revision = Revision::parse(&version).filter(|r| r.era() == Era::Legacy);
        self.revision = revision.ok_or(HandshakeError::UnknownRevision(version))?;
        let info = result.get("serverInfo").unwrap_or_else(Raw::object_empty);
        Ok(Ready {
            revision: self.revision,
            offer: offer(result, info),
        })
    }

    fn discovered(&mut self, result: &Raw) -> Result<Ready, HandshakeError> {
        let versions = result
            .get("supportedVersions")
            .ok_or(HandshakeError::Incomplete("server/discover", "supportedVersions"))?;
        let known = |raw: &Raw| raw.as_str().and_then(|v| Revision::parse(&v)).filter(|r| r.era() == Era::Modern);
        let best = versions.items().iter().filter_map(known).max();
        self.revision = best.ok_or_else(|| HandshakeError::UnknownRevision(versions.text().to_owned()))?;
        let info = result.at(&["_meta", key::SERVER_INFO]).unwrap_or_else(Raw::object_empty);
        Ok(Ready {
            revision: self.revision,
            offer: offer(result, info),
        })
    }
}

fn offer(result: &Raw, info: Raw) -> Advertised {
    Advertised {
        capabilities: result.get("capabilities").unwrap_or_else(Raw::object_empty),
        info,
        instructions: text(result, "instructions"),
    }
}

fn text(result: &Raw, key: &str) -> Option<String> {
    result.get(key)?.as_str().map(std::borrow::Cow::into_owned)
}
