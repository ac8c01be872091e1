//! The binary as a person runs it.

mod audit_server;
mod demo;
mod doctor;
mod gateways;
mod http;
mod killed;
mod machine;
mod mangle;
mod operate;
mod records;
mod serve;
mod stdio;
mod telemetry;
mod tools;

use std::path::Path;

use expect_test::expect;

use machine::Machine;

#[test]
fn config_check_of_a_good_file() {
    let machine = Machine::new();
    machine.write("a.toml", "[[servers]]\nid = \"a\"\ncommand = \"x\"\n[[servers]]\nid = \"b\"\nurl = \"https://example.com/${UNSET}\"\n[[servers]]\nid = \"c\"\ncommand = \"x\"\nenabled = false\n");
    machine.check(
        &["--config", "../a.toml", "config", "check"],
        &expect![[r#"
        0
        ok: 2 servers in 1 file, 1 of them in error, 1 disabled
        ---
          ⚠ the variable `UNSET` is not set (used in `url`)
           ╭─[~/project/../a.toml:6:7]
         6 │ url = "https://example.com/${UNSET}"
           ·       ───────────────┬──────────────
           ·                      ╰── here
           ╰────
          help: set `UNSET`, or write `${UNSET:-default}`; until then this server is in error, the others start

    "#]],
    );
}

#[test]
fn config_check_of_a_bad_file() {
    let machine = Machine::new();
    machine.write(
        "project/a.toml",
        "[gateway]\nlisten = \"localhost\"\n\n[[servers]]\nid = \"a\"\ncomand = \"x\"\nenv = { TOKEN = \"hunter2\", N = 1 }\n",
    );
    machine.check(
        &["--config", "a.toml", "config", "check"],
        &expect![[r#"
            2
            ---
              × `listen` can't be `localhost`: it is not an IP address and a port
               ╭─[~/project/a.toml:2:10]
             2 │ listen = "localhost"
               ·          ─────┬─────
               ·               ╰── here
               ╰────
              help: for example `listen = "127.0.0.1:8717"`

              × unknown key `comand` in [[servers]]
               ╭─[~/project/a.toml:6:1]
             6 │ comand = "*"
               · ───┬──
               ·    ╰── not a key of this table
               ╰────
              help: did you mean `command`?

              × `env.N` must be a string, not a whole number
               ╭─[~/project/a.toml:7:32]
             7 │ env = { TOKEN = "*******", N = * }
               ·                                ┬
               ·                                ╰── here
               ╰────
              help: put it in quotes

        "#]],
    );
    machine.check(
        &["--config", "absent.toml", "config", "check"],
        &expect![[r#"
        2
        ---
          × `~/project/absent.toml` (--config) can't be read: No such file or directory (os error 2)
          help: check the path and its permissions

    "#]],
    );
}

#[test]
fn a_project_file_is_left_out_until_somebody_trusts_it() {
    let machine = Machine::new();
    machine.write("project/mgp.toml", "[[servers]]\nid = \"a\"\ncommand = \"x\"\n");
    machine.check(
        &["config", "check"],
        &expect![[r#"
        0
        ok: 0 servers in 0 files
        ---
          ⚠ `~/project/mgp.toml` is left out: it is not trusted yet, and a project's file can start
          │ any program
          help: look at it, then run `chancery config trust` in that directory, or pass `--trust` to use it this
                once

    "#]],
    );
    machine.check(
        &["config", "path"],
        &expect![[r#"
        0
        project          not trusted  ~/project/mgp.toml
        user             absent       ~/.config/mgp/servers.toml
        ---
    "#]],
    );
    machine.check(
        &["--trust", "config", "check"],
        &expect![[r#"
        0
        ok: 1 server in 1 file
        ---
    "#]],
    );
    machine.check(
        &["config", "trust"],
        &expect![[r#"
        2
        ---
          × there is no terminal to ask a person at
          help: look at the file, then run `chancery config trust --yes`

    "#]],
    );
    machine.check(
        &["config", "trust", "--yes"],
        &expect![[r#"
        0
        ~/project/mgp.toml is trusted as it is now
        ---
    "#]],
    );
    machine.check(
        &["config", "check"],
        &expect![[r#"
        0
        ok: 1 server in 1 file
        ---
    "#]],
    );
    machine.check(
        &["config", "path"],
        &expect![[r#"
        0
        project          read         ~/project/mgp.toml
        user             absent       ~/.config/mgp/servers.toml
        ---
    "#]],
    );
}

#[test]
fn import_and_connect_there_and_back() {
    let machine = Machine::new();
    let cursor = "{\n  \"mcpServers\": {\n    \"files\": { \"command\": \"npx\", \"args\": [\"files\"] }\n  }\n}\n";
    machine.write(".cursor/mcp.json", cursor);
    machine.check(
        &["import", "cursor", "--dry-run"],
        &expect![[r#"
            0
            # Cursor: ~/.cursor/mcp.json: 1 found, 1 new
            # would be added to ~/.config/mgp/servers.toml (secrets are not shown):

            [[servers]]
            id = "files"
            command = "npx"
            args = ["files"]
            ---
        "#]],
    );
    machine.check(
        &["import"],
        &expect![[r#"
            0
            Cursor: ~/.cursor/mcp.json: 1 found, 1 new
            added `files`
            1 added to ~/.config/mgp/servers.toml; see how they do with `chancery doctor`
            ---
        "#]],
    );
    machine.check(
        &["config", "check"],
        &expect![[r#"
        0
        ok: 1 server in 1 file
        ---
    "#]],
    );
    let connected = machine.shown(&["connect", "cursor", "--http", "http://127.0.0.1:8717/mcp"]);
    assert!(connected.starts_with("0\nCursor is connected: ~/.cursor/mcp.json\n"), "{connected}");
    let undone = machine.shown(&["connect", "cursor", "--undo"]);
    assert!(undone.starts_with("0\n~/.cursor/mcp.json is as it was"), "{undone}");
    assert_eq!(std::fs::read_to_string(machine.path(".cursor/mcp.json")).expect("a file"), cursor);
    machine.check(
        &["connect", "cursr"],
        &expect![[r#"
        2
        ---
          × `cursr` is not a client that is known here
          help: did you mean `cursor`?

    "#]],
    );
    // The names are whole, so that a user can copy one.
    machine.check(
        &["connect", "nonsense"],
        &expect![[r#"
        2
        ---
          × `nonsense` is not a client that is known here
          help: clients are claude-desktop, claude-code, cursor, vscode, windsurf, zed, gemini-cli, cline,
                lm-studio, codex

    "#]],
    );
}

#[test]
fn connect_takes_no_address_that_nobody_can_call() {
    let machine = Machine::new();
    for url in [
        "notaurl",
        "127.0.0.1:8717/mcp",
        "ftp://example.com/mcp",
        "http://",
        "http://:8717/mcp",
    ] {
        let shown = machine.shown(&["connect", "cursor", "--http", url]);
        assert!(
            shown.starts_with("2\n---\n") && shown.contains("for '--http <URL>': it "),
            "{shown}"
        );
    }
    assert!(!machine.path(".cursor/mcp.json").exists());
}

#[test]
fn connect_names_this_binary_and_whole_paths() {
    let machine = Machine::new();
    let shown = machine.shown(&["--config", "mine.toml", "connect", "claude-code", "--project", "--dry-run"]);
    assert!(shown.contains(env!("CARGO_BIN_EXE_chancery")), "{shown}");
    assert!(
        shown.contains("\"stdio\",\n        \"--config\",\n        \"~/project/mine.toml\""),
        "{shown}"
    );
}

#[test]
fn connect_carries_along_what_the_variable_names() {
    let machine = Machine::new();
    let shown = |args: &[&str]| {
        let mut command = machine.command(args);
        let output = command.env("MGP_CONFIG_PATH", "own.toml").output().expect("the binary");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let file = machine.path("project/own.toml").display().to_string();
    let by_variable = shown(&["connect", "cursor", "--dry-run"]);
    assert!(by_variable.contains("\"--config\"") && by_variable.contains(&file), "{by_variable}");
    // What is named on the command line stands instead of it here, and there.
    let by_option = shown(&["--config", "mine.toml", "connect", "cursor", "--dry-run"]);
    assert!(by_option.contains("mine.toml") && !by_option.contains("own.toml"), "{by_option}");
    let by_json = shown(&["--mcp-json", ".mcp.json", "connect", "cursor", "--dry-run"]);
    assert!(by_json.contains(".mcp.json") && !by_json.contains("own.toml"), "{by_json}");
}

#[test]
fn every_help_has_an_example() {
    let machine = Machine::new();
    let commands: [&[&str]; 18] = [
        &[],
        &["serve"],
        &["stdio"],
        &["demo"],
        &["doctor"],
        &["gateways"],
        &["config"],
        &["config", "check"],
        &["config", "path"],
        &["config", "trust"],
        &["tools"],
        &["tools", "list"],
        &["tools", "call"],
        &["tools", "export"],
        &["import"],
        &["connect"],
        &["example"],
        &["completions"],
    ];
    for command in commands {
        let mut args = command.to_vec();
        args.push("--help");
        let shown = machine.shown(&args);
        assert!(shown.starts_with("0\n") && shown.contains("Example"), "{args:?}\n{shown}");
    }
}

#[test]
fn completions_for_every_shell() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(machine.shown(&["completions", shell]).contains("chancery"));
    }
}

#[test]
fn an_unknown_command_and_a_bad_level() {
    let machine = Machine::new();
    let output = machine.run(&["srve"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("'serve'"));
    let output = machine.run(&["--log-level", "loud=quiet=", "serve"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn an_address_and_a_home_that_are_missing() {
    let machine = Machine::new();
    let shown = machine.shown(&["serve", "--listen", "example.com"]);
    assert!(
        shown.contains("it is not an IP address and a port, such as `127.0.0.1:8717`"),
        "{shown}"
    );
    let homeless = machine
        .command(&["connect", "--list"])
        .env_remove("HOME")
        .output()
        .expect("the binary");
    assert_eq!(homeless.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&homeless.stderr).contains("set HOME"), "{homeless:?}");
    let shown = machine.shown(&["config", "trust"]);
    assert!(
        shown.contains("can't be read") && shown.contains("name the file: `chancery config trust FILE`"),
        "{shown}"
    );
}

#[test]
fn the_reference_is_what_the_docs_hold() {
    let machine = Machine::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let output = machine.run(&["config", "reference"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        std::fs::read_to_string(docs.join("configuration.md")).expect("the docs")
    );
    let output = machine.run(&["config", "reference", "--json-schema"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        std::fs::read_to_string(docs.join("configuration.schema.json")).expect("the docs")
    );
}
