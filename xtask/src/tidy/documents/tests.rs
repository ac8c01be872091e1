//! What is found in documents, on small ones.

use super::{blocks, commands, first_difference, links, machine_paths, variables};
use crate::tidy::tree::File;

#[test]
fn blocks_have_a_language_and_a_line() {
    let found = blocks("a\n```toml\nx = 1\n```\nb\n```\nplain\n```\n");
    assert_eq!(found.len(), 2);
    assert_eq!(
        (found[0].language.as_str(), found[0].line, found[0].text.as_str()),
        ("toml", 3, "x = 1\n")
    );
    assert_eq!(found[1].language, "");
}

#[test]
fn commands_are_read_as_a_shell_would() {
    let text = "```sh\n# chancery no\nchancery tools call x '{\"a\": 1}' > y   # why\nTOKEN=a chancery serve &\ncargo run --release -- demo\nls\n```\n";
    let found = commands(&blocks(text)[0]);
    let words: Vec<String> = found.iter().map(|(line, words)| format!("{line}: {}", words.join(" "))).collect();
    assert_eq!(words, ["3: tools call x {\"a\": 1}", "4: serve", "5: demo"]);
}

#[test]
fn links_lead_to_files_and_folders() {
    let files = [
        File::new(
            "docs/guide.md",
            "[a](bridging.md#x) [b](../lib) [c](https://example.com) [d](#here)\n[e](gone.md)\n",
        ),
        File::new("docs/bridging.md", ""),
        File::new("lib/a/src/lib.rs", ""),
    ];
    let found = links(&files[0], &files);
    assert!(found.len() == 1 && found[0].line == 2, "{found:?}");
}

#[test]
fn paths_of_a_machine_are_found() {
    let bad = File::new("a.md", "see /work/main/x\nor /home/berta/y\n");
    assert_eq!(machine_paths(&bad).len(), 2);
    let good = File::new("a.md", "see docs/work/x, ~/work/y, ${HOME}/tmp/z and /home/alice/notes\n");
    assert!(machine_paths(&good).is_empty(), "{:?}", machine_paths(&good));
}

#[test]
fn the_first_difference_has_a_line() {
    assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
    assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
}

#[test]
fn the_variables_of_a_block_are_known() {
    assert_eq!(variables("a = \"${TOKEN}\"\nb = \"${HOME}/x ${PORT:-1}\"\n"), ["TOKEN", "PORT"]);
}
