//! Splits a value into pieces: words, numbers, quotes, comments and signs.

/// A piece of a value, in a reading without strings: where they begin is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Word(&'a str),
    Number,
    Quote,
    /// A comment, `--`, `#`, `/*`, and whether anything but blanks and quotes follows.
    Comment {
        last: bool,
    },
    Symbol(char),
    /// A bracket with a blank before it, as in sentences, and rarely in calls.
    Aside,
}

impl Piece<'_> {
    pub(super) fn is_quote(self) -> bool {
        self == Self::Quote
    }

    pub(super) fn is_word(self, list: &[&str]) -> bool {
        matches!(self, Self::Word(word) if list.iter().any(|one| word.eq_ignore_ascii_case(one)))
    }

    pub(super) fn is_symbol(self, list: &str) -> bool {
        match self {
            Self::Symbol(c) => list.contains(c),
            Self::Aside => list.contains('('),
            _ => false,
        }
    }
}

/// Splits a value into pieces.
pub(super) fn lex(text: &str) -> Vec<Piece<'_>> {
    const MOST: usize = 4096;
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if pieces.len() == MOST {
            break;
        }
        let mut length = c.len_utf8();
        match c {
            c if c.is_whitespace() => {}
            c if c.is_ascii_digit() => {
                length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
                let number = &rest[..length];
                match glued_operator(number) {
                    Some(operator) => pieces.extend([Piece::Number, Piece::Word(operator), Piece::Number]),
                    None if is_number(number) => pieces.push(Piece::Number),
                    None => pieces.push(Piece::Word(number)),
                }
            }
            c if c.is_alphabetic() || c == '_' || c == '@' => {
                length = rest
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '@' | '$')))
                    .unwrap_or(rest.len());
                pieces.push(Piece::Word(&rest[..length]));
            }
            '`' if let Some(span) = code_span(&text[..text.len() - rest.len()], rest) => {
                length = span.len();
                pieces.push(Piece::Word(span));
            }
            '\'' | '"' | '`' | '\u{2018}' | '\u{2019}' | '\u{2032}' | '\u{2033}' => pieces.push(Piece::Quote),
            '-' if rest.starts_with("--") => {
                length = 2;
                pieces.push(comment(&rest[2..]));
            }
            '/' if rest.starts_with("/*") => {
                // Databases treat it as a blank.
                match rest[2..].find("*/") {
                    Some(end) => length = end + 4,
                    None => {
                        length = rest.len();
                        pieces.push(Piece::Comment { last: true });
                    }
                }
            }
            '#' if !rest[1..].starts_with(|c: char| c.is_alphanumeric()) => pieces.push(comment(&rest[1..])),
            '\u{2013}' | '\u{2014}' => pieces.push(comment(&rest[c.len_utf8()..])),
            '(' if matches!(pieces.last(), Some(Piece::Word(_))) && text[..text.len() - rest.len()].ends_with(char::is_whitespace) => {
                pieces.push(Piece::Aside);
            }
            c => pieces.push(Piece::Symbol(c)),
        }
        rest = &rest[length..];
    }
    pieces
}

/// Recognises `` `code` `` in a sentence: a blank or a bracket before it, none inside its quotes, and no letter behind
/// it.
fn code_span<'a>(before: &str, rest: &'a str) -> Option<&'a str> {
    let opens = before.is_empty() || before.ends_with([' ', '\n', '(']);
    let length = rest[1..].find('`')?;
    let inner = &rest[1..=length];
    let is_tight = !inner.is_empty() && inner.trim() == inner;
    let ends = !rest[length + 2..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '=' | '<' | '>' | '\'' | '"' | '`'));
    (opens && is_tight && ends).then(|| &rest[..length + 2])
}

/// Recognises `1or1`: a number, an operator and a number, which databases read as three words.
fn glued_operator(text: &str) -> Option<&'static str> {
    let inner = text.trim_matches(|c: char| c.is_ascii_digit());
    let both_sides = text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(|c: char| c.is_ascii_digit());
    ["or", "and", "xor"]
        .into_iter()
        .find(|operator| both_sides && inner.eq_ignore_ascii_case(operator))
}

fn is_number(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit() || c == '.') || text.starts_with("0x") || is_exponent(text)
}

fn is_exponent(number: &str) -> bool {
    number.split_once(['e', 'E']).is_some_and(|(whole, power)| {
        let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
        digits(whole) && digits(power)
    })
}

fn comment(rest: &str) -> Piece<'static> {
    let last = rest
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+' | '\'' | '"' | '%' | '#' | ';' | ')' | '`' | '*' | '/'))
        .len()
        <= 1;
    Piece::Comment { last }
}
