//! A client on a pipe of its own: stdio, a local socket, HTTP+SSE. Both eras may share it.

use std::sync::Arc;

use bytes::Bytes;
use jsonrpc::{ErrorObject, Frame, Message};
use mcp::client::{Arrival, Input};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::{Client, Work, batch};
use crate::drained::Drained;
use crate::front::ClientPipe;
use crate::link::BoxFuture;
use crate::{exchange, listening};

/// The kernel's end of a client's pipe.
#[derive(Debug)]
pub(crate) struct Pipe {
    client: Arc<Client>,
    running: TaskTracker,
    /// Ends subscription streams: nothing else would, once the client says no more.
    ending: CancellationToken,
}

impl Pipe {
    pub(crate) fn new(client: Arc<Client>) -> Self {
        client.inner.clients.add(&client);
        Self {
            running: TaskTracker::new(),
            ending: client.ending().child_token(),
            client,
        }
    }

    async fn take_in(&self, frame: Bytes) {
        match jsonrpc::decode(frame, &self.client.inner.limits()) {
            Ok(Frame::One(message)) => self.message(message).await,
            Ok(Frame::Batch(messages)) if batch::may_batch(&self.client) => {
                let client = self.client.clone();
                self.spawn(async move {
                    if let Some(body) = batch::answers(&client, messages).await {
                        client.send_raw(body).await;
                    }
                });
            }
            Ok(Frame::Batch(_)) => self.client.send_raw(batch::refusal().into_bytes()).await,
            Err(error) => {
                let object = ErrorObject::new(error.code(), error.to_string());
                self.client.send_raw(Message::failure(error.id(), &object).into_bytes()).await;
            }
        }
    }

    async fn message(&self, message: Message) {
        for item in self.client.take(Input::Message(message, Arrival::default())) {
            let client = self.client.clone();
            match item {
                Work::Send(..) => client.send(Drained::one(item)).await,
                Work::Hello(ticket, peer) => self.spawn(async move {
                    let offer = exchange::advertised(&client, &peer).await;
                    let work = client.take(Input::Advertise(ticket, offer));
                    client.send(work).await;
                }),
                Work::Request(ticket, request) => self.spawn(async move {
                    let work = client.carry_out(ticket, request).await;
                    client.send(work).await;
                }),
                Work::Listen(ticket, request) => {
                    let ending = self.ending.clone();
                    self.spawn(async move { listening::serve(&client, ticket, &request, &ending).await });
                }
            }
        }
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let tracked = self.running.track_future(work);
        self.client.inner.spawn(tracked);
    }
}

impl ClientPipe for Pipe {
    fn receive(&self, frame: Bytes) -> BoxFuture<'_, ()> {
        Box::pin(self.take_in(frame))
    }

    fn closed(&self) {
        self.client.hang_up();
    }

    fn drained(&self) -> BoxFuture<'_, ()> {
        self.ending.cancel();
        self.running.close();
        Box::pin(self.running.wait())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.client.hang_up();
    }
}
