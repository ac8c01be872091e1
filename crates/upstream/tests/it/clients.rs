//! The clients of a transcript: they get lines, and call.

use std::sync::Arc;
use std::time::Duration;

use jsonrpc::Raw;
use mcp::exchange::{Outcome, Request};
use serde_json::Value;
use upstream::{Call, CallEvent, EventSink, NoLine};

use crate::stage::{Entry, Stage};
use crate::{said, sharer};

impl Stage {
    pub(crate) async fn calls(&mut self, name: &str, words: &[&str], json: &str) {
        let (server, log, sharer) = (self.server(), self.log.clone(), sharer::sharer(name, words));
        let number = self.calls.len() + 1;
        let permit = self.permit().await;
        let params = Raw::of(&serde_json::from_str::<Value>(json).expect("good JSON"));
        let request = Request {
            progress: params.at(&["_meta", "progressToken"]),
            ..Request::internal("tools/call", Some(params), sharer.peer.clone())
        };
        let call = tokio::spawn(async move {
            let say = |text: String| log.push(Entry::Line(format!("c{number} {}", said::without_times(&text))));
            let (line, lane) = match server.line_for(&sharer, Duration::from_secs(1)).await {
                Ok(line) => line,
                Err(NoLine::Busy) => return say("finds no free lane".to_owned()),
                Err(NoLine::Unavailable(why)) => return say(format!("finds no server: {why}")),
            };
            let session = match line.session().await {
                Ok(session) => session,
                Err(why) => return say(format!("finds no server: {why}")),
            };
            let mut call = match Call::place(&session, &request, EventSink::Call, &permit) {
                Ok(call) => call,
                Err(error) => return say(format!("is not placed: {error}")),
            };
            call.lane = lane.map(Arc::new);
            loop {
                match call.next().await {
                    CallEvent::Interim(message) => say(format!("hears {}", said::message(message.bytes()))),
                    CallEvent::Ask(question) => {
                        let text = format!("c{number} is asked: {}", said::message(question.message.bytes()));
                        log.push(Entry::Asked(text, question));
                    }
                    CallEvent::Done(outcome) => return say(outcome_of(&outcome)),
                    CallEvent::Lost(why) => return say(format!("is lost: {why}")),
                    CallEvent::NotSent(why) => return say(format!("is not sent: {why}")),
                    CallEvent::SessionGone => return say("finds its session gone".to_owned()),
                    CallEvent::Greeted(_) | CallEvent::Aside(_) => {}
                }
            }
        });
        self.calls.push(call.abort_handle());
    }

    pub(crate) async fn lines(&mut self, name: &str, words: &[&str]) -> String {
        match self.server().line_for(&sharer::sharer(name, words), Duration::from_secs(1)).await {
            Ok((line, None)) => format!("line {}", line.number),
            Ok((line, Some(lane))) => {
                self.lanes.push((name.to_owned(), lane));
                format!("line {}, lane {}", line.number, line.key.lane)
            }
            Err(NoLine::Busy) => "all lanes are busy".to_owned(),
            Err(NoLine::Unavailable(why)) => format!("no server: {}", said::without_times(&why.to_string())),
        }
    }
}

fn outcome_of(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Result(answered) => format!("is answered {}", answered.result.text()),
        Outcome::Error(failed) => format!("is answered an error: {}", failed.error.message),
        Outcome::InputRequired(_) => "is answered a question".to_owned(),
    }
}
