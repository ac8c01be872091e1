//! Reads the arguments of `chancery tools call`.

use std::io::Read as _;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};

use crate::cli::ToolsCall;

/// Well-formed arguments; the tool's schema determines the types of the named ones.
#[derive(Debug)]
pub(super) enum Arguments {
    /// A JSON object.
    Object(Value),
    /// `--arg NAME=VALUE`
    Named(Vec<(String, String)>),
}

impl Arguments {
    /// Reads the arguments from the command line, or stdin.
    pub(super) fn read(args: &ToolsCall) -> anyhow::Result<Self> {
        match args.arguments.as_deref() {
            Some("-") => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text)?;
                object(&text)
            }
            Some(text) => object(text),
            None => args.args.iter().map(|arg| named(arg)).collect::<Result<_, _>>().map(Self::Named),
        }
    }

    /// Returns the object to send to a tool with that input schema.
    pub(super) fn for_schema(self, schema: &Value) -> Value {
        match self {
            Self::Object(object) => object,
            Self::Named(named) => {
                let values = named.into_iter().map(|(name, text)| {
                    let value = value(text, &schema["properties"][&name]);
                    (name, value)
                });
                Value::Object(values.collect::<Map<_, _>>())
            }
        }
    }
}

fn object(text: &str) -> anyhow::Result<Arguments> {
    let example = "such as '{\"path\": \"notes.md\"}', or `--arg path=notes.md`";
    match serde_json::from_str::<Value>(text) {
        Ok(object @ Value::Object(_)) => Ok(Arguments::Object(object)),
        Ok(_) => bail!("the arguments must be a JSON object, {example}"),
        Err(error) if text.trim_start().starts_with('{') => Err(error).context("the arguments are not valid JSON"),
        Err(_) => bail!("the arguments are no JSON object, {example}"),
    }
}

fn named(arg: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = arg
        .split_once('=')
        .with_context(|| format!("`--arg {arg}` needs the form NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Returns a string where the schema wants one and nothing else; else JSON where the text looks like it.
fn value(text: String, schema: &Value) -> Value {
    if schema["type"] == "string" {
        return Value::String(text);
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn named_arguments_follow_the_schema() {
        let schema = json!({"properties": {"text": {"type": "string"}, "count": {"type": "integer"}}});
        let read = |args: &[&str]| Arguments::Named(args.iter().map(|arg| named(arg).expect("a name and a value")).collect());
        let sent = read(&["text=7", "count=7", "other=[1]", "word=a=b"]).for_schema(&schema);
        assert_eq!(sent, json!({"text": "7", "count": 7, "other": [1], "word": "a=b"}));
    }

    #[test]
    fn what_is_no_object_says_what_is() {
        let said = |text: &str| format!("{:#}", object(text).expect_err("no object"));
        assert!(said("message=hi").contains("`--arg path=notes.md`"));
        assert!(said("[1]").contains("must be a JSON object"));
        assert!(said("{\"a\":").contains("not valid JSON: EOF while parsing"));
        assert!(named("x").expect_err("no value").to_string().contains("NAME=VALUE"));
    }
}
