//! URI templates of level 1 and the path forms of RFC 6570: `{name}` stands for one segment, `{+name}` and `{name*}` for the rest.

use serde_json::{Map, Value};

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UriTemplate(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable { name: String, greedy: bool },
}

impl UriTemplate {
    pub(crate) fn parse(template: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, tail)) = after.split_once('}') else { break };
            if !before.is_empty() {
                parts.push(Part::Literal(before.to_owned()));
            }
            let greedy = inside.starts_with('+') || inside.ends_with('*');
            let name = inside.trim_start_matches(['+', '/', '#']).trim_end_matches('*').to_owned();
            parts.push(Part::Variable { name, greedy });
            rest = tail;
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        Self(parts)
    }

    /// Returns the variables with which `uri` matches, percent-decoded, or `None`.
    pub(crate) fn variables(&self, uri: &str) -> Option<Map<String, Value>> {
        let mut found = Map::new();
        let mut rest = uri;
        for (at, part) in self.0.iter().enumerate() {
            match part {
                Part::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
                Part::Variable { name, greedy } => {
                    let end = match self.0.get(at + 1) {
                        Some(Part::Literal(next)) if *greedy => rest.rfind(next.as_str())?,
                        Some(Part::Literal(next)) => rest.find(next.as_str())?,
                        _ => rest.len(),
                    };
                    let (value, after) = rest.split_at(end);
                    if value.is_empty() || (!greedy && value.contains('/')) {
                        return None;
                    }
                    found.insert(name.clone(), Value::String(decode(value)));
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(found)
    }
}

/// Percent-decodes; invalid escapes and invalid UTF-8 stay as they are.
fn decode(text: &str) -> String {
    let hex = |byte: u8| (byte as char).to_digit(16);
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escape = (bytes[at] == b'%')
            .then(|| Some((hex(*bytes.get(at + 1)?)?, hex(*bytes.get(at + 2)?)?)))
            .flatten();
        if let Some((high, low)) = escape {
            out.push((high * 16 + low) as u8);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fit(template: &str, uri: &str) -> Option<Value> {
        UriTemplate::parse(template).variables(uri).map(Value::Object)
    }

    #[test]
    fn a_variable_stands_for_one_segment() {
        assert_eq!(
            fit("test://template/{id}/data", "test://template/12%203/data"),
            Some(json!({"id": "12 3"}))
        );
        assert_eq!(fit("test://template/{id}/data", "test://template/1/2/data"), None);
        assert_eq!(fit("test://template/{id}/data", "test://template//data"), None);
        assert_eq!(
            fit("note://{author}/{title}", "note://ann/plan%zz"),
            Some(json!({"author": "ann", "title": "plan%zz"}))
        );
    }

    #[test]
    fn a_greedy_variable_takes_the_rest() {
        assert_eq!(fit("file:///{+path}", "file:///a/b/c"), Some(json!({"path": "a/b/c"})));
        assert_eq!(fit("x://{rest*}/end", "x://a/end/b/end"), Some(json!({"rest": "a/end/b"})));
        assert_eq!(fit("open{brace", "open{brace"), Some(json!({})));
    }
}
