//! Connections in memory: frames to a server wait until the transcript reads them, and the server's messages are lines of the transcript.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc::{self, error::TryRecvError};
use upstream::link::{BoxFuture, Closed, Connector, Frame, Inbox, Link, LinkError, Pipe, PipePeer};
use upstream::spec::{Launch, ServerSpec};

use crate::exchanges::{Exchanges, Http};

/// The number of frames that may wait to be written to one server.
const QUEUE: usize = 4;

/// Every connection that was made, in order.
#[derive(Default)]
pub(crate) struct Connections {
    made: Mutex<Made>,
    /// What is exchanged over HTTP.
    pub(crate) exchanges: Exchanges,
}

#[derive(Default)]
struct Made {
    list: Vec<Connection>,
    is_down: bool,
    attempts: usize,
    /// The number of connections that the stage has reported.
    told: usize,
}

/// A connection of the transcript.
struct Connection {
    outgoing: mpsc::Receiver<Frame>,
    inbox: Arc<dyn Inbox>,
    peer: Arc<Peer>,
    reads: bool,
    is_let_go: bool,
}

#[derive(Default)]
struct Peer {
    stderr: Mutex<Vec<String>>,
}

/// An action of the gateway on a connection.
pub(crate) enum Seen {
    Connected,
    Written(Bytes),
    NotWritten,
    LetGo,
}

impl Connections {
    fn made(&self) -> MutexGuard<'_, Made> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn go_down(&self, is_down: bool) {
        self.made().is_down = is_down;
    }

    /// Returns the number of attempts to connect.
    pub(crate) fn attempts(&self) -> usize {
        self.made().attempts
    }

    /// Ends a connection from the server's side.
    pub(crate) fn exit(&self, number: usize) {
        let inbox = {
            let connection = &mut self.made().list[number - 1];
            connection.outgoing.close();
            connection.is_let_go = true;
            connection.inbox.clone()
        };
        inbox.closed(Closed::Exited("exit status: 1".to_owned()));
    }

    /// Makes the server of a connection read, or stop reading.
    pub(crate) fn read(&self, number: usize, reads: bool) {
        self.made().list[number - 1].reads = reads;
    }

    /// Makes the server of a connection write something to stderr.
    pub(crate) fn mutter(&self, number: usize, text: &str) {
        let peer = self.made().list[number - 1].peer.clone();
        peer.stderr.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
    }

    pub(crate) fn inbox(&self, number: usize) -> Arc<dyn Inbox> {
        self.made().list[number - 1].inbox.clone()
    }

    /// Takes the gateway's actions since the last time: connections by their numbers, from 1.
    pub(crate) fn take(&self) -> Vec<(usize, Seen)> {
        let mut made = self.made();
        let mut seen = Vec::new();
        while made.told < made.list.len() {
            made.told += 1;
            seen.push((made.told, Seen::Connected));
        }
        // The last check of a permit may answer its call, which may open a connection: the frames are begun when the lock is free.
        let mut frames = Vec::new();
        for (connection, number) in made.list.iter_mut().zip(1..) {
            while connection.reads && !connection.is_let_go {
                match connection.outgoing.try_recv() {
                    Ok(frame) => frames.push((number, Some(frame))),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => {
                        connection.is_let_go = true;
                        frames.push((number, None));
                    }
                }
            }
        }
        drop(made);
        seen.extend(frames.into_iter().map(|(number, frame)| match frame.map(Frame::begin) {
            Some(Some((bytes, _in_flight))) => (number, Seen::Written(bytes)),
            Some(None) => (number, Seen::NotWritten),
            None => (number, Seen::LetGo),
        }));
        seen
    }
}

/// The connector to the transcript's server.
pub(crate) struct Scripted(pub(crate) Arc<Connections>);

impl Connector for Scripted {
    fn connect<'a>(&'a self, server: &'a ServerSpec, inbox: Arc<dyn Inbox>) -> BoxFuture<'a, Result<Link, LinkError>> {
        let mut made = self.0.made();
        made.attempts += 1;
        let linked = match made.is_down {
            true => Err(LinkError::Spawn {
                command: "scripted".to_owned(),
                why: "it is down".to_owned(),
            }),
            false if matches!(server.launch, Ok(Launch::Http { .. })) => Ok(Link::Http(Arc::new(Http(self.0.exchanges.clone())))),
            false => {
                let (sender, outgoing) = mpsc::channel(QUEUE);
                let peer = Arc::new(Peer::default());
                made.list.push(Connection {
                    outgoing,
                    inbox,
                    peer: peer.clone(),
                    reads: true,
                    is_let_go: false,
                });
                Ok(Link::Pipe(Pipe { outgoing: sender, peer }))
            }
        };
        Box::pin(std::future::ready(linked))
    }
}

impl PipePeer for Peer {
    fn stderr_tail(&self) -> Vec<String> {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
