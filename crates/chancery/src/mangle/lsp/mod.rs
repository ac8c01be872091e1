//! `mangle lsp`: a language server over stdio. Documents come and go; every question is answered from the text as it is.

mod answers;
mod document;
mod occurrence;

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Context as _;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use mangle::syntax::Dialect;
use serde_json::{Value, json};

use super::args::Lsp;
use document::Document;

/// Serves until the editor says `exit`.
pub(super) fn lsp(args: &Lsp) -> anyhow::Result<ExitCode> {
    let (connection, threads) = Connection::stdio();
    let (id, _) = connection
        .initialize_start()
        .context("nobody spoke the Language Server Protocol on stdin: an editor starts this command")?;
    let about = json!({ "name": "chancery mangle lsp", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities(), "serverInfo": about }))?;
    let mut server = Server {
        documents: BTreeMap::new(),
        dialect: if args.extended { Dialect::Extended } else { Dialect::Strict },
    };
    for message in &connection.receiver {
        match message {
            Message::Request(request) if connection.handle_shutdown(&request)? => break,
            Message::Request(request) => connection.sender.send(server.answer(request).into())?,
            Message::Notification(notification) => {
                for message in server.take(&notification) {
                    connection.sender.send(message.into())?;
                }
            }
            Message::Response(_) => {}
        }
    }
    drop(connection);
    threads.join()?;
    Ok(ExitCode::SUCCESS)
}

fn capabilities() -> Value {
    json!({
        // Whole documents: a rule file is small.
        "textDocumentSync": 1,
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "renameProvider": true,
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
        match answer(document, &request.params) {
            Ok(result) => Response::new_ok(request.id, result),
            Err(text) => Response::new_err(request.id, ErrorCode::RequestFailed as i32, text),
        }
    }

    /// Takes a change and gives the findings of every document that it may concern: one may use another's package.
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
        let others: Vec<(String, String)> = self
            .documents
            .iter()
            .filter(|(other, _)| **other != uri)
            .map(|(other, document)| (other.clone(), document.text().to_owned()))
            .collect();
        let document = Document::new(uri, text, &others, self.dialect);
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
