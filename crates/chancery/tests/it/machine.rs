//! A machine to run the binary on.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;

/// A home and a project directory, and nothing of the real ones.
pub(crate) struct Machine(tempfile::TempDir);

impl Machine {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(dir.path().join("project")).expect("a directory");
        Self(dir)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }

    /// Returns the binary, about to be started in the project directory with nothing in its environment but a home.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
        command.args(args).current_dir(self.path("project")).stdin(Stdio::null());
        command.env_clear().env("HOME", self.0.path());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("the binary")
    }

    /// Exit code, stdout and stderr, with the home as `~`.
    pub(crate) fn shown(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&self.0.path().display().to_string(), "~");
        format!(
            "{}\n{}---\n{}",
            output.status.code().unwrap_or(-1),
            text(&output.stdout),
            text(&output.stderr)
        )
    }

    pub(crate) fn check(&self, args: &[&str], expected: &Expect) {
        expected.assert_eq(&self.shown(args));
    }
}
