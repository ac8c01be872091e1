//! Waits for every server, for commands that print what they find, and tells the user which servers they wait for.

use std::cell::RefCell;
use std::time::Duration;

use kernel::{Health, ServerStatus};
use model::ServerId;

use super::gateway::Gateway;
use super::output::note;

/// The silence after which a person is told which servers are awaited.
const PATIENCE: Duration = Duration::from_secs(3);

/// Returns each server's state, in the order of the configuration; `seen` is called for each as soon as it is known.
/// With `ping`, latencies are measured.
pub(super) async fn look(gateway: &Gateway, ping: bool, seen: impl Fn(&ServerStatus)) -> Vec<ServerStatus> {
    let all = gateway.kernel.status().into_iter().map(|status| status.id);
    let waiting = RefCell::new(all.collect::<Vec<ServerId>>());
    let mut looking = std::pin::pin!(gateway.kernel.look(ping, |status| {
        waiting.borrow_mut().retain(|id| *id != status.id);
        seen(status);
    }));
    tokio::select! {
        statuses = &mut looking => return statuses,
        () = tokio::time::sleep(PATIENCE) => {
            let mut statuses = gateway.kernel.status();
            statuses.retain(|status| waiting.borrow().contains(&status.id));
            note(&format!("waiting for {}", awaited(&statuses)));
        }
    }
    looking.await
}

/// Returns which servers are awaited, and until when: a start may take as long as is configured, the lists of a server
/// then only a few seconds.
fn awaited(statuses: &[ServerStatus]) -> String {
    let (started, starting): (Vec<_>, Vec<_>) = statuses.iter().partition(|status| matches!(status.health, Health::Started));
    let names = |of: &[&ServerStatus]| of.iter().map(|status| format!("`{}`", status.id)).collect::<Vec<_>>().join(", ");
    let start = format!("{}, at most until `startup_timeout`", names(&starting));
    let lists = format!("the lists of {}, a few seconds more", names(&started));
    match (starting.is_empty(), started.is_empty()) {
        (_, true) => start,
        (true, false) => lists,
        (false, false) => format!("{start}, and for {lists}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_waited_for_and_until_when() {
        let status = |id: &str, health: Health| ServerStatus {
            id: ServerId::new(id).expect("an id"),
            health,
            note: None,
            revision: None,
            info: None,
            counts: [0; 4],
            pids: Vec::new(),
            latency: None,
        };
        let (slow, mute) = (status("slow", Health::Configured), status("mute", Health::Started));
        assert_eq!(awaited(std::slice::from_ref(&slow)), "`slow`, at most until `startup_timeout`");
        assert_eq!(awaited(std::slice::from_ref(&mute)), "the lists of `mute`, a few seconds more");
        assert_eq!(
            awaited(&[mute, slow]),
            "`slow`, at most until `startup_timeout`, and for the lists of `mute`, a few seconds more"
        );
    }
}
