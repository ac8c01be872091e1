//! The schema: every key with its type, default and meaning, once, for the reader, its suggestions, the reference and the JSON schema.

mod policy;

pub use policy::{ALERT, AUDIT, GRANT, POLICY, RATES, SERVER_POLICY, STORE, TOOL};

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A string.
    Text,
    /// A string in which `${VAR}` and `${VAR:-default}` are replaced.
    Template,
    /// `true` or `false`.
    Flag,
    /// A time with its unit: `"500ms"`, `"30s"`, `"5m"`, `"1h"`. Never zero.
    Duration,
    /// The same, as long as a century: how long something is kept.
    Age,
    /// An instant, as RFC 3339 writes it, with its offset.
    Instant,
    /// So many in so much time: `"100/1m"`.
    Rate,
    /// A table of those.
    Rates,
    /// A list of permissions (MGP §3.2).
    Permissions,
    /// A list of validators (MGP §4.5).
    Validators,
    /// A number of bytes: `4096`, `"64KiB"`, `"16MiB"`. Never zero.
    Size,
    /// A whole number, at least 1.
    Count,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An address and a port to listen on.
    Address,
    /// The id of a server.
    Id,
    /// A list of strings.
    Texts,
    /// A list of strings in which `${VAR}` is replaced.
    Templates,
    /// A list of names; a trailing `*` matches any rest.
    Patterns,
    /// A table of strings in which `${VAR}` is replaced.
    TemplateMap,
    /// A table of its own.
    Table(&'static Section),
    /// A list of tables.
    Tables(&'static Section),
    /// A table of tables, by names of the user's own.
    TableMap(&'static Section),
}

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// The value it has when it isn't given, as TOML; `None`: there is none.
    pub default: Option<&'static str>,
    /// An example value, as TOML.
    pub example: &'static str,
    /// What it means, in sentences.
    pub doc: &'static str,
    /// Other names under which people look for it (of other gateways and clients); they lead to a suggestion.
    pub also: &'static [&'static str],
    /// Whether its value may be, or hold, a secret.
    pub secret: bool,
}

/// One table.
#[derive(Debug)]
pub struct Section {
    /// How its header is written, without brackets: `gateway.limits`.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its keys, in the order of the reference.
    pub keys: &'static [Key],
}

impl Section {
    /// The key of that name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The header as it stands in a file.
    #[must_use]
    pub fn header(&self) -> String {
        match self.name {
            "" => "this file".to_owned(),
            "servers" | "policy.grants" | "audit.alerts" => format!("[[{}]]", self.name),
            "servers.tools" => "[servers.tools.NAME]".to_owned(),
            name => format!("[{name}]"),
        }
    }
}

/// Every table, parents first.
pub const SECTIONS: [&Section; 14] = [
    &ROOT,
    &GATEWAY,
    &TLS,
    &LIMITS,
    &POLICY,
    &RATES,
    &GRANT,
    &AUDIT,
    &ALERT,
    &STORE,
    &SERVER,
    &MGP,
    &SERVER_POLICY,
    &TOOL,
];

/// What most keys are: optional, without a default, not secret.
const KEY: Key = Key {
    name: "",
    kind: Kind::Text,
    default: None,
    example: "",
    doc: "",
    also: &[],
    secret: false,
};

/// The whole file.
pub static ROOT: Section = Section {
    name: "",
    doc: "A configuration file holds the tables `[gateway]`, `[policy]`, `[audit]` and `[store]`, each at most once, and any number of `[[servers]]`.",
    keys: &[
        Key {
            name: "gateway",
            kind: Kind::Table(&GATEWAY),
            doc: "How the gateway itself behaves.",
            also: &["proxy", "chancery"],
            ..KEY
        },
        Key {
            name: "policy",
            kind: Kind::Table(&POLICY),
            doc: "Who may do what.",
            also: &["security", "access", "permissions", "acl"],
            ..KEY
        },
        Key {
            name: "audit",
            kind: Kind::Table(&AUDIT),
            doc: "What is kept of what happened.",
            also: &["audit_log"],
            ..KEY
        },
        Key {
            name: "store",
            kind: Kind::Table(&STORE),
            doc: "Where the gateway remembers.",
            also: &["storage", "database", "state"],
            ..KEY
        },
        Key {
            name: "servers",
            kind: Kind::Tables(&SERVER),
            doc: "The MCP servers behind the gateway.",
            also: &["server", "mcp_servers", "mcpServers", "upstreams", "backends"],
            ..KEY
        },
    ],
};

