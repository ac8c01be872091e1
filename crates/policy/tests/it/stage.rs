//! A policy with its approvals and limits, driven by lines of text: `alice call fs/read {}` and its results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Digest, GrantScope, Principal, RequestId, Timestamp, ToolId, Trace};
use policy::{
    Action, Answer, Approvals, Bounds, Call, Confirmed, Consent, Decision, Edit, Limits, Policy, Query, Resolved, Revision, Tables,
};

use crate::parse::{self, Words};

/// The policy of a transcript, with its approvals and limits.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) policy: Policy,
    tables: Tables,
    approvals: Approvals,
    limits: Limits,
    now: Timestamp,
    started: Instant,
    resolved: Vec<Resolved>,
    confirmed: Option<Confirmed>,
}

impl Stage {
    fn new() -> Self {
        Self {
            policy: Policy::begin(Tables::default(), Revision::default()).finish(),
            tables: Tables::default(),
            approvals: Approvals::new(Bounds {
                pending: 3,
                pending_each: 2,
                decided: 2,
            }),
            limits: Limits::default(),
            now: Timestamp(0),
            started: Instant::now(),
            resolved: Vec::new(),
            confirmed: None,
        }
    }

    /// Executes one line; returns its results.
    fn line(&mut self, line: &str) -> Vec<String> {
        let words = Words::of(line);
        match words.at(0) {
            "at" => self.now = Timestamp(words.number(1)),
            "know" => self.edit(|edit| {
                edit.know(&parse::principal(words.at(1)).id, parse::origin(words.at(2)));
            }),
            "tables" => {
                parse::tables(&mut self.tables, &words);
                self.put_tables();
            }
            "table" => {
                parse::table(&mut self.tables, &words);
                self.put_tables();
            }
            "token" => self.edit(|edit| {
                edit.token(parse::token(&words));
            }),
            "server" => self.edit(|edit| {
                edit.server(&parse::server(words.at(1)), parse::server_facts(&words));
            }),
            "tools" => {
                let id = parse::server(words.at(1));
                let tools = words
                    .list("are")
                    .iter()
                    .map(|name| parse::tool_facts(name, &words, &self.tables, &id))
                    .collect();
                self.edit(|edit| {
                    edit.tools(&id, tools);
                });
            }
            "tool" => self.tool(&words),
            "grant" => return self.grant(&words),
            "configured" => {
                let grants = line.trim_start_matches("configured").split(';').map(str::trim);
                let grants: Vec<_> = grants
                    .filter(|grant| !grant.is_empty())
                    .map(|grant| parse::grant(&Words::of(&format!("grant {grant}"))))
                    .collect();
                self.edit(|edit| {
                    edit.configure(&grants);
                });
            }
            "revoke" => {
                let mut taken = Vec::new();
                self.edit(|edit| taken = edit.revoke(&parse::principal(words.at(1)).id, &parse::scope(words.at(2))));
                return vec![format!("{} taken back", taken.len())];
            }
            "asked" => {
                let permission = model::Permission::new(words.at(2));
                self.edit(|edit| {
                    edit.ask_permission(&parse::server(words.at(1)), permission, RequestId::new(words.at(3)));
                });
            }
            "permission" => self.edit(|edit| {
                edit.permission(parse::permission(&words));
            }),
            "pin" => self.edit(|edit| {
                edit.pin(parse::pin(&words));
            }),
            "resolved" => self.resolved.push(parse::resolved(&words)),
            "over" => {
                let over = self.approvals.over(self.now);
                return over
                    .iter()
                    .map(|one| format!("{} {:?}", one.request, parse::state(&one.state)))
                    .collect();
            }
            _ => return self.action(&words),
        }
        Vec::new()
    }

    fn edit(&mut self, change: impl FnOnce(&mut Edit)) {
        let mut edit = self.policy.edit();
        change(&mut edit);
        self.policy = edit.finish();
    }

    fn put_tables(&mut self) {
        self.limits.set(self.tables.rates.clone());
        let tables = self.tables.clone();
        self.edit(|edit| {
            edit.tables(tables);
        });
    }

