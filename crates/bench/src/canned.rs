//! The canned answers, rendered once at start, so that sending one costs only the splice of its id.

use bytes::{Buf, Bytes};
use serde_json::{Value, json};

use crate::envelope::{Era, LEGACY_REVISIONS, MODERN};

/// The tool with the small result, and the length of its text.
pub(crate) const SMALL: (&str, usize) = ("echo", 200);
/// The tool with the large result, and the length of its text.
pub(crate) const LARGE: (&str, usize) = ("echo_large", 100_000);

/// The tool of a changing server that changes its list; what it answers is the small result.
pub(crate) const CHANGE: &str = "change";
/// What a changing server says once its list is another.
pub(crate) const CHANGED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

/// The beginning of every answer; the id follows.
const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;

/// An answer without its id.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    tail: Bytes,
}

impl Answer {
    fn new(result: &Value) -> Self {
        Self {
            tail: format!(r#","result":{result}}}"#).into(),
        }
    }

    /// Returns the answer to the request `id`, without copying the result.
    pub(crate) fn for_id(&self, id: &str) -> bytes::buf::Chain<Bytes, Bytes> {
        Bytes::from([HEAD, id.as_bytes()].concat()).chain(self.tail.clone())
    }

    /// Appends the answer to the request `id` to `out`.
    pub(crate) fn write_to(&self, id: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(HEAD);
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(&self.tail);
    }
}

/// Every answer in the form of one era.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) small: Answer,
    pub(crate) large: Answer,
    pub(crate) tools: Answer,
    /// The list after a change, in which one tool is described in other words.
    pub(crate) changed: Answer,
}

impl Results {
    fn new(era: Era, tools: &Tools<'_>) -> Self {
        let call = |length| {
            let text: Value = serde_json::from_str(&literal(length)).expect("`literal` renders a JSON string");
            Answer::new(&in_era(era, json!({"content": [{"type": "text", "text": text}]})))
        };
        let list = |definitions: Vec<Value>| {
            let mut list = in_era(era, json!({"tools": definitions}));
            if era == Era::Modern {
                list["ttlMs"] = json!(3_600_000);
                list["cacheScope"] = json!("public");
            }
            Answer::new(&list)
        };
        let definitions: Vec<Value> = (0..tools.count).map(|n| tools.definition(n)).collect();
        let mut changed = definitions.clone();
        if let Some(last) = changed.last_mut() {
            last["description"] = json!("Is described in other words than before.");
        }
        Self {
            small: call(SMALL.1),
            large: call(LARGE.1),
            tools: list(definitions),
            changed: list(changed),
        }
    }
}

/// Every answer that a canned server sends.
#[derive(Debug)]
pub(crate) struct Canned {
    pub(crate) legacy: Results,
    pub(crate) modern: Results,
    pub(crate) discover: Answer,
    pub(crate) empty: Answer,
    initialize: Vec<(&'static str, Answer)>,
}

impl Canned {
    /// Renders everything.
    pub(crate) fn new(tools: &Tools<'_>) -> Self {
        let initialize = |revision| Answer::new(&initialize_result(revision, tools.changing));
        Self {
            legacy: Results::new(Era::Legacy, tools),
            modern: Results::new(Era::Modern, tools),
            discover: Answer::new(&discover_result()),
            empty: Answer::new(&json!({})),
            initialize: LEGACY_REVISIONS.iter().map(|revision| (*revision, initialize(revision))).collect(),
        }
    }

    /// Returns the answer to `initialize`: the requested revision if we have it, else the newest we have.
    pub(crate) fn initialize(&self, asked: &str) -> &Answer {
        let known = self.initialize.iter().find(|(revision, _)| *revision == asked);
        &known.unwrap_or(&self.initialize[0]).1
    }

    /// Returns the other answers in the form of `era`.
    pub(crate) fn results(&self, era: Era) -> &Results {
        match era {
            Era::Legacy => &self.legacy,
            Era::Modern => &self.modern,
        }
    }
}

/// The tools that a canned server lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tools<'a> {
    /// What every name begins with.
    pub(crate) prefix: &'a str,
    /// How many there are, with those that answer calls.
    pub(crate) count: usize,
    /// Whether one of them, [`CHANGE`], changes the list.
    pub(crate) changing: bool,
}

impl Tools<'_> {
    /// The `n`th tool: first those that answer, then as many of ordinary size as are asked for.
    fn definition(&self, n: usize) -> Value {
        let name = match n {
            0 => SMALL.0.to_owned(),
            1 => LARGE.0.to_owned(),
            2 if self.changing => CHANGE.to_owned(),
            _ => format!("tool_{n:03}"),
        };
        json!({
            "name": format!("{}{name}", self.prefix),
            "description": format!("Answers with a fixed text, whatever it is asked; number {n} of its server's tools."),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "what to repeat"},
                    "times": {"type": "integer", "description": "how often", "minimum": 1, "maximum": 100},
                },
                "required": ["text"],
            },
            "annotations": {"readOnlyHint": true, "idempotentHint": true},
        })
    }
}

