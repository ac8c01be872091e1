//! Decides what a parsed statement does, as far as its kind shows.

use sqlparser::ast::{Query, SetExpr, Statement};

/// How many set operations are examined. There are no more, because the number of nesting tokens is bounded.
const MAX_OPERANDS: usize = 1000;

/// Returns what a statement does beyond reading; `None` when it only reads.
pub(super) fn writes(statement: &Statement) -> Option<String> {
    match statement {
        Statement::Query(query) => query_writes(query),
        Statement::Explain { statement, .. } => writes(statement),
        Statement::ExplainTable { .. }
        | Statement::ShowFunctions { .. }
        | Statement::ShowVariable { .. }
        | Statement::ShowStatus { .. }
        | Statement::ShowVariables { .. }
        | Statement::ShowCreate { .. }
        | Statement::ShowColumns { .. }
        | Statement::ShowCatalogs { .. }
        | Statement::ShowDatabases { .. }
        | Statement::ShowSchemas { .. }
        | Statement::ShowCharset(_)
        | Statement::ShowObjects(_)
        | Statement::ShowTables { .. }
        | Statement::ShowViews { .. }
        | Statement::ShowCollation { .. } => None,
        Statement::Pragma { name, value, is_eq } => pragma_writes(&name.to_string(), value.is_some(), *is_eq),
        other => Some(format!("`{}`", first_words(&other.to_string()))),
    }
}

fn first_words(text: &str) -> String {
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn query_writes(query: &Query) -> Option<String> {
    if !query.locks.is_empty() {
        return Some("taking locks".to_owned());
    }
    let inner = query
        .with
        .iter()
        .flat_map(|with| &with.cte_tables)
        .find_map(|table| query_writes(&table.query));
    inner.or_else(|| body_writes(&query.body))
}

/// Judges the body of a query. Set operations nest to the left, so it uses a stack instead of recursion.
fn body_writes(body: &SetExpr) -> Option<String> {
    let mut waiting = vec![body];
    for _ in 0..MAX_OPERANDS {
        let body = waiting.pop()?;
        match body {
            SetExpr::Select(select) if select.into.is_some() => return Some("`SELECT … INTO`".to_owned()),
            SetExpr::Select(_) | SetExpr::Values(_) | SetExpr::Table(_) => {}
            SetExpr::Query(query) => {
                if let Some(what) = query_writes(query) {
                    return Some(what);
                }
            }
            SetExpr::SetOperation { left, right, .. } => waiting.extend([&**left, &**right]),
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                return Some("a writing statement behind `WITH`".to_owned());
            }
        }
    }
    Some("a statement of that size".to_owned())
}

/// Judges pragmas of SQLite that return information. With `=` they set it.
pub(super) fn pragma_writes(name: &str, has_value: bool, sets: bool) -> Option<String> {
    const TELLS: &[&str] = &[
        "table_info",
        "table_xinfo",
        "table_list",
        "index_list",
        "index_info",
        "index_xinfo",
        "foreign_key_list",
        "database_list",
        "collation_list",
        "function_list",
        "module_list",
        "pragma_list",
        "compile_options",
        "integrity_check",
        "quick_check",
        "foreign_key_check",
    ];
    const TELLS_ALONE: &[&str] = &[
        "user_version",
        "schema_version",
        "encoding",
        "page_count",
        "page_size",
        "freelist_count",
        "journal_mode",
        "foreign_keys",
        "application_id",
        "cache_size",
        "data_version",
        "synchronous",
        "auto_vacuum",
        "busy_timeout",
    ];
    let name = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let tells = !sets && (TELLS.contains(&name.as_str()) || (!has_value && TELLS_ALONE.contains(&name.as_str())));
    (!tells).then(|| format!("`PRAGMA {name}`"))
}
