//! The tables about security: who may do what, what is kept of it, and where.

use super::{KEY, Key, Kind, Section};

/// What holds where no grant speaks.
const ACCESS: Kind = Kind::Choice(&["opt-in", "opt-out"]);
/// How requests of servers for permissions are answered.
const PERMISSIONS: Kind = Kind::Choice(&["interactive", "auto_approve", "deny_all", "config_only"]);
/// What happens to tools of moderate risk.
const MODERATE: Kind = Kind::Choice(&["run", "confirm"]);
/// What happens to dangerous tools.
const DANGEROUS: Kind = Kind::Choice(&["confirm", "refuse"]);
/// What happens to changed tools.
const CHANGED: Kind = Kind::Choice(&["review", "refuse", "run"]);

/// `[policy]`
pub static POLICY: Section = Section {
    name: "policy",
    doc: "Who may do what. Without this table the only user of this machine may call every tool, dangerous ones after a confirmation; see [security](../operate/security.md). Where several files set the same key, the first file wins, key by key; grants of all files count.",
    keys: &[
        Key {
            name: "access",
            kind: ACCESS,
            example: "\"opt-in\"",
            doc: "What holds where no grant speaks: `opt-in` denies, `opt-out` allows. Default: `opt-out` as long as the local user is alone, `opt-in` from the second principal on.",
            also: &["default", "default_policy", "default_access"],
            ..KEY
        },
        Key {
            name: "permissions",
            kind: PERMISSIONS,
            default: Some("\"interactive\""),
            example: "\"config_only\"",
            doc: "How servers that ask for permissions are answered: a person is asked, everything is approved, nobody is asked and what was not approved beforehand is denied, or only `approved` in `[servers.policy]` counts.",
            also: &["permission_policy", "approval_policy"],
            ..KEY
        },
        Key {
            name: "moderate",
            kind: MODERATE,
            default: Some("\"run\""),
            example: "\"confirm\"",
            doc: "What happens to tools of moderate risk: they run, or a person confirms each call.",
            ..KEY
        },
        Key {
            name: "dangerous",
            kind: DANGEROUS,
            default: Some("\"confirm\""),
            example: "\"refuse\"",
            doc: "What happens to dangerous tools: a person confirms each call, or they are refused. A grant with `confirms` lets them run either way.",
            ..KEY
        },
        Key {
            name: "changed",
            kind: CHANGED,
            default: Some("\"review\""),
            example: "\"refuse\"",
            doc: "What happens to a tool whose name, description or schema is not the approved one any more: a person looks at it, it is refused, or it runs and only the audit tells.",
            also: &["on_change", "pinning", "drift"],
            ..KEY
        },
        Key {
            name: "approval_timeout",
            kind: Kind::Duration,
            default: Some("\"5m\""),
            example: "\"10m\"",
            doc: "How long a person has to decide about a call.",
            also: &["confirm_timeout", "approval_ttl"],
            ..KEY
        },
        Key {
            name: "approval_hold",
            kind: Kind::Duration,
            default: Some("\"20s\""),
            example: "\"1m\"",
            doc: "How long the call itself waits for an operator, where its own client can't ask anybody: then it is told to come back, and finds the decision. No longer than `approval_timeout`.",
            also: &["confirm_wait", "approval_wait"],
            ..KEY
        },
        Key {
            name: "underscored_tools",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "Whether lists name the gateway's own tools without dots (`mgp_access_query`), for providers of models that allow none. Both names can be called.",
            also: &["underscored", "underscore_names"],
            ..KEY
        },
        Key {
            name: "rates",
            kind: Kind::Table(&RATES),
            doc: "How many calls are let through.",
            also: &["rate_limits", "rate_limit", "limits", "ratelimit"],
            ..KEY
        },
        Key {
            name: "grants",
            kind: Kind::Tables(&GRANT),
            doc: "Who has access to what. Nobody can take these back but this file.",
            also: &["grant", "allow", "rules"],
            ..KEY
        },
    ],
};

