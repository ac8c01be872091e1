//! Plays a transcript to a server over an in-memory line stream, under a clock that only moves when nothing else does.
//!
//! `>` sends a message (`"jsonrpc"` is added), `>>` a modern one (`_meta` is added as well, with the capabilities of the last `can`
//! line), `>!` a line as it is, `~ N` lets N milliseconds pass, `eof` closes the client's side. `<` lines are what came back; they are
//! rewritten by `UPDATE_EXPECT=1`. What differs from run to run is shown as `$task1`, `$state1`, …, and may be used so in what is sent.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use chancery_sdk::{Server, Value, json};
use expect_test::expect_file;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};

const REVISION: &str = "2026-07-28";

pub(crate) async fn play(name: &str, server: Server) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let script = std::fs::read_to_string(&path).expect("the transcript can be read");
    let played = Player::new(server).play(&script).await;
    expect_file![path].assert_eq(&played);
}

struct Player {
    reader: ReadHalf<DuplexStream>,
    writer: Option<WriteHalf<DuplexStream>>,
    can: Value,
    names: Names,
    unread: Vec<u8>,
}

impl Player {
    fn new(server: Server) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (far_reader, far_writer) = tokio::io::split(far);
        tokio::spawn(server.serve_streams(far_reader, far_writer));
        let (reader, writer) = tokio::io::split(near);
        Self {
            reader,
            writer: Some(writer),
            can: json!({}),
            names: Names::default(),
            unread: Vec::new(),
        }
    }

    async fn play(mut self, script: &str) -> String {
        let mut played = String::new();
        for line in script.lines().filter(|line| !line.starts_with("< ")) {
            played.push_str(line);
            played.push('\n');
            let patience = self.step(line).await;
            for answer in self.answers(patience).await {
                played.push_str("< ");
                played.push_str(&answer);
                played.push('\n');
            }
        }
        played
    }

    /// Carries out one line; returns how long to wait for answers afterwards.
    async fn step(&mut self, line: &str) -> Duration {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        match mark {
            ">!" => self.send(rest.to_owned()).await,
            ">" => {
                let message = self.message(rest);
                self.send(message.to_string()).await;
            }
            ">>" => {
                let mut message = self.message(rest);
                let meta = &mut message["params"]["_meta"];
                meta["io.modelcontextprotocol/protocolVersion"] = json!(REVISION);
                meta["io.modelcontextprotocol/clientCapabilities"] = self.can.clone();
                self.send(message.to_string()).await;
            }
            "can" => self.can = serde_json::from_str(rest).expect("capabilities are JSON"),
            "~" => return Duration::from_millis(rest.trim().parse().expect("milliseconds")),
            "eof" => {
                if let Some(mut writer) = self.writer.take() {
                    writer.shutdown().await.expect("the stream can be closed");
                }
            }
            _ => return Duration::ZERO,
        }
        Duration::from_millis(1)
    }

    fn message(&self, text: &str) -> Value {
        let mut message: Value = serde_json::from_str(&self.names.fill_in(text)).unwrap_or_else(|why| panic!("{text}: {why}"));
        message["jsonrpc"] = json!("2.0");
        message
    }

    async fn send(&mut self, line: String) {
        let Some(writer) = &mut self.writer else { return };
        writer.write_all(line.as_bytes()).await.expect("the server reads");
        writer.write_all(b"\n").await.expect("the server reads");
    }

    /// Returns the lines that arrive until nothing changes any more and `patience` is over.
    async fn answers(&mut self, patience: Duration) -> Vec<String> {
        let end = tokio::time::Instant::now() + patience;
        let mut buffer = [0; 64 * 1024];
        while let Ok(Ok(count @ 1..)) = tokio::time::timeout_at(end, self.reader.read(&mut buffer)).await {
            self.unread.extend_from_slice(&buffer[..count]);
        }
        let mut answers = Vec::new();
        while let Some(at) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=at).collect();
            let mut message: Value = serde_json::from_slice(&line).expect("the server writes JSON");
            match &mut message {
                Value::Array(batch) => batch.iter_mut().for_each(unmark),
                one => unmark(one),
            }
            self.names.take_out(&mut message);
            answers.push(message.to_string());
        }
        answers
    }
}

fn unmark(message: &mut Value) {
    let marked = message.as_object_mut().and_then(|fields| fields.shift_remove("jsonrpc"));
    assert_eq!(marked, Some(json!("2.0")), "{message}");
}

/// Replaces values that differ from run to run by names.
#[derive(Default)]
struct Names {
    by_value: HashMap<String, String>,
    counts: HashMap<&'static str, usize>,
}

impl Names {
    fn fill_in(&self, text: &str) -> String {
        // Longer names first, so that `$task1` is not found in `$task10`.
        let mut names: Vec<_> = self.by_value.iter().collect();
        names.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
        names
            .into_iter()
            .fold(text.to_owned(), |text, (value, name)| text.replace(name.as_str(), value))
    }

    fn take_out(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields.iter_mut() {
                    let kind = match (key.as_str(), &*value) {
                        ("taskId", Value::String(_)) => "task",
                        ("requestState", Value::String(_)) => "state",
                        ("elicitationId", Value::String(_)) => "elicitation",
                        ("createdAt" | "lastUpdatedAt", _) => {
                            *value = json!("$time");
                            continue;
                        }
                        ("io.modelcontextprotocol/serverInfo", _) => {
                            *value = json!("$server");
                            continue;
                        }
                        _ => {
                            self.take_out(value);
                            continue;
                        }
                    };
                    *value = json!(self.name(kind, value.as_str().unwrap_or_default()));
                }
            }
            Value::Array(items) => {
                for item in items {
                    match item.as_str().and_then(|text| self.by_value.get(text)) {
                        Some(name) => *item = json!(name),
                        None => self.take_out(item),
                    }
                }
            }
            _ => {}
        }
    }

    fn name(&mut self, kind: &'static str, value: &str) -> String {
        if let Some(name) = self.by_value.get(value) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let name = format!("${kind}{count}");
        self.by_value.insert(value.to_owned(), name.clone());
        name
    }
}