/// `[gateway]`
pub static GATEWAY: Section = Section {
    name: "gateway",
    doc: "How the gateway itself behaves: where it listens, who may connect, how long it waits. Where several files set the same key, the first file wins, key by key.",
    keys: &[
        Key {
            name: "listen",
            kind: Kind::Address,
            default: Some("\"127.0.0.1:8717\""),
            example: "\"127.0.0.1:8717\"",
            doc: "Where `chancery serve` listens. Port 0 takes a free one. An address that other machines can reach is refused unless a token is set, or `insecure_bind`.",
            also: &["address", "bind", "host", "port", "addr"],
            ..KEY
        },
        Key {
            name: "tls",
            kind: Kind::Table(&TLS),
            doc: "Serve HTTPS.",
            also: &["ssl", "https"],
            ..KEY
        },
        Key {
            name: "token",
            kind: Kind::Template,
            example: "\"${CHANCERY_TOKEN}\"",
            doc: "The bearer token that every HTTP client must send; its bearer is the local user. Without `token`, `tokens` and tokens of `chancery token create`, loopback clients need none.",
            also: &["bearer", "bearer_token", "auth_token", "api_key"],
            secret: true,
            ..KEY
        },
        Key {
            name: "tokens",
            kind: Kind::TemplateMap,
            example: "{ alice = \"${ALICE_TOKEN}\", ci = \"${CI_TOKEN}\" }",
            doc: "Bearer tokens of several principals, by the principal's name. Sessions and servers' processes are kept apart by principal.",
            also: &["bearer_tokens", "users", "clients"],
            secret: true,
            ..KEY
        },
        Key {
            name: "anonymous",
            kind: Kind::Choice(&["without-tokens", "loopback", "never"]),
            default: Some("\"without-tokens\""),
            example: "\"never\"",
            doc: "Who is let in without a token, as the local user: everybody on loopback as long as nobody has a token, everybody on loopback, or nobody. With `never`, tokens of `chancery token create` are enough to listen anywhere.",
            also: &["allow_anonymous", "unauthenticated"],
            ..KEY
        },
        Key {
            name: "allowed_hosts",
            kind: Kind::Texts,
            default: Some("[]"),
            example: "[\"mcp.example.com\"]",
            doc: "Values of `Host` that are accepted besides the loopback names and the address listened on, with or without a port.",
            also: &["hosts", "trusted_hosts"],
            ..KEY
        },
        Key {
            name: "allowed_origins",
            kind: Kind::Texts,
            default: Some("[]"),
            example: "[\"https://app.example.com\"]",
            doc: "Values of `Origin` that are accepted besides loopback origins; a page of any other origin is refused.",
            also: &["origins", "cors", "cors_origins"],
            ..KEY
        },
        Key {
            name: "sse",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "Also serve the HTTP+SSE transport of 2024-11-05, at `/sse` and `/messages`, for clients that know no other.",
            ..KEY
        },
        Key {
            name: "insecure_bind",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "Allow listening beyond loopback without any token. Everybody who can reach the port can then use every tool.",
            also: &["allow_remote", "insecure"],
            ..KEY
        },
        Key {
            name: "startup_wait",
            kind: Kind::Duration,
            default: Some("\"2s\""),
            example: "\"2s\"",
            doc: "How long the first list waits for servers that were never seen before. What is missing after that is named in the answer and follows with `list_changed`.",
            ..KEY
        },
        Key {
            name: "request_timeout",
            kind: Kind::Duration,
            default: Some("\"5m\""),
            example: "\"5m\"",
            doc: "How long a request to a server may take without a sign of life (an answer or progress). A server can set its own.",
            also: &["timeout", "tool_timeout"],
            ..KEY
        },
        Key {
            name: "startup_timeout",
            kind: Kind::Duration,
            default: Some("\"60s\""),
            example: "\"60s\"",
            doc: "How long a server may take to start and shake hands. A server can set its own.",
            also: &["connect_timeout", "init_timeout"],
            ..KEY
        },
        Key {
            name: "log_level",
            kind: Kind::Text,
            default: Some("\"info\""),
            example: "\"info,transport=debug\"",
            doc: "What is logged to stderr: `error`, `warn`, `info`, `debug`, `trace`, or a list such as `info,transport=debug`. `--log-level` wins.",
            also: &["log", "loglevel", "verbosity"],
            ..KEY
        },
        Key {
            name: "log_format",
            kind: Kind::Choice(&["text", "json"]),
            default: Some("\"text\""),
            example: "\"json\"",
            doc: "How the log is written. `--log-format` wins.",
            ..KEY
        },
        Key {
            name: "limits",
            kind: Kind::Table(&LIMITS),
            doc: "What one client, or all of them, may take.",
            ..KEY
        },
    ],
};

