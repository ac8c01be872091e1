//! Tools, and what each language makes of them.

use std::io::Write as _;
use std::process::{Command, Stdio};

use expect_test::expect;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value as Json, json};

use super::{Language, Tool, export};

fn tool(name: &str, description: &str, input: Json, output: Option<Json>) -> Tool {
    Tool {
        name: name.to_owned(),
        description: Some(description.to_owned()).filter(|text| !text.is_empty()),
        input,
        output,
    }
}

/// Returns a weather tool, a tree, awkward names, unions, and a tool that says nothing.
fn tools() -> Vec<Tool> {
    vec![
        tool(
            "get_weather",
            "Get current weather\nfor a \"city\" */",
            json!({"type": "object", "required": ["city"], "properties": {
                "units": {"enum": ["metric", "imperial"], "description": "Which units"},
                "city": {"type": "string", "description": "City name"},
                "days": {"type": ["integer", "null"]},
            }}),
            Some(json!({"type": "object", "required": ["temperature"], "properties": {
                "temperature": {"type": "number"},
                "conditions": {"type": "array", "items": {"type": "object", "properties": {"code": {"type": "integer"}}, "required": ["code"]}},
            }})),
        ),
        tool(
            "fs__write-file",
            "",
            json!({"type": "object", "properties": {
                "file-path": {"type": "string"}, "class": {"type": "boolean"}, "__mode": {"const": 3}, "meta": {"type": "object", "additionalProperties": {"type": "string"}},
                "tree": {"$ref": "#/$defs/Node"},
            }, "required": ["file-path"], "$defs": {"Node": {"type": "object", "required": ["value"], "properties": {
                "value": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "array", "items": {"enum": ["a", 1]}}]},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            }}}}),
            None,
        ),
        tool(
            "ping",
            "Says nothing",
            json!({"type": "object"}),
            Some(json!({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {"type": "null"}}, "required": ["b"]}]})),
        ),
    ]
}

