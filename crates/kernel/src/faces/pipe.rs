//! A client on a pipe of its own: stdio, a local socket, HTTP+SSE. Both eras may share it.

use std::sync::Arc;

use bytes::Bytes;
use jsonrpc::{ErrorObject, Frame, Message};
use mcp::client::{Arrival, Input};
use runtime::BoxFuture;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::client::{self, Client, Work};
use super::room::Faces;
use super::{batch, listening};
use crate::front::ClientPipe;

/// The kernel's end of a client's pipe.
#[derive(Debug)]
pub(crate) struct Pipe {
    room: Arc<Faces>,
    client: Arc<Client>,
    running: TaskTracker,
    /// Ends subscription streams, which would otherwise outlive a client that sends nothing more.
    ending: CancellationToken,
}

impl Pipe {
    pub(crate) fn new(room: Arc<Faces>, client: Arc<Client>) -> Self {
        room.clients.add(&client);
        Self {
            room,
            running: TaskTracker::new(),
            ending: client.ending().child_token(),
            client,
        }
    }

    async fn take_in(&self, frame: Bytes) {
        match jsonrpc::decode(frame, &self.room.limits()) {
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
                Work::Send(..) => client.send(client::one(item)).await,
                Work::Hello(ticket, peer) => self.spawn(async move {
                    let offer = client.calls.advertised(&client.caller, &peer).await;
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
        self.room.runtime.spawn(tracked);
    }
}

impl ClientPipe for Pipe {
    fn receive(&self, frame: Bytes) -> BoxFuture<'_, ()> {
        Box::pin(self.take_in(frame))
    }

    fn closed(&self) {
        self.room.clients.hang_up(&self.client);
    }

    fn drained(&self) -> BoxFuture<'_, ()> {
        self.ending.cancel();
        self.running.close();
        Box::pin(self.running.wait())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.room.clients.hang_up(&self.client);
    }
}