/// `[gateway.tls]`
pub static TLS: Section = Section {
    name: "gateway.tls",
    doc: "The certificate to serve HTTPS with. Relative paths are relative to the file that names them; `~/` is the home directory.",
    keys: &[
        Key {
            name: "cert",
            kind: Kind::Text,
            example: "\"cert.pem\"",
            doc: "The certificate chain, PEM. Required.",
            also: &["certificate", "cert_file", "chain"],
            ..KEY
        },
        Key {
            name: "key",
            kind: Kind::Text,
            example: "\"key.pem\"",
            doc: "The file with its private key, PEM. Required.",
            also: &["private_key", "key_file"],
            ..KEY
        },
    ],
};

/// `[gateway.limits]`
pub static LIMITS: Section = Section {
    name: "gateway.limits",
    doc: "What one client, or all of them, may take. What goes beyond is answered with an error, never queued.",
    keys: &[
        Key {
            name: "body",
            kind: Kind::Size,
            default: Some("\"16MiB\""),
            example: "\"16MiB\"",
            doc: "The largest message, in either direction and on every transport.",
            also: &["message", "message_size", "max_body", "body_size"],
            ..KEY
        },
        Key {
            name: "depth",
            kind: Kind::Count,
            default: Some("128"),
            example: "128",
            doc: "How deeply the JSON of a message may be nested.",
            ..KEY
        },
        Key {
            name: "headers",
            kind: Kind::Size,
            default: Some("\"64KiB\""),
            example: "\"64KiB\"",
            doc: "The largest head of an HTTP request.",
            also: &["header_size"],
            ..KEY
        },
        Key {
            name: "connections",
            kind: Kind::Count,
            default: Some("1024"),
            example: "1024",
            doc: "Open HTTP connections of all clients together.",
            also: &["max_connections"],
            ..KEY
        },
        Key {
            name: "sessions",
            kind: Kind::Count,
            default: Some("200000"),
            example: "10000",
            doc: "Open sessions of all clients together.",
            also: &["max_sessions"],
            ..KEY
        },
        Key {
            name: "streams",
            kind: Kind::Count,
            default: Some("4096"),
            example: "4096",
            doc: "Open event streams of all clients together.",
            also: &["max_streams"],
            ..KEY
        },
        Key {
            name: "in_flight",
            kind: Kind::Count,
            default: Some("1024"),
            example: "1024",
            doc: "Requests of one session, or of one pipe, that may be unanswered at the same time.",
            also: &["max_in_flight", "requests", "concurrency"],
            ..KEY
        },
        Key {
            name: "idle",
            kind: Kind::Duration,
            default: Some("\"2m\""),
            example: "\"2m\"",
            doc: "How long an HTTP connection without a request in flight stays open.",
            also: &["idle_timeout", "keep_alive"],
            ..KEY
        },
        Key {
            name: "session_idle",
            kind: Kind::Duration,
            default: Some("\"30m\""),
            example: "\"1h\"",
            doc: "How long a session without a request or an open stream is remembered.",
            also: &["session_timeout"],
            ..KEY
        },
    ],
};

