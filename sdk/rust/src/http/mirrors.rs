//! Headers that repeat parts of a modern request's body (2026-07-28 basic/transports/streamable-http, "Server Validation").

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use jsonrpc::{ErrorObject, Message, Raw, RawKind};

use crate::catalog::Catalog;
use crate::error::HEADER_MISMATCH;
use crate::keys;

pub(crate) const REVISION: &str = "mcp-protocol-version";

/// Checks that the headers agree with the body.
pub(crate) fn check(headers: &HeaderMap, message: &Message, catalog: &Catalog) -> Result<(), ErrorObject> {
    let params = message.params().unwrap_or_else(Raw::object_empty);
    let method = message.method().unwrap_or_default();
    let in_body = params.at(&["_meta", keys::REVISION]);
    // A body without a revision is refused for that, by the machine.
    if let Some(in_body) = in_body.as_ref().and_then(|raw| raw.as_str()) {
        expect_plain(headers, "MCP-Protocol-Version", &in_body)?;
    } else {
        required(headers, "MCP-Protocol-Version")?;
    }
    expect_plain(headers, "Mcp-Method", method)?;
    let field = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        // The tasks extension (SEP-2663, "Routing Headers").
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return Ok(()),
    };
    let Some(name) = params.get(field).and_then(|raw| raw.as_str().map(std::borrow::Cow::into_owned)) else {
        return Ok(());
    };
    let shown = decode("Mcp-Name", required(headers, "Mcp-Name")?)?;
    if shown != name {
        return Err(mismatch(format!("`Mcp-Name` is `{shown}` but the body says `{name}`")));
    }
    if method == "tools/call" {
        check_params(headers, &params, catalog, &name)
    } else {
        Ok(())
    }
}

/// Checks the `Mcp-Param-*` headers of a tool's annotated parameters.
fn check_params(headers: &HeaderMap, params: &Raw, catalog: &Catalog, tool: &str) -> Result<(), ErrorObject> {
    let Some(tool) = catalog.tool(tool) else { return Ok(()) };
    for param in tool.param_headers() {
        let header = format!("Mcp-Param-{}", param.name);
        let path: Vec<&str> = std::iter::once("arguments").chain(param.path.iter().map(String::as_str)).collect();
        let value = params.at(&path).filter(|value| value.kind() != RawKind::Null);
        match (value, headers.contains_key(&header)) {
            (None, false) => {}
            (None, true) => return Err(mismatch(format!("`{header}` is there but its parameter is not"))),
            (Some(_), false) => return Err(mismatch(format!("`{header}` is missing"))),
            (Some(value), true) => {
                let shown = decode(&header, required(headers, &header)?)?;
                if !same(&shown, &value) {
                    return Err(mismatch(format!("`{header}` does not say what the body says")));
                }
            }
        }
    }
    Ok(())
}

/// Returns whether header and body agree: integers are compared as numbers, everything else as text.
fn same(shown: &str, value: &Raw) -> bool {
    match value.kind() {
        RawKind::String => value.as_str().is_some_and(|text| text == shown),
        RawKind::Number => shown == value.text() || shown.parse().ok().is_some_and(|number: f64| value.as_f64() == Some(number)),
        _ => shown == value.text(),
    }
}

fn expect_plain(headers: &HeaderMap, name: &str, expected: &str) -> Result<(), ErrorObject> {
    let shown = required(headers, name)?;
    if shown == expected {
        Ok(())
    } else {
        Err(mismatch(format!("`{name}` is `{shown}` but the body says `{expected}`")))
    }
}

/// Returns the one value of a header, without the white space around it.
fn required<'a>(headers: &'a HeaderMap, name: &str) -> Result<&'a str, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(mismatch(format!("the header `{name}` must be there once")));
    };
    let text = value
        .to_str()
        .map_err(|_| mismatch(format!("the header `{name}` holds characters that headers may not hold")))?;
    Ok(text.trim_matches([' ', '\t']))
}

/// Decodes the base64 form (`=?base64?…?=`) of values that headers cannot hold.
fn decode(name: &str, value: &str) -> Result<String, ErrorObject> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(value.to_owned());
    };
    let bytes = STANDARD
        .decode(encoded)
        .map_err(|_| mismatch(format!("the header `{name}` is not valid base64")))?;
    String::from_utf8(bytes).map_err(|_| mismatch(format!("the header `{name}` is not UTF-8")))
}

fn mismatch(why: String) -> ErrorObject {
    ErrorObject::new(HEADER_MISMATCH, format!("header mismatch: {why}"))
}
