//! Clients' files before, with the gateway, and after.

use std::path::{Path, PathBuf};

use expect_test::expect;

use super::backup::timestamp;
use super::{Connect, Endpoint, client, connect, list, undo};
use crate::clients::{CLIENTS, Machine, Os};
use crate::config::{Env, Problem};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).expect("a file")
    }

    fn machine<T>(&self, use_it: impl FnOnce(&Machine<'_>) -> T) -> T {
        let env: Env = [("HOME", self.0.path().display().to_string())].into_iter().collect();
        use_it(&Machine {
            os: Os::Linux,
            env: &env,
            cwd: &self.0.path().join("project"),
        })
    }

    fn request<T>(&self, name: &str, endpoint: Endpoint, project: bool, dry_run: bool, use_it: impl FnOnce(&Connect<'_>) -> T) -> T {
        self.machine(|machine| {
            use_it(&Connect {
                client: client(name).expect("a client"),
                endpoint,
                project,
                dry_run,
                now: 1_795_214_105,
                machine,
            })
        })
    }

    fn connect(&self, name: &str) -> Result<String, Problem> {
        self.request(name, stdio(), false, false, connect)
    }

    fn undo(&self, name: &str) -> Result<String, Problem> {
        self.request(name, stdio(), false, false, undo)
    }

    fn backups(&self, dir: &str) -> usize {
        let names = std::fs::read_dir(self.file(dir)).expect("a directory").flatten();
        names
            .filter(|entry| entry.file_name().to_string_lossy().ends_with(".chancery.bak"))
            .count()
    }
}

fn stdio() -> Endpoint {
    Endpoint::Stdio {
        command: "/usr/bin/chancery".to_owned(),
        args: vec!["stdio".to_owned()],
    }
}

#[test]
fn there_and_back_is_byte_for_byte_for_every_client() {
    for client in &CLIENTS {
        let home = Home::new();
        let path = home.machine(|machine| client.user_file(machine)).expect("a file");
        let name = path.strip_prefix(home.0.path()).expect("below home").display().to_string();
        let dir = Path::new(&name).parent().expect("a parent").display().to_string();
        let old = match name.ends_with(".toml") {
            true => "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"y\" # why\n".to_owned(),
            false => format!(
                "{{\n  // mine\n  \"x\": 1.0,\n  \"{}\": {{\n    \"a\": {{ \"command\": \"y\" }}, // why\n  }},\n}}\n",
                client.key
            ),
        };
        home.write(&name, &old);
        home.connect(client.name)
            .unwrap_or_else(|problem| panic!("{}: {problem}", client.name));
        let new = home.read(&name);
        assert!(new.contains("/usr/bin/chancery") && new.contains("why"), "{new}");
        assert_eq!(home.backups(&dir), 1);
        // A second time changes nothing.
        assert!(home.connect(client.name).expect("connected").contains("already"));
        assert_eq!((home.read(&name), home.backups(&dir)), (new, 1));
        home.undo(client.name)
            .unwrap_or_else(|problem| panic!("{}: {problem}", client.name));
        assert_eq!(home.read(&name), old);
        assert_eq!(home.backups(&dir), 0);
        assert!(home.undo(client.name).is_err());
    }
}

#[test]
fn a_file_of_our_own_goes_again() {
    for name in ["cursor", "codex"] {
        let home = Home::new();
        home.connect(name).expect("connected");
        let path = home
            .machine(|machine| client(name).expect("a client").user_file(machine))
            .expect("a path");
        assert!(path.exists());
        home.undo(name).expect("undone");
        assert!(!path.exists(), "{name}");
    }
}

#[test]
fn what_changed_since_stays() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n");
    home.connect("cursor").expect("connected");
    let text = home.read(".cursor/mcp.json").replace("\"a\": {}", "\"a\": {\"new\": 1}");
    home.write(".cursor/mcp.json", &text);
    home.undo("cursor").expect("undone");
    assert_eq!(
        home.read(".cursor/mcp.json"),
        "{\n  \"mcpServers\": {\n    \"a\": {\"new\": 1}\n  }\n}\n"
    );
    assert_eq!(home.backups(".cursor"), 1);
}

