//! Connects to servers of every kind: implements the kernel's `Connector`.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::task::TaskTracker;
use upstream::link::{BoxFuture, Connector, Inbox, Link, LinkError};
use upstream::spec::{HttpKind, Launch, ServerSpec};

use crate::http::client::{Client, Dialer, sse};
use crate::limits::ClientLimits;
use crate::stdio::child::{self, Program};
use crate::stdio::inside::{self, Inside};

/// Connects to servers, and owns the tasks and children that serve the connections.
#[derive(Debug)]
pub struct Outbound {
    limits: ClientLimits,
    dialer: Arc<Dialer>,
    inside: Option<Arc<dyn Inside>>,
    tasks: TaskTracker,
}

impl Outbound {
    /// Makes a connector with these limits. `extra_roots` is a PEM file of certificates that `https` servers may show
    /// beside those that the system trusts.
    #[must_use]
    pub fn new(limits: ClientLimits, extra_roots: Option<PathBuf>) -> Self {
        let dialer = Arc::new(Dialer::new(extra_roots, limits.connect_timeout));
        Self {
            limits,
            dialer,
            inside: None,
            tasks: TaskTracker::new(),
        }
    }

    /// Adds the servers that run inside this process.
    #[must_use]
    pub fn inside(self, inside: Arc<dyn Inside>) -> Self {
        Self {
            inside: Some(inside),
            ..self
        }
    }

    /// Resolves when every pipe is closed and every child has exited. Close or drop them first.
    pub async fn finished(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    async fn open(&self, spec: &ServerSpec, inbox: Arc<dyn Inbox>) -> Result<Link, LinkError> {
        let launch = spec.launch.as_ref().map_err(|why| LinkError::Address {
            url: spec.id.to_string(),
            why: why.clone(),
        })?;
        match launch {
            Launch::Builtin(server) => match &self.inside {
                Some(inside) => Ok(Link::Pipe(inside::start(*server, &**inside, &self.limits, inbox, &self.tasks))),
                None => Err(LinkError::Spawn {
                    command: server.name().to_owned(),
                    why: "this program brings no servers of its own".to_owned(),
                }),
            },
            Launch::Stdio { command, args, env, cwd } => {
                let program = Program {
                    server: &spec.id,
                    command,
                    args,
                    env,
                    cwd: cwd.as_ref(),
                };
                child::spawn(&program, &self.limits, inbox, &self.tasks).map(Link::Pipe)
            }
            Launch::Http { url, headers, kind } => {
                let dialer = Arc::clone(&self.dialer);
                match kind {
                    HttpKind::Sse => sse::connect(url, headers, &self.limits, dialer, inbox, &self.tasks)
                        .await
                        .map(Link::Pipe),
                    HttpKind::Auto | HttpKind::Streamable => {
                        let client = Client::new(url, headers, &self.limits, dialer)?;
                        Ok(Link::Http(Arc::new(client)))
                    }
                }
            }
        }
    }
}

impl Connector for Outbound {
    fn connect<'a>(&'a self, server: &'a ServerSpec, inbox: Arc<dyn Inbox>) -> BoxFuture<'a, Result<Link, LinkError>> {
        Box::pin(self.open(server, inbox))
    }
}
