//! `[[servers]]`

use std::time::Duration;

use kernel::spec::{Builtin, EraChoice, Share, Start};
use model::ServerId;

use super::super::choice::Transport;
use super::key::Key;
use super::literal::Literal::{Empty, Flag, Text};
use super::section::section;
use super::setting::{Entries, Preset, Setting, choice, duration, flag, id, patterns, table, table_map, template, template_map, templates};
use super::{mgp, server_policy, tool};

section! {
    /// One MCP server: either a program (`command`) or an address (`url`). Where several files name the same `id`, the
    /// first file wins.
    List "servers";

    /// Its name: 1 to 64 letters, digits, `-`, `_` and `.`, without `__`.
    ID: Setting<ServerId> = id("id").required().example(r#""files""#).also(&["name"]);

    /// The program to run; it speaks MCP on its stdin and stdout. `~/` is the home directory.
    COMMAND: Setting<String> = template("command").example(r#""npx""#).also(&["cmd", "program", "exec", "path"]);

    /// Its arguments.
    ARGS: Preset<Vec<String>> = templates("args")
        .example(r#"["-y", "@modelcontextprotocol/server-filesystem", "/srv"]"#)
        .also(&["arguments", "argv"])
        .or(Empty);

    /// Variables for the program, on top of a few harmless ones (`PATH`, `HOME`, `LANG` …) that it inherits.
    ENV: Setting<Entries> = template_map("env").secret().example(r#"{ API_KEY = "${API_KEY}" }"#).also(&["environment", "envs", "vars"]);

    /// The directory to run it in; a relative one is relative to the file that names it. Without it, the gateway's own.
    CWD: Setting<String> = template("cwd").example(r#""~/project""#).also(&["dir", "directory", "workdir", "working_directory"]);

    /// The address of a server that speaks MCP over HTTP.
    URL: Setting<String> = template("url")
        .example(r#""https://mcp.example.com/mcp""#)
        .also(&["serverUrl", "server_url", "httpUrl", "http_url", "endpoint", "uri"]);

    /// HTTP headers for every request to the server.
    HEADERS: Setting<Entries> = template_map("headers")
        .secret()
        .example(r#"{ Authorization = "Bearer ${TOKEN}" }"#)
        .also(&["http_headers", "header"]);

    /// A built-in server of the gateway, in place of a `command` or a `url`: `audit` lets operators search, count and
    /// export the audit; see [security](../operate/security.md).
    BUILTIN: Setting<Builtin> = choice("builtin").example(r#""audit""#).also(&["built-in", "built_in", "internal"]);

    /// The transport. Without it, a `command` uses stdio, and a `url` Streamable HTTP, or HTTP+SSE where the server
    /// knows only that.
    TRANSPORT: Setting<Transport> = choice("transport").example(r#""http""#).also(&["type", "kind", "protocol"]);

    /// The generation of the protocol: `legacy` has `initialize` (up to 2025-11-25), `modern` is stateless
    /// (2026-07-28), `auto` finds out. A server with an `mgp` table is `legacy` unless set otherwise.
    ERA: Preset<EraChoice> = choice("era").example(r#""legacy""#).also(&["version", "protocol_version", "revision"]).or(Text("auto"));

    /// `all` declares that the server keeps nothing between calls, so that one process or connection can serve all
    /// clients. `session` keeps clients apart.
    SHARE: Preset<Share> = choice("share").example(r#""all""#).also(&["shared", "stateless", "isolation"]).or(Text("session"));

    /// `eager` starts it with the gateway, `on-use` with the first request that needs it; its last known tools are listed meanwhile.
    START: Preset<Start> = choice("start").example(r#""on-use""#).also(&["lazy", "autostart", "auto_start"]).or(Text("eager"));

    /// Always list its tools as `id__tool`, also where the bare name is unique.
    PREFIX: Preset<bool> = flag("prefix").example("true").also(&["namespace", "prefixed"]).or(Flag(false));

    /// The tools of the server that are offered, by their own names; a trailing `*` matches any rest. Empty: all.
    INCLUDE: Preset<Vec<String>> = patterns("include")
        .example(r#"["read_*", "list_directory"]"#)
        .also(&["allow", "allowed_tools", "includeTools", "enabled_tools", "include_tools"])
        .or(Empty);

    /// The tools of the server that are not offered; wins over `include`.
    EXCLUDE: Preset<Vec<String>> = patterns("exclude")
        .example(r#"["delete_*"]"#)
        .also(&["deny", "disabled_tools", "disabledTools", "excludeTools", "exclude_tools"])
        .or(Empty);

    /// How long one request may take without an answer or progress. Default: the gateway's.
    REQUEST_TIMEOUT: Setting<Duration> = duration("request_timeout")
        .example(r#""10m""#)
        .also(&["timeout", "tool_timeout", "tool_timeout_sec"]);

    /// How long start and handshake may take. Default: the gateway's.
    STARTUP_TIMEOUT: Setting<Duration> = duration("startup_timeout")
        .example(r#""2m""#)
        .also(&["connect_timeout", "init_timeout", "startup_timeout_sec"]);

    /// `false` leaves the server out, and keeps its id.
    ENABLED: Preset<bool> = flag("enabled").example("false").also(&["disabled", "enable", "active"]).or(Flag(true));

    /// What the server needs and promises as an MGP server.
    MGP: Setting<Entries> = table("mgp", &mgp::SECTION);

    /// The differences from `[policy]` for this server.
    POLICY: Setting<Entries> = table("policy", &server_policy::SECTION).also(&["security"]);

    /// Settings of single tools of this server.
    TOOLS: Setting<Entries> = table_map("tools", &tool::SECTION).also(&["tool"]);
}

/// The ways to reach a server, of which a table has one, each with the keys that belong to another.
pub static WAYS: [(&Key, &[&Key]); 3] = [
    (COMMAND.key(), &[HEADERS.key()]),
    (URL.key(), &[ARGS.key(), ENV.key(), CWD.key()]),
    (
        BUILTIN.key(),
        &[
            ARGS.key(),
            ENV.key(),
            CWD.key(),
            HEADERS.key(),
            TRANSPORT.key(),
            ERA.key(),
            SHARE.key(),
            MGP.key(),
        ],
    ),
];
