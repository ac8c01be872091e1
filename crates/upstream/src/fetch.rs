//! The gateway's own calls to a server: they fetch all its lists, and restore subscriptions and the log level on a new connection.

use std::collections::HashSet;
use std::sync::{Arc, Weak};
use std::time::Duration;

use catalog::{List, Offer};
use guard::SendPermit;
use jsonrpc::{ErrorObject, Raw};
use mcp::exchange::{Outcome, Request};
use mcp::meta::LogLevel;
use mcp::method::ListKind;
use mcp::revision::Era;

use crate::call::Call;
use crate::line::Line;
use crate::session::Session;
use crate::spec::ServerSpec;
use crate::unavailable::Unavailable;
use crate::waiter::{CallEvent, EventSink};

/// The time that one page of a list may take.
const PAGE_WAIT: Duration = Duration::from_secs(30);
/// The number of pages of one list at most.
const MAX_PAGES: usize = 1000;
/// The number of bytes of one list at most, all pages together.
const MAX_LIST: usize = 64 << 20;

/// Fetches the named lists in the background and publishes them.
pub(crate) fn refresh(line: &Arc<Line>, session: &Arc<Session>, kinds: &[ListKind]) {
    let (line, session, kinds) = (Arc::downgrade(line), session.clone(), kinds.to_vec());
    let runtime = session.context.runtime.clone();
    runtime.spawn(async move {
        refreshing(line, &session, &kinds).await;
    });
}

/// Fetches the named lists and waits until they are known; where another task fetches them already, until that is done.
pub async fn refreshed(line: &Arc<Line>, session: &Arc<Session>, kinds: &[ListKind]) {
    let mut news = line.server.news();
    if !refreshing(Arc::downgrade(line), session, kinds).await {
        // A server that sends no news within the time has none.
        drop(tokio::time::timeout(PAGE_WAIT, news.changed()).await);
    }
}

/// Fetches lists if it is this caller's turn. Returns whether it was.
async fn refreshing(line: Weak<Line>, session: &Arc<Session>, kinds: &[ListKind]) -> bool {
    let Some(strong) = line.upgrade() else { return true };
    let Some(turn) = strong.server.fetch_turn(&strong.key.capabilities, kinds).await else {
        return false;
    };
    let server = strong.server.clone();
    let previous = server.offer(&strong.key.capabilities);
    // A fetch keeps no line alive.
    drop(strong);
    let fetched = fetch(session, &server.spec, previous.as_deref(), kinds).await;
    let Some(line) = line.upgrade() else { return true };
    match fetched {
        Ok((offer, cuts)) => {
            line.server.publish(&line.key.capabilities, offer, kinds);
            if !cuts.is_empty() {
                let cuts = cuts.join("; ");
                tracing::warn!(server = %line.server.spec.id, cuts, "did not read all that the server offers");
                line.server.note_trouble(&cuts);
            }
        }
        Err(_) if session.context.runtime.shutdown().is_cancelled() => {}
        Err(error) => {
            tracing::warn!(server = %line.server.spec.id, %error, "failed to read what the server offers");
            line.server.note_trouble(&error.to_string());
        }
    }
    drop(turn);
    true
}

/// Reads the named lists; the others stay as they were. Returns with them which lists have no end and were cut.
async fn fetch(
    session: &Arc<Session>,
    spec: &ServerSpec,
    previous: Option<&Offer>,
    kinds: &[ListKind],
) -> Result<(Offer, Vec<String>), Unavailable> {
    let ready = session.ready().ok_or_else(|| Unavailable::new("the handshake is not complete"))?;
    let capabilities = mcp::capabilities::ServerCapabilities::new(ready.offer.capabilities.clone());
    let mut offer = Offer {
        server: spec.id.clone(),
        prefix: spec.prefix,
        revision: ready.revision,
        advertised: ready.offer.clone(),
        tools: List::default(),
        resources: List::default(),
        templates: List::default(),
        prompts: List::default(),
    };
    let mut cuts = Vec::new();
    for kind in ListKind::ALL {
        let offered = match kind {
            ListKind::Tools => capabilities.tools(),
            ListKind::Resources | ListKind::ResourceTemplates => capabilities.resources(),
            ListKind::Prompts => capabilities.prompts(),
        };
        if !offered {
            continue;
        }
        let list = match previous.filter(|_| !kinds.contains(&kind)) {
            Some(previous) => previous.list(kind).clone(),
            None => {
                let (list, cut) = fetch_list(session, kind).await?;
                cuts.extend(cut);
                list
            }
        };
        *offer.list_mut(kind) = list;
    }
    let filter = spec.filter();
    let drop_invalid = session.is_http() && session.era() == Era::Modern;
    offer.tools.items.retain(|item| {
        let invalid = if drop_invalid { mcp::mirror::invalid_tool(&item.raw) } else { None };
        if let Some(why) = &invalid {
            tracing::warn!(server = %spec.id, tool = %item.key, why, "left a tool out: its header parameters are not valid");
        }
        invalid.is_none() && filter.allows(&item.key)
    });
    Ok((offer, cuts))
}

