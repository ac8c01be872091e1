//! `mangle repl`: accepts facts, rules and questions, line by line.

mod assistant;
mod interrupt;
mod show;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::ensure;
use mangle::{
    analysis::Level,
    builtin,
    diagnostic::{Diagnostic, Severity},
    eval::Model,
    explain::Explainer,
    syntax::{Dialect, Sources, Span, ast::TermKind},
};
use rustyline::{Config, Editor, error::ReadlineError, history::DefaultHistory};

use super::{
    args::Repl,
    deadline::Deadline,
    evaluate::{evaluate, options},
    external::Answers,
    facts,
    load::{Loaded, called, dialect, read, report, understand},
    output::print,
    why,
};
use assistant::{Assistant, is_about_a_predicate, is_bare_command};
use interrupt::Interrupt;

const HELP: &str = "\
p(/a). q(X) :- p(X).   say something; it may go on over several lines, up to the full stop
? q(X), X != /b.       ask something
:why FACT              what a fact rests on
:why-not FACT          what a fact lacks
:facts [NAME]          all facts, or those of one predicate; ? NAME does the same
:show [NAME]           all predicates, or one: types, numbers of facts and rules
:undo                  take back what was said last
:load FILE             read a file
:list                  what was said
:help  :quit
";

/// The name of the current line in findings.
const LINE: &str = "line";

/// The predicate of the rule that a question becomes. No program can write this name.
const ANSWER: &str = "answer__";

/// The number of lines of history that are kept.
const HISTORY: usize = 1_000;

/// Reads until the end of input.
pub(super) fn repl(args: &Repl) -> anyhow::Result<ExitCode> {
    let mut session = Session {
        args,
        answers: Answers::read(&args.limits.external)?,
        files: Vec::new(),
        said: Vec::new(),
        cancel: interrupt::listen(),
        changed: false,
    };
    for file in &args.program.files {
        session.files.push((Level::Schema, called(file), read(file)?));
    }
    for (level, file) in &args.program.at {
        session.files.push((*level, called(file), read(file)?));
    }
    let config = Config::builder().max_history_size(HISTORY)?.history_ignore_dups(true)?.build();
    let mut editor: Editor<Assistant, DefaultHistory> = Editor::with_config(config)?;
    let history = history_file();
    if let Some(file) = &history {
        // There is none at the first start.
        let _none_yet = editor.load_history(file);
    }
    print("Mangle: say `p(/a).`, ask `? p(X).`, or `:help`\n")?;
    print(&session.begin()?)?;
    let mut stale = true;
    loop {
        if stale {
            editor.set_helper(Some(Assistant::new(session.words())));
        }
        let line = match editor.readline("> ") {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                print("(`:quit` or Ctrl-D ends)\n")?;
                continue;
            }
            Err(ReadlineError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
                print("error: the line is not UTF-8\n")?;
                continue;
            }
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(error.into()),
        };
        let line = line.trim();
        remember(&mut editor, line, history.as_deref());
        match session.line(line) {
            Ok(Some(text)) => print(&text)?,
            Ok(None) => return Ok(ExitCode::SUCCESS),
            Err(error) => print(&format!("error: {error:#}\n"))?,
        }
        stale = std::mem::take(&mut session.changed);
    }
}

/// Returns where the history is kept between sessions: `$XDG_STATE_HOME/chancery/mangle_history`.
fn history_file() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("chancery/mangle_history"))
}

/// Adds a line to the history. A history that cannot be written is no reason to stop.
fn remember(editor: &mut Editor<Assistant, DefaultHistory>, line: &str, file: Option<&Path>) {
    let added = editor.add_history_entry(line).unwrap_or(false);
    let Some(file) = file.filter(|_| added) else { return };
    if file.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok()) {
        let _not_kept = editor.append_history(file);
    }
}

struct Session<'a> {
    args: &'a Repl,
    answers: Answers,
    /// Files that were read: their trust levels, names and texts.
    files: Vec<(Level, String, String)>,
    /// The clauses that were typed, one or several an entry.
    said: Vec<String>,
    /// Cancels the running evaluation.
    cancel: Interrupt,
    /// Whether the program has changed since the last line.
    changed: bool,
}

