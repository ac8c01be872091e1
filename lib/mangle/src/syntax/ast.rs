//! The tree of a source, as it was written: nothing is resolved, nothing reordered, every node has its span.

use super::{source::Span, word::Word};

/// One source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    /// `Package name!`, at the top if at all.
    pub package: Option<Package>,
    /// `Use name!`, one for each.
    pub uses: Vec<Use>,
    /// Declarations and clauses in the order in which they stand.
    pub items: Vec<Item>,
    /// Comments, from `#` up to the end of the line, in order: the printer puts them back.
    pub comments: Vec<Span>,
    /// The whole file.
    pub span: Span,
}

impl Unit {
    /// The declarations.
    pub fn decls(&self) -> impl Iterator<Item = &Decl> {
        self.items.iter().filter_map(|item| match item {
            Item::Decl(decl) => Some(&**decl),
            Item::Clause(_) => None,
        })
    }

    /// The facts and rules.
    pub fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.items.iter().filter_map(|item| match item {
            Item::Clause(clause) => Some(clause),
            Item::Decl(_) => None,
        })
    }
}

/// A word that names something: a predicate, function, variable or package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// As written; variables with their capital, functions with `fn:`.
    pub text: Word,
    /// Where.
    pub span: Span,
}

/// `Package name [atoms]!`: the names of this file's predicates begin with `name.`.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The package.
    pub name: Ident,
    /// What is said of it.
    pub descr: Vec<Atom>,
    /// From `Package` to `!`.
    pub span: Span,
}

/// `Use name [atoms]!`: the predicates of another package may be named.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The package.
    pub name: Ident,
    /// What is said of the use.
    pub descr: Vec<Atom>,
    /// From `Use` to `!`.
    pub span: Span,
}

/// What a file consists of after its head.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `Decl …`
    Decl(Box<Decl>),
    /// A fact or a rule.
    Clause(Clause),
}

impl Item {
    /// Where it stands, full stop included.
    pub fn span(&self) -> Span {
        match self {
            Self::Decl(decl) => decl.span,
            Self::Clause(clause) => clause.span,
        }
    }
}

/// `Decl p(X, Y) temporal descr [..] bound [..] inclusion [..].`
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    /// The predicate with variables as the names of its arguments.
    pub atom: Atom,
    /// The word `temporal`.
    pub temporal: Option<Span>,
    /// `descr [..]`: `mode(..)`, `external()`, `fundep(..)`, `merge(..)`, `doc(..)` and so on, not looked at yet.
    pub descr: Vec<Atom>,
    /// `bound [..]`, any number: a fact must fit one of them.
    pub bounds: Vec<Bounds>,
    /// `inclusion [..]`.
    pub inclusion: Vec<Atom>,
    /// From `Decl` to the full stop.
    pub span: Span,
}

/// One `bound [..]`: a type for each argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The types, written as terms.
    pub types: Vec<Term>,
    /// From `bound` to `]`.
    pub span: Span,
}

/// `head @[..] :- premises |> transforms.`; a fact has neither premises nor transforms.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What is said.
    pub head: Atom,
    /// When it holds.
    pub time: Option<Box<Annotation>>,
    /// Under which conditions, if it has a body.
    pub premises: Vec<Premise>,
    /// What is done with the rows that fulfil the premises, one after the other.
    pub transforms: Vec<Transform>,
    /// From the head to the full stop.
    pub span: Span,
}

impl Clause {
    /// Every term of it, those inside others not by themselves.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let premises = self.premises.iter().flat_map(|premise| match premise {
            Premise::Atom(literal) | Premise::Negated(literal) => literal.atom.args.iter().chain([].iter()),
            Premise::Compare(comparison) => std::slice::from_ref(&comparison.left)
                .iter()
                .chain(std::slice::from_ref(&comparison.right)),
        });
        let transforms = self.transforms.iter().flat_map(|transform| {
            let keys = transform.group.iter().flat_map(|group| &group.args);
            keys.chain(transform.lets.iter().map(|one| &one.value))
        });
        self.head.args.iter().chain(premises).chain(transforms)
    }

    /// The bounds of its annotations and operators.
    pub fn bounds(&self) -> impl Iterator<Item = &Bound> {
        let literals = self.premises.iter().filter_map(|premise| match premise {
            Premise::Atom(literal) | Premise::Negated(literal) => Some(literal),
            Premise::Compare(_) => None,
        });
        let times = self.time.iter().chain(literals.clone().filter_map(|literal| literal.time.as_ref()));
        let times = times.flat_map(|time| std::iter::once(&time.start).chain(&time.end));
        let operators = literals.filter_map(|literal| literal.operator.as_ref());
        times.chain(operators.flat_map(|operator| std::iter::once(&operator.start).chain(&operator.end)))
    }

    /// Calls `see` with every place of a variable: in terms, times and definitions.
    pub fn each_variable(&self, see: &mut dyn FnMut(&Word, Span)) {
        self.terms().for_each(|term| term.each_variable(see));
        for bound in self.bounds() {
            if let BoundKind::Variable(name) = &bound.kind {
                see(name, bound.span);
            }
        }
        for one in self.transforms.iter().flat_map(|transform| &transform.lets) {
            see(&one.variable.text, one.variable.span);
        }
    }

    /// Whether it has no body.
    pub fn is_fact(&self) -> bool {
        self.premises.is_empty() && self.transforms.is_empty()
    }
}

/// `predicate(args)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Its predicate, with the package before the last full stop if one is written.
    pub predicate: Ident,
    /// Its arguments.
    pub args: Vec<Term>,
    /// From the predicate to `)`.
    pub span: Span,
}

