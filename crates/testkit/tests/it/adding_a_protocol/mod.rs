//! The protocol of `docs/develop/adding-a-protocol.md`: participants of a room call tools, and no client of MCP is there.

mod document;
mod room;
mod rules;

use std::sync::Arc;

use kernel::Subject;
use kernel::operator::{NewToken, Operations};
use model::{Access, GrantScope, Principal, PrincipalId, Role, ServerId};
use policy::{Answer, Origin};
use serde_json::{Value, json};
use testkit::{Gateway, Script, Step, gateway};

use crate::guard::witness::Witness;
use crate::guard::{grant_of, operations, until};
use crate::{ECHO, assert_has};
pub(crate) use room::Room;

/// Alice has a person behind her who can be asked; bob and carol are programs.
const PARTICIPANTS: [(&str, bool); 3] = [("alice", true), ("bob", false), ("carol", false)];

fn script() -> Script {
    let destroys = json!({"name": "destroy", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true}});
    Script::legacy()
        .tool("look", [Step::answer(ECHO)])
        .tool_defined(destroys, [Step::answer(ECHO)])
        .tool(
            "count",
            [
                Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":1}"#),
                Step::notify("notifications/progress", r#"{"progressToken":$token,"progress":2}"#),
                Step::answer(ECHO),
            ],
        )
        .tool(
            "ask",
            [
                Step::elicit(r#""which one?""#),
                Step::answer(r#"{"content":[],"structuredContent":$answers}"#),
            ],
        )
        .tool("hang", [Step::Hang])
}

/// Returns a participant that a token has let in, and whether a person is behind it.
fn participant((name, has_person): (&str, bool)) -> (Subject, bool) {
    let subject = Subject {
        token: Some(format!("token of {name}").into()),
        ..Subject::new(Principal::named(name))
    };
    (subject, has_person)
}

/// A room in front of a guarded gateway in which alice and bob may use the server, and carol may not.
struct Opened {
    gateway: Gateway,
    operations: Operations,
    room: Room,
    witness: Witness,
    _folder: tempfile::TempDir,
}

impl Opened {
    async fn new() -> Self {
        let (folder, witness) = (tempfile::tempdir().expect("a folder"), Witness::default());
        let built = gateway()
            .upstream("fs", script())
            .guarded(|security| security.principals = PARTICIPANTS.map(|(who, _)| (PrincipalId::new(who), Origin::Remote)).to_vec());
        let disk = Arc::new(store::disk::LocalDisk);
        let gateway = built
            .remembering_through(folder.path(), disk, |store| witness.beside(store))
            .await
            .start();
        gateway.kernel.look(false, |_| {}).await;
        let operations = operations(&gateway);
        for (name, _) in PARTICIPANTS {
            let token = NewToken {
                id: Some(format!("token of {name}")),
                principal: PrincipalId::new(name),
                role: Role::Agent,
                scopes: Vec::new(),
                expires: None,
            };
            operations.create_token(token).await.expect("made");
        }
        let opened = Self {
            operations,
            room: Room::open(&gateway.kernel, PARTICIPANTS.map(participant)),
            gateway,
            witness,
            _folder: folder,
        };
        opened.allow("alice").await;
        opened.allow("bob").await;
        opened
    }

    async fn allow(&self, who: &str) {
        self.operations.grant(grant_of(who, "fs", Access::Allow)).await.expect("granted");
    }

    async fn revoke(&self, who: &str) {
        self.operations.revoke(&PrincipalId::new(who), &fs()).await.expect("revoked");
    }

    /// Has a participant call a tool, and returns the number of the call.
    fn call(&self, who: &str, tool: &str, arguments: &Value) -> u64 {
        self.room.say(who, &json!({"call": format!("fs__{tool}"), "arguments": arguments}));
        let said = self.room.transcript();
        let made = said.iter().rev().find(|entry| entry["calls"].is_string());
        made.and_then(|entry| entry["call"].as_u64())
            .expect("the call is in the transcript")
    }

    /// Waits until the room sees how a call ended.
    async fn end(&self, call: u64) -> Value {
        let is_end = |entry: &Value| entry["call"] == call && ["result", "error", "cancelled"].iter().any(|key| entry.get(key).is_some());
        self.room.until("the end of the call", is_end).await
    }

    /// Waits until the room sees a question in the course of a call.
    async fn question(&self, call: u64) -> Value {
        let is_asked = |entry: &Value| entry["call"] == call && entry["question"].is_u64();
        self.room.until("a question", is_asked).await
    }

    /// Waits until a call waits for an operator, and decides about it.
    async fn decide(&self, who: &str, answer: Answer) {
        let mut changes = self.operations.changes();
        let waiting = loop {
            if let Some(waiting) = self.operations.approvals().into_iter().next() {
                break waiting;
            }
            changes.changed().await.expect("the operator's room is open");
        };
        assert_eq!(waiting.approval.principal.as_str(), who);
        self.operations.decide(&waiting.approval.request, answer).await.expect("it waits");
    }

    fn received(&self) -> Vec<testkit::Received> {
        self.gateway.server("fs").received_of("tools/call")
    }

    /// Ends everything. Nothing is left of the room, and each call that the server received was admitted on record before.
    async fn close(self) {
        self.room.close().await;
        self.gateway.stop().await;
        assert_eq!(self.gateway.kernel.census(), [0; 5]);
        let stored = self.witness.events();
        let mut admitted: Vec<_> = stored
            .iter()
            .filter(|(_, event)| event["event_type"] == "dev.chancery.call_admitted")
            .collect();
        for one in self.received() {
            let fits = |(at, event): &&(std::time::Instant, Value)| *at <= one.at && event["target"]["tool_name"] == one.params()["name"];
            let found = admitted.iter().position(fits);
            admitted.remove(found.unwrap_or_else(|| panic!("{:?} was sent without an admission on record", one.message)));
        }
    }
}

fn fs() -> GrantScope {
    GrantScope::Server(ServerId::new("fs").expect("a good id"))
}

fn refused(end: &Value) -> Value {
    assert_eq!(end["result"]["isError"], true, "{end}");
    serde_json::from_str(end["result"]["content"][0]["text"].as_str().expect("text")).expect("a refusal is JSON")
}

#[tokio::test]
async fn a_participant_calls_a_tool_and_the_record_names_the_participant() {
    let opened = Opened::new().await;
    let call = opened.call("bob", "look", &json!({"a": 1}));
    assert_eq!(opened.end(call).await["result"]["structuredContent"], json!({"a": 1}));
    for kind in ["dev.chancery.call_admitted", "TOOL_EXECUTED"] {
        let event = until(&opened.gateway, kind, 1).await.remove(0);
        assert_eq!(event["actor"], json!({"type": "agent", "id": "bob"}), "{event}");
        assert_eq!(event["target"], json!({"server_id": "fs", "tool_name": "look"}));
    }
    let call = opened.call("carol", "look", &json!({}));
    assert_eq!(refused(&opened.end(call).await)["code"], 1001, "carol has no grant");
    let blocked = until(&opened.gateway, "TOOL_BLOCKED", 1).await.remove(0);
    assert_eq!(blocked["actor"]["id"], "carol");
    assert_eq!(opened.received().len(), 1);
    opened.close().await;
}

#[tokio::test]
async fn everybody_in_the_room_sees_the_progress_of_a_call() {
    let opened = Opened::new().await;
    let (first, second) = (opened.call("alice", "count", &json!({})), opened.call("bob", "count", &json!({})));
    opened.end(first).await;
    opened.end(second).await;
    for call in [first, second] {
        let said = opened.room.transcript();
        let seen: Vec<&Value> = said
            .iter()
            .filter(|entry| entry["call"] == call)
            .filter_map(|entry| entry.get("progress"))
            .collect();
        assert_eq!(seen, [1, 2]);
    }
    opened.close().await;
}

#[tokio::test]
async fn the_participant_that_is_asked_answers_the_server_and_no_other() {
    let opened = Opened::new().await;
    let call = opened.call("alice", "ask", &json!({}));
    let question = opened.question(call).await;
    assert_has(&question, &json!({"asks": "alice", "message": "which one?"}));
    let answer = |value: &str| json!({"answer": question["question"], "with": {"action": "accept", "content": {"value": value}}});
    opened.room.say("bob", &answer("bob's"));
    opened.room.say("alice", &answer("the left one"));
    let end = opened.end(call).await;
    assert_eq!(end["result"]["structuredContent"][0]["content"]["value"], "the left one");
    // Bob has declared that he cannot be asked: his server is told so, and the room sees no question.
    let call = opened.call("bob", "ask", &json!({}));
    assert_eq!(opened.end(call).await["result"]["structuredContent"][0]["code"], -32601);
    assert!(!opened.room.transcript().iter().any(|entry| entry["asks"] == "bob"));
    opened.close().await;
}

#[tokio::test]
async fn a_dangerous_call_waits_for_the_person_behind_its_participant() {
    let opened = Opened::new().await;
    for (decision, passes) in [("once", true), ("deny", false)] {
        let call = opened.call("alice", "destroy", &json!({"path": decision}));
        let question = opened.question(call).await;
        assert!(
            question["message"].as_str().is_some_and(|text| text.contains("fs/destroy")),
            "{question}"
        );
        let consent = json!({"action": "accept", "content": {"decision": decision}});
        opened.room.say("alice", &json!({"answer": question["question"], "with": consent}));
        let end = opened.end(call).await;
        match passes {
            true => assert_eq!(end["result"]["structuredContent"]["path"], "once"),
            false => assert_eq!(refused(&end)["code"], 1000),
        }
    }
    let decided = until(&opened.gateway, "dev.chancery.approval_decided", 2).await;
    assert!(decided.iter().all(|event| event["actor"]["id"] == "alice"), "{decided:#?}");
    opened.close().await;
}

#[tokio::test]
async fn an_operator_decides_where_no_person_is_behind_the_participant() {
    let opened = Opened::new().await;
    for (answer, passes) in [(Answer::Approve, true), (Answer::Deny, false)] {
        let call = opened.call("bob", "destroy", &json!({"passes": passes}));
        opened.decide("bob", answer).await;
        let end = opened.end(call).await;
        match passes {
            true => assert_eq!(end["result"]["structuredContent"]["passes"], true),
            false => assert_eq!(refused(&end)["code"], 1000),
        }
    }
    assert_eq!(opened.received().len(), 1);
    opened.close().await;
}

#[tokio::test]
async fn a_call_ends_when_its_participant_cancels_it() {
    let opened = Opened::new().await;
    let call = opened.call("alice", "hang", &json!({}));
    opened.gateway.server("fs").nth("tools/call", 1).await;
    // Only the participant that made a call cancels it.
    opened.room.say("bob", &json!({"cancel": call}));
    opened.room.say("alice", &json!({"cancel": call}));
    assert_eq!(opened.end(call).await["cancelled"], true);
    opened.gateway.server("fs").nth("notifications/cancelled", 1).await;
    // A call that was cancelled while its person was asked is not made, whatever the person says then.
    let call = opened.call("alice", "destroy", &json!({}));
    let question = opened.question(call).await;
    opened.room.say("alice", &json!({"cancel": call}));
    assert_eq!(opened.end(call).await["cancelled"], true);
    let consent = json!({"action": "accept", "content": {"decision": "once"}});
    opened.room.say("alice", &json!({"answer": question["question"], "with": consent}));
    opened
        .room
        .until("the late answer", |entry| entry["ignored"]["answer"] == question["question"])
        .await;
    assert_eq!(opened.received().len(), 1);
    opened.close().await;
}

#[tokio::test]
async fn a_revoked_grant_ends_what_a_participant_may_between_two_calls_and_while_one_waits() {
    let opened = Opened::new().await;
    let call = opened.call("bob", "look", &json!({}));
    assert_eq!(opened.end(call).await["result"]["isError"], Value::Null);
    opened.revoke("bob").await;
    let call = opened.call("bob", "look", &json!({}));
    assert_eq!(refused(&opened.end(call).await)["code"], 1001);
    assert_eq!(opened.received().len(), 1);
    // A person consents to a call that waits, but the grant is gone: nothing is sent.
    let call = opened.call("alice", "destroy", &json!({}));
    let question = opened.question(call).await;
    opened.revoke("alice").await;
    let consent = json!({"action": "accept", "content": {"decision": "once"}});
    opened.room.say("alice", &json!({"answer": question["question"], "with": consent}));
    refused(&opened.end(call).await);
    assert_eq!(opened.received().len(), 1);
    opened.close().await;
}

#[tokio::test]
async fn a_revoked_token_ends_what_its_participant_has_under_way_and_nothing_of_others() {
    let opened = Opened::new().await;
    let (alices, bobs) = (opened.call("alice", "hang", &json!({})), opened.call("bob", "hang", &json!({})));
    opened.gateway.server("fs").nth("tools/call", 2).await;
    opened.operations.revoke_token("token of bob").await.expect("revoked");
    let error = &opened.end(bobs).await["error"];
    assert!(error.as_str().is_some_and(|text| text.contains("token")), "{error}");
    opened.gateway.server("fs").nth("notifications/cancelled", 1).await;
    let next = opened.call("bob", "look", &json!({}));
    assert_eq!(refused(&opened.end(next).await)["code"], 1002);
    opened.room.say("alice", &json!({"cancel": alices}));
    assert_eq!(opened.end(alices).await["cancelled"], true);
    assert_eq!(opened.received().len(), 2);
    opened.close().await;
}
