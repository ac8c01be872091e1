//! `cargo xtask soak [NAME]`: the tests that take long, which an ordinary run leaves out.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;

use crate::workspace;

/// How every long test is called; they are `#[ignore]`d.
const PREFIX: &str = "soak_";
/// Where a long test finds the seed of its randomness.
const SEED: &str = "SOAK_SEED";

/// Runs the long tests whose name holds the argument.
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
    eprintln!("{SEED}={seed}");
    let mut tests = workspace::cargo();
    tests
        .args([
            "test",
            "--locked",
            "--workspace",
            "--no-fail-fast",
            "--",
            "--ignored",
            "--nocapture",
            "--test-threads",
            "1",
        ])
        .arg(&filter)
        .env(SEED, &seed);
    let ran = workspace::run(&mut tests);
    eprintln!("to repeat it: {SEED}={seed} cargo xtask soak {}", filter.trim_start_matches(PREFIX));
    ran
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
    use super::filter;

    #[test]
    fn a_name_is_taken_with_and_without_its_prefix() {
        assert_eq!(filter("restarts"), "soak_restarts");
        assert_eq!(filter("soak_restarts"), "soak_restarts");
    }
}