/// `[[servers]]`
pub static SERVER: Section = Section {
    name: "servers",
    doc: "One MCP server: either a program (`command`) or an address (`url`). Where several files name the same `id`, the first file wins.",
    keys: &[
        Key {
            name: "id",
            kind: Kind::Id,
            example: "\"files\"",
            doc: "Its name: 1 to 64 letters, digits, `-`, `_` and `.`, without `__`. Required.",
            also: &["name"],
            ..KEY
        },
        Key {
            name: "command",
            kind: Kind::Template,
            example: "\"npx\"",
            doc: "The program to run; it speaks MCP on its stdin and stdout. `~/` is the home directory.",
            also: &["cmd", "program", "exec", "path"],
            ..KEY
        },
        Key {
            name: "args",
            kind: Kind::Templates,
            default: Some("[]"),
            example: "[\"-y\", \"@modelcontextprotocol/server-filesystem\", \"/srv\"]",
            doc: "Its arguments.",
            also: &["arguments", "argv"],
            ..KEY
        },
        Key {
            name: "env",
            kind: Kind::TemplateMap,
            example: "{ API_KEY = \"${API_KEY}\" }",
            doc: "Variables for the program, on top of a few harmless ones (`PATH`, `HOME`, `LANG` …) that it inherits.",
            also: &["environment", "envs", "vars"],
            secret: true,
            ..KEY
        },
        Key {
            name: "cwd",
            kind: Kind::Template,
            example: "\"~/project\"",
            doc: "The directory to run it in; a relative one is relative to the file that names it. Without it, the gateway's own.",
            also: &["dir", "directory", "workdir", "working_directory"],
            ..KEY
        },
        Key {
            name: "url",
            kind: Kind::Template,
            example: "\"https://mcp.example.com/mcp\"",
            doc: "The address of a server that speaks MCP over HTTP.",
            also: &["serverUrl", "server_url", "httpUrl", "http_url", "endpoint", "uri"],
            ..KEY
        },
        Key {
            name: "headers",
            kind: Kind::TemplateMap,
            example: "{ Authorization = \"Bearer ${TOKEN}\" }",
            doc: "HTTP headers for every request to it.",
            also: &["http_headers", "header"],
            secret: true,
            ..KEY
        },
        Key {
            name: "builtin",
            kind: Kind::Choice(&["audit"]),
            example: "\"audit\"",
            doc: "A server that the gateway brings itself, in place of a `command` or a `url`: `audit` lets operators search, count and export the audit; see [security](../operate/security.md).",
            also: &["built-in", "built_in", "internal"],
            ..KEY
        },
        Key {
            name: "transport",
            kind: Kind::Choice(&["stdio", "http", "sse"]),
            example: "\"http\"",
            doc: "How to speak with it. Without it, a `command` speaks stdio, and a `url` Streamable HTTP, falling back to HTTP+SSE where the server knows only that.",
            also: &["type", "kind", "protocol"],
            ..KEY
        },
        Key {
            name: "era",
            kind: Kind::Choice(&["auto", "legacy", "modern"]),
            default: Some("\"auto\""),
            example: "\"legacy\"",
            doc: "Which generation of the protocol to speak: `legacy` has `initialize` (up to 2025-11-25), `modern` is stateless (2026-07-28), `auto` finds out. A server with an `mgp` table is `legacy` unless told otherwise.",
            also: &["version", "protocol_version", "revision"],
            ..KEY
        },
        Key {
            name: "share",
            kind: Kind::Choice(&["session", "all"]),
            default: Some("\"session\""),
            example: "\"all\"",
            doc: "`all` declares that the server keeps nothing between calls, so that one process or connection can serve everybody. `session` keeps clients apart.",
            also: &["shared", "stateless", "isolation"],
            ..KEY
        },
        Key {
            name: "start",
            kind: Kind::Choice(&["eager", "on-use"]),
            default: Some("\"eager\""),
            example: "\"on-use\"",
            doc: "`eager` starts it with the gateway, `on-use` with the first request that needs it; its last known tools are listed meanwhile.",
            also: &["lazy", "autostart", "auto_start"],
            ..KEY
        },
        Key {
            name: "prefix",
            kind: Kind::Flag,
            default: Some("false"),
            example: "true",
            doc: "Always list its tools as `id__tool`, also where the bare name is unique.",
            also: &["namespace", "prefixed"],
            ..KEY
        },
        Key {
            name: "include",
            kind: Kind::Patterns,
            default: Some("[]"),
            example: "[\"read_*\", \"list_directory\"]",
            doc: "Its tools that are offered, by their own names; a trailing `*` matches any rest. Empty: all.",
            also: &["allow", "allowed_tools", "includeTools", "enabled_tools", "include_tools"],
            ..KEY
        },
        Key {
            name: "exclude",
            kind: Kind::Patterns,
            default: Some("[]"),
            example: "[\"delete_*\"]",
            doc: "Its tools that are not offered; wins over `include`.",
            also: &["deny", "disabled_tools", "disabledTools", "excludeTools", "exclude_tools"],
            ..KEY
        },
        Key {
            name: "request_timeout",
            kind: Kind::Duration,
            example: "\"10m\"",
            doc: "How long one request may take without a sign of life. Default: the gateway's.",
            also: &["timeout", "tool_timeout", "tool_timeout_sec"],
            ..KEY
        },
        Key {
            name: "startup_timeout",
            kind: Kind::Duration,
            example: "\"2m\"",
            doc: "How long start-up and handshake may take. Default: the gateway's.",
            also: &["connect_timeout", "init_timeout", "startup_timeout_sec"],
            ..KEY
        },
        Key {
            name: "enabled",
            kind: Kind::Flag,
            default: Some("true"),
            example: "false",
            doc: "`false` leaves it out, and keeps its id.",
            also: &["disabled", "enable", "active"],
            ..KEY
        },
        Key {
            name: "mgp",
            kind: Kind::Table(&MGP),
            doc: "What the server needs and promises as an MGP server.",
            ..KEY
        },
        Key {
            name: "policy",
            kind: Kind::Table(&SERVER_POLICY),
            doc: "What is different from `[policy]` for this server.",
            also: &["security"],
            ..KEY
        },
        Key {
            name: "tools",
            kind: Kind::TableMap(&TOOL),
            doc: "What you say of single tools of it.",
            also: &["tool"],
            ..KEY
        },
    ],
};

