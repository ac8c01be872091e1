//! Parses the words of a transcript.

use std::sync::Arc;
use std::time::Duration;

use model::{
    Access, ApprovalState, By, Digest, Grant, GrantScope, Permission, PermissionAnswer, PermissionDecision, Pin, Principal, PrincipalId,
    RequestId, Risk, Role, ServerId, Timestamp, Token, ToolId,
};
use policy::{
    Action, Checks, DefaultAccess, OnChange, OnDangerous, OnModerate, Origin, PermissionPolicy, Rate, Resolved, ServerFacts, ServerTable,
    Tables, ToolFacts,
};
use validators::arguments::{Declaration, Facts, Slots, Validator};
use validators::path::Roots;

/// A line in words; JSON is one word, the last.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    words: Vec<&'a str>,
    json: Option<&'a str>,
}

impl<'a> Words<'a> {
    pub(crate) fn of(line: &'a str) -> Self {
        let (text, json) = match line.find('{') {
            Some(at) => (&line[..at], Some(line[at..].trim_end())),
            None => (line, None),
        };
        Self {
            words: text.split_whitespace().collect(),
            json,
        }
    }

    pub(crate) fn at(&self, at: usize) -> &'a str {
        self.get(at).unwrap_or_else(|| panic!("word {at} is missing: {self:?}"))
    }

    pub(crate) fn get(&self, at: usize) -> Option<&'a str> {
        self.words.get(at).copied()
    }

    pub(crate) fn rest(&self, from: usize) -> Vec<&'a str> {
        self.words[from..].to_vec()
    }

    pub(crate) fn json(&self) -> Option<&'a str> {
        self.json
    }

    pub(crate) fn number(&self, at: usize) -> i64 {
        self.at(at).parse().expect("a number")
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Returns the value of `name=`.
    pub(crate) fn value(&self, name: &str) -> Option<&'a str> {
        self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }

    pub(crate) fn list(&self, name: &str) -> Vec<&'a str> {
        self.value(name)
            .into_iter()
            .flat_map(|list| list.split(','))
            .filter(|one| !one.is_empty())
            .collect()
    }

    pub(crate) fn time(&self, name: &str) -> Option<Timestamp> {
        self.value(name).map(|time| Timestamp(time.parse().expect("a time")))
    }
}

pub(crate) fn server(id: &str) -> ServerId {
    ServerId::new(id).expect("an id")
}

pub(crate) fn tool(name: &str) -> ToolId {
    ToolId::parse(name).expect("`server/tool`")
}

pub(crate) fn scope(name: &str) -> GrantScope {
    GrantScope::parse(name).expect("`server` or `server/tool`")
}

pub(crate) fn shown_scope(scope: &GrantScope) -> String {
    match scope {
        GrantScope::Tool(tool) => tool.to_string(),
        GrantScope::Server(server) => server.to_string(),
    }
}

/// Parses `alice`, or `@root` for an operator.
pub(crate) fn principal(word: &str) -> Principal {
    Principal {
        id: PrincipalId::new(word.trim_start_matches('@')),
        role: if word.starts_with('@') { Role::Operator } else { Role::Agent },
    }
}

/// Parses `alice`, or `alice:t1` for one that was authenticated with a token.
pub(crate) fn principal_and_token(word: &str) -> (Principal, Option<&str>) {
    match word.split_once(':') {
        Some((name, token)) => (principal(name), Some(token)),
        None => (principal(word), None),
    }
}

pub(crate) fn origin(word: &str) -> Origin {
    match word {
        "local" => Origin::Local,
        "remote" => Origin::Remote,
        other => panic!("`{other}` is no origin"),
    }
}

fn by(name: &str) -> By {
    By {
        principal: PrincipalId::new(name),
        at: Timestamp(0),
    }
}

pub(crate) fn token(words: &Words<'_>) -> Token {
    let mut digest = [0; 32];
    digest[..words.at(1).len()].copy_from_slice(words.at(1).as_bytes());
    let holder = principal(words.at(2));
    Token {
        id: words.at(1).into(),
        digest: Digest(digest),
        principal: holder.id,
        role: holder.role,
        scopes: words.list("scopes").into_iter().map(server).collect(),
        created: by("root"),
        expires: words.time("until"),
        revoked: words.has("revoked").then(|| by("root")),
    }
}

