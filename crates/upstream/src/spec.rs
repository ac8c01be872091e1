//! The configuration of a server: plain data, made by the reader of the configuration.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use catalog::Filter;
use model::{Secret, ServerId};

/// The configuration of one server.
#[derive(Clone, Debug)]
pub struct ServerSpec {
    /// Its id in the configuration.
    pub id: ServerId,
    /// The way to reach it, or the reason why it can't be reached (an unset `${VAR}`, say): such a server is in `error` while the others start.
    pub launch: Result<Launch, String>,
    /// The era to speak.
    pub era: EraChoice,
    /// Whether one connection serves all clients whatever their capabilities (`share = "all"`, DESIGN 1).
    pub share: Share,
    /// The time at which the server is started.
    pub start: Start,
    /// Whether its tools are always called `server__tool`, also where the bare name is unique.
    pub prefix: bool,
    /// Tools by their own names that are offered; empty means all. A trailing `*` matches any rest.
    pub include: Vec<String>,
    /// Tools by their own names that are not offered. A trailing `*` matches any rest.
    pub exclude: Vec<String>,
    /// The time that one request may take without progress.
    pub request_timeout: Duration,
    /// The time that start-up (spawn, probe and handshake) may take.
    pub startup_timeout: Duration,
    /// A digest of everything above that makes a difference to what the server offers; keys the cached catalogue.
    pub digest: String,
}

impl ServerSpec {
    /// Returns the operator's choice of which tools are offered.
    #[must_use]
    pub(crate) fn filter(&self) -> Filter {
        Filter {
            include: self.include.clone(),
            exclude: self.exclude.clone(),
        }
    }

    /// Returns whether nothing differs that matters to a running server.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> bool {
        let plain = |spec: &Self| {
            (
                spec.era,
                spec.share,
                spec.start,
                spec.prefix,
                spec.request_timeout,
                spec.startup_timeout,
            )
        };
        let texts = |spec: &Self| (spec.launch.as_ref().err().cloned(), spec.include.clone(), spec.exclude.clone());
        self.digest == other.digest && plain(self) == plain(other) && texts(self) == texts(other)
    }
}

/// The way to reach a server. Its `Debug` shows neither arguments nor paths: both may contain the value of a `${VAR}`.
#[derive(Clone)]
pub enum Launch {
    /// A child process that speaks line-framed JSON-RPC.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables on top of the inherited safe ones; values may be secrets.
        env: BTreeMap<String, Secret>,
        /// Its working directory.
        cwd: Option<PathBuf>,
    },
    /// A URL.
    Http {
        /// The address.
        url: String,
        /// Headers for every request; values may be secrets.
        headers: BTreeMap<String, Secret>,
        /// The HTTP transport.
        kind: HttpKind,
    },
    /// A server that the gateway brings itself and runs in its own process.
    Builtin(Builtin),
}

/// The servers that the gateway brings itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// The audit service of MGP §19.4, over the gateway's own record.
    Audit,
}

impl Builtin {
    /// All built-in servers.
    pub const ALL: [Self; 1] = [Self::Audit];

    /// Returns its name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Audit => "audit",
        }
    }

    /// Returns the built-in server of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.name() == name)
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio { command, args, env, .. } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &args.len())
                .field("env", &env.len())
                .finish(),
            Self::Http { headers, kind, .. } => f.debug_struct("Http").field("headers", &headers.len()).field("kind", kind).finish(),
            Self::Builtin(builtin) => f.debug_tuple("Builtin").field(builtin).finish(),
        }
    }
}

/// The HTTP transport of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpKind {
    /// Streamable HTTP, falling back to HTTP+SSE where a POST is answered 400, 404 or 405.
    Auto,
    /// Streamable HTTP only.
    Streamable,
    /// HTTP+SSE of 2024-11-05 only.
    Sse,
}

/// The era to speak with a server (DESIGN 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EraChoice {
    /// The gateway probes the server.
    Auto,
    /// `initialize`, revisions up to 2025-11-25.
    Legacy,
    /// Stateless, 2026-07-28.
    Modern,
}

/// The clients that share a connection to a server (DESIGN 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// By principal, relayed capabilities and, where these include reverse ones, client session.
    Session,
    /// All clients share one connection: the server is declared stateless.
    All,
}

/// When a server is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the gateway.
    Eager,
    /// With the first request that needs it; its cached catalogue is listed meanwhile.
    OnUse,
}
