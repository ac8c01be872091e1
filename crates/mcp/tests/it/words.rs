//! How transcripts spell messages: without `"jsonrpc"`, with `§` for `io.modelcontextprotocol/`, and with `@modern` for what every modern
//! request carries. Otherwise byte for byte.

use jsonrpc::{ErrorObject, Limits, Message, Raw};
use mcp::exchange::{Answered, Failed, Outcome};
use mcp::mirror::Mirrors;
use mcp::revision::Revision;
use model::{Ticket, Trace};

const PREFIX: &str = "io.modelcontextprotocol/";
const MODERN: &str = r#""§protocolVersion":"2026-07-28","§clientCapabilities":{}"#;
const VERSION: &str = r#"{"jsonrpc":"2.0","#;

/// Returns JSON as it is on the wire.
pub(crate) fn long(text: &str) -> String {
    text.replace("@modern", MODERN).replace('§', PREFIX)
}

/// Returns JSON as transcripts have it.
pub(crate) fn short(text: &str) -> String {
    let text = text.replace(PREFIX, "§").replace(MODERN, "@modern");
    match text.strip_prefix(VERSION) {
        Some(rest) => format!("{{{rest}"),
        None => text,
    }
}

pub(crate) fn raw(text: &str) -> Raw {
    Raw::parse(long(text), &Limits::default()).unwrap_or_else(|why| panic!("{text}: {why}"))
}

pub(crate) fn message(text: &str) -> Message {
    let mut text = long(text);
    if !text.contains(r#""jsonrpc""#) {
        text = text.replacen('{', VERSION, 1);
    }
    jsonrpc::decode_message(text.clone(), &Limits::default()).unwrap_or_else(|why| panic!("{text}: {why}"))
}

pub(crate) fn show(message: &Message) -> String {
    short(std::str::from_utf8(message.bytes()).expect("messages are UTF-8"))
}

pub(crate) fn revision(text: &str) -> Revision {
    Revision::parse(text).unwrap_or_else(|| panic!("`{text}` is no revision"))
}

/// Returns the first word and the rest.
pub(crate) fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(' ').map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

/// Returns a ticket and the rest.
pub(crate) fn ticket(text: &str) -> (Ticket, &str) {
    let (number, rest) = word(text);
    let number = number.parse().unwrap_or_else(|_| panic!("`{text}` begins with no ticket"));
    (Ticket(number), rest)
}

/// Returns a reason, where one is given.
pub(crate) fn reason(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// `refused CODE text`, `own {result}`, or `REVISION {response}`; `input` before a revision for a result that asks.
pub(crate) fn outcome(text: &str) -> Outcome {
    let (kind, rest) = word(text);
    match kind {
        "refused" => Outcome::refused(error(rest)),
        "own" => Outcome::own(raw(rest)),
        "input" => {
            let (from, rest) = word(rest);
            Outcome::InputRequired(answered(message(rest), revision(from)))
        }
        from => {
            let (message, revision) = (message(rest), revision(from));
            match message.error_raw() {
                None => Outcome::Result(answered(message, revision)),
                Some(raw) => Outcome::Error(Failed {
                    error: ErrorObject::parse(&raw).unwrap_or_else(ErrorObject::internal),
                    message: Some(message),
                    revision,
                }),
            }
        }
    }
}

fn answered(message: Message, revision: Revision) -> Answered {
    Answered {
        result: message.result_raw().expect("a result"),
        message: Some(message),
        revision,
    }
}

/// `CODE text`
pub(crate) fn error(text: &str) -> ErrorObject {
    let (code, text) = word(text);
    ErrorObject::new(code.parse().expect("an error code"), text)
}

pub(crate) fn show_error(error: &ErrorObject) -> String {
    short(error.to_raw().text())
}

/// `version=… method=… name=… param.X=… traceparent=…`
pub(crate) fn shown_beside(text: &str) -> (Mirrors, Trace) {
    let (mut mirrors, mut trace) = (Mirrors::default(), Trace::default());
    for pair in text.split_whitespace() {
        let (key, value) = pair.split_once('=').expect("key=value");
        match key {
            "version" => mirrors.revision = Some(value.to_owned()),
            "method" => mirrors.method = Some(value.to_owned()),
            "name" => mirrors.name = Some(value.to_owned()),
            "traceparent" => trace.parent = Some(value.to_owned()),
            _ => {
                let name = key.strip_prefix("param.").unwrap_or_else(|| panic!("`{key}` is no mirror"));
                mirrors.params.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    (mirrors, trace)
}

pub(crate) fn show_mirrors(mirrors: &Mirrors) -> String {
    let named = [
        ("version", mirrors.revision.as_deref()),
        ("method", mirrors.method.as_deref()),
        ("name", mirrors.name.as_deref()),
    ];
    let named = named.into_iter().filter_map(|(key, value)| Some(format!("{key}={}", value?)));
    let params = mirrors.params.iter().map(|(name, value)| format!("param.{name}={value}"));
    named.chain(params).collect::<Vec<_>>().join(" ")
}
