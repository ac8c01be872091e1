//! Checks the rules for source code that single words decide.

use super::layers::{self, Layer};
use super::rust::Code;
use super::tree::{self, File, Rust};
use super::violation::Violation;

/// The most lines of a product file, above which it holds a second idea.
const MAX_LINES: usize = 800;

/// A word that is banned in some places.
struct Ban {
    rule: &'static str,
    words: &'static [&'static str],
    place: Place,
    advice: &'static str,
}

/// The places where a word is banned.
#[derive(Clone, Copy)]
enum Place {
    /// In any Rust file, tests too.
    Anywhere,
    /// In any Rust file that is not a test.
    OutsideTests,
    /// In the crates below `kernel`, outside of their tests.
    Cores,
    /// In `kernel`, `store` and below, outside of their tests.
    KernelAndCores,
    /// In the product outside of `transport`, and not in its tests.
    OutsideTransport,
}

#[rustfmt::skip]
const BANS: &[Ban] = &[
    Ban { rule: "unsafe", words: &["unsafe"], place: Place::Anywhere,
          advice: "none of ours is needed: use the safe API of `rustix` or another crate" },
    Ban { rule: "unfinished", words: &["todo!", "unimplemented!", "dbg!"], place: Place::Anywhere,
          advice: "finish it, or leave it out" },
    Ban { rule: "unbounded", words: &["unbounded_channel", "UnboundedSender", "UnboundedReceiver", "std::sync::mpsc::channel", "unbounded"], place: Place::OutsideTests,
          advice: "give the queue a capacity, and say what happens when it is full" },
    Ban { rule: "waiting", words: &["async", ".await", "tokio::", "std::thread"], place: Place::Cores,
          advice: "a core is a value: return an output, and let `kernel` wait" },
    Ban { rule: "clock", words: &["SystemTime::now", "Instant::now"], place: Place::Cores,
          advice: "time is an argument below `kernel`" },
    Ban { rule: "environment", words: &["std::env", "env::var", "env::var_os"], place: Place::KernelAndCores,
          advice: "the environment belongs to the binary: take the value as a setting" },
    Ban { rule: "randomness", words: &["fastrand::", "rand::", "getrandom::", "SecureRandom", "SystemRandom"], place: Place::Cores,
          advice: "randomness is an argument below `kernel`" },
    Ban { rule: "sockets", words: &["hyper::", "TcpStream", "TcpListener", "UnixStream", "UnixListener", "UdpSocket", "process::Command", "Command::new", "std::net::ToSocketAddrs"], place: Place::OutsideTransport,
          advice: "only `transport` has seen a socket, a header or a child process: go through `kernel::link` or `kernel::front`" },
];

/// Checks every Rust file.
pub(crate) fn check(files: &[File]) -> Vec<Violation> {
    files.iter().filter_map(Rust::of).flat_map(|rust| check_one(&rust)).collect()
}

fn check_one(rust: &Rust<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for ban in BANS {
        let Some(code) = judged(ban.place, rust) else { continue };
        for word in ban.words {
            let lines = code.lines_with(word);
            found.extend(lines.into_iter().map(|line| {
                Violation::new(
                    rust.path,
                    line,
                    ban.rule,
                    format!("`{}` must not stand here; {}", word.trim_end_matches("::"), ban.advice),
                )
            }));
        }
    }
    found.extend(attributes(rust));
    if !rust.text.starts_with("//!") {
        let advice = "start the file with one sentence of its purpose, `//! …`";
        found.push(Violation::new(rust.path, 1, "purpose", advice));
    }
    let lines = rust.text.lines().count();
    if lines > MAX_LINES && !tree::is_test(rust.path) {
        let text = format!("{lines} lines are more than {MAX_LINES}: find the second idea and give it a file of its own");
        found.push(Violation::new(rust.path, MAX_LINES, "length", text));
    }
    found
}

