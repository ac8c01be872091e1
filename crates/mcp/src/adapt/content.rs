//! Adapts content blocks for clients whose revision does not have their type. A strict peer would refuse the whole
//! result.

use jsonrpc::{ObjectBuilder, Raw};

use super::list;
use crate::revision::Revision;

/// Adapts the blocks of a tool's result to the revision `to`. Returns `None` where nothing changes.
pub(super) fn blocks(list: &Raw, to: Revision) -> Option<Raw> {
    if to >= Revision::V2025_06_18 {
        return None;
    }
    list::map_items(list, |block| changed(block, to).map(|block| vec![block]))
}

/// Adapts the messages of a prompt to the revision `to`. Returns `None` where nothing changes.
pub(super) fn messages(list: &Raw, to: Revision) -> Option<Raw> {
    if to >= Revision::V2025_06_18 {
        return None;
    }
    list::map_items(list, |message| {
        let content = changed(&message.get("content")?, to)?;
        Some(vec![message.edit().set(&["content"], &content).finish()])
    })
}

/// Adapts one block to the revision `to`. Returns `None` where nothing changes. All members but the changed ones stay,
/// whether or not that revision defines them.
fn changed(block: &Raw, to: Revision) -> Option<Raw> {
    let kind = block.get("type")?;
    match kind.as_str().as_deref() {
        Some("resource_link") => Some(link_as_text(block)),
        Some("audio") if to < Revision::V2025_03_26 => Some(audio_as_resource(block)),
        _ => None,
    }
}

/// Writes a `resource_link`, which came with 2025-06-18, as a text block.
fn link_as_text(link: &Raw) -> Raw {
    let member = |name| link.get(name).and_then(|value| value.as_str().map(std::borrow::Cow::into_owned));
    let uri = member("uri").unwrap_or_default();
    let mut text = match member("title").or_else(|| member("name")) {
        Some(name) if name != uri => format!("{name}: {uri}"),
        _ => uri,
    };
    if let Some(description) = member("description") {
        text.push('\n');
        text.push_str(&description);
    }
    link.edit()
        .set(&["type"], &Raw::string("text"))
        .set(&["text"], &Raw::string(&text))
        .finish()
}

/// Writes an `audio` block, which came with 2025-03-26, as an embedded resource. A resource can hold any bytes; it
/// needs a URI, and a `data:` URI names no place, but is valid.
fn audio_as_resource(audio: &Raw) -> Raw {
    let mime = audio.get("mimeType").unwrap_or_else(|| Raw::string("application/octet-stream"));
    let blob = audio.get("data").unwrap_or_else(|| Raw::string(""));
    let resource = ObjectBuilder::new()
        .text("uri", &format!("data:{},", mime.as_str().unwrap_or_default()))
        .raw("mimeType", &mime)
        .raw("blob", &blob)
        .finish();
    let edit = audio.edit().set(&["type"], &Raw::string("resource")).set(&["resource"], &resource);
    edit.remove(&["data"]).remove(&["mimeType"]).finish()
}
