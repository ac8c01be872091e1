//! Elicitation between the revisions: ids of URLs, and choices with titles.

use jsonrpc::{ObjectBuilder, Raw};

/// Whether the user is to be sent to a URL.
pub(super) fn is_url(params: &Raw) -> bool {
    params.get("mode").is_some_and(|mode| mode.as_str().as_deref() == Some("url"))
}

/// The params in the words of 2025-06-18, which has `enum` with `enumNames` for choices with titles where 2025-11-25 (SEP-1330) has `oneOf`.
/// Choices of several have no words there and stay. `None` where nothing changes.
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
