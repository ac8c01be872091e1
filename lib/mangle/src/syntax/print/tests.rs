//! Tests of the style, and that formatting loses nothing.

use expect_test::{Expect, expect};

use super::format;
use crate::{
    eval::Cancel,
    syntax::{Dialect, Sources, lexer::Lexer, parse, token::TokenKind},
};

fn formatted(text: &str) -> String {
    let sources = Sources::of("test.mg", text).expect("short");
    let source = sources.get(0).expect("one source");
    let parsed = parse(source, Dialect::Extended);
    assert!(parsed.is_ok(), "{:?}", parsed.diagnostics);
    format(&parsed.unit, source)
}

/// Returns the content of a text: its tokens, except commas before a closing bracket, and its comments.
fn tokens(text: &str) -> Vec<String> {
    let sources = Sources::of("test.mg", text).expect("short");
    let cancel = Cancel::default();
    let mut lexer = Lexer::new(sources.get(0).expect("one source"), &cancel);
    let (mut out, mut comments): (Vec<String>, Vec<String>) = Default::default();
    loop {
        let token = lexer.next();
        if token.kind == TokenKind::Comment {
            comments.push(sources.text(token.span).trim_end().to_owned());
            continue;
        }
        let closes = matches!(
            token.kind,
            TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace | TokenKind::Greater | TokenKind::Dot | TokenKind::Pipe
        );
        if closes && out.last().is_some_and(|last| last == ",") {
            out.pop();
        }
        if token.kind == TokenKind::End {
            out.extend(comments);
            return out;
        }
        out.push(sources.text(token.span).replace('⟸', ":-"));
    }
}

fn check(text: &str, expected: &Expect) {
    let once = formatted(text);
    expected.assert_eq(&once);
    assert_eq!(formatted(&once), once, "the style is its own style");
    assert_eq!(tokens(&once), tokens(text), "nothing is lost");
}

#[test]
fn one_style() {
    check(
        "Package  a.b [x( 1 )]!\nUse c !\n# first\n\n\nDecl p(X,Y)temporal bound[/string,.Map</a,.List<.Struct<opt /b:/number>>>]   .\np( \"x\",[/k : 1,]  )@[2024-01-01]. q(X)⟸p(X,_)@[_,now],X!=\"y\",!r(),. # end\n\n#last",
        &expect![[r#"
            Package a.b [x(1)]!
            Use c!
            # first

            Decl p(X, Y) temporal bound [/string, .Map</a, .List<.Struct<opt /b : /number>>>].
            p("x", [/k : 1])@[2024-01-01].
            q(X) :- p(X, _)@[_, now], X != "y", !r().  # end

            #last
        "#]],
    );
}

#[test]
fn a_name_keeps_its_distance_from_the_full_stop() {
    check(
        "q(X) :- p(X), X != /a/b.c .\nq(X) :- p(X), # not this\n X = /a~ .\nq(X) :- p(X), X != 1.\nq(Y) :- p(X), \"/a\" = X |> let Y = /c  .\n",
        &expect![[r#"
            q(X) :- p(X), X != /a/b.c .
            q(X) :-
              p(X),  # not this
              X = /a~ .
            q(X) :- p(X), X != 1.
            q(Y) :- p(X), "/a" = X |> let Y = /c .
        "#]],
    );
}

#[test]
fn long_rules_and_rules_with_comments_are_broken_up() {
    check(
        "a(X) :- # why\n b(X), # b\n # before c\n c(X)\n |> do fn:group_by(X), let N = fn:count(). # done\nselected(Tool, Score) :- relevant(Tool, Score), <-[0s, 5m] error(Tool), permitted(Tool), another_long_one(Tool, Score).\n",
        &expect![[r#"
            a(X) :-  # why
              b(X),  # b
              # before c
              c(X)
              |> do fn:group_by(X), let N = fn:count().  # done
            selected(Tool, Score) :-
              relevant(Tool, Score),
              <-[0s, 5m] error(Tool),
              permitted(Tool),
              another_long_one(Tool, Score).
        "#]],
    );
}

#[test]
fn a_single_bound_is_spelt_out() {
    assert_eq!(formatted("a(X) :- <-[5m] b(X)."), "a(X) :- <-[0s, 5m] b(X).\n");
}
