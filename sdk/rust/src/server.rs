//! The server: what it offers, and where it is served.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::args::Args;
use crate::cache::Cache;
use crate::catalog::replace;
use crate::context::Context;
use crate::core::{Core, Plan};
use crate::era::Eras;
use crate::error::Result;
use crate::flags::{self, Place, USAGE};
use crate::handle::Handle;
use crate::handler::erase;
use crate::prompt::Prompt;
use crate::resource::{Resource, ResourceTemplate};
use crate::tool::{Tool, insert_into};
use crate::{http, stdio};

/// The reason why a server could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The command line is invalid; the text says why, and lists the flags.
    #[error("{0}")]
    Usage(String),
    /// The server cannot listen on the address.
    #[error("cannot listen on `{address}`: {cause}")]
    Listen {
        /// The address as given.
        address: String,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// The client's stream cannot be written.
    #[error("cannot write to the client: {0}")]
    Write(#[from] std::io::Error),
}

type OnStart = Box<dyn FnOnce(Handle) + Send>;

/// A server that is being defined: say what it offers, then [run](Self::run_from_args) it.
#[derive(Default)]
pub struct Server {
    plan: Plan,
    on_start: Vec<OnStart>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("info", &self.plan.info).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server called `name`.
    #[must_use]
    pub fn new(name: &str, version: &str) -> Self {
        Self::default().info("name", json!(name)).info("version", json!(version))
    }

    /// Sets another field of the server's info: `title`, `description`, `websiteUrl`, `icons`.
    #[must_use]
    pub fn info(mut self, field: &str, value: Value) -> Self {
        self.plan.info.insert(field.to_owned(), value);
        self
    }

    /// Sets the instructions for using the server, for the model.
    #[must_use]
    pub fn instructions(mut self, words: &str) -> Self {
        self.plan.instructions = Some(words.to_owned());
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: Tool) -> Self {
        replace(&mut self.plan.catalog.tools, tool, |tool| tool.name());
        self
    }

    /// Adds a resource.
    #[must_use]
    pub fn resource(mut self, resource: Resource) -> Self {
        replace(&mut self.plan.catalog.resources, resource, |resource| resource.uri());
        self
    }

    /// Adds a family of resources.
    #[must_use]
    pub fn template(mut self, template: ResourceTemplate) -> Self {
        replace(&mut self.plan.catalog.templates, template, |template| template.uri_template());
        self
    }

    /// Adds a prompt.
    #[must_use]
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        replace(&mut self.plan.catalog.prompts, prompt, |prompt| prompt.name());
        self
    }

    /// Serves a method of an extension; the handler gets the parameters and returns the result, an object.
    #[must_use]
    pub fn method<F, Fut>(mut self, name: &str, handler: F) -> Self
    where
        F: Fn(Context, Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value>> + Send + 'static,
    {
        self.plan.methods.insert(name.to_owned(), erase(handler, |_, result| result));
        self
    }

    /// Handles a notification of an extension.
    #[must_use]
    pub fn notification<F, Fut>(mut self, name: &str, handler: F) -> Self
    where
        F: Fn(Context, Args) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<()>> + Send + 'static,
    {
        self.plan.notifications.insert(name.to_owned(), erase(handler, |_, ()| Value::Null));
        self
    }

    /// Lets modern clients subscribe to what [`Handle::notify`] sends under that filter key, for instance
    /// `com.example/events`.
    #[must_use]
    pub fn filter(mut self, key: &str) -> Self {
        self.plan.filters.push(key.to_owned());
        self
    }

    /// Declares a capability, instead of the one that the SDK would declare under that name.
    #[must_use]
    pub fn capability(mut self, name: &str, value: Value) -> Self {
        self.plan.capabilities.insert(name.to_owned(), value);
        self
    }

    /// Declares an extension: `prefix/name` and its settings (2026-07-28 basic/versioning, "Extension Negotiation").
    #[must_use]
    pub fn extension(mut self, identifier: &str, settings: Value) -> Self {
        insert_into(&mut self.plan.capabilities, "extensions", identifier, settings);
        self
    }

    /// Sets how many entries a page of a list holds; the default is 100.
    #[must_use]
    pub fn page_size(mut self, entries: usize) -> Self {
        self.plan.page = Some(entries);
        self
    }

    /// Sets how long modern clients may cache lists; by default, not at all.
    #[must_use]
    pub fn cache_lists(mut self, cache: Cache) -> Self {
        self.plan.lists = Some(cache);
        self
    }

    /// Sets how long a question to the client may stay open; the default is ten minutes.
    #[must_use]
    pub fn ask_timeout(mut self, time: Duration) -> Self {
        self.plan.ask_timeout = Some(time);
        self
    }

    /// Sets the key that seals `requestState`. Give all instances behind one address the same key; by default each has
    /// its own.
    #[must_use]
    pub fn state_key(mut self, key: [u8; 32]) -> Self {
        self.plan.state_key = Some(key);
        self
    }

    /// Sets which eras the server supports; `--era` overrides it.
    #[must_use]
    pub fn eras(mut self, eras: Eras) -> Self {
        self.plan.eras = eras;
        self
    }

    /// Runs `work` when the server starts, inside its runtime: for instance to spawn a task that watches files and
    /// reports updates.
    #[must_use]
    pub fn on_start(mut self, work: impl FnOnce(Handle) + Send + 'static) -> Self {
        self.on_start.push(Box::new(work));
        self
    }

    /// Runs as the process's command line says; `--help` lists the flags. Ends when the client disconnects (stdio), or
    /// with SIGINT or SIGTERM, after the requests in progress were answered.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn run_from_args(self) -> std::result::Result<(), RunError> {
        self.run_with(std::env::args().skip(1)).await
    }

    /// Runs as `args` say, without the program's name.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn run_with(mut self, args: impl IntoIterator<Item = String>) -> std::result::Result<(), RunError> {
        let flags = flags::parse(args).map_err(|why| RunError::Usage(format!("{why}\n{USAGE}")))?;
        self.plan.eras = flags.eras.unwrap_or(self.plan.eras);
        let stop = CancellationToken::new();
        tokio::spawn(stop_on_signal(stop.clone()));
        match flags.place {
            Place::Help => Ok(say(USAGE)?),
            Place::Stdio => Ok(stdio::serve_process(self.start(), stop).await?),
            Place::Http(address) => {
                let listener = bind(&address).await?;
                // The one line on standard output, for the program or person that started the server.
                say(&http::url(listener.local_addr()?))?;
                Ok(http::serve(self.start(), listener, stop).await?)
            }
        }
    }

    /// Serves over HTTP in the background, for tests and for programs that do more than serve.
    ///
    /// # Errors
    /// The server cannot listen on the address.
    pub async fn listen(self, address: &str) -> std::result::Result<Listening, RunError> {
        let listener = bind(address).await?;
        let url = http::url(listener.local_addr()?);
        let stop = CancellationToken::new();
        let core = self.start();
        let handle = Handle::new(Arc::clone(&core));
        let serving = tokio::spawn(http::serve(core, listener, stop.clone()));
        Ok(Listening {
            url,
            handle,
            stop,
            serving,
        })
    }

    /// Serves one client on a pair of byte streams, one message per line, until it closes its side.
    ///
    /// # Errors
    /// The client's stream cannot be written.
    pub async fn serve_streams<R, W>(self, reader: R, writer: W) -> std::result::Result<(), RunError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        Ok(stdio::serve(self.start(), reader, writer, CancellationToken::new()).await?)
    }

    fn start(self) -> Arc<Core> {
        let core = Core::new(self.plan);
        for work in self.on_start {
            work(Handle::new(Arc::clone(&core)));
        }
        core
    }
}

/// A server that serves in the background. Dropping it stops it.
#[derive(Debug)]
pub struct Listening {
    url: String,
    handle: Handle,
    stop: CancellationToken,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Listening {
    /// Returns the URL of the endpoint.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns a handle to the server, for changing what it offers.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Stops, and waits until the requests in progress are answered.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let _ended = (&mut self.serving).await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn bind(address: &str) -> std::result::Result<TcpListener, RunError> {
    TcpListener::bind(address).await.map_err(|cause| RunError::Listen {
        address: address.to_owned(),
        cause,
    })
}

fn say(line: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

async fn stop_on_signal(stop: CancellationToken) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) else {
            return;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        return;
    }
    stop.cancel();
}
