//! Adapts sampling between 2025-11-25, where a message may hold several blocks, and the revisions before, where it
//! holds one.

use jsonrpc::{ObjectBuilder, Raw, RawKind};

use super::list;

/// Splits the messages of `sampling/createMessage` into one block each: a message of several blocks becomes as many
/// messages of the same role. Returns `None` where nothing changes.
pub(super) fn one_block_each(params: &Raw) -> Option<Raw> {
    let messages = list::map_items(&params.get("messages")?, |message| {
        let blocks = message.get("content").filter(|content| content.kind() == RawKind::Array)?;
        Some(
            blocks
                .items()
                .iter()
                .map(|block| message.edit().set(&["content"], block).finish())
                .collect(),
        )
    })?;
    Some(params.edit().set(&["messages"], &messages).finish())
}

/// Merges a client's answer into one block. Returns `None` where it is one block already, and where it can't be merged:
/// several blocks that are not all text stay as they are.
pub(super) fn one_block(result: &Raw) -> Option<Raw> {
    let blocks = result.get("content").filter(|content| content.kind() == RawKind::Array)?.items();
    let block = match blocks.as_slice() {
        [block] => block.clone(),
        blocks => {
            let texts: Option<Vec<_>> = blocks.iter().map(text).collect();
            ObjectBuilder::new().text("type", "text").text("text", &texts?.join("\n")).finish()
        }
    };
    Some(result.edit().set(&["content"], &block).finish())
}

fn text(block: &Raw) -> Option<String> {
    let is_text = block.get("type")?.as_str()? == "text";
    is_text.then(|| Some(block.get("text")?.as_str()?.into_owned()))?
}
