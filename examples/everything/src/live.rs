//! Lists that change while the server runs, and an extension with a method, notifications both ways, and a subscription
//! of its own.

use chancery_sdk::{Args, Context, Handle, Prompt, Resource, Result, Server, Tool, Value, json, text, user};

/// The extension that the server declares.
const EXTENSION: &str = "com.example/ticks";

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(change(
            "offer",
            "Adds a tool, a prompt and a resource of that name; the lists change",
            offer,
        ))
        .tool(change("withdraw", "Takes away what `offer` added", withdraw))
        .tool(
            Tool::new("tick")
                .description("Sends `com.example/tick` to those who listen for `com.example/ticks`")
                .handler(|ctx, _args| async move {
                    ctx.server().notify(EXTENSION, "com.example/tick", &json!({"from": "tick"}));
                    Ok("ticked")
                }),
        )
        .extension(EXTENSION, json!({"rate": 1}))
        .filter(EXTENSION)
        .method("com.example/reverse", reverse)
        .notification("com.example/tock", tock)
}

async fn reverse(_ctx: Context, args: Args) -> Result<Value> {
    Ok(json!({"text": args.str("text")?.chars().rev().collect::<String>()}))
}

/// Answers a client's `tock` with a tick to all clients.
async fn tock(ctx: Context, args: Args) -> Result<()> {
    ctx.server()
        .notify(EXTENSION, "com.example/tick", &json!({"from": "tock", "tock": *args}));
    Ok(())
}

fn offer(server: &Handle, name: &str) {
    let said = format!("{name} was offered");
    let (tool, prompt) = (said.clone(), said.clone());
    server.add_tool(
        Tool::new(name)
            .description("Was not always here")
            .handler(move |_ctx, _args| std::future::ready(Ok(tool.clone()))),
    );
    server.add_prompt(
        Prompt::new(name)
            .description("Was not always here")
            .handler(move |_ctx, _args| std::future::ready(Ok(user(text(prompt.clone()))))),
    );
    server.add_resource(Resource::new(&uri(name), name).description("Was not always here").text(said));
}

fn withdraw(server: &Handle, name: &str) {
    server.remove_tool(name);
    server.remove_prompt(name);
    server.remove_resource(&uri(name));
}

fn uri(name: &str) -> String {
    format!("everything://offered/{name}")
}

fn change(name: &str, what: &str, how: fn(&Handle, &str)) -> Tool {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string", "pattern": "^offered_[a-z]+$"}}, "required": ["name"]});
    Tool::new(name)
        .description(what)
        .input(schema)
        .handler(move |ctx, args| async move {
            let name = args.str("name")?;
            // Tools and prompts that were there from the beginning stay as they are.
            if !name.starts_with("offered_") {
                return Err(chancery_sdk::Error::invalid_params("`name` must begin with `offered_`"));
            }
            how(&ctx.server(), name);
            Ok("changed")
        })
}
