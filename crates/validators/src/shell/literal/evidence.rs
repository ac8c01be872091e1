//! Decides whether a command follows a separator, or a sentence continues.

use super::super::commands::is_known;

/// The kind of separator, which determines how suspicious it is by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundary {
    /// It opens the value: no sentence begins like that.
    Leading,
    /// `|`, `&&`, `||`: rare in sentences.
    Operator,
    /// `;`, `&`: common in sentences.
    Semicolon { prose: bool },
    /// A new line, which prose is full of.
    Line,
    /// `$(`, a backquote.
    Substitution,
    /// A backquote inside a sentence, where code and names are quoted like that.
    Span,
}

/// The commands that are also English words.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "at", "batch", "bind", "black", "break", "builtin", "cal", "call", "cat", "clear", "column", "comm", "command", "complete", "copy", "cut", "date", "declare",
    "dig", "dir", "echo", "enable", "env", "erase", "eval", "exec", "exit", "expand", "expect", "export", "factor", "false", "fc", "fetch", "file", "find", "fmt",
    "fold", "format", "free", "git", "go", "groups", "halt", "hash", "head", "help", "history", "host", "id", "identify", "init", "install", "join", "julia", "kill",
    "last", "less", "let", "links", "local", "locate", "login", "logname", "look", "mail", "make", "man", "mesg", "mount", "move", "more", "net", "nice", "node",
    "numfmt", "open", "paste", "patch", "port", "pr", "print", "prune", "pry", "read", "reg", "ren", "rename", "reset", "return", "rev", "route", "ruby", "screen",
    "script", "seq", "service", "set", "shift", "size", "sleep", "snap", "sort", "source", "split", "stat", "strings", "su", "sum", "sync", "tac", "tail", "tar", "tee",
    "telnet", "test", "time", "timeout", "times", "top", "touch", "tr", "trap", "tree", "true", "type", "uniq", "unset", "uptime", "users", "view", "w", "wait",
    "wall", "watch", "wc", "which", "who", "wish", "write", "yes", "python", "perl", "bash", "docker", "npm", "java", "php", "cargo", "brew", "jest", "mocha", "gem",
    "composer", "vagrant", "terraform", "screen", "emacs", "choose", "delta", "strip", "info", "jobs", "ar", "sd", "tox", "set", "nano", "vim", "sed", "awk", "fortune", "az", "R", "octave",
];

/// Those of them that show or do something even alone, or with one operand.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "id", "who", "w", "users", "env", "uptime", "groups", "logname", "date", "history", "set", "halt", "init", "cat", "type", "dir", "head", "tail", "more", "less", "net",
    "reg", "kill", "host", "dig", "telnet", "source", "exec", "eval", "su", "sleep", "find", "php", "perl", "python", "bash", "ruby", "node", "docker", "fetch", "stat", "wc",
    "free", "route", "top", "last",
];

