//! Reads the events of an answer, and holds its connection.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use upstream::link::{Event, EventSource, LinkError};

use super::conn::Conn;
use super::pool::Pool;
use crate::frame::sse::{Block, Parser, TooLarge};

/// A response of `text/event-stream`. Dropping it closes the connection, unless the response has ended: then the
/// connection is used again.
pub(crate) struct Events {
    open: Option<Conn>,
    pool: Arc<Pool>,
    parser: Parser,
    limit: usize,
}

impl Events {
    pub(crate) fn new(conn: Conn, pool: Arc<Pool>, limit: usize) -> Self {
        Self {
            open: Some(conn),
            pool,
            parser: Parser::new(limit),
            limit,
        }
    }

    /// Returns the next event of any type; `None` once the response has ended or failed.
    pub(crate) fn poll_block(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Block, LinkError>>> {
        loop {
            let Some(conn) = &mut self.open else {
                return Poll::Ready(None);
            };
            match self.parser.next_block() {
                Ok(Some(block)) => return Poll::Ready(Some(Ok(block))),
                Ok(None) => {}
                Err(TooLarge) => {
                    self.open = None;
                    return Poll::Ready(Some(Err(LinkError::TooLarge(self.limit))));
                }
            }
            match ready!(conn.poll_piece(cx)) {
                Some(Ok(piece)) => self.parser.push(piece),
                Some(Err(error)) => {
                    self.open = None;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    if let Some(conn) = self.open.take() {
                        self.pool.put(conn);
                    }
                }
            }
        }
    }
}

impl EventSource for Events {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Event, LinkError>>> {
        loop {
            match ready!(self.poll_block(cx)) {
                Some(Ok(block)) => {
                    if let Some(event) = block.into_message() {
                        return Poll::Ready(Some(Ok(event)));
                    }
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}
