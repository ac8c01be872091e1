//! What is addressed by URI: reads, subscriptions of both eras, and completion (DESIGN 4).

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use catalog::{Located, View};
use jsonrpc::{ErrorObject, Raw};
use mcp::client::Filter;
use mcp::exchange::{Outcome, Peer, Request};
use mcp::revision::Era;
use memchr::memmem::Finder;
use model::{PrincipalId, ServerId, Ticket};
use policy::Action;

use crate::client::Client;
use crate::upstream::{Line, Server, fetch};
use crate::{exchange, lists};

/// URIs that are remembered with the server that returned them.
const MAX_RETURNED: usize = 4096;
/// Bytes of one of them; a longer one is not remembered.
const MAX_RETURNED_URI: usize = 4096;
/// How long a modern server may take to acknowledge a subscription.
const ACKNOWLEDGE_WAIT: std::time::Duration = std::time::Duration::from_secs(2);
/// How long beginning or ending a subscription may take.
pub(crate) const SUBSCRIBE_WAIT: std::time::Duration = std::time::Duration::from_secs(10);

/// `resources/read`, `resources/subscribe`, `resources/unsubscribe`.
pub(crate) async fn by_uri(client: &Arc<Client>, ticket: Ticket, request: Box<Request>) -> Outcome {
    let Some(uri) = request.param("uri") else {
        return Outcome::refused(ErrorObject::invalid_params(format!(
            "`{}` needs `uri`, a string",
            request.method.name()
        )));
    };
    let subscribing = request.method.name() != "resources/read";
    if subscribing && let Err(error) = Filter::check_uri(&uri) {
        return Outcome::refused(error);
    }
    let server = match locate(client, &request.peer, &uri).await {
        Ok(server) => server,
        Err(error) => return Outcome::refused(error),
    };
    let id = server.spec.id.clone();
    let action = if subscribing {
        Action::Subscribe { server: &id, uri: &uri }
    } else {
        Action::ReadResource { server: &id, uri: &uri }
    };
    let permit = match client.admit(action, &request.trace).await {
        Ok(permit) => permit,
        Err(error) => return Outcome::refused(error),
    };
    match request.method.name() {
        "resources/subscribe" => subscribe(client, ticket, request, &server, &uri, permit).await,
        "resources/unsubscribe" => unsubscribe(client, ticket, request, &server, &uri, permit).await,
        _ => exchange::dispatch(client, ticket, request, &server, permit).await,
    }
}

/// Exact entry, the one matching template, the server that last returned it, the only server that has resources; else the candidates are named.
async fn locate(client: &Arc<Client>, peer: &Arc<Peer>, uri: &str) -> Result<Arc<Server>, ErrorObject> {
    let view = client.inner.view_for(client, peer);
    let found = match find(client, &view, uri) {
        Ok(found) => Ok(found),
        Err(_) => find(client, &*lists::settled(client, peer).await, uri),
    };
    let id = found.map_err(|candidates| {
        let text = if candidates.is_empty() {
            format!("no server offers the resource `{uri}`{}", client.inner.missing_note(&view))
        } else {
            format!(
                "the resource `{uri}` may belong to several servers ({}); list or read it through one of them first",
                candidates.join(", ")
            )
        };
        let base = mcp::error::resource_not_found(uri, peer.revision);
        ErrorObject { message: text, ..base }
    })?;
    client
        .inner
        .server(&id)
        .ok_or_else(|| ErrorObject::invalid_params(format!("the server `{id}` is not configured any more")))
}

pub(crate) fn find(client: &Client, view: &View, uri: &str) -> Result<ServerId, Vec<String>> {
    let candidates = match view.resource(uri) {
        Located::One(server) => return Ok(server.clone()),
        Located::Many(servers) => servers,
        Located::None => Vec::new(),
    };
    let returned = client.inner.returned.by(&client.principal.id, uri);
    if let Some(server) = returned.filter(|server| candidates.is_empty() || candidates.contains(&server)) {
        return Ok(server);
    }
    if !candidates.is_empty() {
        return Err(candidates.iter().map(ToString::to_string).collect());
    }
    let mut able = view
        .offers()
        .iter()
        .filter(|offer| offer.advertised.capabilities.get("resources").is_some());
    match (able.next(), able.next()) {
        (Some(only), None) => Ok(only.server.clone()),
        (first, second) => Err(first
            .into_iter()
            .chain(second)
            .chain(able)
            .map(|offer| offer.server.to_string())
            .collect()),
    }
}

async fn subscribe(
    client: &Arc<Client>,
    ticket: Ticket,
    request: Box<Request>,
    server: &Arc<Server>,
    uri: &str,
    permit: crate::gate::Permit,
) -> Outcome {
    let line = match server.line_for(client, &request.peer).await {
        Ok((line, _)) => line,
        Err(error) => return exchange::unavailable(client, server, &error),
    };
    match client.subscribe(&server.spec.id, uri) {
        Ok(true) => {}
        Ok(false) => return Outcome::own(Raw::object_empty()),
        Err(error) => return Outcome::refused(error),
    }
    line.attach(client);
    let first = line.subscribe(uri);
    let outcome = if !first || server.known_era() == Some(Era::Modern) {
        joined(client, server, &line, uri).await
    } else {
        exchange::dispatch(client, ticket, request, server, permit).await
    };
    if matches!(outcome, Outcome::Error(_)) {
        client.unsubscribe(&server.spec.id, uri);
        line.unsubscribe(uri);
    }
    outcome
}

