//! URI templates (RFC 6570), read backwards: could this URI have come from that template?

/// Bytes of the longest template that routes. A longer one is listed, but matches nothing.
const MAX_TEMPLATE: usize = 1024;
/// Expressions of the busiest template that routes.
const MAX_EXPRESSIONS: usize = 32;
/// Bytes of the longest URI that is matched; longer ones are found by their exact entry only.
const MAX_URI: usize = 8 * 1024;

/// A template as a row of parts. Which values the variables had is of no interest.
///
/// An expression is taken more loosely than it would be expanded: `{x}` is one piece without `/`, `{+x}`, `{#x}` and `{x*}` are anything, `{?x}` and
/// `{&x}` a query that may be missing, and `{/x}`, `{.x}` and `{;x}` may be missing with their separator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// These bytes.
    Literal(Box<[u8]>),
    /// At least one byte of the class.
    Some(Class),
    /// Nothing, or this byte and then any number of the class.
    Maybe(u8, Class),
}

/// Bytes that a variable's value can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// All but `/`.
    Piece,
    /// All but `#`.
    Query,
    Any,
}

impl Class {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Piece => byte != b'/',
            Self::Query => byte != b'#',
            Self::Any => true,
        }
    }
}

impl Template {
    /// Reads a template. `None` when it is none: an unclosed, empty or nested expression, an operator that RFC 6570 keeps for later, or beyond the limits.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_TEMPLATE {
            return None;
        }
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((literal, after)) = rest.split_once('{') {
            let (expression, after) = after.split_once('}')?;
            push_literal(&mut parts, literal)?;
            parts.push(Part::read(expression)?);
            rest = after;
        }
        push_literal(&mut parts, rest)?;
        let expressions = parts.iter().filter(|part| !matches!(part, Part::Literal(_))).count();
        (expressions <= MAX_EXPRESSIONS).then_some(Self { parts })
    }

    /// Whether the template could have become this URI. Takes the work it does off `budget` and matches nothing that the budget does not pay for:
    /// a server with a thousand contrived templates costs its own matches, not everybody's time.
    pub(crate) fn matches(&self, uri: &str, budget: &mut usize) -> bool {
        let uri = uri.as_bytes();
        let (mut parts, mut at) = (&self.parts[..], 0);
        // Most templates part from most URIs in their first literal.
        if let [Part::Literal(literal), others @ ..] = parts {
            if !uri.starts_with(literal) {
                return false;
            }
            (parts, at) = (others, literal.len());
        }
        if parts.is_empty() {
            return at == uri.len();
        }
        let uri = &uri[at..];
        let cost: usize = parts.iter().map(|part| part.cost(uri.len())).sum();
        if uri.len() > MAX_URI || cost > *budget {
            return false;
        }
        *budget -= cost;
        let mut reached = vec![false; uri.len() + 1];
        reached[0] = true;
        for part in parts {
            let Some(next) = part.step(uri, &reached) else { return false };
            reached = next;
        }
        reached[uri.len()]
    }
}

fn push_literal(parts: &mut Vec<Part>, literal: &str) -> Option<()> {
    if literal.contains('}') {
        return None;
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal.as_bytes().into()));
    }
    Some(())
}

impl Part {
    /// What stands between braces: an operator, and names with modifiers (RFC 6570 2.2 to 2.4).
    fn read(expression: &str) -> Option<Self> {
        let operator = expression.bytes().next().filter(|byte| !is_name(*byte));
        let names = &expression[usize::from(operator.is_some())..];
        let (exploded, several) = (names.contains('*'), names.contains(','));
        let well_named = |name: &str| !name.is_empty() && name.bytes().all(|byte| is_name(byte) || matches!(byte, b'.' | b':' | b'*'));
        if !names.split(',').all(well_named) {
            return None;
        }
        let value = if several || exploded { Class::Any } else { Class::Piece };
        Some(match operator {
            None if exploded => Self::Some(Class::Any),
            None => Self::Some(Class::Piece),
            Some(b'+') => Self::Some(Class::Any),
            Some(b'#') => Self::Maybe(b'#', Class::Any),
            Some(separator @ (b'/' | b'.' | b';')) => Self::Maybe(separator, value),
            Some(separator @ (b'?' | b'&')) => Self::Maybe(separator, Class::Query),
            Some(_) => return None,
        })
    }

    /// The most steps that [`Part::step`] takes over so many bytes.
    fn cost(&self, len: usize) -> usize {
        match self {
            // Sixteen bytes are compared in a step.
            Self::Literal(literal) => len * (1 + literal.len() / 16),
            Self::Some(_) | Self::Maybe(..) => len,
        }
    }

    /// From the places that the parts before have reached, those that this part reaches; `None` where it reaches none.
    fn step(&self, uri: &[u8], reached: &[bool]) -> Option<Vec<bool>> {
        let mut next = vec![false; reached.len()];
        let mut running = false;
        match self {
            Self::Literal(literal) => {
                for (i, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
                    if uri[i..].starts_with(literal) {
                        next[i + literal.len()] = true;
                    }
                }
            }
            Self::Some(class) => {
                for (i, &byte) in uri.iter().enumerate() {
                    running = (running || reached[i]) && class.has(byte);
                    next[i + 1] = running;
                }
            }
            Self::Maybe(first, class) => {
                next.copy_from_slice(reached);
                for (i, &byte) in uri.iter().enumerate() {
                    running = running && class.has(byte) || reached[i] && byte == *first;
                    next[i + 1] |= running;
                }
            }
        }
        next.contains(&true).then_some(next)
    }
}

/// RFC 6570 2.3: letters, digits, `_` and percent-encoded bytes; servers also use `-` and other letters. Dots stand inside only.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'-') || byte >= 0x80
}

#[cfg(test)]
mod tests;
