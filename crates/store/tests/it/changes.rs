//! What each change does to what is remembered, as transcripts: a line is a commit, what is indented is the answer.

use std::fmt::Write as _;

use expect_test::expect_file;
use model::{
    Access, Approval, ApprovalState, Digest, GrantScope, Permission, PermissionAnswer, PermissionDecision, Pin, PrincipalId, RequestId,
    Timestamp, ToolId,
};
use store::{Change, Commit, ControlStore, Fact, LocalStore, PermissionRequest, Remembered};

use crate::fixture::{by, folder, grant, open, scope, server_id, settings, token};

#[tokio::test]
async fn changes_and_conflicts_are_as_written() {
    let text = include_str!("../data/changes.txt");
    let folder = folder();
    let settings = settings(folder.path());
    let mut store = open(&settings);
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.starts_with(' ')) {
        writeln!(out, "{line}").expect("a string takes it");
        match line {
            "" => {}
            line if line.starts_with('#') => {}
            "show" => show(&mut out, &store.load().await.expect("it loads")),
            "reopen" => {
                drop(store);
                store = open(&settings);
            }
            line => commit(&mut out, &store, line).await,
        }
    }
    expect_file!["../data/changes.txt"].assert_eq(&out);
}

async fn commit(out: &mut String, store: &LocalStore, line: &str) {
    let changes = line.split(" + ").map(change).collect();
    match store.commit(Commit::new(changes, Vec::new())).await {
        Ok(committed) => writeln!(out, "  revision {}", committed.revision),
        Err(why) => writeln!(out, "  failed to {why}"),
    }
    .expect("a string takes it");
}

/// Returns one change from its words; `@N` is the instant at which it is made, `until=N` when it ends.
fn change(text: &str) -> Change {
    let option = |name: &str| text.split(' ').find_map(|word| word.strip_prefix(name)?.parse::<i64>().ok());
    let words: Vec<&str> = text
        .split(' ')
        .filter(|word| !word.starts_with('@') && !word.contains('='))
        .collect();
    let (at, until) = (option("@").unwrap_or(1), option("until=").map(Timestamp));
    let digest = |name: &str| option(name).map(|byte| Digest([u8::try_from(byte).expect("a byte"); 32]));
    let tool = |text: &str| match scope(text) {
        GrantScope::Tool(tool) => tool,
        GrantScope::Server(_) => panic!("`{text}` is no tool"),
    };
    match words[..] {
        ["put_token", id, digest] => Change::PutToken(model::Token {
            expires: until,
            scopes: vec![server_id("fs"), server_id("git")],
            ..token(id, digest.parse().expect("a number"))
        }),
        ["revoke_token", id] => Change::RevokeToken {
            id: id.into(),
            by: by("root", at),
        },
        ["grant", principal, about, access] => Change::PutGrant(model::Grant {
            access: self::access(access),
            expires: until,
            ..grant(principal, about)
        }),
        ["revoke_grant", principal, about, access] => Change::RevokeGrant {
            principal: PrincipalId::new(principal),
            scope: scope(about),
            access: self::access(access),
        },
        ["ask_permission", request, server, permission] => Change::AskPermission(PermissionRequest {
            request: RequestId::new(request),
            server: server_id(server),
            permission: Permission::new(permission),
            asked: Timestamp(at),
            expires: until,
        }),
        ["answer", request, server, permission, answer] => Change::AnswerPermission(decision(request, server, permission, answer, at)),
        ["set", request, server, permission, answer] => Change::SetPermission(decision(request, server, permission, answer, at)),
        ["withdraw", request, permission] => Change::WithdrawPermission {
            request: RequestId::new(request),
            permission: Permission::new(permission),
        },
        ["ask_approval", request, about] => Change::AskApproval(Approval {
            request: RequestId::new(request),
            principal: PrincipalId::new("alice"),
            tool: tool(about),
            arguments: Digest([7; 32]),
            revision: 1,
            asked: Timestamp(at),
            expires: until.expect("an approval ends"),
            state: ApprovalState::Pending,
        }),
        ["move", request, state] => Change::MoveApproval {
            request: RequestId::new(request),
            state: match state {
                "approved" => ApprovalState::Approved(by("root", at)),
                "denied" => ApprovalState::Denied(by("root", at)),
                "used" => ApprovalState::Used(by("alice", at)),
                _ => ApprovalState::Pending,
            },
        },
        ["pin", about] => Change::PutPin {
            pin: Pin {
                tool: tool(about),
                digest: digest("digest=").expect("a pin has a digest"),
                pinned: by("root", at),
            },
            instead_of: digest("was="),
        },
        ["unpin", about] => Change::RemovePin(tool(about)),
        ["fact", kind, name, value] => Change::PutFact(Fact {
            kind: kind.into(),
            name: name.into(),
            value: value.into(),
            by: by("root", at),
        }),
        ["forget", kind, name] => Change::RemoveFact {
            kind: kind.into(),
            name: name.into(),
        },
        ["prune", before] => Change::Prune {
            before: Timestamp(before.parse().expect("an instant")),
        },
        _ => panic!("`{text}` is no change"),
    }
}

fn access(word: &str) -> Access {
    if word == "deny" { Access::Deny } else { Access::Allow }
}

fn decision(request: &str, server: &str, permission: &str, answer: &str, at: i64) -> PermissionDecision {
    PermissionDecision {
        request: RequestId::new(request),
        server: server_id(server),
        permission: Permission::new(permission),
        answer: match answer {
            "approved" => PermissionAnswer::Approved,
            "denied" => PermissionAnswer::Denied,
            _ => PermissionAnswer::Deferred,
        },
        decided: by("root", at),
        expires: None,
    }
}

fn show(out: &mut String, remembered: &Remembered) {
    let Remembered {
        revision,
        tokens,
        grants,
        permissions,
        requests,
        approvals,
        pins,
        facts,
        keys: _,
    } = remembered;
    let until = |at: &Option<Timestamp>| at.map_or(String::new(), |at| format!(" until {}", at.0));
    let tool = |tool: &ToolId| tool.to_string();
    let mut line = |text: String| writeln!(out, "  {text}").expect("a string takes it");
    line(format!("revision {revision}"));
    for token in tokens {
        let revoked = token
            .revoked
            .as_ref()
            .map_or(String::new(), |by| format!(" revoked at {}", by.at.0));
        line(format!(
            "token {} {} for {:?}{}{revoked}",
            token.id,
            token.principal,
            token.scopes,
            until(&token.expires)
        ));
    }
    for grant in grants {
        let about = match &grant.scope {
            GrantScope::Tool(id) => tool(id),
            GrantScope::Server(id) => id.to_string(),
        };
        line(format!(
            "grant {} {about} {:?}{}",
            grant.principal,
            grant.access,
            until(&grant.expires)
        ));
    }
    for decided in permissions {
        line(format!(
            "permission {} {} {:?} at {}",
            decided.server, decided.permission, decided.answer, decided.decided.at.0
        ));
    }
    for open in requests {
        line(format!(
            "request {} {} {}{}",
            open.request,
            open.server,
            open.permission,
            until(&open.expires)
        ));
    }
    for approval in approvals {
        line(format!(
            "approval {} {} {:?}",
            approval.request,
            tool(&approval.tool),
            approval.state
        ));
    }
    for pin in pins {
        line(format!("pin {} {:02x}…", tool(&pin.tool), pin.digest.0[0]));
    }
    for fact in facts {
        line(format!("fact {} {} {}", fact.kind, fact.name, fact.value));
    }
}