    /// Adds a tool, or replaces one.
    fn tool(&mut self, words: &Words<'_>) {
        let tool = parse::tool(words.at(1));
        let facts = parse::tool_facts(&tool.name, words, &self.tables, &tool.server);
        let others = self.policy.tools(&tool.server).filter(|other| other.name != tool.name);
        let list = others.map(|other| policy::ToolFacts::clone(other)).chain([facts]).collect();
        self.edit(|edit| {
            edit.tools(&tool.server, list);
        });
    }

    fn grant(&mut self, words: &Words<'_>) -> Vec<String> {
        let grant = parse::grant(words);
        if words.has("checked")
            && let Err(problem) = self.policy.check_grant(&grant, self.now)
        {
            return vec![format!("no: {problem}")];
        }
        self.edit(|edit| {
            edit.grant(grant);
        });
        Vec::new()
    }

    /// Executes an action: `alice call fs/read {}`.
    fn action(&mut self, words: &Words<'_>) -> Vec<String> {
        let (who, token) = parse::principal_and_token(words.at(0));
        let answer = match words.at(1) {
            "call" => {
                let (tool, arguments) = (parse::tool(words.at(2)), words.json());
                let with_consent = words.has("with-consent");
                shown(&self.call(&who, token, &tool, arguments, with_consent))
            }
            "asks" => self.asks(&who, words),
            "decides" => self.decides(&who, words),
            "redeems" => {
                let call = call_of(&who, &parse::tool(words.at(2)), words.json());
                match self.approvals.redeem(self.now, &self.policy, &call) {
                    Ok((confirmed, approval)) => {
                        self.confirmed = Some(confirmed);
                        format!("{} {}", approval.request, parse::state(&approval.state))
                    }
                    Err(why) => why.reason().map_or("nothing to redeem".to_owned(), |reason| reason.to_string()),
                }
            }
            "sees" => {
                let viewer = self.policy.viewer(&who, token, self.now);
                let sees = |name: &&str| match name.contains('/') {
                    true => viewer.is_visible(&parse::tool(name).server, &parse::tool(name).name),
                    false => viewer.is_server_visible(&parse::server(name)),
                };
                let seen: Vec<&str> = words.rest(2).into_iter().filter(sees).collect();
                if seen.is_empty() { "nothing".to_owned() } else { seen.join(" ") }
            }
            "access" => self.access(&who, words.at(2)),
            "arrives" | "leaves" => self.limited(&who, words),
            _ => {
                let (server, trace) = (parse::server(words.get(2).unwrap_or("gateway")), Trace::default());
                let action = parse::action(words, &server);
                shown(&self.policy.decide(&Query {
                    token,
                    ..Query::new(&who, action, &trace, self.now)
                }))
            }
        };
        vec![answer]
    }

    pub(crate) fn call(
        &self,
        who: &Principal,
        token: Option<&str>,
        tool: &ToolId,
        arguments: Option<&str>,
        with_consent: bool,
    ) -> Decision {
        let trace = Trace::default();
        let action = Action::CallTool {
            server: &tool.server,
            tool: &tool.name,
            arguments: arguments.map(str::as_bytes),
        };
        let digest = digest(arguments.unwrap_or_default());
        let consent = self.confirmed.as_ref().filter(|_| with_consent).map(|confirmed| Consent {
            confirmed,
            arguments: &digest,
        });
        self.policy.decide(&Query {
            token,
            resolved: &self.resolved,
            consent,
            ..Query::new(who, action, &trace, self.now)
        })
    }

    fn asks(&mut self, who: &Principal, words: &Words<'_>) -> String {
        let call = call_of(who, &parse::tool(words.at(3)), words.json());
        let lasts = words.value("for").expect("`for=`").parse().expect("milliseconds");
        match self.approvals.ask(self.now, &self.policy, RequestId::new(words.at(2)), call, lasts) {
            Ok(asked) => format!(
                "{} {}{}",
                asked.approval.request,
                parse::state(&asked.approval.state),
                if asked.is_new { "" } else { ", as before" }
            ),
            Err(full) => format!("no {} {}: {full}", full.code().expect("a code"), full.rule()),
        }
    }

