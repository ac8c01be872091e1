//! Finds values that contain a statement, a query or a call of their own.

use super::pieces::Piece;
use crate::sql::functions;

/// Finds a second query: united with the first, behind a semicolon, or in brackets.
pub(super) fn second_query(pieces: &[Piece<'_>]) -> Option<&'static str> {
    const VERBS: &[&str] = &[
        "select", "insert", "update", "delete", "drop", "create", "alter", "truncate", "exec", "execute", "declare", "shutdown", "waitfor",
        "merge", "grant", "revoke", "replace", "call", "set", "backup", "restore", "if", "begin", "print", "copy", "attach", "vacuum",
        "rename", "load", "handler", "do", "use", "show", "desc", "describe",
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
            let last = pieces.last().is_some_and(|piece| piece.is_word(&["select"])) && pieces.len() - here <= 4;
            if behind.is_some_and(|piece| piece.is_word(&["select", "values"]))
                && (last || (1..=9).any(|step| operand_of_select(at(here + step))))
            {
                return Some("a second query is united with the first");
            }
        }
        let verb = at(here + 1);
        if piece.is_symbol(";") && verb.is_word(VERBS) {
            let object = at(here + 2);
            let ends = matches!(at(here + 3), Piece::Comment { .. } | Piece::Symbol(';'));
            if verb.is_word(&["desc", "describe", "show", "use"]) && ends {
                return Some("a second statement follows");
            }
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
            && ((2..=12).any(|step| at(here + step).is_word(&["from"]) || at(here + step).is_symbol("(*@"))
                || at(here + 2).is_word(&["top"]) && at(here + 3) == Piece::Number)
        {
            return Some("a query stands in the value");
        }
    }
    compared_constants(pieces).or_else(|| whole_statement(pieces))
}

/// Finds `where 1=1`, `if(7=8)`: a comparison of two numbers as a condition, which depends on no row.
fn compared_constants(pieces: &[Piece<'_>]) -> Option<&'static str> {
    const BEFORE: &[&str] = &["where", "and", "or", "xor", "not", "when", "having", "if", "iif", "on"];
    pieces
        .windows(5)
        .any(|five| {
            // Numbers first, because they are few.
            let compared = |at: usize| five[at] == Piece::Number && five[at + 1] == Piece::Symbol('=') && five[at + 2] == Piece::Number;
            (compared(1) || (compared(2) && five[1].is_symbol("("))) && five[0].is_word(BEFORE)
        })
        .then_some("constants are compared")
        .or_else(|| {
            let last: Vec<_> = pieces.iter().rev().take(4).rev().collect();
            let ends = matches!(last.as_slice(), [word, Piece::Number, Piece::Symbol('='), Piece::Number] if word.is_word(BEFORE));
            ends.then_some("constants are compared")
        })
}

fn operand_of_select(piece: Piece<'_>) -> bool {
    piece == Piece::Number
        || piece.is_quote()
        || piece.is_symbol("*(,@")
        || piece.is_word(&["null", "from"])
        || matches!(piece, Piece::Word(word) if word.starts_with('@'))
}

/// Finds a value that is a statement from its first word on.
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
        || pair(&["backup", "restore"], &["database", "log"]) && rest.iter().any(|piece| piece.is_word(&["to", "from", "disk", "disks"]))
        || calls_alone(rest)
        || declares(rest)
        || rest.first().is_some_and(|piece| piece.is_word(&["exec", "execute"]))
            && rest
                .get(1)
                .is_some_and(|piece| matches!(piece, Piece::Word(word) if word.contains('_')));
    (is_statement && (marked || start > 0 || declares(rest))).then_some("it is a statement, not a value")
}

/// Finds `select f()`: a query of one call, and nothing behind it.
fn calls_alone(rest: &[Piece<'_>]) -> bool {
    matches!(rest, [select, Piece::Word(_), Piece::Symbol('('), Piece::Symbol(')'), end @ ..]
        if select.is_word(&["select"]) && end.iter().all(|piece| piece.is_symbol(";") || matches!(piece, Piece::Comment { .. })))
}

/// Finds `declare @q int`, `exec(@q)`: variables of SQL Server.
fn declares(rest: &[Piece<'_>]) -> bool {
    const TYPES: &[&str] = &[
        "varchar", "nvarchar", "char", "nchar", "int", "bigint", "table", "sysname", "datetime", "bit", "as",
    ];
    let is_variable = |at: usize| matches!(rest.get(at), Some(Piece::Word(word)) if word.starts_with('@'));
    let is_word = |at: usize, list: &[&str]| rest.get(at).is_some_and(|piece| piece.is_word(list));
    let in_brackets = rest.get(1).is_some_and(|piece| piece.is_symbol("(")) && is_variable(2);
    let runs = is_word(0, &["exec", "execute"]) && (is_variable(1) || in_brackets);
    runs || (is_word(0, &["declare"]) && is_variable(1) && is_word(2, TYPES))
}

/// Finds calls and names that a value has no reason to contain: those that wait, read files, or give information about
/// the system.
pub(super) fn probe(pieces: &[Piece<'_>]) -> Option<&'static str> {
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
        "sp_password",
    ];
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Word(word) = piece else { continue };
        if word.starts_with("@@") || piece.is_word(CATALOGS) {
            return Some("it names the machinery of the database");
        }
        let called = pieces.get(at + 1).is_some_and(|piece| piece.is_symbol("("));
        let qualified = pieces.get(at + 1).is_some_and(|piece| piece.is_symbol("."));
        let inner_call = pieces.get(at + 3).is_some_and(|piece| piece.is_symbol("("));
        let argument = pieces.get(at + 2).is_some_and(|piece| {
            matches!(piece, Piece::Number)
                || piece.is_quote()
                || piece.is_symbol("(@")
                || piece.is_word(&["select", "case", "null"])
                || matches!(piece, Piece::Word(word) if word.starts_with('_') || (inner_call && functions::is_probe(word)))
        });
        let waits = word.eq_ignore_ascii_case("waitfor") && pieces.get(at + 1).is_some_and(|piece| piece.is_word(&["delay", "time"]));
        let procedure = word.len() > 3 && word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("xp_"));
        if waits
            || procedure
            || (called && argument && functions::is_probe(word) && is_dangerous_call(word))
            || (qualified && word.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("dbms_")))
        {
            return Some("it calls a function of the database");
        }
    }
    None
}

/// Returns whether a word with a bracket behind it is a dangerous call. Names that are ordinary words need more
/// evidence.
fn is_dangerous_call(word: &str) -> bool {
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
    let waits = ["sleep", "benchmark"].iter().any(|one| word.eq_ignore_ascii_case(one));
    !plain || waits
}
