//! Work that takes long: cancellation, and tasks in each of their forms.

use std::time::Duration;

use chancery_sdk::{Args, Context, Elicit, Error, Level, Result, Server, TaskSupport, Tool, ToolSpec, json, text};

pub(crate) fn add(server: Server) -> Server {
    server
        .tool(timed("sleep", "Sleeps, unless it is cancelled").handler(|ctx, args| async move { sleep(&ctx, &args).await }))
        .tool(
            timed("job", "A job, as a task for clients that can")
                .task(TaskSupport::Optional)
                .handler(|ctx, args| async move {
                    ctx.progress(0.0, Some(1.0), Some("working")).await;
                    sleep(&ctx, &args).await
                }),
        )
        .tool(
            timed("job_only", "A job that runs as a task or not at all")
                .task(TaskSupport::Required)
                .handler(|ctx, args| async move { sleep(&ctx, &args).await }),
        )
        .tool(
            Tool::new("job_that_asks")
                .description("A task that asks the user in its midst")
                .task(TaskSupport::Optional)
                .handler(|ctx, _args| async move {
                    let agreed = json!({"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]});
                    let answer = ctx.elicit("sure", Elicit::form("Are you sure?", agreed)).await?;
                    let sure = answer.accepted().is_some_and(|content| content.flag("sure"));
                    Ok(if sure { "done" } else { "left alone" })
                }),
        )
        .tool(
            timed("job_after_question", "Asks first, then goes on as a task")
                .task_when_ready(TaskSupport::Optional)
                .handler(|ctx, args| async move {
                    let name = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
                    let answer = ctx.elicit("name", Elicit::form("For whom?", name)).await?;
                    let name = answer
                        .accepted()
                        .ok_or_else(|| Error::tool("for nobody then"))?
                        .str("name")?
                        .to_owned();
                    let is_task = ctx.become_task().await?;
                    sleep(&ctx, &args).await?;
                    Ok(text(format!("done for {name}{}", if is_task { ", as a task" } else { "" })))
                }),
        )
        .tool(
            timed("job_that_fails", "A task whose tool fails")
                .task(TaskSupport::Optional)
                .handler(|ctx, args| async move {
                    sleep(&ctx, &args).await?;
                    Err::<&str, _>(Error::tool("the job failed"))
                }),
        )
        .tool(
            timed("job_that_breaks", "A task that ends in a protocol error")
                .task(TaskSupport::Optional)
                .handler(|ctx, args| async move {
                    sleep(&ctx, &args).await?;
                    Err::<&str, _>(Error::internal("the job broke"))
                }),
        )
}

async fn sleep(ctx: &Context, args: &Args) -> Result<&'static str> {
    let milliseconds = args.int("milliseconds").unwrap_or(200).clamp(0, 3_600_000).unsigned_abs();
    tokio::select! {
        () = ctx.cancelled() => {
            ctx.log(Level::Notice, "cancelled").await;
            Err(Error::cancelled())
        }
        () = tokio::time::sleep(Duration::from_millis(milliseconds)) => Ok("slept well"),
    }
}

fn timed(name: &str, what: &str) -> ToolSpec {
    let milliseconds = json!({"type": "integer", "minimum": 0, "description": "How long; 200 unless said otherwise"});
    Tool::new(name)
        .description(what)
        .input(json!({"type": "object", "properties": {"milliseconds": milliseconds}}))
}
