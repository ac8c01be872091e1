//! A policy with many principals and grants, and questions about it.

use std::sync::Arc;

use model::{
    Access, By, Digest, Grant, GrantScope, Permission, PermissionAnswer, PermissionDecision, Pin, Principal, PrincipalId, RequestId, Risk,
    Role, ServerId, Timestamp, Token, ToolId, Trace,
};
use policy::{Action, Call, Checks, Decision, Policy, Query, Revision, ServerFacts, Tables, ToolFacts};

pub(crate) const PRINCIPALS: usize = 10_000;
pub(crate) const GRANTS: usize = 100_000;
pub(crate) const SERVERS: usize = 50;
pub(crate) const TOOLS: usize = 200;

const NOW: Timestamp = Timestamp(1_000_000);

/// A pseudo-random number generator (splitmix64), whose numbers depend on the seed alone.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % most as u64).expect("less than a length")
    }
}

/// The kind of a question.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Granted,
    Anything,
    Token,
    Dangerous,
}

/// A policy with its principals and tools.
pub(crate) struct Gateway {
    pub(crate) policy: Policy,
    granted: Vec<(PrincipalId, ToolId)>,
}

/// One question, ready to be asked.
pub(crate) struct Question {
    pub(crate) principal: Principal,
    pub(crate) tool: ToolId,
    token: Option<String>,
    trace: Trace,
    revision: Revision,
}

impl Gateway {
    pub(crate) fn build(random: &mut Random) -> Self {
        let mut edit = Policy::begin(Tables::default(), Revision(0));
        for at in 0..SERVERS {
            let id = server(at);
            let wanted = ["network.outbound", "filesystem.read"].map(Permission::new);
            edit.server(
                &id,
                ServerFacts {
                    permissions: wanted.to_vec(),
                },
            );
            edit.tools(&id, (0..TOOLS).map(tool_facts).collect());
            for permission in wanted {
                edit.permission(approved(&id, permission));
            }
            for at in 0..TOOLS {
                edit.pin(Pin {
                    tool: ToolId {
                        server: id.clone(),
                        name: name(at),
                    },
                    digest: Digest([0; 32]),
                    pinned: by(),
                });
            }
        }
        for at in 0..PRINCIPALS {
            edit.token(token(at));
        }
        let mut granted = Vec::new();
        for _ in 0..GRANTS {
            let grant = grant(random);
            if let (GrantScope::Tool(tool), Access::Allow) = (&grant.scope, grant.access) {
                granted.push((grant.principal.clone(), tool.clone()));
            }
            edit.grant(grant);
        }
        Self {
            policy: edit.finish(),
            granted,
        }
    }

    pub(crate) fn questions(&self, random: &mut Random, count: usize, kind: Kind) -> Vec<Question> {
        let question = |_| {
            let number = random.below(PRINCIPALS);
            let any = ToolId {
                server: server(random.below(SERVERS)),
                name: name(random.below(TOOLS)),
            };
            let (id, tool) = match kind {
                Kind::Granted => self.granted[random.below(self.granted.len())].clone(),
                Kind::Anything | Kind::Token => (principal(number), any),
                Kind::Dangerous => {
                    let (id, tool) = self.granted[random.below(self.granted.len())].clone();
                    // The last of every ten is dangerous.
                    (id, ToolId { name: name(9), ..tool })
                }
            };
            Question {
                principal: Principal { id, role: Role::Agent },
                tool,
                token: (kind == Kind::Token).then(|| format!("t{number}")),
                trace: Trace::default(),
                revision: self.policy.revision(),
            }
        };
        (0..count).map(question).collect()
    }

    pub(crate) fn grants(&self, random: &mut Random, count: usize) -> Vec<Grant> {
        (0..count).map(|_| grant(random)).collect()
    }

    /// Returns how many of the first tools of all servers a principal sees.
    pub(crate) fn visible(&self, question: &Question, count: usize) -> usize {
        let viewer = self.policy.viewer(&question.principal, None, NOW);
        let tools = (0..SERVERS).flat_map(|at| self.policy.tools(&server(at)).map(move |facts| (at, facts)));
        tools
            .take(count)
            .filter(|(at, facts)| viewer.is_visible(&server(*at), &facts.name))
            .count()
    }
}

impl Question {
    pub(crate) fn decide(&self, policy: &Policy) -> Decision {
        policy.decide(&Query {
            token: self.token.as_deref(),
            ..Query::new(&self.principal, self.action(), &self.trace, NOW)
        })
    }

    pub(crate) fn stands(&self, policy: &Policy) -> bool {
        policy.stands(&self.principal.id, None, &self.action(), self.revision)
    }

    pub(crate) fn as_call(&self) -> Call {
        Call {
            principal: self.principal.id.clone(),
            tool: self.tool.clone(),
            arguments: Digest([1; 32]),
        }
    }

    fn action(&self) -> Action<'_> {
        Action::CallTool {
            server: &self.tool.server,
            tool: &self.tool.name,
            arguments: Some(b"{\"path\":\"notes/today.txt\"}"),
        }
    }
}

fn principal(at: usize) -> PrincipalId {
    PrincipalId::new(&format!("agent-{at}@example.org"))
}

fn server(at: usize) -> ServerId {
    ServerId::new(&format!("server-{at}")).expect("an id")
}

fn name(at: usize) -> Arc<str> {
    format!("some_tool_number_{at}").into()
}

fn by() -> By {
    By {
        principal: PrincipalId::new("root"),
        at: Timestamp(0),
    }
}

/// Returns the facts about a tool. One in ten is dangerous; none has arguments to judge, which `cargo xtask bench validators` measures.
fn tool_facts(at: usize) -> ToolFacts {
    ToolFacts {
        name: name(at),
        risk: if at % 10 == 9 { Risk::Dangerous } else { Risk::Moderate },
        confirm: false,
        role: Role::Agent,
        permissions: if at.is_multiple_of(2) {
            vec![Permission::new("network.outbound")]
        } else {
            Vec::new()
        },
        digest: Digest([0; 32]),
        checks: Arc::new(Checks::default()),
    }
}

fn approved(server: &ServerId, permission: Permission) -> PermissionDecision {
    PermissionDecision {
        request: RequestId::new("p-1"),
        server: server.clone(),
        permission,
        answer: PermissionAnswer::Approved,
        decided: by(),
        expires: None,
    }
}

fn token(at: usize) -> Token {
    let mut digest = [0; 32];
    digest[..8].copy_from_slice(&at.to_le_bytes());
    Token {
        id: format!("t{at}").into(),
        digest: Digest(digest),
        principal: principal(at),
        role: Role::Agent,
        scopes: Vec::new(),
        created: by(),
        expires: Some(Timestamp(i64::MAX)),
        revoked: None,
    }
}

/// Returns a random grant: mostly of a tool, mostly allowing, a third of them expired or soon to expire.
fn grant(random: &mut Random) -> Grant {
    let server = server(random.below(SERVERS));
    let scope = match random.below(10) {
        0 => GrantScope::Server(server),
        _ => GrantScope::Tool(ToolId {
            server,
            name: name(random.below(TOOLS)),
        }),
    };
    Grant {
        principal: principal(random.below(PRINCIPALS)),
        scope,
        access: if random.below(10) == 0 { Access::Deny } else { Access::Allow },
        confirms: random.below(4) == 0,
        granted: by(),
        expires: (random.below(3) == 0).then(|| Timestamp(i64::try_from(random.below(2_000_000)).expect("a small number"))),
        justification: Some("asked for in the usual way".into()),
    }
}
