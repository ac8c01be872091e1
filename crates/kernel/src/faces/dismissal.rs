//! Ends clients: at shutdown, and when their token was revoked or has expired (DESIGN 9).

use std::sync::Arc;
use std::time::Duration;

use super::client::{Client, Delivery, SERVERS_FIRST};
use super::registry::Clients;

/// The time that sending the answers of aborted requests may take.
pub(crate) const LAST_ANSWERS: Duration = Duration::from_secs(1);

impl Clients {
    /// Ends the clients whose token was revoked or has expired, and the requests in progress of callers of every kind. Their next request is refused by authentication.
    pub(crate) fn dismiss_unwelcome(self: &Arc<Self>) {
        self.dismissals.dismiss_unwelcome();
        let is_unwelcome = |client: &Arc<Client>| !self.dismissals.lets_in(&client.caller.subject) && !client.ending().is_cancelled();
        for client in self.all().into_iter().filter(is_unwelcome) {
            tracing::info!(principal = %client.caller.principal(), "the token of a session was revoked or has expired: the session ends");
            self.dismiss(client);
        }
    }

    /// Ends a client whose requests in progress are ending: its streams and its session.
    fn dismiss(self: &Arc<Self>, client: Arc<Client>) {
        client.ending().cancel();
        if let Some(session) = client.token.get() {
            drop(self.close_session(session));
        }
        let clients = self.clone();
        self.runtime().spawn(async move {
            drop(tokio::time::timeout(LAST_ANSWERS, client.until_idle()).await);
            if let Delivery::Http(streams) = &client.delivery {
                streams.end();
            }
            clients.hang_up(&client);
        });
    }

    /// Ends a client that has gone.
    pub(crate) fn hang_up(&self, client: &Client) {
        client.hang_up();
        self.forget(client.number);
    }

    /// Answers every request in progress. Requests that do not end with their server are aborted.
    pub(crate) async fn answer_all(&self) {
        let clients = self.all();
        let all_idle = || futures_util::future::join_all(clients.iter().map(|client| client.until_idle()));
        if tokio::time::timeout(SERVERS_FIRST, all_idle()).await.is_ok() {
            return;
        }
        for client in &clients {
            client.cut_short();
        }
        all_idle().await;
    }

    /// Ends every session.
    pub(crate) fn end_sessions(&self) {
        for client in self.take_sessions() {
            self.hang_up(&client);
        }
    }

    /// Ends the sessions that were idle for too long.
    pub(crate) fn end_idle(&self, idle: Duration) {
        let idle_ms = u64::try_from(idle.as_millis()).unwrap_or(u64::MAX);
        for client in self.expired(self.runtime().uptime_ms(), idle_ms) {
            self.hang_up(&client);
        }
    }
}
