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
use super::options::Options;
use super::peers;
use super::process::{Running, free_port};

/// The processes of one run.
#[derive(Debug)]
pub(crate) struct Fleet {
    // Before `home`: processes end before the directory that they use is removed.
    running: BTreeMap<String, Running>,
    pub(crate) binaries: Binaries,
    home: Home,
    workers: usize,
}

/// What a driver is pointed at.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// An endpoint, and the process behind it.
    Endpoint { url: String, pid: u32 },
    /// A command that the driver starts.
    Command(Vec<String>),
}

impl Fleet {
    /// A fleet of which nothing runs yet.
    pub(crate) fn new(options: &Options, binaries: Binaries) -> anyhow::Result<Self> {
        Ok(Self {
            running: BTreeMap::new(),
            binaries,
            home: Home::create()?,
            workers: options.workers,
        })
    }

    /// The target of `cell` through `lane`; `None` where the lane isn't installed.
    pub(crate) fn target(&mut self, cell: Cell, lane: Lane) -> anyhow::Result<Option<Target>> {
        let client = cell.client();
        Ok(Some(match lane {
            Lane::Direct if cell.upstream() == Upstream::Stdio => Target::Command(self.stdio_upstream(&[])),
            Lane::Direct => self.upstream(client)?,
            Lane::Chancery if cell == Cell::StdioStdio => Target::Command(self.chancery_stdio()?),
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
        let name = format!("chancery-{}", upstream_name(upstream));
        if let Some(target) = self.known(&name) {
            return Ok(target);
        }
        let config = self.chancery_config(upstream)?;
        let command = self.chancery_command(&name, &config, "serve")?;
        self.announced(&name, to_command(&command))
    }

    /// The same with each event on the disk before its call leaves.
    fn synced(&mut self, upstream: Upstream) -> anyhow::Result<Target> {
        let name = format!("synced-{}", upstream_name(upstream));
        if let Some(target) = self.known(&name) {
            return Ok(target);
        }
        let usual = fs::read_to_string(self.chancery_config(upstream)?)?;
        let config = self.home.path.join(format!("{name}.toml"));
        fs::write(&config, usual + "\n[audit]\nsync = \"always\"\n")?;
        let command = self.chancery_command(&name, &config, "serve")?;
        self.announced(&name, to_command(&command))
    }

    /// The same without its guard.
    fn unguarded(&mut self, upstream: Upstream) -> anyhow::Result<Target> {
        let name = format!("unguarded-{}", upstream_name(upstream));
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

    /// Writes a configuration of the gateway with these servers.
    pub(crate) fn write_config(&self, name: &str, servers: &[Server]) -> anyhow::Result<PathBuf> {
        let mut toml = "[gateway]\nlisten = \"127.0.0.1:0\"\n".to_owned();
        for server in servers {
            toml.push_str(&server.toml());
        }
        let file = self.home.path.join(format!("{name}.toml"));
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
        self.write_config(upstream_name(upstream), &[server])
    }

    fn chancery_stdio(&mut self) -> anyhow::Result<Vec<String>> {
        let config = self.chancery_config(Upstream::Stdio)?;
        self.chancery_command("chancery-stdio-stdio", &config, "stdio")
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
        let name = format!("mcp-gateway-{}", upstream_name(upstream));
        if self.known(&name).is_none() {
            let backend = match upstream {
                Upstream::Http(era) => json!({"http_url": self.upstream(era)?.url()?, "streamable_http": true}),
                Upstream::Stdio => json!({"command": self.stdio_upstream(&[]).join(" ")}),
            };
            let home = self.home.directory(&name)?;
            let port = free_port()?;
            let conf = home.join("gateway.yaml");
            fs::write(&conf, peers::mcp_gateway_conf(backend, port).to_string())?;
            make_private(&conf)?;
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

impl Target {
    /// The endpoint.
    pub(crate) fn url(&self) -> anyhow::Result<&str> {
        Ok(self.endpoint()?.0)
    }

    /// The process behind the endpoint.
    pub(crate) fn pid(&self) -> anyhow::Result<u32> {
        Ok(self.endpoint()?.1)
    }

    fn endpoint(&self) -> anyhow::Result<(&str, u32)> {
        match self {
            Self::Endpoint { url, pid } => Ok((url, *pid)),
            Self::Command(command) => anyhow::bail!("`{}` has no endpoint", command.join(" ")),
        }
    }
}

/// A `[[servers]]` of the gateway's configuration.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    id: String,
    place: Place,
}

#[derive(Debug, Clone)]
enum Place {
    Url(String),
    Command(Vec<String>),
}

impl Server {
    /// A server behind an endpoint.
    pub(crate) fn url(id: &str, url: &str) -> Self {
        Self {
            id: id.to_owned(),
            place: Place::Url(url.to_owned()),
        }
    }

    /// A server that the gateway starts.
    pub(crate) fn command(id: &str, command: &[String]) -> Self {
        Self {
            id: id.to_owned(),
            place: Place::Command(command.to_vec()),
        }
    }

    /// The table in TOML. JSON strings and arrays of strings are TOML as well.
    fn toml(&self) -> String {
        let place = match &self.place {
            Place::Url(url) => format!("url = {}", json!(url)),
            Place::Command(words) => match words.split_first() {
                Some((command, args)) => format!("command = {}\nargs = {}", json!(command), json!(args)),
                None => "command = \"\"".to_owned(),
            },
        };
        format!("\n[[servers]]\nid = {}\n{place}\n", json!(self.id))
    }
}

/// The directory of one run, removed with its value.
#[derive(Debug)]
struct Home {
    path: PathBuf,
}

impl Home {
    fn create() -> anyhow::Result<Self> {
        let path = std::env::temp_dir().join(format!("chancery-bench-{}", std::process::id()));
        fs::create_dir(&path).with_context(|| format!("failed to create {}", path.display()))?;
        Ok(Self { path })
    }

    fn directory(&self, name: &str) -> anyhow::Result<PathBuf> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).with_context(|| format!("failed to create {}", path.display()))?;
        Ok(path)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}.log"))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("failed to remove {}: {error}", self.path.display());
        }
    }
}

fn upstream_name(upstream: Upstream) -> &'static str {
    match upstream {
        Upstream::Http(Era::Legacy) => "http-legacy",
        Upstream::Http(Era::Modern) => "http-modern",
        Upstream::Stdio => "stdio",
    }
}

fn to_command(words: &[String]) -> Command {
    let mut command = Command::new(words.first().map_or("", String::as_str));
    command.args(words.iter().skip(1));
    command
}

/// A configuration that others can read is refused by some gateways.
#[cfg(unix)]
fn make_private(file: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(0o600))?)
}

#[cfg(not(unix))]
fn make_private(_file: &Path) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_tables() {
        assert_eq!(
            Server::url("up", "http://h/mcp").toml(),
            "\n[[servers]]\nid = \"up\"\nurl = \"http://h/mcp\"\n"
        );
        let command = ["/bin/a b", "--x", "\"q\""].map(str::to_owned);
        let toml = Server::command("down", &command).toml();
        assert_eq!(
            toml,
            "\n[[servers]]\nid = \"down\"\ncommand = \"/bin/a b\"\nargs = [\"--x\",\"\\\"q\\\"\"]\n"
        );
    }
}
