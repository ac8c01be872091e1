//! A machine towards servers alone, driven by a transcript.

use jsonrpc::Raw;
use mcp::capabilities::ClientCapabilities;
use mcp::client::{self, Arrival};
use mcp::exchange::{Advertised, Outcome, Peer, Request};
use mcp::revision::{Era, Revision};
use mcp::server::{ClientHello, Outgoing, Output, Placed, Session};

use crate::transcript::{Stage, line};
use crate::words::{self, message, raw, reason, show, ticket, word};

pub(crate) struct ServerFace {
    machine: Session,
    capabilities: String,
    level: Option<String>,
    rename: Option<String>,
    headers: Option<String>,
}

impl ServerFace {
    /// `legacy` or `modern` for a new connection, a revision for one whose handshake is over.
    pub(crate) fn new(what: &str) -> Self {
        let machine = match what {
            "legacy" => Session::new(Era::Legacy),
            "modern" => Session::new(Era::Modern),
            text => greeted(words::revision(text), r#"{"tools":{}}"#),
        };
        Self {
            machine,
            capabilities: "{}".to_owned(),
            level: None,
            rename: None,
            headers: None,
        }
    }

    fn told(&mut self, what: &str) -> Vec<String> {
        let (verb, rest) = word(what);
        match verb {
            "hello" => {
                let placed = self.machine.hello(&hello(rest)).expect("a new connection");
                return shown_call(&placed);
            }
            "can" => rest.clone_into(&mut self.capabilities),
            "level" => self.level = reason(rest).map(str::to_owned),
            "rename" => self.rename = reason(rest).map(str::to_owned),
            "headers" => self.headers = reason(rest).map(str::to_owned),
            "call" => {
                let (revision, rest) = word(rest);
                let mut request = request(words::revision(revision), &self.capabilities, self.level.as_deref(), rest);
                request.rename = self.rename.as_deref().map(Into::into);
                request.headers = self
                    .headers
                    .as_deref()
                    .map(|schema| mcp::mirror::ParamHeaders::read(&raw(schema)).expect("a schema").into());
                return match self.machine.call(&request) {
                    Ok(placed) => shown_call(&placed),
                    Err(error) => vec![line("kernel", '?', &format!("failed to {error}"))],
                };
            }
            "ask" => {
                let (method, params) = word(rest);
                let peer = Peer {
                    revision: Revision::LATEST_LEGACY,
                    capabilities: ClientCapabilities::empty(),
                    info: None,
                };
                let request = Request::internal(method, reason(params).map(raw), peer.into());
                return shown_call(&self.machine.call(&request).expect("room"));
            }
            "cancel" => {
                let (ticket, rest) = ticket(rest);
                self.machine.cancel(ticket, reason(rest), true);
            }
            "forget" => self.machine.cancel(ticket(rest).0, None, false),
            "notify" => self.machine.notify(&message(rest)),
            "answer" => {
                let (ask, rest) = ticket(rest);
                let answer = if rest.starts_with('{') {
                    Ok(message(rest))
                } else {
                    Err(words::error(rest))
                };
                self.machine.answer(ask, answer);
            }
            "progress" => self.machine.ask_progress(&message(rest)),
            "begin_again" => self.machine.begin_again(if rest == "modern" { Era::Modern } else { Era::Legacy }),
            "count" => {
                let text = format!("{} calls, {} questions", self.machine.in_flight(), self.machine.asked());
                return vec![line("kernel", '?', &text)];
            }
            _ => panic!("`{verb}` is nothing that the kernel says"),
        }
        Vec::new()
    }
}

impl Stage for ServerFace {
    fn step(&mut self, who: &str, mark: char, what: &str) -> Vec<String> {
        let mut lines = match (who, mark) {
            ("server", '>') => {
                let (via, what) = match what.strip_prefix("via ") {
                    Some(rest) => {
                        let (ticket, rest) = ticket(rest);
                        (Some(ticket), rest)
                    }
                    None => (None, what),
                };
                self.machine.receive(message(what), via);
                Vec::new()
            }
            ("kernel", '!') => self.told(what),
            _ => panic!("`{who} {mark}` is no step of this stage"),
        };
        while let Some(output) = self.machine.poll() {
            lines.push(shown(&output));
        }
        lines
    }
}

pub(crate) fn hello(capabilities: &str) -> ClientHello {
    ClientHello {
        capabilities: ClientCapabilities::new(raw(if capabilities.is_empty() { "{}" } else { capabilities })),
        info: raw(r#"{"name":"gateway","version":"1"}"#),
    }
}

/// Returns a connection whose handshake is over.
pub(crate) fn greeted(revision: Revision, capabilities: &str) -> Session {
    let mut machine = Session::new(revision.era());
    machine.hello(&hello("{}")).expect("a new connection");
    let answer = match revision.era() {
        Era::Legacy => {
            format!(r#"{{"id":1,"result":{{"protocolVersion":"{revision}","capabilities":{capabilities},"serverInfo":{{"name":"s"}}}}}}"#)
        }
        Era::Modern => format!(r#"{{"id":1,"result":{{"supportedVersions":["{revision}"],"capabilities":{capabilities}}}}}"#),
    };
    machine.receive(message(&answer), None);
    while machine.poll().is_some() {}
    assert_eq!(machine.revision(), revision);
    machine
}

/// Makes a request as a client of that revision does: the client's own machine reads it.
pub(crate) fn request(revision: Revision, capabilities: &str, level: Option<&str>, text: &str) -> Box<Request> {
    let mut client = client::Session::new();
    let mut send = |text: String| {
        client.handle(client::Input::Message(message(&text), Arrival::default()));
        std::iter::from_fn(|| client.poll()).collect::<Vec<_>>()
    };
    if revision.era() == Era::Legacy {
        send(format!(
            r#"{{"id":-1,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{{"name":"c"}}}}}}"#
        ));
        if let Some(level) = level {
            send(format!(r#"{{"id":-2,"method":"logging/setLevel","params":{{"level":"{level}"}}}}"#));
        }
    }
    let outputs = send(text.to_owned());
    let found = outputs.into_iter().find_map(|output| match output {
        client::Output::Request(_, request) | client::Output::Listen(_, request) => Some(request),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("`{text}` is no request of {revision}"))
}

fn shown_call(placed: &Placed) -> Vec<String> {
    let mut lines = shown_outgoing(&placed.outgoing);
    lines.push(line("kernel", '?', &format!("placed {}", placed.ticket.0)));
    lines
}

fn shown_outgoing(outgoing: &Outgoing) -> Vec<String> {
    let mirrors = words::show_mirrors(&outgoing.mirrors);
    let mirrors = if mirrors.is_empty() { mirrors } else { format!("[{mirrors}] ") };
    vec![line("server", '<', &format!("{mirrors}{}", show(&outgoing.message)))]
}

/// Writes an output of the machine as a line.
pub(crate) fn shown(output: &Output) -> String {
    let wish = match output {
        Output::Send(outgoing) => return shown_outgoing(outgoing).join(""),
        Output::Ready(ready) => format!("ready {} {}", ready.revision, shown_offer(&ready.offer)),
        Output::Failed(error) => format!("failed to {error}"),
        Output::Outcome(ticket, outcome) => format!("outcome {} {}", ticket.0, shown_outcome(outcome)),
        Output::Interim(ticket, message) => format!("interim {} {}", ticket.0, show(message)),
        Output::Event(message) => format!("event {}", show(message)),
        Output::Ask { ask, related, message } => {
            let related = related.map_or_else(|| "of nobody".to_owned(), |ticket| format!("in {}", ticket.0));
            format!("ask {} {related} {}", ask.0, show(message))
        }
        Output::AskCancelled(ask, why) => format!("unask {} {}", ask.0, why.as_deref().unwrap_or("without a reason")),
        Output::Stray(what, message) => format!("stray, {what}: {}", show(message)),
    };
    line("kernel", '?', &wish)
}

fn shown_offer(offer: &Advertised) -> String {
    let instructions = offer.instructions.as_deref().map(|text| format!(" {text}")).unwrap_or_default();
    format!("{} {}{instructions}", words::short(offer.capabilities.text()), offer.info.text())
}

fn shown_outcome(outcome: &Outcome) -> String {
    let of = |message: &Option<jsonrpc::Message>, raw: Raw| message.as_ref().map_or_else(|| format!("own {}", raw.text()), show);
    match outcome {
        Outcome::Result(answered) => format!(
            "result of {}: {}",
            answered.revision,
            of(&answered.message, answered.result.clone())
        ),
        Outcome::InputRequired(answered) => format!("input of {}: {}", answered.revision, of(&answered.message, answered.result.clone())),
        Outcome::Error(failed) => format!("error of {}: {}", failed.revision, of(&failed.message, failed.error.to_raw())),
    }
}
