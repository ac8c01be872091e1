"""The cases as data: what to call on each server and what has to come back."""

import json

ANSWERS = {
    "elicitation": {"action": "accept", "content": {"name": "Ada", "username": "ada", "email": "ada@example.org"}},
    "sampling": "forty-two",
    "roots": [{"uri": "file:///srv/ada", "name": "ada"}],
}

# server -> (tool, arguments, what the text of the result contains); {who} is unique for each client and transport
TOOLS = {
    "everything": [
        ("echo", {"message": "hello from {who}, äöü € 🦀"}, "Echo: hello from {who}, äöü € 🦀"),
        ("get-sum", {"a": 40, "b": 2}, "42"),
        ("get-structured-content", {"location": "New York"}, "temperature"),
        ("get-tiny-image", {}, "image"),
        ("get-resource-links", {"count": 2}, "demo://resource/dynamic"),
    ],
    "filesystem": [
        ("write_file", {"path": "{root}/{who}.txt", "content": "written by {who}"}, "Successfully wrote"),
        ("read_text_file", {"path": "{root}/{who}.txt"}, "written by {who}"),
    ],
    "memory": [
        (
            "create_entities",
            {"entities": [{"name": "{who}", "entityType": "peer", "observations": ["speaks MCP"]}]},
            "{who}",
        ),
        ("open_nodes", {"names": ["{who}"]}, "speaks MCP"),
    ],
    "time": [
        (
            "convert_time",
            {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"},
            "Asia/Tokyo",
        ),
    ],
    "git": [
        ("git_log", {"repo_path": "{repo}", "max_count": 1}, "first light"),
        ("git_status", {"repo_path": "{repo}"}, "nothing to commit"),
    ],
    "sqlite": [
        ("create_table", {"query": "CREATE TABLE IF NOT EXISTS {who} (n INTEGER)"}, ""),
        ("write_query", {"query": "INSERT INTO {who} VALUES (4242)"}, "affected_rows"),
        ("read_query", {"query": "SELECT n FROM {who}"}, "4242"),
    ],
    "upstream": [
        ("test_simple_text", {}, "This is a simple text response for testing."),
        ("mirrored_parameters", {"region": "Zürich ", "shard": 7, "note": "as it is"}, '"region":"Zürich ","shard":7'),
        ("test_error_handling", {}, "intentionally returns an error"),
    ],
}
TOOLS["everything-http"] = TOOLS["everything-sse"] = TOOLS["everything"]
TOOLS["upstream-stdio"] = TOOLS["upstream"]

ALL = ["everything", "everything-http", "everything-sse", "filesystem", "memory", "time", "git", "sqlite", "upstream"]

# Built on SDKs that know nothing of 2026-07-28.
LEGACY_ONLY = {"everything", "everything-http", "everything-sse", "filesystem", "memory", "sqlite"}

# These answer as an error on purpose.
FAILING = {"test_error_handling"}


def listed_names():
    """Returns the names under which a gateway in front of ALL lists them: bare where unique, else `server__tool`."""
    return {listed_name(server, tool) for server in ALL for tool, _, _ in TOOLS[server]}


def listed_name(server, tool):
    offered = sum(tool in {name for name, _, _ in TOOLS[other]} for other in ALL)
    return tool if offered == 1 else f"{server}__{tool}"


def fill(value, names):
    """Replaces `{who}`, `{root}`, `{repo}` anywhere in a case."""
    if isinstance(value, str):
        for name, text in names.items():
            value = value.replace("{" + name + "}", text)
        return value
    if isinstance(value, dict):
        return {key: fill(member, names) for key, member in value.items()}
    if isinstance(value, list):
        return [fill(member, names) for member in value]
    return value


def texts(result):
    """Returns everything in a result that a person could read, in one string."""
    return json.dumps(result, ensure_ascii=False).replace('\\"', '"').replace("\\\\n", "\n")
