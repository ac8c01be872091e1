//! The two gateways: the present tree's, and that of a commit, from a worktree that is kept for it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::bench::build::{self, Origin};
use crate::workspace;

/// How much of a commit's name is shown, and names its directory.
const SHORT: usize = 12;

/// A commit of this repository.
#[derive(Debug, Clone)]
pub(crate) struct Commit {
    hash: String,
    /// The first line of its message.
    pub(crate) subject: String,
}

/// The gateways that are compared, and what drives them.
#[derive(Debug, Clone)]
pub(crate) struct Gateways {
    pub(crate) commit: PathBuf,
    pub(crate) present: PathBuf,
    pub(crate) bench_peer: PathBuf,
}

impl Commit {
    /// The commit that `name` means.
    pub(crate) fn resolve(name: &str) -> anyhow::Result<Self> {
        let commit = format!("{name}^{{commit}}");
        let hash = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
        let hash = hash.with_context(|| format!("`{name}` names no commit of this repository"))?;
        Ok(Self {
            subject: git(&["log", "-1", "--format=%s", &hash])?,
            hash,
        })
    }

    /// The beginning of its name.
    pub(crate) fn short(&self) -> &str {
        &self.hash[..SHORT.min(self.hash.len())]
    }

    /// Checks the commit out below `directory`, or finds it there as it was left.
    fn check_out(&self, directory: &Path) -> anyhow::Result<PathBuf> {
        let tree = directory.join("tree");
        let shown = tree.to_str().context("the target directory has a name that is not UTF-8")?;
        if !tree.is_dir() {
            fs::create_dir_all(directory).with_context(|| format!("failed to create {}", directory.display()))?;
            // Forced: git may still know of a tree at this place that was deleted with the target directory.
            git(&["worktree", "add", "--force", "--detach", shown, &self.hash])?;
        }
        let head = git(&["-C", shown, "rev-parse", "HEAD"])?;
        let changes = git(&["-C", shown, "status", "--porcelain"])?;
        ensure!(
            head == self.hash && changes.is_empty(),
            "{shown} is not commit {} as it is: remove it with `git worktree remove --force {shown}`",
            self.short()
        );
        Ok(tree)
    }
}

/// Builds both gateways with the release profile of the present tree, each alone: what else is built beside a package changes the
/// features of what they share.
pub(crate) fn build(commit: &Commit) -> anyhow::Result<Gateways> {
    let root = workspace::root();
    let cache = target_directory(&root).join("against");
    let directory = cache.join(commit.short());
    let tree = commit.check_out(&directory)?;
    let profile = cache.join("profile.toml");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).context("failed to read the root manifest")?;
    fs::write(&profile, release_profile(&manifest)?).with_context(|| format!("failed to write {}", profile.display()))?;

    let present = Origin {
        folder: &root,
        target: None,
        profile: Some(&profile),
    };
    eprintln!("building the gateway of the present tree, {}", root.display());
    let gateway = build::executable(&present, "chancery", "chancery")?;
    eprintln!("building what drives them");
    let bench_peer = build::executable(&present, "bench", "bench-peer")?;
    let target = directory.join("target");
    let past = Origin {
        folder: &tree,
        target: Some(&target),
        profile: Some(&profile),
    };
    eprintln!("building the gateway of commit {}, {}", commit.short(), tree.display());
    Ok(Gateways {
        commit: build::executable(&past, "chancery", "chancery")?,
        present: gateway,
        bench_peer,
    })
}

/// The release profile of a manifest, as configuration of cargo, which is above any manifest.
fn release_profile(manifest: &str) -> anyhow::Result<String> {
    let manifest: toml::Table = manifest.parse().context("failed to read the root manifest")?;
    let release = manifest.get("profile").and_then(|profile| profile.get("release"));
    let release = release.cloned().unwrap_or_else(|| toml::Table::new().into());
    let profile = toml::Table::from_iter([("release".to_owned(), release)]);
    Ok(toml::to_string(&toml::Table::from_iter([("profile".to_owned(), profile.into())]))?)
}

/// Where cargo puts what it builds from `root`.
fn target_directory(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |target| root.join(target))
}

fn git(args: &[&str]) -> anyhow::Result<String> {
    let mut git = std::process::Command::new("git");
    let said = workspace::output(git.args(args).current_dir(workspace::root()))?;
    Ok(said.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_release_profile_is_taken_over() {
        let manifest =
            "[workspace]\n[profile.dev]\ndebug = false\n[profile.release]\nlto = \"thin\"\n[profile.release.package.a]\nopt-level = 1\n";
        let taken: toml::Table = release_profile(manifest).expect("valid").parse().expect("TOML");
        let expected = "[profile.release]\nlto = \"thin\"\n[profile.release.package.a]\nopt-level = 1\n";
        assert_eq!(taken, expected.parse().expect("TOML"));
        assert_eq!(release_profile("").expect("valid").trim(), "[profile.release]");
    }

    #[test]
    fn a_commit_is_known_by_any_of_its_names() {
        // A checkout without history has nothing to resolve.
        if let Ok(head) = Commit::resolve("HEAD") {
            assert_eq!(Commit::resolve(head.short()).expect("the same").hash, head.hash);
            assert_eq!(head.short().len(), SHORT);
        }
        let error = Commit::resolve("no-such-commit").expect_err("no commit").to_string();
        assert!(error.contains("`no-such-commit`"), "{error}");
    }
}
