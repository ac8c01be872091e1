//! The inputs of people and servers to a guard: decisions, grants, tokens, permissions, and servers' offers.

use std::sync::Arc;

use guard::{Definition, Source, granted};
use jsonrpc::Raw;
use model::{Access, By, Digest, Grant, Permission, PermissionAnswer, PermissionDecision, PrincipalId, RequestId, Role, Token};
use policy::{Answer, Edit};
use store::{Change, Commit};

use crate::room::{Room, settle};
use crate::words::{self, Words};

/// The edit of the policy by a change, applied once it is stored.
type PolicyEdit = Box<dyn FnOnce(&mut Edit) + Send>;

/// Returns whether a verb of an operator is a decision, and not a use of a server.
pub(crate) fn is_decision(verb: &str) -> bool {
    matches!(
        verb,
        "approves" | "denies" | "always" | "grants" | "forbids" | "revokes" | "makes" | "takes" | "permits" | "withholds"
    )
}

impl Room {
    pub(crate) async fn decides(&mut self, words: &Words<'_>, line: &str) -> Vec<String> {
        let operator = words::principal("op");
        let until = words.behind("for").map(|time| {
            let millis = i64::try_from(words::duration(time).as_millis()).expect("a short time");
            self.guard().calendar().now().after(millis)
        });
        let answer = match words.at(1) {
            "approves" => Answer::Approve,
            "denies" => Answer::Deny,
            "always" => Answer::Always { until },
            _ => return self.changes(words, line).await,
        };
        let request = self.request(words.at(2));
        let answered = self.guard().answer(&operator, &request, answer).await;
        vec![match answered {
            Ok(approval) => format!("decided: {}", state(&approval.state)),
            Err(error) => match error.unstored() {
                Some(refusal) => crate::said::refusal(&refusal),
                None => format!("nothing decided: {error}"),
            },
        }]
    }

    /// Stores a change and puts it in force, in a task of its own.
    async fn changes(&mut self, words: &Words<'_>, line: &str) -> Vec<String> {
        let by = By {
            principal: PrincipalId::new("op"),
            at: self.guard().calendar().now(),
        };
        let until = words.behind("for").map(|time| {
            let millis = i64::try_from(words::duration(time).as_millis()).expect("a short time");
            by.at.after(millis)
        });
        let (commit, edit): (Commit, PolicyEdit) = match words.at(1) {
            verb @ ("grants" | "forbids") => {
                let grant = Grant {
                    principal: PrincipalId::new(words.at(2)),
                    scope: words::scope(words.at(3)),
                    access: if verb == "grants" { Access::Allow } else { Access::Deny },
                    confirms: words.has("confirming"),
                    granted: by,
                    expires: until,
                    justification: None,
                };
                put_grant(grant)
            }
            "revokes" => {
                let (principal, scope) = (PrincipalId::new(words.at(2)), words::scope(words.at(3)));
                let edit = move |edit: &mut Edit| drop(edit.revoke(&principal, &scope));
                (Commit::default(), Box::new(edit))
            }
            verb @ ("makes" | "takes") => {
                let token = Token {
                    id: words.at(2).into(),
                    digest: Digest([1; 32]),
                    principal: PrincipalId::new(words.behind("of").expect("a principal")),
                    role: Role::Agent,
                    scopes: words.behind("at").map(words::server).into_iter().collect(),
                    created: by.clone(),
                    expires: until,
                    revoked: (verb == "takes").then_some(by),
                };
                (Commit::default(), Box::new(|edit| _ = edit.token(token)))
            }
            verb => {
                let answer = if verb == "permits" {
                    PermissionAnswer::Approved
                } else {
                    PermissionAnswer::Denied
                };
                let decision = PermissionDecision {
                    request: RequestId::new("asked-before"),
                    server: words::server(words.at(2)),
                    permission: Permission::new(words.at(3)),
                    answer,
                    decided: by,
                    expires: until,
                };
                let commit = Commit::new(vec![Change::SetPermission(decision.clone())], Vec::new());
                (commit, Box::new(|edit| _ = edit.permission(decision)))
            }
        };
        let guard = self.guard();
        let what = line.strip_prefix("op ").unwrap_or(line).to_owned();
        let mut change = tokio::spawn(async move { guard.change(commit, edit).await });
        settle().await;
        if !change.is_finished() {
            self.changing.push((what, change));
            return vec!["waits for what is being written".to_owned()];
        }
        match (&mut change).await.expect("no panic") {
            Ok(()) => Vec::new(),
            Err(error) => vec![format!("not in force: {error}")],
        }
    }

    // === servers' offers

    pub(crate) fn offers(&mut self, words: &Words<'_>) -> Vec<String> {
        let server = words::server(words.at(0));
        let tools = match words.raw() {
            Some(list) => list.items(),
            None => words.rest(2).iter().map(|name| tool(name)).collect(),
        };
        let name = |raw: &Raw| raw.get("name").and_then(|name| Some(name.as_str()?.into_owned())).expect("a name");
        let definitions: Vec<(String, Raw)> = tools.into_iter().map(|raw| (name(&raw), raw)).collect();
        let source = Source {
            server: &server,
            claims: None,
            tools: definitions.iter().map(|(name, raw)| Definition { name, raw }).collect(),
        };
        let wants = self.guard().wanted(&server);
        let permissions = self.guard().learn(&source, wants);
        let mut said: Vec<String> = Vec::new();
        // The judgement of a plain name is known.
        let judged = words.json.map(|_| self.guard().judged(None, &source)).unwrap_or_default();
        for (name, judged) in judged {
            let confirm = if judged.facts.confirm { ", asks for consent" } else { "" };
            said.push(format!("{name} is {}{confirm}", judged.facts.risk));
            said.extend(judged.hidden.iter().map(|hidden| format!("{name} hides text: {hidden}")));
        }
        said.extend(permissions.iter().map(|permission| format!("wants {permission}")));
        self.know_offer(server, definitions);
        said
    }

    /// Handles `fs is pinned`: new tools are pinned, and changed ones are reported.
    pub(crate) async fn pins(&mut self, words: &Words<'_>) -> Vec<String> {
        let server = words::server(words.at(0));
        let unapproved = self.guard().unapproved(&server);
        let definitions: Vec<(String, Raw)> = self.offered(&server).into_iter().filter(|(name, _)| unapproved.has(name)).collect();
        let names: Vec<&str> = definitions.iter().map(|(name, _)| name.as_str()).collect();
        let said = format!(
            "new or changed: {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        );
        Arc::clone(self.guard()).pin(unapproved, definitions).await;
        vec![said]
    }
}

/// Returns a tool of the risk that its name says: `look` only reads, `destroy` is dangerous.
fn tool(name: &str) -> Raw {
    let annotations = match name {
        "look" => r#"{"readOnlyHint":true}"#,
        "destroy" => r#"{"destructiveHint":true}"#,
        _ => "{}",
    };
    words::raw(&format!(r#"{{"name":"{name}","annotations":{annotations}}}"#))
}

fn put_grant(grant: Grant) -> (Commit, PolicyEdit) {
    let event = granted(&words::principal("op"), &grant);
    let commit = Commit::new(vec![Change::PutGrant(grant.clone())], vec![event]);
    (commit, Box::new(|edit| _ = edit.grant(grant)))
}

fn state(state: &model::ApprovalState) -> &'static str {
    match state {
        model::ApprovalState::Pending => "pending",
        model::ApprovalState::Approved(_) => "approved",
        model::ApprovalState::Denied(_) => "denied",
        model::ApprovalState::Used(_) => "used",
    }
}
