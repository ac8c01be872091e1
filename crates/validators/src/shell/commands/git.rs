//! Judges `git`: subcommands that read, and that change the working tree; nothing that runs a program chosen by the
//! caller.

use super::super::argument::{Argument, Shape, abbreviates, lists};
use super::super::judge::{Access, Judge};
use crate::finding::shown;

/// The subcommands that only read.
const READS: &str = "status log diff show blame annotate describe rev-parse ls-files ls-tree grep shortlog reflog cat-file name-rev merge-base cherry \
                     count-objects diff-tree diff-index diff-files for-each-ref rev-list show-ref show-branch whatchanged var version check-ignore check-attr \
                     range-diff fsck get-tar-commit-id verify-commit verify-tag help";
/// The subcommands that change the working tree, the index or local branches.
const WRITES: &str = "add commit checkout switch restore merge rebase cherry-pick revert mv init apply am archive stage format-patch gc repack prune worktree";
/// The subcommands that do either, depending on their arguments.
const MIXED: &str = "branch tag stash remote config notes rm reset clean bisect submodule";
/// The subcommands that contact a remote, which has to be a configured one.
const REMOTES: &str = "fetch pull push";

/// The options that run a program, or take its name from somewhere, for all subcommands.
const REFUSED: &str = "exec remote upload-pack receive-pack ext-diff textconv open-files-in-pager template config-env exec-path \
                       separate-git-dir reference to-command extcmd tool output-directory namespace super-prefix mirror web man info";
/// The options whose value is text.
const TEXTS: &str = "m message author date format pretty grep S G L L_ U n w since until after before committer max-count skip abbrev sort contains merged \
                     no-contains points-at diff-filter stat color word-diff word-diff-regex inter-hunk-context trailer cleanup fixup squash b B c C t track \
                     orphan source s e A unified decorate";
/// The settings that may be given for one call.
const SETTINGS: &[&str] = &[
    "color.",
    "user.name",
    "user.email",
    "core.quotepath",
    "log.",
    "column.",
    "advice.",
    "diff.renames",
    "diff.noprefix",
    "i18n.",
];

pub(super) fn git(judge: &mut Judge<'_>, arguments: &[Argument]) {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        match argument.shape() {
            Shape::Short("C")
            | Shape::Long {
                name: "git-dir" | "work-tree",
                value: None,
            } => {
                if let Some(folder) = arguments.get(at) {
                    judge.path(folder, &folder.text, Access::Read);
                }
                at += 1;
            }
            Shape::Short("c") => {
                if let Some(setting) = arguments.get(at) {
                    one_setting(judge, setting);
                }
                at += 1;
            }
            Shape::Short("p" | "P" | "v" | "h")
            | Shape::Long {
                name: "no-pager" | "paginate" | "version" | "help" | "bare" | "literal-pathspecs",
                ..
            } => {}
            Shape::Long {
                name: "git-dir" | "work-tree",
                value: Some(folder),
            } => judge.loose_path(argument, folder),
            Shape::Operand => return subcommand(judge, argument, &arguments[at..]),
            _ => judge.refuse_option(&arguments[0], argument),
        }
    }
}

fn one_setting(judge: &mut Judge<'_>, setting: &Argument) {
    let name = setting.text.split('=').next().unwrap_or_default().to_ascii_lowercase();
    if !SETTINGS.iter().any(|allowed| name.starts_with(allowed)) {
        let reason = format!("the setting `{}` may name a program to run", shown(&name));
        judge.refuse("shell.option", setting, reason, "leave the setting out");
    }
}

fn subcommand(judge: &mut Judge<'_>, name: &Argument, rest: &[Argument]) {
    let text = name.text.as_str();
    let known = [READS, WRITES, MIXED, REMOTES]
        .iter()
        .any(|list| list.split_whitespace().any(|one| one == text));
    if !known {
        let reason = format!("`git {}` may run programs or reach the network", shown(text));
        judge.refuse("shell.command", name, reason, "use a subcommand that works on the local repository");
        return;
    }
    if judge.reads_only() && !reads(text, rest) {
        judge.refuse_write(name.span.clone(), text);
        return;
    }
    match text {
        "config" => return config(judge, rest),
        "remote" => return remote(judge, rest),
        "bisect" => one_of(judge, name, rest, "start good bad new old skip reset log terms"),
        "submodule" => one_of(judge, name, rest, "status summary"),
        _ => {}
    }
    if destroys(text, rest) {
        let reason = format!("`git {}` would throw work away", shown(text));
        judge.refuse("shell.recursive", name, reason, "use `git stash`, or name single files");
    }
    options(judge, name, rest);
    if lists_in(REMOTES, text) {
        remote_names(judge, rest);
    }
}

