//! The process that is killed, and where it lives.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::spin;
use super::upstream::Upstream;
use crate::machine::Machine;

const BINARY: &str = env!("CARGO_BIN_EXE_chancery");

/// A machine with a configuration, whose store outlives the gateways.
pub(super) struct Place {
    pub(super) machine: Machine,
}

impl Place {
    pub(super) fn new(upstream: &Upstream, always: bool) -> Self {
        let machine = Machine::new();
        let copied = machine.path("copied").display().to_string();
        let sync = if always { "always" } else { "interval" };
        let url = upstream.url();
        machine.write(
            "a.toml",
            &format!(
                r#"
[gateway]
listen = "127.0.0.1:0"
startup_wait = "1m"
log_level = "error"

[policy]
access = "opt-in"
approval_hold = "300ms"

[[policy.grants]]
principal = "caller"
server = "http"

[[policy.grants]]
principal = "caller"
server = "pipe"

[audit]
sync = "{sync}"

[store]
folder = "store"

[[servers]]
id = "http"
url = "{url}"

[servers.tools.note]
risk = "safe"

[servers.tools.destroy]
risk = "dangerous"

[[servers]]
id = "pipe"
command = "/bin/sh"
args = ["-c", 'tee -a "$0" | "$1" example minimal', "{copied}", "{BINARY}"]
"#
            ),
        );
        Self { machine }
    }

    /// Returns the store.
    pub(super) fn store(&self) -> PathBuf {
        self.machine.path("store")
    }

    /// Returns what has reached the child: whole lines only, what was cut short has not been read.
    pub(super) fn copied(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.machine.path("copied")).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| line.trim_end().to_owned()).collect()
    }

    /// Returns a token that is made while no gateway runs.
    pub(super) fn token(&self, principal: &str, role: &str) -> String {
        let args = [
            "--config",
            "../a.toml",
            "token",
            "create",
            principal,
            "--role",
            role,
            "--id",
            principal,
        ];
        let made = self.machine.run(&args);
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stdout).expect("a text").trim().to_owned()
    }

    fn spawn(&self) -> Child {
        let complaints = File::create(self.machine.path("complaints")).expect("a file");
        let mut command = self.machine.command(&["--config", "../a.toml", "serve"]);
        command.stdout(Stdio::piped()).stderr(complaints).spawn().expect("the binary")
    }

    fn complaints(&self) -> String {
        std::fs::read_to_string(self.machine.path("complaints")).unwrap_or_default()
    }
}

/// Starts a gateway and kills it after a while, whatever it is doing.
pub(super) fn killed_while_starting(place: &Place, after: Duration) {
    let mut process = place.spawn();
    spin(after);
    process.kill().expect("a signal");
    process.wait().expect("its end");
}

/// A gateway that runs.
pub(super) struct Gateway<'a> {
    place: &'a Place,
    process: Mutex<Child>,
    pub(super) address: String,
}

impl<'a> Gateway<'a> {
    pub(super) fn start(place: &'a Place) -> Self {
        let mut process = place.spawn();
        let mut url = String::new();
        let mut out = BufReader::new(process.stdout.take().expect("its stdout"));
        out.read_line(&mut url).expect("a line");
        let address = url.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address
            .unwrap_or_else(|| panic!("it did not start: {}", place.complaints()))
            .to_owned();
        Self {
            place,
            process: Mutex::new(process),
            address,
        }
    }

    /// Kills it.
    pub(super) fn kill(&self) {
        let mut process = self.process.lock().expect("nobody panics");
        assert!(
            process.try_wait().expect("its state").is_none(),
            "it had ended by itself: {}",
            self.place.complaints()
        );
        process.kill().expect("a signal");
        process.wait().expect("its end");
        assert_eq!(self.place.complaints(), "", "it had complained");
    }

    /// Lets it end.
    pub(super) fn end(self) {
        let mut process = self.process.lock().expect("nobody panics");
        kill_process(Pid::from_child(&process), Signal::TERM).expect("a signal");
        assert!(process.wait().expect("its end").success(), "{}", self.place.complaints());
    }
}

impl Drop for Gateway<'_> {
    /// One that a failed test leaves behind goes with it.
    fn drop(&mut self) {
        if let Ok(process) = self.process.get_mut() {
            process.kill().ok();
            process.wait().ok();
        }
    }
}
