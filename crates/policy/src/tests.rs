//! Tests of decisions, and of the parts of a query that logs may show.

use model::{Principal, ServerId, Timestamp, Trace};

use super::*;

fn server(id: &str) -> ServerId {
    ServerId::new(id).expect("an id")
}

fn actions(server: &ServerId) -> [(Action<'_>, &'static str); 11] {
    [
        (
            Action::CallTool {
                server,
                tool: "read",
                arguments: Some(b"{\"key\":\"s3cret\"}"),
            },
            "call fs/read",
        ),
        (Action::GetPrompt { server, prompt: "review" }, "get the prompt fs/review"),
        (Action::ReadResource { server, uri: "file:///a" }, "read file:///a of fs"),
        (Action::Subscribe { server, uri: "file:///a" }, "subscribe to file:///a of fs"),
        (
            Action::Complete {
                server,
                reference: "file:///{p}",
            },
            "complete an argument of file:///{p} of fs",
        ),
        (Action::UseTask { server, task: "t1" }, "use the task t1 of fs"),
        (Action::Extension { server, method: "acme/do" }, "request acme/do of fs"),
        (
            Action::Notify {
                server,
                method: "notifications/acme",
            },
            "send notifications/acme to fs",
        ),
        (
            Action::Ask {
                server,
                method: "roots/list",
            },
            "be asked roots/list by fs",
        ),
        (Action::SetLogLevel, "set the log level"),
        (Action::Operate { what: "decide requests" }, "decide requests"),
    ]
}

fn decide(policy: &Policy, action: Action<'_>) -> Decision {
    let (principal, trace) = (Principal::named("alice"), Trace::default());
    policy.decide(&Query::new(&principal, action, &trace, Timestamp(0)))
}

#[test]
fn allow_all_allows_every_action_and_says_why() {
    let (fs, policy) = (server("fs"), Policy::allow_all());
    for (action, shown) in actions(&fs) {
        let decision = decide(&policy, action);
        assert!(decision.is_allowed(), "{shown}");
        assert_eq!(decision.revision, Revision(1));
        assert_eq!(decision.because.to_string(), "no policy is configured: everything is allowed");
    }
}

#[test]
fn deny_all_denies_every_action_and_names_it() {
    let (fs, policy) = (server("fs"), Policy::deny_all(Revision(7)));
    for (action, shown) in actions(&fs) {
        let decision = decide(&policy, action);
        assert_eq!((decision.verdict, decision.revision), (Verdict::Deny, policy.revision()));
        let because = format!("the gateway is closed: `alice` may not {shown}; ask its operator to open it");
        assert_eq!(decision.because.to_string(), because);
    }
}

#[test]
fn actions_are_shown_on_one_line_without_arguments() {
    let fs = server("fs");
    for (action, shown) in actions(&fs) {
        assert_eq!(action.to_string(), shown);
        assert_eq!(format!("{action:?}"), format!("Action({shown})"));
        let own = matches!(action, Action::SetLogLevel | Action::Operate { .. });
        assert_eq!(action.server(), (!own).then_some(&fs));
    }
    let forged = Action::CallTool {
        server: &fs,
        tool: "a\nallow\u{202e}\u{1b}[2J",
        arguments: None,
    };
    assert_eq!(forged.to_string(), "call fs/a\\u{a}allow\\u{202e}\\u{1b}[2J");
    let long = "é".repeat(1_000);
    let shown = Action::ReadResource { server: &fs, uri: &long }.to_string();
    assert_eq!(shown.chars().count(), "read … of fs".chars().count() + 200);
}
