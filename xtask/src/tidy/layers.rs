//! The crates, what each may depend on, and what it may use: the arrows of ARCHITECTURE.md as a table.

use super::violation::Violation;

/// The layer of a crate: how close it is to the outside world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// Rules about messages: no waiting, no clock, no environment, no randomness, no sockets.
    Core,
    /// Waits, touches files, has a clock and randomness; no socket, header, child or environment.
    Store,
    /// Waits and owns tasks, but does not handle sockets, headers or children.
    Kernel,
    /// Sockets, HTTP and children.
    Transport,
    /// Connects both sides.
    Binary,
    /// Tests of the product, in process.
    Testkit,
    /// Beside the product: what server authors use, examples, benchmarks, tools.
    Apart,
}

/// A crate of the project.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crate {
    /// Its package.
    pub(crate) name: &'static str,
    /// Its folder, from the root.
    pub(crate) folder: &'static str,
    pub(crate) layer: Layer,
    /// The project's crates that it may name.
    pub(crate) may: &'static [&'static str],
}

use Layer::{Apart, Binary, Core, Kernel, Store, Testkit, Transport};

/// Every crate of the workspace, from the bottom up.
#[rustfmt::skip]
pub(crate) const CRATES: &[Crate] = &[
    Crate { name: "model",              folder: "lib/model",           layer: Core,      may: &[] },
    Crate { name: "jsonrpc",            folder: "lib/jsonrpc",         layer: Core,      may: &[] },
    Crate { name: "mangle",             folder: "lib/mangle",          layer: Core,      may: &[] },
    Crate { name: "transcripts",        folder: "lib/transcripts",     layer: Apart,     may: &[] },
    Crate { name: "validators",         folder: "crates/validators",   layer: Core,      may: &[] },
    Crate { name: "policy",             folder: "crates/policy",       layer: Core,      may: &["model", "validators"] },
    Crate { name: "mcp",                folder: "crates/mcp",          layer: Core,      may: &["model", "jsonrpc"] },
    Crate { name: "mgp",                folder: "crates/mgp",          layer: Core,      may: &["model", "jsonrpc", "mcp"] },
    Crate { name: "catalog",            folder: "crates/catalog",      layer: Core,      may: &["model", "jsonrpc", "mcp"] },
    Crate { name: "store",              folder: "crates/store",        layer: Store,     may: &["model"] },
    Crate { name: "runtime",            folder: "crates/runtime",      layer: Kernel,    may: &["model"] },
    Crate { name: "guard",              folder: "crates/guard",        layer: Kernel,    may: &["model", "jsonrpc", "mgp", "policy", "validators", "store", "runtime"] },
    Crate { name: "upstream",           folder: "crates/upstream",     layer: Kernel,    may: &["model", "jsonrpc", "mcp", "mgp", "catalog", "guard", "runtime"] },
    Crate { name: "kernel",             folder: "crates/kernel",       layer: Kernel,    may: &["model", "jsonrpc", "mcp", "mgp", "catalog", "policy", "store", "runtime", "guard", "upstream"] },
    Crate { name: "console",            folder: "crates/console",      layer: Kernel,    may: &["model", "mgp", "policy", "store", "kernel"] },
    Crate { name: "transport",          folder: "crates/transport",    layer: Transport, may: &["model", "mcp", "kernel", "upstream"] },
    Crate { name: "chancery",           folder: "crates/chancery",     layer: Binary,    may: &["model", "jsonrpc", "mangle", "mcp", "catalog", "mgp", "policy", "validators", "store", "kernel", "console", "transport", "chancery-sdk", "example-minimal", "example-everything"] },
    Crate { name: "testkit",            folder: "crates/testkit",      layer: Testkit,   may: &["model", "jsonrpc", "mcp", "mgp", "catalog", "policy", "store", "kernel", "transport", "chancery-sdk", "example-minimal", "example-everything"] },
    Crate { name: "bench",              folder: "crates/bench",        layer: Apart,     may: &["chancery"] },
    Crate { name: "chancery-sdk",       folder: "sdk/rust",            layer: Apart,     may: &["jsonrpc"] },
    Crate { name: "example-minimal",    folder: "examples/minimal",    layer: Apart,     may: &["chancery-sdk"] },
    Crate { name: "example-everything", folder: "examples/everything", layer: Apart,     may: &["chancery-sdk"] },
    Crate { name: "xtask",              folder: "xtask",               layer: Apart,     may: &["mangle", "mcp"] },
];

