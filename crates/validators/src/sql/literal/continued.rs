//! Finds values that continue their statement: operators with operands, comments that cut off the rest, clauses.

use super::pieces::Piece;

const OPERATORS: &[&str] = &["or", "and", "xor", "having", "rlike", "regexp", "div", "sounds"];
const COMPARISONS: &[&str] = &["like", "in", "between", "is", "regexp", "rlike", "exists", "glob", "ilike", "not"];
/// The endings that sentences put in brackets behind a word: `file(s)`.
const PLURALS: &[&str] = &["s", "es", "ies", "en"];
const CONSTANTS: &[&str] = &["true", "false", "null"];

/// Returns how the value continues as a statement from here: after closing brackets an operator with operands, or the
/// end of the statement.
pub(super) fn continues(pieces: &[Piece<'_>], from: usize) -> Option<&'static str> {
    let rest = &pieces[from..];
    let behind_quote = from > 0;
    let closing = rest
        .iter()
        .take_while(|piece| piece.is_symbol(") ") || (behind_quote && piece.is_quote()))
        .count();
    let rest = &rest[closing..];
    let (operator, behind) = if behind_quote {
        (rest, rest)
    } else {
        // If nothing precedes, a value comes first: a number, a word, or none.
        let value = rest
            .iter()
            .take_while(|piece| {
                matches!(piece, Piece::Number | Piece::Symbol('-' | '.'))
                    || (matches!(piece, Piece::Word(_)) && !piece.is_word(OPERATORS) && !piece.is_word(&["order", "group"]))
            })
            .count();
        if value > 2 {
            return None;
        }
        let closing = rest[value..].iter().take_while(|piece| piece.is_symbol(")")).count();
        (&rest[value + closing..], &rest[value + closing..])
    };
    match operator.first()? {
        Piece::Comment { last: true } if behind_quote || closing > 0 => {
            Some("a comment behind the value cuts off the rest of the statement")
        }
        Piece::Symbol(';')
            if behind_quote && operator.len() <= 2 && operator.get(1).is_none_or(|piece| matches!(piece, Piece::Comment { .. })) =>
        {
            Some("it ends the statement")
        }
        Piece::Symbol('|' | '&') if operator.get(1) == operator.first() => condition(&behind[2..], from == 1),
        piece if piece.is_word(OPERATORS) => condition(&behind[1..], from == 1),
        Piece::Symbol('=' | '<' | '>' | '+' | '-' | '*' | '/' | '^' | '&' | '|' | '%' | '!') if behind_quote => operand(&behind[1..]),
        piece if behind_quote && piece.is_word(COMPARISONS) => operand(&behind[1..]),
        piece if piece.is_word(&["order", "group"]) => ordered(&behind[1..]),
        Piece::Symbol(',')
            if operator.get(1).is_some_and(|piece| piece.is_symbol("("))
                && operator.get(2).is_some_and(|piece| piece.is_word(&["select"])) =>
        {
            Some("a query stands in the value")
        }
        _ => None,
    }
}

/// Finds `1-true`: arithmetic of a number and a constant.
pub(super) fn sum_of_constants(pieces: &[Piece<'_>]) -> Option<&'static str> {
    let [Piece::Number, operator, constant] = pieces else { return None };
    (operator.is_symbol("-+*/^&|%") && constant.is_word(CONSTANTS)).then_some("an operator follows the value")
}

/// Finds a condition after a logical operator: a comparison, or something that is true by itself and ends there.
fn condition(behind: &[Piece<'_>], opens_text: bool) -> Option<&'static str> {
    const WHY: &str = "a condition follows the value";
    let opening = behind
        .iter()
        .take_while(|piece| piece.is_symbol("(!~-+") || piece.is_quote() || piece.is_word(&["not"]))
        .count();
    let rest = &behind[opening..];
    let head = &rest[..rest.len().min(12)];
    let value_first = matches!(rest.first(), Some(Piece::Number | Piece::Word(_)));
    let compares = head.iter().enumerate().any(|(at, piece)| {
        let behind_value = at <= 4;
        behind_value && (piece.is_symbol("=<>") || (at <= 3 && piece.is_word(&["like", "between", "regexp", "rlike", "exists", "glob"])))
    });
    let in_list = head.windows(2).any(|pair| pair[0].is_word(&["in"]) && pair[1].is_symbol("("));
    let is_null = head
        .windows(2)
        .any(|pair| pair[0].is_word(&["is"]) && pair[1].is_word(&["null", "not", "true", "false"]));
    let calls = head
        .windows(3)
        .take(3)
        .any(|three| matches!(three[0], Piece::Word(_)) && three[1] == Piece::Symbol('(') && !three[2].is_word(PLURALS));
    let constant = rest
        .first()
        .is_some_and(|piece| *piece == Piece::Number || piece.is_word(CONSTANTS));
    let ends = rest
        .get(1)
        .is_none_or(|piece| piece.is_quote() || matches!(piece, Piece::Comment { .. }) || piece.is_symbol(");-+*/^&|%,"));
    let quoted_sum = opening > 0
        && rest
            .first()
            .is_some_and(|piece| piece.is_symbol("-+*/^&|%=") || matches!(piece, Piece::Comment { .. }));
    let nothing = rest.is_empty() && opening > 1 || rest.is_empty() && opening == 1 && opens_text;
    ((value_first || opening > 0) && (compares || in_list || is_null) || calls || (constant && ends) || quoted_sum || nothing)
        .then_some(WHY)
}

/// Finds an operand after a comparison or a sum: a value that follows at once.
fn operand(behind: &[Piece<'_>]) -> Option<&'static str> {
    let opening = behind.iter().take_while(|piece| piece.is_symbol("=<>(!~+-*&|")).count();
    let rest = &behind[opening..];
    let ends = rest.get(1).is_none_or(|piece| !matches!(piece, Piece::Word(word) if !CONSTANTS.contains(&word.to_ascii_lowercase().as_str()) && !OPERATORS.contains(&word.to_ascii_lowercase().as_str())));
    let is_value = match rest.first() {
        Some(Piece::Quote) => true,
        Some(Piece::Number) => ends,
        Some(Piece::Word(word)) => CONSTANTS.contains(&word.to_ascii_lowercase().as_str()) && ends,
        Some(Piece::Comment { last }) => *last,
        Some(Piece::Symbol(_) | Piece::Aside) | None => false,
    };
    is_value.then_some("an operator follows the value")
}

/// Finds `ORDER BY 1`, `GROUP BY x HAVING …`.
fn ordered(behind: &[Piece<'_>]) -> Option<&'static str> {
    let by = behind.first().is_some_and(|piece| piece.is_word(&["by"]));
    let target = behind.get(1).is_some_and(|piece| *piece == Piece::Number || piece.is_symbol("("));
    let having = behind.iter().take(8).any(|piece| piece.is_word(&["having"]));
    (by && (target || having)).then_some("a clause of a statement follows the value")
}
