//! The canned upstream over stdio: no runtime, whole chunks in, one write for all their answers.

use std::io::{Read, Write};

use super::server::{Refusal, Reply, Server};
use crate::canned::{Answer, CHANGED};
use crate::envelope::{Era, Request};

/// The number of bytes that one read takes at most.
const CHUNK: usize = 64 * 1024;
/// The number of waiting bytes at which answers are written, even if there is more to answer.
const FLUSH: usize = 256 * 1024;
/// The length of a line above which the server ends.
const LINE_LIMIT: usize = 16 * 1024 * 1024;

/// Serves `server` until stdin closes.
pub(super) fn serve(server: &Server) -> anyhow::Result<()> {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut conversation = Conversation::new(server);
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = input.read(&mut chunk)?;
        if length == 0 {
            return Ok(());
        }
        conversation.read(&chunk[..length], &mut output)?;
    }
}

/// The client at the other end of the pipe.
#[derive(Debug)]
struct Conversation<'a> {
    server: &'a Server,
    /// The era of the client's last message; `initialize` makes the whole process legacy (2026-07-28 basic/versioning).
    era: Era,
    /// The beginning of an incomplete line.
    partial: Vec<u8>,
    answers: Vec<u8>,
}

impl<'a> Conversation<'a> {
    fn new(server: &'a Server) -> Self {
        Self {
            server,
            era: Era::Modern,
            partial: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Answers every line that `chunk` completes.
    fn read(&mut self, chunk: &[u8], output: &mut impl Write) -> anyhow::Result<()> {
        let mut rest = chunk;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            if self.partial.is_empty() {
                self.line(line);
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.line(&whole);
            }
            if self.answers.len() >= FLUSH {
                self.flush(output)?;
            }
            rest = after;
        }
        self.partial.extend_from_slice(rest);
        anyhow::ensure!(self.partial.len() <= LINE_LIMIT, "a line exceeds {LINE_LIMIT} bytes");
        self.flush(output)
    }

    fn flush(&mut self, output: &mut impl Write) -> anyhow::Result<()> {
        output.write_all(&self.answers)?;
        output.flush()?;
        self.answers.clear();
        Ok(())
    }

    fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let Ok(request) = serde_json::from_slice::<Request<'_>>(line) else {
            return self.say(&Refusal::new(400, -32700, "parse error").for_id("null"));
        };
        if request.method == "initialize" {
            self.era = Era::Legacy;
        }
        let id = request.id.map_or("null", |id| id.get());
        match self.server.reply(&request, self.era) {
            Reply::Result(answer) => self.answer(answer, id),
            Reply::Changed(answer) => {
                self.answer(answer, id);
                self.answers.extend_from_slice(CHANGED);
                self.answers.push(b'\n');
            }
            Reply::Refusal(refusal) => self.say(&refusal.for_id(id)),
            Reply::Accepted => {}
        }
    }

    fn answer(&mut self, answer: &Answer, id: &str) {
        answer.write_to(id, &mut self.answers);
        self.answers.push(b'\n');
    }

    fn say(&mut self, message: &str) {
        self.answers.extend_from_slice(message.as_bytes());
        self.answers.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::Offer;
    use super::*;
    use crate::canned::Tools;
    use serde_json::{Value, json};

    /// Sends `said` to `offer`'s server, cut into chunks of `size`, and returns its answers.
    fn answers(offer: Offer, size: usize, said: &str) -> Vec<Value> {
        let tools = Tools {
            prefix: "",
            count: 3,
            changing: true,
        };
        let server = Server::new(offer, &tools);
        let mut conversation = Conversation::new(&server);
        let mut output = Vec::new();
        for chunk in said.as_bytes().chunks(size) {
            conversation.read(chunk, &mut output).expect("writing to memory");
        }
        serde_json::Deserializer::from_slice(&output)
            .into_iter()
            .map(|v| v.expect("JSON"))
            .collect()
    }

    #[test]
    fn lines_are_found_however_they_are_cut() {
        let said = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}\n\n\
                    {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n\
                    {\"jsonrpc\":\"2.0\",\"id\":\"two\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo_large\"}}\n";
        let whole = answers(Offer::Both, said.len(), said);
        assert_eq!(whole.iter().map(|a| &a["id"]).collect::<Vec<_>>(), [&json!(1), &json!("two")]);
        for size in [1, 7, 100] {
            assert_eq!(answers(Offer::Both, size, said), whole);
        }
    }

    #[test]
    fn initialize_makes_the_conversation_legacy() {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}"#;
        let open = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#;
        let said = format!("{call}\n{open}\n{call}\n");
        let answers = answers(Offer::Both, said.len(), &said);
        assert_eq!(answers[0]["result"]["resultType"], "complete");
        assert_eq!(answers[1]["result"]["protocolVersion"], "2025-06-18");
        assert_eq!(answers[2]["result"].get("resultType"), None);
    }

    #[test]
    fn a_change_is_told_and_listed() {
        let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let change = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"change"}}"#;
        let said = format!("{list}\n{change}\n{list}\n{change}\n{list}\n");
        let said = answers(Offer::Both, said.len(), &said);
        let method = "notifications/tools/list_changed";
        assert_eq!((&said[1]["id"], &said[2]["method"]), (&json!(2), &json!(method)));
        assert_ne!(said[0], said[3]);
        assert_eq!((said[5]["method"].as_str(), &said[6]), (Some(method), &said[0]));
    }

    #[test]
    fn each_era_refuses_the_other() {
        let discover = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}\n";
        let open = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n";
        assert_eq!(answers(Offer::Legacy, 99, discover)[0]["error"]["code"], -32601);
        assert_eq!(answers(Offer::Modern, 99, open)[0]["error"]["code"], -32022);
        assert_eq!(answers(Offer::Both, 99, "{nonsense\n")[0]["error"]["code"], -32700);
    }
}
