//! `chancery doctor` as a person sees it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::Stdio;

use expect_test::expect;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::machine::Machine;

const BINARY: &str = env!("CARGO_BIN_EXE_chancery");

/// Returns a server that works.
fn minimal() -> String {
    format!("[[servers]]\nid = \"minimal\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"minimal\"]\n")
}

#[test]
fn a_server_is_shown_while_another_keeps_silent() {
    let machine = Machine::new();
    // Takes connections and never says a word.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address");
    let servers = format!("[[servers]]\nid = \"silent\"\nurl = \"http://{address}/mcp\"\n{}", minimal());
    machine.write("a.toml", &servers);
    let mut doctor = machine.command(&["--config", "../a.toml", "doctor"]);
    let mut doctor = doctor.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary");
    let mut out = BufReader::new(doctor.stdout.take().expect("its stdout"));
    let mut first = String::new();
    out.read_line(&mut first).expect("a line");
    assert!(
        first.starts_with("✓ minimal  ") && first.contains(": 1 tool, 1 resource, 1 prompt, "),
        "{first}"
    );
    drop(silent);
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("the rest");
    assert!(
        rest.starts_with("✗ silent   ") && rest.contains(&format!("configured as: http://{address}/mcp\n")),
        "{rest}"
    );
    assert!(rest.ends_with("\n1 of 2 servers work; to mend: silent\n"), "{rest}");
    assert_eq!(doctor.wait().expect("its end").code(), Some(1));
}

#[test]
fn what_is_wrong_comes_with_the_command_its_last_words_and_advice() {
    let machine = Machine::new();
    let server = |id: &str, script: &str| {
        format!("[[servers]]\nid = \"{id}\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"{script}\", \"--api-key\", \"hunter2\"]\n")
    };
    let stays = server("stays", "echo listening on port 3000 >&2; exec >&-; read line; read line");
    let ends = server("ends", "echo one >&2; echo two >&2; exit 3");
    machine.write("stays.toml", &stays);
    machine.write("ends.toml", &ends);
    machine.write(
        "absent.toml",
        "[[servers]]\nid = \"absent\"\ncommand = \"no-such-program\"\nenv = { PATH = \"/nowhere\" }\n",
    );
    machine.check(
        &["--config", "../stays.toml", "doctor"],
        &expect![[r#"
        1
        ✗ stays   during the handshake: the connection ended (it closed its stdout)
                  configured as: /bin/sh -c 'echo listening on port 3000 >&2; exec >&-; read line; read line' --api-key ***
                  stderr: listening on port 3000
                  → a `command` must go on running and answer on its stdout; if it serves HTTP, start it yourself and give its `url` instead
        0 of 1 servers work; to mend: stays
        ---
    "#]],
    );
    machine.check(
        &["--config", "../ends.toml", "doctor"],
        &expect![[r#"
        1
        ✗ ends    during the handshake: the process exited (exit status: 3)
                  configured as: /bin/sh -c 'echo one >&2; echo two >&2; exit 3' --api-key ***
                  stderr: one
                  stderr: two
                  → run that command by hand to see why it ends; it gets only a few variables, the others must stand in `env`
        0 of 1 servers work; to mend: ends
        ---
    "#]],
    );
    machine.check(&["--config", "../absent.toml", "doctor"], &expect![[r#"
        1
        ✗ absent  failed to start `no-such-program`: no such program in PATH; install it, or give the full path as `command` (a shell prints it with `command -v no-such-program`); PATH is `/nowhere`
                  configured as: no-such-program
        0 of 1 servers work; to mend: absent
        ---
    "#]]);
}

#[test]
fn an_interrupt_leaves_no_process_behind() {
    let machine = Machine::new();
    let started = machine.path("started");
    rustix::fs::mknodat(rustix::fs::CWD, &started, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("a named pipe");
    // It says that it runs by opening the pipe; it never answers, nor ends when its stdin does.
    let script = "echo $$ > ../started; exec sleep 3600";
    machine.write(
        "a.toml",
        &format!("[[servers]]\nid = \"hangs\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"{script}\"]\n"),
    );
    for command in [["doctor", "hangs"], ["tools", "list"]] {
        let mut command = machine.command(&["--config", "../a.toml", command[0], command[1]]);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary");
        let server = std::fs::read_to_string(&started).expect("the pid of the server");
        let server = Pid::from_raw(server.trim().parse().expect("a number")).expect("a pid");
        kill_process(Pid::from_child(&running), Signal::INT).expect("an interrupt");
        assert_eq!(running.wait().expect("its end").code(), Some(130));
        assert!(test_kill_process(server).is_err(), "the server outlived {command:?}");
    }
}
