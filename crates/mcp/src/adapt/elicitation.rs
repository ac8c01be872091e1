//! Adapts elicitation between the revisions: the ids of URL elicitations, and choices with titles.

use jsonrpc::{ObjectBuilder, Raw};

/// Returns whether the user is to be sent to a URL.
pub(super) fn is_url(params: &Raw) -> bool {
    params.get("mode").is_some_and(|mode| mode.as_str().as_deref() == Some("url"))
}

/// Writes choices with titles as 2025-06-18 has them: `enum` with `enumNames`, where 2025-11-25 (SEP-1330) has `oneOf`.
/// That revision cannot express choices of several values, so they stay. Returns `None` where nothing changes.
pub(super) fn titled_choices(params: &Raw) -> Option<Raw> {
    let properties = params.at(&["requestedSchema", "properties"])?.object().ok()?;
    let changed: Vec<_> = properties.iter().map(|(name, property)| (name, enum_names(property))).collect();
    if changed.iter().all(|(_, property)| property.is_none()) {
        return None;
    }
    let members = changed
        .iter()
        .zip(properties.iter())
        .map(|((name, changed), (_, old))| (*name, changed.as_ref().unwrap_or(old)));
    Some(
        params
            .edit()
            .set(&["requestedSchema", "properties"], &ObjectBuilder::new().members(members).finish())
            .finish(),
    )
}

fn enum_names(property: &Raw) -> Option<Raw> {
    let choices = property.get("oneOf")?.items();
    let column = |key| choices.iter().map(|choice| choice.get(key)).collect::<Option<Vec<_>>>();
    let (values, titles) = (column("const")?, column("title")?);
    let edit = property.edit().remove(&["oneOf"]).set(&["enum"], &jsonrpc::array(values));
    Some(edit.set(&["enumNames"], &jsonrpc::array(titles)).finish())
}
