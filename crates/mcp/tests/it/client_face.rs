//! A machine towards clients alone, driven by a transcript.

use mcp::client::{Arrival, Filter, Input, Output, Session, Status, Target};
use mcp::exchange::{Advertised, Peer, Request};

use crate::transcript::{Stage, line};
use crate::words::{self, message, raw, reason, show, ticket, word};

#[derive(Default)]
pub(crate) struct ClientFace {
    machine: Session,
    arrival: Arrival,
}

impl Stage for ClientFace {
    fn step(&mut self, who: &str, mark: char, what: &str) -> Vec<String> {
        match (who, mark) {
            ("client", '^') => {
                let (mirrors, trace) = words::shown_beside(what);
                self.arrival = Arrival {
                    mirrors: Some(mirrors),
                    trace,
                };
            }
            ("client", '>') => {
                let arrival = std::mem::take(&mut self.arrival);
                self.machine.handle(Input::Message(message(what), arrival));
            }
            ("kernel", '!') => self.told(what),
            _ => panic!("`{who} {mark}` is no step of this stage"),
        }
        let mut lines: Vec<String> = std::iter::from_fn(|| self.machine.poll()).map(|output| shown(&output)).collect();
        if what == "count" {
            lines.push(line(
                "kernel",
                '?',
                &format!("{} requests, {} questions", self.machine.in_flight(), self.machine.asked()),
            ));
        }
        lines
    }
}

impl ClientFace {
    fn told(&mut self, what: &str) {
        let (verb, rest) = word(what);
        let input = match verb {
            "advertise" => {
                let (ticket, rest) = ticket(rest);
                Input::Advertise(ticket, advertised(rest))
            }
            "outcome" => {
                let (ticket, rest) = ticket(rest);
                Input::Outcome(ticket, words::outcome(rest))
            }
            "interim" => {
                let (ticket, rest) = ticket(rest);
                Input::Interim(ticket, message(rest))
            }
            "event" => Input::Event(message(rest)),
            "ask" => {
                let (ask, rest) = ticket(rest);
                let (related, rest) = match rest.strip_prefix("in ") {
                    Some(rest) => {
                        let (ticket, rest) = ticket(rest);
                        (Some(ticket), rest)
                    }
                    None => (None, rest),
                };
                Input::Ask {
                    ask,
                    related,
                    message: message(rest),
                }
            }
            "unask" => {
                let (ask, rest) = ticket(rest);
                Input::AskCancelled(ask, reason(rest).map(str::to_owned))
            }
            "end" => Input::EndListen(ticket(rest).0),
            "count" => return,
            _ => return self.called(verb, rest),
        };
        self.machine.handle(input);
    }

    fn called(&mut self, verb: &str, rest: &str) {
        match verb {
            "acknowledge" => {
                let (ticket, rest) = ticket(rest);
                let params = raw(&format!(r#"{{"notifications":{rest}}}"#));
                self.machine.acknowledge(ticket, &Filter::read(Some(&params)));
            }
            "notify" => {
                let (ticket, rest) = ticket(rest);
                self.machine.notify_listener(ticket, &message(rest));
            }
            "abandon" => self.machine.abandon(ticket(rest).0),
            "hang_up" => self.machine.hang_up(),
            _ => panic!("`{verb}` is nothing that the kernel says"),
        }
    }
}

/// `{"capabilities":…,"info":…,"instructions":…}`
pub(crate) fn advertised(text: &str) -> Advertised {
    let offer = raw(text);
    Advertised {
        capabilities: offer.get("capabilities").expect("capabilities"),
        info: offer.get("info").unwrap_or_else(|| raw(r#"{"name":"gateway"}"#)),
        instructions: offer.get("instructions").and_then(|text| text.as_str().map(Into::into)),
    }
}

/// Writes an output of the machine as a line.
pub(crate) fn shown(output: &Output) -> String {
    let wish = match output {
        Output::Send(message, target) => return line("client", '<', &format!("{} {}", place(*target), show(message))),
        Output::Hello(ticket, peer) => format!("hello {} {}", ticket.0, shown_peer(peer)),
        Output::Request(ticket, request) => format!("request {} {}", ticket.0, shown_request(request)),
        Output::Listen(ticket, request) => format!("listen {} {:?}", ticket.0, Filter::read(request.params.as_ref())),
        Output::Cancelled(ticket, why) => format!("cancelled {} {}", ticket.0, why.as_deref().unwrap_or("without a reason")),
        Output::Notify(message) => format!("notify {}", show(message)),
        Output::Answered(ask, Ok(message)) => format!("answered {} {}", ask.0, show(message)),
        Output::Answered(ask, Err(error)) => format!("answered {} {}", ask.0, words::show_error(error)),
        Output::AskProgress(ask, message) => format!("progress {} {}", ask.0, show(message)),
        Output::Initialized => "initialized".to_owned(),
    };
    line("kernel", '?', &wish)
}

fn place(target: Target) -> String {
    match target {
        Target::Answer(ticket) => format!("answer {}", ticket.0),
        Target::Related(ticket) => format!("related {}", ticket.0),
        Target::Reply(Status(status)) => format!("reply {status}"),
        Target::Session => "session".to_owned(),
    }
}

fn shown_peer(peer: &Peer) -> String {
    let info = peer.info.as_ref().map(|info| format!(" {}", info.text())).unwrap_or_default();
    format!("{} {}{info}", peer.revision, words::short(peer.capabilities.raw().text()))
}

fn shown_request(request: &Request) -> String {
    let mut text = format!("{} of {}", request.method.name(), shown_peer(&request.peer));
    if let Some(token) = &request.progress {
        text.push_str(&format!(", progress {}", token.text()));
    }
    if let Some(level) = request.log_level {
        text.push_str(&format!(", logs from {}", level.as_str()));
    }
    if let Some(trace) = &request.trace.parent {
        text.push_str(&format!(", trace {trace}"));
    }
    if let Some(retry) = &request.retry {
        let part = |part: &Option<jsonrpc::Raw>| part.as_ref().map_or_else(|| "nothing".to_owned(), |raw| raw.text().to_owned());
        text.push_str(&format!(", retry with {} and {}", part(&retry.responses), part(&retry.state)));
    }
    text.push_str(": ");
    text.push_str(&show(&request.message));
    text
}
