//! The table of codes: each has a row with its name, its severity, a title and an explanation.

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The finding is for information.
    Note,
    /// The finding is probably a mistake; the program runs.
    Warning,
    /// The program is rejected.
    Error,
}

impl Severity {
    /// Returns the severity's name in lower case.
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
        /// The kind of a finding. The first digit is the part of the language: 0 text, 1 names and declarations, 2
        /// variables, 3 types, 4 strata and recursion, 5 time, 6 trust, 8 style, 9 evaluation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// All codes, in the order of their names.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the code's name: `M` and four digits.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the default severity.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// Returns the title, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// Returns the explanation: why it is wrong and what to do, in a few sentences.
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
        "The Go implementation does not know this. The extended language has it.";
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
    ReservedWord "M0027" Error "predicate named by a word of the language"
        "The words bound, descr, do, inclusion, let, now, opt and temporal belong to the grammar; no predicate has such a name.";
    DuplicateDeclaration "M0101" Error "declared twice"
        "A predicate of one name and number of arguments has one declaration.";
    UndeclaredPredicate "M0102" Error "no such predicate"
        "A predicate in a rule has to be defined by facts or rules, or declared. A misspelt name would otherwise be a predicate without facts.";
    ArityMismatch "M0103" Error "wrong number of arguments"
        "A predicate has a number of arguments, and every use gives as many.";
    InvalidDeclaration "M0104" Error "declaration that makes no sense"
        "The parts of a declaration have to agree with its arguments and with each other.";
    UnknownDescriptor "M0105" Warning "unknown descriptor"
        "`descr [..]` knows doc, arg, mode, extensional, external, nondeterministic, session, deferred, private, open, fundep and merge. Others are ignored.";
    PackageNotUsed "M0106" Error "package that is not used"
        "The predicates of another package may be named after `Use package!`.";
    PrivatePredicate "M0107" Error "private predicate"
        "A predicate with `descr [private()]` is for rules of its own package.";
    UnknownFunction "M0108" Error "no such function"
        "Functions are built in. `docs/use/mangle/builtins.md` lists all of them.";
    FunctionArity "M0109" Error "wrong number of arguments of a function"
        "A built-in function takes the arguments that its signature names.";
    BuiltinDefined "M0110" Error "definition of something built in"
        "Predicates whose names begin with a colon are built in and have no facts or rules.";
    ExtensionalRule "M0111" Warning "rule for data"
        "`extensional()` says that the facts of a predicate are data from outside the program. A rule for it contradicts that.";
    UnknownBuiltin "M0112" Error "no such built-in predicate"
        "Names that begin with a colon are built in. `docs/use/mangle/builtins.md` lists all of them.";
    SelfUse "M0113" Error "package that uses itself"
        "The predicates of a file's own package are there without `Use`.";
    UncheckedConstraint "M0114" Warning "constraint that nothing checks"
        "`inclusion [..]` is read for the sake of programs that have it, and not enforced. A rule that derives what must not be is: `bad(X) :- sold(X), !tool(X).`";
    UnboundVariable "M0201" Error "variable without a value"
        "Every variable gets its values from facts, from a constant, or from a function of variables that have values. Negated premises and comparisons only test.";
    PremiseTooEarly "M0202" Error "premise before its values"
        "The strict language looks at premises from left to right, so a comparison or function comes after the premise that gives it values.";
    InvalidTransform "M0203" Error "transform that makes no sense"
        "`do` takes `fn:group_by` with distinct variables as keys.";
    NotInGroup "M0204" Error "variable with many values in a group"
        "After `fn:group_by`, a row stands for many. The keys have one value in it, and so has what a reducer computes; no other variable has.";
    RedefinedVariable "M0205" Error "variable defined twice"
        "A variable has one value. `let` gives a value to a new one.";
    OnlyNegated "M0206" Warning "variable in negated premises only"
        "A variable that only stands in negated premises has no value to test with: the premise then asks for no such fact at all. `_` says so.";
    ReducerOutsideGroup "M0207" Error "reducer without a group"
        "A reducer takes the rows of a group, so it stands alone in a `let` behind `do fn:group_by(..)`.";
    VariableInFact "M0208" Error "variable in a fact"
        "A fact says something of constants. A fact about all values of a variable cannot be stored.";
    TooManyVariables "M0209" Error "too many variables"
        "A rule has at most 30000 variables. Split it, or make facts of what it lists.";
    TooManyPremises "M0210" Error "too many premises"
        "A rule has at most 500 premises.";
    FactType "M0301" Error "fact that does not fit its declaration"
        "Every fact fits one of the `bound [..]` of its predicate.";
    RuleType "M0302" Error "rule that does not fit its declaration"
        "What a rule derives fits one of the `bound [..]` of its predicate, whatever the facts are.";
    PremiseType "M0303" Error "premise that can never hold"
        "The types of its arguments have no value in common with what the predicate takes, so the premise says nothing, or nothing true.";
    InvalidType "M0304" Error "type that is none"
        "Types are /any /number /float64 /string /bytes /name /time /duration, name prefixes such as /tool, and those built with .List .Map .Pair .Tuple .Struct .Union .TaggedUnion .Option .Singleton .Fun.";
    ArgumentType "M0305" Error "argument of another type"
        "A function takes values of the types in its signature.";
    Comparison "M0306" Error "order of what has none"
        "In the strict language `<` and its like compare whole numbers; there are predicates for times and durations. The extended language has an order of everything, and warns where names or strings are compared.";
    InvalidStruct "M0307" Error "struct or map that is none"
        "The fields of a struct are name constants, and no key stands twice.";
    NoResult "M0308" Error "function without a result"
        "A function has no result for these constants: there is no such day, time zone or unit, no such item, or it divides by zero. An evaluation that comes to the call ends there.";
    NotStratifiable "M0401" Error "cycle through a negation or aggregation"
        "What is negated or aggregated has to be complete before. If it depends on the rule that negates it, there is no order to compute them in.";
    NotTemporal "M0501" Error "a time for what has none"
        "Only predicates that are declared `temporal`, or whose facts all have a time, hold at intervals.";
    MissingAnnotation "M0502" Error "a temporal predicate without a time"
        "Every fact, head and premise of a temporal predicate says when: `@[start, end]`, `@[T]`, `@[_, _]`, or with an operator.";
    InvalidInterval "M0503" Error "interval that is none"
        "An interval goes from an earlier to a later time. Distances belong into operators.";
    RunawayTime "M0504" Warning "recursion that may run away through time"
        "A recursive rule that computes a new time in each round ends only if a condition ends it.";
    MutualTime "M0505" Error "temporal predicates that depend on each other"
        "Recursion of several predicates through time may never end. The strict language refuses it; the extended one warns.";
    FutureRecursion "M0506" Error "recursion into the future"
        "A rule that asks what will hold, of a predicate that it helps to make, has no beginning.";
    ReversedWindow "M0507" Warning "window from far to near"
        "The bounds of a window are distances from now, the nearer one first: `<-[1d, 7d]` looks at the days from a week ago to yesterday. The other way round it means the same.";
    TrustViolation "M0601" Error "definition above one's level"
        "Levels are schema, policy, domain and client. Rules only add, so a lower level that defines a predicate of a higher one would widen what that says.";
    DeadRule "M0801" Warning "rule that never fires"
        "One of its premises names a predicate that has no facts, no rule that fires, and no declaration that says where its facts come from.";
    CrossProduct "M0802" Warning "premises without a link"
        "Premises that share no variable are combined each with each, which is seldom meant and always slow.";
    SingleVariable "M0803" Note "variable that stands once"
        "A variable that stands once in a rule links nothing: often a misspelt one. `_` says that it does not matter.";
    BudgetExceeded "M0901" Error "the budget is used up"
        "Reading and analysing a program may use so much memory, and an evaluation may take so many steps, derive so many facts, use so much memory and time. The rule that was at work is often, not always, the one to look at.";
    EvaluationFailed "M0902" Error "the evaluation failed"
        "A function had no answer for its arguments, or a merge did not come to an end. There are no partial results.";
    ExternalUnanswered "M0903" Error "nobody answers for an external predicate"
        "The rows of an external predicate are asked for while a program is evaluated. On the command line a file answers: `--external price=prices.json`.";
}

impl Code {
    /// Returns the code with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}
