//! Judges a statement word by word: writing is recognised without a parser.

use std::ops::Range;

use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, TokenizerError, Whitespace};

use super::dialect::Dialect;
use super::functions;
use crate::finding::{Findings, shown};

/// The way out of a refused statement.
pub(super) const HINT: &str = "give one `SELECT`, `WITH … SELECT`, `SHOW`, `DESCRIBE` or `EXPLAIN`";

/// The words with which a statement that reads begins.
const READS: &[&str] = &[
    "SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN", "DESCRIBE", "DESC", "SHOW", "PRAGMA", "FROM",
];

/// The words with which a statement that writes begins, wherever statements may stand.
const WRITES: &[&str] = &[
    "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "TRUNCATE", "DROP", "CREATE", "ALTER", "UPSERT",
];

/// The words that follow such a word if it begins a statement, and is not a name.
const BEHIND_WRITES: &[&str] = &[
    "INTO",
    "FROM",
    "TABLE",
    "IGNORE",
    "OR",
    "ONLY",
    "SET",
    "OVERWRITE",
    "LOW_PRIORITY",
    "VIEW",
    "INDEX",
    "DATABASE",
];

/// The words of statements that are not queries, and of clauses that make one write.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "TRUNCATE", "DROP", "CREATE", "ALTER", "UPSERT", "INTO", "GRANT", "REVOKE", "EXEC", "EXECUTE", "CALL", "DO", "COPY",
    "ATTACH", "DETACH", "LOAD", "INSTALL", "IMPORT", "EXPORT", "UNLOAD", "LOCK", "UNLOCK", "OUTFILE", "DUMPFILE", "TRANSFORM", "USING", "WAITFOR", "SHUTDOWN", "KILL", "SET",
    "RESET", "VACUUM", "ANALYZE", "REINDEX", "CLUSTER", "REFRESH", "NOTIFY", "LISTEN", "BEGIN", "COMMIT", "ROLLBACK", "DECLARE", "PREPARE", "HANDLER", "RENAME", "COMMENT",
    "PUT", "REMOVE", "OPENROWSET", "OPENQUERY", "NEXT", "SHARE",
];

/// The first words of statements that need no parser: they read, whatever their clauses are.
const PLAIN_READS: &[&str] = &["SELECT", "WITH", "VALUES", "DESCRIBE", "DESC", "SHOW", "EXPLAIN"];

/// Returns whether families of dialects could tokenize the text differently.
pub(super) fn is_ambiguous(text: &str) -> bool {
    text.contains(['\\', '#', '$', '`', '[', '@', '{'])
        || text.contains("--")
        || text.contains("/*")
        || text.contains("//")
        || text.contains("\"\"")
}

/// The tokens of one reading.
pub(super) struct Tokens<'a> {
    text: &'a str,
    located: Vec<TokenWithSpan>,
}

impl<'a> Tokens<'a> {
    pub(super) fn read(text: &'a str, dialect: Dialect) -> Result<Self, TokenizerError> {
        let dialect = dialect.of_parser();
        let located = Tokenizer::new(&*dialect, text).tokenize_with_location()?;
        Ok(Self { text, located })
    }

    pub(super) fn into_located(self) -> Vec<TokenWithSpan> {
        self.located
    }

    /// Returns how many tokens may nest one node in another.
    pub(super) fn nesting(&self) -> usize {
        self.located
            .iter()
            .filter(|located| match &located.token {
                Token::Word(word) => matches!(
                    word.value.to_ascii_uppercase().as_str(),
                    "AND"
                        | "OR"
                        | "XOR"
                        | "NOT"
                        | "UNION"
                        | "EXCEPT"
                        | "INTERSECT"
                        | "MINUS"
                        | "IS"
                        | "LIKE"
                        | "IN"
                        | "BETWEEN"
                        | "COLLATE"
                        | "JOIN"
                        | "DIV"
                        | "CASE"
                        | "AT"
                ),
                Token::Comma | Token::SemiColon | Token::Whitespace(_) | Token::Number(..) | Token::EOF => false,
                Token::SingleQuotedString(_) | Token::DoubleQuotedString(_) | Token::Placeholder(_) => false,
                _ => true,
            })
            .count()
    }

