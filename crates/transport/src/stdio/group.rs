//! Ends a child's process group as a whole.

use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid};
use tokio::process::Child;
use tokio::time::{Instant, sleep, timeout};

/// How long a killed group may take to vanish before the gateway stops checking. (Zombies that a foreign parent doesn't
/// reap stay in the group.)
const VANISHING: Duration = Duration::from_millis(500);

/// The process group that a child leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group(Pid);

impl Group {
    /// Returns the group of a child that was started as its leader.
    pub(crate) fn of(child: &Child) -> Option<Self> {
        child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw).map(Self)
    }

    /// Waits for the leader: by itself for `close_grace`, then after SIGTERM for `term_grace`, then after SIGKILL.
    pub(crate) async fn end_leader(self, child: &mut Child, close_grace: Duration, term_grace: Duration) {
        for (grace, signal) in [(close_grace, Signal::TERM), (term_grace, Signal::KILL)] {
            if timeout(grace, child.wait()).await.is_ok() {
                return;
            }
            self.signal(signal);
        }
        // An error means that another process reaped it.
        drop(child.wait().await);
    }

    /// Ends the processes that the leader left behind: by SIGTERM for `term_grace`, then by SIGKILL. The leader must
    /// have been waited for.
    pub(crate) async fn end_rest(self, term_grace: Duration) {
        for (signal, grace) in [(Signal::TERM, term_grace), (Signal::KILL, VANISHING)] {
            if self.has_vanished() {
                return;
            }
            self.signal(signal);
            // There is no event for an empty group, so check, less and less often.
            let deadline = Instant::now() + grace;
            let mut pause = Duration::from_millis(1);
            while !self.has_vanished() && Instant::now() < deadline {
                sleep(pause).await;
                pause = (pause * 2).min(Duration::from_millis(50));
            }
        }
    }

    fn signal(self, signal: Signal) {
        // An error means that no process is left.
        let _ = kill_process_group(self.0, signal);
    }

    fn has_vanished(self) -> bool {
        // As the first process of a container the gateway inherits orphans and must reap them.
        while let Ok(Some(_)) = waitpgid(self.0, WaitOptions::NOHANG) {}
        test_kill_process_group(self.0).is_err()
    }
}
