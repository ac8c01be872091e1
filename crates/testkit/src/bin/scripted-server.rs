//! A server on stdio whose first argument selects its behaviour: a process to start, to flood from, and to lose.

use std::io::{BufRead, Write};

fn main() {
    let how = std::env::args().nth(1).unwrap_or_default();
    if how == "exit-at-start" {
        eprintln!("it will not do");
        std::process::exit(3);
    }
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<serde_json::Value>(&line) else {
            continue;
        };
        if answer(&how, &message, &mut out).and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

fn answer(how: &str, message: &serde_json::Value, out: &mut impl Write) -> std::io::Result<()> {
    let Some(id) = message.get("id") else { return Ok(()) };
    let result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" if how == "exit-on-probe" => std::process::exit(5),
        "initialize" => {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"scripted","version":"1"}}"#
                .to_owned()
        }
        "ping" | "logging/setLevel" => "{}".to_owned(),
        "tools/list" => {
            r#"{"tools":[{"name":"misbehave","inputSchema":{"type":"object"}},{"name":"pid","inputSchema":{"type":"object"}}]}"#.to_owned()
        }
        "tools/call" if message["params"]["name"] == "misbehave" => return misbehave(how, id, out),
        "tools/call" => format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, std::process::id()),
        _ => {
            return writeln!(
                out,
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found"}}}}"#
            );
        }
    };
    writeln!(out, r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn misbehave(how: &str, id: &serde_json::Value, out: &mut impl Write) -> std::io::Result<()> {
    match how {
        "exit-on-call" => std::process::exit(4),
        "endless-line" => loop {
            out.write_all(&[b'x'; 64 * 1024])?;
        },
        "endless-garbage" => loop {
            writeln!(out, "{}", "not a message ".repeat(1000))?;
        },
        // 200 MB of one line, after which the server continues as usual.
        "long-line" => {
            for _ in 0..3200 {
                out.write_all(&[b'x'; 64 * 1024])?;
            }
            writeln!(out)?;
        }
        "flood" => {
            for _ in 0..200_000 {
                writeln!(
                    out,
                    r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"info","data":"{}"}}}}"#,
                    "x".repeat(500)
                )?;
            }
        }
        "silent" => return Ok(()),
        _ => {}
    }
    writeln!(
        out,
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"done"}}]}}}}"#
    )
}
