//! A value that a server may put into a statement: it has to stay one value, whatever quotes the server forgot.
//!
//! Names have apostrophes, and sentences say "or", "union" and "select". What makes an injection of them is what follows: an operator with
//! operands behind a quote, a comment that cuts off the rest, a second query. The value is read as its statement would be, in each of its
//! quotes, and decoded.

use std::borrow::Cow;

use super::functions;
use crate::finding::Findings;
use crate::text::{self, Decoded};

const MAX_BYTES: usize = 64 * 1024;
const MAX_ROUNDS: usize = 3;
const HINT: &str = "give a plain value; quotes in names are fine, operators behind them are not";

/// Judges a value that is meant to be one literal.
#[must_use]
pub fn check(text: &str) -> Findings {
    let mut findings = Findings::default();
    let all = 0..text.len();
    if text.len() > MAX_BYTES {
        findings.add("sql.length", all, "the value is longer than 64 KiB", "give less at a time");
        return findings;
    }
    if text.contains('\0') {
        findings.add("sql.characters", all, "a value has no zero byte", "leave it out");
        return findings;
    }
    if let Some(why) = readings(text) {
        findings.add("sql.injection", all, why, HINT);
    }
    findings
}

/// Judges the text as it stands, and as somebody on the way may decode it.
fn readings(text: &str) -> Option<&'static str> {
    let mut now = Cow::Borrowed(text);
    for _ in 0..=MAX_ROUNDS {
        if let Some(why) = injection(&now) {
            return Some(why);
        }
        if let Some(why) = text::folded(&now).and_then(|folded| injection(&folded)) {
            return Some(why);
        }
        if !now.contains(' ')
            && now.contains('+')
            && let Some(why) = injection(&now.replace('+', " "))
        {
            return Some(why);
        }
        match text::percent_decode(&now) {
            Decoded::Text(decoded) => now = Cow::Owned(decoded),
            Decoded::Same | Decoded::Malformed => break,
        }
    }
    text::unescape(text).and_then(|unescaped| injection(&unescaped))
}

/// Judges one reading in each place where it may stand: behind nothing, and behind each quote of its own.
fn injection(text: &str) -> Option<&'static str> {
    if only_quotes_and_operators(text) {
        return Some("it is nothing but quotes and operators");
    }
    let pieces = lex(text);
    begins_badly(text)
        .or_else(|| second_query(&pieces))
        .or_else(|| probe(&pieces))
        .or_else(|| sum_of_constants(&pieces))
        .or_else(|| continues(&pieces, 0))
        .or_else(|| {
            let quotes = pieces.iter().enumerate().filter(|(_, piece)| piece.is_quote());
            quotes.take(64).find_map(|(at, _)| continues(&pieces, at + 1))
        })
}

/// A piece of a value, in a reading that knows no strings: where they begin is what is in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Word(&'a str),
    Number,
    Quote,
    /// `--`, `#`, `/*`; whether anything but blanks and quotes follows.
    Comment {
        last: bool,
    },
    Symbol(char),
}

impl Piece<'_> {
    fn is_quote(self) -> bool {
        self == Self::Quote
    }

    fn is_word(self, list: &[&str]) -> bool {
        matches!(self, Self::Word(word) if list.iter().any(|one| word.eq_ignore_ascii_case(one)))
    }

    fn is_symbol(self, list: &str) -> bool {
        matches!(self, Self::Symbol(c) if list.contains(c))
    }
}

