//! Tests of what the parser accepts, what it reports of mistakes, and its bounds.

use super::{Dialect, MAX_WORD, Parser, parse};
use crate::syntax::{Bounds, Sources, ast::Unit};

fn read(text: &str, dialect: Dialect) -> (Unit, Vec<&'static str>) {
    let sources = Sources::of("test.mg", text).expect("short");
    let parsed = parse(sources.get(0).expect("one source"), dialect);
    let codes = parsed.diagnostics.iter().map(|found| found.code.name()).collect();
    (parsed.unit, codes)
}

#[test]
fn the_grammar_is_accepted() {
    let texts = [
        "",
        "  \n\n ",
        "Decl foo(X,Y) bound[   /string, /string ]bound[/number, /number].",
        "Decl foo(X,Y) bound[/string, .Pair</string, /number>] inclusion[bar(X), baz(X), bak(X, Y)].",
        "Decl foo(X) bound [.TaggedUnion</kind, /move : .Struct</x : /number>, /quit : .Struct<>>].",
        "Decl foo(X) temporal descr [mode('+'), doc(\"x\")] bound [.Struct<opt /a : .List<.Option</string>>>].",
        "Package foo.bar ! Use baz [atom1(\"hello\"), atom2(),]!",
        "foo.bar(X) ⟸ bar.foo(X),.",
        "foo(X, Z) :- bar(X) |> do fn:party(), let Y = fn:foo(X) |> let Z = fn:mult(Y, 2).",
        "foo(X) :- # a comment\nbar(X).\n# another\n",
        "foo(Xyz) :- Xyz = /foo, /foo != Xyz, 0 < 1, [1,] = Xyz, !bar().",
        "foo([[], [1, /foo]], [ 1 : 'one', 2 : \"two\", ], { /foo : b'bar', }, .123, -5, -1.5e-3).",
        "foo([-1, -2], X) :- X <-5, X <= 3.",
        "a(X)@[2024-01-01, 2024-01-15T10:30:00.5Z]. a(X)@[_, now]. a(X)@[T] :- <-[0s, 7d] b(X), [-[1h, 2h] c(X), d(X)@[T].",
        "x(`a\nb`). y(\"a\nb\\\n\").",
    ];
    for text in texts {
        assert_eq!(read(text, Dialect::Strict).1, [""; 0], "{text}");
    }
}

#[test]
fn extensions_are_refused_by_the_strict_language_only() {
    let texts = [
        "a(X) :- <-[5m] b(X).",
        "a(2024-01-01).",
        "a(5m).",
        "a(X) :- <-[0s, 1h30m] b(X).",
        "a(X) :- b(X), !c(X)@[now].",
        "a(X) :- b(Y) |> let X = Y.",
    ];
    for text in texts {
        assert_eq!(read(text, Dialect::Extended).1, [""; 0], "{text}");
        assert_eq!(read(text, Dialect::Strict).1, ["M0019"], "{text}");
    }
}

#[test]
fn each_mistake_has_its_code_and_costs_one_clause() {
    let cases = [
        ("a(€).", "M0001"),
        ("a(\"x).", "M0002"),
        ("a(\"\\q\").", "M0003"),
        ("a(9223372036854775808).", "M0004"),
        ("a(/b/).", "M0005"),
        ("a(X)@[2024-02-30].", "M0006"),
        ("a(X) a(Y).", "M0007"),
        ("a(X)", "M0008"),
        ("a(X) :- b(X)\nc(X).", "M0008"),
        ("a(X) :- X = /lit.\nb(/c).", "M0009"),
        ("a(X) :- b, c(X).", "M0010"),
        ("a(x).", "M0011"),
        ("a(X) :- b(X) && c(X).", "M0012"),
        ("a(X) :- X <> 1.", "M0012"),
        ("a(X) :- not b(X).", "M0012"),
        ("Decl a(X) descr [mode(+)].", "M0012"),
        ("a(X) :- b(Y), X = Y + 1.", "M0013"),
        ("a(X) :- b(Y), X = Y-1.", "M0013"),
        ("a(Y/2) :- b(Y).", "M0013"),
        ("!a(X).", "M0014"),
        ("X :- b(X).", "M0015"),
        ("a(X) :- b(X), X.", "M0015"),
        ("a(X) :- b(X), fn:plus(X, 1).", "M0015"),
        ("a(a_X, A_x).", "M0011"),
        ("a(A_x).", "M0017"),
        ("a([X.", "M0018"),
        ("a([.", "M0018"),
        ("a(X)@[\"2024-01-01\"].", "M0020"),
        ("a(X) :- <-[-5m, 1h] b(X).", "M0021"),
        ("a(). Package x!", "M0023"),
        ("Package xY!", "M0024"),
        ("a(X) :- b(Y), let X = fn:plus(Y, 1).", "M0025"),
        ("a(b(X)).", "M0026"),
        ("a(X) :- b(X) = 1.", "M0026"),
    ];
    for (text, code) in cases {
        let (unit, codes) = read(&format!("{text}\nlast(/x).\n"), Dialect::Extended);
        assert_eq!(codes.first(), Some(&code), "{text}: {codes:?}");
        let last = unit.clauses().last().map(|clause| clause.head.predicate.text.to_string());
        assert!(
            code == "M0002" || last.as_deref() == Some("last"),
            "{text}: the clause behind it is read"
        );
    }
}

#[test]
fn depth_is_bounded() {
    let deep = |levels: usize| format!("a({}{}).", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(read(&deep(99), Dialect::Extended).1, [""; 0]);
    assert_eq!(read(&deep(101), Dialect::Extended).1, ["M0016"]);
    assert_eq!(read(&deep(100_000), Dialect::Extended).1, ["M0016"]);
}

#[test]
fn findings_are_bounded() {
    let (_, codes) = read(&"a(x).\n".repeat(1_000), Dialect::Extended);
    assert_eq!((codes.len(), codes[100]), (101, "M0022"));
}

#[test]
fn a_word_that_cancelling_cuts_off_is_not_called_too_long() {
    // The flag is checked within some thousand tokens, or a piece of the text: here the latter comes first, in the
    // second name.
    let piece = format!("a(1).\n#{}\n{}", "x".repeat((1 << 20) - 20), "p".repeat(100));
    let text = format!("{piece}{}", "(1).\np".repeat(MAX_WORD as usize));
    let sources = Sources::of("test.mg", &text).expect("short");
    let source = sources.get(0).expect("one source");
    let bounds = Bounds::default();
    let mut parser = Parser::new(source, Dialect::Strict, &bounds);
    bounds.cancel.cancel();
    parser.unit();
    let found: Vec<&str> = parser.diagnostics.iter().map(|found| &*found.message).collect();
    assert_eq!(found, ["reading was cancelled"]);
}
