//! Brace expansion: `a{b,c}` is two words in bash, and one in a POSIX shell.

use super::ast::{Unit, Word};

/// How many words one word may become.
const MAX_WORDS: usize = 256;

/// How long a word with braces may be.
const MAX_UNITS: usize = 1024;

impl Word {
    /// Whether bash makes several words of it: there is a pair of unquoted braces with a comma or `..` of its own between them.
    pub(crate) fn has_brace(&self) -> bool {
        first_brace(&self.units).is_some()
    }
}

/// Returns the words that bash makes of the word, or `None` when there are too many to judge each.
pub(crate) fn expand(word: &Word) -> Option<Vec<Word>> {
    if word.units.len() > MAX_UNITS {
        return None;
    }
    let mut waiting = vec![word.units.clone()];
    let mut done = Vec::new();
    while let Some(units) = waiting.pop() {
        let Some(brace) = first_brace(&units) else {
            done.push(Word {
                units,
                span: word.span.clone(),
            });
            continue;
        };
        if brace.commas.is_empty() {
            for middle in sequence(&units[brace.open + 1..brace.close])? {
                let mut next = units[..brace.open].to_vec();
                next.extend(middle.chars().map(Unit::Plain));
                next.extend_from_slice(&units[brace.close + 1..]);
                waiting.push(next);
            }
            if waiting.len() + done.len() > MAX_WORDS {
                return None;
            }
            continue;
        }
        let mut bounds = vec![brace.open];
        bounds.extend(&brace.commas);
        bounds.push(brace.close);
        for pair in bounds.windows(2) {
            let mut next = units[..brace.open].to_vec();
            next.extend_from_slice(&units[pair[0] + 1..pair[1]]);
            next.extend_from_slice(&units[brace.close + 1..]);
            waiting.push(next);
        }
        if waiting.len() + done.len() > MAX_WORDS {
            return None;
        }
    }
    done.reverse();
    Some(done)
}

/// Expands `1..10`, `01..10..3` or `a..f`: everything between two numbers, or two letters of one case.
fn sequence(units: &[Unit]) -> Option<Vec<String>> {
    let text: String = units
        .iter()
        .map(|unit| match unit {
            Unit::Plain(c) => Some(*c),
            Unit::Quoted(_) | Unit::Expansion(_) => None,
        })
        .collect::<Option<_>>()?;
    let mut parts = text.split("..");
    let (from, to) = (parts.next()?, parts.next()?);
    let step: usize = parts.next().map_or(Some(1), |step| step.parse().ok())?;
    if parts.next().is_some() || step == 0 {
        return None;
    }
    if let (Some(from), Some(to)) = (letter(from), letter(to)) {
        let letters = from.min(to)..=from.max(to);
        let same_case = letters.clone().all(|c| c.is_ascii_alphabetic());
        return same_case.then(|| letters.step_by(step).map(String::from).collect());
    }
    let width = if from.starts_with('0') || to.starts_with('0') {
        from.len().max(to.len())
    } else {
        0
    };
    let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
    let numbers = (from.min(to)..=from.max(to)).step_by(step).take(MAX_WORDS + 1);
    Some(numbers.map(|number| format!("{number:0width$}")).collect())
}

fn letter(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|c| c.is_ascii_alphabetic() && chars.next().is_none())
}

struct Brace {
    open: usize,
    close: usize,
    commas: Vec<usize>,
}

/// Returns the first pair with a meaning. Pairs inside it are found after it is expanded.
fn first_brace(units: &[Unit]) -> Option<Brace> {
    let plain = |at: usize| match units.get(at) {
        Some(Unit::Plain(c)) => Some(*c),
        _ => None,
    };
    // One stack of open braces: each pair is examined once, however they nest.
    let mut open: Vec<(usize, Vec<usize>, bool)> = Vec::new();
    let mut first: Option<Brace> = None;
    for at in 0..units.len() {
        match plain(at) {
            Some('{') => open.push((at, Vec::new(), false)),
            Some(',') => {
                if let Some(top) = open.last_mut() {
                    top.1.push(at);
                }
            }
            Some('.') if plain(at + 1) == Some('.') => {
                if let Some(top) = open.last_mut() {
                    top.2 = true;
                }
            }
            Some('}') => {
                let Some((start, commas, sequence)) = open.pop() else { continue };
                let means = !commas.is_empty() || sequence;
                if means && first.as_ref().is_none_or(|first| start < first.open) {
                    first = Some(Brace {
                        open: start,
                        close: at,
                        commas,
                    });
                }
            }
            _ => {}
        }
    }
    first
}
