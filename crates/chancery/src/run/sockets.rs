//! The local sockets of a gateway: one for `chancery stdio`, one for operators.

use std::path::PathBuf;

use transport::http::OwnerSocket;
use transport::socket::SocketListener;

use crate::config::{self, Config, Sources};

/// Returns the path at which `chancery stdio` finds a gateway that serves the same configuration.
pub(super) fn socket_path(identity: &str, sources: &Sources) -> Option<PathBuf> {
    let name = format!("{}.sock", identity.get(..16).unwrap_or(identity));
    Some(config::state_dir(&sources.env)?.join("run").join(name))
}

/// Returns the path at which operators find the gateway with a number of a configuration.
pub(super) fn owner_path(identity: &str, number: usize, sources: &Sources) -> Option<PathBuf> {
    let path = socket_path(identity, sources)?;
    Some(match number {
        1 => path.with_extension("api.sock"),
        _ => path.with_extension(format!("{number}.api.sock")),
    })
}

/// Opens the socket for operators, if that is possible.
pub(super) fn owner_socket(config: &Config, number: usize, sources: &Sources) -> Option<OwnerSocket> {
    match OwnerSocket::bind(&owner_path(&config.identity, number, sources)?) {
        Ok(listener) => Some(listener),
        Err(error) => {
            tracing::warn!(%error, "`chancery approvals`, `access`, `permissions` and `token` do not reach this gateway");
            None
        }
    }
}

/// Opens the socket for `chancery stdio`, if that is possible.
pub(super) fn local_socket(config: &Config, sources: &Sources) -> Option<SocketListener> {
    let path = socket_path(&config.identity, sources)?;
    match SocketListener::bind(&path) {
        Ok(listener) => Some(listener),
        Err(error) => {
            tracing::warn!(%error, "`chancery stdio` does not reach this gateway");
            None
        }
    }
}
