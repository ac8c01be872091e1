//! Every kind of content block.

use chancery_sdk::{Content, Contents, Server, Tool, ToolResult, audio, embed, image, json, link, text};

use crate::media::{PNG, WAV};
use crate::notes;

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(show("image", "An image", picture))
        .tool(show("audio", "A sound", || audio(WAV, "audio/wav")))
        .tool(show("link", "A link to a resource", linked))
        .tool(show("embedded", "A resource inside the result", || {
            embed(Contents::text(notes::WELCOME, "text/plain", "Welcome!"))
        }))
        .tool(show("embedded_blob", "A binary resource inside the result", || {
            embed(Contents::blob(notes::PIXEL, "image/png", PNG))
        }))
        .tool(show("mixed", "Blocks of every kind, with annotations and `_meta`", || {
            let first = text("Blocks of every kind:").annotations(json!({"audience": ["user", "assistant"], "priority": 0.9}));
            ToolResult::from(vec![
                first.meta("com.example/part", json!(1)),
                picture(),
                audio(WAV, "audio/wav"),
                linked(),
            ])
            .content(embed(
                Contents::text(notes::WELCOME, "text/plain", "Welcome!").meta("com.example/part", json!(5)),
            ))
            .meta("com.example/parts", json!(5))
        }))
}

fn picture() -> Content {
    image(PNG, "image/png").annotations(json!({"audience": ["user"], "priority": 0.5}))
}

fn linked() -> Content {
    link(notes::WELCOME, "welcome")
        .field("title", json!("Welcome"))
        .field("mimeType", json!("text/plain"))
}

fn show<R: Into<ToolResult> + 'static>(name: &str, what: &str, make: fn() -> R) -> Tool {
    Tool::new(name)
        .description(what)
        .read_only()
        .handler(move |_ctx, _args| async move { Ok(make()) })
}
