//! `cargo xtask fuzz --seconds N`: runs libFuzzer on every target of `fuzz/`, on the stable toolchain.

use std::path::Path;

use anyhow::{Context, bail};

use crate::workspace::{self, output, run as run_command};

/// The flags for coverage without the address sanitizer, as fuzz/README.md describes.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

const USAGE: &str = "say `cargo xtask fuzz --seconds N [TARGET]`";

/// Builds and runs the targets.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let (seconds, only) = match args {
        [flag, seconds] if flag == "--seconds" => (seconds, None),
        [flag, seconds, only] if flag == "--seconds" => (seconds, Some(only.as_str())),
        _ => bail!(USAGE),
    };
    let seconds: u64 = seconds
        .parse()
        .with_context(|| format!("`{seconds}` is no number of seconds; {USAGE}"))?;
    let folder = workspace::root().join("fuzz");
    let all = targets(&std::fs::read_to_string(folder.join("Cargo.toml"))?)?;
    let chosen: Vec<&String> = all.iter().filter(|name| only.is_none_or(|only| only == *name)).collect();
    if chosen.is_empty() {
        bail!("there is no target `{}`; there are: {}", only.unwrap_or_default(), all.join(", "));
    }
    let cargo = || {
        let mut cargo = workspace::cargo();
        cargo.current_dir(&folder);
        cargo
    };
    run_command(cargo().args(["run", "--locked", "--quiet", "--example", "seeds"]))?;
    let host = host()?;
    let target_dir = folder.join("target");
    run_command(
        cargo()
            .args(["build", "--locked", "--release", "--bins", "--target", &host, "--target-dir"])
            .arg(&target_dir)
            .env("RUSTFLAGS", FLAGS),
    )?;
    for name in chosen {
        let binary = target_dir.join(&host).join("release").join(name);
        fuzz(&folder, &binary, name, seconds)?;
    }
    Ok(())
}

fn fuzz(folder: &Path, binary: &Path, name: &str, seconds: u64) -> anyhow::Result<()> {
    let artifacts = folder.join("artifacts").join(name);
    let corpus = folder.join("corpus").join(name);
    std::fs::create_dir_all(&artifacts)?;
    std::fs::create_dir_all(&corpus)?;
    eprintln!("fuzzing `{name}` for {seconds} s");
    let mut command = std::process::Command::new(binary);
    command
        .current_dir(folder)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(if name.starts_with("mangle") {
            "-dict=mangle.dict"
        } else {
            "-dict=json.dict"
        })
        .args(["-print_final_stats=1", "-verbosity=0"])
        .arg(&corpus);
    run_command(&mut command).with_context(|| format!("`{name}` found something; the input is in fuzz/artifacts/{name}"))
}

/// Returns the names of the `[[bin]]`s.
fn targets(manifest: &str) -> anyhow::Result<Vec<String>> {
    let manifest: toml::Table = toml::from_str(manifest)?;
    let bins = manifest
        .get("bin")
        .and_then(|bins| bins.as_array())
        .context("fuzz/Cargo.toml has no targets")?;
    Ok(bins.iter().filter_map(|bin| bin.get("name")?.as_str().map(str::to_owned)).collect())
}

fn host() -> anyhow::Result<String> {
    let version = output(std::process::Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say for which machine it builds")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn every_binary_is_a_target() {
        let manifest = "[package]\nname = \"fuzz\"\n[[bin]]\nname = \"decode\"\n[[bin]]\nname = \"edit\"\n";
        assert_eq!(targets(manifest).expect("a manifest"), ["decode", "edit"]);
    }
}
