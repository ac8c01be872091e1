//! Programs that would run for ever or fill all memory, and programs that are expensive before they run.

use std::sync::Arc;

use mangle::{
    eval::Limit,
    program::Program,
    syntax::{Dialect, Sources},
};

use crate::engine::{Source, load};

/// A program without end, and the limits it reaches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runaway {
    pub name: &'static str,
    text: &'static str,
    /// The limits that it reaches, if they are the only ones.
    pub uses: &'static [Limit],
}

/// Ten times ten facts to join.
const DIGITS: &str = "n(0). n(1). n(2). n(3). n(4). n(5). n(6). n(7). n(8). n(9). m(X) :- n(A), n(B), X = fn:plus(A, fn:mult(10, B)).";

pub(crate) const RUNAWAYS: &[Runaway] = &[
    Runaway {
        name: "a join of five that says nothing",
        text: "no(A) :- m(A), m(B), m(C), m(D), m(E), fn:plus(A, B, C, D, E) < 0.",
        uses: &[Limit::Steps],
    },
    Runaway {
        name: "a join of five",
        text: "all(A, B, C, D, E) :- m(A), m(B), m(C), m(D), m(E).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "a join of five behind a group",
        text: "count(N) :- m(A), m(B), m(C), m(D), m(E) |> do fn:group_by(), let N = fn:count().",
        uses: &[Limit::Steps, Limit::Bytes],
    },
    Runaway {
        name: "the successor",
        text: "s(0). s(Y) :- s(X), Y = fn:plus(X, 1).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "the next nanosecond but one",
        text: "Decl a(X) temporal bound [/name]. a(/x)@[2024-01-01]. \
               a(X)@[U] :- a(X)@[T], U = fn:time:add(T, fn:duration:from_nanos(2)).",
        uses: &[Limit::Steps, Limit::Intervals, Limit::Bytes],
    },
    Runaway {
        name: "a list that grows",
        text: "l([]). l(M) :- l(L), M = fn:list:append(L, 1).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "lists of lists",
        text: "l([]). l([A, B]) :- l(A), l(B).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "a string that doubles",
        text: "s(\"x\"). s(T) :- s(S), T = fn:string:concat(S, S).",
        uses: &[Limit::Bytes],
    },
    Runaway {
        name: "a merge on a circle that never settles",
        text: "Decl far(X, D) descr [fundep([X], [D]), merge([D], \"more\")]. \
               Decl more(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()]. \
               more(A, B, C) :- A >= B, C = A. more(A, B, C) :- B > A, C = B. \
               road(/a, /b). road(/b, /a). far(/a, 0). far(Y, D) :- far(X, E), road(X, Y), D = fn:plus(E, 1).",
        uses: &[Limit::Steps],
    },
    Runaway {
        name: "a merge on a circle of values that grow",
        text: "Decl trail(X, L) descr [fundep([X], [L]), merge([L], \"longer\")]. \
               Decl longer(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()]. \
               longer(A, B, C) :- N = fn:list:len(A), M = fn:list:len(B), N >= M, C = A. \
               longer(A, B, C) :- N = fn:list:len(A), M = fn:list:len(B), M > N, C = B. \
               road(/a, /b). road(/b, /a). trail(/a, []). \
               trail(Y, L) :- trail(X, K), road(X, Y), L = fn:list:append(K, Y).",
        uses: &[Limit::Steps, Limit::Bytes],
    },
    Runaway {
        name: "a call that calls itself twice",
        text: "Decl fib(N, F) descr [mode(\"+\", \"-\"), deferred()]. \
               fib(N, F) :- N < 2, F = N. \
               fib(N, F) :- N >= 2, A = fn:minus(N, 1), B = fn:minus(N, 2), fib(A, X), fib(B, Y), F = fn:plus(X, Y). \
               k(60). f(F) :- k(N), fib(N, F).",
        uses: &[Limit::Steps],
    },
    Runaway {
        name: "a join of five with a negation",
        text: "Decl sum(X) descr [extensional()] bound [/number]. \
               no(A) :- m(A), m(B), m(C), m(D), m(E), X = fn:plus(A, B, C, D, E), !sum(X).",
        uses: &[Limit::Steps],
    },
    Runaway {
        name: "the negation of a join of five",
        text: "all(A, B, C) :- m(A), m(B), m(C), m(D), m(E). none(A) :- m(A), !all(_, A, _), !all(A, _, _).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "very many rows in a list",
        text: "all(A, B, C) :- m(A), m(B), m(C). l(L) :- all(A, B, C) |> do fn:group_by(), let L = fn:collect(A, B, C).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "very many groups",
        text: "g(A, B, C, N) :- m(A), m(B), m(C), m(D) |> do fn:group_by(A, B, C), let N = fn:count().",
        uses: &[Limit::Steps, Limit::Bytes],
    },
    Runaway {
        name: "very many intervals at once",
        text: "Decl t(X) temporal bound [/number]. \
               t(0)@[T] :- m(B), m(C), m(D), \
               T = fn:time:from_unix_nanos(fn:plus(fn:mult(20000, B), fn:mult(200, C), fn:mult(2, D))).",
        uses: &[Limit::Steps, Limit::Intervals],
    },
    Runaway {
        name: "maps of maps",
        text: "a(fn:map()). a([N : M]) :- a(M), n(N).",
        uses: &[Limit::Steps, Limit::Facts, Limit::Bytes],
    },
    Runaway {
        name: "a struct that holds itself twice",
        text: "s({/a : 0}). s({/a : S, /b : S}) :- s(S).",
        uses: &[Limit::Bytes],
    },
    Runaway {
        name: "very many questions",
        text: "Decl next(X, Y) descr [external(), mode(\"+\", \"-\")] bound [/number, /number]. \
               r(Y) :- m(A), m(B), m(C), m(D), X = fn:plus(A, fn:mult(100, B), fn:mult(10000, C), fn:mult(1000000, D)), next(X, Y).",
        uses: &[Limit::Steps, Limit::Bytes],
    },
    Runaway {
        name: "questions without end",
        text: "Decl next(X, Y) descr [external(), mode(\"+\", \"-\")] bound [/number, /number]. r(0). r(Y) :- r(X), next(X, Y).",
        uses: &[Limit::Steps, Limit::Facts],
    },
    Runaway {
        name: "a call with very many answers",
        text: "Decl some(X, Y) descr [mode(\"+\", \"-\"), deferred()] bound [/number, /number]. \
               some(X, Y) :- m(A), m(B), m(C), m(D), Y = fn:plus(X, A, fn:mult(100, B), fn:mult(10000, C), fn:mult(1000000, D)). \
               r(Y) :- n(X), some(X, Y).",
        uses: &[Limit::Steps, Limit::Bytes],
    },
];

