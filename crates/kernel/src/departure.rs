//! The last look before the first byte, and the wait until nobody writes any more who looked before (DESIGN 9).

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use bytes::Bytes;
use model::Ticket;
use tokio::sync::Notify;

use crate::gate::Permit;
use crate::inner::Inner;
use crate::upstream::Session;

/// How long a change waits for those who are in the middle of writing. A server that does not read may keep one there.
const PATIENCE: Duration = Duration::from_secs(5);

/// Leave to write one message, good until something changes that takes it back. Whoever writes asks last.
#[derive(Clone)]
pub struct Leave {
    inner: Weak<Inner>,
    permit: Permit,
    call: Option<(Weak<Session>, Ticket)>,
}

/// Held while what it was given for is written.
#[derive(Debug)]
#[must_use]
pub struct Departure {
    wave: Option<Arc<Wave>>,
}

/// A message on its way to a server, with what it needs to leave.
#[derive(Clone, Debug)]
pub struct Parcel {
    frame: Bytes,
    leave: Option<Leave>,
}

/// All who depart, in waves: a change begins a new one and waits for the end of the one before.
#[derive(Debug, Default)]
pub(crate) struct Waves {
    present: ArcSwap<Wave>,
}

#[derive(Debug, Default)]
struct Wave {
    under_way: AtomicUsize,
    is_over: Notify,
}

impl Leave {
    pub(crate) fn new(inner: &Arc<Inner>, permit: Permit, call: Option<(&Arc<Session>, Ticket)>) -> Self {
        Self {
            inner: Arc::downgrade(inner),
            permit,
            call: call.map(|(session, ticket)| (Arc::downgrade(session), ticket)),
        }
    }

    /// Whether it may still be written. Where it may not, the one who waits for an answer is told.
    #[must_use]
    pub fn depart(&self) -> Option<Departure> {
        let inner = self.inner.upgrade()?;
        // Counted before it looks: whoever changes the policy and then sees nobody under way, is seen by this look.
        let departure = inner.guard.waves.depart();
        if self.permit.stands(&inner) {
            return Some(departure);
        }
        if let Some((session, ticket)) = &self.call
            && let Some(session) = session.upgrade()
        {
            session.take_back(*ticket);
        }
        None
    }
}

impl fmt::Debug for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leave").field("permit", &self.permit).finish_non_exhaustive()
    }
}

impl Parcel {
    pub(crate) fn new(frame: Bytes, leave: Option<Leave>) -> Self {
        Self { frame, leave }
    }

    /// Its bytes, if they may still be written, and what is to be held meanwhile.
    #[must_use]
    pub fn depart(self) -> Option<(Bytes, Departure)> {
        let departure = match &self.leave {
            Some(leave) => leave.depart()?,
            None => Departure { wave: None },
        };
        Some((self.frame, departure))
    }
}

/// What the gateway says itself: it needs nobody's leave.
impl From<Bytes> for Parcel {
    fn from(frame: Bytes) -> Self {
        Self::new(frame, None)
    }
}

impl Waves {
    fn depart(&self) -> Departure {
        let wave = self.present.load_full();
        wave.under_way.fetch_add(1, Ordering::SeqCst);
        Departure { wave: Some(wave) }
    }

    /// Resolves when nobody is under way any more who departed before. To be called when what they looked at has changed.
    pub(crate) async fn settle(&self) {
        let before = self.present.swap(Arc::default());
        let over = async {
            loop {
                let mut over = std::pin::pin!(before.is_over.notified());
                over.as_mut().enable();
                if before.under_way.load(Ordering::SeqCst) == 0 {
                    return;
                }
                over.await;
            }
        };
        if tokio::time::timeout(PATIENCE, over).await.is_err() {
            tracing::warn!("a server does not read: what was begun to be written to it before a change may still reach it");
        }
    }
}

impl Drop for Departure {
    fn drop(&mut self) {
        if let Some(wave) = self.wave.take()
            && wave.under_way.fetch_sub(1, Ordering::SeqCst) == 1
        {
            wave.is_over.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_change_waits_for_those_who_departed_before_it_and_for_no_others() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let _entered = runtime.enter();
        let waves = Waves::default();
        let (one, two) = (waves.depart(), waves.depart());
        let mut settling = std::pin::pin!(waves.settle());
        assert_eq!(settling.as_mut().now_or_never(), None);
        let later = waves.depart();
        drop(one);
        assert_eq!(settling.as_mut().now_or_never(), None, "one is still writing");
        drop(two);
        assert_eq!(settling.as_mut().now_or_never(), Some(()));
        drop(later);
    }
}
