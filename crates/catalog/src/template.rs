//! Matches URIs against URI templates (RFC 6570): could this URI have been expanded from that template?

/// The length in bytes of the longest template that is matched. A longer one is listed, but matches nothing.
const MAX_TEMPLATE: usize = 1024;
/// The number of expressions that a template may have to be matched.
const MAX_EXPRESSIONS: usize = 32;
/// The length in bytes of the longest URI that is matched; longer ones are found by their exact entry only.
const MAX_URI: usize = 8 * 1024;

/// A template as a sequence of parts. The values of the variables are not computed.
///
/// An expression is matched more loosely than it would be expanded: `{x}` is one piece without `/`, `{+x}`, `{#x}` and
/// `{x*}` are anything, `{?x}` and `{&x}` a query that may be missing, and `{/x}`, `{.x}` and `{;x}` may be missing
/// with their separator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Exactly these bytes.
    Literal(Box<[u8]>),
    /// At least one byte of the class.
    Some(Class),
    /// Nothing, or this byte and then any number of bytes of the class.
    Maybe(u8, Class),
}

/// The class of bytes that a variable's value can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// All bytes but `/`.
    Piece,
    /// All bytes but `#`.
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
    /// Reads a template. Returns `None` if it is invalid (an unclosed, empty or nested expression, an operator that RFC
    /// 6570 reserves) or beyond the limits.
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

    /// Returns whether the URI could have been expanded from the template. The steps taken are subtracted from
    /// `budget`, and without enough budget nothing matches: a server with a thousand contrived templates loses its own
    /// matches, but does not delay others.
    pub(crate) fn matches(&self, uri: &str, budget: &mut usize) -> bool {
        let uri = uri.as_bytes();
        let (mut parts, mut at) = (&self.parts[..], 0);
        // Most URIs differ from most templates in the first literal.
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
    /// Reads what stands between braces: an operator, and names with modifiers (RFC 6570 2.2 to 2.4).
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

    /// Returns the greatest number of steps that [`Part::step`] takes over `len` bytes.
    fn cost(&self, len: usize) -> usize {
        match self {
            // Sixteen bytes are compared in a step.
            Self::Literal(literal) => len * (1 + literal.len() / 16),
            Self::Some(_) | Self::Maybe(..) => len,
        }
    }

    /// Returns the positions that this part reaches from those that the parts before it reached; `None` if there are
    /// none.
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

/// Returns whether a byte may stand in a name. RFC 6570 2.3 allows letters, digits, `_` and percent-encoded bytes;
/// servers also use `-` and other letters. Dots may only stand inside.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'%' | b'-') || byte >= 0x80
}

#[cfg(test)]
mod tests;