#[test]
fn typescript() {
    expect![[r#"
        // Tools as typed signatures, written by `chancery tools export --lang typescript`.

        /** What a call answers. */
        export interface CallToolResult<T = unknown> {
          content: { type: string; [key: string]: unknown }[];
          structuredContent?: T;
          isError?: boolean;
        }

        export interface GetWeatherInput {
          /** Which units */
          units?: "metric" | "imperial";
          /** City name */
          city: string;
          days?: number | null;
        }

        export interface GetWeatherOutputConditionsItem {
          code: number;
        }

        export interface GetWeatherOutput {
          temperature: number;
          conditions?: GetWeatherOutputConditionsItem[];
        }

        export interface FsWriteFileInputTreeNode {
          value: string | number | ("a" | 1)[];
          children?: FsWriteFileInputTreeNode[];
        }

        export interface FsWriteFileInput {
          "file-path": string;
          class?: boolean;
          __mode?: 3;
          meta?: Record<string, string>;
          tree?: FsWriteFileInputTreeNode;
        }

        export type PingInput = Record<string, unknown>;

        export interface PingOutput {
          a?: unknown;
          b: null;
        }

        /** Every tool, by the name it is called with. */
        export interface Tools {
          /** Get current weather for a "city" *\/ */
          get_weather(args: GetWeatherInput): Promise<CallToolResult<GetWeatherOutput>>;
          "fs__write-file"(args: FsWriteFileInput): Promise<CallToolResult>;
          /** Says nothing */
          ping(args?: PingInput): Promise<CallToolResult<PingOutput>>;
        }
    "#]]
    .assert_eq(&export(Language::Typescript, &tools()));
}

#[test]
fn python() {
    expect![[r#"
        """Tools as typed signatures, written by `chancery tools export --lang python`."""

        from __future__ import annotations

        from typing import Any, Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar

        T = TypeVar("T")


        class CallToolResult(TypedDict, Generic[T]):
            """What a call answers."""

            content: list[dict[str, Any]]
            structuredContent: NotRequired[T]
            isError: NotRequired[bool]


        class GetWeatherInput(TypedDict):
            units: NotRequired[Literal["metric", "imperial"]]
            """Which units"""
            city: str
            """City name"""
            days: NotRequired[int | None]


        class GetWeatherOutputConditionsItem(TypedDict):
            code: int


        class GetWeatherOutput(TypedDict):
            temperature: float
            conditions: NotRequired[list[GetWeatherOutputConditionsItem]]


        class FsWriteFileInputTreeNode(TypedDict):
            value: str | float | list[Literal["a", 1]]
            children: NotRequired[list[FsWriteFileInputTreeNode]]


        FsWriteFileInput = TypedDict(
            "FsWriteFileInput",
            {
                "file-path": "str",
                "class": "NotRequired[bool]",
                "__mode": "NotRequired[Literal[3]]",
                "meta": "NotRequired[dict[str, str]]",
                "tree": "NotRequired[FsWriteFileInputTreeNode]",
            },
        )


        class PingInput(TypedDict):
            pass


        class PingOutput(TypedDict):
            a: NotRequired[Any]
            b: None


        class Tools(Protocol):
            """Every tool."""

            async def get_weather(self, args: GetWeatherInput) -> CallToolResult[GetWeatherOutput]:
                """Get current weather for a \"city\" */"""
                ...

            async def fs__write_file(self, args: FsWriteFileInput) -> CallToolResult[Any]:
                """Called `fs__write-file`."""
                ...

            async def ping(self, args: PingInput = {}) -> CallToolResult[PingOutput]:
                """Says nothing"""
                ...
    "#]]
    .assert_eq(&export(Language::Python, &tools()));
}

#[test]
fn ilo() {
    expect![[r#"
        -- Tools as typed signatures, written by `chancery tools export --lang ilo`.
        type get-weather-output-conditions-item{code:n}
        type get-weather-output{temperature:n;conditions:O L get-weather-output-conditions-item}
        type fs-write-file-input-tree-node{value:_;children:O L fs-write-file-input-tree-node}
        type ping-output{a:_;b:_}
        -- sent as: get-weather = get_weather
        tool get-weather"Get current weather for a \"city\" */" city:t units:O S metric imperial days:O n>R get-weather-output t
        -- sent as: fs-write-file = fs__write-file, mode = __mode
        tool fs-write-file"fs__write-file" file-path:t class:O b mode:O n meta:O M t t tree:O fs-write-file-input-tree-node>R t t
        tool ping"Says nothing">R ping-output t
    "#]]
    .assert_eq(&export(Language::Ilo, &tools()));
}

#[test]
fn ilo_keeps_a_sum_type_and_the_error_apart() {
    let text = export(
        Language::Ilo,
        &[tool(
            "t",
            "",
            json!({}),
            Some(json!({"type": "array", "items": {"enum": ["a", "b"]}})),
        )],
    );
    assert!(text.contains("tool t\"t\">R (L S a b) t"), "{text}");
}

#[test]
fn nothing() {
    assert!(export(Language::Typescript, &[]).contains("interface Tools {\n}"));
    python_runs(&export(Language::Python, &[]));
}

/// Python reads it, and evaluates every declaration.
fn python_runs(text: &str) {
    let script =
        "import sys, ast\nsource = sys.stdin.read()\nast.parse(source)\nexec(compile(source, 'tools', 'exec'), {'__name__': 'tools'})\n";
    let mut child = Command::new("python3")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 is needed for this test");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("an end");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn python_takes_it() {
    python_runs(&export(Language::Python, &tools()));
}

/// Names and texts that try to break out of where they stand.
#[test]
fn python_takes_awkward_names() {
    let awkward = [
        "",
        "class",
        "1st",
        "a b",
        "Ünïcode",
        "__x",
        "self",
        "\"\"\"",
        "\\",
        "a\nb",
        "Tools",
        "CallToolResult",
        "import os",
        "'",
        "🔒",
    ];
    let properties: serde_json::Map<String, Json> = awkward
        .iter()
        .map(|name| ((*name).to_owned(), json!({"type": "string", "description": name, "enum": awkward})))
        .collect();
    let tools: Vec<Tool> = awkward
        .iter()
        .map(|name| tool(name, name, json!({"type": "object", "properties": properties, "title": name}), None))
        .collect();
    python_runs(&export(Language::Python, &tools));
}

fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop::sample::select(vec![
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"type": ["boolean", "null"]}),
        json!({"enum": ["a", 1, null, 1.5, {}]}),
        json!({"$ref": "#"}),
        json!({"$ref": "#/properties/a"}),
        json!(true),
        json!({}),
        json!({"type": "nonsense", "properties": 3, "required": "x"}),
    ]);
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|item| json!({"type": "array", "items": item})),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|options| json!({"anyOf": options})),
            prop::collection::btree_map("[a-c_1 -]{1,3}", inner, 0..4)
                .prop_map(|properties| json!({"type": "object", "properties": properties, "required": ["a"]})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(7), cases: 128, ..ProptestConfig::default() })]

    /// Any schema, however odd or recursive, gives text in every language; balanced where it has brackets, each ilo line a declaration.
    #[test]
    fn any_schema(input in schema(), output in schema()) {
        let tools = [tool("t", "d", input, Some(output))];
        let typescript = export(Language::Typescript, &tools);
        for (open, close) in [('{', '}'), ('[', ']'), ('(', ')')] {
            prop_assert_eq!(typescript.matches(open).count(), typescript.matches(close).count());
        }
        let python = export(Language::Python, &tools);
        prop_assert!(python.contains("async def t(self"));
        for line in export(Language::Ilo, &tools).lines() {
            prop_assert!(line.starts_with("-- ") || line.starts_with("type ") || line.starts_with("tool t\"d\""), "{line}");
        }
    }
}
