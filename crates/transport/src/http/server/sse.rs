//! HTTP+SSE of 2024-11-05 towards clients: a stream whose first event says where to POST, and the sessions of the open
//! streams.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use kernel::front::{ClientPipe, Credential, Front};
use tokio::sync::mpsc;
use upstream::link::Event;

use crate::frame::sse::{Written, write};
use crate::http::tls;

/// How many messages wait for a slow client before the gateway has to wait.
const QUEUE: usize = 64;

/// The open streams, by the ids that their clients POST to.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<ById>);

type ById = HashMap<String, (Credential, Arc<dyn ClientPipe>)>;

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

impl Sessions {
    /// Opens a session. Returns `None` where the system gives no randomness for its id.
    pub(crate) fn open(self: &Arc<Self>, front: &dyn Front, who: Credential) -> Option<Outgoing> {
        let mut bytes = [0; 16];
        tls::provider().secure_random.fill(&mut bytes).ok()?;
        let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (outgoing, queue) = mpsc::channel(QUEUE);
        let pipe = front.open(who.clone(), outgoing);
        self.lock().insert(id.clone(), (who, pipe));
        let endpoint = Event {
            data: format!("/messages?session={id}").into(),
            ..Event::default()
        };
        Some(Outgoing {
            endpoint: Some(endpoint),
            queue,
            id,
            sessions: Arc::clone(self),
        })
    }

    /// Returns the session that a query (`session=…`) names, if it has the same credential.
    pub(crate) fn find(&self, query: Option<&str>, who: &Credential) -> Option<Arc<dyn ClientPipe>> {
        let id = query?.split('&').find_map(|pair| pair.strip_prefix("session="))?;
        let sessions = self.lock();
        let (owner, pipe) = sessions.get(id)?;
        (owner == who).then(|| Arc::clone(pipe))
    }

    fn lock(&self) -> MutexGuard<'_, ById> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The stream of one session. Dropping it ends the session.
#[derive(Debug)]
pub(crate) struct Outgoing {
    endpoint: Option<Event>,
    queue: mpsc::Receiver<Bytes>,
    id: String,
    sessions: Arc<Sessions>,
}

impl Outgoing {
    pub(crate) fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<Option<Written>> {
        if let Some(endpoint) = self.endpoint.take() {
            return Poll::Ready(Some(write("endpoint", &endpoint)));
        }
        self.queue.poll_recv(cx).map(|frame| {
            frame.map(|data| {
                let event = Event { data, ..Event::default() };
                write("message", &event)
            })
        })
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        let session = self.sessions.lock().remove(&self.id);
        if let Some((_, pipe)) = session {
            pipe.closed();
        }
    }
}
