//! `chancery mangle …` as a person or a script runs it.
//!
//! `data/mangle/*.txt` are transcripts. First come files, each behind a line `-- NAME --`; then commands, `$ run a.mg`, each with what
//! it writes to stdout (`>`) and stderr (`!`) and how it ends (`=`). `< FILE` gives stdin, `$ cat FILE` shows a file.
//! `UPDATE_EXPECT=1` writes them anew; the diff is the review.

mod book;
mod lsp;
mod people;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use expect_test::expect_file;

use crate::machine::Machine;

#[test]
fn transcripts_are_what_happens() {
    let transcripts = transcripts();
    assert!(transcripts.len() >= 20, "there are only {} transcripts", transcripts.len());
    for path in transcripts {
        let text = std::fs::read_to_string(&path).expect("it was just listed");
        expect_file![path].assert_eq(&played(&text));
    }
}

fn transcripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mangle");
    let entries = std::fs::read_dir(folder).expect("the transcripts are part of the crate");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    files
}

/// Returns the transcript as it really goes.
fn played(text: &str) -> String {
    let machine = Machine::new();
    let (mut out, mut file): (String, Option<(String, String)>) = Default::default();
    for line in text.lines() {
        let begins = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --"));
        let command = line.strip_prefix("$ ");
        if begins.is_some() || command.is_some() {
            place(&machine, file.take());
        }
        // What a command says is said anew.
        if out.contains("\n$ ") && command.is_none() && begins.is_none() && !line.is_empty() && !line.starts_with('#') {
            continue;
        }
        let _infallible = writeln!(out, "{line}");
        match (begins, command, &mut file) {
            (Some(name), ..) => file = Some((name.to_owned(), String::new())),
            (_, Some(command), _) => out += &ran(&machine, command),
            (None, None, Some((_, content))) => *content += &format!("{line}\n"),
            (None, None, None) => {}
        }
    }
    out
}

fn place(machine: &Machine, file: Option<(String, String)>) {
    if let Some((name, text)) = file {
        machine.write(
            &format!("project/{name}"),
            text.strip_suffix("\n\n").map_or(&text, |_| &text[..text.len() - 1]),
        );
    }
}

/// Returns what a command writes and how it ends, as lines of a transcript.
fn ran(machine: &Machine, command: &str) -> String {
    let (command, stdin) = command
        .split_once(" < ")
        .map_or((command, None), |(command, file)| (command, Some(file)));
    let words = words(command);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["cat", file] = words[..] {
        let text = std::fs::read_to_string(machine.path(&format!("project/{file}"))).expect("a file to show");
        return marked('>', &text);
    }
    let input = stdin.map(|file| std::fs::read(machine.path(&format!("project/{file}"))).expect("a file for stdin"));
    let output = run(machine, &words, input.as_deref());
    let code = output.status.code().map_or_else(|| "a signal".to_owned(), |code| code.to_string());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!(
        "{}{}= {code}\n",
        marked('>', &text(&output.stdout)),
        marked('!', &text(&output.stderr))
    )
}

/// `chancery mangle` with these words and this input.
fn run(machine: &Machine, words: &[&str], input: Option<&[u8]>) -> Output {
    let args: Vec<&str> = std::iter::once("mangle").chain(words.iter().copied()).collect();
    let mut command = machine.command(&args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A command that does not want its input may be gone already.
    let _unread = stdin.write_all(input.unwrap_or_default());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn marked(mark: char, text: &str) -> String {
    text.lines()
        .map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n")
        .collect()
}

/// Words as a shell splits them; single quotes keep what is in them together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