/// Returns whether `rest`, the text behind the separator, begins with a command.
pub(super) fn begins_command(rest: &str, boundary: Boundary) -> bool {
    let joins = |c: char| boundary != Boundary::Line && matches!(c, '|' | '&' | ';');
    let rest = rest.trim_start_matches(|c: char| matches!(c, ' ' | '\t' | '\'' | '"' | ')' | '(' | '{' | '!') || joins(c));
    if rest.starts_with("$(") || rest.starts_with('`') || rest.starts_with("${") {
        return boundary != Boundary::Line && rest.len() > 2;
    }
    let end = rest
        .find(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`' | '#' | '%' | ',') || c == '$')
        .unwrap_or(rest.len());
    let (token, behind) = rest.split_at(end);
    let word: String = token.chars().filter(|c| !matches!(c, '\'' | '"' | '\\' | '{' | '}')).collect();
    if word.is_empty() {
        return false;
    }
    if boundary == Boundary::Leading {
        return word.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '@'));
    }
    if is_program_path(token, boundary) {
        return true;
    }
    if !is_command_name(&word) {
        return false;
    }
    if boundary == Boundary::Substitution || behind.starts_with('$') {
        return true;
    }
    let lower = word.to_ascii_lowercase();
    let tells = TELLING.contains(&lower.as_str());
    match (WORDS.contains(&lower.as_str()), boundary) {
        (false, Boundary::Span) => true,
        (false, Boundary::Line) => takes_options(behind) || is_alone(behind) && !behind.starts_with([',', '(']),
        (false, _) => !behind.starts_with([',', '(']),
        (true, Boundary::Line | Boundary::Span | Boundary::Semicolon { prose: true }) => takes_options(behind),
        (true, _) => takes_options(behind) || tells && (is_alone(behind) || operands(behind) == 1),
    }
}

/// The commands with which plain requests begin, too: "find /data/report.pdf", "open https://…".
#[rustfmt::skip]
const REQUESTS: &[&str] = &[
    "at", "bind", "call", "clear", "copy", "cut", "enable", "erase", "expand", "export", "fetch", "file", "find", "fold", "format", "go", "help", "host", "import", "install", "join", "kill", "last",
    "let", "load", "local", "locate", "look", "mail", "make", "man", "mount", "move", "net", "open", "paste", "patch", "play", "print", "prune", "read", "rename", "reset", "screen", "script",
    "service", "set", "shift", "size", "sort", "source", "split", "strip", "sum", "sync", "test", "time", "touch", "trap", "view", "wait", "watch", "write", "choose", "info", "delta",
];

/// Returns whether a whole value is one command and its operands, with parts that no sentence has: options, folders of
/// the system, addresses.
pub(super) fn is_command_line(text: &str) -> bool {
    const MOST: usize = 8;
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return false };
    let is_command = first.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) && is_known(first) && !REQUESTS.contains(&first);
    if !is_command {
        return false;
    }
    let operands: Vec<&str> = words.take(MOST + 1).collect();
    let is_option = |word: &&str| word.starts_with('-') && word.len() > 1;
    let is_place = |word: &&str| {
        let drive = matches!(word.as_bytes(), [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic());
        let variable = word.starts_with('%') && word[1..].contains('%');
        (word.starts_with('/') && (word.len() > 1 || operands.iter().any(is_option))) || drive || variable || word.contains("://")
    };
    let is_operand =
        |word: &&str| is_place(word) || is_option(word) || word.starts_with(['+', '/']) || word.chars().all(|c| c.is_ascii_digit());
    let acts_on_place = operands.len() <= MOST && operands.iter().all(is_operand) && operands.iter().any(is_place);
    let runs_code = matches!(operands.as_slice(), ["-e" | "-c", code, ..] if code.starts_with(['\'', '"']));
    acts_on_place || runs_code
}

/// Returns whether a word is the name of a command, in small letters or all in capitals: Windows ignores case, and no
/// sentence writes commands in capitals.
fn is_command_name(word: &str) -> bool {
    if is_known(word) {
        return true;
    }
    let shouted = word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase() || matches!(c, '.' | '_'));
    let shell_word = matches!(
        word,
        "sysinfo" | "top" | "last" | "printenv" | "reset" | "start" | "patch" | "sync" | "open" | "shift" | "print"
    );
    shell_word || (shouted && is_known(&word.to_ascii_lowercase()))
}

fn is_program_path(token: &str, boundary: Boundary) -> bool {
    const FOLDERS: &[&str] = &["/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/"];
    let token = token.trim_matches(['\'', '"']);
    if FOLDERS.iter().any(|folder| token.starts_with(folder)) {
        return true;
    }
    let mut chars = token.chars();
    let drive = matches!((chars.next(), chars.next(), chars.next()), (Some(letter), Some(':'), Some('\\')) if letter.is_ascii_alphabetic());
    !matches!(boundary, Boundary::Line | Boundary::Span)
        && (drive || token.starts_with("./") || token.starts_with("../") || (token.starts_with('/') && token.len() > 1))
}

/// Returns whether what follows is what only a command has: options, paths, variables, redirects, numbers, addresses.
fn takes_options(behind: &str) -> bool {
    let command = behind.split([';', '|', '&', '`', '\n', '\r']).next().unwrap_or_default();
    command.split_whitespace().take(8).enumerate().any(|(at, word)| {
        let word = word.trim_matches(['"', '\'']);
        let mut chars = word.chars();
        let (first, second) = (chars.next(), chars.next());
        let is_option = matches!(first, Some('-' | '+')) && second.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
        let is_path = matches!(first, Some('/' | '~' | '\\')) && second.is_some() || word.starts_with("./") || word.starts_with("../");
        let is_variable = matches!(first, Some('$' | '%')) && second.is_some_and(|c| c.is_ascii_alphabetic() || c == '{');
        let is_redirect = matches!(first, Some('<' | '>'));
        let is_drive = second == Some(':') && first.is_some_and(|c| c.is_ascii_alphabetic());
        let is_number = at == 0 && word.len() <= 5 && word.chars().all(|c| c.is_ascii_digit());
        let is_address = word.contains("://");
        let is_pattern = word.starts_with('*') && word.len() < 8;
        is_option || is_path || is_variable || is_redirect || is_drive || is_number || is_address || is_pattern
    })
}

/// Returns whether the command stands alone: the text ends, or another separator follows.
fn is_alone(behind: &str) -> bool {
    let trimmed = behind.trim_start_matches([' ', '\t', '\'', '"']);
    trimmed.is_empty() || trimmed.starts_with([';', '|', '&', '\n', '\r', '`', ')', '#', '%'])
}

/// Returns how many operands follow, up to the next separator.
fn operands(behind: &str) -> usize {
    behind
        .split([';', '|', '&', '\n', '`'])
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .count()
}