/// Returns the code of a file that a ban concerns.
fn judged<'a>(place: Place, rust: &'a Rust<'_>) -> Option<&'a Code> {
    let layer = layers::of_path(rust.path).map(|krate| krate.layer);
    let concerned = match place {
        Place::Anywhere => return Some(&rust.code),
        Place::OutsideTests => true,
        Place::Cores => layer == Some(Layer::Core),
        Place::KernelAndCores => matches!(layer, Some(Layer::Core | Layer::Store | Layer::Kernel)),
        Place::OutsideTransport => matches!(layer, Some(Layer::Core | Layer::Store | Layer::Kernel | Layer::Binary)),
    };
    if concerned { rust.product.as_ref() } else { None }
}

fn attributes(rust: &Rust<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (line, attribute) in rust.code.attributes() {
        let code = Code::of(attribute);
        let has = |word: &str| !code.lines_with(word).is_empty();
        let mut broken = |rule, text: &str| found.push(Violation::new(rust.path, line, rule, text));
        if has("allow(") {
            broken("allow", "`#[allow]` outlives its reason: write `#[expect(…, reason = \"…\")]`");
        }
        if has("expect(") && !has("reason") {
            broken("reason", "say why: `#[expect(…, reason = \"…\")]`");
        }
        if has("serde(") && (has("flatten") || has("untagged")) {
            broken(
                "serde",
                "`flatten` and `untagged` hide what is wrong with the input: write the visitor, get the good error",
            );
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::tidy::tree::File;

    fn rules(path: &str, text: &str) -> Vec<(&'static str, usize)> {
        let file = File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check(&[file])
            .into_iter()
            .map(|violation| (violation.rule, violation.line))
            .collect()
    }

    #[test]
    fn a_core_has_no_clock_no_environment_and_does_not_wait() {
        let text = "//! x\nasync fn f() {}\nfn g() { let t = Instant::now(); }\nfn h() { std::env::args(); }\n";
        assert_eq!(
            rules("crates/mcp/src/x.rs", text),
            [("waiting", 2), ("clock", 3), ("environment", 4)]
        );
        assert_eq!(rules("crates/kernel/src/x.rs", text), [("environment", 4)]);
        assert!(rules("crates/chancery/src/x.rs", text).is_empty());
        assert!(rules("crates/mcp/src/x/tests.rs", text).is_empty(), "tests have a clock");
    }

    #[test]
    fn only_transport_has_sockets_and_children() {
        let text = "//! x\nfn f() { TcpStream::connect(a); std::process::Command::new(b); }\n";
        assert_eq!(rules("crates/kernel/src/x.rs", text).len(), 3);
        assert!(rules("crates/transport/src/x.rs", text).is_empty());
        assert!(rules("sdk/rust/src/x.rs", text).is_empty());
    }

    #[test]
    fn attributes_give_reasons() {
        let text = "//! x\n#[allow(dead_code)]\n#[expect(dead_code)]\n#[expect(dead_code, reason = \"y\")]\n#[serde(flatten)]\n#[command(flatten)]\nstruct S;\n";
        assert_eq!(rules("crates/mcp/src/x.rs", text), [("allow", 2), ("reason", 3), ("serde", 5)]);
    }

    #[test]
    fn a_file_has_a_purpose_and_one_idea() {
        assert_eq!(rules("xtask/src/x.rs", "fn f() {}\n"), [("purpose", 1)]);
        let long = format!("//! x\n{}", "fn f() {}\n".repeat(900));
        assert_eq!(rules("xtask/src/x.rs", &long), [("length", 800)]);
        assert!(rules("lib/jsonrpc/tests/it/x.rs", &long).is_empty());
    }

    #[test]
    fn what_is_unsafe_is_found_in_tests_too() {
        let text = "//! x\nfn g() { mpsc::unbounded_channel(); }\n#[cfg(test)]\nmod tests {\n    fn f() { mpsc::unbounded_channel(); unsafe {} }\n}\n";
        assert_eq!(rules("crates/kernel/src/x.rs", text), [("unsafe", 5), ("unbounded", 2)]);
    }
}