/// Reads a list page by page. Returns with it why the list was cut, if it was.
async fn fetch_list(session: &Arc<Session>, kind: ListKind) -> Result<(List, Option<String>), Unavailable> {
    let mut list = List::default();
    let mut cursor: Option<String> = None;
    let (mut seen, mut bytes) = (HashSet::new(), 0);
    loop {
        let params = cursor
            .as_ref()
            .map(|cursor| Raw::object_empty().edit().set(&["cursor"], &Raw::string(cursor)).finish());
        let outcome = ask(session, kind.method(), params, PAGE_WAIT).await?;
        let result = match outcome {
            Outcome::Result(answered) => answered.result,
            Outcome::Error(failed) if failed.error.code == jsonrpc::code::METHOD_NOT_FOUND => return Ok((list, None)),
            Outcome::Error(failed) => {
                return Err(Unavailable::new(format!(
                    "`{}` was answered `{}`",
                    kind.method(),
                    failed.error.message
                )));
            }
            Outcome::InputRequired(_) => return Err(Unavailable::new(format!("`{}` was answered with a question", kind.method()))),
        };
        let page = catalog::read_page(kind, &result).map_err(|error| Unavailable::new(format!("`{}`: {error}", kind.method())))?;
        if list.items.is_empty() {
            list.extras = page.extras;
        }
        list.items.extend(page.items);
        bytes += result.bytes().len();
        let Some(next) = page.next else { return Ok((list, None)) };
        let why = match seen.insert(next.clone()) {
            false => "it repeats a cursor".to_owned(),
            true if seen.len() >= MAX_PAGES => format!("it has more than {MAX_PAGES} pages"),
            true if bytes > MAX_LIST => format!("it has more than {} MB", MAX_LIST >> 20),
            true => {
                cursor = Some(next);
                continue;
            }
        };
        without_repeats(&mut list);
        let cut = format!("`{}` does not end, {why}: cut after {} entries", kind.method(), list.items.len());
        return Ok((list, Some(cut)));
    }
}

/// Removes repeated definitions: of a server that lists its pages again instead of ending, the first definitions count.
fn without_repeats(list: &mut List) {
    let mut seen = HashSet::new();
    list.items.retain(|item| seen.insert(item.key.clone()));
}

/// Sends a request to a server on the gateway's own behalf and waits for the answer.
///
/// # Errors
/// When no answer comes within the time.
pub async fn ask(session: &Arc<Session>, method: &str, params: Option<Raw>, wait: Duration) -> Result<Outcome, Unavailable> {
    let request = Request::internal(method, params, session.context.identity.peer.clone());
    let permit = session.context.own_permit.clone();
    ask_under(session, request, &permit, wait).await
}

/// Sends a request to a server under a permit, the gateway's own or that of the subject on whose behalf it asks, and waits for the answer.
///
/// # Errors
/// When the permit was withdrawn, or no answer comes within the time.
pub async fn ask_under(session: &Arc<Session>, request: Request, permit: &SendPermit, wait: Duration) -> Result<Outcome, Unavailable> {
    let method = request.method.name().to_owned();
    if !permit.stands() {
        return Err(Unavailable::new(SendPermit::withdrawn().message));
    }
    let mut call = Call::place(session, &request, EventSink::Dropped, permit).map_err(|error| Unavailable::new(error.to_string()))?;
    let answer = async {
        loop {
            match call.next().await {
                CallEvent::Done(outcome) => return Ok(*outcome),
                CallEvent::Lost(why) | CallEvent::NotSent(why) => return Err(Unavailable::new(why)),
                CallEvent::SessionGone => {
                    session.renew("the server does not know the session any more");
                    return Err(Unavailable::new("the server does not know the session any more"));
                }
                CallEvent::Ask(question) => question.refuse(ErrorObject::invalid_request("no client can be asked in this request")),
                CallEvent::Interim(_) | CallEvent::Greeted(_) | CallEvent::Aside(_) => {}
            }
        }
    };
    tokio::time::timeout(wait, answer)
        .await
        .map_err(|_| Unavailable::new(format!("`{method}` was not answered within {} s", wait.as_secs())))?
}

/// Subscribes anew and sets the log level, on a connection that replaces another.
pub(crate) fn restore(session: &Arc<Session>, uris: Vec<String>, level: Option<LogLevel>) {
    if session.era() == Era::Modern || (uris.is_empty() && level.is_none()) {
        return;
    }
    let session = session.clone();
    let runtime = session.context.runtime.clone();
    runtime.spawn(async move {
        if let Some(level) = level {
            let params = Raw::object_empty().edit().set(&["level"], &Raw::string(level.as_str())).finish();
            drop(ask(&session, "logging/setLevel", Some(params), PAGE_WAIT).await);
        }
        for uri in uris {
            let params = Raw::object_empty().edit().set(&["uri"], &Raw::string(&uri)).finish();
            if let Err(error) = ask(&session, "resources/subscribe", Some(params), PAGE_WAIT).await {
                tracing::warn!(server = %session.server(), uri, %error, "failed to subscribe again");
            }
        }
    });
}
