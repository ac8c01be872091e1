//! Which calls are held back because of permissions (D2, D3, D4): enforced here whatever the server makes of what it is told.

use model::{Permission, RequestId, Timestamp};

use super::machine::Permissions;
use super::standing::Standing;
use crate::error::{Code, Refusal};
use crate::json::Members;

impl Permissions {
    /// Whether a tool that needs these permissions may be called.
    ///
    /// A tool that names its permissions is judged by them. One that names none is judged by what its server wants as a whole: it waits while
    /// anything of that is undecided, and is refused where all of it is denied, or any of it with a strict server. After a partial denial the
    /// server is to do without (§3.6), so such a tool may be called (D4).
    ///
    /// # Errors
    /// 1000, to be tried again where somebody has yet to decide.
    pub fn gate(&self, needs: &[Permission], now: Timestamp) -> Result<(), Refusal> {
        let own: Vec<&Permission>;
        let whole = needs.is_empty();
        let judged = if whole {
            own = self
                .wishes
                .iter()
                .filter(|(_, wish)| wish.of_server)
                .map(|(permission, _)| permission)
                .collect();
            own
        } else {
            needs.iter().collect()
        };
        let standing = |wanted: Standing| -> Vec<&Permission> {
            let of = judged.iter().copied();
            of.filter(|permission| self.standing(permission, now).0 == wanted).collect()
        };
        let denied = standing(Standing::Denied);
        let bars = if whole && !self.settings.strict {
            !denied.is_empty() && denied.len() == judged.len()
        } else {
            !denied.is_empty()
        };
        if bars {
            return Err(self.refused(&denied));
        }
        let pending = standing(Standing::Pending);
        if pending.is_empty() {
            return Ok(());
        }
        Err(self.held_back(&pending))
    }

    fn refused(&self, denied: &[&Permission]) -> Refusal {
        let names = names(denied);
        Refusal::new(
            Code::PermissionDenied,
            format!("`{}` does not have the permission {names}", self.server),
        )
        .with_hint(format!("an operator can approve {names} for `{}`", self.server))
        .with_details(self.details(denied, None))
    }

    fn held_back(&self, pending: &[&Permission]) -> Refusal {
        let message = format!("`{}` waits for a decision on the permission {}", self.server, names(pending));
        let request = pending.iter().find_map(|permission| self.wishes.get(*permission)?.request());
        match request {
            Some(request) => Refusal::waiting_for(request, message),
            None => Refusal::new(Code::PermissionDenied, message)
                .with_hint("an operator has to decide on it")
                .retry_after(1_000, 12),
        }
        .with_details(self.details(pending, request))
    }

    fn details(&self, permissions: &[&Permission], request: Option<&RequestId>) -> jsonrpc::Raw {
        Members::new()
            .maybe_text("request_id", request.map(RequestId::as_str))
            .text("server_id", self.server.as_str())
            .texts("permissions", permissions.iter().map(|permission| permission.as_str()))
            .finish()
    }
}

fn names(permissions: &[&Permission]) -> String {
    let names: Vec<String> = permissions.iter().map(|permission| format!("`{permission}`")).collect();
    names.join(", ")
}
