//! Properties of all messages that peers may write, and of random inputs of the permission machine.

use std::collections::BTreeMap;

use jsonrpc::ErrorObject;
use mgp::permission::{ApprovalPolicy, Connection, Input, Output, Permissions, Reply, Settings, Standing};
use model::{By, Permission, PermissionAnswer, PermissionDecision, PrincipalId, RequestId, ServerId, Ticket, Timestamp};
use proptest::prelude::*;

use crate::laws;

/// Words of MGP's messages, so that random texts reach deeper code.
const WORDS: [&str; 44] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "false",
    "1",
    "-1.5e9",
    "\"security\":",
    "\"_mgp\":",
    "\"_meta\":",
    "\"dev.cloto/mgp\":",
    "\"mgp\":",
    "\"experimental\":",
    "\"extensions\":",
    "\"version\":\"0.5.2\"",
    "\"risk_level\":\"safe\"",
    "\"risk_level\":\"dangerous\"",
    "\"permissions_required\":[\"shell\"]",
    "\"validator\":\"x\"",
    "\"annotations\":",
    "\"readOnlyHint\":true",
    "\"code_safety\":{\"level\":\"strict\"}",
    "\"trace_id\":\"t\"",
    "\"retryable\":true",
    "\"retry_after_ms\":1e99",
    "\"recovery\":",
    "\"agent_id\":\"ada\"",
    "\"server_id\":\"fs\"",
    "\"entry_type\":\"tool_grant\"",
    "\"grants\":{\"camera\":\"denied\"}",
    "\"after_seq\":0",
    "\"password\":\"x\"",
    "Bearer abc12345",
    "-----BEGIN PRIVATE KEY-----",
    "https://a:b@c/",
    "2026-02-27T12:00:00Z",
    "\\ud800",
    "日本",
    "token=",
];

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        prop::sample::select(&WORDS[..]).prop_map(|word| jsonrpc::Raw::string(word).text().to_owned()),
    ];
    let keys = [
        "security",
        "_mgp",
        "_meta",
        "dev.cloto/mgp",
        "mgp",
        "experimental",
        "extensions",
        "version",
        "risk_level",
        "annotations",
        "recovery",
        "permissions_required",
        "details",
        "grants",
        "actor",
        "target",
        "password",
        "x",
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((prop::sample::select(keys.to_vec()), inner), 0..6).prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// The inputs with which the fuzzer begins.
#[test]
fn the_specifications_examples_keep_the_laws() {
    let seeds = std::fs::read_to_string(crate::data("seeds.jsonl")).expect("the seeds");
    for line in seeds.lines() {
        laws::reading(line.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_read_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        laws::reading(&bytes);
    }

    #[test]
    fn nothing_made_of_mgps_own_words_panics(words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..24)) {
        laws::reading(words.concat().as_bytes());
    }

    #[test]
    fn no_json_panics(text in json()) {
        laws::reading(text.as_bytes());
    }

    #[test]
    fn every_instant_is_read_as_it_was_written(millis in -62_135_596_800_000_i64..253_402_207_200_000) {
        prop_assert_eq!(mgp::time::parse(&mgp::time::format(Timestamp(millis))), Some(Timestamp(millis)));
    }

    #[test]
    fn whatever_happens_nothing_is_approved_that_nobody_approved(life in prop::collection::vec(happening(), 0..60)) {
        live(&life)?;
    }
}

/// An input of a machine, in random tests.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Decide(usize, PermissionAnswer, Option<i64>),
    Pass(i64),
    Connect(u64),
    Gone(u64),
    Reply(u8),
    Asked,
    Want(u8),
    Configure(ApprovalPolicy),
}

const NAMES: [&str; 3] = ["camera", "shell.execute", "com.example.x"];

fn happening() -> impl Strategy<Value = Happening> {
    let answer = prop::sample::select(vec![
        PermissionAnswer::Approved,
        PermissionAnswer::Denied,
        PermissionAnswer::Deferred,
    ]);
    prop_oneof![
        (0..NAMES.len(), answer, prop::option::of(1_i64..50))
            .prop_map(|(which, answer, expires)| Happening::Decide(which, answer, expires)),
        (-20_i64..20).prop_map(Happening::Pass),
        (0_u64..3).prop_map(Happening::Connect),
        (0_u64..3).prop_map(Happening::Gone),
        any::<u8>().prop_map(Happening::Reply),
        Just(Happening::Asked),
        (0_u8..8).prop_map(Happening::Want),
        prop::sample::select(ApprovalPolicy::ALL.to_vec()).prop_map(Happening::Configure),
    ]
}

