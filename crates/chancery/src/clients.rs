//! The known MCP clients: where each keeps its servers, under which key, and in which form.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::config::{Env, home};

/// An operating system, as far as the places of files differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Os {
    /// Linux and similar systems.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

impl Os {
    /// Returns the system this binary was built for.
    #[must_use]
    pub fn current() -> Self {
        match () {
            () if cfg!(windows) => Self::Windows,
            () if cfg!(target_os = "macos") => Self::Mac,
            () => Self::Linux,
        }
    }
}

/// The machine on which clients keep their files.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    /// The operating system.
    pub os: Os,
    /// The environment: `HOME`, `APPDATA` …
    pub env: &'a Env,
    /// The project directory.
    pub cwd: &'a Path,
}

impl Machine<'_> {
    fn home(&self) -> Option<PathBuf> {
        home(self.env)
    }

    /// Returns the directory in which applications keep their settings.
    fn settings(&self) -> Option<PathBuf> {
        match self.os {
            Os::Linux => self
                .env
                .get_filled("XDG_CONFIG_HOME")
                .map(PathBuf::from)
                .or_else(|| Some(self.home()?.join(".config"))),
            Os::Mac => Some(self.home()?.join("Library").join("Application Support")),
            Os::Windows => self.env.get_filled("APPDATA").map(PathBuf::from),
        }
    }
}

/// The form of an entry for an HTTP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpEntry {
    /// The client starts programs only.
    None,
    /// `{"url": …}` under this key.
    Url(&'static str),
    /// `{"type": …, "url": …}`.
    Typed(&'static str),
}

/// The format of a client's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, perhaps with comments.
    Json,
    /// TOML.
    Toml,
}

