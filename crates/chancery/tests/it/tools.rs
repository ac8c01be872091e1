//! `chancery tools` as a person sees it.

use expect_test::expect;

use crate::machine::Machine;

const BINARY: &str = env!("CARGO_BIN_EXE_chancery");

#[test]
fn servers_that_fail_are_named_once_and_in_short() {
    let machine = Machine::new();
    machine.write(
        "a.toml",
        &format!(
            "[[servers]]\nid = \"absent\"\ncommand = \"no-such-program\"\n\
             [[servers]]\nid = \"ends\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"echo why >&2; exit 3\"]\n\
             [[servers]]\nid = \"minimal\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"minimal\"]\n"
        ),
    );
    machine.check(
        &["--config", "../a.toml", "tools", "list"],
        &expect![[r#"
        0
        minimal/echo  Says back what it is told
        ---
        `absent` is left out: failed to start `no-such-program`: no such program in PATH
        `ends` is left out: during the handshake: the process exited (exit status: 3)
        `chancery doctor` says more
    "#]],
    );
    machine.check(
        &["--config", "../a.toml", "tools", "call", "echo", "--arg", "text=hello"],
        &expect![[r#"
        0
        hello
        ---
        `absent` is left out: failed to start `no-such-program`: no such program in PATH
        `ends` is left out: during the handshake: the process exited (exit status: 3)
        `chancery doctor` says more
    "#]],
    );
    // Servers that the call does not concern are not mentioned.
    machine.check(
        &["--config", "../a.toml", "tools", "call", "minimal/echo", "{\"text\": \"hello\"}"],
        &expect![[r#"
        0
        hello
        ---
    "#]],
    );
}

#[test]
fn a_call_is_on_record_as_the_user_s_and_a_list_is_not() {
    let machine = Machine::new();
    machine.write(
        "a.toml",
        &format!("[[servers]]\nid = \"minimal\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"minimal\"]\n"),
    );
    machine.run(&["--config", "../a.toml", "tools", "list"]);
    machine.run(&["--config", "../a.toml", "tools", "call", "minimal/echo", "--arg", "text=hello"]);
    let shown = machine.shown(&["--config", "../a.toml", "audit", "query"]);
    let events: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split_once("Z "))
        .map(|(_, event)| event.trim())
        .collect();
    expect![[r#"
        2 SUCCESS TOOL_EXECUTED agent:local minimal/echo
        1 SUCCESS dev.chancery.call_admitted agent:local minimal/echo
    "#]]
    .assert_eq(&(events.join("\n") + "\n"));
}

/// A server that is up but can't say what it offers is as good as none: who asks what there is must hear of it.
#[test]
fn a_server_whose_lists_fail_is_named() {
    let machine = Machine::new();
    let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
    machine.write(
        "listless.sh",
        &format!(
            r#"while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{hello}}}\n' "$id" ;;
    *'"id"'*) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32000,"message":"no database"}}}}\n' "$id" ;;
  esac
done
"#
        ),
    );
    let script = machine.path("listless.sh").display().to_string();
    machine.write(
        "a.toml",
        &format!(
            "[[servers]]\nid = \"listless\"\ncommand = \"/bin/sh\"\nargs = [\"{script}\"]\nenv = {{ PATH = \"/usr/bin:/bin\" }}\n\
             [[servers]]\nid = \"minimal\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"minimal\"]\n"
        ),
    );
    machine.check(
        &["--config", "../a.toml", "tools", "list"],
        &expect![[r#"
        0
        minimal/echo  Says back what it is told
        ---
        waiting for the lists of `listless`, a few seconds more
        `listless` is left out: connected, but what it offers could not be read: `tools/list` was answered `no database`
        `chancery doctor` says more
    "#]],
    );
}

#[test]
fn a_tool_is_found_by_each_of_its_names() {
    let machine = Machine::new();
    machine.write(
        "a.toml",
        &format!("[[servers]]\nid = \"minimal\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"minimal\"]\n"),
    );
    for name in ["echo", "minimal/echo", "minimal__echo"] {
        // A number is text where the schema wants text.
        let shown = machine.shown(&["--config", "../a.toml", "tools", "call", name, "--arg", "text=7"]);
        assert_eq!(shown, "0\n7\n---\n", "{name}");
    }
    machine.check(
        &["--config", "../a.toml", "tools", "call", "ecko", "{}"],
        &expect![[r#"
        1
        ---
        error: no tool is called `ecko`; did you mean `minimal/echo`? (`chancery tools list` shows all)
    "#]],
    );
}

#[test]
fn names_are_checked_before_anything_starts() {
    let machine = Machine::new();
    let started = "[[servers]]\nid = \"a\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"echo > ../started\"]\n";
    machine.write(
        "a.toml",
        &format!("{started}[[servers]]\nid = \"b\"\ncommand = \"x\"\nenabled = false\n"),
    );
    machine.check(
        &["--config", "../a.toml", "tools", "list", "a", "c"],
        &expect![[r#"
        1
        ---
        error: no server is called `c`; there are: a
    "#]],
    );
    machine.check(
        &["--config", "../a.toml", "doctor", "b"],
        &expect![[r#"
        1
        ---
        error: `b` is not in use: its table says `enabled = false`
    "#]],
    );
    assert!(!machine.path("started").exists());
}

#[test]
fn where_there_are_no_servers_the_way_to_some_is_shown() {
    let machine = Machine::new();
    machine.check(&["tools", "list"], &expect![[r#"
        1
        ---
        error: no servers are configured: `chancery import` takes them over from your other clients, `chancery config path` says where to write them
    "#]]);
    machine.check(&["doctor"], &expect![[r#"
        0
        no servers are configured: `chancery import` takes them over from your other clients, `chancery config path` says where to write them
        ---
    "#]]);
    machine.write("project/mgp.toml", "[[servers]]\nid = \"a\"\ncommand = \"x\"\n");
    machine.check(&["tools", "list"], &expect![[r#"
        1
        ---
          ⚠ `~/project/mgp.toml` is left out: it is not trusted yet, and a project's file can start
          │ any program
          help: look at it, then run `chancery config trust` in that directory, or pass `--trust` to use it this
                once

        error: no servers are configured but those of `~/project/mgp.toml`, which is not trusted: look at it, then run `chancery config trust`
    "#]]);
    machine.check(
        &["doctor"],
        &expect![[r#"
        0
        no servers are configured but those of `~/project/mgp.toml`, which is not trusted: look at it, then run `chancery config trust`
        ---
          ⚠ `~/project/mgp.toml` is left out: it is not trusted yet, and a project's file can start
          │ any program
          help: look at it, then run `chancery config trust` in that directory, or pass `--trust` to use it this
                once

    "#]],
    );
}

#[test]
fn a_call_to_a_server_that_is_not_up_says_so_and_why() {
    let machine = Machine::new();
    machine.write(
        "a.toml",
        "[[servers]]\nid = \"hang\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"exec sleep 3600\"]\nstartup_timeout = \"1s\"\n\
         [[servers]]\nid = \"absent\"\ncommand = \"no-such-program\"\n",
    );
    machine.check(
        &["--config", "../a.toml", "tools", "call", "hang/x"],
        &expect![[r#"
        1
        ---
        error: `hang` is not up: it did not complete the handshake within 1 s; `chancery doctor hang` says more
    "#]],
    );
    machine.check(
        &["--config", "../a.toml", "tools", "call", "absent__x"],
        &expect![[r#"
        1
        ---
        error: `absent` is not up: failed to start `no-such-program`: no such program in PATH; `chancery doctor absent` says more
    "#]],
    );
}

#[test]
fn progress_of_a_call_is_shown_beside_its_result() {
    let machine = Machine::new();
    machine.write(
        "a.toml",
        &format!("[[servers]]\nid = \"everything\"\ncommand = \"{BINARY}\"\nargs = [\"example\", \"everything\"]\n"),
    );
    machine.check(
        &["--config", "../a.toml", "tools", "call", "count", "{\"to\": 2, \"pause\": 1}"],
        &expect![[r#"
            0
            counted to 2
            ---
            progress 1/2 step 1
            progress 2/2 step 2
        "#]],
    );
    // The person at the terminal is asked nothing: a server that has to ask says so.
    machine.check(
        &["--config", "../a.toml", "tools", "call", "ask_form"],
        &expect![[r#"
        1
        ---
        error: missing required client capability
    "#]],
    );
}
