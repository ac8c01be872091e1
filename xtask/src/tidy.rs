//! `cargo xtask tidy`: checks the invariants of ARCHITECTURE.md, dependencies, and that documents are true.

mod citations;
mod code;
mod cycles;
mod dependencies;
mod documents;
mod functions;
mod layers;
mod manifests;
mod rooms;
mod rows;
mod rust;
mod syntax;
mod tree;
mod violation;
mod words;

use std::io::Write;
use std::process::Command;

use anyhow::bail;

use crate::workspace;

/// Runs every check, and prints everything that is wrong.
pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    match args {
        [] => {}
        [name, rest @ ..] if name == "cycles" => return cycles::run(rest),
        _ => bail!("`cargo xtask tidy` takes no arguments, or `cycles [CRATE]`"),
    }
    let files = tree::files()?;
    let trees = syntax::trees(&files)?;
    let mut found = code::check(&files);
    found.extend(cycles::check(&trees));
    found.extend(functions::check(&trees));
    found.extend(manifests::check(&files)?);
    found.extend(dependencies::check(&files)?);
    found.extend(documents::check(&files)?);
    found.extend(rooms::check(&files, &trees));
    found.extend(rows::check(&files));
    found.extend(citations::check(&files));
    found.extend(words::check(&files));
    found.sort();
    let mut out = std::io::stdout();
    for violation in &found {
        writeln!(out, "{violation}")?;
    }
    let denied = cargo_deny()?;
    if !found.is_empty() {
        bail!("{} rules of the project are broken, as listed", found.len());
    }
    if !denied {
        bail!("cargo-deny found something");
    }
    writeln!(out, "tidy: {} files keep the rules", files.len())?;
    Ok(())
}

/// Runs the real cargo-deny where it is installed, without the advisories, which change by themselves.
fn cargo_deny() -> anyhow::Result<bool> {
    let installed = Command::new("cargo-deny")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !installed {
        return Ok(true);
    }
    let mut deny = workspace::cargo();
    deny.args(["deny", "--locked", "check", "licenses", "bans", "sources"]);
    Ok(deny.status()?.success())
}
