//! The smallest useful server: one tool, one resource, one prompt. `--help` lists the flags.

#![forbid(unsafe_code)]

use chancery_sdk::{Argument, Prompt, Resource, RunError, Server, Tool, json, text, user};

/// Runs the server as `args` (without the program's name) say.
///
/// # Errors
/// The arguments are not understood, or the address cannot be listened on.
pub async fn main(args: impl IntoIterator<Item = String>) -> Result<(), RunError> {
    server().run_with(args).await
}

fn server() -> Server {
    let arguments = json!({
        "type": "object",
        "properties": {"text": {"type": "string", "description": "What to say back"}},
        "required": ["text"]
    });
    Server::new("minimal", env!("CARGO_PKG_VERSION"))
        .instructions("Say something to `echo` and it says it back.")
        .tool(
            Tool::new("echo")
                .description("Says back what it is told")
                .input(arguments)
                .read_only()
                .handler(|_ctx, args| async move { Ok(text(args.str("text")?)) }),
        )
        .resource(
            Resource::new("memo://welcome", "welcome")
                .description("A word of welcome")
                .text("Welcome!"),
        )
        .prompt(
            Prompt::new("greet")
                .description("Asks for a greeting")
                .argument(Argument::new("name").description("Who is to be greeted").required())
                .handler(|_ctx, args| async move { Ok(user(text(format!("Greet {} kindly.", args.str("name")?)))) }),
        )
}
