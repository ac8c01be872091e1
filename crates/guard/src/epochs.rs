//! Counts messages that are being written, in epochs: a change of the policy waits until every write of an older epoch has ended (DESIGN 9).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::Notify;

/// How long a change waits for messages that are being written. A server that does not read may keep one there.
const PATIENCE: Duration = Duration::from_secs(5);

/// A message that is being written. The writer holds it until the last byte.
#[derive(Debug)]
#[must_use]
pub struct InFlight {
    epoch: Option<Arc<Epoch>>,
}

impl InFlight {
    /// Returns the guard value of one of the gateway's own messages, for which no change of the policy waits.
    pub fn own() -> Self {
        Self { epoch: None }
    }
}

/// The present epoch of writes. A change begins a new one and waits for the end of the one before.
#[derive(Debug, Default)]
pub(crate) struct Epochs {
    present: ArcSwap<Epoch>,
}

#[derive(Debug, Default)]
struct Epoch {
    in_flight: AtomicUsize,
    is_over: Notify,
}

impl Epochs {
    /// Counts a write into the present epoch.
    pub(crate) fn begin(&self) -> InFlight {
        let epoch = self.present.load_full();
        epoch.in_flight.fetch_add(1, Ordering::SeqCst);
        InFlight { epoch: Some(epoch) }
    }

    /// Begins a new epoch, and resolves when every write of the one before has ended. The caller has first changed what the writers check.
    pub(crate) async fn settle(&self) {
        let before = self.present.swap(Arc::default());
        let over = async {
            loop {
                let mut over = std::pin::pin!(before.is_over.notified());
                over.as_mut().enable();
                if before.in_flight.load(Ordering::SeqCst) == 0 {
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

impl Drop for InFlight {
    fn drop(&mut self) {
        if let Some(epoch) = self.epoch.take()
            && epoch.in_flight.fetch_sub(1, Ordering::SeqCst) == 1
        {
            epoch.is_over.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_change_waits_for_writes_that_began_before_it_and_for_no_others() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime");
        let _entered = runtime.enter();
        let epochs = Epochs::default();
        let (one, two) = (epochs.begin(), epochs.begin());
        let mut settling = std::pin::pin!(epochs.settle());
        assert_eq!(settling.as_mut().now_or_never(), None);
        let later = epochs.begin();
        drop(one);
        assert_eq!(settling.as_mut().now_or_never(), None, "one is still writing");
        drop(two);
        assert_eq!(settling.as_mut().now_or_never(), Some(()));
        drop(later);
    }
}
