//! A small library for authors of MCP servers: both eras of the protocol, over stdio and Streamable HTTP, from one set of handlers.
//!
//! ```no_run
//! use chancery_sdk::{Server, Tool, json, text};
//!
//! # async fn run() -> Result<(), chancery_sdk::RunError> {
//! Server::new("greeter", "1.0.0")
//!     .tool(
//!         Tool::new("greet")
//!             .description("Greets a person")
//!             .input(json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}))
//!             .handler(|_ctx, args| async move { Ok(text(format!("Hello, {}!", args.str("name")?))) }),
//!     )
//!     .run_from_args()
//!     .await
//! # }
//! ```
//!
//! Law: a handler does not know its client's era unless it asks. What differs is the life of its questions; see [`Context`], "The law
//! of questions".

#![forbid(unsafe_code)]

mod args;
mod ask;
mod cache;
mod catalog;
mod clock;
mod content;
mod context;
mod core;
mod drive;
mod era;
mod error;
mod flags;
mod handle;
mod handler;
mod http;
mod keys;
mod known;
mod level;
mod lines;
mod machine;
mod param_headers;
mod prompt;
mod random;
mod resource;
mod seal;
mod server;
mod stdio;
mod tasks;
mod tool;
mod uri_template;

pub use args::Args;
pub use ask::{Action, Answers, Elicit, Elicited, Question, Root, Sample, Sampled};
pub use cache::Cache;
pub use content::{Content, Contents, Messages, ToolResult, audio, embed, image, link, structured, text, user};
pub use context::Context;
pub use era::{Era, Eras};
pub use error::{Error, Result};
pub use handle::Handle;
pub use handler::Completion;
pub use level::Level;
pub use prompt::{Argument, Prompt, PromptSpec};
pub use resource::{Read, ReadResult, Resource, ResourceSpec, ResourceTemplate, TemplateSpec};
pub use serde_json::{Value, json};
pub use server::{Listening, RunError, Server};
pub use tool::{TaskSupport, Tool, ToolSpec};
