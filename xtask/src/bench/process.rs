//! Processes that a benchmark starts and that end with it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// How long a process may take until it is ready.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a process may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(3);
/// How often a condition without an event of its own is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// A running process that is ended with its value.
#[derive(Debug)]
pub(crate) struct Running {
    name: String,
    child: Child,
    log: PathBuf,
    /// Where it listens.
    pub(crate) url: String,
}

impl Running {
    /// Starts a process that prints its endpoint, and waits for that.
    pub(crate) fn announced(name: &str, command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let mut running = Self::start(name, command.stdout(Stdio::piped()), log)?;
        let output = running.child.stdout.take().context("stdout is piped")?;
        let (send, receive) = mpsc::sync_channel(1);
        thread::spawn(move || {
            // Reads on after the endpoint, so that the process can never block on a full pipe.
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(url) = line.split_whitespace().find(|word| word.starts_with("http://")) {
                    send.try_send(url.to_owned()).ok();
                }
            }
        });
        match receive.recv_timeout(PATIENCE) {
            Ok(url) => running.url = url,
            Err(_) => bail!("{name} printed no endpoint; its log: {}", running.log_tail()),
        }
        Ok(running)
    }

    /// Starts a process that was told where to listen, and waits until `path` there answers with success.
    pub(crate) fn told(name: &str, command: &mut Command, log: &Path, port: u16, path: &str) -> anyhow::Result<Self> {
        let mut running = Self::start(name, command.stdout(Stdio::null()), log)?;
        running.url = format!("http://127.0.0.1:{port}");
        let start = Instant::now();
        while !answers(port, path) {
            if start.elapsed() > PATIENCE || running.child.try_wait()?.is_some() {
                bail!("{name} is not ready; its log: {}", running.log_tail());
            }
            thread::sleep(LOOK);
        }
        Ok(running)
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn start(name: &str, command: &mut Command, log: &Path) -> anyhow::Result<Self> {
        let stderr = File::create(log).with_context(|| format!("failed to create {}", log.display()))?;
        let child = command
            .stdin(Stdio::null())
            .stderr(stderr)
            .spawn()
            .with_context(|| format!("failed to start {name}"))?;
        Ok(Self {
            name: name.to_owned(),
            child,
            log: log.to_owned(),
            url: String::new(),
        })
    }

    /// The end of what the process wrote to stderr.
    fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    fn end(&mut self) -> std::io::Result<()> {
        Command::new("kill").args(["-TERM", &self.pid().to_string()]).status()?;
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() > GRACE {
                self.child.kill()?;
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            eprintln!("failed to end {}: {error}", self.name);
        }
    }
}

/// Returns a port that is free now. Another process can take it before it is used; then the process that was told to use it
/// says so, and the run is started again.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Whether `GET path` on `port` is answered with a status below 500: that a server listens and has its upstreams.
fn answers(port: u16, path: &str) -> bool {
    let ask = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(GRACE))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
        let mut status = vec![0; b"HTTP/1.1 200".len()];
        stream.read_exact(&mut status)?;
        Ok(status)
    };
    ask().is_ok_and(|status| matches!(status[9], b'2' | b'4'))
}
