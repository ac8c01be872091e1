//! Writes texts for a person: counts, and commands that can be pasted into a shell.

/// Returns a count with its noun: `1 tool`, `2 tools`.
pub(crate) fn plural(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Returns the text as one word of a shell; `${NAME}` in it is still replaced by the shell.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=:,./@%~*".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if text.contains("${") {
        let escaped: String = text
            .chars()
            .flat_map(|c| matches!(c, '"' | '\\' | '`').then_some('\\').into_iter().chain([c]))
            .collect();
        return format!("\"{escaped}\"");
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the text on one line: every stretch of white space is one space.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first line of a text that is not empty, in at most `width` characters, without what could steer a
/// terminal.
pub(crate) fn first_line(text: &str, width: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut chars = line.chars().filter(|c| !c.is_control());
    let mut first: String = chars.by_ref().take(width).collect();
    if chars.next().is_some() {
        first.pop();
        first.push('…');
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!([0, 1, 2].map(|count| plural(count, "tool")), ["0 tools", "1 tool", "2 tools"]);
    }

    #[test]
    fn first_lines() {
        assert_eq!(
            ["\n  one\ntwo", "", "abcd", "abcde", "a\u{1b}b"].map(|text| first_line(text, 4)),
            ["one", "", "abcd", "abc…", "ab"]
        );
    }

    #[test]
    fn words_of_a_shell() {
        let words = ["npx", "--port=1", "", "it's here", "$HOME", "a \"${B}\""].map(shell_word);
        assert_eq!(words, ["npx", "--port=1", "''", r"'it'\''s here'", "'$HOME'", r#""a \"${B}\"""#]);
    }
}
