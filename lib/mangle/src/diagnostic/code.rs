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
        "No token of the language begins with this character.";
}

impl Code {
    /// The code with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}