pub(crate) fn program(runaway: &Runaway) -> Arc<Program> {
    let source = Source {
        name: runaway.name.to_owned(),
        text: format!("{DIGITS} {}", runaway.text),
    };
    load(&[source], Dialect::Extended).unwrap_or_else(|codes| panic!("{}: {codes:?}", runaway.name))
}

/// A name, and a program.
pub(crate) type Burden = (&'static str, fn() -> String);

/// Programs that are expensive before they run.
pub(crate) const BURDENS: &[Burden] = &[
    ("a million rules", || {
        (0..1_000_000).map(|n| format!("p{}(X) :- p{n}(X).\n", n + 1)).collect()
    }),
    ("a million rules of one predicate", || {
        (0..1_000_000).map(|n| format!("p(X, {n}) :- b(X).\n")).collect()
    }),
    ("a body of ten megabytes", || format!("q(X) :- {}.", "b(X), ".repeat(1_700_000))),
    ("a list of ten megabytes", || format!("l([{}]).", "17, ".repeat(2_500_000))),
    ("a term in a term in a term", || format!("t({}).", "fn:list(".repeat(1_000_000))),
    ("a string of ten megabytes", || format!("s(\"{}\").", "x".repeat(10 << 20))),
    ("a head of ten megabytes", || format!("h({}) :- b(X).", "X, ".repeat(3_000_000))),
    ("comments", || "#\n".repeat(5_000_000)),
    ("a transform of ten megabytes", || {
        let lets: String = (0..400_000).map(|n| format!(", let Y{n} = fn:plus(X, 1)")).collect();
        format!("b(1). t(X) :- b(X) |> let Y = X{lets}.")
    }),
    ("a transform of very many variables", || {
        let lets: String = (0..29_000).map(|n| format!(", let Y{n} = fn:plus(X, 1)")).collect();
        format!("b(1). t(X) :- b(X) |> let Y = X{lets}.")
    }),
    ("a map of very many entries in no order", || {
        let entries: String = (0..300_000_u64)
            .map(|n| format!("\"{}\" : {n}, ", n.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect();
        format!("m([{entries}]).")
    }),
    ("declarations", || {
        (0..300_000).map(|n| format!("Decl d{n}(X) bound [/name].\n")).collect()
    }),
];

pub(crate) fn burden(text: &str) -> Sources {
    Sources::of("burden.mg", text).expect("it is short enough for spans")
}

/// How often a mistake is repeated in a program.
const OFTEN: usize = 30_000;

/// Small programs with many mistakes, or with many possible meanings: reporting them must not take long either.
pub(crate) const TRAPS: &[Burden] = &[
    ("predicates that nothing defines", || {
        (0..OFTEN)
            .map(|n| format!("p{n}(X) :- undefined_{}(X).\n", n * 7919 % OFTEN))
            .collect()
    }),
    ("functions that nobody knows", || {
        let rules: String = (0..OFTEN).map(|n| format!("p(X) :- b(Y), X = fn:unknown{n}(Y).\n")).collect();
        format!("b(1).\n{rules}")
    }),
    ("predicates that negate themselves", || {
        let rules: String = (0..OFTEN).map(|n| format!("p{n}(X) :- b(X), !p{n}(X).\n")).collect();
        format!("b(1).\n{rules}")
    }),
    ("two long names", || {
        let long = "b".repeat(60_000);
        format!("{long}(1).\np(X) :- {long}c(X).\n")
    }),
    ("a name of very many parts", || {
        let long = "/a".repeat(30_000);
        format!("Decl q(X) bound [{long}].\np({long}/b).\nq(X) :- p(X).\n")
    }),
    ("variables of six types each", || {
        let premises: Vec<String> = (0..400).map(|n| format!("b(X{n})")).collect();
        format!(
            "b(1). b(\"a\"). b(/x). b(1.5). b([1]). b(b\"x\").\np() :- {}.\n",
            premises.join(", ")
        )
    }),
    ("structs of very many fields", || {
        let fields = |n: usize| -> String { (0..OFTEN).map(|field| format!("/f{field} : {n}, ")).collect() };
        format!("p({{{}}}). p({{{}/g : 1}}).\nq(X) :- p(X), p(X).\n", fields(1), fields(2))
    }),
    ("very many alternatives", || {
        let bounds: String = (0..OFTEN / 10).map(|n| format!(" bound [.Singleton</a{n}>]")).collect();
        format!("Decl p(X){bounds}.\nq(X, Y, Z) :- p(X), p(Y), p(Z).\n")
    }),
];