/// `[policy.rates]`
pub static RATES: Section = Section {
    name: "policy.rates",
    doc: "How many calls are let through: `\"100/1m\"` is a hundred in a minute. All of them may come at once, then they come back evenly. What is beyond is refused with the time to wait. Without a key nothing is limited.",
    keys: &[
        Key {
            name: "principal",
            kind: Kind::Rate,
            example: "\"600/1m\"",
            doc: "Of each principal.",
            ..KEY
        },
        Key {
            name: "principals",
            kind: Kind::Rates,
            example: "{ ci = \"60/1m\" }",
            doc: "Of some principals, in place of that.",
            ..KEY
        },
        Key {
            name: "server",
            kind: Kind::Rate,
            example: "\"1000/1m\"",
            doc: "Of each server, whoever calls.",
            ..KEY
        },
        Key {
            name: "servers",
            kind: Kind::Rates,
            example: "{ tickets = \"30/1m\" }",
            doc: "Of some servers, in place of that.",
            ..KEY
        },
        Key {
            name: "tool",
            kind: Kind::Rate,
            example: "\"300/1m\"",
            doc: "Of each tool, whoever calls.",
            ..KEY
        },
        Key {
            name: "tools",
            kind: Kind::Rates,
            example: "{ \"tickets/create\" = \"5/1h\" }",
            doc: "Of some tools, as `server/tool`, in place of that.",
            ..KEY
        },
    ],
};

/// `[[policy.grants]]`
pub static GRANT: Section = Section {
    name: "policy.grants",
    doc: "One grant: a principal may, or may not, use a server or a tool. A grant of a tool beats one of its server, and `deny` beats `allow` at the same level.",
    keys: &[
        Key {
            name: "principal",
            kind: Kind::Text,
            example: "\"alice\"",
            doc: "Whom it is about: a name of `gateway.tokens`, the principal of a stored token, or `local`. Required.",
            also: &["agent", "agent_id", "user", "who"],
            ..KEY
        },
        Key {
            name: "server",
            kind: Kind::Id,
            example: "\"files\"",
            doc: "The server; `kernel` for the gateway's own tools. Required.",
            also: &["server_id"],
            ..KEY
        },
        Key {
            name: "tool",
            kind: Kind::Text,
            example: "\"read_file\"",
            doc: "The tool, by its own name. Without it, every tool of the server, and its prompts and resources.",
            also: &["tool_name"],
            ..KEY
        },
        Key {
            name: "access",
            kind: Kind::Choice(&["allow", "deny"]),
            default: Some("\"allow\""),
            example: "\"allow\"",
            doc: "Whether the principal may.",
            also: &["effect", "permission"],
            ..KEY
        },
        Key {
            name: "confirms",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "Whether the grant also stands for the confirmation that a dangerous tool needs: nobody is asked then.",
            also: &["confirmed", "always", "no_confirm"],
            ..KEY
        },
        Key {
            name: "expires",
            kind: Kind::Instant,
            example: "\"2099-12-31T23:59:59Z\"",
            doc: "From when on it no longer holds.",
            also: &["expires_at", "until"],
            ..KEY
        },
        Key {
            name: "justification",
            kind: Kind::Text,
            example: "\"reads the notes for the weekly report\"",
            doc: "Why; it stands in the audit.",
            also: &["reason", "comment", "why"],
            ..KEY
        },
    ],
};

