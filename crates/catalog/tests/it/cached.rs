//! Tests of offers that outlive the gateway's process.

use catalog::Offer;
use mcp::method::ListKind;
use mcp::revision::Revision;
use proptest::prelude::*;

use crate::fixture::{declaring, id, list, raw, tools};

fn everything() -> Offer {
    let mut offer = declaring("fs", r#"{"tools":{"x":1.0},"v/own":"\ud800"}"#);
    offer.revision = Revision::V2025_06_18;
    offer.advertised.instructions = Some("Say \"when\"\n".into());
    offer.tools = list(
        ListKind::Tools,
        &[
            r#"{"name":"a","big":123456789012345678901234567890, "s":"\ud800"}"#,
            r#"{"name":"q","execution":{"taskSupport":"optional"},"inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}}}"#,
        ],
    );
    offer.tools.extras = vec![("_meta".into(), raw(r#"{"a":1}"#)), ("\"odd\" key".into(), raw("[1.0]"))];
    offer.resources = list(ListKind::Resources, &[r#"{"uri":"file:///a","name":"a"}"#]);
    offer.templates = list(ListKind::ResourceTemplates, &[r#"{"uriTemplate":"file:///{a}","name":"a"}"#]);
    offer.prompts = list(ListKind::Prompts, &[r#"{"name":"p"}"#]);
    offer
}

#[test]
fn an_offer_comes_back_byte_for_byte() {
    let offer = everything();
    let back = Offer::from_cache(&offer.to_cache(), id("fs"), true).expect("an offer");
    assert!(back.prefix && back.server == id("fs"), "these belong to the configuration");
    assert_eq!(back.revision, offer.revision);
    assert_eq!(back.advertised.capabilities, offer.advertised.capabilities);
    assert_eq!(back.advertised.info, offer.advertised.info);
    assert_eq!(back.advertised.instructions, offer.advertised.instructions);
    for kind in ListKind::ALL {
        assert!(back.same_items(&offer, kind), "{kind:?}");
        assert_eq!(back.list(kind).extras, offer.list(kind).extras, "{kind:?}");
    }
    assert!(back.tools.items[1].headers.is_some());
    assert_eq!(back.tools.items[1].task_support, offer.tools.items[1].task_support);
    assert_eq!(back.to_cache(), offer.to_cache());
}

#[test]
fn what_is_odd_is_no_offer() {
    let cache = String::from_utf8(everything().to_cache()).expect("text");
    assert!(Offer::from_cache(cache.as_bytes(), id("fs"), false).is_some());
    let altered = [
        cache.replace("\"layout\":1", "\"layout\":2"),
        cache.replace("\"layout\":1,", ""),
        cache.replace("2025-06-18", "2099-01-01"),
        cache.replace("\"instructions\":", "\"instructed\":"),
        cache.replace("\"instructions\":\"", "\"instructions\":7,\"x\":\""),
        cache.replace("{\"name\":\"p\"}", "{\"title\":\"p\"}"),
        cache.replace("{\"items\":[{\"name\":\"p\"}]", "{\"items\":{}"),
        cache.replace("\"prompts\":", "\"tools\":"),
        format!("{cache}{cache}"),
        String::new(),
        "null".to_owned(),
    ];
    for altered in altered {
        assert!(altered != cache, "the case changes something");
        assert!(Offer::from_cache(altered.as_bytes(), id("fs"), false).is_none(), "{altered}");
    }
    for end in 0..cache.len() {
        assert!(
            Offer::from_cache(&cache.as_bytes()[..end], id("fs"), false).is_none(),
            "cut at {end}"
        );
    }
}

#[test]
fn the_same_items_are_the_same_bytes_in_the_same_order() {
    let offer = tools("fs", &["a", "b"]);
    let cases = [
        (&["a", "b"][..], true),
        (&["b", "a"], false),
        (&["a"], false),
        (&["a", "b", "c"], false),
        (&["a", "c"], false),
    ];
    for (names, same) in cases {
        assert_eq!(offer.same_items(&tools("fs", names), ListKind::Tools), same, "{names:?}");
        assert!(offer.same_items(&tools("fs", names), ListKind::Prompts));
    }
    let mut described = offer.clone();
    described.tools = list(ListKind::Tools, &[r#"{"name":"a"}"#, r#"{"name":"b","title":"B"}"#]);
    assert!(!offer.same_items(&described, ListKind::Tools));
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        prop_assert!(Offer::from_cache(&bytes, id("fs"), false).is_none());
        let mut cache = everything().to_cache();
        let at = at.index(cache.len());
        cache[at] = byte;
        // Whatever the offer is, it can be shown and written again.
        if let Some(offer) = Offer::from_cache(&cache, id("fs"), false) {
            prop_assert!(Offer::from_cache(&offer.to_cache(), id("fs"), false).is_some());
        }
    }
}
