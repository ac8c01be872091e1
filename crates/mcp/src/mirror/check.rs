//! Checks mirrors against the body that they mirror, and makes the mirrors of a body.

use std::borrow::Cow;

use jsonrpc::{ErrorObject, Object, Raw, RawKind};

use super::params::{ParamHeader, ParamHeaders};
use super::{Mirrors, decode, encode};
use crate::error::header_mismatch;
use crate::meta::{self, key};
use crate::method::{self, Side};
use crate::revision::Revision;

/// The largest integer that JavaScript holds exactly.
const SAFE: i128 = (1 << 53) - 1;

/// Checks a modern request's mirrors against its body (2026-07-28 streamable HTTP, server validation).
///
/// `headers` are those of the called tool, where the catalogue knows it. Fields that the body lacks are not judged
/// here: see [`meta::ModernMeta::read`].
///
/// # Errors
/// -32020, naming the header.
pub fn validate(mirrors: &Mirrors, method: &str, params: Option<&Raw>, headers: Option<&ParamHeaders>) -> Result<(), ErrorObject> {
    let revision = required("MCP-Protocol-Version", mirrors.revision.as_deref())?;
    let version = params.and_then(|params| meta::get(params, key::PROTOCOL_VERSION));
    if let Some(version) = version.as_ref().and_then(Raw::as_str)
        && version != revision
    {
        return Err(differs("MCP-Protocol-Version", revision, &version));
    }
    validate_names(mirrors, method, name(method, params).as_ref())?;
    match headers {
        Some(headers) if method == "tools/call" => headers.iter().try_for_each(|header| validate_param(mirrors, header, params)),
        _ => Ok(()),
    }
}

/// Checks the mirrors of a request whose params are already parsed, before it is known which tool it calls.
///
/// # Errors
/// The errors of [`validate`].
pub fn validate_envelope(mirrors: &Mirrors, method: &str, params: &Object, version: &str) -> Result<(), ErrorObject> {
    let revision = required("MCP-Protocol-Version", mirrors.revision.as_deref())?;
    if version != revision {
        return Err(differs("MCP-Protocol-Version", revision, version));
    }
    let row = method::lookup(method, Side::Client, Revision::LATEST);
    let name = row.and_then(|row| params.get(row.route.name_key()?));
    validate_names(mirrors, method, name)
}

/// Returns the mirrors of a request. In the legacy era that is the revision only, from 2025-06-18 on.
///
/// # Errors
/// -32602 where an argument can't be mirrored as it must: an integer beyond what JavaScript holds exactly, or a string that is not Unicode.
pub fn mirrors_for(revision: Revision, method: &str, params: Option<&Raw>, headers: Option<&ParamHeaders>) -> Result<Mirrors, ErrorObject> {
    let shown = revision.has_version_header().then(|| revision.as_str().to_owned());
    if !revision.is_modern() {
        return Ok(Mirrors {
            revision: shown,
            ..Mirrors::default()
        });
    }
    let name = match name(method, params) {
        Some(name) if name.kind() == RawKind::String => Some(name.as_str().ok_or_else(|| not_unicode("the name"))?.into_owned()),
        _ => None,
    };
    let mut mirrors = Mirrors {
        revision: shown,
        method: Some(encode(method).into_owned()),
        name: name.map(|name| encode(&name).into_owned()),
        params: Vec::new(),
    };
    for header in headers.into_iter().filter(|_| method == "tools/call").flat_map(ParamHeaders::iter) {
        if let Some(value) = argument(params, header)
            && let Some(text) = text_of(&value, header)?
        {
            mirrors.params.push((header.name.clone(), encode(&text).into_owned()));
        }
    }
    Ok(mirrors)
}

/// Checks `Mcp-Method` and `Mcp-Name` against the method and the name in the params.
fn validate_names(mirrors: &Mirrors, method: &str, name: Option<&Raw>) -> Result<(), ErrorObject> {
    let shown = required("Mcp-Method", mirrors.method.as_deref())?;
    if shown != method {
        return Err(differs("Mcp-Method", shown, method));
    }
    let Some(name) = name.and_then(Raw::as_str) else { return Ok(()) };
    let shown = required("Mcp-Name", mirrors.name.as_deref())?;
    let decoded = decode(shown).ok_or_else(|| undecodable("Mcp-Name"))?;
    if decoded == name {
        Ok(())
    } else {
        Err(differs("Mcp-Name", &decoded, &name))
    }
}

