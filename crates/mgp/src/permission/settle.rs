//! The consequences of an input: the new states of permissions, messages to servers, questions to people, and the next time to check.

use model::{Permission, PermissionAnswer, PermissionDecision};

use super::machine::{Connection, Output, Permissions, Told, Word};
use super::standing::{Asked, Basis, Standing};
use super::wire::{self, Said};
use crate::audit::{Actor, Draft, EventType, Outcome};

impl Permissions {
    pub(super) fn settle(&mut self) {
        let lapsed = self.lapse();
        self.look(&lapsed);
        self.ask();
        if self.settings.strict {
            self.disconnect();
        }
        let connections: Vec<Connection> = self.peers.keys().copied().collect();
        for connection in connections {
            self.tell(connection);
        }
        self.wake();
    }

    /// Removes and returns decisions that have expired.
    fn lapse(&mut self) -> Vec<PermissionDecision> {
        let now = self.now;
        let has_lapsed = |decision: &PermissionDecision| decision.expires.is_some_and(|expires| expires.has_come(now));
        let lapsed: Vec<PermissionDecision> = self.decisions.values().filter(|decision| has_lapsed(decision)).cloned().collect();
        for decision in &lapsed {
            self.decisions.remove(&decision.permission);
            if let Some(wish) = self.wishes.get_mut(&decision.permission) {
                wish.asked = Asked::No;
            }
        }
        lapsed
    }

    /// Compares every permission with its last state, and emits events for changes that are not due to a decision; the events of a decision are
    /// stored with it.
    fn look(&mut self, lapsed: &[PermissionDecision]) {
        let mut changed = false;
        let permissions: Vec<Permission> = self.wishes.keys().cloned().collect();
        for permission in permissions {
            let (standing, basis) = self.standing(&permission, self.now);
            let Some(wish) = self.wishes.get_mut(&permission) else { continue };
            let before = wish.shown.replace((standing, basis.clone())).map(|(standing, _)| standing);
            if before == Some(standing) {
                continue;
            }
            changed |= before.is_some() || standing != Standing::Approved;
            if let Some(draft) = self.consequence(&permission, before, standing, &basis, lapsed) {
                self.push(Output::Event(draft));
            }
        }
        if changed {
            self.push(Output::Changed);
        }
    }

    /// Returns the event of a change without a decision: by configuration, by policy, or by time.
    fn consequence(
        &self,
        permission: &Permission,
        before: Option<Standing>,
        standing: Standing,
        basis: &Basis,
        lapsed: &[PermissionDecision],
    ) -> Option<Draft> {
        let (kind, result) = match (before, standing) {
            _ if matches!(basis, Basis::Decision(_)) => return None,
            (_, Standing::Approved) => (EventType::PermissionGranted, Outcome::Success),
            (Some(Standing::Approved), _) => (EventType::PermissionRevoked, Outcome::Success),
            (_, Standing::Denied) => (EventType::PermissionDenied, Outcome::Blocked),
            (_, Standing::Pending) => return None,
        };
        // An approval that has expired ended by itself; other changes without a decision are due to the configuration.
        let ended = before == Some(Standing::Approved);
        let expired = lapsed.iter().find(|decision| ended && decision.permission == *permission);
        Some(match expired {
            Some(decision) => Draft {
                actor: Actor::kernel("expiry"),
                ..self.draft(kind, result, permission, &Basis::Decision(decision.clone()))
            },
            None => self.draft(kind, result, permission, basis),
        })
    }

    /// Emits a question to a person about pending permissions that were not asked about yet.
    fn ask(&mut self) {
        let is_pending = |shown: &Option<(Standing, Basis)>| matches!(shown, Some((Standing::Pending, _)));
        let mut asking = Vec::new();
        for (permission, wish) in &mut self.wishes {
            if is_pending(&wish.shown) && wish.asked == Asked::No {
                wish.asked = Asked::Soon;
                asking.push(permission.clone());
            }
        }
        if !asking.is_empty() {
            self.push(Output::Ask(asking));
        }
    }

