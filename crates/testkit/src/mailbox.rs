//! The messages that a scripted client has received and the test has not taken yet.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jsonrpc::{Id, Kind, Message};
use tokio::sync::watch;

use crate::PATIENCE;

/// One message that arrived at a client.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// The number of the exchange that carried it; 0 is a pipe.
    pub exchange: u64,
    /// The HTTP status; 0 on a pipe.
    pub status: u16,
    /// `Mcp-Session-Id` of the answer.
    pub session: Option<String>,
    /// The id of the event, where it arrived as one that has an id.
    pub event: Option<String>,
    /// The message; `None` where an answer had no body, or an event no data.
    pub message: Option<Message>,
    /// Whether it is the last of its exchange.
    pub end: bool,
}

impl Arrived {
    /// Returns whether it is the answer to a request of that id.
    #[must_use]
    pub fn answers(&self, id: &Id) -> bool {
        self.is(Kind::Response) && self.message.as_ref().is_some_and(|message| message.id() == Some(id))
    }

    /// Returns whether it is a notification or request of that method.
    #[must_use]
    pub fn calls(&self, method: &str) -> bool {
        self.message.as_ref().is_some_and(|message| message.method() == Some(method))
    }

    /// Returns whether it is a question of a server.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.is(Kind::Request)
    }

    fn is(&self, kind: Kind) -> bool {
        self.message.as_ref().is_some_and(|message| message.kind() == kind)
    }
}

/// Everything that arrived, in order.
#[derive(Debug)]
pub struct Mailbox {
    arrived: Mutex<VecDeque<Arrived>>,
    news: watch::Sender<u64>,
}

impl Default for Mailbox {
    fn default() -> Self {
        Self {
            arrived: Mutex::default(),
            news: watch::Sender::new(0),
        }
    }
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Arrived>> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn put(&self, arrived: Arrived) {
        self.lock().push_back(arrived);
        self.news.send_modify(|count| *count += 1);
    }

    /// Takes out the first item that matches, waiting for it if need be.
    ///
    /// # Panics
    /// When no such item arrives in time.
    pub async fn take(&self, what: &str, fits: impl Fn(&Arrived) -> bool) -> Arrived {
        let mut news = self.news.subscribe();
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                news.mark_unchanged();
                if let Some(found) = self.take_now(&fits) {
                    return found;
                }
                drop(news.changed().await);
            }
        });
        match found.await {
            Ok(found) => found,
            Err(_) => panic!("waited in vain for {what}; what came: {:#?}", self.lock()),
        }
    }

    /// Takes out the first item that matches, if it is there.
    pub fn take_now(&self, fits: impl Fn(&Arrived) -> bool) -> Option<Arrived> {
        let mut arrived = self.lock();
        let at = arrived.iter().position(fits)?;
        arrived.remove(at)
    }

    /// Takes out all items.
    pub fn drain(&self) -> Vec<Arrived> {
        self.lock().drain(..).collect()
    }
}