/// `[audit]`
pub static AUDIT: Section = Section {
    name: "audit",
    doc: "What is kept of what happened, in the folder of the store. Every call is written down before it leaves the gateway.",
    keys: &[
        Key {
            name: "sync",
            kind: Kind::Choice(&["interval", "always"]),
            default: Some("\"interval\""),
            example: "\"always\"",
            doc: "When an event is safe from a power cut: within 50 ms, or before what it tells of goes on. From the death of the process it is safe at once, either way. Read at the start.",
            also: &["fsync", "durability"],
            ..KEY
        },
        Key {
            name: "retention",
            kind: Kind::Choice(&["keep_all", "time_based", "size_based", "tiered"]),
            default: Some("\"keep_all\""),
            example: "\"tiered\"",
            doc: "How long events are kept (MGP §19.4): for ever, for the time of `keep`, as many as `size` holds, or found by queries for `searchable` and then only kept for export and verification until `keep` is over. Whole segments go; the heads of their chains stay. Read at the start.",
            also: &["retention_policy"],
            ..KEY
        },
        Key {
            name: "keep",
            kind: Kind::Age,
            example: "\"365d\"",
            doc: "For how long, with `time_based` and `tiered`.",
            also: &["days", "max_age", "retention_days"],
            ..KEY
        },
        Key {
            name: "searchable",
            kind: Kind::Age,
            example: "\"30d\"",
            doc: "How long queries find them, with `tiered`.",
            also: &["hot"],
            ..KEY
        },
        Key {
            name: "size",
            kind: Kind::Size,
            example: "\"10GiB\"",
            doc: "How much, with `size_based`.",
            also: &["max_size", "megabytes"],
            ..KEY
        },
        Key {
            name: "redact",
            kind: Kind::Texts,
            default: Some("[]"),
            example: "[\"iban\", \"patient\"]",
            doc: "Words that name secrets, beside those that are known (`password`, `token`, `api_key` …): what stands under a key with such a word in its name is not written down.",
            also: &["secrets", "mask", "redaction"],
            ..KEY
        },
        Key {
            name: "alerts",
            kind: Kind::Tables(&ALERT),
            doc: "What raises an alert; at most 100, each with a name of its own.",
            also: &["alert", "rules"],
            ..KEY
        },
    ],
};

/// `[[audit.alerts]]`
pub static ALERT: Section = Section {
    name: "audit.alerts",
    doc: "One rule: when so many events of a type come within a time, an event `security.NAME` is raised. It is raised again only after as many have come anew.",
    keys: &[
        Key {
            name: "name",
            kind: Kind::Text,
            example: "\"denials\"",
            doc: "The last part of the type of the event that is raised: lower-case letters, digits and `_`. Required.",
            also: &["id"],
            ..KEY
        },
        Key {
            name: "event",
            kind: Kind::Text,
            example: "\"TOOL_BLOCKED\"",
            doc: "The type of the events that are counted, such as `TOOL_BLOCKED`. Required.",
            also: &["event_type", "type"],
            ..KEY
        },
        Key {
            name: "actor",
            kind: Kind::Text,
            example: "\"ci\"",
            doc: "Whose events are counted. Without it, those of each actor by themselves.",
            also: &["principal", "agent"],
            ..KEY
        },
        Key {
            name: "count",
            kind: Kind::Count,
            default: Some("10"),
            example: "10",
            doc: "How many; at most 10,000.",
            also: &["threshold"],
            ..KEY
        },
        Key {
            name: "window",
            kind: Kind::Duration,
            default: Some("\"1m\""),
            example: "\"1m\"",
            doc: "Within how much time.",
            also: &["within", "period"],
            ..KEY
        },
    ],
};

/// `[store]`
pub static STORE: Section = Section {
    name: "store",
    doc: "Where the gateway remembers tokens, grants, approvals and the audit. Read at the start.",
    keys: &[Key {
        name: "folder",
        kind: Kind::Template,
        example: "\"~/chancery/store\"",
        doc: "The folder; `~/` is the home directory, a relative path is relative to the file that names it. One gateway at a time. Default: a folder of its own for each set of configuration files, below the state directory.",
        also: &["path", "dir", "directory"],
        ..KEY
    }],
};

