//! A live gateway with everything that the operator API shows. Requests to it are compared with `docs/reference/openapi.json`.

use std::collections::BTreeSet;
use std::sync::Mutex;

use console::Console;
use kernel::http_api::{Answer, HttpApi as _, Request, Verb};
use model::{Principal, PrincipalId, Role};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Client, Era, Gateway, Script, Step, Wire, gateway};

use crate::schema::mismatches;

/// The committed document, from which programs are generated.
const DOCUMENT: &str = include_str!("../../../../docs/reference/openapi.json");

/// A gateway, its operator API, and the operations that were requested.
pub(crate) struct Live {
    pub(crate) gateway: Gateway,
    pub(crate) document: Value,
    console: Console,
    asked: Mutex<BTreeSet<String>>,
    _folder: TempDir,
}

/// Returns an operator.
pub(crate) fn olga() -> Principal {
    Principal {
        id: PrincipalId::new("olga"),
        role: Role::Operator,
    }
}

/// Returns a server with a tool of each risk, one of them with a text that people don't see.
fn tools() -> Script {
    let tool = |name: &str, annotations: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    let answer = || vec![vec![Step::text("done")]];
    let hiding = json!({"name": "peek", "description": "reads\u{202e}", "inputSchema": {"type": "object"}});
    Script::legacy()
        .tool_as(tool("look", json!({"readOnlyHint": true})), answer())
        .tool_as(tool("destroy", json!({"destructiveHint": true})), answer())
        .tool_as(hiding, answer())
}

/// Returns a server that asks for two permissions.
fn wanting() -> Script {
    Script::legacy()
        .tool("plain", [Step::text("done")])
        .capabilities(json!({
            "tools": {},
            "mgp": {"version": "0.5.2", "extensions": ["security"], "permissions_required": ["memory.write", "camera"]},
        }))
        .on("mgp/permission/await", [Step::answer("{}")])
        .on("mgp/permission/grant", [Step::answer("{}")])
}

impl Live {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let gateway = gateway()
            .upstream("fs", tools())
            .upstream("wanting", wanting())
            .guarded(|security| security.approval_hold = std::time::Duration::ZERO)
            .remembering(folder.path())
            .await
            .start();
        Self {
            console: Console::new(gateway.kernel.clone()),
            gateway,
            document: serde_json::from_str(DOCUMENT).expect("the document is JSON"),
            asked: Mutex::default(),
            _folder: folder,
        }
    }

    /// Returns a client that has listed the tools, once the server's permissions wait.
    pub(crate) async fn client(&self) -> Client {
        let client = self.gateway.client(Era::Legacy, Wire::Pipe).principal("local").connect().await;
        client.tools().await;
        self.gateway.server("wanting").nth("mgp/permission/await", 1).await;
        client
    }

    /// Makes a request as an operator, and compares it and its answer with the document.
    pub(crate) async fn ask(&self, verb: Verb, target: &str, body: Value) -> (u16, Value) {
        self.ask_as(olga(), verb, target, body).await
    }

    pub(crate) async fn ask_as(&self, who: Principal, verb: Verb, target: &str, body: Value) -> (u16, Value) {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let (status, media, answer) = self.answer(who, verb, target, text).await;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let Some(operation) = self.operation(verb, path) else {
            assert!(status >= 400, "{target} is not in the document");
            return (status, answer);
        };
        let responses = &operation["responses"];
        let response = responses.get(status.to_string()).unwrap_or(&responses["default"]);
        let schema = &response["content"][media]["schema"];
        assert!(schema.is_object(), "{target}: {status} {media} is not in the document");
        assert_eq!(
            mismatches(&self.document, schema, &answer),
            Vec::<String>::new(),
            "{target}: {answer:#}"
        );
        if status < 400 {
            let named = |name: &str| {
                operation["parameters"]
                    .as_array()
                    .is_some_and(|all| all.iter().any(|one| one["name"] == name))
            };
            for (name, _) in query.split('&').filter_map(|pair| pair.split_once('=')) {
                assert!(named(name), "{target}: `{name}` is not in the document");
            }
            if !body.is_null() {
                let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
                assert_eq!(
                    mismatches(&self.document, schema, &body),
                    Vec::<String>::new(),
                    "{target}: {body:#}"
                );
            }
            let id = operation["operationId"].as_str().expect("an id").to_owned();
            self.asked.lock().expect("no test has panicked").insert(id);
        }
        (status, answer)
    }

    /// Sends a body as it is. Returns the status, the media type, and the value; of a stream, its first event.
    pub(crate) async fn answer(&self, who: Principal, verb: Verb, target: &str, body: String) -> (u16, &'static str, Value) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let request = Request {
            who: who.into(),
            verb,
            path: path.to_owned(),
            query: Some(query.to_owned()),
            last_event: None,
            body: body.into(),
        };
        let (status, media, text) = match self.console.answer(request).await {
            Answer::Whole { status, media, body } => (status, media, body),
            Answer::Events(mut events) => {
                let first = std::future::poll_fn(|cx| events.poll_next(cx)).await;
                (200, "text/event-stream", first.expect("an event").data)
            }
        };
        (status, media, serde_json::from_slice(&text).expect("an answer is JSON"))
    }

    /// Returns the operation of the document for a verb and a path.
    fn operation(&self, verb: Verb, path: &str) -> Option<&Value> {
        let fits = |pattern: &str| {
            let (pattern, path) = (pattern.split('/'), path.split('/'));
            pattern.clone().count() == path.clone().count() && pattern.zip(path).all(|(said, given)| said.starts_with('{') || said == given)
        };
        let mut found = self.document["paths"].as_object()?.iter().filter(|(pattern, _)| fits(pattern));
        found.find_map(|(_, operations)| operations.get(verb.as_str().to_ascii_lowercase()))
    }

    /// Returns the operations of the document that had no successful request.
    pub(crate) fn not_asked(&self) -> Vec<String> {
        let asked = self.asked.lock().expect("no test has panicked");
        let paths = self.document["paths"].as_object().expect("paths");
        let operations = paths.values().flat_map(|path| path.as_object().expect("operations").values());
        let ids = operations.map(|operation| operation["operationId"].as_str().expect("an id").to_owned());
        ids.filter(|id| !asked.contains(id)).collect()
    }
}
