//! The table of codes: each has one row with its name, its severity, a title and what to tell somebody who asks.

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant; the program runs.
    Warning,
    /// The program is rejected.
    Error,
}

impl Severity {
    /// In lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $severity:ident $title:literal $explanation:literal;)*) => {
        /// The kind of a finding. The first digit is the part of the language: 0 text, 1 names and declarations,
        /// 2 variables, 3 types, 4 strata and recursion, 5 time, 6 trust, 8 style, 9 evaluation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// Every code, in the order of their names.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// What it is called: `M` and four digits.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// How bad it is unless a switch says otherwise.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// What it is about, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// Why it is wrong and what to do, in a few sentences.
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $explanation,)* }
            }
        }
    };
}

codes! {
    UnexpectedCharacter "M0001" Error "unexpected character"
        "No token of the language begins with this character. Outside strings and comments, a program is written in ASCII (and `⟸`).";
    UnterminatedString "M0002" Error "string without an end"
        "A string ends with the quote it began with. A quote inside is written with a backslash before it.";
    InvalidEscape "M0003" Error "escape without a meaning"
        "Strings know \\n \\t \\\" \\' \\\\ \\xHH \\u{HHHH} and a backslash before a new line. In a string, `\\x` stands for ASCII only; a byte string takes any byte.";
    InvalidNumber "M0004" Error "number out of range"
        "Whole numbers have 64 bits with a sign: from -9223372036854775808 to 9223372036854775807.";
    InvalidName "M0005" Error "name constant that is none"
        "A name constant is one or more parts, each after a slash: `/tool/fs`. A part consists of letters, digits and `.-_~%`, and is not empty.";
    InvalidTime "M0006" Error "time or duration that is none"
        "A time is a date such as `2024-01-15`, with `T10:30:00Z` behind it if needed, between the years 1677 and 2262. A duration is a number with one of the units d, h, m, s, ms.";
    UnexpectedToken "M0007" Error "something else was expected"
        "The text does not follow the grammar here.";
    MissingFullStop "M0008" Error "missing full stop"
        "Every declaration, fact and rule ends with a full stop.";
    SwallowedFullStop "M0009" Error "the name swallowed the full stop"
        "A full stop may be part of a name constant, so `/lit.` is a name that ends with a full stop, and the clause goes on. Put a space before the full stop.";
    MissingParentheses "M0010" Error "missing parentheses"
        "A predicate or function without arguments is written with empty parentheses: `ready()`.";
    LowerCaseVariable "M0011" Error "a word where a term belongs"
        "Variables begin with a capital, name constants with a slash, strings with a quote. A bare word is none of them.";
    ForeignSyntax "M0012" Error "written as in another language"
        "Mangle writes this differently: `!` for not, `,` for and, a rule each for or, `=` and `!=` for comparisons, `#` for comments.";
    InfixArithmetic "M0013" Error "arithmetic is written with functions"
        "There are no operators for arithmetic: write `fn:plus(X, 1)`, `fn:minus`, `fn:mult`, `fn:div`.";
    NegatedHead "M0014" Error "a negated head"
        "A rule says what holds, never what does not hold. What no rule derives does not hold.";
    NotAnAtom "M0015" Error "a predicate was expected"
        "Facts, heads and premises are predicates with arguments, `p(X)`, or, as premises, comparisons.";
    NestingTooDeep "M0016" Error "nested too deeply"
        "Terms may be nested a hundred levels deep.";
    InvalidVariable "M0017" Error "variable that is none"
        "A variable is a capital with letters and digits behind it, without underscores; or `_` alone.";
    UnclosedBracket "M0018" Error "bracket without its counterpart"
        "Every bracket has to be closed before the clause ends.";
    Extension "M0019" Error "not in the strict language"
        "The Go implementation does not know this. Without the strict switch it is allowed.";
    QuotedTime "M0020" Error "a time in quotes"
        "The bounds of an interval are written without quotes: `@[2024-01-15]`.";
    NegativeDistance "M0021" Error "a negative distance"
        "The operator says whether the window lies in the past or in the future; its bounds are distances and not negative.";
    TooManyFindings "M0022" Error "too many findings"
        "After a hundred findings in one file the rest is not shown. The first ones often cause the others.";
    MisplacedHead "M0023" Error "`Package` or `Use` in the wrong place"
        "`Package` comes first in a file, then every `Use`, then declarations and clauses.";
    InvalidPackage "M0024" Error "package name that is none"
        "A package name consists of words in lower case with full stops between them.";
    MisplacedTransform "M0025" Error "`let` or `do` among the premises"
        "Transforms come after all premises, behind `|>`. Among premises, `X = fn:plus(Y, 1)` computes a value.";
    PredicateAsTerm "M0026" Error "a predicate inside a term"
        "The arguments of a predicate are values; a predicate is not a value. Functions begin with `fn:`.";
}

impl Code {
    /// The code with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}
