//! The language server over real pipes, driven by a scripted editor.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::machine::Machine;

const URI: &str = "file:///rules.mg";
const RULES: &str = "\
# Who knows whom, in Zürich: 𝔘.
Decl edge(X, Y) descr [doc(\"who knows whom\")] bound [/name, /name].
edge(/a, /b).
path(X, Y) :- edge(X, Y).
path(X, Z) :- edge(X, Y), path(Y, Z).
far(\"𝔘\", N) :- path(_, _) |> do fn:group_by(), let N = fn:count().
";

struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    sent: u64,
    /// What was published last for each document.
    findings: Vec<Value>,
}

impl Editor {
    fn start(machine: &Machine) -> Self {
        let mut command = machine.command(&["mangle", "lsp"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary");
        let mut editor = Self {
            to: child.stdin.take().expect("it is piped"),
            from: BufReader::new(child.stdout.take().expect("it is piped")),
            child,
            sent: 0,
            findings: Vec::new(),
        };
        let capabilities = editor.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        assert_eq!(capabilities["capabilities"]["hoverProvider"], true);
        assert_eq!(capabilities["serverInfo"]["name"], "chancery mangle lsp");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it listens");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.whole(method, params)["result"].take()
    }

    fn whole(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.sent, "method": method, "params": params }));
        loop {
            let message = self.message();
            if message["method"] == "textDocument/publishDiagnostics" {
                self.findings.push(message["params"].clone());
            } else {
                assert_eq!(message["id"], self.sent, "answers come in order");
                return message;
            }
        }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).expect("a header");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a length"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "mangle", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, text: &str) {
        let params = json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", params);
    }

    /// Asks about a place.
    fn at(&mut self, method: &str, line: u32, character: u32, more: Value) -> Value {
        let mut params = json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } });
        for (key, value) in more.as_object().into_iter().flatten() {
            params[key] = value.clone();
        }
        self.ask(&format!("textDocument/{method}"), params)
    }

    /// Returns the codes of what is wrong with the document, once everything that was sent is done.
    fn codes(&mut self) -> Vec<String> {
        self.at("documentSymbol", 0, 0, json!({}));
        let last = self.findings.iter().rev().find(|found| found["uri"] == URI).expect("findings");
        let found = last["diagnostics"].as_array().expect("a list").iter();
        found.map(|one| one["code"].as_str().expect("a code").to_owned()).collect()
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn starts(places: &Value) -> Vec<(u64, u64)> {
    let start = |place: &Value| {
        let start = &place["range"]["start"];
        (
            start["line"].as_u64().expect("a line"),
            start["character"].as_u64().expect("a column"),
        )
    };
    places.as_array().expect("places").iter().map(start).collect()
}

#[test]
fn an_editor_is_served_from_opening_to_exit() {
    let machine = Machine::new();
    let mut editor = Editor::start(&machine);
    editor.open(URI, RULES);
    assert_eq!(editor.codes(), [""; 0]);

    let hover = editor.at("hover", 4, 27, json!({}));
    let text = hover["contents"]["value"].as_str().expect("text");
    assert!(text.contains("bound [/name, /name]") && text.contains("stratum 0"), "{text}");
    let hover = editor.at("hover", 4, 5, json!({}));
    assert!(
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("X : /name")),
        "{hover}"
    );

    assert_eq!(starts(&editor.at("definition", 3, 15, json!({}))), [(1, 5)]);
    let context = json!({ "context": { "includeDeclaration": true } });
    assert_eq!(starts(&editor.at("references", 4, 27, context)), [(3, 0), (4, 0), (4, 26), (5, 16)]);
    let without = json!({ "context": { "includeDeclaration": false } });
    assert_eq!(starts(&editor.at("references", 4, 27, without)), [(4, 26), (5, 16)]);

    let edits = editor.at("rename", 5, 17, json!({ "newName": "way" }));
    let edits = edits["changes"][URI].as_array().expect("edits");
    assert_eq!(edits.len(), 4, "the astral letter before it counts as two");
    let refused = editor.whole(
        "textDocument/rename",
        json!({ "textDocument": { "uri": URI }, "position": { "line": 5, "character": 17 }, "newName": "Not a name" }),
    );
    assert!(
        refused["error"]["message"].as_str().is_some_and(|text| text.contains("Not a name")),
        "{refused}"
    );

    let labels = editor.at("completion", 4, 27, json!({}));
    let has = |label: &str| labels.as_array().expect("a list").iter().any(|item| item["label"] == label);
    assert!(has("edge") && has("fn:plus") && has(":list:member") && has("Y"), "{labels}");
    editor.end();
}

