//! Problems of a configuration: where, why, and what to do, drawn with the source line and a caret.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};

use super::source::{Place, Source};

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The configuration can't be used.
    Error,
    /// The configuration can be used, but the operator should know of it.
    Warning,
}

/// A problem. Law: none of its texts contains a secret or the value of a variable.
#[derive(Clone, Debug)]
pub struct Problem {
    severity: Severity,
    message: String,
    place: Option<Place>,
    label: Option<String>,
    help: Option<String>,
}

impl Problem {
    /// Makes a problem that makes the configuration useless.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            place: None,
            label: None,
            help: None,
        }
    }

    /// Makes a problem that the operator should know of.
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message)
        }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, place: &Place) -> Self {
        self.place = Some(place.clone());
        self
    }

    /// Sets the text under the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Turns an error into a warning that begins with what is left out because of it.
    #[must_use]
    pub fn excused(mut self, what: &str) -> Self {
        self.severity = Severity::Warning;
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Returns the severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns the message, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the place, if the problem has one.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }
}

/// Writes the problem in one line, for logs: `file:line:column: message (help)`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// The problems that were found, in the order of the files.
#[derive(Clone, Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Returns all problems.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }

    /// Returns the number of errors among them.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.0.iter().filter(|problem| problem.severity == Severity::Error).count()
    }

    /// Returns whether one of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all problems, drawn for a terminal.
    #[must_use]
    pub fn render(&self, colour: bool) -> String {
        let theme = if colour {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(110)
            // A name that is broken at its hyphens can't be copied.
            .with_word_splitter(textwrap::WordSplitter::NoHyphenation)
            .with_primary_span_start()
            .with_links(false);
        let mut out = String::new();
        for problem in &self.0 {
            if handler.render_report(&mut out, &Drawn::of(problem)).is_err() {
                out.push_str(&problem.to_string());
            }
            out.push('\n');
        }
        out
    }
}

impl Extend<Problem> for Problems {
    fn extend<T: IntoIterator<Item = Problem>>(&mut self, iter: T) {
        self.0.extend(iter);
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// A problem as miette draws it: with the masked text, never the original.
struct Drawn<'a> {
    problem: &'a Problem,
    text: Option<Shown<'a>>,
}

struct Shown<'a>(&'a Source);

impl<'a> Drawn<'a> {
    fn of(problem: &'a Problem) -> Self {
        Self {
            problem,
            text: problem.place.as_ref().map(|place| Shown(place.source())),
        }
    }
}

impl Shown<'_> {
    fn named(&self, span: &SourceSpan) -> Result<Box<dyn SpanContents<'_> + '_>, MietteError> {
        let inner = self.0.shown().read_span(span, 0, 0)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.0.name().to_owned(),
            inner.data(),
            *inner.span(),
            inner.line(),
            inner.column(),
            inner.line_count(),
        )))
    }
}

impl SourceCode for Shown<'_> {
    /// Returns the lines that the span touches, whole, and no others.
    fn read_span<'a>(&'a self, span: &SourceSpan, before: usize, after: usize) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let text = self.0.shown();
        if before == 0 && after == 0 {
            // Asked where a label stands, not for its lines.
            return self.named(span);
        }
        let (from, to) = (span.offset().min(text.len()), (span.offset() + span.len()).min(text.len()));
        let start = text.as_bytes()[..from]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let end = text.as_bytes()[to..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(text.len(), |newline| to + newline);
        self.named(&SourceSpan::from(start..end))
    }
}

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.problem, f)
    }
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem.message)
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.problem.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.text.as_ref().map(|text| text as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.problem.place.as_ref()?;
        let text = place.source().text();
        // A caret goes under the first line of a long span; the rest would be drawn as a bracket over the whole table.
        let mut span = place.span();
        if let Some(newline) = text[span.clone()].find('\n') {
            span.end = span.start + newline;
        }
        if span.is_empty() {
            // At the end of a line there is nothing to put a caret under but what comes before it.
            let line_start = text[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
            let before = text[line_start..span.start].chars().next_back().map_or(0, char::len_utf8);
            span.start -= before;
        }
        let label = self.problem.label.clone().unwrap_or_else(|| "here".to_owned());
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some(label), span))))
    }
}