impl Session<'_> {
    /// Loads a file, unless it makes the program wrong.
    fn load(&mut self, file: &Path) -> anyhow::Result<String> {
        ensure!(!file.as_os_str().is_empty(), "which file? `:load FILE`");
        let (name, text) = (called(file), read(file)?);
        let before = self.files.clone();
        match self.files.iter_mut().find(|(_, other, _)| *other == name) {
            // It is loaded again, probably because it has changed.
            Some((_, _, old)) => *old = text,
            None => self.files.push((Level::Schema, name, text)),
        }
        let loaded = self.understand(None, &self.deadline())?;
        let text = report(&loaded.findings(Severity::Warning), &loaded.sources);
        if loaded.is_rejected() {
            self.files = before;
            return Ok(text + "it is not loaded\n");
        }
        self.changed = true;
        Ok(text)
    }

    /// Carries out a line. Returns `None` to end the session.
    fn line(&mut self, line: &str) -> anyhow::Result<Option<String>> {
        // The public interpreter begins its commands with two colons.
        let line = if line.starts_with("::") { &line[1..] } else { line };
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = match word {
            "" => String::new(),
            ":quit" | ":q" => return Ok(None),
            ":help" | ":h" => HELP.to_owned(),
            ":list" if self.said.is_empty() => "nothing was said\n".to_owned(),
            ":list" => self.said.join("\n") + "\n",
            ":undo" | ":pop" => self.undo(),
            ":load" => self.load(Path::new(rest.trim()))?,
            ":facts" => self.facts(rest.trim())?,
            ":show" => show::show(&self.understand(None, &self.deadline())?.analysis, rest.trim()),
            ":why" => self.explain(rest, false)?,
            ":why-not" => self.explain(rest, true)?,
            "?" if rest.trim().is_empty() => "ask something: `? p(X)`\n".to_owned(),
            _ if is_bare_command(line) => "commands begin with a colon: `:help`, `:quit`\n".to_owned(),
            _ if is_about_a_predicate(line) => self.facts(line[1..].trim().trim_end_matches('.'))?,
            _ if line.starts_with('?') => self.ask(line[1..].trim().trim_end_matches('.'))?,
            _ if line.starts_with(':') && !line.contains('(') => format!("there is no command `{word}`: `:help` names them\n"),
            _ => self.say(line)?,
        };
        Ok(Some(text))
    }

    fn undo(&mut self) -> String {
        self.changed = true;
        let last = self.said.pop();
        last.map_or_else(|| "nothing was said\n".to_owned(), |line| format!("taken back: {line}\n"))
    }

    /// Returns the deadline of one line: Ctrl-C, and `--deadline`.
    fn deadline(&self) -> Deadline {
        Deadline::start(self.args.limits.reading.deadline, self.cancel.fresh())
    }

    fn understand(&self, more: Option<&str>, deadline: &Deadline) -> anyhow::Result<Loaded> {
        let mut sources = Sources::new();
        let mut levels = Vec::new();
        for (level, name, text) in &self.files {
            sources.add(name, text)?;
            levels.push(*level);
        }
        sources.add("said", &self.said.join("\n"))?;
        if let Some(more) = more {
            sources.add(LINE, more)?;
        }
        levels.resize(sources.iter().count(), Level::Schema);
        let dialect: Dialect = dialect(&self.args.program);
        let bounds = deadline.bounds(&self.args.limits.reading);
        Ok(understand(sources, levels, dialect, &bounds))
    }

    /// Adds a clause, unless it makes the program wrong.
    fn say(&mut self, line: &str) -> anyhow::Result<String> {
        let loaded = self.understand(Some(line), &self.deadline())?;
        if loaded.is_rejected() {
            return Ok(report(&loaded.findings(Severity::Error), &loaded.sources));
        }
        self.said.push(line.to_owned());
        self.changed = true;
        Ok(String::new())
    }

    /// Reports what is wrong with the files of the command line; a session begins without those of a rejected program.
    fn begin(&mut self) -> anyhow::Result<String> {
        let loaded = self.understand(None, &self.deadline())?;
        let text = report(&loaded.findings(Severity::Warning), &loaded.sources);
        if loaded.is_rejected() {
            self.files.clear();
            return Ok(text + "nothing is loaded: mend it, then `:load` it\n");
        }
        Ok(text)
    }

    /// Evaluates what was typed, or reports what is wrong with it.
    fn model(&self, more: Option<&str>, deadline: &Deadline) -> anyhow::Result<Result<(Loaded, Model), String>> {
        let mut loaded = self.understand(more, deadline)?;
        let Some(program) = loaded.analysis.program.take() else {
            let mut found = loaded.findings(Severity::Error);
            aim(&mut found, &loaded.sources);
            return Ok(Err(report(&found, &loaded.sources)));
        };
        let program = Arc::new(program);
        self.answers.check(&program)?;
        let options = options(&self.args.limits, deadline.cancel());
        Ok(match evaluate(&program, &options, &self.answers) {
            Ok(model) => Ok((loaded, model)),
            Err(found) => {
                let mut found = [*found];
                aim(&mut found, &loaded.sources);
                Err(report(&found, &loaded.sources))
            }
        })
    }

    fn facts(&self, name: &str) -> anyhow::Result<String> {
        let (_, model) = match self.model(None, &self.deadline())? {
            Ok(both) => both,
            Err(text) => return Ok(text),
        };
        let mut all = model.to_text();
        all.retain(|label, _| {
            let predicate = label.rsplit_once('/').map_or(&**label, |(predicate, _)| predicate);
            name.is_empty() || name == predicate
        });
        if all.is_empty() {
            return Ok("there are none\n".to_owned());
        }
        Ok(facts::all(&all))
    }

    /// Answers a question, as a rule whose head has the variables of its premises.
    fn ask(&self, body: &str) -> anyhow::Result<String> {
        let variables = variables(body);
        // The question is put on a line of its own, so that findings show it as it was typed.
        let rule = format!("{ANSWER}({}) :-\n{body} .", variables.join(", "));
        let (_, model) = match self.model(Some(&rule), &self.deadline())? {
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
        let deadline = self.deadline();
        let (loaded, model) = match self.model(None, &deadline)? {
            Ok(both) => both,
            Err(text) => return Ok(text),
        };
        let options = options(&self.args.limits, deadline.cancel());
        let mut explainer = Explainer::new(&model, options.budget, options.cancel);
        let question = why::question(fact, &model, &mut explainer)?;
        let place = why::Place::new(&loaded, &model);
        let text = why::explain(&mut explainer, &question, not, &place)?;
        Ok(text.unwrap_or_else(|| {
            if not {
                "it holds: ask `:why`\n".to_owned()
            } else {
                "it does not hold: ask `:why-not`\n".to_owned()
            }
        }))
    }

    /// Returns the words that can be completed: predicates, built-ins, commands.
    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = [":why", ":why-not", ":facts", ":show", ":undo", ":load", ":list", ":help", ":quit"]
            .map(str::to_owned)
            .into();
        words.extend(builtin::functions().map(|function| function.name.to_owned()));
        words.extend(builtin::reducers().map(|reducer| reducer.name.to_owned()));
        words.extend(builtin::relations().map(|relation| relation.name.to_owned()));
        if let Ok(loaded) = self.understand(None, &self.deadline()) {
            words.extend(loaded.analysis.predicates.iter().map(|info| info.name.to_string()));
        }
        words.sort();
        words.dedup();
        words
    }
}