    /// Judges what can be decided without a parser.
    pub(super) fn judge(&self, findings: &mut Findings) {
        for located in &self.located {
            if let Token::Whitespace(Whitespace::MultiLineComment(comment)) = &located.token
                && (comment.starts_with('!') || comment.starts_with("M!"))
            {
                let reason = "some databases run what stands in this comment";
                findings.add("sql.comment", self.span(located), reason, "leave the comment out");
            }
        }
        let words: Vec<&TokenWithSpan> = self
            .located
            .iter()
            .filter(|located| !matches!(located.token, Token::Whitespace(_) | Token::EOF))
            .collect();
        let mut start = true;
        for (at, located) in words.iter().enumerate() {
            let token = Near { words: &words, at };
            match &located.token {
                Token::SemiColon => {
                    start = true;
                    continue;
                }
                Token::LParen if start => continue,
                _ => {}
            }
            if start && !token.is_word(READS) {
                let reason = format!("`{}` begins no statement that reads", shown(&located.token.to_string()));
                findings.add("sql.writes", self.span(located), reason, HINT);
                return;
            }
            start = false;
            if let Some((rule, reason)) = token.refused() {
                findings.add(rule, self.span(located), reason, HINT);
            }
        }
    }

    /// Returns name and presence of a value of `PRAGMA name` or `PRAGMA name(value)`.
    pub(super) fn pragma(&self) -> Option<(&str, bool)> {
        let tokens: Vec<&Token> = self
            .located
            .iter()
            .map(|located| &located.token)
            .filter(|token| !matches!(token, Token::Whitespace(_) | Token::EOF | Token::SemiColon))
            .collect();
        match tokens.as_slice() {
            [Token::Word(pragma), Token::Word(name), rest @ ..] if pragma.value.eq_ignore_ascii_case("PRAGMA") => match rest {
                [] => Some((name.value.as_str(), false)),
                [
                    Token::LParen,
                    Token::Word(_) | Token::SingleQuotedString(_) | Token::Number(..),
                    Token::RParen,
                ] => Some((name.value.as_str(), true)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether a database that reads backquotes as quotes, or not at all, could take these tokens for a
    /// statement: for others a backquote is an error, and so is the statement.
    pub(super) fn is_possible(&self) -> bool {
        !self.located.iter().any(|located| matches!(located.token, Token::Char('`')))
    }

    /// Returns whether there is one statement that begins as a query and has no word of any other kind of statement.
    pub(super) fn is_plain_select(&self) -> bool {
        let words: Vec<&TokenWithSpan> = self
            .located
            .iter()
            .filter(|located| !matches!(located.token, Token::Whitespace(_) | Token::EOF))
            .collect();
        let begins = Near { words: &words, at: 0 }.is_word(PLAIN_READS);
        let mut open = 0_isize;
        let harmless = words.iter().enumerate().all(|(at, located)| {
            match &located.token {
                Token::LParen => open += 1,
                Token::RParen => open -= 1,
                Token::SemiColon | Token::Char(_) | Token::Backslash => return false,
                Token::Word(word) if word.quote_style.is_none() => {
                    let other = OTHERS.contains(&word.value.to_ascii_uppercase().as_str());
                    return !other || Near { words: &words, at }.is_clause_of_query();
                }
                _ => {}
            }
            open >= 0
        });
        begins && harmless && open == 0
    }

    fn span(&self, located: &TokenWithSpan) -> Range<usize> {
        let start = self.offset(located.span.start);
        start..self.offset(located.span.end).max(start)
    }

    /// Returns the byte offset of a location, which the tokenizer counts in lines and characters.
    fn offset(&self, location: Location) -> usize {
        let line = usize::try_from(location.line.max(1) - 1).unwrap_or(usize::MAX);
        let column = usize::try_from(location.column.max(1) - 1).unwrap_or(usize::MAX);
        let start = if line == 0 {
            0
        } else {
            self.text
                .match_indices('\n')
                .nth(line - 1)
                .map_or(self.text.len(), |(at, _)| at + 1)
        };
        self.text[start..]
            .char_indices()
            .nth(column)
            .map_or(self.text.len(), |(at, _)| start + at)
    }
}

/// A token with its neighbours.
struct Near<'t> {
    words: &'t [&'t TokenWithSpan],
    at: usize,
}

impl Near<'_> {
    fn token(&self, step: isize) -> Option<&Token> {
        let at = self.at.checked_add_signed(step)?;
        self.words.get(at).map(|located| &located.token)
    }

    /// Returns the unquoted word at a distance, in capitals.
    fn word(&self, step: isize) -> Option<String> {
        match self.token(step)? {
            Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_uppercase()),
            _ => None,
        }
    }

    fn is_word(&self, list: &[&str]) -> bool {
        self.word(0).is_some_and(|word| list.contains(&word.as_str()))
    }

    fn is_any(&self, step: isize, list: &[&str]) -> bool {
        self.word(step).is_some_and(|word| list.contains(&word.as_str()))
    }

