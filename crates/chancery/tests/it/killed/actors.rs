//! Who loads the gateway until it is killed. Each says what it is about to ask, and what was answered; at the first broken connection it ends.

use std::io;
use std::thread::Scope;

use aws_lc_rs::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::Shared;
use super::known::State;
use crate::http::{Answer, Http, Session};

/// How many there are.
pub(super) const COUNT: usize = 8;

/// The types of the events that tell of what they do.
pub(super) const ADMITTED: &str = "dev.chancery.call_admitted";
pub(super) const DECIDED: &str = "dev.chancery.approval_decided";
pub(super) const GRANTED: &str = "ACCESS_GRANTED";
pub(super) const REVOKED: &str = "ACCESS_REVOKED";
pub(super) const TOKEN: &str = "dev.chancery.token_created";
pub(super) const TOKEN_BACK: &str = "dev.chancery.token_revoked";

/// Their events don't say which decision they tell of, so that they are not counted: what is in force is compared.
const PERMISSION: &str = "";

const PERMISSIONS: [&str; 4] = ["network.outbound", "filesystem.read", "filesystem.write", "shell.execute"];

/// One of them at work.
struct Actor<'a> {
    shared: &'a Shared<'a>,
    operator: Http,
    address: &'a str,
    /// What its names begin with.
    name: String,
    random: fastrand::Rng,
}

/// Starts all of them. They end with the gateway.
pub(super) fn start<'s>(scope: &'s Scope<'s, '_>, shared: &'s Shared<'s>, address: &'s str, round: usize, seeds: [u64; COUNT]) {
    let work: [fn(&mut Actor<'s>) -> io::Result<()>; COUNT] = [
        Actor::notes,
        Actor::notes,
        Actor::echoes,
        Actor::destroys,
        Actor::approves,
        Actor::grants,
        Actor::makes_tokens,
        Actor::decides_permissions,
    ];
    for (number, (work, seed)) in work.into_iter().zip(seeds).enumerate() {
        let mut actor = Actor {
            shared,
            operator: shared.operator(address),
            address,
            name: format!("{round}-{number}"),
            random: fastrand::Rng::with_seed(seed),
        };
        scope.spawn(move || {
            let ended = work(&mut actor);
            // The end of the gateway is the only reason to end.
            assert!(actor.shared.is_ending(), "{}: {ended:?}", actor.name);
        });
    }
}

