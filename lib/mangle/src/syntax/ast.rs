//! The syntax tree of a source, as it was written: nothing is resolved, nothing reordered, every node has its span.

use super::{source::Span, word::Word};

/// One source file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    /// The declaration `Package name!`, which is at the top if there is one.
    pub package: Option<Package>,
    /// The imports `Use name!`.
    pub uses: Vec<Use>,
    /// Declarations and clauses in the order of the source.
    pub items: Vec<Item>,
    /// Comments, from `#` up to the end of the line, in order: the printer writes them back.
    pub comments: Vec<Span>,
    /// The whole file.
    pub span: Span,
}

impl Unit {
    /// Returns the declarations.
    pub fn decls(&self) -> impl Iterator<Item = &Decl> {
        self.items.iter().filter_map(|item| match item {
            Item::Decl(decl) => Some(&**decl),
            Item::Clause(_) => None,
        })
    }

    /// Returns the facts and rules.
    pub fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.items.iter().filter_map(|item| match item {
            Item::Clause(clause) => Some(clause),
            Item::Decl(_) => None,
        })
    }
}

/// An identifier of a predicate, function, variable or package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The text as written; variables with their capital, functions with `fn:`.
    pub text: Word,
    /// The place.
    pub span: Span,
}

/// The package of a file, `Package name [atoms]!`: the names of this file's predicates begin with `name.`.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The package.
    pub name: Ident,
    /// The atoms that describe it.
    pub descr: Vec<Atom>,
    /// From `Package` to `!`.
    pub span: Span,
}

/// An import, `Use name [atoms]!`: the predicates of another package may be named.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The package.
    pub name: Ident,
    /// The atoms that describe it.
    pub descr: Vec<Atom>,
    /// From `Use` to `!`.
    pub span: Span,
}

/// An item of a file after its head.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A declaration: `Decl …`.
    Decl(Box<Decl>),
    /// A fact or a rule.
    Clause(Clause),
}

impl Item {
    /// Returns the place, full stop included.
    pub fn span(&self) -> Span {
        match self {
            Self::Decl(decl) => decl.span,
            Self::Clause(clause) => clause.span,
        }
    }
}

/// A declaration: `Decl p(X, Y) temporal descr [..] bound [..] inclusion [..].`
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    /// The predicate with variables as the names of its arguments.
    pub atom: Atom,
    /// The place of the word `temporal`.
    pub temporal: Option<Span>,
    /// The descriptors of `descr [..]`: `mode(..)`, `external()`, `fundep(..)`, `merge(..)`, `doc(..)` and so on, not
    /// checked yet.
    pub descr: Vec<Atom>,
    /// The type alternatives of `bound [..]`, any number: a fact must fit one of them.
    pub bounds: Vec<Bounds>,
    /// The atoms of `inclusion [..]`.
    pub inclusion: Vec<Atom>,
    /// From `Decl` to the full stop.
    pub span: Span,
}

/// One alternative `bound [..]`: a type for each argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The types, written as terms.
    pub types: Vec<Term>,
    /// From `bound` to `]`.
    pub span: Span,
}

/// A clause `head @[..] :- premises |> transforms.`; a fact has neither premises nor transforms.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The head, which the clause states.
    pub head: Atom,
    /// The time at which it holds.
    pub time: Option<Box<Annotation>>,
    /// The conditions, if it has a body.
    pub premises: Vec<Premise>,
    /// The transforms of the rows that satisfy the premises, one after the other.
    pub transforms: Vec<Transform>,
    /// From the head to the full stop.
    pub span: Span,
}

impl Clause {
    /// Returns every term of it; terms inside others are not listed separately.
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

    /// Returns the bounds of its annotations and operators.
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

    /// Returns whether it has no body.
    pub fn is_fact(&self) -> bool {
        self.premises.is_empty() && self.transforms.is_empty()
    }
}

/// An atom: `predicate(args)`.
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
    /// A fact: `p(..)`, `p(..)@[..]`, `<-[..] p(..)`.
    Atom(Literal),
    /// A negated fact `!p(..)`; with an annotation or operator only as an extension.
    Negated(Literal),
    /// A comparison: `left op right`.
    Compare(Box<Comparison>),
}