/// `[servers.mgp]`, MGP §15.2.
pub static MGP: Section = Section {
    name: "servers.mgp",
    doc: "What MGP §15.2 lets a file say of a server. Its presence means `era = \"legacy\"`.",
    keys: &[
        Key {
            name: "extensions",
            kind: Kind::Texts,
            example: "[\"security\", \"lifecycle\"]",
            doc: "MGP extensions of the server.",
            ..KEY
        },
        Key {
            name: "permissions_required",
            kind: Kind::Permissions,
            example: "[\"network.outbound\"]",
            doc: "Permissions that it needs, beside those that it asks for itself. Needing is not having: `approved` in `[servers.policy]` gives them, or a person does.",
            also: &["permissions"],
            ..KEY
        },
        Key {
            name: "trust_level",
            kind: Kind::Choice(&["core", "trusted", "standard", "experimental", "untrusted", "sandboxed"]),
            default: Some("\"standard\""),
            example: "\"standard\"",
            doc: "How far it is trusted. What the server claims itself can only lower it. Below `standard`, its word that a tool only reads counts for nothing.",
            also: &["trust"],
            ..KEY
        },
        Key {
            name: "restart_policy",
            kind: Kind::Choice(&["never", "on_failure", "always"]),
            example: "\"on_failure\"",
            doc: "When it is restarted. Read so that one file serves every MGP client; it has no effect yet, and a warning says so.",
            also: &["restart"],
            ..KEY
        },
    ],
};
