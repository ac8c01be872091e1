//! A pair on a stage. Clients are named by who sends; `NAME ! REVISION CAPABILITIES` is the handshake of one of the legacy era, `NAME ! gone` its end.

use crate::pair::{Pair, Sent};
use crate::transcript::{Stage, line};
use crate::words::{self, message, show, word};

pub(crate) struct PairStage {
    pair: Pair,
    names: Vec<String>,
}

impl PairStage {
    pub(crate) fn new(revision: &str) -> Self {
        Self {
            pair: Pair::new(words::revision(revision)),
            names: Vec::new(),
        }
    }

    fn client(&mut self, who: &str) -> usize {
        if let Some(number) = self.names.iter().position(|name| name == who) {
            return number;
        }
        self.names.push(who.to_owned());
        self.pair.add_client()
    }

    fn introduce(&mut self, client: usize, what: &str) {
        let (revision, capabilities) = word(what);
        let capabilities = if capabilities.is_empty() { "{}" } else { capabilities };
        self.pair.client_says(
            client,
            message(&format!(
                r#"{{"id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{{"name":"c"}}}}}}"#
            )),
        );
        self.pair.client_says(client, message(r#"{"method":"notifications/initialized"}"#));
        drop(self.pair.sent());
    }
}

impl Stage for PairStage {
    fn step(&mut self, who: &str, mark: char, what: &str) -> Vec<String> {
        match (who, mark) {
            ("server", '>') => self.pair.server_says(message(what), None),
            ("kernel", '!') if what == "time out" => self.pair.time_out(),
            ("kernel", '!') if what == "count" => return vec![line("kernel", '?', &format!("{} remembered", self.pair.remembered()))],
            (name, '>') => {
                let client = self.client(name);
                self.pair.client_says(client, message(what));
            }
            (name, '!') if what == "gone" => {
                let client = self.client(name);
                self.pair.hang_up(client);
            }
            (name, '!') => {
                let client = self.client(name);
                self.introduce(client, what);
            }
            _ => panic!("`{who} {mark}` is no step of this stage"),
        }
        let sent = self.pair.sent();
        sent.iter()
            .map(|sent| match sent {
                Sent::Client(client, message) => line(&self.names[*client], '<', &show(message)),
                Sent::Server(message) => line("server", '<', &show(message)),
                Sent::Stray(what) => line("kernel", '?', &format!("stray, {what}")),
            })
            .collect()
    }
}
