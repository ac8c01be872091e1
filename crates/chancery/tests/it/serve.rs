//! `chancery serve`: what it listens on, and how it takes a new configuration.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Stdio};

use expect_test::expect;
use rustix::process::{Pid, Signal, kill_process};

use crate::machine::Machine;

const BINARY: &str = env!("CARGO_BIN_EXE_chancery");

/// Returns a whole configuration: what is said of the gateway, and these example servers.
pub(crate) fn configuration(gateway: &str, servers: &[&str]) -> String {
    let server = |name: &&str| format!("[[servers]]\nid = \"{name}\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"{name}\"]\n");
    // Lists wait for every server, however long this machine takes to start one.
    let servers: String = servers.iter().map(server).collect();
    format!("[gateway]\nstartup_wait = \"1m\"\n{gateway}\n{servers}")
}

pub(crate) const ANY_PORT: &str = "listen = \"127.0.0.1:0\"";

/// Replaces the file at once: half of it is never there to be read.
pub(crate) fn put(machine: &Machine, text: &str) {
    machine.write("new.toml", text);
    std::fs::rename(machine.path("new.toml"), machine.path("a.toml")).expect("the new file");
}

/// A gateway that runs on `a.toml`, and ends with this value.
pub(crate) struct Running {
    process: Child,
    pub(crate) address: String,
    log: Lines<BufReader<ChildStderr>>,
}

impl Running {
    pub(crate) fn start(machine: &Machine) -> Self {
        Self::start_with(machine, &[])
    }

    pub(crate) fn start_with(machine: &Machine, args: &[&str]) -> Self {
        let mut command = machine.command(&["--config", "../a.toml", "serve"]);
        command.args(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the binary");
        let mut url = String::new();
        let mut out = BufReader::new(process.stdout.take().expect("its stdout"));
        out.read_line(&mut url).expect("a line");
        let address = url.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        Self {
            address: address.expect("an address").to_owned(),
            log: BufReader::new(process.stderr.take().expect("its stderr")).lines(),
            process,
        }
    }

    /// Returns the next line of the log that says this.
    fn says(&mut self, what: &str) -> String {
        let mut lines = self.log.by_ref().map(|line| line.expect("a line"));
        lines.find(|line| line.contains(what)).expect("a gateway that goes on")
    }

    fn hang_up(&self) {
        kill_process(Pid::from_child(&self.process), Signal::HUP).expect("a signal");
    }

    pub(crate) fn end(self) {
        drop(self.last_words());
    }

    /// Ends it; the rest of its log.
    pub(crate) fn last_words(mut self) -> Vec<String> {
        kill_process(Pid::from_child(&self.process), Signal::TERM).expect("a signal");
        let said = self.log.by_ref().map(|line| line.expect("a line")).collect();
        assert!(self.process.wait().expect("its end").success());
        said
    }
}

impl Drop for Running {
    /// A gateway that a failed test leaves behind goes with it.
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// A client that has joined the running gateway.
pub(crate) struct Client {
    process: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    sent: u32,
}

impl Client {
    pub(crate) fn join(machine: &Machine) -> Self {
        let mut command = machine.command(&["--config", "../a.toml", "stdio"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("the binary");
        let mut client = Self {
            input: process.stdin.take().expect("its stdin"),
            lines: BufReader::new(process.stdout.take().expect("its stdout")).lines(),
            process,
            sent: 0,
        };
        let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
        client.ask("initialize", hello);
        writeln!(client.input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).expect("the gateway reads");
        client
    }

    pub(crate) fn ask(&mut self, method: &str, params: &str) -> String {
        self.sent += 1;
        let id = format!(r#""id":{}"#, self.sent);
        writeln!(self.input, r#"{{"jsonrpc":"2.0",{id},"method":"{method}","params":{params}}}"#).expect("the gateway reads");
        let mut lines = self.lines.by_ref().map(|line| line.expect("a line"));
        lines.find(|line| line.contains(&id)).expect("an answer")
    }

    /// Returns whether the tools are those of the server `minimal`, and those of `everything`.
    pub(crate) fn tools(&mut self) -> (bool, bool) {
        let list = self.ask("tools/list", "{}");
        (list.contains("echo\""), list.contains("\"count\""))
    }

    pub(crate) fn leave(self) {
        let Self { mut process, input, .. } = self;
        drop(input);
        assert!(process.wait().expect("its end").success());
    }
}

#[test]
fn a_changed_file_and_a_hangup_are_read_under_clients_that_stay() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &["minimal"]));
    let mut gateway = Running::start(&machine);
    // The first thing that a client can do: nothing in the file has changed, so that only the signal can be meant.
    gateway.hang_up();
    gateway.says("the configuration was reloaded servers=1");
    let mut client = Client::join(&machine);
    assert_eq!(client.tools(), (true, false));
    put(&machine, &configuration(ANY_PORT, &["minimal", "everything"]));
    gateway.says("the configuration was reloaded servers=2");
    assert_eq!(client.tools(), (true, true));
    put(&machine, &configuration(ANY_PORT, &[]));
    gateway.hang_up();
    gateway.says("the configuration was reloaded servers=0");
    assert_eq!(client.tools(), (false, false));
    client.leave();
    gateway.end();
}

#[test]
fn a_bad_file_changes_nothing() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &["minimal"]));
    let mut gateway = Running::start(&machine);
    let mut client = Client::join(&machine);
    assert_eq!(client.tools(), (true, false));
    put(&machine, &configuration("lisen = \"127.0.0.1:0\"", &["everything"]));
    gateway.says("the configuration was not reloaded, the old one stays");
    gateway.says("unknown key `lisen` in [gateway]");
    gateway.says("a.toml:3:1");
    gateway.hang_up();
    gateway.says("the configuration was not reloaded, the old one stays");
    assert_eq!(client.tools(), (true, false));
    put(&machine, &configuration(ANY_PORT, &["everything"]));
    gateway.says("the configuration was reloaded servers=1");
    assert_eq!(client.tools(), (true, true));
    client.leave();
    gateway.end();
}