/// A naive model beside the machine: the decisions, and what each connection was told.
#[derive(Default)]
struct Witness {
    decisions: BTreeMap<Permission, PermissionDecision>,
    open: BTreeMap<u64, Connection>,
    asking: Vec<Vec<Permission>>,
    requests: u64,
    latest: i64,
}

fn live(life: &[Happening]) -> Result<(), TestCaseError> {
    let server = ServerId::new("s").expect("an id");
    let names = NAMES.map(Permission::new);
    let mut machine = Permissions::new(server.clone(), Settings::default(), Timestamp(0));
    let (mut witness, mut policy, mut now) = (Witness::default(), ApprovalPolicy::Interactive, 0_i64);
    for happening in life {
        if let Happening::Pass(millis) = happening {
            now += millis;
        }
        let input = match *happening {
            Happening::Pass(_) => Input::Tick,
            Happening::Decide(which, answer, expires) => {
                let decision = PermissionDecision {
                    request: RequestId::new("r"),
                    server: server.clone(),
                    permission: names[which].clone(),
                    answer,
                    decided: By {
                        principal: PrincipalId::new("admin"),
                        at: Timestamp(now),
                    },
                    expires: expires.map(|millis| Timestamp(now.max(witness.latest) + millis)),
                };
                witness.decisions.insert(names[which].clone(), decision.clone());
                Input::Decided(vec![decision])
            }
            Happening::Connect(connection) => {
                witness.open.retain(|_, other| *other != Connection(connection));
                Input::Connected {
                    connection: Connection(connection),
                    speaks: true,
                }
            }
            Happening::Gone(connection) => {
                witness.open.retain(|_, other| *other != Connection(connection));
                Input::Gone(Connection(connection))
            }
            Happening::Reply(how) => match witness.open.pop_first() {
                None => Input::Tick,
                Some((ticket, _)) => Input::Answered(
                    Ticket(ticket),
                    match how % 8 {
                        0 => Reply::TimedOut,
                        1 => Reply::Error(ErrorObject::new(-32601, "no")),
                        _ => Reply::Done,
                    },
                ),
            },
            Happening::Asked => match witness.asking.pop() {
                None => Input::Tick,
                Some(permissions) => {
                    witness.requests += 1;
                    Input::Asked {
                        request: RequestId::new(&format!("r{}", witness.requests)),
                        permissions,
                    }
                }
            },
            Happening::Want(bits) => {
                let wanted = names.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
                Input::Wants(wanted.map(|(_, name)| name.clone()).collect())
            }
            Happening::Configure(chosen) => {
                policy = chosen;
                Input::Configured(Settings {
                    policy,
                    ..Settings::default()
                })
            }
        };
        witness.latest = witness.latest.max(now);
        machine.handle(Timestamp(now), input);
        while let Some(output) = machine.poll() {
            match output {
                Output::Send {
                    connection,
                    ticket,
                    params,
                    ..
                } => {
                    let waits = witness.open.values().any(|other| *other == connection);
                    prop_assert!(!waits, "one request at a time");
                    witness.open.insert(ticket.0, connection);
                    for (name, answer) in params
                        .get("grants")
                        .and_then(|grants| grants.object().ok())
                        .unwrap_or_default()
                        .iter()
                    {
                        let approved = machine.standing(&Permission::new(name), Timestamp(now)).0 == Standing::Approved;
                        prop_assert_eq!(answer.text() == "\"approved\"", approved);
                    }
                }
                Output::Ask(permissions) => witness.asking.push(permissions),
                _ => {}
            }
        }
        witness
            .decisions
            .retain(|_, decision| decision.expires.is_none_or(|expires| expires.0 > witness.latest));
        for name in &names {
            let answer = witness.decisions.get(name).map(|decision| decision.answer);
            let may = machine.standing(name, Timestamp(now)).0 == Standing::Approved;
            let expected = match policy {
                ApprovalPolicy::AutoApprove => answer.is_none_or(|answer| answer == PermissionAnswer::Approved),
                ApprovalPolicy::ConfigOnly | ApprovalPolicy::DenyAll => false,
                ApprovalPolicy::Interactive => answer == Some(PermissionAnswer::Approved),
            };
            prop_assert_eq!(may, expected, "{} under {}", name, policy);
        }
    }
    Ok(())
}
