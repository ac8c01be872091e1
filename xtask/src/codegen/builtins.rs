//! Generates the reference of the rule language's built-ins, from the tables that the engine itself uses.

use std::fmt::Write;

use mangle::{
    builtin::{self, Example, Params},
    program::Mode,
};

const HEAD: &str = "\
# Built-in reference

<!-- written by `cargo xtask codegen` from lib/mangle/src/builtin -->

Types are written as in [declarations](declarations.md); a single capital stands for any type, the same wherever it appears, and `…` for
any number of further arguments.
";

/// Returns the whole page.
pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    page += "\n## Functions\n\nA function stands where a value stands. If it has no result for its arguments, the evaluation ends with an error.\n";
    let functions: Vec<_> = builtin::functions().collect();
    let mut areas: Vec<&str> = Vec::new();
    for function in &functions {
        if !areas.contains(&area_of(function.name)) {
            areas.push(area_of(function.name));
        }
    }
    for area in areas {
        page += &format!(
            "\n### {}\n\n| function | gives | what | example |\n|---|---|---|---|\n",
            title(area)
        );
        for function in functions.iter().filter(|function| area_of(function.name) == area) {
            row(
                &mut page,
                &call(function.name, &function.params),
                function.result,
                function.doc,
                function.example,
            );
        }
    }
    page += "\n## Reducers\n\nA reducer stands behind `|> do fn:group_by(…)`, in a `let`. It makes one value of the rows of a group.\n\n";
    page += "| reducer | gives | what | example |\n|---|---|---|---|\n";
    for reducer in builtin::reducers() {
        row(
            &mut page,
            &call(reducer.name, &reducer.params),
            reducer.result,
            reducer.doc,
            reducer.example,
        );
    }
    page += "\n## Predicates\n\nAn argument with `+` needs a value beforehand, one with `-` gets it from the predicate, one with `?` may do either.\n\n";
    page += "| predicate | arguments | what | example |\n|---|---|---|---|\n";
    for relation in builtin::relations() {
        let modes: Vec<&str> = relation.modes.iter().map(sign).collect();
        row(
            &mut page,
            &call(relation.name, &relation.params),
            &modes.join(" "),
            relation.doc,
            relation.example,
        );
    }
    page
}

/// Writes one row; a text with a bar is kept in one cell.
fn row(page: &mut String, call: &str, gives: &str, doc: &str, example: Example) {
    let cell = |text: &str| text.replace('|', "\\|");
    let _ = writeln!(
        page,
        "| `{}` | `{}` | {} | `{}` → `{}` |",
        cell(call),
        cell(gives),
        cell(doc),
        cell(example.write),
        cell(example.get)
    );
}

/// Returns the name with the types of its arguments.
fn call(name: &str, params: &Params) -> String {
    let mut types = params.types.join(", ");
    if params.variadic {
        types.push('…');
    }
    format!("{name}({types})")
}

const fn sign(mode: &Mode) -> &'static str {
    match mode {
        Mode::In => "+",
        Mode::Out => "-",
        Mode::Any => "?",
    }
}

/// Returns the area of a function: `time` of `fn:time:add`; nothing of `fn:plus`.
fn area_of(name: &str) -> &str {
    let name = name.strip_prefix("fn:").unwrap_or(name);
    name.split_once(':').map_or("", |(area, _)| area)
}

fn title(area: &str) -> String {
    match area {
        "" => "General".to_owned(),
        area => format!("`fn:{area}:`"),
    }
}
