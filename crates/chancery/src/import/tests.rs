//! Other clients' files, as our tables.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use kernel::spec::{HttpKind, Launch};

use super::{Here, Import, read_text, run, to_toml};
use crate::clients::{CLIENTS, Machine, Os};
use crate::config::{Env, Problems, Sources, Trust, load, load_text};

fn check(path: &str, text: &str, expected: &Expect) {
    let mut problems = Problems::default();
    let env = Env::default();
    let here = Here {
        cwd: Path::new("/home/me/project"),
        home: Some(Path::new("/home/me")),
        env: &env,
    };
    let servers = read_text(Path::new(path), text.to_owned(), here, &mut problems);
    let toml = to_toml(&servers, false);
    // The first line keeps `expect!` from taking a drawing's own margin for indentation.
    expected.assert_eq(&format!("{} servers\n{toml}{}", servers.len(), problems.render(false)));
    if !problems.has_errors() {
        load_text("out.toml", &toml, &env).unwrap_or_else(|problems| panic!("{toml}\n{}", problems.render(false)));
    }
}

#[test]
fn claude_desktop() {
    let text = r#"{"mcpServers": {"File System!": {"command": "npx", "args": ["-y", "server", "/srv"], "env": {"LEVEL": 3, "TOKEN": "sk"}}, "off": {"command": "x", "disabled": true}}, "globalShortcut": ""}"#;
    check(
        "/home/me/.config/Claude/claude_desktop_config.json",
        text,
        &expect![[r#"
            2 servers

            # `File System!` is called `File-System` here: ids hold letters, digits, `-`, `_`, `.` only, and are unique
            [[servers]]
            id = "File-System"
            command = "npx"
            args = ["-y", "server", "/srv"]

            [servers.env]
            LEVEL = "3"
            TOKEN = "sk"

            [[servers]]
            id = "off"
            command = "x"
            enabled = false
        "#]],
    );
}

#[test]
fn claude_code() {
    let text = r#"{"mcpServers": {"api": {"type": "http", "url": "${BASE:-https://example.com}/mcp", "headers": {"Authorization": "Bearer ${KEY}"}, "headersHelper": "x.sh"},
        "old": {"type": "sse", "url": "https://example.com/sse"}, "db": {"type": "stdio", "command": "db", "args": [], "env": {}, "timeout": 600000}}}"#;
    check(
        "/home/me/project/.mcp.json",
        text,
        &expect![[r#"
            3 servers

            # `headersHelper` is not carried over
            [[servers]]
            id = "api"
            transport = "http"
            url = "${BASE:-https://example.com}/mcp"

            [servers.headers]
            Authorization = "Bearer ${KEY}"

            [[servers]]
            id = "old"
            transport = "sse"
            url = "https://example.com/sse"

            [[servers]]
            id = "db"
            transport = "stdio"
            command = "db"
            request_timeout = "600s"
        "#]],
    );
    let user = r#"{"numStartups": 3, "projects": {"/home/me/project": {"mcpServers": {"here": {"command": "h"}}}, "/elsewhere": {"mcpServers": {"there": {"command": "t"}}}}}"#;
    check(
        "/home/me/.claude.json",
        user,
        &expect![[r#"
            1 servers

            [[servers]]
            id = "here"
            command = "h"
        "#]],
    );
}

#[test]
fn cursor() {
    let text = r#"{"mcpServers": {"a": {"command": "${workspaceFolder}/run", "args": ["${userHome}", "${env:USER_NAME}"], "envFile": ".env"}, "b": {"url": "https://example.com/mcp"}}}"#;
    check(
        "/home/me/project/.cursor/mcp.json",
        text,
        &expect![[r#"
            2 servers

            # `envFile` is not read: set its variables in the environment of chancery, and name them in `env`
            [[servers]]
            id = "a"
            command = "/home/me/project/run"
            args = ["${HOME}", "${USER_NAME}"]

            [[servers]]
            id = "b"
            url = "https://example.com/mcp"
        "#]],
    );
    check(
        "/home/me/.cursor/mcp.json",
        text,
        &expect![[r#"
            2 servers

            # `${workspaceFolder}` has no meaning here: replace it with a path
            # `envFile` is not read: set its variables in the environment of chancery, and name them in `env`
            [[servers]]
            id = "a"
            command = "${WORKSPACE_FOLDER}/run"
            args = ["${HOME}", "${USER_NAME}"]

            [[servers]]
            id = "b"
            url = "https://example.com/mcp"
        "#]],
    );
}

#[test]
fn vscode() {
    let text = r#"{
        // asked once
        "inputs": [{"id": "github-token", "type": "promptString", "description": "GitHub token", "password": true}],
        "servers": {
            "github": {"type": "http", "url": "https://api.githubcopilot.com/mcp/", "headers": {"Authorization": "Bearer ${input:github-token}"}},
            "play": {"type": "stdio", "command": "npx", "args": ["${config:x}"], "cwd": "${workspaceFolder}", "gallery": "https://x", "dev": {"watch": "y"},},
        },
    }"#;
    check(
        "/home/me/project/.vscode/mcp.json",
        text,
        &expect![[r#"
            2 servers

            # set the variable `GITHUB_TOKEN`: the other client asks for the input `github-token` (GitHub token)
            [[servers]]
            id = "github"
            transport = "http"
            url = "https://api.githubcopilot.com/mcp/"

            [servers.headers]
            Authorization = "Bearer ${GITHUB_TOKEN}"

            # `${config:x}` is unknown here and stays as it is
            [[servers]]
            id = "play"
            transport = "stdio"
            command = "npx"
            args = ["$${config:x}"]
            cwd = "/home/me/project"
        "#]],
    );
    let settings = r#"{"editor.fontSize": 12, "mcp": {"inputs": [], "servers": {"x": {"command": "y"}}}}"#;
    check(
        "/home/me/.config/Code/User/settings.json",
        settings,
        &expect![[r#"
            1 servers

            [[servers]]
            id = "x"
            command = "y"
        "#]],
    );
}

#[test]
fn windsurf_zed_gemini_and_cline() {
    check(
        "w.json",
        r#"{"mcpServers": {"w": {"serverUrl": "https://example.com/mcp", "disabledTools": ["rm"], "alwaysAllow": ["ls"]}}}"#,
        &expect![[r#"
            1 servers

            # `alwaysAllow` is not carried over: the client decides what it asks its user
            [[servers]]
            id = "w"
            url = "https://example.com/mcp"
            exclude = ["rm"]
        "#]],
    );
    let zed = r#"{"theme": "x", "context_servers": {"new": {"source": "custom", "command": "a", "args": ["b"], "enabled": false}, "old": {"command": {"path": "c", "args": ["d"], "env": null}, "settings": {}}}}"#;
    check(
        "settings.json",
        zed,
        &expect![[r#"
            2 servers

            [[servers]]
            id = "new"
            command = "a"
            args = ["b"]
            enabled = false

            [[servers]]
            id = "old"
            command = "c"
            args = ["d"]
        "#]],
    );
    check(
        "g.json",
        r#"{"mcpServers": {"g": {"httpUrl": "https://example.com/mcp", "timeout": 5000, "trust": true, "includeTools": ["a"], "excludeTools": ["b"]}}}"#,
        &expect![[r#"
            1 servers

            # `trust` is not carried over: the client decides what it asks its user
            [[servers]]
            id = "g"
            url = "https://example.com/mcp"
            request_timeout = "5s"
            include = ["a"]
            exclude = ["b"]
        "#]],
    );
    check(
        "c.json",
        r#"{"mcpServers": {"c": {"type": "streamableHttp", "url": "https://example.com/mcp", "timeout": 60, "autoApprove": []}, "ws": {"type": "ws", "url": "https://example.com"}}}"#,
        &expect![[r#"
            2 servers

            # `autoApprove` is not carried over: the client decides what it asks its user
            [[servers]]
            id = "c"
            transport = "http"
            url = "https://example.com/mcp"
            request_timeout = "60s"

            # the transport `ws` is unknown here and left out
            [[servers]]
            id = "ws"
            url = "https://example.com"
        "#]],
    );
}

#[test]
fn codex() {
    let text = "model = \"x\"\n[mcp_servers.docs]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"DOCS\"\nenv_http_headers = { X-Team = \"TEAM\" }\ntool_timeout_sec = 1.5\nenabled_tools = [\"a\"]\n\n[mcp_servers.local]\ncommand = \"l\"\nstartup_timeout_sec = 20\n";
    check(
        "/home/me/.codex/config.toml",
        text,
        &expect![[r#"
            2 servers

            [[servers]]
            id = "docs"
            url = "https://example.com/mcp"
            request_timeout = "1500ms"
            include = ["a"]

            [servers.headers]
            Authorization = "Bearer ${DOCS}"
            X-Team = "${TEAM}"

            [[servers]]
            id = "local"
            command = "l"
            startup_timeout = "20s"
        "#]],
    );
}

#[test]
fn names_that_become_one_and_ourselves() {
    let text = r#"{"mcpServers": {"my server": {"command": "a"}, "my-server": {"command": "b"}, "a__b": {"command": "c"}, "": {"command": "d"}, "chancery": {"command": "/usr/bin/chancery", "args": ["stdio"]}}, "servers": {"chancery": {"url": "http://127.0.0.1:8717/mcp"}}}"#;
    check(
        "x.json",
        text,
        &expect![[r#"
            4 servers

            # `my server` is called `my-server` here: ids hold letters, digits, `-`, `_`, `.` only, and are unique
            [[servers]]
            id = "my-server"
            command = "a"

            # `my-server` is called `my-server-2` here: ids hold letters, digits, `-`, `_`, `.` only, and are unique
            [[servers]]
            id = "my-server-2"
            command = "b"

            # `a__b` is called `a_b` here: ids hold letters, digits, `-`, `_`, `.` only, and are unique
            [[servers]]
            id = "a_b"
            command = "c"

            # `` is called `server` here: ids hold letters, digits, `-`, `_`, `.` only, and are unique
            [[servers]]
            id = "server"
            command = "d"
        "#]],
    );
}

#[test]
fn what_is_wrong_stands_in_its_place() {
    check(
        "x.json",
        r#"{"mcpServers": {"a": 3}}"#,
        &expect![[r#"
            0 servers
              ⚠ `a` is left out: it must be an object, not a whole number
               ╭─[x.json:1:22]
             1 │ {"mcpServers": {"a": *}}
               ·                      ┬
               ·                      ╰── here
               ╰────

        "#]],
    );
    check(
        "x.json",
        r#"{"tools": []}"#,
        &expect![[r#"
            0 servers
              × no servers were found in this file
               ╭─[x.json:1:1]
             1 │ {"tools": []}
               · ──────┬──────
               ·       ╰── none of the known shapes
               ╰────
              help: servers stand under `mcpServers` (most clients), `servers` (VS Code), `context_servers` (Zed) or
                    `mcp_servers` (Codex)

        "#]],
    );
    check(
        "x.json",
        "{\"mcpServers\": {\"a\": {\"command\": \"x\" \"args\": [\"secret\"]}}}",
        &expect![[r#"
            0 servers
              × this is not valid JSON: `,` or `}` should stand here
               ╭─[x.json:1:38]
             1 │ {"mcpServers": {"a": {"command": "x" "args": ["******"]}}}
               ·                                      ┬
               ·                                      ╰── here
               ╰────

        "#]],
    );
}

#[test]
fn a_bare_map_is_taken_too() {
    check(
        "x.json",
        r#"{"a": {"command": "x"}}"#,
        &expect![[r#"
            1 servers

            [[servers]]
            id = "a"
            command = "x"
        "#]],
    );
}

#[test]
fn mcp_json_becomes_servers() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join(".mcp.json");
    std::fs::write(&file, r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${KEY}"}}, "b": {"type": "sse", "url": "https://example.com/${UNSET}"}, "c": {"command": 3}}}"#).expect("a file");
    let sources = |names: &str| {
        let text = std::fs::read_to_string(&file)
            .expect("a file")
            .replace("\"c\": {\"command\": 3}", names);
        std::fs::write(&file, text).expect("a file");
        Sources {
            env: [("KEY", "v")].into_iter().collect(),
            cwd: dir.path().to_path_buf(),
            config: None,
            mcp_json: vec![PathBuf::from(".mcp.json")],
            trust: false,
        }
    };
    let loaded = load(&sources("\"c\": {\"command\": 3}"), Trust::Recorded).expect("the others");
    assert_eq!(loaded.config.servers.len(), 2);
    let said = loaded.warnings.to_string();
    assert!(
        said.contains(".mcp.json:1:142: `c` is left out: `command` must be a string"),
        "{said}"
    );
    let config = load(&sources("\"c\": {\"url\": \"https://example.com\"}"), Trust::Recorded)
        .expect("servers")
        .config;
    let Ok(Launch::Stdio { env, .. }) = &config.servers[0].launch else {
        panic!("a program")
    };
    assert_eq!(env["K"].expose(), "v");
    assert!(config.servers[1].launch.as_ref().is_err_and(|why| why.contains("UNSET")));
    let Ok(Launch::Http { kind, .. }) = &config.servers[2].launch else {
        panic!("an address")
    };
    assert_eq!(*kind, HttpKind::Auto);
}

/// Every client is found where it keeps its file, on every system.
#[test]
fn places() {
    let env: Env = [("HOME", "/h"), ("APPDATA", "/roaming")].into_iter().collect();
    let mut out = String::new();
    for os in [Os::Linux, Os::Mac, Os::Windows] {
        let machine = Machine {
            os,
            env: &env,
            cwd: Path::new("/p"),
        };
        for client in &CLIENTS {
            let file = |path: Option<PathBuf>| path.map(|path| path.display().to_string()).unwrap_or_default();
            out.push_str(&format!(
                "{os:?} {} {} {}\n",
                client.name,
                file(client.user_file(&machine)),
                file(client.project_file(&machine))
            ));
        }
    }
    expect![[r#"
        Linux claude-desktop /h/.config/Claude/claude_desktop_config.json 
        Linux claude-code /h/.claude.json /p/.mcp.json
        Linux cursor /h/.cursor/mcp.json /p/.cursor/mcp.json
        Linux vscode /h/.config/Code/User/mcp.json /p/.vscode/mcp.json
        Linux windsurf /h/.codeium/windsurf/mcp_config.json 
        Linux zed /h/.config/zed/settings.json /p/.zed/settings.json
        Linux gemini-cli /h/.gemini/settings.json /p/.gemini/settings.json
        Linux cline /h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json 
        Linux lm-studio /h/.lmstudio/mcp.json 
        Linux codex /h/.codex/config.toml /p/.codex/config.toml
        Mac claude-desktop /h/Library/Application Support/Claude/claude_desktop_config.json 
        Mac claude-code /h/.claude.json /p/.mcp.json
        Mac cursor /h/.cursor/mcp.json /p/.cursor/mcp.json
        Mac vscode /h/Library/Application Support/Code/User/mcp.json /p/.vscode/mcp.json
        Mac windsurf /h/.codeium/windsurf/mcp_config.json 
        Mac zed /h/.config/zed/settings.json /p/.zed/settings.json
        Mac gemini-cli /h/.gemini/settings.json /p/.gemini/settings.json
        Mac cline /h/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json 
        Mac lm-studio /h/.lmstudio/mcp.json 
        Mac codex /h/.codex/config.toml /p/.codex/config.toml
        Windows claude-desktop /roaming/Claude/claude_desktop_config.json 
        Windows claude-code /h/.claude.json /p/.mcp.json
        Windows cursor /h/.cursor/mcp.json /p/.cursor/mcp.json
        Windows vscode /roaming/Code/User/mcp.json /p/.vscode/mcp.json
        Windows windsurf /h/.codeium/windsurf/mcp_config.json 
        Windows zed /roaming/Zed/settings.json /p/.zed/settings.json
        Windows gemini-cli /h/.gemini/settings.json /p/.gemini/settings.json
        Windows cline /roaming/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json 
        Windows lm-studio /h/.lmstudio/mcp.json 
        Windows codex /h/.codex/config.toml /p/.codex/config.toml
    "#]]
    .assert_eq(&out);
}

struct Home(tempfile::TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            std::fs::write(path, text).expect("a file");
        }
        Self(dir)
    }

    fn target(&self) -> PathBuf {
        self.0.path().join(".config/mgp/servers.toml")
    }

    fn import(&self, from: Option<&str>, dry_run: bool) -> Result<String, Problems> {
        let env: Env = [("HOME", self.0.path().display().to_string())].into_iter().collect();
        let machine = Machine {
            os: Os::Linux,
            env: &env,
            cwd: &self.0.path().join("project"),
        };
        let into = self.target();
        let import = Import {
            from,
            into: &into,
            dry_run,
        };
        let (report, problems) = run(&import, &machine, &env)?;
        Ok(format!("{report}{}", problems.render(false)).replace(&self.0.path().display().to_string(), "~"))
    }
}

#[test]
fn import_keeps_what_is_there_byte_for_byte() {
    let old = "# mine\n[gateway]\nsse = true   # yes\n\n[[servers]]\nid = \"kept\"\ncommand = \"mine\"";
    let home = Home::new(&[
        (
            ".gemini/settings.json",
            r#"{"mcpServers": {"more": {"command": "p", "args": ["--token", "sk-2", "--key=sk-3"]}}}"#,
        ),
        (".config/mgp/servers.toml", old),
        (
            ".cursor/mcp.json",
            r#"{"mcpServers": {"kept": {"command": "theirs"}, "new": {"command": "n", "env": {"API_KEY": "sk-1", "MODE": "fast"}}}}"#,
        ),
        (
            "project/.mcp.json",
            r#"{"mcpServers": {"new": {"command": "p", "args": ["--token", "sk-2", "--key=sk-3"]}}}"#,
        ),
        (".config/zed/settings.json", r#"{"theme": "x"}"#),
    ]);
    let dry = home.import(None, true).expect("a report");
    assert!(!dry.contains("sk-"), "{dry}");
    expect![[r##"
        # Cursor: ~/.cursor/mcp.json: 2 found, 1 new
        #   `kept` is configured already and stays as it is
        # Zed: ~/.config/zed/settings.json: left out: no servers were found in this file
        # Gemini CLI: ~/.gemini/settings.json: 1 found, 1 new
        # ~/project/.mcp.json belongs to this project and was not read; import it by its name
        # would be added to ~/.config/mgp/servers.toml (secrets are not shown):

        [[servers]]
        id = "new"
        command = "n"

        [servers.env]
        API_KEY = "***"
        MODE = "fast"

        [[servers]]
        id = "more"
        command = "p"
        args = ["--token", "***", "--key=***"]
    "##]]
    .assert_eq(&dry);
    assert_eq!(std::fs::read_to_string(home.target()).expect("a file"), old);

    let report = home.import(None, false).expect("a report");
    expect![[r#"
        Cursor: ~/.cursor/mcp.json: 2 found, 1 new
          `kept` is configured already and stays as it is
        Zed: ~/.config/zed/settings.json: left out: no servers were found in this file
        Gemini CLI: ~/.gemini/settings.json: 1 found, 1 new
        ~/project/.mcp.json belongs to this project and was not read; import it by its name
        added `new`
        added `more`
        2 added to ~/.config/mgp/servers.toml; see how they do with `chancery doctor`
    "#]]
    .assert_eq(&report);
    let text = std::fs::read_to_string(home.target()).expect("a file");
    assert!(text.starts_with(old));
    expect![[r##"
        # mine
        [gateway]
        sse = true   # yes

        [[servers]]
        id = "kept"
        command = "mine"

        [[servers]]
        id = "new"
        command = "n"

        [servers.env]
        API_KEY = "sk-1"
        MODE = "fast"

        [[servers]]
        id = "more"
        command = "p"
        args = ["--token", "sk-2", "--key=sk-3"]
    "##]]
    .assert_eq(&text);
    // Again: nothing is left to add.
    home.import(None, false).expect("a report");
    assert_eq!(std::fs::read_to_string(home.target()).expect("a file"), text);
}

#[test]
fn import_of_one_file_into_none() {
    let file = ("project/x.json", r#"{"mcpServers": {"a": {"command": "x"}}}"#);
    let home = Home::new(&[file]);
    home.import(Some("x.json"), false).expect("a report");
    expect![[r#"
        [[servers]]
        id = "a"
        command = "x"
    "#]]
    .assert_eq(&std::fs::read_to_string(home.target()).expect("a file"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        assert_eq!(std::fs::metadata(home.target()).expect("a file").mode() & 0o777, 0o600);
    }
    let blank = Home::new(&[file, (".config/mgp/servers.toml", "\n")]);
    blank.import(Some("x.json"), false).expect("a report");
    let texts = [&home, &blank].map(|home| std::fs::read_to_string(home.target()).expect("a file"));
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn import_refuses_what_would_not_load() {
    let home = Home::new(&[("project/x.json", r#"{"mcpServers": {"a": {"command": 5, "url": "http://x"}}}"#)]);
    let problems = home.import(Some("x.json"), false).expect_err("both ways");
    assert!(problems.to_string().contains("nothing was imported"), "{problems}");
    assert!(!home.target().exists());
    assert!(
        home.import(Some("cursr"), false)
            .expect_err("no client")
            .to_string()
            .contains("did you mean `cursor`")
    );
    let absent = home.import(Some("nofile.json"), false).expect_err("no file").to_string();
    let tried = home.0.path().join("project/nofile.json");
    assert!(absent.contains(&format!("no file `{}`", tried.display())), "{absent}");
    let directory = home.import(Some("."), false).expect_err("a directory").to_string();
    assert!(directory.contains("is a directory"), "{directory}");
    assert!(home.import(Some("cursor"), false).is_err());
    assert!(home.import(None, false).is_err());
}

#[test]
fn a_bad_entry_is_left_out_and_the_others_are_imported() {
    let home = Home::new(&[
        (
            ".cursor/mcp.json",
            "{\"mcpServers\": {\n  \"good\": {\"command\": \"g\"},\n  \"empty\": {},\n  \"number\": {\"command\": 7},\n  \"nowhere\": {\"url\": \"no url\"}\n}}\n",
        ),
        (
            ".gemini/settings.json",
            "{\"mcpServers\": {\n  \"list\": [],\n  \"more\": {\"command\": \"m\"}\n}}\n",
        ),
    ]);
    let report = home.import(None, false).expect("a report");
    expect![[r#"
        Cursor: ~/.cursor/mcp.json: 1 found, 1 new
        Gemini CLI: ~/.gemini/settings.json: 1 found, 1 new
        added `good`
        added `more`
        2 added to ~/.config/mgp/servers.toml; see how they do with `chancery doctor`
          ⚠ `empty` is left out: a server has neither a `command` nor a `url`
           ╭─[~/.cursor/mcp.json:3:3]
         3 │   "empty": {},
           ·   ───┬───
           ·      ╰── this one
           ╰────
          help: say how to reach it: `command = "npx"` with `args`, or `url = "https://mcp.example.com/mcp"`

          ⚠ `number` is left out: `command` must be a string, not a whole number
           ╭─[~/.cursor/mcp.json:4:25]
         4 │   "number": {"command": *},
           ·                         ┬
           ·                         ╰── here
           ╰────
          help: for example `command = "npx"`

          ⚠ `nowhere` is left out: `url` is no URL; for example `https://mcp.example.com/mcp`
           ╭─[~/.cursor/mcp.json:5:22]
         5 │   "nowhere": {"url": "** ***"}
           ·                      ────┬───
           ·                          ╰── here
           ╰────

          ⚠ `list` is left out: it must be an object, not a list
           ╭─[~/.gemini/settings.json:2:11]
         2 │   "list": [],
           ·           ─┬
           ·            ╰── here
           ╰────

    "#]]
    .assert_eq(&report);
    expect![[r#"
        [[servers]]
        id = "good"
        command = "g"

        [[servers]]
        id = "more"
        command = "m"
    "#]]
    .assert_eq(&std::fs::read_to_string(home.target()).expect("a file"));
}

#[test]
fn servers_of_one_name_are_told_apart() {
    let home = Home::new(&[
        (
            ".claude.json",
            r#"{"mcpServers": {"remote": {"type": "http", "url": "https://one.example/mcp"}, "files": {"type": "stdio", "command": "f", "env": {"A": "1", "B": "2"}}}}"#,
        ),
        (
            ".cursor/mcp.json",
            r#"{"mcpServers": {"remote": {"url": "https://two.example/mcp"}, "files": {"command": "f", "env": {"B": "2", "A": "1"}}}}"#,
        ),
        (
            ".gemini/settings.json",
            r#"{"mcpServers": {"remote": {"httpUrl": "https://two.example/mcp", "timeout": 5}}}"#,
        ),
        (".config/mgp/servers.toml", "[[servers]]\nid = \"remote-2\"\ncommand = \"mine\"\n"),
    ]);
    let report = home.import(None, false).expect("a report");
    expect![[r#"
        Claude Code: ~/.claude.json: 2 found, 2 new
        Cursor: ~/.cursor/mcp.json: 2 found, 1 new
          `files` is the same server as in Claude Code
        Gemini CLI: ~/.gemini/settings.json: 1 found, 0 new
          `remote` is the same server as in Cursor
        added `remote`
        added `files`
        added `remote-3`
            `remote` of Cursor is called `remote-3` here: Claude Code has another server of that name
        3 added to ~/.config/mgp/servers.toml; see how they do with `chancery doctor`
    "#]]
    .assert_eq(&report);
    expect![[r#"
        [[servers]]
        id = "remote-2"
        command = "mine"

        [[servers]]
        id = "remote"
        transport = "http"
        url = "https://one.example/mcp"

        [[servers]]
        id = "files"
        transport = "stdio"
        command = "f"

        [servers.env]
        A = "1"
        B = "2"

        # `remote` of Cursor is called `remote-3` here: Claude Code has another server of that name
        [[servers]]
        id = "remote-3"
        url = "https://two.example/mcp"
    "#]]
    .assert_eq(&std::fs::read_to_string(home.target()).expect("a file"));
    // Again: nothing is left to add.
    let again = home.import(None, false).expect("a report");
    assert!(again.contains("nothing to add"), "{again}");
}
