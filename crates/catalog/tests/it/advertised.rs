//! Tests of what the gateway advertises.

use std::sync::Arc;

use catalog::{Offer, View};
use mcp::revision::Revision;

use crate::fixture::{declaring, id};

fn capabilities(offers: &[Offer], missing: &[&str]) -> String {
    let offers = offers.iter().cloned().map(Arc::new).collect();
    let view = View::build(offers, missing.iter().map(|server| id(server)).collect(), 0);
    String::from_utf8(view.advertised().capabilities.raw().canonical()).expect("text")
}

#[test]
fn capabilities_are_those_of_all_servers_and_lists_may_change() {
    let fs = declaring("fs", r#"{"tools":{"x":1.0},"v/own":{"b":1,"a":2}}"#);
    let git = declaring("git", r#"{"resources":{"subscribe":true,"listChanged":false},"logging":{}}"#);
    let every = r#""prompts":{"listChanged":true},"resources":{"listChanged":true},"tools":{"listChanged":true}"#;
    let cases = [
        (&[][..], &[][..], "{}".to_owned()),
        (&[], &["db"], format!("{{{every}}}")),
        (&[fs.clone()][..], &[], r#"{"tools":{"listChanged":true,"x":1.0},"v/own":{"a":2,"b":1}}"#.to_owned()),
        (
            &[fs.clone(), git.clone()],
            &[],
            r#"{"logging":{},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true,"x":1.0},"v/own":{"a":2,"b":1}}"#.to_owned(),
        ),
        (
            &[git],
            &["db"],
            r#"{"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}"#.to_owned(),
        ),
    ];
    for (offers, missing, expected) in cases {
        assert_eq!(capabilities(offers, missing), expected);
    }
}

#[test]
fn one_servers_capabilities_keep_their_bytes() {
    let offer = declaring("fs", r#"{ "z":1.0, "tools" : {"listChanged":true} , "a":{} }"#);
    let view = View::build(vec![Arc::new(offer)], Vec::new(), 0);
    assert_eq!(
        view.advertised().capabilities.raw().text(),
        r#"{ "z":1.0, "tools" : {"listChanged":true} , "a":{} }"#
    );
}

#[test]
fn tasks_of_either_era_are_said_in_legacy_words() {
    let core = r#"{"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}},"tools":{}}"#;
    let legacy = declaring("fs", core);
    let mut modern = declaring("git", r#"{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#);
    modern.revision = Revision::V2026_07_28;
    for offers in [vec![legacy.clone()], vec![modern.clone()], vec![legacy, modern]] {
        let view = View::build(offers.into_iter().map(Arc::new).collect(), Vec::new(), 0);
        assert!(view.advertised().capabilities.tasks_call());
        assert!(!view.advertised().capabilities.tasks_extension());
    }
}

#[test]
fn instructions_are_the_servers_own_or_sections() {
    let says = |server: &str, text: Option<&str>| {
        let mut offer = declaring(server, "{}");
        offer.advertised.instructions = text.map(str::to_owned);
        offer
    };
    let cases = [
        (vec![], 0, None),
        (vec![says("fs", None)], 0, None),
        (vec![says("fs", Some(" As it is.\n"))], 0, Some(" As it is.\n")),
        (vec![says("fs", Some(" As it is.\n"))], 1, Some("# fs\n\nAs it is.")),
        (vec![says("fs", Some("Read.")), says("git", None)], 0, Some("# fs\n\nRead.")),
        (
            vec![says("fs", Some("Read.")), says("db", Some("\n")), says("git", Some("Log."))],
            0,
            Some("# fs\n\nRead.\n\n# git\n\nLog."),
        ),
        (vec![says("fs", None), says("git", None)], 0, None),
    ];
    for (offers, missing, expected) in cases {
        let missing = [id("late")].into_iter().take(missing).collect();
        let view = View::build(offers.into_iter().map(Arc::new).collect(), missing, 0);
        assert_eq!(view.advertised().instructions.as_deref(), expected);
    }
}
