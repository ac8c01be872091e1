//! Everything that runs during a benchmark besides the driver. Each process starts when it is first needed, and idles
//! while others are measured.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::json;

use super::build::Binaries;
use super::cells::{Cell, Era, Lane, Upstream};
use super::home::{self, Home};
use super::peers;
use super::probe::Target;
use super::process::{Running, free_port};
use super::servers::Server;

/// The processes of one run.
#[derive(Debug)]
pub(crate) struct Fleet {
    // Before `home`: processes end before the directory that they use is removed.
    running: BTreeMap<String, Running>,
    pub(crate) binaries: Binaries,
    home: Home,
    workers: usize,
    /// What gateways are started under, such as a profiler; nothing as a rule.
    under: Vec<String>,
}

impl Fleet {
    /// A fleet of which nothing runs yet.
    pub(crate) fn new(workers: usize, binaries: Binaries) -> anyhow::Result<Self> {
        Ok(Self {
            running: BTreeMap::new(),
            binaries,
            home: Home::create()?,
            workers,
            under: Vec::new(),
        })
    }

    /// Has the gateways that are started from now on run under another command.
    pub(crate) fn run_under(&mut self, command: Vec<String>) {
        self.under = command;
    }

    /// A file in the directory of this run.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.home.file(name)
    }

    /// The target of `cell` through `lane`; `None` where the lane isn't installed.
    pub(crate) fn target(&mut self, cell: Cell, lane: Lane) -> anyhow::Result<Option<Target>> {
        let client = cell.client();
        Ok(Some(match lane {
            Lane::Direct if cell.upstream() == Upstream::Stdio => Target::Command(self.stdio_upstream(&[])),
            Lane::Direct => self.upstream(client)?,
            Lane::Chancery if cell == Cell::StdioStdio => Target::Command(self.gateway_command(cell, "stdio")?),
            Lane::Chancery => self.chancery(cell.upstream())?,
            Lane::Unguarded => self.unguarded(cell.upstream())?,
            Lane::Synced => self.synced(cell.upstream())?,
            Lane::Unbridged => self.chancery(Upstream::Http(client))?,
            Lane::Hyper => self.hyper(client)?,
            Lane::Nginx => return self.nginx(client),
            Lane::McpGateway => return self.mcp_gateway(cell.upstream()),
        }))
    }

    /// The canned HTTP server of one era.
    pub(crate) fn upstream(&mut self, era: Era) -> anyhow::Result<Target> {
        let mut command = Command::new(&self.binaries.bench_peer);
        command.args(["upstream", "--era", era.name()]);
        self.announced(&format!("upstream-{}", era.name()), command)
    }

    /// The command of a canned stdio server.
    pub(crate) fn stdio_upstream(&self, more: &[&str]) -> Vec<String> {
        let peer = self.binaries.bench_peer.to_string_lossy().into_owned();
        let options = ["upstream", "--stdio", "--era", "legacy"]
            .iter()
            .chain(more)
            .map(|word| (*word).to_owned());
        std::iter::once(peer).chain(options).collect()
    }

    /// The gateway before one upstream.
    pub(crate) fn chancery(&mut self, upstream: Upstream) -> anyhow::Result<Target> {
        let name = format!("chancery-{}", upstream.name());
        if let Some(target) = self.known(&name) {
            return Ok(target);
        }
        let config = self.chancery_config(upstream)?;
        let command = self.chancery_command(&name, &config, "serve")?;
        self.announced(&name, to_command(&command))
    }

    /// Starts the gateway with each event on the disk before its call leaves.
    fn synced(&mut self, upstream: Upstream) -> anyhow::Result<Target> {
        let name = format!("synced-{}", upstream.name());
        if let Some(target) = self.known(&name) {
            return Ok(target);
        }
        let usual = fs::read_to_string(self.chancery_config(upstream)?)?;
        let config = self.home.file(&format!("{name}.toml"));
        fs::write(&config, usual + "\n[audit]\nsync = \"always\"\n")?;
        let command = self.chancery_command(&name, &config, "serve")?;
        self.announced(&name, to_command(&command))
    }

    /// Starts the gateway without its guard.
    fn unguarded(&mut self, upstream: Upstream) -> anyhow::Result<Target> {
        let name = format!("unguarded-{}", upstream.name());
        if let Some(target) = self.known(&name) {
            return Ok(target);
        }
        let config = self.chancery_config(upstream)?;
        let binary = self.binaries.unguarded.as_ref().context("no lane needs it, so it was not built")?;
        let mut command = self.isolated(&name)?;
        command.extend([binary, &"--config".into(), &config].map(|word| word.to_string_lossy().into_owned()));
        self.announced(&name, to_command(&command))
    }

    /// The command of a gateway whose files are under the name `state`, isolated from the user's own.
    pub(crate) fn chancery_command(&self, state: &str, config: &Path, subcommand: &str) -> anyhow::Result<Vec<String>> {
        let binary = self
            .binaries
            .chancery
            .as_ref()
            .context("no lane needs the gateway, so it was not built")?;
        let mut command = self.isolated(state)?;
        command.extend(self.under.iter().cloned());
        command.extend([binary.to_string_lossy().into_owned(), subcommand.to_owned()]);
        if subcommand == "stdio" {
            command.push("--standalone".to_owned());
        }
        command.extend(["--config".to_owned(), config.to_string_lossy().into_owned()]);
        Ok(command)
    }

    /// The beginning of a command whose files are under the name `state`.
    fn isolated(&self, state: &str) -> anyhow::Result<Vec<String>> {
        let home = self.home.directory(state)?;
        let home = home.display();
        let mut command = vec![
            "env".to_owned(),
            format!("HOME={home}"),
            format!("TOKIO_WORKER_THREADS={}", self.workers),
        ];
        command.extend(["CACHE", "CONFIG", "DATA", "RUNTIME", "STATE"].map(|kind| {
            let variable = if kind == "RUNTIME" {
                "XDG_RUNTIME_DIR".to_owned()
            } else {
                format!("XDG_{kind}_HOME")
            };
            format!("{variable}={home}")
        }));
        Ok(command)
    }

    /// Stdio servers of so many tools, each with names of its own: those of the first begin with `u000_`.
    pub(crate) fn numbered_servers(&self, count: usize, tools: usize) -> Vec<Server> {
        (0..count).map(|n| self.numbered_server(n, tools, &[])).collect()
    }

    /// The stdio server `n` of many.
    pub(crate) fn numbered_server(&self, n: usize, tools: usize, more: &[&str]) -> Server {
        let (id, tools) = (format!("u{n:03}"), tools.to_string());
        let prefix = format!("{id}_");
        let options = [&["--tools", &tools, "--prefix", &prefix], more].concat();
        Server::command(&id, &self.stdio_upstream(&options))
    }

    /// Writes a configuration of the gateway with these servers.
    pub(crate) fn write_config(&self, name: &str, servers: &[Server]) -> anyhow::Result<PathBuf> {
        let mut toml = "[gateway]\nlisten = \"127.0.0.1:0\"\n".to_owned();
        for server in servers {
            toml.push_str(&server.toml());
        }
        let file = self.home.file(&format!("{name}.toml"));
        fs::write(&file, toml).with_context(|| format!("failed to write {}", file.display()))?;
        Ok(file)
    }

    /// Forgets what the gateways under the name `state` learned.
    pub(crate) fn forget(&self, state: &str) -> anyhow::Result<()> {
        fs::remove_dir_all(self.home.directory(state)?).context("failed to remove the state of a gateway")
    }

    /// Starts a gateway of its own under `name` and never hands it out for anything else.
    pub(crate) fn chancery_apart(&mut self, name: &str, servers: &[Server]) -> anyhow::Result<Target> {
        let config = self.write_config(name, servers)?;
        let command = self.chancery_command(name, &config, "serve")?;
        self.announced(name, to_command(&command))
    }

    /// Ends the process `name`.
    pub(crate) fn end(&mut self, name: &str) {
        self.running.remove(name);
    }

    fn chancery_config(&mut self, upstream: Upstream) -> anyhow::Result<PathBuf> {
        let server = match upstream {
            Upstream::Http(era) => Server::url("up", self.upstream(era)?.url()?),
            Upstream::Stdio => Server::command("up", &self.stdio_upstream(&[])),
        };
        self.write_config(upstream.name(), &[server])
    }

    /// The command of the gateway of one kind of call, to `serve` or for `stdio`; both have one state, and the upstream runs already.
    pub(crate) fn gateway_command(&mut self, cell: Cell, subcommand: &str) -> anyhow::Result<Vec<String>> {
        let state = match cell {
            Cell::StdioStdio => "chancery-stdio-stdio".to_owned(),
            _ => format!("chancery-{}", cell.upstream().name()),
        };
        let config = self.chancery_config(cell.upstream())?;
        self.chancery_command(&state, &config, subcommand)
    }

    fn hyper(&mut self, era: Era) -> anyhow::Result<Target> {
        let upstream = self.upstream(era)?;
        let mut command = Command::new(&self.binaries.bench_peer);
        command.args(["proxy", "--upstream", upstream.url()?, "--workers", &self.workers.to_string()]);
        self.announced(&format!("hyper-{}", era.name()), command)
    }

    fn nginx(&mut self, era: Era) -> anyhow::Result<Option<Target>> {
        let Some(binary) = self.binaries.nginx.clone() else {
            return Ok(None);
        };
        let name = format!("nginx-{}", era.name());
        if self.known(&name).is_none() {
            let home = self.home.directory(&name)?;
            let port = free_port()?;
            let conf = home.join("nginx.conf");
            fs::write(&conf, peers::nginx_conf(self.upstream(era)?.url()?, port, self.workers, &home)?)?;
            let mut command = Command::new(binary);
            command.arg("-p").arg(&home).arg("-c").arg(&conf).args(["-e", "stderr"]);
            let mut running = Running::told(&name, &mut command, &self.home.log(&name), port, "/mcp")?;
            running.url.push_str("/mcp");
            self.running.insert(name.clone(), running);
        }
        Ok(self.known(&name))
    }

    fn mcp_gateway(&mut self, upstream: Upstream) -> anyhow::Result<Option<Target>> {
        let Some(binary) = self.binaries.mcp_gateway.clone() else {
            return Ok(None);
        };
        let name = format!("mcp-gateway-{}", upstream.name());
        if self.known(&name).is_none() {
            let backend = match upstream {
                Upstream::Http(era) => json!({"http_url": self.upstream(era)?.url()?, "streamable_http": true}),
                Upstream::Stdio => json!({"command": self.stdio_upstream(&[]).join(" ")}),
            };
            let home = self.home.directory(&name)?;
            let port = free_port()?;
            let conf = home.join("gateway.yaml");
            home::write_private(&conf, &peers::mcp_gateway_conf(backend, port).to_string())?;
            let mut command = Command::new(binary);
            command
                .arg("--config")
                .arg(&conf)
                .args(["--log-level", "error"])
                .current_dir(&home)
                .env("HOME", &home);
            command.env("TOKIO_WORKER_THREADS", self.workers.to_string());
            let mut running = Running::told(&name, &mut command, &self.home.log(&name), port, "/health")?;
            running.url.push_str("/mcp/up");
            self.running.insert(name.clone(), running);
        }
        Ok(self.known(&name))
    }

    fn announced(&mut self, name: &str, mut command: Command) -> anyhow::Result<Target> {
        if self.known(name).is_none() {
            let running = Running::announced(name, &mut command, &self.home.log(name))?;
            self.running.insert(name.to_owned(), running);
        }
        self.known(name).with_context(|| format!("{name} was just started"))
    }

    fn known(&self, name: &str) -> Option<Target> {
        self.running.get(name).map(|running| Target::Endpoint {
            url: running.url.clone(),
            pid: running.pid(),
        })
    }
}

fn to_command(words: &[String]) -> Command {
    let mut command = Command::new(words.first().map_or("", String::as_str));
    command.args(words.iter().skip(1));
    command
}
