//! Checks the tables of `tests/data/builtins`: the results of each function, predicate and reducer, and its errors. A
//! built-in without its lines fails the test.

use std::{collections::BTreeSet, path::Path};

use mangle::{
    builtin::{self, Params},
    syntax::Dialect,
};

use crate::engine::{Answer, Limits, Source, run};

/// One line of a table.
#[derive(Debug)]
struct Line {
    text: String,
    /// The call, up to its last bracket.
    call: String,
    /// The sign: `=`, `:` or `!`.
    sign: char,
    /// The text after the sign.
    says: String,
}

impl Line {
    fn name(&self) -> &str {
        self.call.split('(').next().unwrap_or_default()
    }

    fn args(&self) -> Vec<String> {
        let inner = self.call.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        split(inner.unwrap_or_else(|| panic!("`{}` calls nothing", self.text)), ',')
    }
}

/// Returns the lines of a table; `signs` separate a call from its result.
fn table(file: &str, signs: &[char]) -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/builtins").join(file);
    let text = std::fs::read_to_string(path).expect("the tables are part of the crate");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| read(line, signs)).collect()
}

fn read(line: &str, signs: &[char]) -> Line {
    let cut = |sign: &char| line.rfind(&format!(") {sign} ")).map(|at| (at, *sign));
    let (at, sign) = signs
        .iter()
        .filter_map(cut)
        .max()
        .unwrap_or_else(|| panic!("no result in `{line}`"));
    Line {
        text: line.to_owned(),
        call: line[..=at].to_owned(),
        sign,
        says: line[at + 4..].to_owned(),
    }
}

/// Returns the parts of a text between separators that are outside brackets and strings.
fn split(text: &str, separator: char) -> Vec<String> {
    let (mut parts, mut depth, mut quoted) = (vec![String::new()], 0, false);
    let mut before = ' ';
    for c in text.chars() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        before = c;
        match parts.last_mut() {
            Some(_) if c == separator && depth == 0 && !quoted => parts.push(String::new()),
            Some(part) => part.push(c),
            None => {}
        }
    }
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Returns the rows of `r` that a program gives, or its error.
fn ask(program: &str) -> Result<BTreeSet<Vec<String>>, String> {
    let source = Source {
        name: "table".to_owned(),
        text: program.to_owned(),
    };
    let limits = Limits {
        now: Some("2024-06-01T00:00:00Z".to_owned()),
        ..Limits::default()
    };
    match run(&[source], Dialect::Strict, &limits) {
        Answer::Facts(mut facts) => {
            let key = facts.keys().find(|key| key.starts_with("r/")).cloned();
            Ok(key.and_then(|key| facts.remove(&key)).unwrap_or_default())
        }
        Answer::Rejected(codes) if codes.iter().any(|code| code.starts_with("M01")) => Err("names".to_owned()),
        Answer::Rejected(codes) if codes.iter().any(|code| code.starts_with("M02")) => Err("variables".to_owned()),
        Answer::Rejected(codes) if codes.iter().all(|code| code.starts_with("M03")) => Err("value".to_owned()),
        Answer::Failed(_) => Err("value".to_owned()),
        other => Err(format!("{other:?}")),
    }
}

/// Returns the expectation of a line: the rows of `r`, or the error.
fn wanted(line: &Line) -> Result<BTreeSet<Vec<String>>, String> {
    match (line.sign, &*line.says) {
        ('!', kind) => Err(kind.to_owned()),
        (':', "no") => Ok(BTreeSet::new()),
        (':', "yes") => Ok([Vec::new()].into()),
        (':', rows) => Ok(brackets(rows).iter().map(|row| split(row, ',')).collect()),
        (_, value) => Ok([vec![value.to_owned()]].into()),
    }
}

/// Returns the contents of `(..) (..)`.
fn brackets(text: &str) -> Vec<String> {
    let rows = split(text, ' ');
    let bare = |row: &String| row.strip_prefix('(').and_then(|row| row.strip_suffix(')')).map(str::to_owned);
    rows.iter()
        .map(|row| bare(row).unwrap_or_else(|| panic!("`{row}` is no row")))
        .collect()
}