#[test]
fn what_only_a_start_reads_is_named_and_stays() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &[]));
    let mut gateway = Running::start(&machine);
    put(&machine, &configuration("listen = \"127.0.0.1:1\"\nlog_level = \"error\"", &[]));
    let said = gateway.says("takes effect at the next start");
    assert!(said.contains("what changed of `listen`, `log_level` takes effect"), "{said}");
    gateway.says("the configuration was reloaded servers=0");
    TcpStream::connect(&gateway.address).expect("the address that it was started with");
    gateway.end();
}

#[test]
fn an_address_in_use_and_where_it_was_asked_for() {
    let machine = Machine::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    put(&machine, &configuration(&format!("listen = \"{address}\""), &[]));
    let shown = |args: &[&str]| machine.shown(args).replace(&address, "ADDRESS");
    expect![[r#"
        1
        ---
        error: ~/project/../a.toml:3:10: failed to listen on `ADDRESS`: Address already in use (os error 98); stop what listens there, or choose another port
    "#]].assert_eq(&shown(&["--config", "../a.toml", "serve"]));
    // Here the command line has asked for it.
    expect![[r#"
        1
        ---
        error: failed to listen on `ADDRESS`: Address already in use (os error 98); stop what listens there, or choose another port
    "#]]
    .assert_eq(&shown(&["--config", "../a.toml", "serve", "--listen", &address]));
}

#[test]
fn a_certificate_that_cannot_be_used_and_where_it_was_named() {
    let machine = Machine::new();
    let tls = "tls = { cert = \"cert.pem\", key = \"key.pem\" }";
    put(&machine, &configuration(&format!("{ANY_PORT}\n{tls}"), &[]));
    machine.check(
        &["--config", "../a.toml", "serve"],
        &expect![[r#"
        2
        ---
          × `cert` names `~/project/../cert.pem`, which can't be read: No such file or directory (os
          │ error 2)
           ╭─[~/project/../a.toml:4:16]
         4 │ tls = { cert = "********", key = "*******" }
           ·                ─────┬────
           ·                     ╰── here
           ╰────
          help: name a PEM file; a relative path is relative to this file

          × `key` names `~/project/../key.pem`, which can't be read: No such file or directory (os
          │ error 2)
           ╭─[~/project/../a.toml:4:34]
         4 │ tls = { cert = "********", key = "*******" }
           ·                                  ────┬────
           ·                                      ╰── here
           ╰────
          help: name a PEM file; a relative path is relative to this file

    "#]],
    );
    machine.write("cert.pem", "not a certificate\n");
    machine.write("key.pem", "not a key\n");
    machine.check(
        &["--config", "../a.toml", "serve"],
        &expect![[r#"
        1
        ---
        error: ~/project/../a.toml:4:16: failed to use `~/project/../cert.pem` for TLS: it holds no certificate in PEM
    "#]],
    );
}