    fn decides(&mut self, who: &Principal, words: &Words<'_>) -> String {
        let answer = match words.at(3) {
            "approve" => Answer::Approve,
            "deny" => Answer::Deny,
            "always" => Answer::Always {
                until: words.time("until"),
            },
            other => panic!("`{other}` is no answer"),
        };
        match self
            .approvals
            .decide(self.now, &RequestId::new(words.at(2)), answer, who.id.clone())
        {
            Ok(decided) => {
                let granted = decided.grant.map(|grant| {
                    let text = format!(", and grants {} to {}", parse::shown_scope(&grant.scope), grant.principal);
                    self.edit(|edit| {
                        edit.grant(grant);
                    });
                    text
                });
                format!("{}{}", parse::state(&decided.approval.state), granted.unwrap_or_default())
            }
            Err(why) => format!("no: {why}"),
        }
    }

    fn access(&self, who: &Principal, name: &str) -> String {
        let (server, tool) = match parse::scope(name) {
            GrantScope::Tool(tool) => (tool.server, Some(tool.name)),
            GrantScope::Server(server) => (server, None),
        };
        let standing = self.policy.access(&who.id, &server, tool.as_deref(), self.now);
        let by = standing.grant.as_ref().map(|grant| {
            let until = grant.expires.map(|at| format!(" until {}", at.0));
            format!(
                ", by {} at {}{}",
                grant.granted.principal,
                grant.granted.at.0,
                until.unwrap_or_default()
            )
        });
        format!("{:?} by {}{}", standing.access, standing.source.as_str(), by.unwrap_or_default()).to_lowercase()
    }

    fn limited(&mut self, who: &Principal, words: &Words<'_>) -> String {
        let at = self.started + Duration::from_millis(u64::try_from(self.now.0).expect("a time after the start"));
        let taken = match words.at(1) {
            "arrives" => self.limits.arrives(at, &who.id),
            _ => {
                let tool = parse::tool(words.at(2));
                self.limits.leaves(at, &tool.server, &tool.name)
            }
        };
        match taken {
            Ok(()) => "passes".to_owned(),
            Err(reason) => format!("no {} {}: {reason}", reason.code().expect("a code"), reason.rule()),
        }
    }
}

/// Formats a decision on one line: all that is machine-readable, then the sentence.
fn shown(decision: &Decision) -> String {
    let because = &decision.because;
    let code = because.code().map(|code| format!(" {code}")).unwrap_or_default();
    let retry = if because.is_retryable() { " retryable" } else { "" };
    let request = because.request().map(|request| format!(" [{request}]")).unwrap_or_default();
    format!("{}{code}{retry}{request} {}: {because}", decision.verdict, because.rule())
}

/// Returns a digest that stands for SHA-256 over canonical arguments, which the caller computes.
pub(crate) fn digest(text: &str) -> Digest {
    let mut digest = [0; 32];
    for (at, byte) in text.bytes().enumerate() {
        digest[at % 32] ^= byte.rotate_left(u32::try_from(at / 32 % 8).expect("less than eight"));
    }
    Digest(digest)
}

fn call_of(who: &Principal, tool: &ToolId, arguments: Option<&str>) -> Call {
    Call {
        principal: who.id.clone(),
        tool: ToolId {
            server: tool.server.clone(),
            name: Arc::clone(&tool.name),
        },
        arguments: digest(arguments.unwrap_or_default()),
    }
}

/// Runs a transcript: lines are executed, and lines that begin with `=` are the results of the line before.
pub(crate) fn run(transcript: &str) -> String {
    let mut stage = Stage::new();
    let mut out = String::new();
    for line in transcript.lines().filter(|line| !line.trim_start().starts_with('=')) {
        out.push_str(line);
        out.push('\n');
        if !line.trim().is_empty() && !line.starts_with('#') {
            for answer in stage.line(line) {
                out.push_str("  = ");
                out.push_str(&answer);
                out.push('\n');
            }
        }
    }
    out
}
