//! The tokens of the language.

use super::source::Span;

/// A token: its kind and place. Its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word: `foo`, `a.b`, `fn:plus`, `:lt`, and the words that are keywords in their place.
    Word,
    /// A variable: `X`, `Foo1`, and `Package`, `Use`, `Decl` in their place.
    Variable,
    /// A word that begins like a variable but is not one: `Foo_bar`.
    BadVariable,
    /// A wildcard: `_`.
    Wildcard,
    /// A name: `/a/b`.
    Name,
    /// A string: `"…"`, `'…'`, or between backticks.
    String,
    /// A byte string: `b"…"`.
    Bytes,
    Number,
    Float,
    /// A time: `2024-01-15T10:30:00Z`.
    Timestamp,
    /// A duration: `7d`, `1h30m`.
    Duration,
    /// An arrow: `:-` or `⟸`.
    Arrow,
    /// A pipe: `|>`.
    Pipe,
    At,
    /// The operator `<-` before `[`.
    DiamondMinus,
    /// The operator `<+` before `[`.
    DiamondPlus,
    /// The operator `[-` before `[`.
    BoxMinus,
    /// The operator `[+` before `[`.
    BoxPlus,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Dot,
    Colon,
    Bang,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// An operator of other languages: `==`, `&&`, `;`, `+`, `//`.
    Foreign,
    /// A comment: `# …`, up to the end of the line.
    Comment,
    /// A string without an end.
    Unterminated,
    /// A character with which no token begins.
    Unknown,
    End,
}

impl TokenKind {
    /// Returns its name in "expected …, found …".
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Word => "a word",
            Self::Variable => "a variable",
            Self::BadVariable => "a word with a capital",
            Self::Wildcard => "`_`",
            Self::Name => "a name constant",
            Self::String | Self::Unterminated => "a string",
            Self::Bytes => "a byte string",
            Self::Number | Self::Float => "a number",
            Self::Timestamp => "a time",
            Self::Duration => "a duration",
            Self::Arrow => "`:-`",
            Self::Pipe => "`|>`",
            Self::At => "`@`",
            Self::DiamondMinus => "`<-`",
            Self::DiamondPlus => "`<+`",
            Self::BoxMinus => "`[-`",
            Self::BoxPlus => "`[+`",
            Self::LeftParen => "`(`",
            Self::RightParen => "`)`",
            Self::LeftBracket => "`[`",
            Self::RightBracket => "`]`",
            Self::LeftBrace => "`{`",
            Self::RightBrace => "`}`",
            Self::Comma => "`,`",
            Self::Dot => "`.`",
            Self::Colon => "`:`",
            Self::Bang => "`!`",
            Self::Equal => "`=`",
            Self::NotEqual => "`!=`",
            Self::Less => "`<`",
            Self::LessEqual => "`<=`",
            Self::Greater => "`>`",
            Self::GreaterEqual => "`>=`",
            Self::Comment => "a comment",
            Self::Foreign | Self::Unknown => "this",
            Self::End => "the end of the file",
        }
    }
}
