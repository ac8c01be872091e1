//! Polls futures that wake themselves without returning to the scheduler.
//!
//! hyper's halves talk through channels, and all of ours are polled by one task: each message wakes the very task that
//! is running. The runtime takes that for a yield, queues the task anew and wakes another worker to look at the queue,
//! which costs more than the request.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// How often a future may wake itself before the scheduler is asked after all: the future may be yielding to others.
const ROUNDS: usize = 4;

/// A waker that passes on only the wake-ups that come between polls. A wake-up during a poll makes it poll again.
pub(crate) struct WakeFilter {
    state: Arc<State>,
    waker: Waker,
}

#[derive(Default)]
struct State {
    open: AtomicBool,
    missed: AtomicBool,
    task: AtomicWaker,
}

impl Wake for State {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // In this order, and the poller in the other: one of the two sees the other's mark.
        self.missed.store(true, SeqCst);
        if self.open.load(SeqCst) {
            self.task.wake();
        }
    }
}

impl fmt::Debug for WakeFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WakeFilter").finish_non_exhaustive()
    }
}

impl WakeFilter {
    pub(crate) fn new() -> Self {
        let state = Arc::new(State::default());
        let waker = Waker::from(Arc::clone(&state));
        Self { state, waker }
    }

    /// Polls until the future is ready, or until nothing woke it during the poll.
    pub(crate) fn poll<T>(&self, cx: &mut Context<'_>, mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        self.state.task.register(cx.waker());
        for _ in 0..ROUNDS {
            self.state.open.store(false, SeqCst);
            self.state.missed.store(false, SeqCst);
            let polled = poll(&mut Context::from_waker(&self.waker));
            if polled.is_ready() {
                return polled;
            }
            self.state.open.store(true, SeqCst);
            if !self.state.missed.load(SeqCst) {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
        }
    }

    #[test]
    fn only_what_comes_between_polls_is_passed_on() {
        let count = Arc::new(Count::default());
        let task = Waker::from(Arc::clone(&count));
        let cx = &mut Context::from_waker(&task);
        let filter = WakeFilter::new();
        let mut kept = None;
        let mut rounds = 0;
        // Wakes itself once: polled again at once.
        let polled = filter.poll(cx, |cx| {
            rounds += 1;
            kept = Some(cx.waker().clone());
            if rounds == 1 {
                cx.waker().wake_by_ref();
            }
            Poll::<()>::Pending
        });
        assert!(polled.is_pending());
        assert_eq!((rounds, count.0.load(SeqCst)), (2, 0));
        let kept = kept.expect("a waker");
        kept.wake_by_ref();
        assert_eq!(count.0.load(SeqCst), 1);
        // A future that is ready needs no waking.
        assert!(filter.poll(cx, |_| Poll::Ready(())).is_ready());
        kept.wake_by_ref();
        assert_eq!(count.0.load(SeqCst), 1);
        // Always wakes itself: the scheduler decides.
        let polled = filter.poll(cx, |cx| {
            cx.waker().wake_by_ref();
            Poll::<()>::Pending
        });
        assert!(polled.is_pending());
        assert_eq!(count.0.load(SeqCst), 2);
    }
}
