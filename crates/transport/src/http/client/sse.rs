//! HTTP+SSE towards a server of 2024-11-05: one stream of events from it, a POST for each message to it.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use model::Secret;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use upstream::link::{BoxFuture, Closed, Frame, Inbox, LinkError, OutPost, Pipe, PipePeer, ReplyBody};

use super::address::Address;
use super::events::Events;
use super::{Client, Dialer};
use crate::limits::ClientLimits;

/// How long a POST delays the next one. Messages are POSTed one after the other, so that they arrive in order. But a
/// server may answer a POST only when it has handled the message, and for that it may need another message: after this
/// time the next POST is sent beside it.
const PATIENCE: Duration = Duration::from_millis(250);
/// The most POSTs that are open at once.
const MOST_POSTS: usize = 32;
/// How long the last POSTs may take once the gateway has ended the pipe.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// Opens the stream, waits for the `endpoint` event, and starts the task that serves both directions.
///
/// # Errors
/// When the address does not support this transport, or refers the client to another origin.
pub(crate) async fn connect(
    url: &str,
    headers: &BTreeMap<String, Secret>,
    limits: &ClientLimits,
    dialer: Arc<Dialer>,
    inbox: Arc<dyn Inbox>,
    tasks: &TaskTracker,
) -> Result<Pipe, LinkError> {
    let client = Arc::new(Client::new(url, headers, limits, dialer)?);
    let wrong = |why: String| LinkError::Address { url: url.to_owned(), why };
    let mut events = match client.get_events().await? {
        Ok(events) => events,
        Err(reply) => {
            let said = if let ReplyBody::Other(text) = &reply.body {
                text.trim()
            } else {
                ""
            };
            return Err(wrong(format!(
                "a GET is answered {} instead of a stream of events (HTTP+SSE) {said}",
                reply.status
            )));
        }
    };
    let endpoint = loop {
        match poll_fn(|cx| events.poll_block(cx)).await.transpose()? {
            Some(block) if block.kind.as_deref() == Some("endpoint") => break String::from_utf8_lossy(&block.event.data).trim().to_owned(),
            Some(_) => {}
            None => return Err(wrong("its stream ended before the `endpoint` event of HTTP+SSE".to_owned())),
        }
    };
    let endpoint = client.address().same_origin(&endpoint)?;
    let (outgoing, queue) = mpsc::channel(limits.queue);
    let (ending, gone) = (CancellationToken::new(), CancellationToken::new());
    let peer = SsePeer {
        gone: gone.clone(),
        ending: ending.clone().drop_guard(),
    };
    let session = Session {
        client,
        endpoint: Arc::new(endpoint),
        events,
        queue,
        posts: JoinSet::new(),
    };
    tasks.spawn(async move {
        let _gone = gone.drop_guard();
        let why = session.run(&*inbox, &ending).await;
        inbox.closed(why);
    });
    Ok(Pipe {
        outgoing,
        peer: Arc::new(peer),
    })
}

struct Session {
    client: Arc<Client>,
    endpoint: Arc<Address>,
    events: Events,
    queue: mpsc::Receiver<Frame>,
    posts: JoinSet<Result<(), String>>,
}

impl Session {
    async fn run(mut self, inbox: &dyn Inbox, ending: &CancellationToken) -> Closed {
        let mut patience = std::pin::pin!(sleep_until(Instant::now()));
        let mut waiting = false;
        loop {
            let may_post = self.posts.is_empty() || (!waiting && self.posts.len() < MOST_POSTS);
            tokio::select! {
                () = ending.cancelled() => break,
                block = poll_fn(|cx| self.events.poll_block(cx)) => match block {
                    Some(Ok(block)) => {
                        if let Some(event) = block.into_message().filter(|event| !event.data.is_empty()) {
                            inbox.frame(event.data);
                        }
                    }
                    Some(Err(LinkError::TooLarge(_))) => return Closed::FrameTooLarge,
                    Some(Err(error)) => return Closed::Ended(error.to_string()),
                    None => return Closed::Ended("the server ended its stream".to_owned()),
                },
                Some(posted) = self.posts.join_next() => {
                    if let Err(why) = posted.unwrap_or_else(|error| Err(error.to_string())) {
                        return Closed::Ended(why);
                    }
                }
                frame = self.queue.recv(), if may_post => {
                    let Some(frame) = frame else { break };
                    self.post(frame);
                    patience.as_mut().reset(Instant::now() + PATIENCE);
                    waiting = true;
                }
                () = &mut patience, if waiting => waiting = false,
            }
        }
        self.send_rest().await;
        Closed::Ended("the gateway closed it".to_owned())
    }

    fn post(&mut self, frame: Frame) {
        let Some((body, in_flight)) = frame.begin() else { return };
        let (client, endpoint) = (Arc::clone(&self.client), Arc::clone(&self.endpoint));
        self.posts.spawn(async move {
            let post = OutPost {
                body,
                ..OutPost::default()
            };
            let posted = client.post_to(&endpoint, post).await;
            drop(in_flight);
            match posted {
                Ok(reply) if (200..300).contains(&reply.status) => Ok(()),
                // The message it carried will not be answered, and which one it was is not known: the whole pipe ends.
                Ok(reply) => Err(format!("a POST was answered {}", reply.status)),
                Err(error) => Err(format!("a POST failed to {error}")),
            }
        });
    }

    /// POSTs the messages that were sent before the end.
    async fn send_rest(mut self) {
        self.queue.close();
        let last = async {
            while let Some(frame) = self.queue.recv().await {
                self.post(frame);
                while self.posts.len() >= MOST_POSTS {
                    self.posts.join_next().await;
                }
            }
            while self.posts.join_next().await.is_some() {}
        };
        drop(timeout(END_TIMEOUT, last).await);
    }
}

/// The handle of the session; dropping it ends the session.
#[derive(Debug)]
struct SsePeer {
    gone: CancellationToken,
    ending: DropGuard,
}

impl PipePeer for SsePeer {
    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.ending.token().cancel();
        Box::pin(self.gone.cancelled())
    }
}
