//! The end of clients whose token lets nobody in any more: taken back, or expired (DESIGN 9).

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Client, Delivery};
use crate::inner::Inner;
use crate::kernel::{LAST_ANSWERS, LOOK_FOR_ANSWERS};

/// Ends what such clients have open. What they send next is refused at the door.
pub(crate) fn dismiss_unwelcome(inner: &Inner) {
    let (policy, now) = (inner.guard.policy(), inner.guard.calendar.now());
    let is_unwelcome = |client: &Arc<Client>| {
        let token = client.bearer.as_deref();
        token.is_some_and(|token| !policy.lets_in(token, &client.principal, now)) && !client.ending().is_cancelled()
    };
    for client in inner.clients.all().into_iter().filter(is_unwelcome) {
        tracing::info!(principal = %client.principal.id, "its token lets nobody in any more: its session ends");
        client.dismiss();
    }
}

impl Client {
    /// Cancelled when its streams are to end.
    pub(crate) fn ending(&self) -> &CancellationToken {
        self.ending.get_or_init(|| self.inner.shutdown.child_token())
    }

    /// What is under way ends with an error, then its streams and its session end.
    fn dismiss(self: &Arc<Self>) {
        self.ending().cancel();
        self.cut_short();
        if let Some(session) = self.token.get() {
            drop(self.inner.clients.close_session(session));
        }
        let client = self.clone();
        self.inner.spawn(async move {
            let answered = async {
                while client.is_busy() {
                    tokio::time::sleep(LOOK_FOR_ANSWERS).await;
                }
            };
            drop(tokio::time::timeout(LAST_ANSWERS, answered).await);
            if let Delivery::Http(streams) = &client.delivery {
                streams.end();
            }
            client.hang_up();
        });
    }
}
