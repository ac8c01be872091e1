//! The subscriptions of a caller: single resources, and streams of the modern era with their filters.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jsonrpc::{ErrorObject, Raw};
use mcp::client::Filter;
use mcp::revision::Era;
use model::{ServerId, Ticket, TicketMap};
use upstream::Line;

/// The time that beginning or ending a subscription may take.
pub(crate) const SUBSCRIBE_WAIT: Duration = Duration::from_secs(10);

/// The subscriptions of one caller.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    /// Resources of a legacy session.
    pub(super) uris: HashSet<(ServerId, String)>,
    /// Open `subscriptions/listen` streams.
    pub(super) streams: TicketMap<Stream>,
}

/// An open `subscriptions/listen`.
#[derive(Debug)]
pub(crate) struct Stream {
    /// The filter that the gateway honours, without its URIs.
    filter: Filter,
    subscribed: Vec<Subscribed>,
}

/// A URI that a stream listens to. Dropping it ends the subscription.
#[derive(Debug)]
pub(crate) struct Subscribed {
    pub(crate) line: Arc<Line>,
    pub(crate) uri: String,
}

impl Subscribed {
    pub(crate) fn new(line: &Arc<Line>, uri: String) -> Self {
        line.subscribe(&uri);
        Self { line: line.clone(), uri }
    }

    fn hears(&self, server: &ServerId, uri: &str) -> bool {
        self.line.server.spec.id == *server && is_under(uri, &self.uri)
    }
}

impl Drop for Subscribed {
    fn drop(&mut self) {
        unsubscribe_upstream(&self.line, &self.uri);
    }
}

impl Subscriptions {
    /// Notes a subscription. Returns whether it is new.
    ///
    /// # Errors
    /// When the caller has as many as it may have.
    pub(crate) fn subscribe(&mut self, server: &ServerId, uri: &str) -> Result<bool, ErrorObject> {
        let subscription = (server.clone(), uri.to_owned());
        if self.uris.contains(&subscription) {
            return Ok(false);
        }
        if self.room() == 0 {
            return Err(ErrorObject::invalid_params(format!(
                "this session is subscribed to {} resources already; unsubscribe from some first",
                Filter::MAX_URIS
            )));
        }
        Ok(self.uris.insert(subscription))
    }

    /// Drops a subscription. Returns whether there was one.
    pub(crate) fn unsubscribe(&mut self, server: &ServerId, uri: &str) -> bool {
        self.uris.remove(&(server.clone(), uri.to_owned()))
    }

    /// Opens a stream if `is_wanted` still. Returns the filter that is honoured, as the client is told, and the subscriptions that exceed the
    /// caller's limit.
    pub(crate) fn open(
        &mut self,
        ticket: Ticket,
        mut filter: Filter,
        mut subscribed: Vec<Subscribed>,
        is_wanted: bool,
    ) -> (Filter, Vec<Subscribed>) {
        let beyond = subscribed.split_off(self.room().min(subscribed.len()));
        filter.uris = subscribed.iter().map(|one| one.uri.clone()).collect();
        let acknowledged = filter.clone();
        filter.uris = Vec::new();
        if is_wanted {
            self.streams.insert(ticket, Stream { filter, subscribed });
        }
        (acknowledged, beyond)
    }

    /// Closes a stream. The caller of this function drops the returned stream without holding a lock.
    #[must_use]
    pub(crate) fn close(&mut self, ticket: Ticket) -> Option<Stream> {
        self.streams.remove(&ticket)
    }

    /// Returns whether the caller is subscribed to a resource that was updated, and the streams that listen to it.
    pub(crate) fn hearing(&self, server: &ServerId, uri: &str) -> (bool, Vec<Ticket>) {
        let subscribed = self.uris.iter().any(|(of, wanted)| of == server && is_under(uri, wanted));
        let hears = |stream: &Stream| stream.subscribed.iter().any(|one| one.hears(server, uri));
        let streams = self.streams.iter().filter(|(_, stream)| hears(stream));
        (subscribed, streams.map(|(ticket, _)| *ticket).collect())
    }

