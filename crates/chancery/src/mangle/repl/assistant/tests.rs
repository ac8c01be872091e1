//! What is whole, and what words go on to be.

use super::{Assistant, is_whole};

#[test]
fn input_goes_on_until_it_is_whole() {
    for whole in [
        "",
        "p(/a).",
        ":help",
        ":why p(/a)",
        ":facts p",
        "? p(X)",
        "? p(X), X != /b",
        "? p(X).",
        "?",
        "? parent",
        "? X = 1 1, p(X)",
        "? p(X,, Y)",
        "::show all",
        "help",
        "exit",
        "# a remark",
        "p(X) :-\n  q(X).",
        "p(X) :-\n",
    ] {
        assert!(is_whole(whole), "`{whole}` is whole");
    }
    for open in [
        "p(/a)",
        "p(X) :-",
        "p(X) :-\n  q(X),",
        "? p(X),",
        "? p(",
        "? p(X), q",
        "? p(`several",
        ":string:contains(X, \"a\")",
    ] {
        assert!(!is_whole(open), "`{open}` goes on");
    }
}

#[test]
fn words_are_completed() {
    let words = ["parent", "path", "fn:plus", ":facts", ":list:member"].map(str::to_owned);
    let assistant = Assistant::new(words.into());
    assert_eq!(assistant.found("q(X) :- pa", 10), (8, vec!["parent", "path"]));
    assert_eq!(assistant.found("q(X) :- X = fn:p", 16), (12, vec!["fn:plus"]));
    assert_eq!(assistant.found(":fa", 3), (0, vec![":facts"]));
    assert_eq!(assistant.found("q(X) :- ", 8), (8, vec![]), "nothing is begun");
    assert_eq!(assistant.found("p(\u{e9}), pa", 9), (7, vec!["parent", "path"]));
}