/// Returns the value that `Mcp-Name` mirrors.
fn name(method: &str, params: Option<&Raw>) -> Option<Raw> {
    let row = method::lookup(method, Side::Client, Revision::LATEST)?;
    params?.get(row.route.name_key()?)
}

/// Returns the value of a mirrored argument; `null` counts as none.
fn argument(params: Option<&Raw>, header: &ParamHeader) -> Option<Raw> {
    let arguments = params?.get("arguments")?;
    let value = header.path.iter().try_fold(arguments, |value, key| value.get(key))?;
    (value.kind() != RawKind::Null).then_some(value)
}

/// Writes a primitive as the text of a header. Returns `None` for other values, which the tool's own schema refuses.
fn text_of(value: &Raw, header: &ParamHeader) -> Result<Option<String>, ErrorObject> {
    match value.kind() {
        RawKind::String => Ok(Some(
            value.as_str().ok_or_else(|| not_unicode(&header.path.join(".")))?.into_owned(),
        )),
        RawKind::Bool => Ok(Some(value.text().to_owned())),
        RawKind::Number => match integer(value.text()) {
            Some(number) if number.abs() > SAFE => {
                let name = header.path.join(".");
                Err(ErrorObject::invalid_params(format_args!(
                    "`{name}` is mirrored in a header and must lie within ±(2^53 - 1)"
                )))
            }
            Some(number) => Ok(Some(number.to_string())),
            None => Ok(Some(value.text().to_owned())),
        },
        RawKind::Object | RawKind::Array | RawKind::Null => Ok(None),
    }
}

/// Returns the integer that a text denotes; `42.0` and `4.2e1` are 42. Returns `None` for other texts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "within the safe range both are exact"
)]
fn integer(text: &str) -> Option<i128> {
    if !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
        return None;
    }
    text.parse().ok().or_else(|| {
        let double: f64 = text.parse().ok()?;
        (double.fract() == 0.0 && double.abs() <= SAFE as f64).then_some(double as i128)
    })
}

fn validate_param(mirrors: &Mirrors, header: &ParamHeader, params: Option<&Raw>) -> Result<(), ErrorObject> {
    let full = || format!("Mcp-Param-{}", header.name);
    let mut shown = mirrors
        .params
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(&header.name))
        .map(|(_, value)| value);
    let (first, second) = (shown.next(), shown.next());
    if second.is_some() {
        return Err(header_mismatch(format_args!("{} stands there more than once", full())));
    }
    let value = argument(params, header);
    let (shown, value) = match (first, value) {
        (None, None) => return Ok(()),
        (None, Some(value)) if matches!(value.kind(), RawKind::Object | RawKind::Array) => return Ok(()),
        (None, Some(_)) => return Err(header_mismatch(format_args!("{} is missing", full()))),
        (Some(shown), None) => {
            return Err(header_mismatch(format_args!(
                "{} is `{shown}`, but the body has no such argument",
                full()
            )));
        }
        (Some(shown), Some(value)) => (shown, value),
    };
    let decoded = decode(shown).ok_or_else(|| undecodable(&full()))?;
    let body = match value.kind() {
        RawKind::String => value.as_str().unwrap_or_default(),
        _ => Cow::Borrowed(value.text()),
    };
    let equal = decoded == body || (header.integer && integer(&decoded).is_some_and(|number| Some(number) == integer(&body)));
    if equal { Ok(()) } else { Err(differs(&full(), &decoded, &body)) }
}

fn required<'a>(header: &str, value: Option<&'a str>) -> Result<&'a str, ErrorObject> {
    value
        .map(|value| value.trim_matches([' ', '\t']))
        .ok_or_else(|| header_mismatch(format_args!("{header} is missing")))
}

fn differs(header: &str, shown: &str, body: &str) -> ErrorObject {
    header_mismatch(format_args!(
        "{header} is `{}`, the body says `{}`",
        shown.escape_debug(),
        body.escape_debug()
    ))
}

fn undecodable(header: &str) -> ErrorObject {
    header_mismatch(format_args!("{header} holds what no header may, or Base64 that is none"))
}

fn not_unicode(what: &str) -> ErrorObject {
    ErrorObject::invalid_params(format_args!("`{what}` is mirrored in a header and must be Unicode text"))
}
