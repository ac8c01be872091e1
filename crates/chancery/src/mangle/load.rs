//! Loads a program from files, with all findings about it.

use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::Path;

use anyhow::Context as _;
use mangle::{
    analysis::{Analysis, Input, Level, analyse_within},
    diagnostic::{Code, Diagnostic, Severity, human},
    syntax::{Bounds, Dialect, Parsed, Sources, parse_within},
};

use super::args::Program;

/// A program that was read, parsed and, if that went well, analysed.
pub(super) struct Loaded {
    pub(super) sources: Sources,
    pub(super) units: Vec<(Level, Parsed)>,
    pub(super) analysis: Analysis,
    /// Findings of the parser, or else of the analysis, whose findings about clauses that could not be parsed would
    /// only repeat the parser's.
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    pub(super) fn is_rejected(&self) -> bool {
        self.analysis.program.is_none()
    }

    /// Returns the findings of at least this severity.
    pub(super) fn findings(&self, least: Severity) -> Vec<Diagnostic> {
        self.diagnostics.iter().filter(|found| found.severity >= least).cloned().collect()
    }
}

/// Returns the dialect that the command line asks for.
pub(super) fn dialect(program: &Program) -> Dialect {
    if program.extended { Dialect::Extended } else { Dialect::Strict }
}

/// Reads the files of a program, the only one of its command. Its memory is freed by the system when the process ends:
/// freeing it piece by piece would take as long as reading a large program.
pub(super) fn load(program: &Program, bounds: &Bounds) -> anyhow::Result<ManuallyDrop<Loaded>> {
    let (sources, levels) = gather(program)?;
    Ok(ManuallyDrop::new(understand(sources, levels, dialect(program), bounds)))
}

/// Returns the texts of the files of a program, with the trust level of each.
pub(super) fn gather(program: &Program) -> anyhow::Result<(Sources, Vec<Level>)> {
    anyhow::ensure!(
        !program.files.is_empty() || !program.at.is_empty(),
        "no program: name its files, or `-` for stdin"
    );
    let mut sources = Sources::new();
    let mut levels = Vec::new();
    for file in &program.files {
        add(&mut sources, file)?;
        levels.push(Level::Schema);
    }
    for (level, file) in &program.at {
        add(&mut sources, file)?;
        levels.push(*level);
    }
    Ok((sources, levels))
}

fn add(sources: &mut Sources, file: &Path) -> anyhow::Result<()> {
    let text = read(file)?;
    sources
        .add(&called(file), &text)
        .with_context(|| format!("`{}` is too long", called(file)))?;
    Ok(())
}

/// Returns the name of a file in findings.
pub(super) fn called(file: &Path) -> String {
    if file == Path::new("-") {
        return "<stdin>".to_owned();
    }
    file.display().to_string()
}

/// Returns the text of a file, or of stdin for `-`.
pub(super) fn read(file: &Path) -> anyhow::Result<String> {
    let bytes = if file == Path::new("-") {
        bounded(std::io::stdin().lock())
    } else {
        std::fs::File::open(file).and_then(bounded)
    };
    let bytes = bytes.with_context(|| format!("failed to read `{}`", called(file)))?;
    anyhow::ensure!(bytes.len() <= Sources::MAX_BYTES, "`{}` is longer than 2 GiB", called(file));
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        anyhow::anyhow!("`{}` is not UTF-8: see line {line}", called(file))
    })
}

/// Reads a text within a limit: an endless file must not fill the memory.
fn bounded(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(Sources::MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses and analyses the sources.
pub(super) fn understand(sources: Sources, levels: Vec<Level>, dialect: Dialect, bounds: &Bounds) -> Loaded {
    let units = parsed(&sources, &levels, dialect, bounds);
    analysed(sources, units, dialect, bounds)
}

/// Parses each source.
pub(super) fn parsed(sources: &Sources, levels: &[Level], dialect: Dialect, bounds: &Bounds) -> Vec<(Level, Parsed)> {
    let both = sources.iter().zip(levels);
    both.map(|(source, level)| (*level, parse_within(source, dialect, bounds)))
        .collect()
}

/// Analyses the parsed sources.
pub(super) fn analysed(sources: Sources, units: Vec<(Level, Parsed)>, dialect: Dialect, bounds: &Bounds) -> Loaded {
    let mut diagnostics: Vec<Diagnostic> = units.iter().flat_map(|(_, parsed)| parsed.diagnostics.iter().cloned()).collect();
    let analysis = if units.iter().all(|(_, parsed)| parsed.is_ok()) {
        analyse_units(&units, dialect, bounds)
    } else {
        Analysis::default()
    };
    diagnostics.extend(analysis.diagnostics.iter().cloned());
    if !bounds.cancel.is_cancelled() {
        let too_large = diagnostics.iter_mut().filter(|found| found.code == Code::BudgetExceeded);
        too_large.for_each(|found| found.help.push("`--max-bytes` allows more".to_owned()));
    }
    Loaded {
        sources,
        units,
        analysis,
        diagnostics,
    }
}

/// Analyses what could be parsed of each source.
pub(super) fn analyse_units(units: &[(Level, Parsed)], dialect: Dialect, bounds: &Bounds) -> Analysis {
    let inputs: Vec<Input<'_>> = units
        .iter()
        .map(|(level, parsed)| Input {
            unit: &parsed.unit,
            level: *level,
        })
        .collect();
    analyse_within(&inputs, dialect, bounds)
}

/// Writes findings for people, with a count at the end.
pub(super) fn report(found: &[Diagnostic], sources: &Sources) -> String {
    let mut text: String = found.iter().map(|one| human(one, sources)).collect();
    let count = |severity: Severity| found.iter().filter(|one| one.severity == severity).count();
    let counts = [
        (count(Severity::Error), "error"),
        (count(Severity::Warning), "warning"),
        (count(Severity::Note), "note"),
    ];
    let words: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| crate::words::plural(*count, word))
        .collect();
    if !words.is_empty() {
        text += &words.join(", ");
        text.push('\n');
    }
    text
}