/// One condition of a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Premise {
    /// `p(..)`, `p(..)@[..]`, `<-[..] p(..)`.
    Atom(Literal),
    /// `!p(..)`; with an annotation or operator only as an extension.
    Negated(Literal),
    /// `left op right`.
    Compare(Box<Comparison>),
}

impl Premise {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Atom(literal) | Self::Negated(literal) => literal.span,
            Self::Compare(comparison) => comparison.span,
        }
    }
}

/// An atom in a body with what is said about its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// `<-[..]` and its like before the atom.
    pub operator: Option<Box<Operator>>,
    /// The atom.
    pub atom: Atom,
    /// `@[..]` after it.
    pub time: Option<Box<Annotation>>,
    /// From `!` or the operator to the end of the annotation.
    pub span: Span,
}

/// `left op right`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The operator.
    pub op: CompareOp,
    /// Where the operator stands.
    pub op_span: Span,
    /// What stands before it.
    pub left: Term,
    /// What stands after it.
    pub right: Term,
    /// Both and the operator.
    pub span: Span,
}

/// The six comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `=`: also binds a variable.
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl CompareOp {
    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        }
    }
}

/// `do fn:group_by(..), let X = ..`, or `let X = ..` alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// The function after `do`, if there is one.
    pub group: Option<Call>,
    /// The definitions.
    pub lets: Vec<Let>,
    /// Without the `|>` before it.
    pub span: Span,
}

/// `let X = term`.
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    /// What is defined.
    pub variable: Ident,
    /// As what.
    pub value: Term,
    /// From `let` on.
    pub span: Span,
}

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where.
    pub span: Span,
}

impl Term {
    /// Calls `see` with every variable in it.
    pub fn each_variable(&self, see: &mut dyn FnMut(&Word, Span)) {
        match &self.kind {
            TermKind::Variable(name) => see(name, self.span),
            TermKind::List(items) => items.iter().for_each(|item| item.each_variable(see)),
            TermKind::Map(entries) | TermKind::Struct(entries) => {
                for (key, value) in entries {
                    key.each_variable(see);
                    value.each_variable(see);
                }
            }
            TermKind::Call(call) => call.args.iter().for_each(|arg| arg.each_variable(see)),
            _ => {}
        }
    }
}

/// The kinds of terms.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// `X`
    Variable(Word),
    /// `_`: each one is a variable of its own.
    Wildcard,
    /// `/a/b`
    Name(Box<str>),
    /// `"text"`, escapes resolved.
    String(Box<str>),
    /// `b"bytes"`, escapes resolved.
    Bytes(Box<[u8]>),
    /// `-17`
    Number(i64),
    /// `1.5`
    Float(f64),
    /// `2024-01-15T10:30:00Z`, in nanoseconds since 1970. As a term an extension.
    Time(i64),
    /// `90m`, in nanoseconds. As a term an extension.
    Duration(i64),
    /// `[a, b]`
    List(Vec<Term>),
    /// `[k : v, ..]`
    Map(Vec<(Term, Term)>),
    /// `{k : v, ..}`
    Struct(Vec<(Term, Term)>),
    /// `fn:name(args)`, pairs and tuples among them.
    Call(Box<Call>),
    /// `.Name<members>`: a type, in declarations.
    Type(Box<TypeExpr>),
}

/// `fn:name(args)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// With `fn:`.
    pub function: Ident,
    /// Its arguments.
    pub args: Vec<Term>,
    /// From the name to `)`.
    pub span: Span,
}

/// `.Name<members>`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// Without the full stop before it.
    pub name: Ident,
    /// What stands in the angle brackets.
    pub members: Vec<Member>,
}

/// One member of a type: `type`, `field : type`, or `opt field : type`.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Whether `opt` stands before it.
    pub optional: bool,
    /// The field's name or, where no type follows, the type.
    pub key: Term,
    /// The type after a colon.
    pub value: Option<Term>,
    /// The whole.
    pub span: Span,
}

/// `@[start, end]`, or `@[point]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The first bound, or the point.
    pub start: Bound,
    /// The second bound.
    pub end: Option<Bound>,
    /// From `@` to `]`.
    pub span: Span,
}

/// An operator that looks into the past or the future: `<-[start, end]`; with one bound as an extension.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// Which one.
    pub kind: OperatorKind,
    /// How far away the window begins.
    pub start: Bound,
    /// How far away it ends; `<-[5m]` leaves it out and means `<-[0s, 5m]`.
    pub end: Option<Bound>,
    /// From the operator to `]`.
    pub span: Span,
}

/// The four operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperatorKind {
    /// `<-`: at some time in the past.
    DiamondMinus,
    /// `[-`: all the time in the past.
    BoxMinus,
    /// `<+`: at some time in the future.
    DiamondPlus,
    /// `[+`: all the time in the future.
    BoxPlus,
}

impl OperatorKind {
    /// As it is written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::DiamondMinus => "<-",
            Self::BoxMinus => "[-",
            Self::DiamondPlus => "<+",
            Self::BoxPlus => "[+",
        }
    }
}

/// One bound of an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// What it is.
    pub kind: BoundKind,
    /// Where.
    pub span: Span,
}

/// The kinds of bounds.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundKind {
    /// An instant, in nanoseconds since 1970.
    Time(i64),
    /// A distance, in nanoseconds.
    Duration(i64),
    /// A variable.
    Variable(Word),
    /// `_`: no bound.
    Unbounded,
    /// `now`: the evaluation time.
    Now,
}