#[test]
fn entries_as_each_client_wants_them() {
    let mut out = String::new();
    for client in &CLIENTS {
        let http = client
            .http_entry("http://127.0.0.1:8717/mcp")
            .map(|entry| entry.to_string())
            .unwrap_or_default();
        out.push_str(&format!(
            "{}: {} {http}\n",
            client.name,
            client.stdio_entry("/c", &["stdio".to_owned()])
        ));
    }
    expect![[r#"
        claude-desktop: {"command":"/c","args":["stdio"]} 
        claude-code: {"type":"stdio","command":"/c","args":["stdio"]} {"type":"http","url":"http://127.0.0.1:8717/mcp"}
        cursor: {"command":"/c","args":["stdio"]} {"url":"http://127.0.0.1:8717/mcp"}
        vscode: {"type":"stdio","command":"/c","args":["stdio"]} {"type":"http","url":"http://127.0.0.1:8717/mcp"}
        windsurf: {"command":"/c","args":["stdio"]} {"serverUrl":"http://127.0.0.1:8717/mcp"}
        zed: {"source":"custom","command":"/c","args":["stdio"]} {"url":"http://127.0.0.1:8717/mcp"}
        gemini-cli: {"command":"/c","args":["stdio"]} {"httpUrl":"http://127.0.0.1:8717/mcp"}
        cline: {"command":"/c","args":["stdio"]} {"type":"streamableHttp","url":"http://127.0.0.1:8717/mcp"}
        lm-studio: {"command":"/c","args":["stdio"]} {"url":"http://127.0.0.1:8717/mcp"}
        codex: {"command":"/c","args":["stdio"]} {"url":"http://127.0.0.1:8717/mcp"}
    "#]]
    .assert_eq(&out);
}

#[test]
fn by_address_and_for_a_project() {
    let home = Home::new();
    let url = Endpoint::Http {
        url: "http://127.0.0.1:8717/mcp".to_owned(),
    };
    let report = home.request("vscode", url.clone(), true, false, connect).expect("connected");
    expect![[r#"
        VS Code is connected: ~/project/.vscode/mcp.json
        next: run `MCP: List Servers` in VS Code and start `chancery`; `chancery connect vscode --project --undo` takes it back
    "#]]
    .assert_eq(&report.replace(&home.0.path().display().to_string(), "~"));
    expect![[r#"
        {
          "servers": {
            "chancery": {
              "type": "http",
              "url": "http://127.0.0.1:8717/mcp"
            }
          }
        }
    "#]]
    .assert_eq(&home.read("project/.vscode/mcp.json"));
    let problem = home
        .request("claude-desktop", url, false, false, connect)
        .expect_err("programs only");
    assert!(problem.to_string().contains("--stdio"));
    assert!(home.request("windsurf", stdio(), true, false, connect).is_err());
}

#[test]
fn a_dry_run_writes_nothing() {
    let home = Home::new();
    let report = home.request("cursor", stdio(), false, true, connect).expect("a report");
    assert!(
        report.contains("would add") && report.contains("\"command\": \"/usr/bin/chancery\""),
        "{report}"
    );
    assert!(!home.file(".cursor").exists());
}

#[test]
fn a_file_that_cannot_be_changed_is_left_alone() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{\"mcpServers\": {\"a\": }");
    let problem = home.connect("cursor").expect_err("not JSON");
    expect![[r#"
        `~/.cursor/mcp.json` can't be changed: this is not valid JSON: a value should stand here (line 1, column 22) (mend it, or add this yourself:
        {
          "mcpServers": {
            "chancery": {
              "command": "/usr/bin/chancery",
              "args": [
                "stdio"
              ]
            }
          }
        }
        )"#]].assert_eq(&problem.to_string().replace(&home.0.path().display().to_string(), "~"));
    assert_eq!(home.read(".cursor/mcp.json"), "{\"mcpServers\": {\"a\": }");
    home.write(".cursor/mcp.json", "{\"mcpServers\": []}");
    assert!(home.connect("cursor").expect_err("a list").to_string().contains("not an object"));
}

#[cfg(unix)]
#[test]
fn modes_and_links_stay() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let home = Home::new();
    home.write("dotfiles/mcp.json", "{}\n");
    std::fs::set_permissions(home.file("dotfiles/mcp.json"), std::fs::Permissions::from_mode(0o640)).expect("a mode");
    std::fs::create_dir_all(home.file(".cursor")).expect("a directory");
    std::os::unix::fs::symlink(home.file("dotfiles/mcp.json"), home.file(".cursor/mcp.json")).expect("a link");
    home.connect("cursor").expect("connected");
    assert!(home.file(".cursor/mcp.json").is_symlink());
    assert!(home.read("dotfiles/mcp.json").contains("chancery"));
    assert_eq!(
        std::fs::metadata(home.file("dotfiles/mcp.json")).expect("a file").mode() & 0o777,
        0o640
    );
    home.undo("cursor").expect("undone");
    assert_eq!(home.read("dotfiles/mcp.json"), "{}\n");
}

#[test]
fn names_and_the_list() {
    assert!(client("curser").expect_err("a typo").to_string().contains("did you mean `cursor`"));
    let home = Home::new();
    home.connect("cursor").expect("connected");
    let list = home.machine(list).expect("places");
    let line = |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("cursor").contains("connected") && line("zed").contains(" - "), "{list}");
}

#[test]
fn timestamps() {
    assert_eq!(timestamp(0), "19700101T000000Z");
    assert_eq!(timestamp(951_782_400), "20000229T000000Z");
    assert_eq!(timestamp(1_795_214_105), "20261120T223505Z");
    assert_eq!(timestamp(4_107_542_399), "21000228T235959Z");
}
