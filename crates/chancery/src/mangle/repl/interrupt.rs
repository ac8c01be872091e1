//! Ctrl-C while an evaluation runs ends the evaluation, not the session.

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};

use mangle::eval::Cancel;

/// The evaluation that Ctrl-C ends.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<Mutex<Cancel>>);

impl Interrupt {
    /// The flag for the evaluation that is about to run.
    pub(super) fn fresh(&self) -> Cancel {
        let fresh = Cancel::default();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        fresh
    }

    fn cancel(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }
}

/// Listens for Ctrl-C where a person can press it. The line editor reads it as a key; only evaluations are interrupted.
pub(super) fn listen() -> Interrupt {
    let interrupt = Interrupt::default();
    if std::io::stdin().is_terminal() {
        let heard = interrupt.clone();
        // It waits for ever, and ends with the process.
        std::thread::spawn(move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else {
                return;
            };
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    heard.cancel();
                }
            });
        });
    }
    interrupt
}
