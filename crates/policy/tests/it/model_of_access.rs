//! Tests access against a naive model: a list of grants, read from the end, by the words of MGP §5.2 and MGP D16.

use std::collections::BTreeMap;

use model::{Access, By, Grant, GrantScope, Principal, PrincipalId, ServerId, Timestamp, ToolId, Trace};
use policy::{Action, DefaultAccess, Policy, Query, Revision, ServerTable, Source, Tables, ToolFacts};
use proptest::prelude::*;

use crate::parse::{self, Words};

const PRINCIPALS: [&str; 3] = ["alice", "bob", "carol"];
const SERVERS: [&str; 2] = ["fs", "db"];
const TOOLS: [&str; 2] = ["read", "write"];

/// A change of the policy.
#[derive(Clone, Debug)]
enum Step {
    Grant(Grant),
    Revoke(PrincipalId, GrantScope),
    Default(Option<ServerId>, Option<DefaultAccess>),
}

fn server(at: usize) -> ServerId {
    ServerId::new(SERVERS[at]).expect("an id")
}

fn scopes() -> impl Strategy<Value = GrantScope> {
    (0..SERVERS.len(), 0..=TOOLS.len()).prop_map(|(at, tool)| match TOOLS.get(tool) {
        Some(name) => GrantScope::Tool(ToolId {
            server: server(at),
            name: (*name).into(),
        }),
        None => GrantScope::Server(server(at)),
    })
}

fn principals() -> impl Strategy<Value = PrincipalId> {
    (0..PRINCIPALS.len()).prop_map(|at| PrincipalId::new(PRINCIPALS[at]))
}

fn steps() -> impl Strategy<Value = Step> {
    let until = prop_oneof![Just(None), (0_i64..10).prop_map(|at| Some(Timestamp(at)))];
    let grant = (principals(), scopes(), any::<bool>(), any::<bool>(), until).prop_map(|(principal, scope, allows, confirms, expires)| {
        Step::Grant(Grant {
            principal,
            scope,
            access: if allows { Access::Allow } else { Access::Deny },
            confirms,
            granted: By {
                principal: PrincipalId::new("root"),
                at: Timestamp(0),
            },
            expires,
            justification: None,
        })
    });
    let default = prop_oneof![Just(None), Just(Some(DefaultAccess::OptIn)), Just(Some(DefaultAccess::OptOut))];
    let of_server = prop_oneof![Just(None), (0..SERVERS.len()).prop_map(|at| Some(server(at)))];
    prop_oneof![
        6 => grant,
        2 => (principals(), scopes()).prop_map(|(principal, scope)| Step::Revoke(principal, scope)),
        1 => (of_server, default).prop_map(|(server, default)| Step::Default(server, default)),
    ]
}

/// The naive model: the changes, in order.
#[derive(Default)]
struct Naive {
    grants: Vec<Grant>,
    general: Option<DefaultAccess>,
    servers: BTreeMap<ServerId, DefaultAccess>,
}

impl Naive {
    fn step(&mut self, step: &Step) {
        match step {
            Step::Grant(grant) => {
                let same = |other: &Grant| other.principal == grant.principal && other.scope == grant.scope && other.access == grant.access;
                self.grants.retain(|other| !same(other));
                self.grants.push(grant.clone());
            }
            Step::Revoke(principal, scope) => self
                .grants
                .retain(|other| !(other.principal == *principal && other.scope == *scope)),
            Step::Default(None, default) => self.general = *default,
            Step::Default(Some(server), Some(default)) => drop(self.servers.insert(server.clone(), *default)),
            Step::Default(Some(server), None) => drop(self.servers.remove(server)),
        }
    }

    fn tables(&self) -> Tables {
        let table = |default: &DefaultAccess| ServerTable {
            access: Some(*default),
            ..ServerTable::default()
        };
        Tables {
            access: self.general,
            servers: self.servers.iter().map(|(id, default)| (id.clone(), table(default))).collect(),
            ..Tables::default()
        }
    }

    fn access(&self, principal: &PrincipalId, tool: &ToolId, now: Timestamp) -> (Access, Source, bool) {
        let levels = [
            (GrantScope::Tool(tool.clone()), Source::ToolGrant),
            (GrantScope::Server(tool.server.clone()), Source::ServerGrant),
        ];
        for (scope, source) in levels {
            let holds = |grant: &&Grant| grant.principal == *principal && grant.scope == scope && grant.expires.is_none_or(|at| at > now);
            let found: Vec<&Grant> = self.grants.iter().filter(holds).collect();
            if found.iter().any(|grant| grant.access == Access::Deny) {
                return (Access::Deny, source, false);
            }
            if let Some(grant) = found.first() {
                return (Access::Allow, source, grant.confirms);
            }
        }
        // No principal is known, so none is the only one: the default is `opt-in` if nothing is configured.
        let default = self
            .servers
            .get(&tool.server)
            .copied()
            .or(self.general)
            .unwrap_or(DefaultAccess::OptIn);
        match default {
            DefaultAccess::OptIn => (Access::Deny, Source::DefaultPolicy, false),
            DefaultAccess::OptOut => (Access::Allow, Source::DefaultPolicy, false),
        }
    }
}

