//! Dispatches each input to the part of the machine that handles it.

use super::{Input, Session};

impl Session {
    /// Handles one input. Drain [`Session::poll`] afterwards.
    pub fn handle(&mut self, input: Input) {
        match input {
            Input::Message(message, arrival) => self.take_in(message, arrival),
            Input::Advertise(ticket, offer) => self.advertise(ticket, &offer),
            Input::Outcome(ticket, outcome) => self.finish(ticket, outcome),
            Input::Interim(ticket, message) => self.interim(ticket, &message),
            Input::Event(message) => self.event(&message),
            Input::Ask { ask, related, message } => self.ask(ask, related, &message),
            Input::AskCancelled(ask, reason) => self.take_back(ask, reason.as_deref()),
            Input::EndListen(ticket) => self.end_listen(ticket),
        }
    }
}