    fn is_text(&self, step: isize) -> bool {
        matches!(
            self.token(step),
            Some(Token::SingleQuotedString(_) | Token::EscapedStringLiteral(_) | Token::NationalStringLiteral(_))
        )
    }

    /// Returns whether a word of other statements is part of a query here.
    fn is_clause_of_query(&self) -> bool {
        match self.word(0).as_deref() {
            Some("USING") => !self.is_text(1),
            Some("TRUNCATE") => self.is_any(-1, &["OVERFLOW"]),
            Some("MERGE") => self.is_any(1, &["JOIN", "UNION"]),
            Some("CLUSTER") => self.is_any(1, &["BY"]),
            // `SEARCH DEPTH FIRST BY a SET b`, `CYCLE a SET b USING c`.
            Some("SET") => self.is_any(-2, &["BY", "CYCLE"]),
            Some("REPLACE") => matches!(self.token(1), Some(Token::LParen | Token::Number(..))),
            Some("TRANSFORM") => true,
            Some("NEXT") => !self.is_any(1, &["VALUE"]),
            _ => false,
        }
    }

    /// Returns whether the word begins a statement inside another one.
    fn begins_inner(&self) -> bool {
        let behind_bracket = matches!(self.token(-1), Some(Token::LParen | Token::RParen));
        let goes_on = self.is_any(1, BEHIND_WRITES)
            || (matches!(self.token(1), Some(Token::Word(_))) && self.is_any(2, &["SET", "USING", "AS", "DEFAULT"]));
        behind_bracket && goes_on
    }

    fn refused(&self) -> Option<(&'static str, String)> {
        if let Some(word) = self.word(0)
            && let Some(refusal) = self.refused_word(&word)
        {
            return Some(refusal);
        }
        if let (Some(Token::Word(word)), Some(Token::LParen)) = (self.token(0), self.token(1)) {
            let behind_from = self.is_any(-1, &["FROM", "JOIN", "APPLY", "LATERAL"]);
            let qualified = matches!(self.token(-1), Some(Token::Period));
            let schema = if qualified { self.token(-2) } else { None };
            let schema = match schema {
                Some(Token::Word(schema)) => Some(schema.value.as_str()),
                _ => None,
            };
            if functions::has_effect(&word.value, schema, behind_from) {
                return Some((
                    "sql.function",
                    format!("the function `{}` does more than read rows", shown(&word.value)),
                ));
            }
        }
        let text_as_table =
            self.is_text(0) && self.is_any(-1, &["FROM", "JOIN"]) && !self.in_function() && !self.is_any(-2, &["SYSTEM_TIME", "TIME"]);
        text_as_table.then(|| ("sql.file", "a file stands where a table is wanted".to_owned()))
    }

    /// Returns whether `FROM` is part of a call here: `TRIM(BOTH FROM 'x')`, `EXTRACT(DAY FROM '2024-01-01')`.
    fn in_function(&self) -> bool {
        let before = self.at.saturating_sub(5)..self.at;
        before.into_iter().any(|at| {
            let word = match self.words.get(at).map(|located| &located.token) {
                Some(Token::Word(word)) => word.value.to_ascii_uppercase(),
                _ => return false,
            };
            matches!(word.as_str(), "TRIM" | "EXTRACT" | "SUBSTRING" | "OVERLAY" | "POSITION")
        })
    }

    fn refused_word(&self, word: &str) -> Option<(&'static str, String)> {
        let refused = |rule, reason: &str| Some((rule, reason.to_owned()));
        match word {
            "INTO" => refused("sql.writes", "`INTO` writes what is selected"),
            "USING" if self.is_text(1) => refused("sql.program", "`USING` with a text behind it runs a program"),
            "FOR" if self.is_any(1, &["UPDATE", "SHARE", "NO", "KEY"]) => refused("sql.locks", "`FOR UPDATE` and `FOR SHARE` take locks"),
            "LOCK" if self.is_any(1, &["IN"]) => refused("sql.locks", "`LOCK IN` takes locks"),
            "NEXT" if self.is_any(1, &["VALUE"]) && self.is_any(2, &["FOR"]) => {
                refused("sql.writes", "`NEXT VALUE FOR` moves a sequence on")
            }
            "WAITFOR" => refused("sql.writes", "`WAITFOR` only waits"),
            "OUTFILE" | "DUMPFILE" => refused("sql.writes", "it writes a file"),
            _ if WRITES.contains(&word) && self.begins_inner() => Some(("sql.writes", format!("`{word}` writes, inside of a query"))),
            _ => None,
        }
    }
}
