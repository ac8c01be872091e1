//! The laws that hold for any bytes. The fuzz targets include this file.

use std::sync::Arc;

use mangle::{
    analysis::{Input, Level, analyse},
    diagnostic::Diagnostic,
    eval::{Budget, Cancel, EvalError, Evaluation, Options, Running},
    syntax::{Dialect, Parsed, Source, Sources, parse},
};

/// The budget for a program of the fuzzer.
const BUDGET: Budget = Budget {
    steps: 20_000,
    facts: 2_000,
    intervals: 100,
    bytes: 4 << 20,
};

/// Checks that any text is read: findings lie in it, and reading it twice gives equal results.
pub(crate) fn reading(data: &[u8]) {
    for dialect in [Dialect::Strict, Dialect::Extended] {
        with(data, |source| {
            let parsed = parse(source, dialect);
            places(source, &parsed.diagnostics);
            let again = parse(source, dialect);
            assert_eq!((&parsed.unit, &parsed.diagnostics), (&again.unit, &again.diagnostics));
        });
    }
}

/// Checks that what was read is analysed: it runs, or there is an error that says why not.
pub(crate) fn analysing(data: &[u8]) {
    for dialect in [Dialect::Strict, Dialect::Extended] {
        with(data, |source| {
            let Parsed { unit, .. } = parse(source, dialect);
            let input = Input {
                unit: &unit,
                level: Level::default(),
            };
            let analysis = analyse(&[input], dialect);
            places(source, &analysis.diagnostics);
            let refused = analysis.diagnostics.iter().any(Diagnostic::is_error);
            assert_eq!(
                analysis.program.is_none(),
                refused,
                "{:?} of\n{}",
                analysis.diagnostics,
                source.text()
            );
        });
    }
}

/// Checks that what runs ends within its budget, with an equal result each time.
pub(crate) fn evaluating(data: &[u8]) {
    with(data, |source| {
        let Parsed { unit, .. } = parse(source, Dialect::Extended);
        let input = Input {
            unit: &unit,
            level: Level::default(),
        };
        let Some(program) = analyse(&[input], Dialect::Extended).program.map(Arc::new) else {
            return;
        };
        let options = Options {
            now: 0,
            budget: BUDGET,
            cancel: Cancel::default(),
            seed: 0,
        };
        let run = || match Evaluation::new(Arc::clone(&program), &options)?.run()? {
            Running::Done(model) => Ok(model.to_text()),
            // External predicates are not answered here.
            Running::Asks(..) => Ok(Default::default()),
        };
        let first: Result<_, EvalError> = run();
        if let Err(EvalError::Exceeded(exceeded)) = &first {
            assert!(exceeded.consumed <= 2 * exceeded.allowed, "{exceeded:?}");
        }
        assert!(
            !matches!(first, Err(EvalError::NoOrder(_))),
            "the analysis accepts a rule that cannot run:\n{}",
            source.text()
        );
        assert_eq!(first, run());
    });
}

fn with(data: &[u8], law: impl Fn(&Source)) {
    let text = String::from_utf8_lossy(data);
    let sources = Sources::of("fuzzed", &text).expect("it is short");
    law(sources.get(0).expect("it was added"));
}

/// Checks that every place in a finding is a place in the text.
fn places(source: &Source, findings: &[Diagnostic]) {
    let whole = source.span();
    for finding in findings {
        let labels = std::iter::once(&finding.primary).chain(&finding.labels);
        let edits = finding.fixes.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
        for span in labels.map(|label| label.span).chain(edits) {
            let range = source.range(span);
            assert!(whole.contains(span) && span.start <= span.end, "{span:?} of {finding:?}");
            assert!(
                source.text().is_char_boundary(range.start) && source.text().is_char_boundary(range.end),
                "{span:?} of {finding:?}"
            );
        }
    }
}
