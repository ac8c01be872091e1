//! Judges `docker` and `kubectl`: only what shows a state is allowed. What starts, changes or enters anything leaves
//! the sandbox.

use super::super::argument::{Argument, Shape};
use super::super::judge::Judge;
use crate::finding::shown;

/// A tool with the subcommands that only show, and the options that lead to another machine, or to a file that
/// configures one.
struct Tool {
    reads: &'static str,
    /// The subcommands of two words that only show.
    pairs: &'static str,
    refused: &'static str,
    /// The options before the subcommand whose value is the next argument.
    takes_value: &'static str,
}

const DOCKER: Tool = Tool {
    reads: "ps images logs inspect version info stats top diff history port",
    pairs: "compose-ps compose-logs compose-ls compose-config compose-images compose-top compose-version compose-port container-ls container-ps \
            container-list container-logs container-inspect container-top container-stats container-port container-diff image-ls image-list \
            image-inspect image-history volume-ls volume-inspect network-ls network-inspect system-df system-info context-ls buildx-ls buildx-version",
    refused: "host context config tls tlscacert tlscert tlskey tlsverify env-file project-directory",
    takes_value: "f file p project-name profile l log-level",
};

const KUBECTL: Tool = Tool {
    reads: "get describe logs explain version top api-resources api-versions cluster-info",
    pairs: "config-view config-current-context config-get-contexts config-get-clusters rollout-status rollout-history auth-can-i auth-whoami",
    refused: "server kubeconfig token as as-group as-uid username password certificate-authority client-certificate client-key raw \
              insecure-skip-tls-verify tls-server-name cluster user kustomize filename output-watch-events cache-dir profile-output",
    takes_value: "n namespace context request-timeout v",
};

pub(super) fn docker(judge: &mut Judge<'_>, arguments: &[Argument]) {
    judge_tool(judge, &DOCKER, arguments);
}

pub(super) fn kubectl(judge: &mut Judge<'_>, arguments: &[Argument]) {
    judge_tool(judge, &KUBECTL, arguments);
    // The secrets of a cluster must not be shown.
    let secret = |argument: &&Argument| {
        argument
            .text
            .split([',', '/'])
            .any(|kind| kind.eq_ignore_ascii_case("secret") || kind.eq_ignore_ascii_case("secrets"))
    };
    if let Some(argument) = arguments.iter().skip(1).find(secret) {
        let reason = "`kubectl` would show secrets";
        judge.refuse("shell.command", argument, reason, "ask for another kind of object");
    }
}

fn judge_tool(judge: &mut Judge<'_>, tool: &Tool, arguments: &[Argument]) {
    let mut words = Vec::new();
    let mut skips = false;
    for argument in &arguments[1..] {
        if std::mem::take(&mut skips) {
            judge.loose(argument);
            continue;
        }
        match argument.shape() {
            Shape::Operand => {
                words.push(argument);
                judge.loose(argument);
            }
            Shape::Long { name, .. } if holds(tool.refused, name) => judge.refuse_option(&arguments[0], argument),
            Shape::Short(letters) if letters.starts_with(['H', 's']) && words.is_empty() => judge.refuse_option(&arguments[0], argument),
            Shape::Short(name) | Shape::Long { name, value: None } if stands_before_subcommand(&words) => {
                skips = holds(tool.takes_value, name);
                judge.fixed(argument);
            }
            _ => judge.loose(argument),
        }
    }
    let Some(first) = words.first() else { return };
    let second = words.get(1).map_or("", |second| second.text.as_str());
    let pair = format!("{}-{second}", first.text);
    if !holds(tool.reads, &first.text) && !holds(tool.pairs, &pair) {
        let reason = format!(
            "`{} {}` does more than tell how things are",
            shown(&arguments[0].text),
            shown(&first.text)
        );
        judge.refuse("shell.command", first, reason, "use a subcommand that lists, shows or describes");
    }
}

/// Returns whether an option still stands before the subcommand: `docker compose` has options of its own.
fn stands_before_subcommand(words: &[&Argument]) -> bool {
    words.iter().all(|word| word.text == "compose") && words.len() < 2
}

fn holds(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}
