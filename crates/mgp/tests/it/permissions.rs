//! Plays transcripts of the permission machine. A line is a step.
//!
//! `== POLICY [PERMISSION…] [strict]` begins a case on a fresh machine. `at MILLIS` sets the clock. `> …` is an input of the machine, `? …` a query;
//! its outputs and answers stand below, behind `<`. `UPDATE_EXPECT=1` rewrites them. Everything else is a comment.

use std::collections::BTreeSet;

use expect_test::expect_file;
use jsonrpc::ErrorObject;
use mgp::permission::{ApprovalPolicy, Connection, Input, Output, Permissions, Reply, Settings};
use model::{By, Permission, PermissionAnswer, PermissionDecision, PrincipalId, RequestId, ServerId, Ticket, Timestamp};

struct Stage {
    machine: Permissions,
    now: Timestamp,
}

fn server() -> ServerId {
    ServerId::new("fs").expect("an id")
}

fn set(words: &[&str]) -> BTreeSet<Permission> {
    words.iter().map(|word| Permission::new(word)).collect()
}

fn settings(words: &[&str]) -> Settings {
    Settings {
        policy: ApprovalPolicy::parse(words[0]).expect("a policy"),
        configured: set(&words[1..]).into_iter().filter(|word| word.as_str() != "strict").collect(),
        strict: words.contains(&"strict"),
    }
}

/// Parses `REQUEST PERMISSION=ANSWER… by WHO [until MILLIS]`.
fn decisions(words: &[&str], now: Timestamp) -> Vec<PermissionDecision> {
    let after = |key: &str| words.iter().position(|word| *word == key).map(|at| words[at + 1]);
    let decided = By {
        principal: PrincipalId::new(after("by").expect("who decided")),
        at: now,
    };
    let expires = after("until").map(|millis| Timestamp(millis.parse().expect("an instant")));
    let pairs = words.iter().filter_map(|word| word.split_once('='));
    let decision = |(permission, answer): (&str, &str)| PermissionDecision {
        request: RequestId::new(words[0]),
        server: server(),
        permission: Permission::new(permission),
        answer: match answer {
            "approved" => PermissionAnswer::Approved,
            "denied" => PermissionAnswer::Denied,
            "deferred" => PermissionAnswer::Deferred,
            _ => panic!("`{answer}` is no answer"),
        },
        decided: decided.clone(),
        expires: expires.filter(|_| answer == "approved"),
    };
    pairs.map(decision).collect()
}

impl Stage {
    fn new(words: &[&str]) -> Self {
        Self {
            machine: Permissions::new(server(), settings(words), Timestamp(0)),
            now: Timestamp(0),
        }
    }

    fn tell(&mut self, words: &[&str]) -> Vec<String> {
        let number = |text: &str| text.parse::<u64>().expect("a number");
        let mut stored = Vec::new();
        let input = match words {
            ["known", rest @ ..] => Input::Known(decisions(rest, self.now)),
            ["wants", rest @ ..] => Input::Wants(set(rest)),
            ["tools", "want", rest @ ..] => Input::ToolsWant(set(rest)),
            ["configured", rest @ ..] => Input::Configured(settings(rest)),
            ["connected", connection, how @ ..] => Input::Connected {
                connection: Connection(number(connection)),
                speaks: how != ["plain"],
            },
            ["gone", connection] => Input::Gone(Connection(number(connection))),
            ["asked", request, rest @ ..] => Input::Asked {
                request: RequestId::new(request),
                permissions: rest.iter().map(|word| Permission::new(word)).collect(),
            },
            ["decided", rest @ ..] => {
                let decisions = decisions(rest, self.now);
                stored = self.machine.events(&decisions, self.now);
                Input::Decided(decisions)
            }
            ["done", ticket] => Input::Answered(Ticket(number(ticket)), Reply::Done),
            ["late", ticket] => Input::Answered(Ticket(number(ticket)), Reply::TimedOut),
            ["error", ticket, code, text @ ..] => {
                let error = ErrorObject::new(code.parse().expect("a code"), text.join(" "));
                Input::Answered(Ticket(number(ticket)), Reply::Error(error))
            }
            ["tick"] => Input::Tick,
            _ => panic!("`{}` is no step", words.join(" ")),
        };
        self.machine.handle(self.now, input);
        let stored = stored.iter().map(|draft| format!("stored with {}", event(draft)));
        let done = std::iter::from_fn(|| self.machine.poll()).map(|output| shown(&output));
        stored.chain(done).collect()
    }