pub(crate) fn grant(words: &Words<'_>) -> Grant {
    Grant {
        principal: principal(words.at(1)).id,
        scope: scope(words.at(2)),
        access: if words.has("deny") { Access::Deny } else { Access::Allow },
        confirms: words.has("confirms"),
        granted: by("root"),
        expires: words.time("until"),
        justification: None,
    }
}

pub(crate) fn permission(words: &Words<'_>) -> PermissionDecision {
    PermissionDecision {
        request: RequestId::new(words.value("request").unwrap_or("p-0")),
        server: server(words.at(1)),
        permission: Permission::new(words.at(2)),
        answer: match words.at(3) {
            "approved" => PermissionAnswer::Approved,
            "denied" => PermissionAnswer::Denied,
            "deferred" => PermissionAnswer::Deferred,
            other => panic!("`{other}` is no answer"),
        },
        decided: by("root"),
        expires: words.time("until"),
    }
}

pub(crate) fn pin(words: &Words<'_>) -> Pin {
    Pin {
        tool: tool(words.at(1)),
        digest: definition(words.at(2)),
        pinned: by("root"),
    }
}

fn definition(word: &str) -> Digest {
    Digest([word.parse().expect("a small number"); 32])
}

fn permissions(list: Vec<&str>) -> Vec<Permission> {
    list.into_iter().map(Permission::new).collect()
}

pub(crate) fn server_facts(words: &Words<'_>) -> ServerFacts {
    ServerFacts {
        permissions: permissions(words.list("wants")),
    }
}

fn risk(word: &str) -> Risk {
    match word {
        "safe" => Risk::Safe,
        "moderate" => Risk::Moderate,
        "dangerous" => Risk::Dangerous,
        other => panic!("`{other}` is no risk"),
    }
}

pub(crate) fn tool_facts(name: &str, words: &Words<'_>, tables: &Tables, server: &ServerId) -> ToolFacts {
    let properties = words
        .list("args")
        .into_iter()
        .map(|arg| (arg.to_owned(), serde_json::json!({ "type": "string" })));
    let properties: serde_json::Map<String, serde_json::Value> = properties.collect();
    let slots = Slots::infer(name, "", &serde_json::json!({ "properties": properties }));
    let declaration = match words.value("validator") {
        Some(validator) => Declaration::read(&serde_json::json!({ "validator": validator })),
        None => Declaration::default(),
    };
    let risk = words.value("risk").map_or(Risk::Safe, risk);
    let facts = Facts {
        safe: risk == Risk::Safe,
        side_effects: words.has("side-effects"),
        read_only: words.value("read-only").map(|hint| hint == "true"),
    };
    ToolFacts {
        name: name.into(),
        risk,
        confirm: words.has("confirm"),
        role: if words.has("operator") { Role::Operator } else { Role::Agent },
        permissions: permissions(words.list("needs")),
        digest: definition(words.value("digest").unwrap_or("0")),
        checks: Arc::new(Checks::of_tool(name, slots, declaration, facts, tables.server(server))),
    }
}

pub(crate) fn resolved(words: &Words<'_>) -> Resolved {
    Resolved {
        name: words.at(1).to_owned(),
        addresses: words.rest(2).iter().map(|address| address.parse().expect("an address")).collect(),
    }
}

// === tables ===

pub(crate) fn tables(tables: &mut Tables, words: &Words<'_>) {
    if words.value("access").is_some() {
        tables.access = access(words);
    }
    tables.permissions = permission_policy(words).unwrap_or(tables.permissions);
    tables.moderate = on_moderate(words).unwrap_or(tables.moderate);
    tables.dangerous = on_dangerous(words).unwrap_or(tables.dangerous);
    tables.changed = on_change(words).unwrap_or(tables.changed);
    tables.rates.principal = rate(words, "principal").or(tables.rates.principal);
    tables.rates.server = rate(words, "server").or(tables.rates.server);
    tables.rates.tool = rate(words, "tool").or(tables.rates.tool);
    if let (Some(of), Some(rate)) = (words.value("of"), rate(words, "rate")) {
        match scope(of) {
            GrantScope::Server(server) => drop(tables.rates.servers.insert(server, rate)),
            GrantScope::Tool(tool) => drop(tables.rates.tools.entry(tool.server).or_default().insert(tool.name, rate)),
        }
    }
    if let (Some(of), Some(rate)) = (words.value("of-principal"), rate(words, "rate")) {
        tables.rates.principals.insert(PrincipalId::new(of), rate);
    }
}

