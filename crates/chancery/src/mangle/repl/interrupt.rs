//! Handles Ctrl-C while an evaluation runs: it ends the evaluation, not the session.

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use mangle::eval::Cancel;
use tokio::signal::unix::{SignalKind, signal};

/// The evaluation that Ctrl-C ends.
#[derive(Clone, Default)]
pub(super) struct Interrupt(Arc<Mutex<Cancel>>);

impl Interrupt {
    /// Returns the flag for the evaluation that is about to run.
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
        listen_for(&interrupt);
    }
    interrupt
}

/// Returns once the signal is caught: the line editor, which begins after that, leaves the signal as it finds it.
fn listen_for(interrupt: &Interrupt) {
    let heard = interrupt.clone();
    let (ready, caught) = mpsc::sync_channel(1);
    // It waits for ever, and ends with the process.
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else {
            return;
        };
        runtime.block_on(async {
            let Ok(mut signals) = signal(SignalKind::interrupt()) else { return };
            let _somebody_waits = ready.send(());
            while signals.recv().await.is_some() {
                heard.cancel();
            }
        });
    });
    // Where signals cannot be caught, Ctrl-C ends the session, as in any program.
    let _caught = caught.recv();
}

#[cfg(test)]
mod tests {
    use super::{Interrupt, listen_for};

    #[test]
    fn the_signal_is_caught_before_the_first_line_is_read() {
        listen_for(&Interrupt::default());
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).expect("it is there");
        let caught = u64::from_str_radix(caught, 16).expect("a mask");
        assert_eq!(caught & 0b10, 0b10, "the second bit is SIGINT");
    }
}
