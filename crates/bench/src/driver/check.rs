//! Checks answers. The first of its kind is parsed completely; later ones of equal shape are recognised by length and
//! id.

use memchr::memmem;
use serde_json::Value;

use crate::canned;

/// The content of a right answer.
#[derive(Debug, Clone)]
pub(crate) enum Expect {
    /// The canned text of this many bytes.
    Text(usize),
    /// This many tools, over all pages.
    Tools(usize),
}

/// Checks the answers of one connection.
#[derive(Debug)]
pub(crate) struct Check {
    expect: Expect,
    /// The decoded text of a right answer.
    text: String,
    /// The pages of the last operation that was parsed completely; a call has one.
    pages: Vec<Page>,
}

/// An answer as it was when it was parsed completely.
#[derive(Debug, Clone)]
struct Page {
    length: usize,
    id_at: usize,
    tools: usize,
    next: Option<String>,
}

impl Check {
    /// Returns a check for `expect`.
    pub(crate) fn new(expect: Expect) -> Self {
        let length = if let Expect::Text(length) = expect { length } else { 0 };
        let text = serde_json::from_str(&canned::literal(length)).expect("`literal` renders a JSON string");
        Self {
            expect,
            text,
            pages: Vec::new(),
        }
    }

    /// Checks the answer `body` to the request `id`, the `page`th of its operation, and returns the cursor of the next
    /// page.
    pub(crate) fn page(&mut self, page: usize, id: u64, body: &[u8]) -> Result<Option<&str>, String> {
        let known = self.pages.get(page).is_some_and(|known| known.is_shape_of(id, body));
        if !known {
            let read = self.read(id, body)?;
            self.pages.truncate(page);
            self.pages.push(read);
        }
        let next = self.pages[page].next.as_deref();
        if let (Expect::Tools(expected), None) = (&self.expect, next) {
            let found: usize = self.pages[..=page].iter().map(|page| page.tools).sum();
            if found != *expected {
                return Err(format!("{found} tools instead of {expected}"));
            }
        }
        Ok(next)
    }

    /// Parses an answer completely.
    fn read(&self, id: u64, body: &[u8]) -> Result<Page, String> {
        let quoted = || String::from_utf8_lossy(&body[..body.len().min(300)]);
        let answer: Value = serde_json::from_slice(body).map_err(|error| format!("{error} in `{}`", quoted()))?;
        if answer["id"].as_u64() != Some(id) {
            return Err(format!("the answer to {} instead of {id}", answer["id"]));
        }
        let result = &answer["result"];
        let right = match &self.expect {
            Expect::Text(_) => result["content"][0]["text"].as_str() == Some(&self.text) && result["isError"] != Value::Bool(true),
            Expect::Tools(_) => result["tools"].is_array(),
        };
        if !right {
            return Err(format!("not what the upstream said: `{}`", quoted()));
        }
        Ok(Page {
            length: body.len(),
            id_at: memmem::find(body, id.to_string().as_bytes()).ok_or("the id is spelled differently")?,
            tools: result["tools"].as_array().map_or(0, Vec::len),
            next: result["nextCursor"].as_str().map(str::to_owned),
        })
    }
}

impl Page {
    fn is_shape_of(&self, id: u64, body: &[u8]) -> bool {
        body.len() == self.length && body[self.id_at..].starts_with(id.to_string().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::FIRST_ID;
    use super::*;

    fn answer(id: u64, length: usize) -> Vec<u8> {
        let text = canned::literal(length);
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#).into()
    }

    #[test]
    fn right_answers_pass() {
        let mut check = Check::new(Expect::Text(200));
        for id in FIRST_ID..FIRST_ID + 3 {
            assert_eq!(check.page(0, id, &answer(id, 200)), Ok(None));
        }
    }

    #[test]
    fn wrong_answers_do_not() {
        let mut check = Check::new(Expect::Text(200));
        for _ in 0..2 {
            assert!(
                check.page(0, FIRST_ID, &answer(FIRST_ID + 1, 200)).is_err(),
                "the answer to another request"
            );
            assert!(check.page(0, FIRST_ID, &answer(FIRST_ID, 199)).is_err(), "a shorter text");
            let error = br#"{"jsonrpc":"2.0","id":1000000000,"error":{"code":-32603,"message":"no"}}"#;
            assert!(check.page(0, FIRST_ID, error).is_err(), "an error");
            assert!(check.page(0, FIRST_ID, b"{").is_err(), "not JSON");
            check.page(0, FIRST_ID, &answer(FIRST_ID, 200)).expect("now the shape is known");
        }
    }

    #[test]
    fn tools_are_counted_over_pages() {
        let mut check = Check::new(Expect::Tools(3));
        let first = br#"{"id":1000000000,"result":{"tools":[{},{}],"nextCursor":"a"}}"#;
        let last = br#"{"id":1000000000,"result":{"tools":[{}]}}"#;
        for _ in 0..2 {
            assert_eq!(check.page(0, FIRST_ID, first), Ok(Some("a")));
            assert_eq!(check.page(1, FIRST_ID, last), Ok(None));
        }
        assert!(check.page(0, FIRST_ID, last).is_err(), "one tool is not three");
    }
}
