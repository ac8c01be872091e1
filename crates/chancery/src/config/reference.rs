//! Writes the reference of all keys, as text and as a JSON schema, from the schema that the reader uses.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json, json};

use super::schema::{Key, Kind, Section, root, sections, server};

const INTRO: &str = "\
# Configuration

<!-- Written by `chancery config reference`; change crates/chancery/src/config/schema and run `UPDATE_EXPECT=1 cargo test -p chancery`. -->

`chancery` reads TOML. Without `--config` it looks for

1. `$MGP_CONFIG_PATH`: if it is set, only that file is read;
2. `./mgp.toml`, the project's;
3. `~/.config/mgp/servers.toml`, the user's.

Files 2 and 3 are merged: the first file that names a server's `id`, or sets a key of another table, wins. `--config FILE` reads that file
and no other. `--mcp-json FILE` reads servers from the file of another client (`mcpServers` and its like), after the one of `--config`, and
instead of any file that would be looked for. `chancery config path` shows what is read, `chancery config check` what is wrong with it.

A project's file starts programs, so it is used only after a person has looked at it: `chancery` asks in a terminal, and again after each
change; `chancery config trust` answers beforehand, `--trust` uses it once without an answer. Until then the file is left out, with a warning.

```toml
[gateway]
listen = \"127.0.0.1:8717\"

[[servers]]
id = \"files\"
command = \"npx\"
args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"${HOME}/notes\"]

[[servers]]
id = \"tickets\"
url = \"https://mcp.example.com/mcp\"
headers = { Authorization = \"Bearer ${TICKETS_TOKEN}\" }
exclude = [\"delete_*\"]
```

`${VAR}` is replaced by a variable of the environment, `${VAR:-text}` by `text` where the variable is unset or empty, in the keys whose
type says \"with `${VAR}`\"; `$${` is a literal `${`. A server that needs a variable which isn't set is in error, and says so; the others start.

Unknown keys are errors, with a suggestion. A changed file, or SIGHUP, makes the gateway read everything again: the new configuration is
checked whole and then takes the place of the old one; if anything is wrong with it, the old one stays and the log says why.
";

/// Returns the reference as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut out = INTRO.to_owned();
    for section in sections().into_iter().skip(1) {
        let _ = write!(out, "\n## `{}`\n\n{}\n\n", section.header(), section.doc);
        out.push_str("| key | type | default | meaning |\n|---|---|---|---|\n");
        for key in section.keys {
            let default = key.default.map_or_else(String::new, |default| format!("`{default}`"));
            let meaning = meaning(key).replace('|', "\\|");
            let _ = writeln!(out, "| `{}` | {} | {default} | {meaning} |", key.name, kind(key.kind));
        }
        let _ = write!(out, "\n```toml\n{}\n{}```\n", prelude(section), examples(section));
    }
    out
}

/// Returns the meaning of a key, and whether it is required.
fn meaning(key: &Key) -> String {
    match key.required {
        true => format!("{} Required.", key.doc),
        false => key.doc.to_owned(),
    }
}

/// Returns an example of every key of a table; for servers, one example of each way to reach one.
fn examples(section: &Section) -> String {
    let line = |key: &Key| Some(format!("{} = {}\n", key.name, key.example()?));
    let lines = |keys: &[&Key]| keys.iter().filter_map(|key| line(key)).collect::<String>();
    if !std::ptr::eq(section, &server::SECTION) {
        return lines(section.keys);
    }
    let (http, builtin) = ([server::URL.key(), server::HEADERS.key()], server::BUILTIN.key());
    let other = |key: &Key| http.iter().chain([&builtin]).any(|other| std::ptr::eq(*other, key));
    let program = section.keys.iter().filter(|key| !other(key)).filter_map(|key| match key.name {
        name if name == server::TRANSPORT.name => Some(format!("{name} = \"stdio\"\n")),
        _ => line(key),
    });
    let program: String = program.collect();
    let (http, builtin) = (lines(&http), lines(&[builtin]));
    format!("{program}\n[[servers]]\nid = \"tickets\"\n{http}\n[[servers]]\nid = \"audit\"\n{builtin}")
}

