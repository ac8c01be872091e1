//! Several gateways of one configuration, each with a store of its own: they are listed, and a command goes to the one that is meant.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::serve::{ANY_PORT, configuration, put};

/// A `chancery stdio` that runs by itself, and has taken its store.
struct Alone {
    process: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Alone {
    fn start(machine: &Machine) -> Self {
        let mut command = machine.command(&["--config", "../a.toml", "stdio", "--standalone"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("the binary");
        let mut alone = Self {
            input: process.stdin.take().expect("its stdin"),
            lines: BufReader::new(process.stdout.take().expect("its stdout")).lines(),
            process,
        };
        alone.ask(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        );
        alone.ask(r#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#);
        alone
    }

    fn ask(&mut self, message: &str) {
        writeln!(self.input, "{message}").expect("the gateway reads");
        let mut lines = self.lines.by_ref().map(|line| line.expect("a line"));
        lines.find(|line| line.contains(r#""id":0"#)).expect("an answer");
    }

    fn end(self) {
        let Self { mut process, input, .. } = self;
        drop(input);
        assert!(process.wait().expect("its end").success());
    }
}

/// Exit code, stdout and stderr.
fn run(machine: &Machine, args: &[&str]) -> (i32, String, String) {
    let output = machine.run(&[&["--config", "../a.toml"], args].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn listed(machine: &Machine, args: &[&str]) -> (Value, String) {
    let (code, out, told) = run(machine, &[args, &["--format", "json"]].concat());
    assert_eq!(code, 0, "{args:?}: {out}{told}");
    (serde_json::from_str(&out).expect("a list"), told)
}

#[test]
fn each_is_listed_and_a_command_goes_to_the_one_that_is_named() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &["minimal"]));
    let (code, out, told) = run(&machine, &["gateways"]);
    assert_eq!((code, out.as_str()), (0, ""), "{told}");
    assert!(told.contains("no gateway of this configuration has run yet"), "{told}");

    let (first, second) = (Alone::start(&machine), Alone::start(&machine));
    let (known, _) = listed(&machine, &["gateways"]);
    let states = known.as_array().expect("a list").iter();
    let states: Vec<Value> = states
        .map(|known| json!([known["number"], known["running"], known["process"]]))
        .collect();
    assert_eq!(
        states,
        [json!([1, true, first.process.id()]), json!([2, true, second.process.id()])]
    );
    let (_, out, _) = run(&machine, &["gateways"]);
    assert!(
        out.lines().count() == 2 && out.contains(&format!(" 2  runs, process {}", second.process.id())),
        "{out}"
    );

    // No number is given: the first is asked, and the user is told of the other.
    let (code, _, told) = run(&machine, &["access", "grant", "alice", "minimal"]);
    assert!(
        code == 0 && told.contains("2 gateways of this configuration run; this is about number 1, `--gateway 2` is about another"),
        "{told}"
    );
    let (code, _, told) = run(&machine, &["--gateway", "2", "access", "grant", "bob", "minimal"]);
    assert_eq!((code, told.as_str()), (0, ""));
    let principals = |number: &str| -> Vec<String> {
        let (grants, told) = listed(&machine, &["--gateway", number, "access", "list"]);
        assert_eq!(told, "");
        let grants = grants.as_array().expect("a list").iter();
        grants
            .map(|grant| grant["principal"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(
        (principals("1"), principals("2")),
        (vec!["alice".to_owned()], vec!["bob".to_owned()])
    );
    let (events, _) = listed(&machine, &["--gateway", "2", "audit", "query", "--type", "ACCESS_GRANTED"]);
    assert_eq!(
        (events.as_array().map(Vec::len), &events[0]["details"]["principal"]),
        (Some(1), &json!("bob"))
    );

    // The second goes on alone: it is the one that runs.
    first.end();
    let (grants, told) = listed(&machine, &["access", "list"]);
    assert_eq!((&grants[0]["principal"], told.as_str()), (&json!("bob"), ""));
    // What the other remembers is still there to be read and changed, while it does not run.
    assert_eq!(principals("1"), ["alice"]);
    second.end();
    let (known, _) = listed(&machine, &["gateways"]);
    assert_eq!((&known[0]["running"], &known[1]["running"]), (&json!(false), &json!(false)));
    assert_eq!(principals("2"), ["bob"]);
}

#[test]
fn a_number_that_none_can_have_and_two_ways_to_name_a_store() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &[]));
    let (code, _, told) = run(&machine, &["--gateway", "17", "access", "list"]);
    assert!(code == 2 && told.contains("it is a number from 1 to 16"), "{told}");
    let (code, _, told) = run(&machine, &["--gateway", "3", "audit", "query"]);
    assert!(code == 1 && told.contains("there is no store in"), "{told}");
    let (code, _, told) = run(&machine, &["--gateway", "1", "audit", "verify", "--store", "x"]);
    assert!(code == 2 && told.contains("by `--store` or by `--gateway`, not by both"), "{told}");
    let (code, _, told) = run(&machine, &["--gateway", "2", "audit", "tail"]);
    assert!(code == 1 && told.contains("chancery serve"), "{told}");
}
