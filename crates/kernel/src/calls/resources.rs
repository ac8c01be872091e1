//! Requests that are addressed by URI: reads, subscriptions of both eras, and completion (DESIGN 4).

use std::sync::Arc;
use std::time::Duration;

use catalog::{Located, View};
use guard::SendPermit;
use jsonrpc::{ErrorObject, Raw};
use mcp::client::Filter;
use mcp::exchange::{Outcome, Peer, Request};
use mcp::revision::Era;
use model::ServerId;
use policy::Action;
use upstream::{Line, Server};

use super::room::Asked;
use super::{lists, place, refused, send};

/// The time that a modern server may take to acknowledge a subscription.
const ACKNOWLEDGE_WAIT: Duration = Duration::from_secs(2);

/// Handles `resources/read`, `resources/subscribe` and `resources/unsubscribe`.
pub(crate) async fn by_uri(asked: Asked<'_>, request: Box<Request>) -> Outcome {
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
    let server = match locate(asked, &request.peer, &uri).await {
        Ok(server) => server,
        Err(error) => return Outcome::refused(error),
    };
    let id = server.spec().id.clone();
    let action = if subscribing {
        Action::Subscribe { server: &id, uri: &uri }
    } else {
        Action::ReadResource { server: &id, uri: &uri }
    };
    let permit = match asked.admit(action, &request).await {
        Ok(permit) => permit,
        Err(refused) => return refused,
    };
    match request.method.name() {
        "resources/subscribe" => subscribe(asked, request, &server, &uri, permit).await,
        "resources/unsubscribe" => unsubscribe(asked, request, &server, &uri, permit).await,
        _ => send::send(asked, request, &server, permit).await,
    }
}

/// Finds the server of a resource: by its exact entry, the one matching template, the server that last returned it, or the only server that has
/// resources; else the error names the candidates.
async fn locate(asked: Asked<'_>, peer: &Arc<Peer>, uri: &str) -> Result<Arc<Server>, ErrorObject> {
    let view = asked.view(peer);
    let found = match find(asked, &view, uri) {
        Ok(found) => Ok(found),
        Err(_) => find(asked, &*lists::settled(asked.calls, asked.caller, peer).await, uri),
    };
    let id = found.map_err(|candidates| {
        let text = if candidates.is_empty() {
            format!("no server offers the resource `{uri}`{}", lists::missing_note(&view))
        } else {
            format!(
                "the resource `{uri}` may belong to several servers ({}); list or read it through one of them first",
                candidates.join(", ")
            )
        };
        let base = mcp::error::resource_not_found(uri, peer.revision);
        ErrorObject { message: text, ..base }
    })?;
    asked
        .calls
        .server(&id)
        .ok_or_else(|| ErrorObject::invalid_params(format!("the server `{id}` is not configured any more")))
}

/// Finds the server of a resource; else the candidates.
pub(crate) fn find(asked: Asked<'_>, view: &View, uri: &str) -> Result<ServerId, Vec<String>> {
    let candidates = match view.resource(uri) {
        Located::One(server) => return Ok(server.clone()),
        Located::Many(servers) => servers,
        Located::None => Vec::new(),
    };
    let returned = asked.calls.returned.by(asked.caller.principal(), uri);
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

async fn subscribe(asked: Asked<'_>, request: Box<Request>, server: &Arc<Server>, uri: &str, permit: SendPermit) -> Outcome {
    let line = match place::line_for(asked, server, &request.peer).await {
        Ok((line, _)) => line,
        Err(error) => return refused::unavailable(&asked.caller.subject.principal, &server.spec().id, &error),
    };
    let subscribed = asked.caller.subscriptions().subscribe(&server.spec().id, uri);
    match subscribed {
        Ok(true) => {}
        Ok(false) => return Outcome::own(Raw::object_empty()),
        Err(error) => return Outcome::refused(error),
    }
    asked.caller.attach(&line);
    let first = line.subscribe(uri);
    let outcome = if !first || server.state.known_era() == Some(Era::Modern) {
        joined(asked, &line, uri).await
    } else {
        send::send(asked, request, server, permit).await
    };
    if matches!(outcome, Outcome::Error(_)) {
        asked.caller.subscriptions().unsubscribe(&server.spec().id, uri);
        line.unsubscribe(uri);
    }
    outcome
}

/// Answers a subscription that needs no request of its own: the line has it already, or its `subscriptions/listen` carries it to a modern server.
async fn joined(asked: Asked<'_>, line: &Arc<Line>, uri: &str) -> Outcome {
    match line.session().await {
        Ok(session) => {
            // An update right after the answer must not be missed; a server that does not acknowledge costs a moment.
            if session.era() == Era::Modern {
                drop(tokio::time::timeout(ACKNOWLEDGE_WAIT, line.until_subscribed(uri)).await);
            }
            Outcome::own(Raw::object_empty())
        }
        Err(error) => refused::unavailable(&asked.caller.subject.principal, &line.server.spec.id, &error),
    }
}

async fn unsubscribe(asked: Asked<'_>, request: Box<Request>, server: &Arc<Server>, uri: &str, permit: SendPermit) -> Outcome {
    let line = match place::line_for(asked, server, &request.peer).await {
        Ok((line, _)) => line,
        Err(error) => return refused::unavailable(&asked.caller.subject.principal, &server.spec().id, &error),
    };
    let was_subscribed = asked.caller.subscriptions().unsubscribe(&server.spec().id, uri);
    if !was_subscribed {
        return Outcome::own(Raw::object_empty());
    }
    let last = line.unsubscribe(uri);
    if !last || server.state.known_era() == Some(Era::Modern) {
        return Outcome::own(Raw::object_empty());
    }
    send::send(asked, request, server, permit).await
}

/// Handles `completion/complete`, by the prompt or the resource template that it refers to.
pub(crate) async fn complete(asked: Asked<'_>, mut request: Box<Request>) -> Outcome {
    let reference = request.params.as_ref().and_then(|params| params.get("ref"));
    let Some(reference) = reference else {
        return Outcome::refused(ErrorObject::invalid_params("`completion/complete` needs `ref`"));
    };
    let text = |key: &str| reference.get(key).and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned));
    let view = lists::settled(asked.calls, asked.caller, &request.peer).await;
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
                _ => find(asked, &view, &uri),
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
    let Some(known) = asked.calls.server(&server) else {
        return refused::gone(&server);
    };
    match asked.admit(action, &request).await {
        Ok(permit) => send::send(asked, request, &known, permit).await,
        Err(refused) => refused,
    }
}
