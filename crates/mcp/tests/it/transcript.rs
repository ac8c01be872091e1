//! Plays transcripts. A line is a step: who, a mark, what.
//!
//! `==` begins a case on fresh machines: `client`, `server ERA|REVISION` or `pair REVISION`. `client >` and `server >` are messages that come
//! in, `^` is what the transport shows beside the next one, `kernel !` is what the kernel tells a machine. What the machines do stands below
//! each of them: `client <` and `server <` are messages that go out, `kernel ?` is what a machine wants of the kernel. `UPDATE_EXPECT=1`
//! rewrites it. Everything else is a comment.

use transcripts::transcripts;

use crate::client_face::ClientFace;
use crate::pair_stage::PairStage;
use crate::server_face::ServerFace;

/// Machines under test.
pub(crate) trait Stage {
    /// Carries a step out, and returns the lines that it leads to.
    fn step(&mut self, who: &str, mark: char, what: &str) -> Vec<String>;
}

/// Returns a line of a transcript, its columns aligned.
pub(crate) fn line(who: &str, mark: char, what: &str) -> String {
    format!("{who:<6} {mark} {what}")
}

fn stage(what: &str) -> Box<dyn Stage> {
    let (kind, rest) = crate::words::word(what);
    match kind {
        "client" => Box::new(ClientFace::default()),
        "server" => Box::new(ServerFace::new(rest)),
        "pair" => Box::new(PairStage::new(rest)),
        _ => panic!("`{kind}` is no stage"),
    }
}

fn play(script: &str) -> String {
    let mut stage: Option<Box<dyn Stage>> = None;
    let mut played = String::new();
    for text in script.lines() {
        let step = parsed(text);
        if step.is_some_and(|(_, mark, _)| matches!(mark, '<' | '?')) {
            continue;
        }
        let done = match step {
            Some((_, '=', what)) => {
                stage = Some(self::stage(what));
                played.push_str(text);
                Vec::new()
            }
            Some((who, mark, what)) => {
                played.push_str(&line(who, mark, what));
                stage.as_mut().expect("a case begins with `==`").step(who, mark, what)
            }
            None => {
                played.push_str(text);
                Vec::new()
            }
        };
        played.push('\n');
        for line in done {
            played.push_str(&line);
            played.push('\n');
        }
    }
    played
}

/// Returns who, mark and what of a step; `None` for comments and empty lines.
fn parsed(text: &str) -> Option<(&str, char, &str)> {
    if text.starts_with('#') {
        return None;
    }
    if let Some(what) = text.strip_prefix("==") {
        return Some(("", '=', what));
    }
    let (who, rest) = crate::words::word(text);
    let (mark, what) = crate::words::word(rest);
    match mark {
        ">" | "<" | "!" | "?" | "^" => Some((who, mark.chars().next()?, what)),
        "" => None,
        _ => panic!("`{text}` is no step"),
    }
}

transcripts! {
    play;
    client_initialize client_modern client_mirrors client_legacy client_answers client_progress client_cancel client_listen client_asks
    server_hello server_calls server_notifications server_asks
    pair_legacy_legacy pair_modern_modern pair_legacy_modern pair_modern_legacy
}
