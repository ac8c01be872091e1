//! Reads the body of an answer.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use bytes::{Bytes, BytesMut};
use http_body::Body;
use hyper::body::Incoming;
use kernel::link::LinkError;

use super::pool::{Conn, chain};

/// The next piece of a body; `None` at its end. Drives the connection.
pub(crate) fn poll_piece(body: &mut Incoming, conn: &mut Conn, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, LinkError>>> {
    conn.poll_with(cx, || {
        loop {
            // Only the connection can bring more, so that the body needn't wake us as well.
            match ready!(Pin::new(&mut *body).poll_frame(&mut Context::from_waker(Waker::noop()))) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => return Poll::Ready(Some(Ok(data))),
                    // Trailers say nothing to us.
                    _ => {}
                },
                Some(Err(error)) => return Poll::Ready(Some(Err(LinkError::Broken(chain(&error))))),
                None => return Poll::Ready(None),
            }
        }
    })
}

/// The whole body; a body of one piece is that piece.
///
/// # Errors
/// When it is larger than `limit` bytes, or the connection breaks.
pub(crate) async fn whole(mut body: Incoming, conn: &mut Conn, limit: usize) -> Result<Bytes, LinkError> {
    let announced = body.size_hint().exact().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    if announced.is_some_and(|size| size > limit) {
        return Err(LinkError::TooLarge(limit));
    }
    let Some(first) = poll_fn(|cx| poll_piece(&mut body, conn, cx)).await.transpose()? else {
        return Ok(Bytes::new());
    };
    if announced == Some(first.len()) {
        // Past its last byte, so that the connection can be used again.
        while poll_fn(|cx| poll_piece(&mut body, conn, cx)).await.transpose()?.is_some() {}
        return Ok(first);
    }
    let mut all: Option<BytesMut> = None;
    while let Some(piece) = poll_fn(|cx| poll_piece(&mut body, conn, cx)).await.transpose()? {
        let all = all.get_or_insert_with(|| {
            let mut all = BytesMut::with_capacity(
                announced
                    .unwrap_or(0)
                    .clamp(first.len() + piece.len(), 1024 * 1024 + first.len() + piece.len()),
            );
            all.extend_from_slice(&first);
            all
        });
        if all.len() + piece.len() > limit {
            return Err(LinkError::TooLarge(limit));
        }
        all.extend_from_slice(&piece);
    }
    match all {
        None if first.len() > limit => Err(LinkError::TooLarge(limit)),
        all => Ok(all.map_or(first, BytesMut::freeze)),
    }
}

/// The start of a body as text, and whether that was all of it.
pub(crate) async fn start(mut body: Incoming, conn: &mut Conn, limit: usize) -> (String, bool) {
    let mut text = Vec::new();
    let ended = loop {
        match poll_fn(|cx| poll_piece(&mut body, conn, cx)).await {
            None => break true,
            Some(Ok(piece)) => {
                let room = limit - text.len();
                text.extend_from_slice(&piece[..piece.len().min(room)]);
                if piece.len() > room {
                    break false;
                }
            }
            Some(Err(_)) => break false,
        }
    };
    (String::from_utf8_lossy(&text).into_owned(), ended)
}
