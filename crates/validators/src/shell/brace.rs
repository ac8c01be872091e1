//! Brace expansion: `a{b,c}` is two words in bash, and one in a POSIX shell.

use super::ast::{Unit, Word};

/// How many words one word may become.
const MAX_WORDS: usize = 256;

/// How long a word with braces may be.
const MAX_UNITS: usize = 1024;

/// Whether there is a pair of unquoted braces with a comma or `..` of its own between them.
pub(crate) fn has_brace(units: &[Unit]) -> bool {
    first_brace(units).is_some()
}

/// The words that bash makes of it, or `None` when there are too many, or a sequence (`{a..z}`), to judge each.
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
            return None;
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

struct Brace {
    open: usize,
    close: usize,
    commas: Vec<usize>,
}

/// The first pair that means something. Pairs inside it are found once it is taken apart.
fn first_brace(units: &[Unit]) -> Option<Brace> {
    let plain = |at: usize| match units.get(at) {
        Some(Unit::Plain(c)) => Some(*c),
        _ => None,
    };
    // One stack of open braces: each pair is looked at once, however they nest.
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