    /// Returns the streams whose filter wants something.
    pub(crate) fn wanting(&self, wants: impl Fn(&Filter) -> bool) -> Vec<Ticket> {
        let streams = self.streams.iter().filter(|(_, stream)| wants(&stream.filter));
        streams.map(|(ticket, _)| *ticket).collect()
    }

    /// Returns the number of further URIs that the caller may subscribe to.
    fn room(&self) -> usize {
        let listening: usize = self.streams.values().map(|stream| stream.subscribed.len()).sum();
        Filter::MAX_URIS.saturating_sub(self.uris.len() + listening)
    }
}

/// Ends one subscription. A legacy server is told when it was the last.
pub(crate) fn unsubscribe_upstream(line: &Arc<Line>, uri: &str) {
    if !line.unsubscribe(uri) {
        return;
    }
    let Some(session) = line.live().filter(|session| session.era() == Era::Legacy) else {
        return;
    };
    let params = Raw::object_empty().edit().set(&["uri"], &Raw::string(uri)).finish();
    line.spawn(async move {
        drop(upstream::ask(&session, "resources/unsubscribe", Some(params), SUBSCRIBE_WAIT).await);
    });
}

/// Returns whether a URI is, or lies under, a URI that was subscribed to: an update may name a sub-resource (2025-11-25 server/resources).
fn is_under(uri: &str, subscribed: &str) -> bool {
    uri == subscribed
        || uri
            .strip_prefix(subscribed)
            .is_some_and(|rest| subscribed.ends_with('/') || rest.starts_with(['/', '?', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(id: &str) -> ServerId {
        ServerId::new(id).expect("letters")
    }

    #[test]
    fn an_update_of_a_sub_resource_is_heard_and_of_a_sibling_is_not() {
        for (uri, subscribed, hears) in [
            ("file:///a", "file:///a", true),
            ("file:///a/b", "file:///a", true),
            ("file:///a?v=2", "file:///a", true),
            ("file:///a/b", "file:///a/", true),
            ("file:///ab", "file:///a", false),
            ("file:///", "file:///a", false),
        ] {
            assert_eq!(is_under(uri, subscribed), hears, "{uri} of {subscribed}");
        }
    }

    #[test]
    fn a_resource_is_subscribed_to_once_and_heard_of_its_own_server_only() {
        let mut subscriptions = Subscriptions::default();
        assert_eq!(subscriptions.subscribe(&server("a"), "x://1"), Ok(true));
        assert_eq!(subscriptions.subscribe(&server("a"), "x://1"), Ok(false));
        assert!(subscriptions.hearing(&server("a"), "x://1/part").0);
        assert!(!subscriptions.hearing(&server("b"), "x://1").0);
        assert!(subscriptions.unsubscribe(&server("a"), "x://1"));
        assert!(!subscriptions.unsubscribe(&server("a"), "x://1"));
    }

    #[test]
    fn a_caller_has_a_bounded_number_of_them() {
        let mut subscriptions = Subscriptions::default();
        for n in 0..Filter::MAX_URIS {
            assert_eq!(subscriptions.subscribe(&server("a"), &format!("x://{n}")), Ok(true));
        }
        assert!(subscriptions.subscribe(&server("a"), "x://more").is_err());
        assert_eq!(subscriptions.subscribe(&server("a"), "x://0"), Ok(false), "what it has it keeps");
    }

    #[test]
    fn a_stream_that_was_cancelled_meanwhile_is_not_kept() {
        let mut subscriptions = Subscriptions::default();
        let filter = || Filter {
            tools: true,
            ..Filter::default()
        };
        drop(subscriptions.open(Ticket(1), filter(), Vec::new(), false));
        assert!(subscriptions.wanting(|filter| filter.tools).is_empty());
        drop(subscriptions.open(Ticket(2), filter(), Vec::new(), true));
        assert_eq!(subscriptions.wanting(|filter| filter.tools), [Ticket(2)]);
        assert!(subscriptions.close(Ticket(2)).is_some());
        assert!(subscriptions.wanting(|filter| filter.tools).is_empty());
    }
}
