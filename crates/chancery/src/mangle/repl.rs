//! `mangle repl`: facts, rules and questions, line by line.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use mangle::{
    analysis::Level,
    builtin,
    diagnostic::Severity,
    eval::Model,
    explain::Explainer,
    syntax::{Dialect, Sources},
};
use rustyline::{
    Context, Editor, Helper,
    completion::Completer,
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::DefaultHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};

use super::{
    args::Repl,
    evaluate::{evaluate, options},
    load::{Loaded, dialect, read, report, understand},
    print, why,
};

const HELP: &str = "\
p(/a). q(X) :- p(X).   say something; it may go on over several lines, up to the full stop
? q(X), X != /b.       ask something
:why FACT              what a fact rests on
:why-not FACT          what a fact lacks
:facts [NAME]          all facts, or those of one predicate
:undo                  take back what was said last
:load FILE             read a file
:list                  what was said
:help  :quit
";

/// The predicate that a question is a rule for. No program can write this name.
const ANSWER: &str = "answer__";

/// Reads until the end of input.
pub(super) fn repl(args: &Repl) -> anyhow::Result<ExitCode> {
    let mut session = Session {
        args,
        files: Vec::new(),
        said: Vec::new(),
    };
    for file in &args.program.files {
        session.load(file)?;
    }
    let mut editor: Editor<Assistant, DefaultHistory> = Editor::new()?;
    print("Mangle: say `p(/a).`, ask `? p(X).`, or `:help`\n")?;
    loop {
        editor.set_helper(Some(Assistant { words: session.words() }));
        match editor.readline("> ") {
            Ok(line) => {
                editor.add_history_entry(line.trim())?;
                match session.line(line.trim()) {
                    Ok(Some(text)) => print(&text)?,
                    Ok(None) => return Ok(ExitCode::SUCCESS),
                    Err(error) => print(&format!("error: {error:#}\n"))?,
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(error.into()),
        }
    }
}

struct Session<'a> {
    args: &'a Repl,
    /// Files that were read, with their names.
    files: Vec<(String, String)>,
    /// What was typed, a clause or several an entry.
    said: Vec<String>,
}

impl Session<'_> {
    fn load(&mut self, file: &Path) -> anyhow::Result<()> {
        self.files.push((file.display().to_string(), read(file)?));
        Ok(())
    }

    /// Does what a line says. `None` ends the session.
    fn line(&mut self, line: &str) -> anyhow::Result<Option<String>> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = match word {
            "" => String::new(),
            ":quit" | ":q" => return Ok(None),
            ":help" | ":h" => HELP.to_owned(),
            ":list" => self.said.join("\n") + "\n",
            ":undo" => self
                .said
                .pop()
                .map_or_else(|| "nothing was said\n".to_owned(), |line| format!("taken back: {line}\n")),
            ":load" => {
                self.load(Path::new(rest.trim()))?;
                self.check()?
            }
            ":facts" => self.facts(rest.trim())?,
            ":why" => self.explain(rest, false)?,
            ":why-not" => self.explain(rest, true)?,
            _ if line.starts_with('?') => self.ask(line[1..].trim().trim_end_matches('.'))?,
            _ if line.starts_with(':') && !line.contains('(') => format!("there is no command `{word}`: `:help` names them\n"),
            _ => self.say(line)?,
        };
        Ok(Some(text))
    }

    fn understand(&self, more: Option<&str>) -> anyhow::Result<Loaded> {
        let mut sources = Sources::new();
        for (name, text) in &self.files {
            sources.add(name, text)?;
        }
        sources.add("said", &self.said.join("\n"))?;
        if let Some(more) = more {
            sources.add("line", more)?;
        }
        let levels = vec![Level::Schema; sources.iter().count()];
        let dialect: Dialect = dialect(&self.args.program);
        Ok(understand(sources, levels, dialect))
    }

    /// Takes a clause, unless it makes the program wrong.
    fn say(&mut self, line: &str) -> anyhow::Result<String> {
        let loaded = self.understand(Some(line))?;
        if loaded.is_rejected() {
            return Ok(report(&loaded.findings(Severity::Error), &loaded.sources));
        }
        self.said.push(line.to_owned());
        Ok(String::new())
    }

    fn check(&self) -> anyhow::Result<String> {
        let loaded = self.understand(None)?;
        Ok(report(&loaded.findings(Severity::Warning), &loaded.sources))
    }

    /// Evaluates what was said, or says what is wrong with it.
    fn model(&self, more: Option<&str>) -> anyhow::Result<Result<(Loaded, Model), String>> {
        let mut loaded = self.understand(more)?;
        let Some(program) = loaded.analysis.program.take() else {
            return Ok(Err(report(&loaded.findings(Severity::Error), &loaded.sources)));
        };
        Ok(match evaluate(&Arc::new(program), &self.args.limits) {
            Ok(model) => Ok((loaded, model)),
            Err(found) => Err(report(&[*found], &loaded.sources)),
        })
    }

    fn facts(&self, name: &str) -> anyhow::Result<String> {
        let (_, model) = match self.model(None)? {
            Ok(both) => both,
            Err(text) => return Ok(text),
        };
        let mut out = String::new();
        for (label, rows) in model.to_text() {
            let predicate = label.rsplit_once('/').map_or(&*label, |(predicate, _)| predicate);
            if name.is_empty() || name == predicate {
                rows.iter().for_each(|row| {
                    let _infallible = writeln!(out, "{predicate}({})", row.join(", "));
                });
            }
        }
        Ok(out)
    }

    /// A question is a rule whose head has the variables of its premises.
    fn ask(&self, body: &str) -> anyhow::Result<String> {
        let variables = variables(body);
        let rule = format!("{ANSWER}({}) :- {body}.", variables.join(", "));
        let (_, model) = match self.model(Some(&rule))? {
            Ok(both) => both,
            Err(text) => return Ok(text),
        };
        let label = format!("{ANSWER}/{}", variables.len());
        let rows = model.to_text().remove(&label).unwrap_or_default();
        let mut out = String::new();
        for row in &rows {
            let bindings: Vec<String> = variables.iter().zip(row).map(|(name, value)| format!("{name} = {value}")).collect();
            let _infallible = writeln!(
                out,
                "{}",
                if bindings.is_empty() {
                    "yes".to_owned()
                } else {
                    bindings.join(", ")
                }
            );
        }
        Ok(if rows.is_empty() { "no\n".to_owned() } else { out })
    }

    fn explain(&self, fact: &str, not: bool) -> anyhow::Result<String> {
        let (loaded, model) = match self.model(None)? {
            Ok(both) => both,
            Err(text) => return Ok(text),
        };
        let options = options(&self.args.limits);
        let mut explainer = Explainer::new(&model, options.budget, options.cancel);
        let question = why::question(fact, &model, &mut explainer)?;
        let place = |rule| why::place(&loaded, &model, rule);
        let text = why::explain(&mut explainer, &question, not, &place)?;
        Ok(text.unwrap_or_else(|| {
            if not {
                "it holds\n".to_owned()
            } else {
                "it does not hold\n".to_owned()
            }
        }))
    }

    /// What may be completed: predicates, built-ins, commands.
    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = [":why", ":why-not", ":facts", ":undo", ":load", ":list", ":help", ":quit"]
            .map(str::to_owned)
            .into();
        words.extend(builtin::functions().map(|function| function.name.to_owned()));
        words.extend(builtin::reducers().map(|reducer| reducer.name.to_owned()));
        words.extend(builtin::relations().map(|relation| relation.name.to_owned()));
        if let Ok(loaded) = self.understand(None) {
            words.extend(loaded.analysis.predicates.iter().map(|info| info.name.to_string()));
        }
        words.sort();
        words.dedup();
        words
    }
}