/// Returns a JSON string of exactly `length` bytes between its quotes, with the line ends and quotation marks of real
/// text, so that a proxy that examines strings does the work that it would do outside a benchmark.
pub(crate) fn literal(length: usize) -> String {
    let mut text = String::with_capacity(length + 96);
    for line in 0.. {
        let next = format!("{line:06} the scribe writes \\\"{line:x}\\\" into the roll and hands it on\\n");
        if text.len() + next.len() > length {
            break;
        }
        text.push_str(&next);
    }
    text.push_str(&".".repeat(length - text.len()));
    format!("\"{text}\"")
}

fn server_info() -> Value {
    json!({"name": "bench-upstream", "version": "1.0.0"})
}

fn initialize_result(revision: &str, changing: bool) -> Value {
    let tools = if changing { json!({"listChanged": true}) } else { json!({}) };
    json!({"protocolVersion": revision, "capabilities": {"tools": tools}, "serverInfo": server_info()})
}

fn discover_result() -> Value {
    let mut result = in_era(Era::Modern, json!({"supportedVersions": [MODERN], "capabilities": {"tools": {}}}));
    result["ttlMs"] = json!(3_600_000);
    result["cacheScope"] = json!("public");
    result
}

/// Adds the fields of every modern result (2026-07-28 basic/index).
fn in_era(era: Era, mut result: Value) -> Value {
    if era == Era::Modern {
        result["resultType"] = json!("complete");
        result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": server_info()});
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(prefix: &str, count: usize) -> Tools<'_> {
        Tools {
            prefix,
            count,
            changing: false,
        }
    }

    fn parsed(answer: &Answer, id: &str) -> Value {
        let mut bytes = Vec::new();
        answer.write_to(id, &mut bytes);
        let mut chained = answer.for_id(id);
        assert_eq!(chained.copy_to_bytes(chained.remaining()), bytes, "both ways of writing agree");
        serde_json::from_slice(&bytes).expect("an answer is JSON")
    }

    #[test]
    fn literals_have_the_length_they_promise() {
        for length in [0, 1, 50, SMALL.1, LARGE.1] {
            let literal = literal(length);
            assert_eq!(literal.len(), length + 2);
            serde_json::from_str::<String>(&literal).expect("a literal is JSON");
        }
    }

    #[test]
    fn ids_are_spliced_as_they_came() {
        let canned = Canned::new(&plain("", 2));
        assert_eq!(parsed(&canned.empty, "7"), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
        let small = parsed(&canned.modern.small, r#""a\"b""#);
        assert_eq!(small["id"], json!("a\"b"));
        assert_eq!(small["result"]["resultType"], "complete");
        assert_eq!(parsed(&canned.legacy.small, "1")["result"].get("resultType"), None);
    }

    #[test]
    fn lists_have_the_tools_that_answer() {
        let list = parsed(&Canned::new(&plain("u07_", 10)).legacy.tools, "1");
        let names: Vec<_> = list["result"]["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(|t| &t["name"])
            .collect();
        assert_eq!(names.len(), 10);
        assert_eq!(
            (names[0], names[1], names[9]),
            (&json!("u07_echo"), &json!("u07_echo_large"), &json!("u07_tool_009"))
        );
    }

    #[test]
    fn a_change_concerns_one_tool() {
        let tools = Tools {
            changing: true,
            ..plain("u07_", 5)
        };
        let canned = Canned::new(&tools);
        let list = |answer| parsed(answer, "1")["result"]["tools"].clone();
        let (before, after) = (list(&canned.legacy.tools), list(&canned.legacy.changed));
        assert_eq!(before[2]["name"], "u07_change");
        let differ: Vec<usize> = (0..5).filter(|n| before[n] != after[n]).collect();
        assert_eq!(differ, [4]);
        assert_eq!(before[4]["name"], after[4]["name"]);
        let capabilities = parsed(canned.initialize("2025-06-18"), "1")["result"]["capabilities"].clone();
        assert_eq!(capabilities, json!({"tools": {"listChanged": true}}));
    }

    #[test]
    fn an_unknown_revision_gets_the_newest() {
        let canned = Canned::new(&plain("", 2));
        let revision = |asked| parsed(canned.initialize(asked), "1")["result"]["protocolVersion"].clone();
        assert_eq!(revision("2025-03-26"), "2025-03-26");
        assert_eq!(revision("1999-01-01"), "2025-11-25");
    }
}