/// `[servers.policy]`
pub static SERVER_POLICY: Section = Section {
    name: "servers.policy",
    doc: "What is different from `[policy]` for one server, and what the arguments of its tools are judged by.",
    keys: &[
        Key {
            name: "access",
            kind: ACCESS,
            example: "\"opt-in\"",
            doc: "What holds where no grant speaks.",
            also: &["default", "default_policy"],
            ..KEY
        },
        Key {
            name: "permissions",
            kind: PERMISSIONS,
            example: "\"config_only\"",
            doc: "How its requests for permissions are answered.",
            also: &["permission_policy"],
            ..KEY
        },
        Key {
            name: "approved",
            kind: Kind::Permissions,
            default: Some("[]"),
            example: "[\"network.outbound\"]",
            doc: "The permissions that it has.",
            also: &["approved_permissions", "granted", "allow"],
            ..KEY
        },
        Key {
            name: "strict",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "Whether a single denied permission stops all tools that name none. Otherwise it takes the denial of all of them.",
            ..KEY
        },
        Key {
            name: "moderate",
            kind: MODERATE,
            example: "\"confirm\"",
            doc: "What happens to its tools of moderate risk.",
            ..KEY
        },
        Key {
            name: "dangerous",
            kind: DANGEROUS,
            example: "\"refuse\"",
            doc: "What happens to its dangerous tools.",
            ..KEY
        },
        Key {
            name: "changed",
            kind: CHANGED,
            example: "\"refuse\"",
            doc: "What happens to its changed tools.",
            ..KEY
        },
        Key {
            name: "roots",
            kind: Kind::Templates,
            default: Some("[]"),
            example: "[\"~/notes\"]",
            doc: "Where paths in arguments may lead, once a validator looks at them. `~/` is the home directory, a relative path is relative to the file that names it.",
            also: &["root", "paths", "directories"],
            ..KEY
        },
        Key {
            name: "hosts",
            kind: Kind::Texts,
            default: Some("[]"),
            example: "[\"localhost\"]",
            doc: "Hosts that `network_restricted` allows although they are not public, as they are written in a URL.",
            also: &["allow_hosts", "allowed_hosts", "network"],
            ..KEY
        },
        Key {
            name: "schemes",
            kind: Kind::Texts,
            default: Some("[]"),
            example: "[\"ftp\"]",
            doc: "Schemes that it allows besides `http` and `https`.",
            ..KEY
        },
        Key {
            name: "commands",
            kind: Kind::Texts,
            default: Some("[]"),
            example: "[\"terraform\"]",
            doc: "Commands that `sandbox` allows besides those it knows.",
            also: &["allow_commands", "allowed_commands"],
            ..KEY
        },
        Key {
            name: "dialect",
            kind: Kind::Choice(&[
                "generic",
                "postgresql",
                "mysql",
                "mssql",
                "sqlite",
                "bigquery",
                "snowflake",
                "duckdb",
                "clickhouse",
                "databricks",
                "hive",
                "redshift",
                "oracle",
            ]),
            example: "\"postgresql\"",
            doc: "The dialect of SQL that its statements are read in. Without it they have to be harmless in all.",
            also: &["sql_dialect", "sql"],
            ..KEY
        },
        Key {
            name: "validators",
            kind: Kind::Validators,
            example: "[\"sandbox:pipeline\", \"network_restricted\"]",
            doc: "What the arguments of all its tools are judged by, in place of what is inferred: `sandbox`, `readonly`, `network_restricted`, `code_safety`, `none`, a profile or level after a colon. What the server declares is added.",
            also: &["validator"],
            ..KEY
        },
    ],
};

/// `[servers.tools.NAME]`
pub static TOOL: Section = Section {
    name: "servers.tools",
    doc: "What you say of one tool, by its own name. A server can raise the risk above what you say, and not lower it.",
    keys: &[
        Key {
            name: "risk",
            kind: Kind::Choice(&["safe", "moderate", "dangerous"]),
            example: "\"safe\"",
            doc: "Its risk, in place of what is inferred.",
            also: &["risk_level", "level"],
            ..KEY
        },
        Key {
            name: "confirm",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "Whether a person confirms each call, whatever the risk.",
            also: &["confirmation_required", "ask"],
            ..KEY
        },
        Key {
            name: "validators",
            kind: Kind::Validators,
            example: "[\"readonly\"]",
            doc: "What its arguments are judged by, in place of the server's and of what is inferred.",
            also: &["validator"],
            ..KEY
        },
        Key {
            name: "only_reads",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "That it only reads, whatever it says itself: `readonly` then looks at its arguments only.",
            also: &["read_only", "readonly"],
            ..KEY
        },
        Key {
            name: "permissions",
            kind: Kind::Permissions,
            default: Some("[]"),
            example: "[\"filesystem.read\"]",
            doc: "Permissions that it needs in any case.",
            also: &["permissions_required"],
            ..KEY
        },
    ],
};