/// Judges a subcommand whose own subcommands are not all harmless: `git bisect run` runs its argument.
fn one_of(judge: &mut Judge<'_>, name: &Argument, rest: &[Argument], allowed: &str) {
    let Some(first) = rest.iter().find(|one| one.shape() == Shape::Operand) else {
        return;
    };
    if !lists_in(allowed, &first.text) {
        let reason = format!(
            "`git {} {}` may run programs or reach the network",
            shown(&name.text),
            shown(&first.text)
        );
        judge.refuse(
            "shell.command",
            first,
            reason,
            "use a subcommand that works on the local repository",
        );
    }
}

fn lists_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

/// Returns whether this use of the subcommand only reads.
fn reads(name: &str, rest: &[Argument]) -> bool {
    if lists_in(READS, name) {
        return !rest.iter().any(|one| one.text.starts_with("--output"));
    }
    let operands = rest.iter().filter(|one| one.shape() == Shape::Operand).count();
    let has = |names: &[&str]| {
        rest.iter()
            .any(|one| names.contains(&one.text.split('=').next().unwrap_or_default()))
    };
    match name {
        "branch" | "tag" => {
            operands == 0
                && !has(&[
                    "-d",
                    "-D",
                    "-m",
                    "-M",
                    "-c",
                    "-C",
                    "--delete",
                    "--move",
                    "--copy",
                    "--edit-description",
                    "--unset-upstream",
                ])
        }
        "remote" => operands == 0 || rest.first().is_some_and(|first| first.text == "get-url"),
        "stash" => rest.first().is_some_and(|first| first.text == "list" || first.text == "show"),
        "bisect" => rest.first().is_some_and(|first| first.text == "log"),
        "submodule" => true,
        "worktree" | "notes" => rest.first().is_none_or(|first| first.text == "list" || first.text == "show"),
        "config" => {
            has(&["--get", "--get-all", "--get-regexp", "--list", "-l", "--get-urlmatch"])
                || rest.first().is_some_and(|one| one.text == "list" || one.text == "get")
        }
        _ => false,
    }
}

/// Returns whether the subcommand destroys something that cannot be restored.
fn destroys(name: &str, rest: &[Argument]) -> bool {
    let has = |letters: &[char], long: &str| {
        rest.iter().any(|one| match one.shape() {
            Shape::Short(given) => given.contains(letters),
            Shape::Long { name, .. } => abbreviates(long, name),
            _ => false,
        })
    };
    match name {
        "clean" => !has(&['n'], "dry-run"),
        "reset" => has(&[], "hard merge keep"),
        "rm" => has(&['r'], "recursive"),
        "push" => {
            has(&['f', 'd'], "force force-with-lease force-if-includes delete prune mirror")
                || rest.iter().any(|one| one.text.starts_with(['+', ':']))
        }
        "checkout" | "switch" => has(&['f'], "force discard-changes"),
        "branch" => has(&['D'], "force"),
        "gc" | "prune" | "repack" => has(&[], "prune expire"),
        "worktree" => has(&['f'], "force"),
        _ => false,
    }
}

fn options(judge: &mut Judge<'_>, name: &Argument, rest: &[Argument]) {
    let mut at = 0;
    while let Some(argument) = rest.get(at) {
        at += 1;
        if let Some(skipped) = strategy(judge, name, argument, rest.get(at)).or_else(|| output(judge, argument, rest.get(at))) {
            at += skipped;
            continue;
        }
        let refused = match argument.shape() {
            Shape::Long { name, .. } => REFUSED.split_whitespace().any(|one| one == name) || (name.len() > 3 && abbreviates(REFUSED, name)),
            Shape::Short(letters) => match name.text.as_str() {
                "grep" => letters.starts_with('O'),
                "rebase" => letters.contains('x'),
                "fetch" | "push" => letters.contains('u') && name.text == "fetch",
                _ => false,
            },
            _ => false,
        };
        if refused {
            judge.refuse_option(name, argument);
            continue;
        }
        match argument.shape() {
            Shape::Long { name, value: None } if TEXTS.split_whitespace().any(|one| one == name) => {
                at += usize::from(!takes_optional(name))
            }
            Shape::Short(letters)
                if letters.ends_with('m') && matches!(name.text.as_str(), "commit" | "tag" | "merge" | "stash" | "notes") =>
            {
                at += 1
            }
            Shape::Short("L" | "S" | "G") if matches!(name.text.as_str(), "log" | "show" | "diff" | "blame" | "annotate" | "rev-list") => {
                at += 1
            }
            Shape::Short(letters) if letters.len() == 1 && lists(TEXTS, letters) => {}
            Shape::Long { name, value: Some(_) } if TEXTS.split_whitespace().any(|one| one == name) => {}
            Shape::Short(letters) if letters.starts_with(['S', 'G', 'L', 'U', 'm']) => {}
            Shape::Long { value, .. } => judge.loose_path(argument, value.unwrap_or_default()),
            Shape::End => {}
            Shape::Short(letters) => judge.loose_path(argument, letters.get(1..).unwrap_or_default()),
            Shape::Operand => judge.loose_path(argument, &argument.text),
        }
    }
}