    fn ask(&self, words: &[&str]) -> Vec<String> {
        match words {
            ["standing", names @ ..] => {
                let standing = |name: &&str| {
                    let (standing, basis) = self.machine.standing(&Permission::new(name), self.now);
                    format!("{name} {} by {}", standing.as_str(), basis.approved_by())
                };
                names.iter().map(standing).collect()
            }
            ["list"] => {
                let listed = self.machine.list(self.now).into_iter();
                listed
                    .map(|listed| {
                        let request = listed.request.map_or("-".to_owned(), |request| request.to_string());
                        let by = listed.basis.approved_by();
                        format!("{} {} by {by}, request {request}", listed.permission, listed.standing.as_str())
                    })
                    .collect()
            }
            ["speaks", connection] => {
                let speaks = self.machine.speaks(Connection(connection.parse().expect("a number")));
                vec![if speaks { "yes" } else { "no" }.to_owned()]
            }
            _ => panic!("`{}` is no question", words.join(" ")),
        }
    }
}

fn shown(output: &Output) -> String {
    match output {
        Output::Send {
            connection,
            ticket,
            method,
            params,
        } => format!("send {} on {}, ticket {}: {}", method, connection.0, ticket.0, params.text()),
        Output::Ask(permissions) => {
            let names: Vec<&str> = permissions.iter().map(Permission::as_str).collect();
            format!("ask {}", names.join(" "))
        }
        Output::Changed => "changed".to_owned(),
        Output::Event(draft) => format!("event {}", event(draft)),
        Output::Wake(at) => format!("wake at {}", at.0),
        Output::Disconnect(connection) => format!("disconnect {}", connection.0),
    }
}

fn event(draft: &mgp::audit::Draft) -> String {
    let (kind, actor) = (&draft.event_type, &draft.actor);
    let (target, result, details) = (&draft.target.server, draft.result, draft.details.text());
    format!("{kind} by {} {} on {target}: {result} {details}", actor.kind.as_str(), actor.id)
}

fn play(script: &str) -> String {
    let mut stage: Option<Stage> = None;
    let mut played = String::new();
    for line in script.lines().filter(|line| !line.starts_with("  <")) {
        played.push_str(line);
        played.push('\n');
        let words: Vec<&str> = line.split(' ').collect();
        let done = match words.as_slice() {
            ["==", rest @ ..] => {
                stage = Some(Stage::new(rest));
                Vec::new()
            }
            ["at", millis] => {
                stage.as_mut().expect("a case").now = Timestamp(millis.parse().expect("an instant"));
                Vec::new()
            }
            [">", rest @ ..] => stage.as_mut().expect("a case").tell(rest),
            ["?", rest @ ..] => stage.as_ref().expect("a case").ask(rest),
            _ => Vec::new(),
        };
        for line in done {
            played.push_str("  < ");
            played.push_str(&line);
            played.push('\n');
        }
    }
    played
}

fn check(name: &str) {
    let path = crate::data(&format!("permissions/{name}.txt"));
    let script = std::fs::read_to_string(&path).expect("the transcript can be read");
    expect_file![path].assert_eq(&play(&script));
}

macro_rules! transcripts {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn every_transcript_is_played() {
            let names = [$(concat!(stringify!($name), ".txt")),*];
            for entry in std::fs::read_dir(crate::data("permissions")).expect("the transcripts") {
                let name = entry.expect("an entry").file_name().into_string().expect("a name");
                assert!(names.contains(&name.as_str()), "`{name}` is not in the list");
            }
        }
    };
}

transcripts! {
    row_3_3_four_policies
    row_3_5_await
    row_3_6_grant
    d2_start_up_waits_for_nobody
    d3_peers_without_the_methods
    d4_partial_denial
    d4_expiry_and_revocation
    reload
}
