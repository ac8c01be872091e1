//! The language server as an editor meets it, without a pipe between.

use lsp_server::{Notification, Request};
use mangle::syntax::Dialect;
use serde_json::{Value, json};

use super::Server;

const URI: &str = "file:///rules.mg";
const RULES: &str = "Decl edge(X, Y) descr [doc(\"who knows whom\")] bound [/name, /name].\nedge(/a, /b).\npath(X, Y) :- edge(X, Y).\npath(X, Z) :- edge(X, Y), pth(Y, Z).\n";

struct Editor(Server);

impl Editor {
    fn open(text: &str) -> (Self, Value) {
        let documents = std::collections::BTreeMap::new();
        let mut server = Server {
            documents,
            dialect: Dialect::Strict,
        };
        let params = json!({ "textDocument": { "uri": URI, "text": text } });
        let published = server.take(&Notification::new("textDocument/didOpen".to_owned(), params));
        let found = published[0].params["diagnostics"].clone();
        (Self(server), found)
    }

    fn change(&mut self, text: &str) {
        let params = json!({ "textDocument": { "uri": URI }, "contentChanges": [{ "text": text }] });
        self.0.take(&Notification::new("textDocument/didChange".to_owned(), params));
    }

    fn ask(&self, method: &str, line: u32, character: u32, more: Value) -> Value {
        let position = json!({ "line": line, "character": character });
        let mut params = json!({
            "textDocument": { "uri": URI },
            "position": position,
            "range": { "start": position, "end": position },
        });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        let request = Request::new(1.into(), format!("textDocument/{method}"), params);
        self.0.answer(request).response_result.expect("it is served")
    }
}

#[test]
fn findings_come_with_their_fixes() {
    let (editor, found) = Editor::open(RULES);
    assert_eq!(
        (&found[0]["code"], &found[0]["range"]["start"]),
        (&json!("M0102"), &json!({ "line": 3, "character": 26 }))
    );
    let actions = editor.ask("codeAction", 3, 27, json!({}));
    assert_eq!(actions[0]["edit"]["changes"][URI][0]["newText"], "path");
}

#[test]
fn names_are_found_hovered_and_renamed() {
    let (editor, _) = Editor::open(&RULES.replace("pth", "path"));
    let hover = editor.ask("hover", 2, 15, json!({}));
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(text.contains("edge(X, Y)") && text.contains("who knows whom"), "{text}");
    assert_eq!(editor.ask("definition", 2, 15, json!({}))[0]["range"]["start"]["line"], 0);
    assert_eq!(editor.ask("references", 2, 15, json!({})).as_array().map(Vec::len), Some(4));
    let renamed = editor.ask("rename", 3, 19, json!({ "newName": "From" }));
    assert_eq!(renamed["changes"][URI].as_array().map(Vec::len), Some(2), "X of the last rule only");
}

#[test]
fn documents_are_formatted_and_completed() {
    let (editor, _) = Editor::open("a( /x ).b(X):-a(X).");
    assert_eq!(editor.ask("formatting", 0, 0, json!({}))[0]["newText"], "a(/x).\nb(X) :- a(X).\n");
    let labels = editor.ask("completion", 0, 0, json!({}));
    assert!(labels.as_array().expect("a list").iter().any(|item| item["label"] == "fn:plus"));
}

#[test]
fn a_bound_of_an_interval_is_a_time() {
    let (editor, _) =
        Editor::open("Decl stay(X) temporal bound [/name].\nstay(/ann)@[2024-01-01].\nwho(X) :- stay(X)@[S, _], :time:lt(S, S).\n");
    let hover = editor.ask("hover", 2, 19, json!({}));
    assert_eq!(hover["contents"]["value"], "```mangle\nS : /time\n```");
}

#[test]
fn an_unfinished_clause_takes_nothing_from_the_others() {
    let rules = RULES.replace("pth", "path");
    let (mut editor, _) = Editor::open(&rules);
    editor.change(&format!("{rules}far(Who) :- path(Who, Where), "));
    let hover = editor.ask("hover", 2, 1, json!({}));
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(
        text.contains("path(_, _)") && text.contains("bound [/name, /name]") && text.contains("stratum 0"),
        "{text}"
    );
    let hover = editor.ask("hover", 3, 8, json!({}));
    assert_eq!(hover["contents"]["value"], "```mangle\nZ : /name\n```");
    let items = editor.ask("completion", 4, 30, json!({}));
    let labels: Vec<&str> = items
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect();
    for wanted in ["Who", "Where", "path", "edge", "fn:plus"] {
        assert!(labels.contains(&wanted), "`{wanted}` is not among {labels:?}");
    }
}