fn lex(text: &str) -> Vec<Piece<'_>> {
    const MOST: usize = 4096;
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if pieces.len() == MOST {
            break;
        }
        let mut length = c.len_utf8();
        match c {
            c if c.is_whitespace() => {}
            c if c.is_ascii_digit() => {
                length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
                let number = &rest[..length];
                let is_number = number.chars().all(|c| c.is_ascii_digit() || c == '.') || number.starts_with("0x") || is_exponent(number);
                pieces.push(if is_number { Piece::Number } else { Piece::Word(number) });
            }
            c if c.is_alphabetic() || c == '_' || c == '@' => {
                length = rest
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '@' | '$')))
                    .unwrap_or(rest.len());
                pieces.push(Piece::Word(&rest[..length]));
            }
            '\'' | '"' | '`' | '\u{2018}' | '\u{2019}' | '\u{2032}' | '\u{2033}' => pieces.push(Piece::Quote),
            '-' if rest.starts_with("--") => {
                length = 2;
                pieces.push(comment(&rest[2..]));
            }
            '/' if rest.starts_with("/*") => {
                // Databases take it for a blank.
                match rest[2..].find("*/") {
                    Some(end) => length = end + 4,
                    None => {
                        length = rest.len();
                        pieces.push(Piece::Comment { last: true });
                    }
                }
            }
            '#' if !rest[1..].starts_with(|c: char| c.is_alphanumeric()) => pieces.push(comment(&rest[1..])),
            '\u{2013}' | '\u{2014}' => pieces.push(comment(&rest[c.len_utf8()..])),
            c => pieces.push(Piece::Symbol(c)),
        }
        rest = &rest[length..];
    }
    pieces
}

fn is_exponent(number: &str) -> bool {
    number.split_once(['e', 'E']).is_some_and(|(whole, power)| {
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
        digits(whole) && digits(power)
    })
}

fn comment(rest: &str) -> Piece<'static> {
    let last = rest
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+' | '\'' | '"' | '%' | '#' | ';' | ')' | '`' | '*' | '/'))
        .len()
        <= 1;
    Piece::Comment { last }
}

fn only_quotes_and_operators(text: &str) -> bool {
    let quotes = text.chars().filter(|c| matches!(c, '\'' | '"' | '`')).count();
    quotes >= 2
        && text.len() <= 64
        && text.chars().all(|c| !c.is_alphanumeric() && !is_bracket(c))
        && text.chars().any(|c| !matches!(c, '"') || text.contains("\"\"\"") || text.len() > 2)
}

fn is_bracket(c: char) -> bool {
    matches!(c, '[' | '{')
}