fn facts(name: &str, risk: &str) -> ToolFacts {
    parse::tool_facts(name, &Words::of(&format!("tool - risk={risk}")), &Tables::default(), &server(0))
}

/// Calls `each` for every possible question, with both answers.
fn every_question(policy: &Policy, mut each: impl FnMut(&Principal, &ToolId, Timestamp, policy::Decision)) {
    let trace = Trace::default();
    for now in [0, 4, 9, 10].map(Timestamp) {
        for principal in PRINCIPALS.map(Principal::named) {
            for (at, name) in SERVERS.iter().enumerate().flat_map(|(at, _)| TOOLS.map(|name| (at, name))) {
                let tool = ToolId {
                    server: server(at),
                    name: name.into(),
                };
                let action = Action::CallTool {
                    server: &tool.server,
                    tool: &tool.name,
                    arguments: None,
                };
                each(&principal, &tool, now, policy.decide(&Query::new(&principal, action, &trace, now)));
            }
        }
    }
}

#[test]
fn what_is_seen_of_a_server_changes_with_its_tools_and_not_with_those_of_others() {
    let mut edit = Policy::begin(Tables::default(), Revision(0));
    for at in 0..SERVERS.len() {
        edit.tools(&server(at), vec![facts("read", "safe")]);
    }
    let before = edit.finish();
    let mut edit = before.edit();
    edit.tools(&server(0), vec![facts("read", "safe"), facts("write", "safe")]);
    let after = edit.finish();
    let alice = Principal::named("alice");
    let viewer = after.viewer(&alice, None, Timestamp(0));
    let unchanged = [server(0), server(1)].map(|server| viewer.is_unchanged(&server, before.revision()));
    assert_eq!(unchanged, [false, true]);
    assert!(
        !Policy::allow_all()
            .viewer(&alice, None, Timestamp(0))
            .is_unchanged(&server(0), Revision(9))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn access_is_what_a_naive_reader_of_the_grants_says(steps in prop::collection::vec(steps(), 0..40)) {
        let mut naive = Naive::default();
        let mut edit = Policy::begin(Tables::default(), Revision(0));
        for at in 0..SERVERS.len() {
            edit.tools(&server(at), vec![facts("read", "safe"), facts("write", "dangerous")]);
        }
        let mut policy = edit.finish();
        for step in &steps {
            let before = policy.clone();
            naive.step(step);
            let mut edit = policy.edit();
            match step {
                Step::Grant(grant) => drop(edit.grant(grant.clone()).revision()),
                Step::Revoke(principal, scope) => drop(edit.revoke(principal, scope)),
                Step::Default(..) => drop(edit.tables(naive.tables()).revision()),
            }
            policy = edit.finish();
            // A decision that still stands is still the decision of the policy.
            every_question(&before, |principal, tool, now, decision| {
                let action = Action::CallTool { server: &tool.server, tool: &tool.name, arguments: None };
                let (was, is) = (before.viewer(principal, None, now), policy.viewer(principal, None, now));
                if is.is_unchanged(&tool.server, before.revision()) {
                    assert_eq!(was.is_visible(&tool.server, &tool.name), is.is_visible(&tool.server, &tool.name));
                    assert_eq!(was.is_server_visible(&tool.server), is.is_server_visible(&tool.server));
                }
                if policy.stands(&principal.id, None, &action, decision.revision) {
                    let again = policy.decide(&Query::new(principal, action, &Trace::default(), now));
                    assert_eq!((again.verdict, again.because), (decision.verdict, decision.because));
                }
            });
        }
        every_question(&policy, |principal, tool, now, decision| {
            let (access, source, confirms) = naive.access(&principal.id, tool, now);
            let standing = policy.access(&principal.id, &tool.server, Some(&tool.name), now);
            assert_eq!((standing.access, standing.source, standing.confirms()), (access, source, confirms));
            let dangerous = &*tool.name == "write";
            let verdict = match (access, dangerous && !confirms) {
                (Access::Deny, _) => policy::Verdict::Deny,
                (Access::Allow, true) => policy::Verdict::Wait(policy::Need::Confirmation),
                (Access::Allow, false) => policy::Verdict::Allow,
            };
            assert_eq!(decision.verdict, verdict, "{decision:?}");
            assert_eq!(policy.viewer(principal, None, now).is_visible(&tool.server, &tool.name), access == Access::Allow);
        });
        for principal in PRINCIPALS.map(PrincipalId::new) {
            let mut held: Vec<Grant> = policy.grants(&principal).map(|grant| Grant::clone(grant)).collect();
            let mut noted: Vec<Grant> = naive.grants.iter().filter(|grant| grant.principal == principal).cloned().collect();
            let order = |grant: &Grant| (grant.scope.clone(), grant.access == Access::Deny);
            held.sort_by_key(order);
            noted.sort_by_key(order);
            prop_assert_eq!(held, noted);
        }
    }
}
