//! Explains why a text is not JSON, for the person whose file it is.

use jsonc_parser::common::Range;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::Token;
use jsonc_parser::{ParseStringErrorKind, Scanner, ScannerOptions};

/// An error, and its place.
pub(super) type Fault = (Range, &'static str);

const NO_END: &str = "a string has no end";
const ESCAPE: &str = "a string holds a wrong escape or a control character";

/// Returns the first string with a control character, which the parser accepts. A string that continues over the end of
/// its line lacks its end.
pub(super) fn control_character(text: &str) -> Option<Fault> {
    tokens(text).find_map(|(token, range)| {
        let string = matches!(token, Token::String(_)).then(|| &text[range.start..range.end])?;
        let found = string.bytes().find(|byte| *byte < b' ')?;
        Some(match found {
            b'\n' => (one(text, range.start), NO_END),
            _ => (range, ESCAPE),
        })
    })
}

/// Returns the parser's error.
pub(super) fn fault(text: &str, error: &ParseError) -> Fault {
    use ParseErrorKind as Kind;
    let start = error.range().start;
    let what = match error.kind() {
        Kind::ExpectedComma => return comma(text, start),
        Kind::UnterminatedObject | Kind::UnterminatedArray | Kind::ExpectedObjectValue => {
            return (Range::from_byte_index(text.len()), "it ends too early");
        }
        Kind::String(ParseStringErrorKind::UnterminatedStringLiteral) => NO_END,
        Kind::String(_) => return (Range::new(unread(text), error.range().end), ESCAPE),
        Kind::UnterminatedCommentBlock => "a comment has no end",
        Kind::ExpectedColonAfterObjectKey => "a `:` should stand here",
        Kind::ExpectedStringObjectProperty | Kind::UnexpectedTokenInObject => "a key in quotes, or `}`, should stand here",
        Kind::MultipleRootJsonValues => "there is more after the end of the value",
        Kind::NestingDepthExceeded => "it is nested too deeply",
        Kind::ExpectedDigit
        | Kind::ExpectedDigitFollowingNegativeSign
        | Kind::ExpectedPlusMinusOrDigitInNumberLiteral
        | Kind::BareDecimalPointNumbersNotAllowed
        | Kind::HexadecimalNumbersNotAllowed => "this is no number",
        _ if text[start..].starts_with(char::is_alphabetic) => "a value should stand here; text needs quotes",
        _ => "a value should stand here",
    };
    (one(text, start), what)
}

/// Moves the error of a missing comma to the value that follows it.
fn comma(text: &str, behind: usize) -> Fault {
    let mut open = Vec::new();
    for (token, range) in tokens(text) {
        match token {
            _ if range.start >= behind => return (one(text, range.start), if open.last() == Some(&']') { LIST } else { OBJECT }),
            Token::OpenBrace => open.push('}'),
            Token::OpenBracket => open.push(']'),
            Token::CloseBrace | Token::CloseBracket => drop(open.pop()),
            _ => {}
        }
    }
    (one(text, behind), OBJECT)
}

const LIST: &str = "`,` or `]` should stand here";
const OBJECT: &str = "`,` or `}` should stand here";

/// Returns where the first token begins that cannot be read.
fn unread(text: &str) -> usize {
    let end = tokens(text).last().map_or(0, |(_, range)| range.end);
    text.len() - text[end..].trim_start().len()
}

/// Returns the character at a place.
fn one(text: &str, start: usize) -> Range {
    let length = text[start..].chars().next().map_or(0, char::len_utf8);
    Range::new(start, start + length)
}

/// Returns the tokens of a text, including comments, up to the first that cannot be read.
fn tokens(text: &str) -> impl Iterator<Item = (Token<'_>, Range)> {
    let mut scanner = Scanner::new(text, &STANDARD);
    std::iter::from_fn(move || {
        let token = scanner.scan().ok()??;
        Some((token, Range::new(scanner.token_start(), scanner.token_end())))
    })
}

const STANDARD: ScannerOptions = ScannerOptions {
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};
