//! Tests of what a resource template matches, and what it does not.

use proptest::prelude::*;

use super::*;

fn matches(template: &str, uri: &str) -> bool {
    let mut budget = usize::MAX;
    Template::read(template).is_some_and(|template| template.matches(uri, &mut budget))
}

#[test]
fn templates_match_what_they_expand_to() {
    let cases = [
        // (template, matching, not matching)
        (
            "file:///readme",
            &["file:///readme"][..],
            &["file:///readme/", "file:///readm", "", "xfile:///readme"][..],
        ),
        ("{x}", &["a", "a:b", "a?b"], &["", "a/b"]),
        ("{+x}", &["a", "a/b", "/"], &[""]),
        ("{x*}", &["a,b", "a/b"], &[""]),
        ("{x,y}", &["a,b", "a"], &["a/b"]),
        ("{x:3}", &["abc"], &["a/b"]),
        (
            "file:///{path}",
            &["file:///a", "file:///a%2Fb", "file:///é"],
            &["file:///", "file:///a/b"],
        ),
        ("file:///{+path}", &["file:///a/b/c.txt"], &["file:///", "file://"]),
        ("file:///{path*}", &["file:///a/b"], &["file:///"]),
        (
            "db://{schema}/{table}",
            &["db://s/t"],
            &["db://s", "db://s/", "db://s/t/u", "db:///t"],
        ),
        (
            "db://{schema}/{table}/row",
            &["db://s/t/row"],
            &["db://s/row", "db://s/t/rows", "db://s/t/u/row"],
        ),
        (
            "repo://{owner}{/path*}",
            &["repo://o", "repo://o/", "repo://o/a/b"],
            &["repo://", "repo:///a"],
        ),
        ("repo://{owner}{/branch}", &["repo://o", "repo://o/main"], &["repo://o/a/b"]),
        (
            "repo://{owner}{/a,b}",
            &["repo://o/x/y", "repo://o/x", "repo://o"],
            &["repo:///x/y"],
        ),
        (
            "x://s{?q,page}",
            &["x://s", "x://s?q=1", "x://s?q=a/b&page=2"],
            &["x://s#f", "x://sq=1", "x://s?q=1#f"],
        ),
        (
            "x://s?fixed=1{&more}",
            &["x://s?fixed=1", "x://s?fixed=1&more=2"],
            &["x://s?fixed=12"],
        ),
        ("x://s{#part}", &["x://s", "x://s#a/b"], &["x://sa"]),
        ("x://s{.ext}", &["x://s", "x://s.json", "x://s.tar.gz"], &["x://s.a/b", "x://sjson"]),
        ("x://s{;a,b}", &["x://s", "x://s;a=1;b=2"], &["x://sa"]),
        ("x://s{;a}", &["x://s;a=1"], &["x://s;a=1/2"]),
        ("{+a}b{c}d", &["b/bxd", "zbxd"], &["b/d", "bxd"]),
        ("a{x}a{y}a", &["axaya", "aaaaa", "aaaaaa"], &["aaaa", "axa/ya"]),
        ("t://{user_name}/{a.b}", &["t://u/v"], &["t://u"]),
        ("t://{%41}", &["t://u"], &["t://"]),
    ];
    for (template, matching, others) in cases {
        for uri in matching {
            assert!(matches(template, uri), "`{template}` should match `{uri}`");
        }
        for uri in others {
            assert!(!matches(template, uri), "`{template}` should not match `{uri}`");
        }
    }
}

#[test]
fn what_is_no_template_matches_nothing() {
    for text in [
        "{", "}", "a}", "{}", "{+}", "{a", "a{b{c}}", "{a b}", "{,}", "{a,}", "{=a}", "{!a}", "{|a}", "{@a}", "{?}",
    ] {
        assert_eq!(Template::read(text), None, "`{text}`");
    }
    assert!(Template::read(&"{a}-".repeat(MAX_EXPRESSIONS)).is_some());
    assert!(Template::read(&"{a}-".repeat(MAX_EXPRESSIONS + 1)).is_none());
    assert!(Template::read(&"a".repeat(MAX_TEMPLATE)).is_some());
    assert!(Template::read(&"a".repeat(MAX_TEMPLATE + 1)).is_none());
}

#[test]
fn work_is_paid_for_in_advance_and_never_exceeds_the_budget() {
    let worst = Template::read(&"{+a}a".repeat(MAX_EXPRESSIONS)).expect("a template");
    let uri = "a".repeat(MAX_URI);
    let mut budget = 1 << 20;
    assert!(worst.matches(&uri, &mut budget), "an odd match is a match");
    let cost = (1 << 20) - budget;
    assert_eq!(cost, 2 * MAX_EXPRESSIONS * MAX_URI);
    assert!(worst.matches(&uri, &mut budget));
    assert!(!worst.matches(&uri, &mut budget), "nothing is left");
    assert_eq!(budget, 0);
    let mut budget = usize::MAX;
    assert!(
        !worst.matches(&"a".repeat(MAX_URI + 1), &mut budget),
        "too long a URI is not looked at"
    );
    assert_eq!(budget, usize::MAX);
    // A URI with another start costs nothing at all.
    let mut budget = 0;
    assert!(!Template::read("x://{a}").expect("a template").matches("y://b", &mut budget));
}

/// Returns whether the parts match, by the obvious exponential algorithm.
fn obvious(parts: &[Part], uri: &[u8]) -> bool {
    match parts {
        [] => uri.is_empty(),
        [Part::Literal(literal), rest @ ..] => uri.strip_prefix(&literal[..]).is_some_and(|uri| obvious(rest, uri)),
        [Part::Some(class), rest @ ..] => (1..=uri.len())
            .take_while(|&n| class.has(uri[n - 1]))
            .any(|n| obvious(rest, &uri[n..])),
        [Part::Maybe(first, class), rest @ ..] => {
            obvious(rest, uri)
                || uri.first() == Some(first)
                    && (1..=uri.len())
                        .take_while(|&n| n == 1 || class.has(uri[n - 1]))
                        .any(|n| obvious(rest, &uri[n..]))
        }
    }
}

proptest! {
    #[test]
    fn agrees_with_the_obvious_matcher(
        parts in prop::collection::vec(prop::sample::select(vec!["a", "b", "/", "ab", "a/", "{x}", "{+x}", "{/x}", "{/x*}", "{?x}", "{&x}", "{#x}"]), 0..7),
        uri in "[ab/?&#]{0,10}",
    ) {
        let template = Template::read(&parts.concat()).expect("a template");
        let mut budget = usize::MAX;
        prop_assert_eq!(template.matches(&uri, &mut budget), obvious(&template.parts, uri.as_bytes()), "{:?} on {}", template, uri);
    }

    #[test]
    fn matches_its_own_expansion(pieces in prop::collection::vec(("[a-z:/]{0,5}", "[a-z0-9%.-]{1,8}"), 1..6)) {
        let template: String = pieces.iter().map(|(literal, _)| format!("{literal}{{v}}")).collect();
        let uri: String = pieces.iter().map(|(literal, value)| format!("{literal}{value}")).collect();
        prop_assert!(matches(&template, &uri));
    }

    #[test]
    fn takes_any_text(template in "\\PC{0,40}", uri in "\\PC{0,80}") {
        let mut budget = 10_000;
        if let Some(template) = Template::read(&template) {
            template.matches(&uri, &mut budget);
        }
        prop_assert!(budget <= 10_000);
    }
}