/// Returns the headers above an example.
fn prelude(section: &Section) -> String {
    match section.name.strip_prefix("servers.") {
        Some(_) => {
            let header = section.header().replace("NAME", "read_file");
            format!("[[servers]]\nid = \"files\"\ncommand = \"files-server\"\n\n{header}")
        }
        None => section.header(),
    }
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Text | Kind::Id => "string".to_owned(),
        Kind::Template => "string with `${VAR}`".to_owned(),
        Kind::Flag => "boolean".to_owned(),
        Kind::Duration => "duration: `\"500ms\"`, `\"30s\"`, `\"5m\"`".to_owned(),
        Kind::Age => "duration: `\"90d\"`".to_owned(),
        Kind::Instant => "instant: `\"2099-12-31T23:59:59Z\"`".to_owned(),
        Kind::Rate => "rate: `\"100/1m\"`".to_owned(),
        Kind::Rates => "table of rates".to_owned(),
        Kind::Permissions => "list of permissions".to_owned(),
        Kind::Validators => "list of validators".to_owned(),
        Kind::Size => "bytes: `4096`, `\"64KiB\"`".to_owned(),
        Kind::Count => "whole number from 1".to_owned(),
        Kind::Choice(words) => words().iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", "),
        Kind::Address => "address and port".to_owned(),
        Kind::Texts => "list of strings".to_owned(),
        Kind::Templates => "list of strings with `${VAR}`".to_owned(),
        Kind::Patterns => "list of names".to_owned(),
        Kind::TemplateMap => "table of strings with `${VAR}`".to_owned(),
        Kind::Table(section) | Kind::Tables(section) | Kind::TableMap(section) => format!("`{}`", section.header()),
    }
}

/// Returns the JSON schema, for editors that check TOML by one.
#[must_use]
pub fn json_schema() -> String {
    let mut schema = object(&root::SECTION);
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".to_owned(), json!("Configuration of chancery"));
    format!("{:#}\n", Json::Object(schema))
}

fn object(section: &Section) -> Map<String, Json> {
    let properties: Map<String, Json> = section.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("description".to_owned(), json!(section.doc));
    object.insert("additionalProperties".to_owned(), json!(false));
    object.insert("properties".to_owned(), Json::Object(properties));
    let required: Vec<&str> = section.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    if !required.is_empty() {
        object.insert("required".to_owned(), json!(required));
    }
    if std::ptr::eq(section, &server::SECTION) {
        let ways = server::WAYS.map(|(way, _)| json!({ "required": [way.name] }));
        object.insert("oneOf".to_owned(), json!(ways));
    }
    object
}

fn rate() -> Json {
    json!({ "type": "string", "pattern": "^[1-9][0-9]* */ *[0-9]* *(ms|s|m|min|h|d)$" })
}

fn property(key: &Key) -> Json {
    let mut property = match key.kind {
        Kind::Text | Kind::Template | Kind::Address => json!({ "type": "string" }),
        Kind::Id => json!({ "type": "string", "pattern": "^(?!.*__)[A-Za-z0-9_.-]{1,64}$" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Duration | Kind::Age => json!({ "type": "string", "pattern": "^[0-9]+ *(ms|s|m|min|h|d)$" }),
        Kind::Instant => json!({ "type": "string", "format": "date-time" }),
        Kind::Rate => rate(),
        Kind::Rates => json!({ "type": "object", "additionalProperties": rate() }),
        Kind::Size => json!({ "type": ["integer", "string"], "minimum": 1, "pattern": "^[0-9]+ *(B|K|M|G|kB|KB|MB|GB|KiB|MiB|GiB)?$" }),
        Kind::Count => json!({ "type": "integer", "minimum": 1 }),
        Kind::Choice(words) => json!({ "enum": words() }),
        Kind::Texts | Kind::Templates | Kind::Patterns | Kind::Permissions | Kind::Validators => {
            json!({ "type": "array", "items": { "type": "string" } })
        }
        Kind::TemplateMap => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        Kind::Table(section) => Json::Object(object(section)),
        Kind::Tables(section) => json!({ "type": "array", "items": Json::Object(object(section)) }),
        Kind::TableMap(section) => json!({ "type": "object", "additionalProperties": Json::Object(object(section)) }),
    };
    if let Json::Object(property) = &mut property {
        property.insert("description".to_owned(), json!(meaning(key)));
        let default = key
            .default
            .and_then(|default| serde_json::from_str::<Json>(&default.to_string()).ok());
        if let Some(default) = default {
            property.insert("default".to_owned(), default);
        }
    }
    property
}
