//! `[gateway]`

use std::net::SocketAddr;
use std::time::Duration;

use transport::http::Anonymous;

use super::super::choice::LogFormat;
use super::literal::Literal::{Empty, Flag, Text};
use super::section::section;
use super::setting::{Entries, Preset, Setting, address, choice, duration, flag, table, template, template_map, text, texts};
use super::{limits, tls};

section! {
    /// The gateway itself: where it listens, who may connect, how long it waits. Where several files set the same key,
    /// the first file wins, key by key.
    Table "gateway";

    /// The address on which `chancery serve` listens. Port 0 takes a free one. An address that other machines can reach
    /// is refused unless a token is set, or `insecure_bind`.
    LISTEN: Preset<SocketAddr> = address("listen").also(&["address", "bind", "host", "port", "addr"]).or(Text("127.0.0.1:8717"));

    /// Serve HTTPS.
    TLS: Setting<Entries> = table("tls", &tls::SECTION).also(&["ssl", "https"]);

    /// The bearer token that every HTTP client must send; its bearer is the local user. Without `token`, `tokens` and tokens of
    /// `chancery token create`, loopback clients need none.
    TOKEN: Setting<String> = template("token")
        .secret()
        .example(r#""${CHANCERY_TOKEN}""#)
        .also(&["bearer", "bearer_token", "auth_token", "api_key"]);

    /// Bearer tokens of several principals, by the principal's name. Sessions and servers' processes are kept apart by principal.
    TOKENS: Setting<Entries> = template_map("tokens")
        .secret()
        .example(r#"{ alice = "${ALICE_TOKEN}", ci = "${CI_TOKEN}" }"#)
        .also(&["bearer_tokens", "users", "clients"]);

    /// Which clients are admitted without a token, as the local user: every client on loopback as long as no token
    /// exists, every client on loopback, or none. With `never`, tokens of `chancery token create` are enough to listen
    /// on any address.
    ANONYMOUS: Preset<Anonymous> = choice("anonymous")
        .example(r#""never""#)
        .also(&["allow_anonymous", "unauthenticated"])
        .or(Text("without-tokens"));

    /// Values of `Host` that are accepted besides the loopback names and the address listened on, with or without a port.
    ALLOWED_HOSTS: Preset<Vec<String>> = texts("allowed_hosts")
        .example(r#"["mcp.example.com"]"#)
        .also(&["hosts", "trusted_hosts"])
        .or(Empty);

    /// Values of `Origin` that are accepted besides loopback origins; a page of any other origin is refused.
    ALLOWED_ORIGINS: Preset<Vec<String>> = texts("allowed_origins")
        .example(r#"["https://app.example.com"]"#)
        .also(&["origins", "cors", "cors_origins"])
        .or(Empty);

    /// Also serve the HTTP+SSE transport of 2024-11-05, at `/sse` and `/messages`, for clients that know no other.
    SSE: Preset<bool> = flag("sse").example("true").or(Flag(false));

    /// Allow listening beyond loopback without any token. Every client that can reach the port can then use every tool.
    INSECURE_BIND: Preset<bool> = flag("insecure_bind").example("true").also(&["allow_remote", "insecure"]).or(Flag(false));

    /// How long the first list waits for servers that were never seen before. Servers that are missing after that are
    /// named in the answer, and their tools follow with `list_changed`.
    STARTUP_WAIT: Preset<Duration> = duration("startup_wait").or(Text("2s"));

    /// How long a request to a server may take without an answer or progress. A server can set its own.
    REQUEST_TIMEOUT: Preset<Duration> = duration("request_timeout").also(&["timeout", "tool_timeout"]).or(Text("5m"));

    /// How long a server may take to start and complete the handshake. A server can set its own.
    STARTUP_TIMEOUT: Preset<Duration> = duration("startup_timeout").also(&["connect_timeout", "init_timeout"]).or(Text("60s"));

    /// What is logged to stderr: `error`, `warn`, `info`, `debug`, `trace`, or a list such as `info,transport=debug`. `--log-level` wins.
    LOG_LEVEL: Preset<String> = text("log_level")
        .example(r#""info,transport=debug""#)
        .also(&["log", "loglevel", "verbosity"])
        .or(Text("info"));

    /// The format of the log. `--log-format` wins.
    LOG_FORMAT: Preset<LogFormat> = choice("log_format").example(r#""json""#).or(Text("text"));

    /// The limits of what one client, or all of them, may use.
    LIMITS: Setting<Entries> = table("limits", &limits::SECTION);
}
