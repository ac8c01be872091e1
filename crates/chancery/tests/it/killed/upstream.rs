//! The server in this process: it counts what reaches it, and outlives every gateway.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use chancery_sdk::{Args, Listening, Server, Tool, json, text};
use tokio::runtime::Runtime;

/// How often each call reached it, by tool and text.
type Seen = Arc<Mutex<BTreeMap<(&'static str, String), u64>>>;

pub(super) struct Upstream {
    seen: Seen,
    listening: Option<Listening>,
    runtime: Runtime,
}

impl Upstream {
    pub(super) fn start() -> Self {
        let seen = Seen::default();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let server = Server::new("upstream", "1").tool(tool("note", &seen)).tool(tool("destroy", &seen));
        let listening = runtime.block_on(server.listen("127.0.0.1:0")).expect("a port");
        Self {
            seen,
            listening: Some(listening),
            runtime,
        }
    }

    pub(super) fn url(&self) -> &str {
        self.listening.as_ref().map(Listening::url).unwrap_or_default()
    }

    /// Returns how often each call has reached it so far, by tool and text.
    pub(super) fn seen(&self) -> BTreeMap<(&'static str, String), u64> {
        self.seen.lock().expect("nobody panics").clone()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.take() {
            self.runtime.block_on(listening.stop());
        }
    }
}

fn tool(name: &'static str, seen: &Seen) -> Tool {
    let seen = Arc::clone(seen);
    Tool::new(name)
        .description("Says it back")
        .input(json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}))
        .handler(move |_, args: Args| {
            let seen = Arc::clone(&seen);
            async move {
                let said = args.str("text")?.to_owned();
                *seen.lock().expect("nobody panics").entry((name, said.clone())).or_default() += 1;
                Ok(text(said))
            }
        })
}
