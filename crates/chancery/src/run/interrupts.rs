//! The signals that end a command. Children are in process groups of their own, which a terminal's Ctrl-C does not
//! reach: a command that runs a gateway listens before the gateway starts, and ends it afterwards.

use std::io;
use std::process::ExitCode;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The exit code of shells after a Ctrl-C.
const INTERRUPTED: u8 = 130;

/// SIGINT and SIGTERM, from the time of construction.
pub(super) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Resolves at the next signal.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    /// Runs the work until it ends or a signal arrives.
    pub(super) async fn or(&mut self, work: impl Future<Output = anyhow::Result<ExitCode>>) -> anyhow::Result<ExitCode> {
        tokio::select! {
            done = work => done,
            () = self.next() => Ok(ExitCode::from(INTERRUPTED)),
        }
    }
}
