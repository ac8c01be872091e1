//! An stdio server that the driver starts, and the load on its pipe.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use memchr::memmem;
use serde_json::{Value, json};

use super::check::Check;
use super::message::{FIRST_ID, INITIALIZED, Template};
use super::window::{Phase, Recorder, Window};
use crate::envelope::Era;

/// The number of bytes that one read takes at most.
const CHUNK: usize = 256 * 1024;

/// A started server, ready for requests.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    lines: Lines<ChildStdout>,
}

impl Server {
    /// Starts `command`, and opens a session if `era` has sessions.
    pub(crate) fn start(command: &[String], era: Era) -> anyhow::Result<Self> {
        let (program, arguments) = command.split_first().context("no command to start")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("failed to start `{program}`"))?;
        let input = child.stdin.take().context("stdin is piped")?;
        let output = child.stdout.take().context("stdout is piped")?;
        let mut server = Self {
            child,
            input,
            lines: Lines::new(output),
        };
        if era == Era::Legacy {
            server.open_session()?;
        }
        Ok(server)
    }

    /// Returns the process id of the server.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn open_session(&mut self) -> anyhow::Result<()> {
        self.say(&[&Template::initialize(&json!({})).render(0)])?;
        let answer: Value = serde_json::from_slice(self.lines.next()?)?;
        anyhow::ensure!(answer["result"].is_object(), "`initialize` was answered with {answer}");
        self.say(&[INITIALIZED])
    }

    fn say(&mut self, messages: &[&[u8]]) -> anyhow::Result<()> {
        let mut lines = messages.join(&b'\n');
        lines.push(b'\n');
        self.input.write_all(&lines).context("the server doesn't read")
    }

    /// Keeps `in_flight` calls in the pipe until the window is over. The requests in flight fit into the pipe's
    /// buffer, so that writing never waits for a server that waits for us to read.
    pub(crate) fn load(&mut self, call: &Template, mut check: Check, in_flight: usize, window: &Window) -> anyhow::Result<Recorder> {
        let mut recorder = Recorder::default();
        let mut flights = Flights::default();
        let mut outgoing = Vec::new();
        for _ in 0..in_flight {
            flights.depart(call, window, &mut outgoing);
        }
        while flights.len() > 0 {
            self.input.write_all(&outgoing).context("the server doesn't read")?;
            outgoing.clear();
            let mut line = Some(self.lines.next()?);
            while let Some(answer) = line {
                if let Some((id, departed)) = flights.arrive(answer)? {
                    let checked = check.page(0, id, answer).map(|_| answer.len());
                    recorder.record(window, departed.elapsed(), checked);
                    if window.phase() != Phase::Over {
                        flights.depart(call, window, &mut outgoing);
                    }
                }
                line = self.lines.buffered();
            }
        }
        Ok(recorder)
    }

    /// Closes the server's input and waits until it has ended.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        drop(self.input);
        self.child.wait()?;
        Ok(())
    }
}

/// The calls that wait for their answers.
#[derive(Debug, Default)]
struct Flights {
    waiting: Vec<(u64, Instant)>,
}

impl Flights {
    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn depart(&mut self, call: &Template, window: &Window, outgoing: &mut Vec<u8>) {
        let id = window.next_id();
        outgoing.extend_from_slice(&call.render(id));
        outgoing.push(b'\n');
        self.waiting.push((id, Instant::now()));
    }

    /// Returns the call that `line` answers; `None` for a notification.
    fn arrive(&mut self, line: &[u8]) -> anyhow::Result<Option<(u64, Instant)>> {
        let Some(id) = id_of(line) else {
            return Ok(None);
        };
        let at = self.waiting.iter().position(|(waiting, _)| *waiting == id);
        Ok(Some(self.waiting.swap_remove(
            at.with_context(|| format!("an answer to {id}, which was not asked for"))?,
        )))
    }
}

/// Returns the id of an answer, if it is one of ours.
fn id_of(line: &[u8]) -> Option<u64> {
    let at = memmem::find(line, br#""id":"#)? + br#""id":"#.len();
    let digits = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let id = std::str::from_utf8(&line[at..at + digits]).ok()?.parse().ok()?;
    (id >= FIRST_ID).then_some(id)
}

/// The lines of a pipe, read in large chunks.
#[derive(Debug)]
struct Lines<R> {
    output: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// The number of bytes from `start` that contain no line end.
    searched: usize,
}

impl<R: Read> Lines<R> {
    fn new(output: R) -> Self {
        Self {
            output,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            searched: 0,
        }
    }

    /// Returns the next line that was already read.
    fn buffered(&mut self) -> Option<&[u8]> {
        let start = self.start;
        let found = memchr::memchr(b'\n', &self.buffer[start + self.searched..self.end]);
        let Some(length) = found.map(|at| self.searched + at) else {
            self.searched = self.end - self.start;
            return None;
        };
        self.start += length + 1;
        self.searched = 0;
        Some(&self.buffer[start..start + length])
    }

    /// Returns the next line, waiting for it.
    fn next(&mut self) -> anyhow::Result<&[u8]> {
        while memchr::memchr(b'\n', &self.buffer[self.start + self.searched..self.end]).is_none() {
            self.searched = self.end - self.start;
            self.fill()?;
        }
        self.buffered().context("a line end was just found")
    }

    fn fill(&mut self) -> anyhow::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let length = self.output.read(&mut self.buffer[self.end..])?;
        anyhow::ensure!(length > 0, "the server closed its output");
        self.end += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_answers() {
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","id":1000000001,"result":{}}"#), Some(1_000_000_001));
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#), None);
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","method":"notifications/message"}"#), None);
    }

    #[test]
    fn lines_come_whole_and_in_order() {
        let long = "x".repeat(CHUNK * 5 / 2);
        let said = format!("one\ntwo\n\n{long}\n");
        let mut lines = Lines::new(said.as_bytes());
        assert_eq!(lines.next().expect("a line"), b"one");
        assert_eq!(lines.next().expect("a line"), b"two");
        assert_eq!(lines.next().expect("a line"), b"");
        assert_eq!(lines.next().expect("a line"), long.as_bytes());
        assert!(lines.buffered().is_none());
        assert!(lines.next().is_err(), "the output has ended");
    }
}
