//! Builds the params of a request as they are sent to its server.

use jsonrpc::{Editor, Raw};

use crate::capabilities::Carry;
use crate::exchange::Request;
use crate::meta::{Change, Modern, key};
use crate::revision::{Era, Revision};

/// Returns the params that replace the client's, made in one scan; `None` when the client's are sent unchanged.
pub(super) fn params(request: &Request, era: Era, revision: Revision, number: u64) -> Option<Raw> {
    let from = request.peer.revision;
    let crosses = from.era() != era || (era == Era::Modern && from != revision);
    if !crosses && request.progress.is_none() && request.rename.is_none() {
        return request.params.clone().filter(|params| !came_so(request, params));
    }
    if request.params.is_none() && era == Era::Legacy {
        return None;
    }
    let params = request.params.clone().unwrap_or_else(Raw::object_empty);
    let mut edit = params.edit();
    edit = match (from.era(), era) {
        (Era::Modern, Era::Legacy) => demodernised(edit, &params),
        (Era::Legacy, Era::Modern) => modernised(edit, &params, request, revision),
        (Era::Modern, Era::Modern) if crosses => edit.set(&["_meta", key::PROTOCOL_VERSION], &Raw::string(revision.as_str())),
        _ => edit,
    };
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

/// Returns whether params are the very bytes that were received; where the kernel has replaced them, its params are
/// sent.
fn came_so(request: &Request, params: &Raw) -> bool {
    let is_same = |came: Raw| came.len() == params.len() && came.bytes().as_ptr() == params.bytes().as_ptr();
    request.message.params().is_some_and(is_same)
}

fn demodernised(edit: Editor, params: &Raw) -> Editor {
    let change = Change {
        strip: true,
        ..Change::default()
    };
    change.edit(edit, params).remove(&["inputResponses"]).remove(&["requestState"])
}

fn modernised(edit: Editor, params: &Raw, request: &Request, revision: Revision) -> Editor {
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
    let change = Change {
        modern: Some(modern),
        ..Change::default()
    };
    change.edit(edit, params)
}
