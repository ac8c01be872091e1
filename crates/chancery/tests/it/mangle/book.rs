//! The commands of the book for rule authors do what the book shows.
//!
//! A block whose fence says `file=NAME` is a file; a block `console` has commands behind `$ `, each with what it prints. Both last to the
//! end of their chapter.

use std::fmt::Write as _;
use std::path::Path;

use super::{run, words};
use crate::machine::Machine;

#[test]
fn every_command_of_the_book_prints_what_it_shows() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use/mangle");
    let mut commands = 0;
    for entry in std::fs::read_dir(book).expect("the book is part of the project") {
        let file = entry.expect("a readable folder").path();
        if file.extension().is_some_and(|end| end == "md") {
            let text = std::fs::read_to_string(&file).expect("it was just listed");
            commands += chapter(&file.display().to_string(), &text);
        }
    }
    assert!(commands >= 8, "the book shows only {commands} commands");
}

#[test]
fn every_option_is_in_the_book() {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/use/mangle/commands.md");
    let text = std::fs::read_to_string(chapter).expect("the chapter of commands");
    let (machine, mut missing, mut options) = (Machine::new(), Vec::new(), 0);
    for command in ["run", "check", "fmt", "why", "why-not", "test", "repl", "graph", "bench", "lsp"] {
        let help = String::from_utf8(run(&machine, &[command, "--help"], None).stdout).expect("text");
        // Those of the gateway stand behind a heading of their own.
        let (own, _) = help.split_once("\nOptions of the gateway").expect("the heading");
        for option in own.lines().filter_map(|line| line.trim_start().strip_prefix("--")) {
            let name = option.split([' ', '=']).next().unwrap_or_default();
            options += 1;
            if !text.contains(&format!("`--{name}")) {
                missing.push(format!("{command} --{name}"));
            }
        }
    }
    assert!(options >= 40, "only {options} options are known");
    assert_eq!(missing, [""; 0], "not in docs/use/mangle/commands.md");
}

/// Plays a chapter; says how many commands it has.
fn chapter(name: &str, text: &str) -> usize {
    let (machine, mut commands) = (Machine::new(), 0);
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let inside: String = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .fold(String::new(), |text, line| text + line + "\n");
        if let Some(file) = info.split_whitespace().find_map(|word| word.strip_prefix("file=")) {
            machine.write(&format!("project/{file}"), &inside);
        }
        if info == "console" {
            commands += inside.lines().filter(|line| line.starts_with("$ ")).count();
            assert_eq!(played(&machine, &inside), inside, "{name}:{}", number + 1);
        }
    }
    commands
}

/// Returns the commands of a block with what they print.
fn played(machine: &Machine, block: &str) -> String {
    let mut out = String::new();
    for command in block.lines().filter_map(|line| line.strip_prefix("$ chancery mangle ")) {
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = run(machine, &words, None);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let _infallible = write!(out, "$ chancery mangle {command}\n{}{}", text(&output.stdout), text(&output.stderr));
    }
    out
}