#[test]
fn what_is_typed_is_judged_as_it_is_typed() {
    let machine = Machine::new();
    let mut editor = Editor::start(&machine);
    editor.open(URI, RULES);
    editor.change(&RULES.replace("path(Y, Z)", "pth(Y, Z)"));
    assert_eq!(editor.codes(), ["M0102"]);
    let range = json!({ "range": { "start": { "line": 4, "character": 27 }, "end": { "line": 4, "character": 27 } } });
    let actions = editor.at("codeAction", 4, 27, range);
    assert_eq!(actions[0]["edit"]["changes"][URI][0]["newText"], "path");

    editor.change("p( /a ).q(X):-p(X).");
    assert_eq!(editor.codes(), [""; 0]);
    let edits = editor.at("formatting", 0, 0, json!({}));
    assert_eq!(edits[0]["newText"], "p(/a).\nq(X) :- p(X).\n");

    editor.change("p(/a");
    assert_eq!(editor.codes().len(), 1, "half a clause is one finding");
    assert_eq!(
        editor.at("formatting", 0, 0, json!({})),
        Value::Null,
        "what cannot be read is left alone"
    );
    editor.change("");
    assert_eq!(editor.codes(), [""; 0], "an empty document is well");
    editor.end();
}

#[test]
fn a_package_is_found_in_another_document() {
    let machine = Machine::new();
    let mut editor = Editor::start(&machine);
    editor.open("file:///shop.mg", "Package shop!\ntool(/saw).\n");
    editor.open(URI, "Use shop!\nown(X) :- shop.tool(X).\n");
    assert_eq!(editor.codes(), [""; 0]);
    let places = editor.at("definition", 1, 18, json!({}));
    assert_eq!(places[0]["uri"], "file:///shop.mg");
    // A change over there is news here.
    let params =
        json!({ "textDocument": { "uri": "file:///shop.mg", "version": 2 }, "contentChanges": [{ "text": "Package shop!\nbox(/b).\n" }] });
    editor.tell("textDocument/didChange", params);
    assert_eq!(editor.codes(), ["M0102"]);
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": "file:///shop.mg" } }));
    assert_eq!(
        editor.ask("nonsense", json!({})),
        Value::Null,
        "an unknown request is an error, not the end"
    );
    editor.end();
}

/// Returns the edits of a rename by document, as the texts that they put there.
fn edits(answer: &Value) -> Vec<(String, Vec<String>)> {
    let changes = answer["changes"].as_object().expect("changes").iter();
    let texts = |edits: &Value| {
        let edits = edits.as_array().expect("edits").iter();
        edits.map(|edit| edit["newText"].as_str().expect("a text").to_owned()).collect()
    };
    let mut all: Vec<(String, Vec<String>)> = changes.map(|(uri, edits)| (uri.clone(), texts(edits))).collect();
    all.sort();
    all
}

