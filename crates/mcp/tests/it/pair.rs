//! Client faces and a server face joined directly: requests become calls, outcomes go back, and the eras are bridged as the kernel does it.

use std::collections::{BTreeMap, VecDeque};

use jsonrpc::{ErrorObject, Id, Message, Raw};
use mcp::adapt::{self, InputRequest, InputRequired};
use mcp::client::{self, Arrival, Filter, Input, Output as Wish};
use mcp::exchange::{Advertised, Answered, Outcome, Request};
use mcp::revision::{Era, Revision};
use mcp::server::{self, Output};
use model::Ticket;

use crate::server_face::greeted;
use crate::words::raw;

/// A message that leaves the pair.
#[derive(Debug)]
pub(crate) enum Sent {
    /// To the client of that number.
    Client(usize, Message),
    /// To the server.
    Server(Message),
    /// Nowhere: a message of the server that matches nothing.
    Stray(&'static str),
}

pub(crate) struct Pair {
    server: server::Session,
    clients: Vec<End>,
    calls: BTreeMap<Ticket, Call>,
    questions: BTreeMap<(usize, Ticket), Asker>,
    rounds: BTreeMap<u64, Round>,
    parked: BTreeMap<u64, Parked>,
    next: u64,
    sent: VecDeque<Sent>,
}

struct End {
    face: client::Session,
    listening: Vec<(Ticket, Filter)>,
    /// Requests that the client has cancelled in time.
    cancelled: usize,
}

/// A call under way and the request it was made for.
struct Call {
    client: usize,
    ticket: Ticket,
    request: Box<Request>,
}

/// The one that waits for the answer to a question.
enum Asker {
    Server(Ticket),
    Round(u64, String),
}

/// A modern server's questions to a legacy client.
struct Round {
    call: Call,
    asked: InputRequired,
    answers: Vec<(String, Raw)>,
    revision: Revision,
}

/// A legacy server's call that waits for a modern client.
struct Parked {
    call: Ticket,
    ask: Ticket,
    method: String,
}

/// The key of a legacy server's question.
const QUESTION: &str = "question";

impl Pair {
    /// Returns a server of that revision, its handshake over.
    pub(crate) fn new(revision: Revision) -> Self {
        Self {
            server: greeted(revision, r#"{"tools":{}}"#),
            clients: Vec::new(),
            calls: BTreeMap::new(),
            questions: BTreeMap::new(),
            rounds: BTreeMap::new(),
            parked: BTreeMap::new(),
            next: 1,
            sent: VecDeque::new(),
        }
    }

    /// Adds a client, which has sent nothing yet, and returns its number.
    pub(crate) fn add_client(&mut self) -> usize {
        self.clients.push(End {
            face: client::Session::new(),
            listening: Vec::new(),
            cancelled: 0,
        });
        self.clients.len() - 1
    }

    /// Handles a message of a client.
    pub(crate) fn client_says(&mut self, client: usize, message: Message) {
        self.clients[client].face.handle(Input::Message(message, Arrival::default()));
        self.settle();
    }

    /// Handles a message of the server.
    pub(crate) fn server_says(&mut self, message: Message, via: Option<Ticket>) {
        self.server.receive(message, via);
        self.settle();
    }

    /// Returns the messages that have left since the last call.
    pub(crate) fn sent(&mut self) -> Vec<Sent> {
        self.sent.drain(..).collect()
    }

    /// Ends every open call as the server's timeouts do.
    pub(crate) fn time_out(&mut self) {
        while let Some((placed, call)) = self.calls.pop_first() {
            self.server.cancel(placed, Some("timeout"), true);
            self.end(&call, Outcome::refused(ErrorObject::internal()));
            self.settle();
        }
        while let Some((_, parked)) = self.parked.pop_first() {
            self.server.answer(parked.ask, Err(ErrorObject::internal()));
            self.server.cancel(parked.call, None, true);
            self.settle();
        }
    }

    /// Disconnects a client.
    pub(crate) fn hang_up(&mut self, client: usize) {
        self.clients[client].face.hang_up();
        self.settle();
    }

    /// Returns the number of requests that a client has cancelled in time.
    pub(crate) fn cancelled(&self, client: usize) -> usize {
        self.clients[client].cancelled
    }

    /// Returns how many entries the machines still hold.
    pub(crate) fn remembered(&self) -> usize {
        let faces: usize = self.clients.iter().map(|end| end.face.in_flight() + end.face.asked()).sum();
        let own = self.calls.len() + self.questions.len() + self.rounds.len() + self.parked.len();
        faces + own + self.server.in_flight() + self.server.asked()
    }

    fn settle(&mut self) {
        loop {
            let mut quiet = true;
            for client in 0..self.clients.len() {
                while let Some(wish) = self.clients[client].face.poll() {
                    quiet = false;
                    self.wished(client, wish);
                }
            }
            while let Some(output) = self.server.poll() {
                quiet = false;
                self.said(output);
            }
            if quiet {
                return;
            }
        }
    }

    // === what clients want

    fn wished(&mut self, client: usize, wish: Wish) {
        match wish {
            Wish::Send(message, _) => self.sent.push_back(Sent::Client(client, message)),
            Wish::Hello(ticket, _) => {
                let offer = Advertised {
                    capabilities: raw(r#"{"tools":{},"logging":{}}"#),
                    info: raw(r#"{"name":"gateway"}"#),
                    instructions: None,
                };
                self.clients[client].face.handle(Input::Advertise(ticket, offer));
            }
            Wish::Request(ticket, request) => self.request(Call { client, ticket, request }),
            Wish::Listen(ticket, request) => {
                let filter = Filter::read(request.params.as_ref());
                self.clients[client].face.acknowledge(ticket, &filter);
                self.clients[client].listening.push((ticket, filter));
            }
            Wish::Cancelled(ticket, reason) => self.cancel(client, ticket, reason.as_deref()),
            Wish::Notify(message) => self.server.notify(&message),
            Wish::Answered(ask, answer) => self.answered(client, ask, answer),
            Wish::AskProgress(ask, message) => {
                if let Some(Asker::Server(_)) = self.questions.get(&(client, ask)) {
                    self.server.ask_progress(&message);
                }
            }
            Wish::Initialized => {}
        }
    }

    fn request(&mut self, call: Call) {
        if let Some(parked) = self.unparked(&call.request) {
            let answers = call.request.retry.as_ref().and_then(|retry| retry.responses.clone());
            let answer = answers.and_then(|answers| answers.get(QUESTION)).unwrap_or_else(Raw::object_empty);
            let answer = adapt::reverse_result(&parked.method, &answer, call.request.peer.revision, self.server.revision());
            self.server.answer(parked.ask, Ok(Message::result(&Id::number(0), &answer)));
            self.calls.insert(parked.call, call);
            return;
        }
        if call.request.method.is("logging/setLevel") && self.server.era() == Era::Modern {
            return self.end(&call, Outcome::own(Raw::object_empty()));
        }
        self.place(call);
    }

    fn unparked(&mut self, request: &Request) -> Option<Parked> {
        let state = request.retry.as_ref()?.state.as_ref()?.as_str()?.into_owned();
        self.parked.remove(&state.strip_prefix("parked-")?.parse().ok()?)
    }

    fn place(&mut self, call: Call) {
        match self.server.call(&call.request) {
            Ok(placed) => {
                self.sent.push_back(Sent::Server(placed.outgoing.message));
                self.calls.insert(placed.ticket, call);
            }
            Err(error) => {
                let error = ErrorObject::new(jsonrpc::code::INTERNAL_ERROR, error.to_string());
                self.end(&call, Outcome::refused(error));
            }
        }
    }

    fn end(&mut self, call: &Call, outcome: Outcome) {
        self.clients[call.client].face.handle(Input::Outcome(call.ticket, outcome));
    }

    fn cancel(&mut self, client: usize, ticket: Ticket, reason: Option<&str>) {
        let end = &mut self.clients[client];
        end.cancelled += 1;
        end.listening.retain(|(listening, _)| *listening != ticket);
        let of_it = |call: &Call| call.client == client && call.ticket == ticket;
        if let Some(placed) = self.calls.iter().find(|(_, call)| of_it(call)).map(|(placed, _)| *placed) {
            self.calls.remove(&placed);
            self.server.cancel(placed, reason, true);
        }
        if let Some(round) = self.rounds.iter().find(|(_, round)| of_it(&round.call)).map(|(number, _)| *number) {
            self.rounds.remove(&round);
            self.take_back(round);
        }
    }

    /// Withdraws the questions of a round that are still open.
    fn take_back(&mut self, round: u64) {
        let open: Vec<(usize, Ticket)> = self
            .questions
            .iter()
            .filter(|(_, asker)| matches!(asker, Asker::Round(number, _) if *number == round))
            .map(|(key, _)| *key)
            .collect();
        for (client, ask) in open {
            self.questions.remove(&(client, ask));
            self.clients[client].face.handle(Input::AskCancelled(ask, None));
        }
    }

    fn answered(&mut self, client: usize, ask: Ticket, answer: Result<Message, ErrorObject>) {
        match self.questions.remove(&(client, ask)) {
            Some(Asker::Server(ask)) => self.server.answer(ask, answer),
            Some(Asker::Round(round, key)) => self.answered_round(round, key, answer),
            None => {}
        }
    }

    fn answered_round(&mut self, number: u64, key: String, answer: Result<Message, ErrorObject>) {
        let Some(round) = self.rounds.get_mut(&number) else { return };
        let result = match answer {
            Ok(message) => message.result_raw().ok_or_else(ErrorObject::internal),
            Err(error) => Err(error),
        };
        match result {
            Ok(result) => round.answers.push((key, result)),
            Err(error) => {
                let call = self.rounds.remove(&number).expect("it was there").call;
                self.take_back(number);
                return self.end(&call, Outcome::refused(error));
            }
        }
        if round.answers.len() == round.asked.requests.len() {
            let round = self.rounds.remove(&number).expect("it was there");
            self.again(round);
        }
    }

    /// Repeats a request with the answers to what its server asked.
    fn again(&mut self, round: Round) {
        let Round {
            mut call,
            asked,
            answers,
            revision,
        } = round;
        let from = call.request.peer.revision;
        let mut responses = Vec::new();
        for question in &asked.requests {
            let answer = answers.iter().find(|(key, _)| *key == question.key);
            let (key, answer) = answer.expect("each question was answered");
            responses.push((key.clone(), adapt::reverse_result(&question.method, answer, from, revision)));
        }
        let original = call.request.params.as_ref().map(adapt::without_retry);
        call.request.params = Some(adapt::retry_params(original.as_ref(), &responses, asked.state.as_deref()));
        self.place(call);
    }

    // === what the server says

    fn said(&mut self, output: Output) {
        match output {
            Output::Send(outgoing) => self.sent.push_back(Sent::Server(outgoing.message)),
            Output::Ready(_) | Output::Failed(_) => {}
            Output::Outcome(placed, outcome) => {
                let Some(call) = self.calls.remove(&placed) else { return };
                match outcome {
                    Outcome::InputRequired(answered) if call.request.peer.era() == Era::Legacy => self.fulfil(call, &answered),
                    outcome => self.end(&call, outcome),
                }
            }
            Output::Interim(placed, message) => {
                if let Some(call) = self.calls.get(&placed) {
                    self.clients[call.client].face.handle(Input::Interim(call.ticket, message));
                }
            }
            Output::Event(message) => self.event(&message),
            Output::Ask { ask, related, message } => self.asked(ask, related, message),
            Output::AskCancelled(ask, reason) => {
                let asked = self
                    .questions
                    .iter()
                    .find(|(_, asker)| matches!(asker, Asker::Server(own) if *own == ask));
                if let Some((client, theirs)) = asked.map(|(key, _)| *key) {
                    self.questions.remove(&(client, theirs));
                    self.clients[client].face.handle(Input::AskCancelled(theirs, reason));
                }
            }
            Output::Stray(what, _) => self.sent.push_back(Sent::Stray(what)),
        }
    }

    fn event(&mut self, message: &Message) {
        for end in &mut self.clients {
            end.face.handle(Input::Event(message.clone()));
            let wants = |filter: &Filter| match message.method() {
                Some("notifications/tools/list_changed") => filter.tools,
                Some("notifications/prompts/list_changed") => filter.prompts,
                Some("notifications/resources/list_changed") => filter.resources,
                _ => false,
            };
            for (ticket, _) in end.listening.iter().filter(|(_, filter)| wants(filter)) {
                end.face.notify_listener(*ticket, message);
            }
        }
    }

    fn fulfil(&mut self, call: Call, answered: &Answered) {
        let Ok(asked) = InputRequired::read(&answered.result) else {
            return self.end(&call, Outcome::refused(ErrorObject::internal()));
        };
        if let Err(error) = asked.check(&call.request.peer.capabilities) {
            return self.end(&call, Outcome::refused(error));
        }
        let number = self.number();
        let (client, related, to) = (call.client, call.ticket, call.request.peer.revision);
        let round = Round {
            call,
            asked: asked.clone(),
            answers: Vec::new(),
            revision: answered.revision,
        };
        if asked.requests.is_empty() {
            return self.again(round);
        }
        self.rounds.insert(number, round);
        for question in asked.requests {
            let params = question.params.unwrap_or_else(Raw::object_empty);
            let params = adapt::reverse_params(&question.method, &params, answered.revision, to, "e");
            let message = Message::request(&Id::number(0), &question.method, Some(&params));
            self.put(client, Some(related), message, Asker::Round(number, question.key));
        }
    }

    fn asked(&mut self, ask: Ticket, related: Option<Ticket>, message: Message) {
        let Some(call) = related.and_then(|placed| self.calls.get(&placed)) else {
            // Outside of any call, the only client is asked, where there is only one.
            let owner = (self.clients.len() == 1 && related.is_none()).then_some(0);
            return match owner {
                Some(client) => self.put(client, None, message, Asker::Server(ask)),
                None => self.server.answer(ask, Err(ErrorObject::invalid_request("nobody can be asked"))),
            };
        };
        if call.request.peer.era() == Era::Legacy {
            let (client, ticket) = (call.client, call.ticket);
            return self.put(client, Some(ticket), message, Asker::Server(ask));
        }
        self.park(ask, related.expect("it has a call"), &message);
    }

    fn put(&mut self, client: usize, related: Option<Ticket>, message: Message, asker: Asker) {
        let ask = Ticket(self.number());
        self.questions.insert((client, ask), asker);
        self.clients[client].face.handle(Input::Ask { ask, related, message });
    }

    fn park(&mut self, ask: Ticket, placed: Ticket, message: &Message) {
        let method = message.method().unwrap_or_default().to_owned();
        let to = self.calls[&placed].request.peer.revision;
        let params = message
            .params()
            .map(|params| adapt::reverse_params(&method, &params, self.server.revision(), to, ""));
        let mut asked = InputRequired {
            requests: vec![InputRequest {
                key: QUESTION.to_owned(),
                method: method.clone(),
                params,
            }],
            state: None,
        };
        if asked.check(&self.calls[&placed].request.peer.capabilities).is_err() {
            return self.server.answer(ask, Err(ErrorObject::method_not_found(&method)));
        }
        let number = self.number();
        asked.state = Some(format!("parked-{number}"));
        let call = self.calls.remove(&placed).expect("it was there");
        self.parked.insert(number, Parked { call: placed, ask, method });
        let answered = Answered {
            message: None,
            result: asked.to_result(),
            revision: Revision::LATEST,
        };
        self.end(&call, Outcome::InputRequired(answered));
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}