impl Actor<'_> {
    fn session(&self) -> io::Result<Session> {
        Session::open(&Http::new(self.address, Some(&self.shared.caller)), &json!({}))
    }

    /// Calls a tool with a text that no other call has.
    fn call(&self, session: &mut Session, tool: &str, text: &str) -> io::Result<Value> {
        let about = digest_of(text);
        self.shared.known().asks(ADMITTED, &about);
        let answer = session.call(tool, &json!({ "text": text }))?;
        if is_said_back(&answer, text) {
            self.shared.known().answered(ADMITTED, &about);
            self.shared.count();
        } else if was_taken_back(&answer) {
            self.shared.known().taken_back();
        } else {
            self.shared.known().refused(ADMITTED, &about);
        }
        Ok(answer)
    }

    fn says(&self, tool: &str) -> io::Result<()> {
        let mut session = self.session()?;
        for n in 0.. {
            let text = format!("{tool}-{}-{n}", self.name);
            loop {
                let answer = self.call(&mut session, tool, &text)?;
                if is_said_back(&answer, &text) {
                    break;
                }
                assert!(was_taken_back(&answer), "{answer}");
            }
        }
        Ok(())
    }

    fn notes(&mut self) -> io::Result<()> {
        self.says("note")
    }

    fn echoes(&mut self) -> io::Result<()> {
        self.says("echo")
    }

    /// Calls the dangerous tool, each time until an operator has approved it; calls that earlier rounds left open come
    /// first.
    fn destroys(&mut self) -> io::Result<()> {
        let mut session = self.session()?;
        let left = self.shared.known().open.clone();
        let fresh = (0..).map(|n| format!("destroy-{}-{n}", self.name));
        for text in left.into_iter().chain(fresh) {
            let mut known = self.shared.known();
            if !known.open.contains(&text) {
                known.open.push(text.clone());
            }
            drop(known);
            while !is_said_back(&self.call(&mut session, "destroy", &text)?, &text) {}
            self.shared.known().open.retain(|open| *open != text);
        }
        Ok(())
    }

    /// Approves what waits, as soon as it does.
    fn approves(&mut self) -> io::Result<()> {
        for list in self.operator.events("/approvals/stream")? {
            let list = list?;
            for waiting in list["items"].as_array().into_iter().flatten() {
                let request = waiting["request_id"].as_str().expect("an id");
                self.shared.known().asks(DECIDED, request);
                let path = format!("/approvals/{request}/decision");
                let answer = self.operator.operate("POST", &path, &json!({"decision": "approve"}))?;
                match answer.status {
                    200 => self.done(DECIDED, request),
                    // It was in two lists, or has come to nothing meanwhile.
                    404 | 409 => self.shared.known().refused(DECIDED, request),
                    _ => panic!("{answer:?}"),
                }
            }
        }
        Ok(())
    }

    /// Grants access to a new principal each time, revokes some of it, and grants some of that again.
    fn grants(&mut self) -> io::Result<()> {
        for n in 0.. {
            let principal = format!("g-{}-{n}", self.name);
            self.grant(&principal)?;
            if self.random.bool() {
                self.revoke(&principal)?;
                if self.random.bool() {
                    self.grant(&principal)?;
                }
            }
        }
        Ok(())
    }

    fn grant(&self, principal: &str) -> io::Result<()> {
        let body = json!({"principal": principal, "server": "http"});
        self.change(GRANTED, principal, &format!("grant {principal}"), State::Given, |operator| {
            operator.operate("PUT", "/access", &body)
        })
        .map(drop)
    }

    fn revoke(&self, principal: &str) -> io::Result<()> {
        let path = format!("/access?principal={principal}&server=http");
        self.change(REVOKED, principal, &format!("grant {principal}"), State::Absent, |operator| {
            operator.operate("DELETE", &path, &Value::Null)
        })
        .map(drop)
    }

    /// Makes tokens for the caller, and takes some of them back.
    fn makes_tokens(&mut self) -> io::Result<()> {
        for n in 0.. {
            let id = format!("t-{}-{n}", self.name);
            let thing = format!("token {id}");
            let body = json!({"id": id, "principal": "caller"});
            let made = self.change(TOKEN, &id, &thing, State::Given, |operator| {
                operator.operate("POST", "/tokens", &body)
            })?;
            let secret = made["token"].as_str().expect("its text").to_owned();
            self.shared.known().secrets.insert(id.clone(), secret);
            if self.random.bool() {
                let path = format!("/tokens/{id}");
                self.change(TOKEN_BACK, &id, &thing, State::Refused, |operator| {
                    operator.operate("DELETE", &path, &Value::Null)
                })?;
            }
        }
        Ok(())
    }

    /// Decides about permissions, now so, now so.
    fn decides_permissions(&mut self) -> io::Result<()> {
        for n in 0.. {
            let permission = self.random.choice(PERMISSIONS).expect("some");
            let (decision, state) = if self.random.bool() {
                ("approved", State::Given)
            } else {
                ("denied", State::Refused)
            };
            let body = json!({"server": "http", "permission": permission, "decision": decision});
            let (thing, about) = (format!("permission {permission}"), format!("{}-{n}", self.name));
            self.change(PERMISSION, &about, &thing, state, |operator| {
                operator.operate("PUT", "/permissions", &body)
            })?;
        }
        Ok(())
    }

    /// Asks for a change of a thing, and takes note before and after.
    fn change(
        &self,
        kind: &'static str,
        about: &str,
        thing: &str,
        to: State,
        ask: impl FnOnce(&Http) -> io::Result<Answer>,
    ) -> io::Result<Value> {
        {
            let mut known = self.shared.known();
            known.changes(thing, to);
            known.asks(kind, about);
        }
        let answer = ask(&self.operator)?;
        assert!((200..300).contains(&answer.status), "{thing}: {answer:?}");
        self.shared.known().changed(thing);
        self.done(kind, about);
        Ok(answer.body)
    }

    fn done(&self, kind: &'static str, about: &str) {
        self.shared.known().answered(kind, about);
        self.shared.count();
    }
}

/// Returns what the record calls the arguments of a call.
pub(super) fn digest_of(text: &str) -> String {
    let arguments = json!({ "text": text }).to_string();
    let digest = digest(&SHA256, arguments.as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether a call was admitted and not sent, because a decision about its server came in between (DESIGN 9).
fn was_taken_back(answer: &Value) -> bool {
    answer["error"]["message"]
        .as_str()
        .is_some_and(|why| why.ends_with("send it again"))
}

pub(super) fn is_said_back(answer: &Value, text: &str) -> bool {
    answer["result"]["content"][0]["text"] == json!(text)
}
