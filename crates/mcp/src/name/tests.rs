//! Names: the rule by example, and its laws.

use proptest::prelude::*;

use super::*;

fn id(text: &str) -> ServerId {
    ServerId::new(text).expect("an id")
}

/// Names `server/tool` offers; a trailing `!` forces the prefix.
fn named(offers: &[&str]) -> Vec<String> {
    let parsed: Vec<(ServerId, &str, bool)> = offers
        .iter()
        .map(|offer| {
            let (server, tool) = offer.split_once('/').expect("server/tool");
            (id(server), tool.trim_end_matches('!'), tool.ends_with('!'))
        })
        .collect();
    let offered: Vec<_> = parsed
        .iter()
        .map(|(server, name, force_prefix)| Offered {
            server,
            name,
            force_prefix: *force_prefix,
        })
        .collect();
    wire_names(&offered, &|one| {
        one.name == "mgp.tools.discover" || one.name == "mgp_tools_discover"
    })
}

#[test]
fn bare_where_unique_else_qualified() {
    let cases: [(&[&str], &[&str]); 9] = [
        (&["a/read", "b/write"], &["read", "write"]),
        (&["a/read", "b/read", "b/write"], &["a__read", "b__read", "write"]),
        (&["a/read!", "b/read"], &["a__read", "read"]),
        (&["a/read!", "a/write"], &["a__read", "write"]),
        // A bare name that is another's qualified one.
        (&["a/read", "b/a__read"], &["read", "b__a__read"]),
        (&["a/read", "b/read", "c/a__read"], &["a__read", "b__read", "c__a__read"]),
        // `x` is no server here, or has no such tool.
        (&["a/x__y", "b/z"], &["x__y", "z"]),
        (&["a/x__y", "x/z"], &["x__y", "z"]),
        (
            &["a/mgp.tools.discover", "a/mgp_tools_discover"],
            &["a__mgp.tools.discover", "a__mgp_tools_discover"],
        ),
    ];
    for (offers, names) in cases {
        assert_eq!(named(offers), names, "{offers:?}");
    }
}

#[test]
fn what_does_not_fit_is_cut_and_marked_for_good() {
    let long = format!("a/{}", "x".repeat(70));
    let other = format!("a/{}y", "x".repeat(69));
    let names = named(&[&long, &other, "a/with space", "a/with/slash", "b/größe", "b/"]);
    // These stand in clients' configurations: they may never change.
    let x = "x".repeat(55);
    let expected = [
        format!("{x}_mylqx4og"),
        format!("{x}_t5ois6jl"),
        "with_space_fftomotz".to_owned(),
        "with_slash_q5whnogz".to_owned(),
        "gr__e_bv2tguv6".to_owned(),
        "_gjksj5cm".to_owned(),
    ];
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| fits(name)));
    let both = named(&[&long, &long.replace("a/", "b/")]);
    assert!(both[0].starts_with("a__xxx") && both[1].starts_with("b__xxx") && both.iter().all(|name| name.len() == 64));
}

#[test]
fn a_name_that_imitates_a_mark_does_not_win() {
    let marked = named(&["a/x y", "a/read"])[0].clone();
    let imitation = format!("a/{marked}");
    let names = named(&["a/x y", &imitation]);
    assert!(
        names[0] != names[1] && names.iter().all(|name| name.starts_with("a__x_y_")),
        "{names:?}"
    );
    assert_eq!(names[1], format!("a__{marked}"));
}

#[test]
fn both_names_lead_back() {
    let (a, b) = (id("a"), id("b"));
    let offer = |server, name| Offered {
        server,
        name,
        force_prefix: false,
    };
    let names = Names::new(&[offer(&a, "read"), offer(&b, "read"), offer(&b, "write")], &|_| false);
    assert_eq!(names.resolve("write"), Some(2));
    assert_eq!(names.resolve("b__write"), Some(2));
    assert_eq!(names.resolve("a__read"), Some(0));
    assert_eq!(names.resolve("read"), None);
    assert_eq!(
        (names.wire(2), names.qualified(2), names.wire(3)),
        (Some("write"), Some("b__write"), None)
    );
    assert_eq!(qualified(&b, "write"), "b__write");
    assert_eq!(split_qualified("b__write__x"), Some(("b", "write__x")));
    assert_eq!((split_qualified("write"), split_qualified("__write")), (None, None));
}

/// Servers `a`, `b`, `a_b` … with tools from few letters, so that they meet often.
fn offers() -> impl Strategy<Value = Vec<(String, String, bool)>> {
    let server = proptest::sample::select(vec!["a", "b", "c", "a_b"]).prop_map(str::to_owned);
    let tool = prop_oneof![4 => "[ab_]{1,4}", 1 => "[ab_ /é]{0,5}", 1 => "(a|b|c)__[ab]{1,2}", 1 => "[ab]{60,70}"];
    proptest::collection::vec((server, tool, proptest::bool::weighted(0.1)), 0..24).prop_map(|mut offers| {
        // A server offers a name once; the catalogue sees to it.
        offers.sort();
        offers.dedup_by(|x, y| (&x.0, &x.1) == (&y.0, &y.1));
        offers
    })
}

fn name_all(offers: &[(String, String, bool)]) -> Vec<String> {
    let ids: Vec<_> = offers.iter().map(|(server, ..)| id(server)).collect();
    let offered: Vec<_> = ids
        .iter()
        .zip(offers)
        .map(|(server, (_, name, force))| Offered {
            server,
            name,
            force_prefix: *force,
        })
        .collect();
    let names = Names::new(&offered, &|_| false);
    for i in 0..offers.len() {
        for name in [names.wire(i), names.qualified(i)] {
            assert_eq!(names.resolve(name.expect("a name")), Some(i));
        }
    }
    names.wire
}

proptest! {
    #[test]
    fn names_differ_and_fit(offers in offers()) {
        let names = name_all(&offers);
        let distinct: HashSet<_> = names.iter().collect();
        prop_assert_eq!(distinct.len(), names.len());
        prop_assert!(names.iter().all(|name| fits(name)));
    }

    #[test]
    fn the_order_of_the_offers_does_not_matter(offers in offers(), turn in 0_usize..24) {
        let names = name_all(&offers);
        let mut turned: Vec<_> = offers.iter().cloned().zip(names).collect();
        let middle = turn.min(turned.len());
        turned.rotate_left(middle);
        let (offers, names): (Vec<_>, Vec<_>) = turned.into_iter().unzip();
        prop_assert_eq!(name_all(&offers), names);
    }

    #[test]
    fn a_server_that_shares_no_name_changes_none(offers in offers(), tools in proptest::collection::hash_set("[de_]{1,3}", 0..6)) {
        let before = name_all(&offers);
        let mut more = offers.clone();
        // No tool above is called so, and none is called `new__…`.
        let shared = |tool: &String| offers.iter().any(|(_, name, _)| name == tool);
        more.extend(tools.into_iter().filter(|tool| !shared(tool)).map(|tool| ("new".to_owned(), tool, false)));
        let after = name_all(&more);
        prop_assert_eq!(&after[..before.len()], &before[..]);
    }
}