pub(crate) fn table(tables: &mut Tables, words: &Words<'_>) {
    let scope = scope(words.at(1));
    let id = match &scope {
        GrantScope::Server(id) | GrantScope::Tool(ToolId { server: id, .. }) => id,
    };
    let table: &mut ServerTable = tables.servers.entry(id.clone()).or_default();
    let validators = words.value("validators").map(|_| {
        let list = words.list("validators").into_iter();
        list.map(|name| Validator::parse(name).expect("a validator")).collect()
    });
    if let GrantScope::Tool(tool) = &scope {
        let own = table.tools.entry(tool.name.clone()).or_default();
        own.validators = validators.or(own.validators.take());
        own.only_reads |= words.has("only-reads");
        return;
    }
    table.validators = validators.or(table.validators.take());
    table.access = access(words).or(table.access);
    table.strict |= words.has("strict");
    table.permissions = permission_policy(words).or(table.permissions);
    table.moderate = on_moderate(words).or(table.moderate);
    table.dangerous = on_dangerous(words).or(table.dangerous);
    table.changed = on_change(words).or(table.changed);
    table.approved.extend(permissions(words.list("approved")));
    if words.value("roots").is_some() {
        table.roots = Roots::new(words.list("roots")).expect("absolute paths");
    }
}

fn access(words: &Words<'_>) -> Option<DefaultAccess> {
    words.value("access").and_then(|word| match word {
        "opt-in" => Some(DefaultAccess::OptIn),
        "opt-out" => Some(DefaultAccess::OptOut),
        _ => None,
    })
}

fn permission_policy(words: &Words<'_>) -> Option<PermissionPolicy> {
    let all = [
        PermissionPolicy::Interactive,
        PermissionPolicy::AutoApprove,
        PermissionPolicy::DenyAll,
        PermissionPolicy::ConfigOnly,
    ];
    words.value("permissions").map(|word| {
        let found = all.into_iter().find(|policy| policy.as_str() == word);
        found.unwrap_or_else(|| panic!("`{word}` is no policy"))
    })
}

fn on_moderate(words: &Words<'_>) -> Option<OnModerate> {
    words.value("moderate").map(|word| match word {
        "run" => OnModerate::Run,
        "confirm" => OnModerate::Confirm,
        other => panic!("`{other}` can't happen to a tool of moderate risk"),
    })
}

fn on_dangerous(words: &Words<'_>) -> Option<OnDangerous> {
    words.value("dangerous").map(|word| match word {
        "confirm" => OnDangerous::Confirm,
        "refuse" => OnDangerous::Refuse,
        other => panic!("`{other}` can't happen to a dangerous tool"),
    })
}

fn on_change(words: &Words<'_>) -> Option<OnChange> {
    words.value("changed").map(|word| match word {
        "review" => OnChange::Review,
        "refuse" => OnChange::Refuse,
        "run" => OnChange::Run,
        other => panic!("`{other}` can't happen to a changed tool"),
    })
}

/// Parses `name=3/1000`: three calls in a second.
fn rate(words: &Words<'_>, name: &str) -> Option<Rate> {
    let (calls, per) = words.value(name)?.split_once('/').expect("`calls/milliseconds`");
    Some(Rate {
        calls: calls.parse().expect("a number"),
        per: Duration::from_millis(per.parse().expect("milliseconds")),
    })
}

// === actions ===

pub(crate) fn action<'a>(words: &Words<'a>, server: &'a ServerId) -> Action<'a> {
    let last = || words.at(3);
    match words.at(1) {
        "prompt" => Action::GetPrompt { server, prompt: last() },
        "read" => Action::ReadResource { server, uri: last() },
        "subscribe" => Action::Subscribe { server, uri: last() },
        "complete" => Action::Complete { server, reference: last() },
        "task" => Action::UseTask { server, task: last() },
        "extension" => Action::Extension { server, method: last() },
        "notify" => Action::Notify { server, method: last() },
        "asked-by" => Action::Ask { server, method: last() },
        "log-level" => Action::SetLogLevel,
        "operate" => Action::Operate { what: words.at(2) },
        other => panic!("nobody can `{other}`"),
    }
}

pub(crate) fn state(state: &ApprovalState) -> String {
    match state {
        ApprovalState::Pending => "pending".to_owned(),
        ApprovalState::Approved(by) => format!("approved by {}", by.principal),
        ApprovalState::Denied(by) => format!("denied by {}", by.principal),
        ApprovalState::Used(by) => format!("used by {}", by.principal),
    }
}