/// A subscription that needs no request of its own: the line has it already, or its `subscriptions/listen` carries it to a modern server.
async fn joined(client: &Client, server: &Server, line: &Arc<Line>, uri: &str) -> Outcome {
    match line.session().await {
        Ok(session) => {
            // An update right after the answer must not be missed; a server that does not acknowledge costs a moment.
            if session.era() == Era::Modern {
                drop(tokio::time::timeout(ACKNOWLEDGE_WAIT, line.until_subscribed(uri)).await);
            }
            Outcome::own(Raw::object_empty())
        }
        Err(error) => exchange::unavailable(client, server, &error),
    }
}

async fn unsubscribe(
    client: &Arc<Client>,
    ticket: Ticket,
    request: Box<Request>,
    server: &Arc<Server>,
    uri: &str,
    permit: crate::gate::Permit,
) -> Outcome {
    let line = match server.line_for(client, &request.peer).await {
        Ok((line, _)) => line,
        Err(error) => return exchange::unavailable(client, server, &error),
    };
    if !client.unsubscribe(&server.spec.id, uri) {
        return Outcome::own(Raw::object_empty());
    }
    let last = line.unsubscribe(uri);
    if !last || server.known_era() == Some(Era::Modern) {
        return Outcome::own(Raw::object_empty());
    }
    exchange::dispatch(client, ticket, request, server, permit).await
}

/// Drops one subscription of a client that has gone.
pub(crate) fn unsubscribe_upstream(line: &Arc<Line>, uri: &str) {
    if !line.unsubscribe(uri) {
        return;
    }
    let Some(session) = line.live().filter(|session| session.era() == Era::Legacy) else {
        return;
    };
    let params = Raw::object_empty().edit().set(&["uri"], &Raw::string(uri)).finish();
    session.inner.clone().spawn(async move {
        drop(fetch::ask(&session, "resources/unsubscribe", Some(params), SUBSCRIBE_WAIT).await);
    });
}

/// `completion/complete`: by the prompt or the resource template that is referred to.
pub(crate) async fn complete(client: &Arc<Client>, ticket: Ticket, mut request: Box<Request>) -> Outcome {
    let reference = request.params.as_ref().and_then(|params| params.get("ref"));
    let Some(reference) = reference else {
        return Outcome::refused(ErrorObject::invalid_params("`completion/complete` needs `ref`"));
    };
    let text = |key: &str| reference.get(key).and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    let view = lists::settled(client, &request.peer).await;
    let (server, what) = match (text("type").as_deref(), text("name"), text("uri")) {
        (Some("ref/prompt"), Some(name), _) => match view.prompt(&name) {
            Some(target) => {
                request.rename = (target.item.key != name).then(|| target.item.key.as_str().into());
                (target.server.clone(), target.item.key.as_str().to_owned())
            }
            None => return Outcome::refused(ErrorObject::invalid_params(format!("Unknown prompt: {name}"))),
        },
        (Some("ref/resource"), _, Some(uri)) => {
            let by_template = match view.template(&uri) {
                Located::One(server) => Ok(server.clone()),
                _ => find(client, &view, &uri),
            };
            match by_template {
                Ok(server) => (server, uri),
                Err(_) => {
                    return Outcome::refused(ErrorObject::invalid_params(format!(
                        "no single server has the resource template `{uri}`"
                    )));
                }
            }
        }
        _ => {
            return Outcome::refused(ErrorObject::invalid_params(
                "`ref` must be a `ref/prompt` with `name` or a `ref/resource` with `uri`",
            ));
        }
    };
    let action = Action::Complete {
        server: &server,
        reference: &what,
    };
    let Some(known) = client.inner.server(&server) else {
        return exchange::gone(&server);
    };
    match client.admit(action, &request.trace).await {
        Ok(permit) => exchange::dispatch(client, ticket, request, &known, permit).await,
        Err(error) => Outcome::refused(error),
    }
}

/// Which server last returned a URI to a principal. Bounded: the oldest are forgotten.
#[derive(Debug, Default)]
pub(crate) struct Returned {
    entries: Mutex<VecDeque<(PrincipalId, String, ServerId)>>,
}

impl Returned {
    /// Remembers the URIs in the result of a method: what was read, links and embedded resources. A result that cannot hold one is not parsed.
    pub(crate) fn learn(&self, principal: &PrincipalId, server: &ServerId, method: &str, result: &Raw) {
        let blocks: Vec<Raw> = match method {
            "resources/read" => items(result, "contents"),
            _ if !may_hold_uri(result.bytes()) => return,
            "prompts/get" => {
                let messages = items(result, "messages");
                messages.iter().filter_map(|message| message.get("content")).collect()
            }
            _ => items(result, "content"),
        };
        for block in blocks {
            let uri = block.get("uri").or_else(|| block.at(&["resource", "uri"]));
            let uri = uri.and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
            if let Some(uri) = uri.filter(|uri| uri.len() <= MAX_RETURNED_URI) {
                self.note(principal, server, uri);
            }
        }
    }

    fn note(&self, principal: &PrincipalId, server: &ServerId, uri: String) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|(p, u, _)| !(p == principal && *u == uri));
        if entries.len() >= MAX_RETURNED {
            entries.pop_front();
        }
        entries.push_back((principal.clone(), uri, server.clone()));
    }

    pub(crate) fn by(&self, principal: &PrincipalId, uri: &str) -> Option<ServerId> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries
            .iter()
            .rev()
            .find(|(p, u, _)| p == principal && u == uri)
            .map(|(_, _, server)| server.clone())
    }
}

fn items(result: &Raw, key: &str) -> Vec<Raw> {
    result.get(key).map(|list| list.items()).unwrap_or_default()
}

/// Whether the bytes hold the start of a resource block's type.
fn may_hold_uri(bytes: &[u8]) -> bool {
    static RESOURCE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"resource"));
    RESOURCE.find(bytes).is_some()
}
