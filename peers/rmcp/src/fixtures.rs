//! The tools, resources and prompts that the server offers, read once from the JSON files beside the sources.

use std::sync::LazyLock;

use rmcp::model::{CallToolResult, Prompt, PromptMessage, Resource, ResourceContents, ResourceTemplate, ResultType, Tool};
use serde_json::{Map, Value, json};

pub struct Fixtures {
    pub tools: Vec<Tool>,
    pub prompts: Vec<Prompt>,
    pub resources: Vec<Resource>,
    pub templates: Vec<ResourceTemplate>,
    results: Value,
    messages: Value,
    contents: Value,
}

pub static FIXTURES: LazyLock<Fixtures> = LazyLock::new(|| {
    let mut prompts = parse(include_str!("../fixtures/prompts.json"));
    let mut resources = parse(include_str!("../fixtures/resources.json"));
    Fixtures {
        tools: typed(parse(include_str!("../fixtures/tools.json"))),
        prompts: typed(prompts["listed"].take()),
        resources: typed(resources["listed"].take()),
        templates: typed(resources["templates"].take()),
        results: parse(include_str!("../fixtures/results.json")),
        messages: prompts["messages"].take(),
        contents: resources["contents"].take(),
    }
});

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("the fixture files are JSON")
}

fn typed<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("the fixture files fit the types of rmcp")
}

impl Fixtures {
    /// Returns the result of a tool with a fixed answer.
    pub fn result(&self, tool: &str) -> Option<CallToolResult> {
        let mut result: CallToolResult = typed(self.results.get(tool)?.clone());
        result.result_type = Some(ResultType::COMPLETE);
        Some(result)
    }

    /// Returns the messages of a prompt, each `{argument}` in them replaced.
    pub fn messages(&self, prompt: &str, arguments: &Map<String, Value>) -> Option<Vec<PromptMessage>> {
        let mut messages = self.messages.get(prompt)?.clone();
        fill(&mut messages, arguments);
        Some(typed(messages))
    }

    pub fn contents(&self, uri: &str) -> Option<ResourceContents> {
        if let Some(contents) = self.contents.get(uri) {
            return Some(typed(contents.clone()));
        }
        let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        Some(typed(
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() }),
        ))
    }
}

fn fill(value: &mut Value, arguments: &Map<String, Value>) {
    match value {
        Value::String(text) => {
            for (name, argument) in arguments {
                *text = text.replace(&format!("{{{name}}}"), argument.as_str().unwrap_or_default());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, arguments)),
        Value::Object(members) => members.values_mut().for_each(|member| fill(member, arguments)),
        _ => {}
    }
}

/// Returns the tool that `test_trigger_tool_change` adds and removes.
pub fn extra_tool() -> Tool {
    typed(json!({ "name": "now_and_then", "description": "Comes and goes", "inputSchema": { "type": "object" } }))
}

/// Returns the prompt that `test_trigger_prompt_change` adds and removes.
pub fn extra_prompt() -> Prompt {
    typed(json!({ "name": "now_and_then", "description": "Comes and goes" }))
}