/// Changes findings about the rule around a question to be about the question.
fn aim(found: &mut [Diagnostic], sources: &Sources) {
    let Some(source) = sources.iter().find(|source| source.name() == LINE) else {
        return;
    };
    let Some(body) = source.line_start(2).filter(|_| source.text().starts_with(ANSWER)) else {
        return;
    };
    let labels = found
        .iter_mut()
        .flat_map(|one| std::iter::once(&mut one.primary).chain(&mut one.labels));
    for label in labels.filter(|label| source.span().contains(label.span) && label.span.start < body) {
        label.span = Span::new(body, label.span.end.max(body));
    }
}

/// Returns the variables of a question, in the order in which they occur; behind a group, those that have one value in
/// it.
fn variables(body: &str) -> Vec<String> {
    let Ok(sources) = Sources::of("line", &format!("{ANSWER}() :- {body} .")) else {
        return Vec::new();
    };
    let Some(source) = sources.get(0) else { return Vec::new() };
    let parsed = mangle::syntax::parse(source, Dialect::Extended);
    let mut names: Vec<String> = Vec::new();
    let mut see = |name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    for clause in parsed.unit.clauses() {
        let Some(group) = clause.transforms.iter().find_map(|transform| transform.group.as_ref()) else {
            clause.each_variable(&mut |name, _| see(name));
            continue;
        };
        for key in &group.args {
            if let TermKind::Variable(name) = &key.kind {
                see(name);
            }
        }
        let lets = clause.transforms.iter().flat_map(|transform| &transform.lets);
        lets.for_each(|one| see(&one.variable.text));
    }
    names
}
