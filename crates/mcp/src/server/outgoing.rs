//! The params of a request as its server shall read them.

use jsonrpc::Raw;

use crate::adapt;
use crate::capabilities::Carry;
use crate::exchange::Request;
use crate::meta::{self, Modern, key};
use crate::revision::{Era, Revision};

/// The params that replace the client's; `None` when they go as they came.
pub(super) fn params(request: &Request, era: Era, revision: Revision, number: u64) -> Option<Raw> {
    let crossed = match (request.peer.era(), era) {
        (Era::Modern, Era::Legacy) => request
            .params
            .as_ref()
            .map(|params| adapt::without_retry(&meta::strip_modern(params))),
        (Era::Legacy, Era::Modern) => Some(modernised(request, revision)),
        (Era::Modern, Era::Modern) if request.peer.revision != revision => {
            let params = request.params.clone().unwrap_or_else(Raw::object_empty);
            Some(
                params
                    .edit()
                    .set(&["_meta", key::PROTOCOL_VERSION], &Raw::string(revision.as_str()))
                    .finish(),
            )
        }
        _ => None,
    };
    if request.progress.is_none() && request.rename.is_none() {
        return crossed;
    }
    let params = crossed.or_else(|| request.params.clone()).unwrap_or_else(Raw::object_empty);
    let mut edit = params.edit();
    if request.progress.is_some() {
        edit = edit.set(&["_meta", key::PROGRESS_TOKEN], &Raw::uint(number));
    }
    if let Some(name) = &request.rename {
        let path: &[&str] = if request.method.is("completion/complete") {
            &["ref", "name"]
        } else {
            &["name"]
        };
        edit = edit.set(path, &Raw::string(name));
    }
    Some(edit.finish())
}

fn modernised(request: &Request, revision: Revision) -> Raw {
    let carry = Carry {
        from: request.peer.revision,
        to: revision,
        reverse: true,
        client_tasks: false,
    };
    let capabilities = request.peer.capabilities.relay(&carry);
    let modern = Modern {
        revision,
        capabilities: &capabilities,
        client_info: request.peer.info.as_ref(),
        log_level: request.log_level,
    };
    meta::add_modern(request.params.as_ref(), modern)
}
