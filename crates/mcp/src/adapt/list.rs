//! Replaces elements of JSON arrays.

use jsonrpc::Raw;

/// Returns the array with some elements replaced by any number of others; `None` where nothing is replaced.
pub(crate) fn map_items(list: &Raw, mut replace: impl FnMut(&Raw) -> Option<Vec<Raw>>) -> Option<Raw> {
    let mut items = Vec::new();
    let mut changed = false;
    for item in list.items() {
        match replace(&item) {
            Some(replaced) => {
                items.extend(replaced);
                changed = true;
            }
            None => items.push(item),
        }
    }
    changed.then(|| jsonrpc::array(items))
}