/// Runs the programs of every line and reports those that give something else.
fn check(lines: &[Line], programs: impl Fn(&Line) -> Vec<String>) {
    let mut wrong = Vec::new();
    for line in lines {
        for program in programs(line) {
            let (got, want) = (ask(&program), wanted(line));
            if got != want {
                wrong.push(format!("{}\n    but {got:?} of {}", line.text, program.replace('\n', " ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Checks that every name has a line that works, one with a wrong number of arguments and one with wrong values, as far
/// as there can be one.
fn complete<'n>(lines: &[Line], names: impl IntoIterator<Item = (&'n str, &'n Params)>) {
    let has = |name: &str, kind: &str| {
        lines
            .iter()
            .any(|line| line.name() == name && (line.sign == '!') == (kind != "works") && (kind == "works" || line.says == kind))
    };
    // A name is compared with what exists; any other value is simply absent.
    let any = |kind: &&str| ["/any", "/name"].contains(kind) || kind.len() == 1;
    let mut missing = Vec::new();
    let mut known = BTreeSet::new();
    for (name, params) in names {
        known.insert(name);
        let counts = !params.variadic || params.types.len() > 1;
        let typed = !params.types.iter().all(any);
        let kinds = [("works", true), ("names", counts), ("value", typed)];
        missing.extend(
            kinds
                .iter()
                .filter(|(kind, can)| *can && !has(name, kind))
                .map(|(kind, _)| format!("{name}: {kind}")),
        );
    }
    assert!(missing.is_empty(), "lines are missing for {missing:#?}");
    let unknown: Vec<&str> = lines.iter().map(Line::name).filter(|name| !known.contains(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?} are not built in");
}

#[test]
fn functions_give_what_their_table_says() {
    check(&table("functions.txt", &['=', '!']), |line| {
        let args = line.args();
        let variables: Vec<String> = (0..args.len()).map(|number| format!("A{number}")).collect();
        let (args, variables) = (args.join(", "), variables.join(", "));
        vec![
            format!("one(1).\nr(X) :- one(_), X = {}.\n", line.call),
            format!("in({args}).\nr(X) :- in({variables}) |> let X = {}({variables}).\n", line.name()),
        ]
    });
}

#[test]
fn every_function_has_its_lines() {
    let all: Vec<_> = builtin::functions().collect();
    complete(&table("functions.txt", &['=', '!']), all.iter().map(|one| (one.name, &one.params)));
}

#[test]
fn predicates_hold_as_their_table_says() {
    check(&table("predicates.txt", &[':', '!']), |line| {
        let args = line.args();
        let out = |arg: &&String| arg.len() == 1 && arg.chars().all(char::is_uppercase);
        let outputs: Vec<&str> = args.iter().filter(out).map(String::as_str).collect();
        let inputs: Vec<&str> = args.iter().filter(|arg| !out(arg)).map(String::as_str).collect();
        let mut count = 0;
        let mut variable = |arg: &String| {
            if out(&arg) {
                return arg.clone();
            }
            count += 1;
            format!("A{}", count - 1)
        };
        let given: Vec<String> = args.iter().map(&mut variable).collect();
        let variables: Vec<String> = (0..inputs.len()).map(|number| format!("A{number}")).collect();
        let head = outputs.join(", ");
        let call = format!("one(1).\nr({head}) :- one(_), {}.\n", line.call);
        let from_a_fact = format!(
            "in({}).\nr({head}) :- in({}), {}({}).\n",
            inputs.join(", "),
            variables.join(", "),
            line.name(),
            given.join(", ")
        );
        vec![call, from_a_fact]
    });
}

#[test]
fn every_predicate_has_its_lines() {
    let all: Vec<_> = builtin::relations().collect();
    complete(&table("predicates.txt", &[':', '!']), all.iter().map(|one| (one.name, &one.params)));
}

#[test]
fn reducers_make_what_their_table_says() {
    let lines = table("reducers.txt", &['=', '!']);
    let (bare, rows): (Vec<Line>, Vec<Vec<String>>) = lines.into_iter().map(with_rows).unzip();
    check(&bare, |line| {
        let number = bare.iter().position(|other| other.text == line.text).expect("it is one of them");
        vec![reducing(line, &rows[number])]
    });
    let all: Vec<_> = builtin::reducers().collect();
    complete(&bare, all.iter().map(|one| (one.name, &one.params)));
}

/// Splits the rows off the call: `fn:sum(X) of (1) (2)`.
fn with_rows(mut line: Line) -> (Line, Vec<String>) {
    let call = line.call.clone();
    let (call, rows) = call.split_once(" of ").unwrap_or_else(|| panic!("no rows in `{}`", line.text));
    line.call = call.to_owned();
    (line, brackets(rows))
}

fn reducing(line: &Line, rows: &[String]) -> String {
    let facts: String = rows
        .iter()
        .enumerate()
        .map(|(number, row)| format!("row({number}, {row}).\n"))
        .collect();
    let columns = rows.first().map_or(1, |row| split(row, ',').len());
    let variables = if columns == 1 { "X" } else { "X, Y" };
    format!("{facts}r(Z) :- row(I, {variables}) |> do fn:group_by(), let Z = {}.\n", line.call)
}