#[test]
fn a_rename_reaches_the_files_that_use_a_package() {
    let machine = Machine::new();
    let uri = |name: &str| format!("file://{}", machine.path(&format!("project/{name}")).display());
    machine.write("project/shop.mg", "Package shop!\ntool(/saw).\n");
    machine.write("project/more.mg", "Package shop!\nold(X) :- tool(X).\n");
    machine.write("project/wish list.mg", "Use shop!\nwish(X) :- shop.tool(X).\n");
    machine.write("project/other.mg", "tool(/axe).\n");
    let mut editor = Editor::start(&machine);
    let text = std::fs::read_to_string(machine.path("project/shop.mg")).expect("it was just written");
    editor.open(&uri("shop.mg"), &text);
    let place = json!({ "textDocument": { "uri": uri("shop.mg") }, "position": { "line": 1, "character": 1 }, "newName": "gear" });
    let changes = edits(&editor.ask("textDocument/rename", place.clone()));
    assert_eq!(
        changes,
        [
            (uri("more.mg"), vec!["gear".to_owned()]),
            (uri("shop.mg"), vec!["gear".to_owned()]),
            (uri("wish%20list.mg"), vec!["shop.gear".to_owned()]),
        ]
    );
    assert_eq!(editor.ask("textDocument/references", place).as_array().map(Vec::len), Some(3));
    // What another file of the package defines is no mistake here.
    editor.open(&uri("more.mg"), "Package shop!\nold(X) :- tool(X).\n");
    editor.open(URI, "p(/a).");
    assert_eq!(editor.codes(), [""; 0]);
    let of_more = editor.findings.iter().rev().find(|found| found["uri"] == uri("more.mg"));
    assert_eq!(of_more.expect("findings")["diagnostics"], json!([]));
    editor.end();
}

#[test]
fn a_rename_never_makes_two_things_one() {
    let text = "Decl best(X, D) descr [fundep([X], [D]), merge([D], \"less\")].\nDecl less(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\n\
                less(A, B, C) :- A <= B, C = A.\nless(A, B, C) :- B < A, C = B.\nbest(/a, 1).\n";
    let machine = Machine::new();
    let mut editor = Editor::start(&machine);
    editor.open(URI, text);
    assert_eq!(editor.codes(), [""; 0]);
    let changes = edits(&editor.at("rename", 2, 1, json!({ "newName": "smaller" })));
    assert_eq!(changes[0].1.len(), 4, "the name in `merge` too: {changes:?}");
    let mut refused = |line: u32, character: u32, name: &str| {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": position, "newName": name });
        let answer = editor.whole("textDocument/rename", params);
        answer["error"]["message"].as_str().map(str::to_owned).unwrap_or_default()
    };
    assert!(refused(2, 1, "best").contains("is taken"));
    assert!(refused(2, 5, "B").contains("is taken"));
    assert!(refused(2, 5, "b").contains("no name of a variable"));
    assert!(refused(5, 0, "x").contains("nothing to rename"));
    let range = editor.at("prepareRename", 2, 1, json!({}));
    assert_eq!((&range["start"]["character"], &range["end"]["character"]), (&json!(0), &json!(4)));
    editor.end();
}

#[test]
fn a_completion_says_what_it_replaces() {
    let machine = Machine::new();
    let mut editor = Editor::start(&machine);
    editor.open(URI, "p(1).\nq(Y) :- p(X), Y = fn:pl");
    let items = editor.at("completion", 1, 23, json!({}));
    let plus = items.as_array().expect("a list").iter().find(|item| item["label"] == "fn:plus");
    let range = &plus.expect("it is there")["textEdit"]["range"];
    assert_eq!((&range["start"]["character"], &range["end"]["character"]), (&json!(18), &json!(23)));
    editor.end();
}

#[test]
fn an_exit_without_a_shutdown_ends_badly() {
    let machine = Machine::new();
    let mut editor = Editor::start(&machine);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn who_types_fast_gets_the_findings_of_the_last_text() {
    let machine = Machine::new();
    let mut editor = Editor::start(&machine);
    editor.open(URI, RULES);
    for length in 0..200 {
        editor.change(&format!("p(/a).\nq(X) :- {}(X).\n", "p".repeat(1 + length % 7)));
    }
    editor.change("p(/a).\nq(X) :- p(X).\n");
    assert_eq!(editor.codes(), [""; 0]);
    editor.end();
}
