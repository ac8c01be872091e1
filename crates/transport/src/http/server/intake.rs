//! Reads the body of a request, within its limit.

use std::future::poll_fn;
use std::pin::Pin;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header};
use http_body::Body;
use hyper::body::Incoming;

use super::answer::Refusal;
use super::watch::{Order, Phase, Watch};

/// How many times the limit is still read and dropped, so that a client that reads only after it has sent everything
/// learns why.
const DROPPED: u64 = 8;

/// Reads the body; a body of one piece is not copied.
pub(crate) async fn body(mut incoming: Incoming, headers: &HeaderMap, limit: usize, watch: &Watch) -> Result<Bytes, Refusal> {
    watch.enter(Phase::Body);
    let announced = incoming.size_hint().exact();
    if announced.is_some_and(|size| size > limit as u64) {
        if !headers.contains_key(header::EXPECT) {
            drop_rest(&mut incoming, limit, watch).await?;
        }
        return Err(too_large(limit));
    }
    let Some(first) = piece(&mut incoming, watch).await? else {
        watch.enter(Phase::Answer);
        return Ok(Bytes::new());
    };
    let mut more: Option<BytesMut> = None;
    if announced != Some(first.len() as u64) {
        while let Some(next) = piece(&mut incoming, watch).await? {
            let all = more.get_or_insert_with(|| {
                let likely = usize::try_from(announced.unwrap_or(0)).unwrap_or(0).min(limit).min(1024 * 1024);
                let mut all = BytesMut::with_capacity(likely.max(first.len() + next.len()));
                all.extend_from_slice(&first);
                all
            });
            if all.len() + next.len() > limit {
                drop(more.take());
                drop_rest(&mut incoming, limit, watch).await?;
                return Err(too_large(limit));
            }
            all.extend_from_slice(&next);
        }
    }
    watch.enter(Phase::Answer);
    match more {
        None if first.len() > limit => Err(too_large(limit)),
        more => Ok(more.map_or(first, BytesMut::freeze)),
    }
}

async fn piece(incoming: &mut Incoming, watch: &Watch) -> Result<Option<Bytes>, Refusal> {
    poll_fn(|cx| {
        if watch.order() == Order::RefuseBody {
            let text = "the body did not come in time";
            return std::task::Poll::Ready(Err(
                Refusal::new(StatusCode::REQUEST_TIMEOUT, text).with(header::CONNECTION, "close")
            ));
        }
        loop {
            return match std::task::ready!(Pin::new(&mut *incoming).poll_frame(cx)) {
                None => std::task::Poll::Ready(Ok(None)),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if !data.is_empty() => std::task::Poll::Ready(Ok(Some(data))),
                    // Trailers are ignored.
                    _ => continue,
                },
                Some(Err(error)) => {
                    let text = format!("the body can't be read: {error}");
                    std::task::Poll::Ready(Err(Refusal::new(StatusCode::BAD_REQUEST, text).with(header::CONNECTION, "close")))
                }
            };
        }
    })
    .await
}

async fn drop_rest(incoming: &mut Incoming, limit: usize, watch: &Watch) -> Result<(), Refusal> {
    let mut left = (limit as u64).saturating_mul(DROPPED);
    while let Some(piece) = piece(incoming, watch).await? {
        let Some(rest) = left.checked_sub(piece.len() as u64) else { break };
        left = rest;
    }
    watch.enter(Phase::Answer);
    Ok(())
}

fn too_large(limit: usize) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is larger than {limit} bytes"))
}
