//! `mangle lsp`: a language server over stdio. It answers every request from the present text of the open documents.

mod answers;
mod document;
mod folder;
mod occurrence;

use std::collections::{BTreeMap, VecDeque};
use std::process::ExitCode;
use std::sync::mpsc;

use anyhow::Context as _;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use mangle::syntax::Dialect;
use serde_json::{Value, json};

use super::{args::Lsp, exit::REJECTED};
use document::{Document, Others};
use occurrence::What;

/// The most messages that wait while a document is read. An editor that sends more waits itself.
const QUEUE: usize = 256;

/// Serves until the editor sends `exit`.
pub(super) fn lsp(args: &Lsp) -> anyhow::Result<ExitCode> {
    let (connection, threads) = Connection::stdio();
    let (id, _) = connection
        .initialize_start()
        .context("no editor spoke the Language Server Protocol on stdin: an editor starts this command")?;
    let about = json!({ "name": "chancery mangle lsp", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": about }))?;
    let mut server = Server {
        documents: BTreeMap::new(),
        dialect: if args.extended { Dialect::Extended } else { Dialect::Strict },
    };
    let receiver = connection.receiver.clone();
    let (queue, queued) = mpsc::sync_channel(QUEUE);
    let fetch = std::thread::spawn(move || receiver.into_iter().all(|message| queue.send(message).is_ok()));
    let (mut waiting, mut shut_down) = (VecDeque::new(), false);
    while let Some(message) = waiting.pop_front().or_else(|| queued.recv().ok()) {
        let room = QUEUE.saturating_sub(waiting.len());
        waiting.extend(queued.try_iter().take(room));
        match message {
            Message::Request(request) if request.method == "shutdown" => {
                shut_down = true;
                connection.sender.send(Response::new_ok(request.id, Value::Null).into())?;
            }
            Message::Request(request) => connection.sender.send(server.answer(request).into())?,
            Message::Notification(notification) if notification.method == "exit" => break,
            Message::Notification(notification) if is_outdated(&notification, waiting.front()) => {}
            Message::Notification(notification) => {
                for message in server.take(&notification) {
                    connection.sender.send(message.into())?;
                }
            }
            Message::Response(_) => {}
        }
    }
    drop((connection, queued));
    threads.join()?;
    // The fetching thread has no receiver now, and has ended with the connection.
    let _fetched = fetch.join();
    // The protocol makes an exit without `shutdown` a failure.
    Ok(if shut_down { ExitCode::SUCCESS } else { ExitCode::from(REJECTED) })
}

/// Returns whether the next message changes the same document once more: users type faster than documents are read.
fn is_outdated(notification: &Notification, next: Option<&Message>) -> bool {
    let uri = |notification: &Notification| notification.params["textDocument"]["uri"].as_str().map(str::to_owned);
    let change = "textDocument/didChange";
    matches!(next, Some(Message::Notification(next))
        if notification.method == change && next.method == change && uri(notification) == uri(next))
}

fn capabilities() -> Value {
    json!({
        // Whole documents: a rule file is small.
        "textDocumentSync": 1,
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "renameProvider": { "prepareProvider": true },
        "documentFormattingProvider": true,
        "documentSymbolProvider": true,
        "codeActionProvider": true,
        "completionProvider": { "triggerCharacters": [":"] },
    })
}

struct Server {
    documents: BTreeMap<String, Document>,
    dialect: Dialect,
}

impl Server {
    /// Answers a request; one for a document that is not open has no result.
    fn answer(&self, request: Request) -> Response {
        let answer: fn(&Document, &Value) -> Result<Value, String> = match request.method.as_str() {
            "textDocument/hover" => |document, params| Ok(answers::hover(document, params)),
            "textDocument/definition" => |document, params| Ok(answers::definition(document, params)),
            "textDocument/references" => |document, params| Ok(answers::references(document, params)),
            "textDocument/rename" => answers::rename,
            "textDocument/prepareRename" => answers::renamed,
            "textDocument/completion" => |document, params| Ok(answers::completion(document, params)),
            "textDocument/formatting" => |document, _| Ok(answers::formatting(document)),
            "textDocument/documentSymbol" => |document, _| Ok(answers::symbols(document)),
            "textDocument/codeAction" => |document, params| Ok(answers::actions(document, params)),
            method => {
                let text = format!("`{method}` is not served");
                return Response::new_err(request.id, ErrorCode::MethodNotFound as i32, text);
            }
        };
        let uri = request.params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(document) = self.documents.get(uri) else {
            return Response::new_ok(request.id, Value::Null);
        };
        let wide = match request.method.as_str() {
            "textDocument/references" | "textDocument/rename" => self.widened(document, &request.params),
            _ => None,
        };
        match answer(wide.as_ref().unwrap_or(document), &request.params) {
            Ok(result) => Response::new_ok(request.id, result),
            Err(text) => Response::new_err(request.id, ErrorCode::RequestFailed as i32, text),
        }
    }

    /// Returns a document with the files that use the name at a position, if that belongs to a package.
    fn widened(&self, document: &Document, params: &Value) -> Option<Document> {
        let What::Predicate(name, _) = &document.at(&params["position"])?.what else {
            return None;
        };
        let (package, _) = name.rsplit_once('.')?;
        Some(document.with_users(package, self.others(&document.uri), self.dialect))
    }

    /// Returns the other open documents, and the files beside this one that are not open.
    fn others(&self, uri: &str) -> Others {
        let open = self.documents.iter().filter(|(other, _)| **other != uri);
        let mut others: Others = open.map(|(other, document)| (other.clone(), document.text().to_owned())).collect();
        let is_open = |file: &str| self.documents.keys().any(|open| folder::same(open, file));
        others.extend(folder::beside(uri).into_iter().filter(|(file, _)| !is_open(file)));
        others
    }

    /// Handles a change and returns the findings of every document that it may concern: one may use another's package.
    fn take(&mut self, notification: &Notification) -> Vec<Notification> {
        let params = &notification.params;
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        let text = match notification.method.as_str() {
            "textDocument/didOpen" => params["textDocument"]["text"].as_str(),
            "textDocument/didChange" => params["contentChanges"]
                .as_array()
                .and_then(|changes| changes.last()?["text"].as_str()),
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                let mut news = vec![published(&uri, json!([]))];
                news.extend(self.users());
                return news;
            }
            _ => return Vec::new(),
        };
        let Some(text) = text else { return Vec::new() };
        let mut news = vec![self.read(&uri, text)];
        news.extend(self.users().into_iter().filter(|other| other.params["uri"] != *uri));
        news
    }

    /// Reads a document anew.
    fn read(&mut self, uri: &str, text: &str) -> Notification {
        let mut document = Document::new(uri, text, || self.others(uri), self.dialect);
        if let Some(before) = self.documents.get(uri) {
            document.remember(before);
        }
        let found = answers::diagnostics(&document);
        self.documents.insert(uri.to_owned(), document);
        published(uri, found)
    }

    /// Reads every document anew that uses another.
    fn users(&mut self) -> Vec<Notification> {
        let users: Vec<(String, String)> = self
            .documents
            .iter()
            .filter(|(_, document)| document.uses())
            .map(|(uri, document)| (uri.clone(), document.text().to_owned()))
            .collect();
        users.iter().map(|(uri, text)| self.read(uri, text)).collect()
    }
}

fn published(uri: &str, found: Value) -> Notification {
    let params = json!({ "uri": uri, "diagnostics": found });
    Notification::new("textDocument/publishDiagnostics".to_owned(), params)
}

#[cfg(test)]
mod tests;