impl Premise {
    /// Returns the place.
    pub fn span(&self) -> Span {
        match self {
            Self::Atom(literal) | Self::Negated(literal) => literal.span,
            Self::Compare(comparison) => comparison.span,
        }
    }
}

/// An atom in a body with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The temporal operator before the atom, such as `<-[..]`.
    pub operator: Option<Box<Operator>>,
    /// The atom.
    pub atom: Atom,
    /// The annotation `@[..]` after it.
    pub time: Option<Box<Annotation>>,
    /// From `!` or the operator to the end of the annotation.
    pub span: Span,
}

/// A comparison: `left op right`.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The operator.
    pub op: CompareOp,
    /// The place of the operator.
    pub op_span: Span,
    /// The left side.
    pub left: Term,
    /// The right side.
    pub right: Term,
    /// The place of both sides and the operator.
    pub span: Span,
}

/// The six comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// The operator `=`, which also binds a variable.
    Equal,
    /// The operator `!=`.
    NotEqual,
    /// The operator `<`.
    Less,
    /// The operator `<=`.
    LessEqual,
    /// The operator `>`.
    Greater,
    /// The operator `>=`.
    GreaterEqual,
}

impl CompareOp {
    /// Returns the operator as it is written.
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

/// A transform: `do fn:group_by(..), let X = ..`, or `let X = ..` alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// The function after `do`, if there is one.
    pub group: Option<Call>,
    /// The definitions.
    pub lets: Vec<Let>,
    /// The place without the `|>` before it.
    pub span: Span,
}

/// A definition: `let X = term`.
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    /// The defined variable.
    pub variable: Ident,
    /// Its value.
    pub value: Term,
    /// From `let` on.
    pub span: Span,
}

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The kind of the term.
    pub kind: TermKind,
    /// The place.
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
    /// A variable: `X`.
    Variable(Word),
    /// `_`: each one is a variable of its own.
    Wildcard,
    /// A name: `/a/b`.
    Name(Box<str>),
    /// A string, `"text"`, escapes resolved.
    String(Box<str>),
    /// A byte string, `b"bytes"`, escapes resolved.
    Bytes(Box<[u8]>),
    /// An integer: `-17`.
    Number(i64),
    /// A float: `1.5`.
    Float(f64),
    /// A time, `2024-01-15T10:30:00Z`, in nanoseconds since 1970. As a term it is an extension.
    Time(i64),
    /// A duration, `90m`, in nanoseconds. As a term it is an extension.
    Duration(i64),
    /// A list: `[a, b]`.
    List(Vec<Term>),
    /// A map: `[k : v, ..]`.
    Map(Vec<(Term, Term)>),
    /// A struct: `{k : v, ..}`.
    Struct(Vec<(Term, Term)>),
    /// A function call `fn:name(args)`, including pairs and tuples.
    Call(Box<Call>),
    /// A type in declarations: `.Name<members>`.
    Type(Box<TypeExpr>),
}

/// A function call: `fn:name(args)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The function's name, with `fn:`.
    pub function: Ident,
    /// Its arguments.
    pub args: Vec<Term>,
    /// From the name to `)`.
    pub span: Span,
}

/// A type: `.Name<members>`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// The name, without the full stop before it.
    pub name: Ident,
    /// The members in the angle brackets.
    pub members: Vec<Member>,
}

/// One member of a type: `type`, `field : type`, or `opt field : type`.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Whether it is marked `opt`.
    pub optional: bool,
    /// The field's name or, where no type follows, the type.
    pub key: Term,
    /// The type after a colon.
    pub value: Option<Term>,
    /// The place of the whole member.
    pub span: Span,
}

/// A time annotation: `@[start, end]`, or `@[point]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The first bound, or the point.
    pub start: Bound,
    /// The second bound.
    pub end: Option<Bound>,
    /// From `@` to `]`.
    pub span: Span,
}

/// A temporal operator: `<-[start, end]`; with one bound as an extension.
#[derive(Clone, Debug, PartialEq)]
pub struct Operator {
    /// The kind of operator.
    pub kind: OperatorKind,
    /// The distance at which the window begins.
    pub start: Bound,
    /// The distance at which it ends; `<-[5m]` leaves it out and means `<-[0s, 5m]`.
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
    /// Returns the operator as it is written.
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
    /// The kind of the bound.
    pub kind: BoundKind,
    /// The place.
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
