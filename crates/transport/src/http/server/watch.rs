//! Watches what each connection does and since when, so that one sweep over all of them enforces every deadline and no
//! request needs a timer of its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use futures_util::task::AtomicWaker;

use super::options::ListenLimits;

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// No request.
    Idle,
    /// Part of a head has arrived.
    Head,
    /// A body is being read.
    Body,
    /// The answer is being made or written.
    Answer,
}

/// The order to a connection. It only ever rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Order {
    /// Continue.
    Serve,
    /// The body has taken too long.
    RefuseBody,
    /// Finish the open request, then close.
    Finish,
    /// Close.
    Close,
}

/// The state of one connection for the sweep. Times are ticks of the sweep.
#[derive(Debug)]
pub(crate) struct Watch {
    clock: Arc<AtomicU32>,
    phase: AtomicU8,
    since: AtomicU32,
    /// The tick since which nothing could be written; 0 while writing succeeds.
    stalled: AtomicU32,
    order: AtomicU8,
    waker: AtomicWaker,
}

impl Watch {
    fn new(clock: Arc<AtomicU32>) -> Self {
        let now = clock.load(Relaxed);
        Self {
            clock,
            phase: AtomicU8::new(Phase::Idle as u8),
            since: AtomicU32::new(now),
            stalled: AtomicU32::new(0),
            order: AtomicU8::new(Order::Serve as u8),
            waker: AtomicWaker::new(),
        }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Relaxed);
        self.since.store(self.clock.load(Relaxed), Relaxed);
    }

    /// Notes that bytes have arrived. On an idle connection, a head begins.
    pub(crate) fn received(&self) {
        if self.phase.load(Relaxed) == Phase::Idle as u8 {
            self.enter(Phase::Head);
        }
    }

    /// Notes whether the peer takes what is written.
    pub(crate) fn wrote(&self, progress: bool) {
        let stalled = self.stalled.load(Relaxed);
        if progress && stalled != 0 {
            self.stalled.store(0, Relaxed);
        } else if !progress && stalled == 0 {
            self.stalled.store(self.clock.load(Relaxed), Relaxed);
        }
    }

    pub(crate) fn order(&self) -> Order {
        match self.order.load(Relaxed) {
            0 => Order::Serve,
            1 => Order::RefuseBody,
            2 => Order::Finish,
            _ => Order::Close,
        }
    }

    fn give(&self, order: Order) {
        if self.order.fetch_max(order as u8, Relaxed) < order as u8 {
            self.waker.wake();
        }
    }

    /// Sets the waker to call for an order.
    pub(crate) fn register(&self, waker: &Waker) {
        self.waker.register(waker);
    }

    fn sweep(&self, now: u32, ticks: &Ticks) {
        let stalled = self.stalled.load(Relaxed);
        if stalled != 0 && now.wrapping_sub(stalled) > ticks.write {
            self.give(Order::Close);
        }
        let age = now.wrapping_sub(self.since.load(Relaxed));
        let phase = self.phase.load(Relaxed);
        if phase == Phase::Idle as u8 && age > ticks.idle {
            self.give(Order::Finish);
        } else if phase == Phase::Head as u8 && age > ticks.head {
            self.give(Order::Close);
        } else if phase == Phase::Body as u8 && age > ticks.body {
            // The refusal has to be read, too: twice the time, then the connection is closed.
            self.give(if age > 2 * ticks.body { Order::Close } else { Order::RefuseBody });
        }
    }
}

#[derive(Debug)]
struct Ticks {
    head: u32,
    body: u32,
    idle: u32,
    write: u32,
}

/// The watches of all connections of a listener.
#[derive(Debug)]
pub(crate) struct Watches {
    clock: Arc<AtomicU32>,
    ticks: Ticks,
    all: Mutex<(u64, HashMap<u64, Arc<Watch>>)>,
}

impl Watches {
    pub(crate) fn new(limits: &ListenLimits) -> Self {
        let tick = limits.tick();
        let ticks = |timeout: Duration| u32::try_from(timeout.as_millis() / tick.as_millis().max(1)).unwrap_or(u32::MAX / 4);
        Self {
            // Not 0, which means that writing succeeds.
            clock: Arc::new(AtomicU32::new(1)),
            ticks: Ticks {
                head: ticks(limits.head_timeout),
                body: ticks(limits.body_timeout),
                idle: ticks(limits.idle_timeout),
                write: ticks(limits.write_timeout),
            },
            all: Mutex::default(),
        }
    }

    /// Watches a connection until the returned handle is dropped.
    pub(crate) fn add(self: &Arc<Self>) -> Watched {
        let watch = Arc::new(Watch::new(Arc::clone(&self.clock)));
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.0 += 1;
        let id = all.0;
        all.1.insert(id, Arc::clone(&watch));
        Watched {
            watches: Arc::clone(self),
            id,
            watch,
        }
    }

    /// Advances the clock by one tick, and checks every deadline.
    pub(crate) fn sweep(&self) {
        let now = self.clock.fetch_add(1, Relaxed).wrapping_add(1);
        self.each(|watch| watch.sweep(now, &self.ticks));
    }

    /// Gives an order to every connection.
    pub(crate) fn give_all(&self, order: Order) {
        self.each(|watch| watch.give(order));
    }

    fn each(&self, act: impl Fn(&Watch)) {
        self.all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .1
            .values()
            .for_each(|watch| act(watch));
    }
}

/// The handle of a watched connection.
#[derive(Debug)]
pub(crate) struct Watched {
    watches: Arc<Watches>,
    id: u64,
    pub(crate) watch: Arc<Watch>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut all = self.watches.all.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = all.1.remove(&self.id);
        drop(all);
        drop(gone);
    }
}