    fn disconnect(&mut self) {
        let mut of_server = self.wishes.values().filter(|wish| wish.of_server).peekable();
        let denied = of_server.peek().is_some() && of_server.all(|wish| matches!(wish.shown, Some((Standing::Denied, _))));
        if denied {
            let peers = std::mem::take(&mut self.peers);
            for connection in peers.into_keys() {
                self.push(Output::Disconnect(connection));
            }
        }
    }

    /// Sends a connection the next message about a permission. The rest follows when it has answered.
    fn tell(&mut self, connection: Connection) {
        let Some(peer) = self.peers.get(&connection).filter(|peer| peer.speaks && peer.waiting.is_none()) else {
            return;
        };
        let wanted = |permission: &Permission| self.word(permission, peer.told.get(permission));
        let mut news = self
            .wishes
            .keys()
            .filter_map(|permission| Some((permission.clone(), wanted(permission)?)))
            .filter(|(permission, told)| peer.told.get(permission) != Some(told));
        let Some(first) = news.next() else { return };
        let is_await = first.1.word == Word::Await;
        let mut said = first.1.said.clone();
        let mut together = vec![first];
        for (permission, told) in news {
            let one_decision = (&told.said.request, &told.said.by) == (&said.request, &said.by);
            let fits = told.said.expires == said.expires || told.said.expires.is_none() || said.expires.is_none();
            if one_decision && fits && (told.word == Word::Await) == is_await {
                said.expires = said.expires.or(told.said.expires);
                together.push((permission, told));
            }
        }
        let (method, params) = self.message(&together, &said, is_await);
        let ticket = self.ticket();
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.waiting = Some(ticket);
            peer.told.extend(together);
        }
        self.push(Output::Send {
            connection,
            ticket,
            method,
            params,
        });
    }

    fn message(&self, news: &[(Permission, Told)], said: &Said, is_await: bool) -> (&'static str, jsonrpc::Raw) {
        if is_await {
            let permissions: Vec<&Permission> = news.iter().map(|(permission, _)| permission).collect();
            let request = model::RequestId::new(&said.request);
            return (wire::AWAIT, wire::await_params(&request, &permissions, self.settings.policy));
        }
        let grants = news.iter().map(|(permission, told)| {
            let word = match told.word {
                Word::Approved => "approved",
                Word::Deferred => "deferred",
                Word::Denied | Word::Await => "denied",
            };
            (permission, word)
        });
        (wire::GRANT, said.params(grants))
    }

    /// Returns what a connection has to be told about a permission, after what it was told last; none while the request has no id yet.
    fn word(&self, permission: &Permission, last: Option<&Told>) -> Option<Told> {
        let wish = self.wishes.get(permission)?;
        let (standing, basis) = wish.shown.as_ref()?;
        let told = |word| {
            let mut said = Said::of(basis);
            if word != Word::Approved {
                // Only an approval can expire.
                said.expires = None;
            }
            Some(Told { word, said })
        };
        match standing {
            Standing::Approved => told(Word::Approved),
            Standing::Denied => told(Word::Denied),
            // D4: an expired approval is revoked with the only messages that exist, before it is asked for again.
            Standing::Pending => match last {
                Some(last) if last.word == Word::Approved => Some(Told {
                    word: Word::Denied,
                    said: Said {
                        expires: None,
                        ..last.said.clone()
                    },
                }),
                _ if matches!(basis, Basis::Decision(decision) if decision.answer == PermissionAnswer::Deferred) => told(Word::Deferred),
                _ => Some(Told {
                    word: Word::Await,
                    said: Said {
                        request: wish.request()?.as_str().to_owned(),
                        by: String::new(),
                        expires: None,
                    },
                }),
            },
        }
    }

    /// Requests a wake-up at the time when the next decision expires.
    fn wake(&mut self) {
        let next = self.decisions.values().filter_map(|decision| decision.expires).min();
        if next != self.wake
            && let Some(next) = next
        {
            self.push(Output::Wake(next));
        }
        self.wake = next;
    }
}
