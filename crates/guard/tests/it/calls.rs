//! Tool calls and other actions of subjects in transcripts: they are admitted, wait for a person, are written, and end.

use std::time::Duration;

use guard::{Admission, Admitted, Redeemed, SendPermit, Step, Subject, ToolCall};
use jsonrpc::{ErrorObject, Raw};
use mgp::audit::Ending;
use model::{RequestId, ToolId, Trace};
use policy::Action;

use crate::room::{Room, Sent};
use crate::said;
use crate::words::{self, Words};

impl Room {
    pub(crate) async fn calls(&mut self, words: &Words<'_>) -> Vec<String> {
        let subject: &'static Subject = Box::leak(Box::new(words::subject(words.at(0))));
        let tool: &'static ToolId = Box::leak(Box::new(words::tool(words.at(2))));
        let arguments: Option<&'static Raw> = words.raw().map(|raw| &*Box::leak(Box::new(raw)));
        let trace: &'static Trace = Box::leak(Box::default());
        let admission = self.guard().admission(ToolCall {
            subject,
            tool,
            arguments,
            trace,
            continues: words.at(1) == "continues",
        });
        vec![self.step(admission).await]
    }

    async fn step(&mut self, mut admission: Admission<'static>) -> String {
        match admission.step().await {
            Step::Admitted(admitted) => self.keep(admitted.permit.clone(), Some(admitted)),
            Step::Refused(refusal) => said::refusal(&refusal),
            Step::Ask(pending) => {
                let request = pending.approval.request.clone();
                self.know(&request);
                let shown = format!("ask {request}: {}; {}", pending.shown.because, pending.shown.arguments);
                self.waiting.push((request, admission, pending));
                shown
            }
        }
    }

    fn keep(&mut self, permit: SendPermit, admitted: Option<Admitted>) -> String {
        self.sent.push(Sent {
            permit,
            admitted,
            in_flight: None,
        });
        format!("admitted #{}", self.sent.len())
    }

    fn know(&mut self, request: &RequestId) {
        if !self.requests.contains(request) {
            self.requests.push(request.clone());
        }
    }

    pub(crate) fn request(&self, name: &str) -> RequestId {
        let number = name.strip_prefix('r').and_then(|number| number.parse::<usize>().ok());
        let known = number.and_then(|number| self.requests.get(number.checked_sub(1)?));
        known.cloned().unwrap_or_else(|| RequestId::new(name))
    }

    /// Makes a call that waits check whether a person has decided, or give up.
    pub(crate) async fn looks(&mut self, words: &Words<'_>) -> Vec<String> {
        let request = self.request(words.at(0));
        let at = self.waiting.iter().position(|(known, ..)| *known == request);
        let (request, mut admission, pending) = self.waiting.remove(at.expect("a call waits under it"));
        let said = match words.at(1) {
            "looks" => match admission.redeem(&pending).await {
                Redeemed::Continue => self.step(admission).await,
                Redeemed::Refused(refusal) => said::refusal(&refusal),
                Redeemed::Pending => {
                    self.waiting.insert(at.unwrap_or_default(), (request, admission, pending));
                    "still waits".to_owned()
                }
            },
            "expires" => said::refusal(&admission.expired(&pending).await),
            "leaves" => said::refusal(&admission.come_back(&pending).await),
            "closes" => {
                self.guard().withdraw(&request);
                "withdrawn".to_owned()
            }
            what => panic!("no call `{what}`"),
        };
        vec![said]
    }

    pub(crate) fn list(&mut self) -> Vec<String> {
        let list = self.guard().waiting();
        let line = |(approval, shown): &(model::Approval, Option<guard::Shown>)| {
            let shown = shown
                .as_ref()
                .map_or_else(String::new, |shown| format!(": {}; {}", shown.because, shown.arguments));
            format!("{} {} {}{shown}", approval.request, approval.principal, approval.tool)
        };
        match list.is_empty() {
            true => vec!["nothing".to_owned()],
            false => list.iter().map(line).collect(),
        }
    }

    // === admitted calls

    pub(crate) async fn sent(&mut self, words: &Words<'_>) -> Vec<String> {
        let number: usize = words.at(0)[1..].parse().expect("a number");
        let sent = &mut self.sent[number - 1];
        let broke = ErrorObject::internal();
        let ending = match words.rest(1) {
            ["stands?"] => return vec![yes_or_no(sent.permit.stands())],
            ["is", "begun"] => {
                sent.in_flight = sent.permit.begin();
                let said = if sent.in_flight.is_some() {
                    "it is being written"
                } else {
                    "it is not written"
                };
                return vec![said.to_owned()];
            }
            ["is", "written"] => {
                drop(sent.in_flight.take());
                return Vec::new();
            }
            ["is", "answered"] => Some(Ending::Result),
            ["fails"] => Some(Ending::Error(&broke)),
            ["is", "lost"] => Some(Ending::Lost("the connection broke")),
            ["is", "dropped"] => None,
            ["asks", "for", "input"] => {
                sent.admitted.take().expect("it is not over").continues(Duration::from_secs(60));
                return Vec::new();
            }
            what => panic!("`{what:?}` happens to no message"),
        };
        match (sent.admitted.take().expect("it is not over"), ending) {
            (admitted, Some(ending)) => admitted.ended(ending).await,
            (admitted, None) => drop(admitted),
        }
        Vec::new()
    }

    // === other actions

    pub(crate) async fn does(&mut self, words: &Words<'_>) -> Vec<String> {
        if words.at(0) == "gateway" {
            let permit = self.guard().admit_own();
            return vec![self.keep(permit, None)];
        }
        let subject = words::subject(words.at(0));
        if words.at(1) == "operates?" {
            return vec![yes_or_no(self.guard().may_operate(&subject))];
        }
        let server = words::server(words.get(2).unwrap_or("kernel"));
        let (server, what) = (&server, words.get(3).unwrap_or_default());
        let now = matches!(words.at(1), "notifies" | "is-asked-by");
        let action = match words.at(1) {
            "reads" => Action::ReadResource { server, uri: what },
            "gets" => Action::GetPrompt { server, prompt: what },
            "subscribes" => Action::Subscribe { server, uri: what },
            "completes" => Action::Complete { server, reference: what },
            "uses-task" => Action::UseTask { server, task: what },
            "requests" => Action::Extension { server, method: what },
            "notifies" => Action::Notify { server, method: what },
            "is-asked-by" => Action::Ask { server, method: what },
            "sets-level" => Action::SetLogLevel,
            verb => panic!("no subject {verb}"),
        };
        let trace = Trace::default();
        let admitted = match now {
            true => self.guard().admit_now(&subject, action, &trace),
            false => self.guard().admit(&subject, action, &trace).await,
        };
        vec![match admitted {
            Ok(permit) => self.keep(permit, None),
            Err(error) => format!("refused {} {}", error.code, error.message),
        }]
    }
}

fn yes_or_no(is_so: bool) -> String {
    if is_so { "yes" } else { "no" }.to_owned()
}