/// A comment at the beginning cuts off what stands behind the value; an operator or an open quote takes it in.
fn begins_badly(text: &str) -> Option<&'static str> {
    let start = text.trim_start().trim_start_matches([';', ')']);
    let cuts = start.starts_with("-- ")
        || start.starts_with("--+")
        || start.starts_with("/*")
        || start.starts_with("# ")
        || start.starts_with("#\t")
        || matches!(start, "--" | "#" | "-- -");
    if cuts {
        return Some("it begins with a comment, which cuts off the rest of the statement");
    }
    let operator = text.trim_start().starts_with(';') || text.trim_start().starts_with("||");
    if operator {
        return Some("it begins with an operator");
    }
    let first = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`'))?;
    let open = text.matches(first).count() % 2 == 1 && text[1..].starts_with(char::is_whitespace);
    open.then_some("it opens a quote that nothing closes")
}

const OPERATORS: &[&str] = &["or", "and", "xor", "having", "rlike", "regexp", "div", "sounds"];
const COMPARISONS: &[&str] = &["like", "in", "between", "is", "regexp", "rlike", "exists", "glob", "ilike", "not"];
const CONSTANTS: &[&str] = &["true", "false", "null"];

/// Whether the value goes on as a statement from here: behind closing brackets an operator with operands, or the end of the statement.
fn continues(pieces: &[Piece<'_>], from: usize) -> Option<&'static str> {
    let rest = &pieces[from..];
    let behind_quote = from > 0;
    let closing = rest
        .iter()
        .take_while(|piece| piece.is_symbol(") ") || (behind_quote && piece.is_quote()))
        .count();
    let rest = &rest[closing..];
    let (operator, behind) = if behind_quote {
        (rest, rest)
    } else {
        // Behind nothing, a value comes first: a number, a word, or none.
        let value = rest
            .iter()
            .take_while(|piece| {
                matches!(piece, Piece::Number | Piece::Symbol('-' | '.'))
                    || (matches!(piece, Piece::Word(_)) && !piece.is_word(OPERATORS) && !piece.is_word(&["order", "group"]))
            })
            .count();
        if value > 2 {
            return None;
        }
        let closing = rest[value..].iter().take_while(|piece| piece.is_symbol(")")).count();
        (&rest[value + closing..], &rest[value + closing..])
    };
    match operator.first()? {
        Piece::Comment { last: true } if behind_quote || closing > 0 => {
            Some("a comment behind the value cuts off the rest of the statement")
        }
        Piece::Symbol(';')
            if behind_quote && operator.len() <= 2 && operator.get(1).is_none_or(|piece| matches!(piece, Piece::Comment { .. })) =>
        {
            Some("it ends the statement")
        }
        Piece::Symbol('|' | '&') if operator.get(1) == operator.first() => condition(&behind[2..], from == 1),
        piece if piece.is_word(OPERATORS) => condition(&behind[1..], from == 1),
        Piece::Symbol('=' | '<' | '>' | '+' | '-' | '*' | '/' | '^' | '&' | '|' | '%' | '!') if behind_quote => operand(&behind[1..]),
        piece if behind_quote && piece.is_word(COMPARISONS) => operand(&behind[1..]),
        piece if piece.is_word(&["order", "group"]) => ordered(&behind[1..]),
        Piece::Symbol(',')
            if operator.get(1).is_some_and(|piece| piece.is_symbol("("))
                && operator.get(2).is_some_and(|piece| piece.is_word(&["select"])) =>
        {
            Some("a query stands in the value")
        }
        _ => None,
    }
}

/// `1-true`: a number and a constant that are counted together.
fn sum_of_constants(pieces: &[Piece<'_>]) -> Option<&'static str> {
    let [Piece::Number, operator, constant] = pieces else { return None };
    (operator.is_symbol("-+*/^&|%") && constant.is_word(CONSTANTS)).then_some("an operator follows the value")
}

/// Behind a logical operator: a comparison, or something that is true by itself and ends there.
fn condition(behind: &[Piece<'_>], opens_text: bool) -> Option<&'static str> {
    const WHY: &str = "a condition follows the value";
    let opening = behind
        .iter()
        .take_while(|piece| piece.is_symbol("(!~-+") || piece.is_quote() || piece.is_word(&["not"]))
        .count();
    let rest = &behind[opening..];
    let head = &rest[..rest.len().min(12)];
    let value_first = matches!(rest.first(), Some(Piece::Number | Piece::Word(_)));
    let compares = head.iter().enumerate().any(|(at, piece)| {
        let behind_value = at <= 4;
        behind_value && (piece.is_symbol("=<>") || (at <= 3 && piece.is_word(&["like", "between", "regexp", "rlike", "exists", "glob"])))
    });
    let in_list = head.windows(2).any(|pair| pair[0].is_word(&["in"]) && pair[1].is_symbol("("));
    let is_null = head
        .windows(2)
        .any(|pair| pair[0].is_word(&["is"]) && pair[1].is_word(&["null", "not", "true", "false"]));
    let calls = head
        .windows(2)
        .take(3)
        .any(|pair| matches!(pair[0], Piece::Word(_)) && pair[1].is_symbol("("));
    let constant = rest
        .first()
        .is_some_and(|piece| *piece == Piece::Number || piece.is_word(CONSTANTS));
    let ends = rest
        .get(1)
        .is_none_or(|piece| piece.is_quote() || matches!(piece, Piece::Comment { .. }) || piece.is_symbol(");-+*/^&|%,"));
    let quoted_sum = opening > 0
        && rest
            .first()
            .is_some_and(|piece| piece.is_symbol("-+*/^&|%=") || matches!(piece, Piece::Comment { .. }));
    let nothing = rest.is_empty() && opening > 1 || rest.is_empty() && opening == 1 && opens_text;
    ((value_first || opening > 0) && (compares || in_list || is_null) || calls || (constant && ends) || quoted_sum || nothing)
        .then_some(WHY)
}

/// Behind a comparison or a sum: a value that is one at once.
fn operand(behind: &[Piece<'_>]) -> Option<&'static str> {
    let opening = behind.iter().take_while(|piece| piece.is_symbol("=<>(!~+-*&|")).count();
    let rest = &behind[opening..];
    let ends = rest.get(1).is_none_or(|piece| !matches!(piece, Piece::Word(word) if !CONSTANTS.contains(&word.to_ascii_lowercase().as_str()) && !OPERATORS.contains(&word.to_ascii_lowercase().as_str())));
    let is_value = match rest.first() {
        Some(Piece::Quote) => true,
        Some(Piece::Number) => ends,
        Some(Piece::Word(word)) => CONSTANTS.contains(&word.to_ascii_lowercase().as_str()) && ends,
        Some(Piece::Comment { last }) => *last,
        Some(Piece::Symbol(_)) | None => false,
    };
    is_value.then_some("an operator follows the value")
}

/// `ORDER BY 1`, `GROUP BY x HAVING …`.
fn ordered(behind: &[Piece<'_>]) -> Option<&'static str> {
    let by = behind.first().is_some_and(|piece| piece.is_word(&["by"]));
    let target = behind.get(1).is_some_and(|piece| *piece == Piece::Number || piece.is_symbol("("));
    let having = behind.iter().take(8).any(|piece| piece.is_word(&["having"]));
    (by && (target || having)).then_some("a clause of a statement follows the value")
}

/// A second query: united with the first, behind a semicolon, or in brackets.
fn second_query(pieces: &[Piece<'_>]) -> Option<&'static str> {
    const VERBS: &[&str] = &[
        "select", "insert", "update", "delete", "drop", "create", "alter", "truncate", "exec", "execute", "declare", "shutdown", "waitfor",
        "merge", "grant", "revoke", "replace", "call", "set", "backup", "restore", "if", "begin", "print", "copy", "attach", "vacuum",
        "rename", "load", "handler", "do", "use", "show",
    ];
    const OBJECTS: &[&str] = &[
        "table",
        "database",
        "into",
        "from",
        "user",
        "view",
        "index",
        "procedure",
        "function",
        "schema",
        "login",
        "role",
        "delay",
        "immediate",
        "nowait",
        "trigger",
        "with",
        "set",
        "all",
        "exists",
    ];
    let at = |at: usize| pieces.get(at).copied().unwrap_or(Piece::Symbol(' '));
    for (here, piece) in pieces.iter().enumerate() {
        if piece.is_word(&["union", "intersect", "except", "minus"]) {
            let behind = (1..=4)
                .map(|step| at(here + step))
                .find(|piece| !piece.is_word(&["all", "distinct", "distinctrow"]) && !piece.is_symbol("("));
            if behind.is_some_and(|piece| piece.is_word(&["select", "values"])) && (1..=9).any(|step| operand_of_select(at(here + step))) {
                return Some("a second query is united with the first");
            }
        }
        let verb = at(here + 1);
        if piece.is_symbol(";") && verb.is_word(VERBS) {
            let object = at(here + 2);
            let alone = verb.is_word(&["shutdown", "vacuum"]) && (object.is_symbol(" ;") || matches!(object, Piece::Comment { .. }));
            let call = matches!(object, Piece::Word(word) if word.starts_with(['@', '_']) || word.contains('_'));
            if alone
                || call
                || object.is_word(OBJECTS)
                || object.is_symbol("*(@")
                || object.is_quote()
                || object == Piece::Number
                || at(here + 3).is_symbol("(=.")
            {
                return Some("a second statement follows");
            }
            if verb.is_word(&["select", "update", "exec", "execute", "insert", "delete"])
                && (3..=8).any(|step| at(here + step).is_word(&["from", "set", "into", "values"]))
            {
                return Some("a second statement follows");
            }
        }
        if piece.is_symbol("(")
            && verb.is_word(&["select"])
            && (2..=12).any(|step| at(here + step).is_word(&["from"]) || at(here + step).is_symbol("(*@"))
        {
            return Some("a query stands in the value");
        }
    }
    whole_statement(pieces)
}

fn operand_of_select(piece: Piece<'_>) -> bool {
    piece == Piece::Number
        || piece.is_quote()
        || piece.is_symbol("*(,@")
        || piece.is_word(&["null", "from"])
        || matches!(piece, Piece::Word(word) if word.starts_with('@'))
}

/// A value that is a statement from its first word on.
fn whole_statement(pieces: &[Piece<'_>]) -> Option<&'static str> {
    let start = pieces
        .iter()
        .take_while(|piece| piece.is_quote() || piece.is_symbol(");-") || matches!(piece, Piece::Number))
        .count();
    let rest = &pieces[start..];
    let marked = rest
        .iter()
        .any(|piece| piece.is_symbol("*=(;@") || matches!(piece, Piece::Comment { .. }));
    let pair = |verbs: &[&str], objects: &[&str]| {
        rest.first().is_some_and(|piece| piece.is_word(verbs)) && rest.iter().skip(1).take(10).any(|piece| piece.is_word(objects))
    };
    let is_statement = pair(&["select"], &["from"])
        || pair(&["insert", "merge"], &["into"])
        || pair(&["delete"], &["from"])
        || pair(&["update"], &["set"])
        || pair(
            &["drop", "create", "alter", "truncate"],
            &[
                "table",
                "database",
                "view",
                "index",
                "user",
                "procedure",
                "function",
                "schema",
                "login",
            ],
        )
        || pair(&["waitfor"], &["delay", "time"])
        || rest.first().is_some_and(|piece| piece.is_word(&["exec", "execute"]))
            && rest
                .get(1)
                .is_some_and(|piece| matches!(piece, Piece::Word(word) if word.contains('_')));
    (is_statement && (marked || start > 0)).then_some("it is a statement, not a value")
}

/// Calls and names that no value has a reason to hold: those that wait, read files, or tell what has been reached.
fn probe(pieces: &[Piece<'_>]) -> Option<&'static str> {
    const CATALOGS: &[&str] = &[
        "information_schema",
        "sysobjects",
        "syscolumns",
        "sqlite_master",
        "pg_catalog",
        "all_tables",
        "user_tables",
        "xp_cmdshell",
        "sysibm",
        "msysobjects",
        "sys_context",
        "v$version",
    ];
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Word(word) = piece else { continue };
        if word.starts_with("@@") || piece.is_word(CATALOGS) {
            return Some("it names the machinery of the database");
        }
        let called = pieces.get(at + 1).is_some_and(|piece| piece.is_symbol("("));
        let qualified = pieces.get(at + 1).is_some_and(|piece| piece.is_symbol("."));
        let argument = pieces.get(at + 2).is_some_and(|piece| {
            matches!(piece, Piece::Number) || piece.is_quote() || piece.is_symbol("(@") || piece.is_word(&["select", "case", "null"])
        });
        let waits = word.eq_ignore_ascii_case("waitfor") && pieces.get(at + 1).is_some_and(|piece| piece.is_word(&["delay", "time"]));
        let procedure = word.len() > 3 && word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("xp_"));
        if waits
            || procedure
            || (called && argument && functions::is_probe(word) && is_dangerous_call(word, at))
            || (qualified && word.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("dbms_")))
        {
            return Some("it calls a function of the database");
        }
    }
    None
}

/// Names of ordinary words need more than a bracket behind them: only those that no sentence has count by themselves.
fn is_dangerous_call(word: &str, at: usize) -> bool {
    const PLAIN: &[&str] = &[
        "version",
        "database",
        "user",
        "char",
        "if",
        "count",
        "length",
        "row",
        "file",
        "url",
        "query",
        "input",
        "remote",
        "cluster",
        "edit",
        "schema",
        "cast",
        "convert",
        "hex",
        "glob",
        "mid",
        "exp",
        "exec",
        "sleep",
        "concat",
        "reflect",
        "benchmark",
    ];
    let plain = PLAIN.iter().any(|one| word.eq_ignore_ascii_case(one));
    !plain || (at == 0 && matches!(word.to_ascii_lowercase().as_str(), "sleep" | "benchmark")) || word.eq_ignore_ascii_case("sleep")
}
