//! `--watch`: runs the tests, and runs them again when one of their files has changed.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use super::{
    super::{args::Test, output::tell},
    render::render,
    run::run,
};
use crate::words::plural;

/// How often files are polled: often enough for a person, and rarely enough for the machine.
const EVERY: Duration = Duration::from_millis(250);

/// The state of a file: length and time of the last change; `None` if it does not exist.
type Look = Option<(u64, SystemTime)>;

/// Runs until it is stopped, or the reader of its output closes its end.
pub(super) fn watch(args: &Test) -> anyhow::Result<ExitCode> {
    loop {
        let before;
        let text = match run(args) {
            Ok((report, files)) => {
                before = looks(files);
                render(&report, args.format)
            }
            Err(error) => {
                before = looks(args.files.clone());
                format!("error: {error:#}\n")
            }
        };
        let mut stdout = std::io::stdout().lock();
        if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
            return Ok(ExitCode::SUCCESS);
        }
        drop(stdout);
        tell(&format!("watching {}; Ctrl-C ends\n", plural(before.len(), "file")));
        let changed = loop {
            std::thread::sleep(EVERY);
            let changed = before.iter().find(|(file, look)| look_at(file) != **look);
            if let Some((file, _)) = changed {
                break file.display().to_string();
            }
        };
        tell(&format!("\n`{changed}` has changed\n"));
    }
}

fn looks(files: Vec<PathBuf>) -> BTreeMap<PathBuf, Look> {
    files.into_iter().map(|file| (file.clone(), look_at(&file))).collect()
}

fn look_at(file: &PathBuf) -> Look {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}