/// The variables of a body in the order in which they stand: capitals outside strings.
fn variables(body: &str) -> Vec<String> {
    let Ok(sources) = Sources::of("line", &format!("{ANSWER}() :- {body}.")) else {
        return Vec::new();
    };
    let Some(source) = sources.get(0) else { return Vec::new() };
    let parsed = mangle::syntax::parse(source, Dialect::Extended);
    let mut names: Vec<String> = Vec::new();
    for clause in parsed.unit.clauses() {
        clause.each_variable(&mut |name, _| {
            if !names.iter().any(|known| **known == **name) {
                names.push(name.to_string());
            }
        });
    }
    names
}

/// Completes words and asks for more lines until the full stop.
struct Assistant {
    words: Vec<String>,
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let belongs = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '-');
        let head = line.get(..at).unwrap_or_default();
        let start = head.rfind(|c: char| !belongs(c)).map_or(0, |before| before + 1);
        let word = &head[start..];
        let found = self
            .words
            .iter()
            .filter(|known| !word.is_empty() && known.starts_with(word))
            .cloned();
        Ok((start, found.collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let line = context.input().trim();
        let command = line.starts_with(':') && !line.contains('(') || line.starts_with(":why");
        let complete = line.is_empty() || command || line.ends_with('.');
        Ok(if complete {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}
