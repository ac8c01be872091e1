//! `cargo xtask soak [NAME]`: runs the long tests, which an ordinary run leaves out.

use std::process::Stdio;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;

use crate::workspace;

/// The prefix of the name of every long test; they are `#[ignore]`d.
const PREFIX: &str = "soak_";
/// The command for every test of the workspace; what follows is for the test programs.
const TEST: [&str; 6] = ["test", "--locked", "--workspace", "--tests", "--no-fail-fast", "--"];
/// The variable with the random seed of a long test.
const SEED: &str = "SOAK_SEED";

/// Runs the long tests whose name contains the argument.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let filter = match args {
        [] => PREFIX.to_owned(),
        [name] if !name.starts_with('-') => filter(name),
        _ => bail!("say `cargo xtask soak` for all long tests, or `cargo xtask soak NAME` for some; {SEED}=N repeats a run"),
    };
    let seed = match std::env::var(SEED) {
        Ok(seed) => seed,
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos().to_string(),
    };
    let known = long_tests()?;
    if !known.iter().any(|test| test.contains(&filter)) {
        let all = if known.is_empty() {
            "there is none at all".to_owned()
        } else {
            format!("there are: {}", known.join(", "))
        };
        bail!("no long test is called `{filter}…`; {all}");
    }
    eprintln!("{SEED}={seed}");
    let mut tests = workspace::cargo();
    tests
        .args(TEST)
        .args(["--ignored", "--nocapture", "--test-threads", "1"])
        .arg(&filter)
        .env(SEED, &seed);
    let ran = workspace::run(&mut tests);
    eprintln!("to repeat it: {SEED}={seed} cargo xtask soak {}", filter.trim_start_matches(PREFIX));
    ran
}

/// Returns the names of the long tests of all crates.
fn long_tests() -> anyhow::Result<Vec<String>> {
    let mut list = workspace::cargo();
    list.args(TEST)
        .args(["--list", "--ignored", "--format", "terse"])
        .stderr(Stdio::inherit());
    Ok(names(&workspace::output(&mut list)?))
}

fn names(list: &str) -> Vec<String> {
    let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
    tests.filter(|test| test.contains(PREFIX)).map(str::to_owned).collect()
}

fn filter(name: &str) -> String {
    if name.starts_with(PREFIX) {
        name.to_owned()
    } else {
        format!("{PREFIX}{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::{filter, names};

    #[test]
    fn a_name_is_taken_with_and_without_its_prefix() {
        assert_eq!(filter("restarts"), "soak_restarts");
        assert_eq!(filter("soak_restarts"), "soak_restarts");
    }

    #[test]
    fn only_long_tests_are_run() {
        let list = "leaks::soak_restarts: test\nleaks::quick: test\n\ndecode: benchmark\n";
        assert_eq!(names(list), ["leaks::soak_restarts"]);
    }
}
