//! Judges SQL: statements that only read, in every dialect that could accept the text; and values that stay values.
//!
//! Databases disagree about where a string ends, what a comment is, and which functions write. So a text is read by the
//! tokenizer of every family of dialects that would read it differently, each reading is judged word by word, and one
//! of the parsers has to accept it as a query.

mod dialect;
mod functions;
mod literal;
mod statement;
mod tokens;

pub use dialect::Dialect;
pub use literal::check as check_literal;

use sqlparser::parser::Parser;

use self::tokens::{HINT, Tokens};
use crate::finding::Findings;
use crate::text;

/// The size in bytes above which texts are refused unread.
const MAX_BYTES: usize = 32 * 1024;
/// How deeply tokens may nest: operators, brackets, set operations. Trees are walked and dropped recursively.
const MAX_NESTING: usize = 600;
/// How deeply the parser may recurse.
const MAX_DEPTH: usize = 24;

/// Judges a text that should only read. Without a dialect, it has to be harmless in all of them.
#[must_use]
pub fn check(text: &str, dialect: Option<Dialect>) -> Findings {
    let mut findings = Findings::default();
    let all = 0..text.len();
    if text.len() > MAX_BYTES {
        findings.add("sql.length", all, "the statement is longer than 32 KiB", "give a shorter one");
        return findings;
    }
    if let Some((at, c)) = text::invisible(text).filter(|(_, c)| *c != '\r') {
        let reason = format!("the character U+{:04X} can't be seen", u32::from(c));
        findings.add("sql.characters", at..at + c.len_utf8(), reason, "leave it out");
        return findings;
    }
    let ambiguous = tokens::is_ambiguous(text);
    let families = match dialect {
        Some(dialect) => vec![dialect],
        None if ambiguous => Dialect::FAMILIES.to_vec(),
        None => vec![Dialect::Generic],
    };
    let mut first = None;
    for family in families {
        // A text that a database cannot even tokenize is refused by the database.
        if let Ok(tokens) = Tokens::read(text, family) {
            tokens.judge(&mut findings);
            first = first.or(Some((family, tokens)));
        }
        if !findings.is_clean() {
            return findings;
        }
    }
    let candidates = dialect.map_or_else(|| Dialect::ALL.to_vec(), |dialect| vec![dialect]);
    if let Err(refusal) = parsed(text, &candidates, first) {
        findings.add(refusal.rule, all, refusal.reason, HINT);
    }
    findings
}

/// The reason why a text is not a statement that reads.
struct Refusal {
    rule: &'static str,
    reason: String,
}

/// Checks that one of the parsers accepts the text as statements that read. One that accepts it as something else
/// decides. `first` is a reading that already exists.
fn parsed(text: &str, candidates: &[Dialect], mut first: Option<(Dialect, Tokens<'_>)>) -> Result<(), Refusal> {
    let mut reason = "no dialect of SQL knows the text".to_owned();
    for candidate in candidates {
        let dialect = candidate.of_parser();
        let ready = first.take_if(|(family, _)| family == candidate).map(|(_, tokens)| tokens);
        let Some(tokens) = ready.or_else(|| Tokens::read(text, *candidate).ok()) else {
            continue;
        };
        if tokens.nesting() > MAX_NESTING {
            reason = "the statement has too many operators and brackets".to_owned();
            break;
        }
        let mut parser = Parser::new(&*dialect)
            .with_recursion_limit(MAX_DEPTH)
            .with_tokens_with_locations(tokens.into_located());
        match parser.parse_statements() {
            Ok(statements) if statements.is_empty() => reason = "there is no statement".to_owned(),
            Ok(statements) => {
                return match statements.iter().find_map(statement::writes) {
                    Some(what) => Err(Refusal {
                        rule: "sql.writes",
                        reason: format!("{what} is more than reading"),
                    }),
                    None => Ok(()),
                };
            }
            Err(_) => {}
        }
    }
    let pragma = Tokens::read(text, Dialect::Sqlite).ok();
    if let Some((name, has_value)) = pragma.as_ref().and_then(Tokens::pragma) {
        return match statement::pragma_writes(name, has_value, false) {
            None => Ok(()),
            Some(what) => Err(Refusal {
                rule: "sql.writes",
                reason: format!("{what} is more than reading"),
            }),
        };
    }
    if is_plain_select(text) {
        return Ok(());
    }
    Err(Refusal {
        rule: "sql.syntax",
        reason,
    })
}

/// Returns whether a text that no parser accepts can only be a query, for any database that accepts it: it begins as
/// one, and no word in it could change its kind, however it is tokenized.
fn is_plain_select(text: &str) -> bool {
    let mut readings = Dialect::FAMILIES
        .iter()
        .filter_map(|family| Tokens::read(text, *family).ok())
        .filter(Tokens::is_possible)
        .peekable();
    readings.peek().is_some() && readings.all(|tokens| tokens.is_plain_select())
}
