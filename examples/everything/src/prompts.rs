//! Prompts: without and with arguments, with completion, with pictures and resources, and one that asks the client a
//! question.

use chancery_sdk::{Argument, Completion, Contents, Context, Elicit, Prompt, Result, Server, embed, image, json, text, user};

use crate::media::PNG;
use crate::notes::{self, Notes};

pub(crate) fn add(server: Server, notes: &Notes) -> Server {
    let known = notes.clone();
    server
        .prompt(
            Prompt::new("plain")
                .title("Plain")
                .description("No arguments")
                .field("icons", json!([{"src": crate::media::png_uri(), "mimeType": "image/png"}]))
                .meta("com.example/kind", json!("plain"))
                .handler(|_ctx, _args| async move { Ok(user(text("Tell me something I do not know."))) }),
        )
        .prompt(
            Prompt::new("weather")
                .description("Arguments with completion; the cities depend on the country")
                .argument(Argument::new("country").description("Where").required().complete(countries))
                .argument(
                    Argument::new("city")
                        .description("Where exactly")
                        .field("title", json!("City"))
                        .complete(cities),
                )
                .handler(|_ctx, args| async move {
                    let city = args.str("city").unwrap_or("the capital");
                    let ask = user(text(format!("How is the weather in {city}, {}?", args.str("country")?)));
                    Ok(ask
                        .assistant(text("Let me look out of the window."))
                        .description("A conversation about the weather"))
                }),
        )
        .prompt(
            Prompt::new("picture")
                .description("A picture and a resource")
                .handler(|_ctx, _args| async move {
                    let resource = embed(Contents::text(notes::WELCOME, "text/plain", "Welcome!"));
                    Ok(user(image(PNG, "image/png"))
                        .user(resource)
                        .user(text("What do these have in common?")))
                }),
        )
        .prompt(
            Prompt::new("note")
                .description("Asks about a note")
                .argument(Argument::new("title").required().complete(move |_ctx, completion| {
                    let titles = known.titles(&completion.value);
                    async move { Ok(titles) }
                }))
                .handler(|_ctx, args| async move { Ok(user(text(format!("What is missing in the note `{}`?", args.str("title")?)))) }),
        )
        .prompt(
            Prompt::new("asks_back")
                .description("Asks the user before it answers")
                .handler(|ctx, _args| async move {
                    let topic = json!({"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]});
                    let answer = ctx.elicit("topic", Elicit::form("About what?", topic)).await?;
                    let topic = answer.accepted().and_then(|content| content.str("topic").ok().map(str::to_owned));
                    Ok(user(text(format!("Tell me about {}.", topic.as_deref().unwrap_or("anything")))))
                }),
        )
}

const CITIES: [(&str, &[&str]); 3] = [
    ("France", &["Lyon", "Marseille", "Paris"]),
    ("Norway", &["Bergen", "Oslo"]),
    ("Northland", &["Farpoint"]),
];

async fn countries(_ctx: Context, completion: Completion) -> Result<Vec<String>> {
    Ok(starting_with(CITIES.iter().map(|(country, _)| *country), &completion.value))
}

async fn cities(_ctx: Context, completion: Completion) -> Result<Vec<String>> {
    let country = completion.arguments.str("country").ok();
    let fitting = CITIES.iter().filter(|(name, _)| country.is_none_or(|country| country == *name));
    Ok(starting_with(
        fitting.flat_map(|(_, cities)| cities.iter().copied()),
        &completion.value,
    ))
}

fn starting_with<'a>(all: impl Iterator<Item = &'a str>, start: &str) -> Vec<String> {
    all.filter(|one| one.starts_with(start)).map(str::to_owned).collect()
}