/// What no core may depend on, directly or through others: each waits, listens or asks the machine.
pub(crate) const NOT_IN_CORES: &[&str] = &[
    "tokio",
    "tokio-util",
    "futures-util",
    "async-trait",
    "hyper",
    "hyper-util",
    "http",
    "http-body",
    "httparse",
    "rustls",
    "tokio-rustls",
    "rustix",
    "fastrand",
    "rand",
    "uuid",
    "aws-lc-rs",
    "tracing",
    "rusqlite",
];

/// What only `store` may depend on, of all crates in the product: the rest of it sees plain data.
pub(crate) const ONLY_IN_STORE: &[&str] = &["rusqlite"];

/// What only `transport` may depend on, of all crates in the product.
pub(crate) const ONLY_IN_TRANSPORT: &[&str] = &[
    "hyper",
    "hyper-util",
    "http",
    "http-body",
    "http-body-util",
    "httparse",
    "rustls-native-certs",
    "tokio-rustls",
];

/// Exceptions with their reasons, as (crate, dependency, why).
pub(crate) const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "chancery",
    "http",
    "configuration checks the names of headers and the form of addresses before anything is opened",
)];

/// Returns the crate that a file belongs to.
pub(crate) fn of_path(path: &str) -> Option<&'static Crate> {
    CRATES
        .iter()
        .find(|krate| path.strip_prefix(krate.folder).is_some_and(|rest| rest.starts_with('/')))
}

/// One dependency as a manifest names it.
#[derive(Clone, Debug)]
pub(crate) struct Arrow<'a> {
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    /// The manifest and the line that names it.
    pub(crate) place: (&'a str, usize),
    /// Whether only tests have it.
    pub(crate) dev: bool,
}

/// Checks the arrows of one crate.
pub(crate) fn check(arrow: &Arrow<'_>) -> Option<Violation> {
    let (file, line) = arrow.place;
    let broken = |text: String| Some(Violation::new(file, line, "arrows", text));
    let Some(from) = CRATES.iter().find(|krate| krate.name == arrow.from) else {
        return broken(format!(
            "`{}` is not in the table of crates: give it a row in xtask/src/tidy/layers.rs and in ARCHITECTURE.md",
            arrow.from
        ));
    };
    let ours = CRATES.iter().any(|krate| krate.name == arrow.to);
    if ours && !arrow.dev && !from.may.contains(&arrow.to) {
        let allowed = if from.may.is_empty() {
            "no crate of ours".to_owned()
        } else {
            from.may.join(", ")
        };
        return broken(format!(
            "`{}` must not know `{}`, only {allowed}: move what is shared further down",
            from.name, arrow.to
        ));
    }
    if arrow.dev
        || EXCEPTIONS
            .iter()
            .any(|(krate, dependency, _)| (*krate, *dependency) == (from.name, arrow.to))
    {
        return None;
    }
    match from.layer {
        Layer::Core if NOT_IN_CORES.contains(&arrow.to) => broken(format!(
            "`{}` is below `kernel` and does no I/O: `{}` belongs to `kernel` or `transport`",
            from.name, arrow.to
        )),
        Layer::Store | Layer::Kernel | Layer::Binary if ONLY_IN_TRANSPORT.contains(&arrow.to) => broken(format!(
            "only `transport` has seen HTTP: let it do what `{}` needs `{}` for",
            from.name, arrow.to
        )),
        Layer::Kernel | Layer::Transport | Layer::Binary if ONLY_IN_STORE.contains(&arrow.to) => broken(format!(
            "only `store` knows how things are stored: let its trait say what `{}` needs `{}` for",
            from.name, arrow.to
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Arrow, check};

    fn broken(from: &str, to: &str, dev: bool) -> bool {
        let place = ("Cargo.toml", 1);
        check(&Arrow { from, to, place, dev }).is_some()
    }

    #[test]
    fn arrows_point_down_only() {
        assert!(!broken("mcp", "jsonrpc", false));
        assert!(broken("mcp", "policy", false));
        assert!(broken("kernel", "transport", false));
        assert!(!broken("kernel", "transport", true), "tests may look around");
        assert!(broken("nobody", "jsonrpc", false));
    }

    #[test]
    fn cores_do_not_wait_and_only_transport_sees_http() {
        assert!(broken("catalog", "tokio", false));
        assert!(broken("kernel", "hyper", false));
        assert!(!broken("transport", "hyper", false));
        assert!(broken("store", "hyper", false));
        assert!(!broken("store", "tokio", false));
        assert!(!broken("bench", "hyper", false));
        assert!(!broken("chancery", "http", false), "an exception with a reason");
    }

    #[test]
    fn only_the_store_sees_a_database() {
        assert!(!broken("store", "rusqlite", false));
        assert!(broken("kernel", "rusqlite", false));
        assert!(broken("policy", "rusqlite", false));
        assert!(broken("chancery", "rusqlite", false));
    }
}