/// Judges a merge strategy, which is a program by its name: only git's own are allowed. Returns how many further
/// arguments belong to the option.
fn strategy(judge: &mut Judge<'_>, command: &Argument, argument: &Argument, next: Option<&Argument>) -> Option<usize> {
    const OWN: &str = "ort recursive resolve octopus ours subtree";
    if !lists_in("merge pull revert cherry-pick rebase", &command.text) {
        return None;
    }
    let (is_name, value) = match argument.shape() {
        Shape::Long { name, value } if name.len() > 3 && "strategy".starts_with(name) => (true, value),
        Shape::Long { name, value } if name.len() > 3 && "strategy-option".starts_with(name) => (false, value),
        Shape::Short(letters) if letters.starts_with('s') && (letters.len() > 1 || lists_in("merge pull rebase", &command.text)) => {
            (true, letters.get(1..).filter(|glued| !glued.is_empty()))
        }
        Shape::Short(letters) if letters.starts_with('X') => (false, letters.get(1..).filter(|glued| !glued.is_empty())),
        _ => return None,
    };
    let given = value
        .map(str::to_owned)
        .or_else(|| next.map(|next| next.text.clone()))
        .unwrap_or_default();
    if is_name && !lists_in(OWN, &given) {
        judge.refuse_option(command, argument);
    }
    Some(usize::from(value.is_none()))
}

/// Judges the option for the place of the result. Returns how many further arguments belong to the option.
fn output(judge: &mut Judge<'_>, argument: &Argument, next: Option<&Argument>) -> Option<usize> {
    match (argument.shape(), next) {
        (
            Shape::Long {
                name: "output" | "output-directory",
                value: Some(file),
            },
            _,
        ) => {
            judge.path(argument, file, Access::Write);
            Some(0)
        }
        (
            Shape::Long {
                name: "output" | "output-directory",
                value: None,
            },
            Some(file),
        ) => {
            judge.path(file, &file.text, Access::Write);
            Some(1)
        }
        _ => None,
    }
}

/// Returns whether an option takes a value only behind `=`.
fn takes_optional(name: &str) -> bool {
    matches!(
        name,
        "color" | "stat" | "word-diff" | "decorate" | "track" | "abbrev" | "contains" | "merged" | "no-contains" | "pretty" | "points-at"
    )
}

/// Judges `config`. Settings can name programs to run, so only names and appearance may be written.
fn config(judge: &mut Judge<'_>, rest: &[Argument]) {
    let mut operands = Vec::new();
    for argument in rest {
        match argument.shape() {
            Shape::Long { name: "file" | "blob", .. } | Shape::Short("f") => judge.refuse_option(argument, argument),
            Shape::Operand => operands.push(argument),
            _ => {
                judge.fixed(argument);
            }
        }
    }
    let asks = rest
        .iter()
        .any(|one| matches!(one.shape(), Shape::Long { name, .. } if name.starts_with("get") || name.starts_with("unset") || name == "list" || name == "show-origin"));
    let skip = usize::from(
        operands
            .first()
            .is_some_and(|first| matches!(first.text.as_str(), "get" | "list" | "unset" | "set" | "edit")),
    );
    let is_plain_alias = operands
        .get(skip)
        .is_some_and(|name| name.text.to_ascii_lowercase().starts_with("alias."))
        && operands
            .get(skip + 1)
            .is_some_and(|value| !value.text.starts_with('!') && !value.dynamic);
    if !asks && !is_plain_alias && operands.len() > skip + 1 && operands.first().is_none_or(|first| first.text != "get") {
        one_setting(judge, operands[skip]);
    }
}

/// Judges `remote`, which only records a remote; its address is judged.
fn remote(judge: &mut Judge<'_>, rest: &[Argument]) {
    for argument in rest {
        let text = argument.text.as_str();
        let leads_away = text.contains("::") || text.starts_with("file:") || text.starts_with(['/', '~', '.']);
        if leads_away {
            let reason = format!("`{}` is no address of a remote repository", shown(text));
            judge.refuse("shell.path", argument, reason, "use an `https://` address");
        } else {
            judge.fixed(argument);
        }
    }
}

/// Judges `push`, `pull` and `fetch`, which have to use a configured remote, by its name.
fn remote_names(judge: &mut Judge<'_>, rest: &[Argument]) {
    let Some(first) = rest.iter().find(|one| one.shape() == Shape::Operand) else {
        return;
    };
    if first.text.contains([':', '/', '\\', '@']) {
        let reason = format!("`{}` is no name of a configured remote", shown(&first.text));
        judge.refuse("shell.network", first, reason, "name a remote that is configured");
    }
}
