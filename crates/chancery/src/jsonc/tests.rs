//! Reading and changing JSON with comments.

use expect_test::{Expect, expect};
use serde_json::json;

use super::{parse, remove, set};
use crate::config::Source;

fn check_set(text: &str, path: &[&str], expected: &Expect) {
    let new = set(text, path, &json!({"command": "c", "args": ["stdio"]})).expect("an edit");
    // Carriage returns are written out, because they would be invisible.
    expected.assert_eq(&new.replace('\r', "␍"));
    // What was added is found again, and taking it out gives the text back, where nothing had to be made for it.
    let source = Source::json("", new.clone());
    let root = parse(&source).expect("still JSON");
    assert!(path.iter().try_fold(&root, |node, key| node.get(key)).is_some());
    if path.len() > 1 && text.contains(&format!("\"{}\"", path[0])) && !text.contains(&format!("\"{}\"", path[1])) {
        let back = remove(&new, path).expect("an edit");
        let source = Source::json("", back);
        assert!(
            parse(&source)
                .expect("still JSON")
                .get(path[0])
                .expect("the parent")
                .get(path[1])
                .is_none()
        );
    }
}

const PATH: [&str; 2] = ["mcpServers", "chancery"];

#[test]
fn into_an_empty_file() {
    check_set(
        "",
        &PATH,
        &expect![[r#"
        {
          "mcpServers": {
            "chancery": {
              "command": "c",
              "args": [
                "stdio"
              ]
            }
          }
        }
    "#]],
    );
    check_set(
        "{}",
        &PATH,
        &expect![[r#"
        {
          "mcpServers": {
            "chancery": {
              "command": "c",
              "args": [
                "stdio"
              ]
            }
          }
        }"#]],
    );
    check_set(
        "{\n  // nothing yet\n}\n",
        &PATH,
        &expect![[r#"
        {
          // nothing yet
          "mcpServers": {
            "chancery": {
              "command": "c",
              "args": [
                "stdio"
              ]
            }
          }
        }
    "#]],
    );
}

#[test]
fn behind_others_with_their_indentation() {
    check_set(
        "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"} // first\n\t},\n\t\"other\": 1.0\n}\n",
        &PATH,
        &expect![[r#"
        {
        	"mcpServers": {
        		"a": {"command": "x"}, // first
        		"chancery": {
        			"command": "c",
        			"args": [
        				"stdio"
        			]
        		}
        	},
        	"other": 1.0
        }
    "#]],
    );
    check_set(
        "{\n    \"mcpServers\": {\n        \"a\": {},\n    },\n}\n",
        &PATH,
        &expect![[r#"
        {
            "mcpServers": {
                "a": {},
                "chancery": {
                    "command": "c",
                    "args": [
                        "stdio"
                    ]
                },
            },
        }
    "#]],
    );
    check_set(
        "{\"mcpServers\": {\"a\": {}}}",
        &PATH,
        &expect![[r#"{"mcpServers": {"a": {}, "chancery": {"command":"c","args":["stdio"]}}}"#]],
    );
    check_set(
        "{\r\n  \"mcpServers\": {}\r\n}\r\n",
        &PATH,
        &expect![[r#"
            {␍
              "mcpServers": {␍
                "chancery": {␍
                  "command": "c",␍
                  "args": [␍
                    "stdio"␍
                  ]␍
                }␍
              }␍
            }␍
        "#]],
    );
}

#[test]
fn in_place_of_what_is_there() {
    check_set(
        "{\n  \"mcpServers\": {\n    \"chancery\": {\"old\": true}, // ours\n    \"b\": {}\n  }\n}",
        &PATH,
        &expect![[r#"
        {
          "mcpServers": {
            "chancery": {
              "command": "c",
              "args": [
                "stdio"
              ]
            }, // ours
            "b": {}
          }
        }"#]],
    );
}

#[test]
fn not_into_something_else() {
    assert!(set("{\"mcpServers\": []}", &PATH, &json!(1)).is_err());
    assert!(set("[1]", &PATH, &json!(1)).is_err());
    assert!(set("{\"mcpServers\": {}", &PATH, &json!(1)).is_err());
}

fn check_remove(text: &str, expected: &Expect) {
    let new = remove(text, &["m", "x"]).expect("an edit");
    parse(&Source::json("", new.clone())).expect("still JSON");
    expected.assert_eq(&new);
}

#[test]
fn out_again() {
    check_remove(
        "{\n  \"m\": {\n    \"a\": 1, // one\n    \"x\": {\"y\": 2}\n  }\n}\n",
        &expect![[r#"
        {
          "m": {
            "a": 1 // one
          }
        }
    "#]],
    );
    check_remove(
        "{\n  \"m\": {\n    \"x\": {\"y\": 2}, // ours\n    \"a\": 1\n  }\n}\n",
        &expect![[r#"
            {
              "m": {
                "a": 1
              }
            }
        "#]],
    );
    // A comment behind the member goes with it; one on a line of its own stays.
    check_remove(
        "{\n  // all\n  \"m\": {\n    // above\n    \"x\": {\"y\": 2}, // ours\n    // below\n    /* and */ \"a\": 1\n  }\n}\n",
        &expect![[r#"
            {
              // all
              "m": {
                // above
                // below
                /* and */ "a": 1
              }
            }
        "#]],
    );
    check_remove(
        "{\"m\": {\n  // above\n  \"x\": 1\n  // below\n}}",
        &expect![[r#"
        {"m": {
          // above
          // below
        }}"#]],
    );
    check_remove("{\"m\": {\"x\": 1}}", &expect![[r#"{"m": {}}"#]]);
    check_remove("{\"m\": {\"a\": 1, \"x\": 1}}", &expect![[r#"{"m": {"a": 1}}"#]]);
    check_remove("{\"m\": {\"x\": 1, \"a\": 1}}", &expect![[r#"{"m": { "a": 1}}"#]]);
    check_remove("{\"m\": {\"a\": 1, \"x\": 1,}}", &expect![[r#"{"m": {"a": 1,}}"#]]);
    check_remove("{\"n\": {\"x\": 1}}", &expect![[r#"{"n": {"x": 1}}"#]]);
}

fn wrong(text: &str) -> String {
    parse(&Source::json("f", text.to_owned())).expect_err("not JSON").to_string()
}

#[test]
fn what_is_not_json_says_where() {
    assert_eq!(wrong("{\"a\" 1}"), "f:1:6: this is not valid JSON: a `:` should stand here");
    assert_eq!(
        wrong("{\n  \"a\": [1 2]}"),
        "f:2:11: this is not valid JSON: `,` or `]` should stand here"
    );
    assert_eq!(wrong("{\"a\": \"x}"), "f:1:7: this is not valid JSON: a string has no end");
    assert_eq!(
        wrong("{\"a\": \"x,\n\"b\": \"y\"}"),
        "f:1:7: this is not valid JSON: a string has no end"
    );
    assert_eq!(
        wrong("{\"a\": \"x\ty\"}"),
        "f:1:7: this is not valid JSON: a string holds a wrong escape or a control character"
    );
    assert_eq!(
        wrong("{\"a\": [], // b\n \"c\" \"d\": 1 \"e\": 2}"),
        "f:2:6: this is not valid JSON: a `:` should stand here"
    );
    assert_eq!(wrong("{\"a\": [1, 2"), "f:1:12: this is not valid JSON: it ends too early");
    assert_eq!(
        wrong("{\"a\": x}"),
        "f:1:7: this is not valid JSON: a value should stand here; text needs quotes"
    );
    assert_eq!(wrong("{\"a\": 1, \"a\": 2}"), "f:1:10: the key `a` stands here twice");
    assert_eq!(
        wrong("{\"a\": \"\\x\"}"),
        "f:1:7: this is not valid JSON: a string holds a wrong escape or a control character"
    );
    assert_eq!(
        wrong("{} {}"),
        "f:1:4: this is not valid JSON: there is more after the end of the value"
    );
    assert_eq!(wrong("/* open"), "f:1:1: this is not valid JSON: a comment has no end");
    assert!(wrong(&"[".repeat(100_000)).contains("nested too deeply"));
}

#[test]
fn comments_commas_and_a_byte_order_mark() {
    let text = "\u{feff}// a\n{ /* b */ \"a\" : [1, -2.5e3, true, null, \"\\u00e9\",], }";
    let root = parse(&Source::json("f", text.to_owned())).expect("JSON");
    let items = root.get("a").expect("a").list();
    assert_eq!(items.len(), 5);
    assert_eq!(items[0].int(), Some(1));
    assert_eq!(items[4].text(), Some("é"));
}

mod property {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;
    use serde_json::{Value, json};

    use super::super::{parse, remove, set};
    use crate::config::Source;

    fn plain(text: &str) -> Value {
        serde_json::from_str(text).expect("plain JSON")
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

        /// However an object is laid out, an edit changes what it says and nothing else.
        #[test]
        fn edits_say_what_they_should(keys in prop::collection::btree_map("[a-c]{1,2}", 0_i64..9, 0..5), pretty: bool, key in "[a-c]{1,2}") {
            let inner = json!(keys);
            let whole = json!({"before": [1, {"x": 2}], "m": inner, "after": "y"});
            let text = if pretty { format!("{whole:#}") } else { whole.to_string() };
            let with = set(&text, &["m", &key], &json!({"n": [true]})).expect("an edit");
            let mut expected = whole.clone();
            expected["m"][&key] = json!({"n": [true]});
            prop_assert_eq!(plain(&with), expected.clone());
            let without = remove(&with, &["m", &key]).expect("an edit");
            expected["m"].as_object_mut().expect("an object").remove(&key);
            prop_assert_eq!(plain(&without), expected);
            if !keys.contains_key(&key) && !keys.is_empty() {
                prop_assert_eq!(without, text);
            }
        }

        /// Nothing makes the parser panic, and what serde reads, it reads.
        #[test]
        fn any_text(text in "[\\[\\]{}:,\"a-b0-1/*. \n\\\\-]{0,40}") {
            let parsed = parse(&Source::json("f", text.clone()));
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                let duplicates = parsed.as_ref().is_err_and(|problem| problem.message().contains("twice"));
                prop_assert!(parsed.is_ok() || duplicates, "{} {:?}", value, parsed);
            }
            set(&text, &["m", "x"], &json!(1)).ok();
            remove(&text, &["m", "x"]).ok();
        }
    }
}
