//! A look at every server for commands that print what they find, with word of who keeps them waiting.

use std::cell::RefCell;
use std::time::Duration;

use kernel::ServerStatus;

use super::{Gateway, note};

/// After which silence a person is told who is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// How each server does, in the order of the configuration; `seen` hears of each as soon as it is known. With `ping`, latencies are measured.
pub(super) async fn look(gateway: &Gateway, ping: bool, seen: impl Fn(&ServerStatus)) -> Vec<ServerStatus> {
    let all = gateway.kernel.status().into_iter().map(|status| status.id);
    let waiting = RefCell::new(all.map(|id| format!("`{id}`")).collect::<Vec<_>>());
    let mut looking = std::pin::pin!(gateway.kernel.look(ping, |status| {
        waiting.borrow_mut().retain(|name| *name != format!("`{}`", status.id));
        seen(status);
    }));
    tokio::select! {
        statuses = &mut looking => return statuses,
        () = tokio::time::sleep(PATIENCE) => {
            note(&format!("waiting for {}, at most until `startup_timeout`", waiting.borrow().join(", ")));
        }
    }
    looking.await
}
