//! Resources: fixed ones, a family of notes that tools can write, and updates for clients that subscribed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chancery_sdk::{Contents, Error, ReadResult, Resource, ResourceTemplate, Server, Tool, json, text};

use crate::media::PNG;

/// The URI of a text resource.
pub(crate) const WELCOME: &str = "everything://welcome";
/// The URI of a picture resource.
pub(crate) const PIXEL: &str = "everything://pixel";

/// The notes, by title.
#[derive(Clone, Debug)]
pub(crate) struct Notes(Arc<Mutex<BTreeMap<String, String>>>);

impl Default for Notes {
    fn default() -> Self {
        let first = [("shopping", "milk, bread"), ("ideas", "a gateway for everything")];
        Self(Arc::new(Mutex::new(
            first.map(|(title, words)| (title.to_owned(), words.to_owned())).into(),
        )))
    }
}

impl Notes {
    pub(crate) fn titles(&self, start: &str) -> Vec<String> {
        self.with(|notes| notes.keys().filter(|title| title.starts_with(start)).cloned().collect())
    }

    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<String, String>) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

pub(crate) fn add(server: Server, notes: &Notes) -> Server {
    let server = server
        .resource(
            Resource::new(WELCOME, "welcome")
                .description("A fixed text")
                .mime("text/plain")
                .field("title", json!("Welcome"))
                .field(
                    "annotations",
                    json!({"audience": ["user"], "priority": 1.0, "lastModified": "2026-11-20T00:00:00Z"}),
                )
                .meta("com.example/fixed", json!(true))
                .text("Welcome!"),
        )
        .resource(
            Resource::new(PIXEL, "pixel")
                .description("A fixed picture")
                .mime("image/png")
                .field("size", json!(PNG.len()))
                .blob(PNG),
        )
        .resource(
            Resource::new("everything://pair", "pair")
                .description("Two contents that keep for a minute")
                .handler(|_ctx, _read| async move {
                    let text = Contents::text("everything://pair/text", "text/plain", "one");
                    let blob = Contents::blob("everything://pair/blob", "application/octet-stream", [1, 2, 3]);
                    Ok(ReadResult::from(vec![text, blob]).fresh_for_all(Duration::from_secs(60)))
                }),
        );
    // Enough of them to fill more than one page.
    let server = (1..=12).fold(server, |server, page| {
        let uri = format!("everything://book/{page}");
        server.resource(
            Resource::new(&uri, &format!("page {page}"))
                .description("A page of a book")
                .text(format!("This is page {page}.")),
        )
    });
    note_tools(server, notes).template(note_template(notes))
}

fn note_template(notes: &Notes) -> ResourceTemplate {
    let (known, read_from) = (notes.clone(), notes.clone());
    ResourceTemplate::new("everything://note/{title}", "note")
        .description("A note; its title can be completed, its updates subscribed to")
        .mime("text/plain")
        .complete("title", move |_ctx, completion| {
            let titles = known.titles(&completion.value);
            async move { Ok(titles) }
        })
        .handler(move |_ctx, read| {
            let notes = read_from.clone();
            async move {
                let title = read.variables.str("title")?;
                let words = notes
                    .with(|notes| notes.get(title).cloned())
                    .ok_or_else(|| Error::not_found(&read.uri))?;
                Ok(Contents::text(&read.uri, "text/plain", words))
            }
        })
}

fn note_tools(server: Server, notes: &Notes) -> Server {
    let (write_to, delete_from) = (notes.clone(), notes.clone());
    let title = json!({"type": "string", "minLength": 1});
    server
        .tool(
            Tool::new("write_note")
                .description("Writes a note, and tells those who subscribed to it")
                .input(json!({"type": "object", "properties": {"title": title, "text": {"type": "string"}}, "required": ["title", "text"]}))
                .annotation("destructiveHint", json!(false))
                .annotation("idempotentHint", json!(true))
                .handler(move |ctx, args| {
                    let notes = write_to.clone();
                    async move {
                        let (title, words) = (args.str("title")?.to_owned(), args.str("text")?.to_owned());
                        let uri = format!("everything://note/{title}");
                        notes.with(|notes| notes.insert(title, words));
                        ctx.server().resource_updated(&uri);
                        Ok(text(format!("wrote {uri}")))
                    }
                }),
        )
        .tool(
            Tool::new("delete_note")
                .description("Deletes a note for good")
                .input(json!({"type": "object", "properties": {"title": title}, "required": ["title"]}))
                .annotation("destructiveHint", json!(true))
                .handler(move |ctx, args| {
                    let notes = delete_from.clone();
                    async move {
                        let title = args.str("title")?;
                        notes
                            .with(|notes| notes.remove(title))
                            .ok_or_else(|| Error::tool(format!("there is no note `{title}`")))?;
                        ctx.server().resource_updated(&format!("everything://note/{title}"));
                        Ok("deleted")
                    }
                }),
        )
}
