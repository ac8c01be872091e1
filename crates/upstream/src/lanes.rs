//! Bounded pools of lanes: connections of one caller that carry one call each whose client can be asked (DESIGN 1).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use model::PrincipalId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The pools of one server, by principal and capabilities.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    pools: Mutex<HashMap<Caller, Arc<Pool>>>,
}

/// A principal and the canonical form of its clients' capabilities.
type Caller = (PrincipalId, Arc<[u8]>);

#[derive(Debug)]
struct Pool {
    permits: Arc<Semaphore>,
    free: Mutex<Vec<u8>>,
}

/// The permit to use a lane, which returns to the pool when this is dropped.
#[derive(Debug)]
pub struct LanePermit {
    pool: Arc<Pool>,
    pub(crate) lane: u8,
    _permit: OwnedSemaphorePermit,
}

impl Lanes {
    /// Waits for a free lane; the caller bounds the wait.
    pub(crate) async fn acquire(&self, principal: &PrincipalId, capabilities: &Arc<[u8]>, places: usize) -> Option<LanePermit> {
        let pool = {
            let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
            pools
                .entry((principal.clone(), capabilities.clone()))
                .or_insert_with(|| Pool::new(places))
                .clone()
        };
        let permit = pool.permits.clone().acquire_owned().await.ok()?;
        let lane = pool.free.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        Some(LanePermit {
            pool,
            lane,
            _permit: permit,
        })
    }

    /// Removes pools without a lane in use.
    pub(crate) fn sweep(&self) {
        let mut pools = self.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|_, pool| Arc::strong_count(pool) > 1);
    }
}

impl Pool {
    fn new(places: usize) -> Arc<Self> {
        let free = (0..places).rev().filter_map(|lane| u8::try_from(lane).ok()).collect();
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(places)),
            free: Mutex::new(free),
        })
    }
}

impl Drop for LanePermit {
    fn drop(&mut self) {
        self.pool.free.lock().unwrap_or_else(PoisonError::into_inner).push(self.lane);
    }
}
