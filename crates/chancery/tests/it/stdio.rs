//! `chancery stdio` as a client that starts it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};

use crate::machine::Machine;

const BINARY: &str = env!("CARGO_BIN_EXE_chancery");

#[test]
fn a_client_has_no_more_unanswered_requests_than_configured() {
    let machine = Machine::new();
    let server = format!("[[servers]]\nid = \"everything\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"everything\"]\n");
    machine.write("a.toml", &format!("[gateway.limits]\nin_flight = 1\n{server}"));
    let mut gateway = machine.command(&["--config", "../a.toml", "stdio", "--standalone"]);
    gateway.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut gateway = gateway.spawn().expect("the binary");
    let mut input = gateway.stdin.take().expect("its stdin");
    let mut lines = BufReader::new(gateway.stdout.take().expect("its stdout")).lines();
    let mut say = |text: &str| writeln!(input, "{text}").expect("the gateway reads");
    let mut next = || {
        let mut answers = lines.by_ref().map(|line| line.expect("a line"));
        answers.find(|line| line.contains(r#""id":"#)).expect("an answer")
    };

    say(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    );
    assert!(next().contains(r#""id":0"#));
    say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    // The first counts slowly, so that it is unanswered when the second arrives.
    say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"to":3,"pause":300}}}"#);
    say(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count","arguments":{"to":1,"pause":1}}}"#);
    let refused = next();
    assert!(
        refused.contains(r#""id":2"#) && refused.contains("too many unanswered requests"),
        "{refused}"
    );
    let answered = next();
    assert!(answered.contains(r#""id":1"#) && answered.contains("result"), "{answered}");
    drop(input);
    assert!(gateway.wait().expect("its end").success());
}

/// A child may ignore every polite request to end; a client that waits for it is answered before that.
#[test]
fn a_call_in_flight_is_answered_at_the_end() {
    let machine = Machine::new();
    let stubborn = format!("trap '' TERM; exec {BINARY} example everything");
    machine.write(
        "a.toml",
        &format!("[[servers]]\nid = \"everything\"\ncommand = \"sh\"\nargs = [\"-c\", \"{stubborn}\"]\n"),
    );
    let mut gateway = machine.command(&["--config", "../a.toml", "stdio", "--standalone"]);
    gateway.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut gateway = gateway.spawn().expect("the binary");
    let mut input = gateway.stdin.take().expect("its stdin");
    let mut lines = BufReader::new(gateway.stdout.take().expect("its stdout")).lines();
    let mut say = |text: &str| writeln!(input, "{text}").expect("the gateway reads");
    let mut next = |what: &str| {
        let mut said = lines.by_ref().map(|line| line.expect("a line"));
        said.find(|line| line.contains(what)).unwrap_or_else(|| panic!("no {what}"))
    };
    say(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    );
    next(r#""id":0"#);
    say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    say(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"to":1000,"pause":300},"_meta":{"progressToken":1}}}"#,
    );
    next("notifications/progress");
    kill_process(Pid::from_child(&gateway), Signal::TERM).expect("a signal");
    let answered = next(r#""id":1"#);
    assert!(answered.contains("error") && answered.contains("shutting down"), "{answered}");
    assert!(gateway.wait().expect("its end").success());
}

#[test]
fn a_broken_file_turns_nobody_away_from_a_gateway_that_runs() {
    let machine = Machine::new();
    machine.write("a.toml", "[gateway]\nlisten = \"127.0.0.1:0\"\n");
    let mut running = machine.command(&["--config", "../a.toml", "serve"]);
    let mut running = running.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary");
    let mut address = String::new();
    BufReader::new(running.stdout.take().expect("its stdout"))
        .read_line(&mut address)
        .expect("a line");
    machine.write("a.toml", "[gateway\n");
    let mut client = machine.command(&["--config", "../a.toml", "stdio"]);
    let mut client = client
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary");
    let mut input = client.stdin.take().expect("its stdin");
    writeln!(input, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#).expect("the gateway reads");
    let mut answer = String::new();
    BufReader::new(client.stdout.take().expect("its stdout"))
        .read_line(&mut answer)
        .expect("a line");
    assert!(answer.contains(r#""id":1"#), "{answer}");
    drop(input);
    assert!(client.wait().expect("its end").success());
    kill_process(Pid::from_child(&running), Signal::TERM).expect("a signal");
    assert!(running.wait().expect("its end").success());
    // Without a gateway the file is what counts.
    let shown = machine.shown(&["--config", "../a.toml", "stdio"]);
    assert!(shown.starts_with("2\n") && shown.contains("not valid TOML"), "{shown}");
}
