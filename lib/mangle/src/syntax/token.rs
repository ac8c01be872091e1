//! The tokens of the language.

use super::source::Span;

/// A token: what it is and where. Its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `foo`, `a.b`, `fn:plus`, `:lt`, and the words that are keywords in their place.
    Word,
    /// `X`, `Foo1`, and `Package`, `Use`, `Decl` in their place.
    Variable,
    /// `Foo_bar`: begins like a variable and is none.
    BadVariable,
    /// `_`
    Wildcard,
    /// `/a/b`
    Name,
    /// `"…"`, `'…'`, or between backticks.
    String,
    /// `b"…"`
    Bytes,
    Number,
    Float,
    /// `2024-01-15T10:30:00Z`
    Timestamp,
    /// `7d`, `1h30m`
    Duration,
    /// `:-` or `⟸`
    Arrow,
    /// `|>`
    Pipe,
    At,
    /// `<-` before `[`
    DiamondMinus,
    /// `<+` before `[`
    DiamondPlus,
    /// `[-` before `[`
    BoxMinus,
    /// `[+` before `[`
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
    /// What other languages write: `==`, `&&`, `;`, `+`, `//`.
    Foreign,
    /// `# …`, up to the end of the line.
    Comment,
    /// A string that does not end.
    Unterminated,
    /// A character that begins no token.
    Unknown,
    End,
}

impl TokenKind {
    /// What to call it in "expected …, found …".
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