/// One client.
#[derive(Debug)]
pub struct Client {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name in its own documentation.
    pub title: &'static str,
    /// The key of the file that holds the servers.
    pub key: &'static str,
    /// The format of the file.
    pub format: Format,
    /// The form of an HTTP entry.
    pub http: HttpEntry,
    /// Members that an stdio entry has besides `command` and `args`.
    stdio_extra: &'static [(&'static str, &'static str)],
    /// The file of a project, if the client has one.
    project: Option<&'static str>,
    /// The file of the user.
    user: fn(&Machine<'_>) -> Option<PathBuf>,
    /// The step that a person must take for a change to take effect.
    pub after: &'static str,
}

/// Every client, in the order in which `import` reads them.
pub static CLIENTS: [Client; 10] = [
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        key: "mcpServers",
        format: Format::Json,
        http: HttpEntry::None,
        stdio_extra: &[],
        project: None,
        user: |machine| Some(machine.settings()?.join("Claude").join("claude_desktop_config.json")),
        after: "quit Claude Desktop and start it again",
    },
    Client {
        name: "claude-code",
        title: "Claude Code",
        key: "mcpServers",
        format: Format::Json,
        http: HttpEntry::Typed("http"),
        stdio_extra: &[("type", "stdio")],
        project: Some(".mcp.json"),
        user: |machine| Some(machine.home()?.join(".claude.json")),
        after: "start a new Claude Code session",
    },
    Client {
        name: "cursor",
        title: "Cursor",
        key: "mcpServers",
        format: Format::Json,
        http: HttpEntry::Url("url"),
        stdio_extra: &[],
        project: Some(".cursor/mcp.json"),
        user: |machine| Some(machine.home()?.join(".cursor").join("mcp.json")),
        after: "open Cursor's MCP settings and enable `chancery`",
    },
    Client {
        name: "vscode",
        title: "VS Code",
        key: "servers",
        format: Format::Json,
        http: HttpEntry::Typed("http"),
        stdio_extra: &[("type", "stdio")],
        project: Some(".vscode/mcp.json"),
        user: |machine| Some(machine.settings()?.join("Code").join("User").join("mcp.json")),
        after: "run `MCP: List Servers` in VS Code and start `chancery`",
    },
    Client {
        name: "windsurf",
        title: "Windsurf",
        key: "mcpServers",
        format: Format::Json,
        http: HttpEntry::Url("serverUrl"),
        stdio_extra: &[],
        project: None,
        user: |machine| Some(machine.home()?.join(".codeium").join("windsurf").join("mcp_config.json")),
        after: "press refresh in Windsurf's MCP settings",
    },
    Client {
        name: "zed",
        title: "Zed",
        key: "context_servers",
        format: Format::Json,
        http: HttpEntry::Url("url"),
        stdio_extra: &[("source", "custom")],
        project: Some(".zed/settings.json"),
        user: |machine| match machine.os {
            Os::Windows => Some(machine.settings()?.join("Zed").join("settings.json")),
            _ => Some(machine.home()?.join(".config").join("zed").join("settings.json")),
        },
        after: "Zed notices the change by itself",
    },
    Client {
        name: "gemini-cli",
        title: "Gemini CLI",
        key: "mcpServers",
        format: Format::Json,
        http: HttpEntry::Url("httpUrl"),
        stdio_extra: &[],
        project: Some(".gemini/settings.json"),
        user: |machine| Some(machine.home()?.join(".gemini").join("settings.json")),
        after: "start Gemini CLI again",
    },
    Client {
        name: "cline",
        title: "Cline",
        key: "mcpServers",
        format: Format::Json,
        http: HttpEntry::Typed("streamableHttp"),
        stdio_extra: &[],
        project: None,
        user: |machine| {
            let storage = machine.settings()?.join("Code").join("User").join("globalStorage");
            Some(
                storage
                    .join("saoudrizwan.claude-dev")
                    .join("settings")
                    .join("cline_mcp_settings.json"),
            )
        },
        after: "Cline notices the change by itself",
    },
    Client {
        name: "lm-studio",
        title: "LM Studio",
        key: "mcpServers",
        format: Format::Json,
        http: HttpEntry::Url("url"),
        stdio_extra: &[],
        project: None,
        user: |machine| Some(machine.home()?.join(".lmstudio").join("mcp.json")),
        after: "LM Studio notices the change by itself",
    },
    Client {
        name: "codex",
        title: "Codex",
        key: "mcp_servers",
        format: Format::Toml,
        http: HttpEntry::Url("url"),
        stdio_extra: &[],
        project: Some(".codex/config.toml"),
        user: |machine| match machine.env.get_filled("CODEX_HOME") {
            Some(dir) => Some(Path::new(dir).join("config.toml")),
            None => Some(machine.home()?.join(".codex").join("config.toml")),
        },
        after: "start Codex again",
    },
];

impl Client {
    /// Returns the client of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Returns the user's file.
    #[must_use]
    pub fn user_file(&self, machine: &Machine<'_>) -> Option<PathBuf> {
        (self.user)(machine)
    }

    /// Returns the file of the project in the current directory.
    #[must_use]
    pub fn project_file(&self, machine: &Machine<'_>) -> Option<PathBuf> {
        self.project.map(|file| machine.cwd.join(file))
    }

    /// Returns the entry for a program.
    #[must_use]
    pub fn stdio_entry(&self, command: &str, args: &[String]) -> Json {
        let mut entry = serde_json::Map::new();
        for (key, value) in self.stdio_extra {
            entry.insert((*key).to_owned(), json!(value));
        }
        entry.insert("command".to_owned(), json!(command));
        entry.insert("args".to_owned(), json!(args));
        Json::Object(entry)
    }

    /// Returns the entry for an address; `None` if the client can't use one.
    #[must_use]
    pub fn http_entry(&self, url: &str) -> Option<Json> {
        match self.http {
            HttpEntry::None => None,
            HttpEntry::Url(key) => Some(json!({ key: url })),
            HttpEntry::Typed(kind) => Some(json!({ "type": kind, "url": url })),
        }
    }
}
