//! A gateway in process: a kernel, scripted servers behind it, and transports for clients in front of it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{Debug, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kernel::front::Front;
use kernel::spec::{EraChoice, HttpKind, Launch, ServerSpec, Share, Start};
use kernel::{Dependencies, Kernel, NoCache, OfferCache, Records, Security, Settings};
use mcp::revision::Era;
use model::ServerId;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use transport::http::{ListenOptions, Listener};
use transport::socket::SocketListener;
use transport::stdio::PipeOptions;
use transport::{ClientLimits, Outbound};

use crate::client::{Client, ClientBuilder, Wire};
use crate::memory::Connections;
use crate::script::Script;
use crate::scripted::Scripted;

/// A gateway that is not started yet.
#[derive(Debug)]
pub struct Builder {
    settings: Settings,
    scripted: HashMap<String, Arc<Scripted>>,
    cache: Arc<dyn OfferCache>,
    limits: ClientLimits,
    records: Option<Records>,
    folder: Option<Arc<dyn Debug + Send + Sync>>,
    clock: store::Clock,
}

/// Starts to describe a gateway.
#[must_use]
pub fn gateway() -> Builder {
    Builder {
        settings: Settings {
            startup_wait: Duration::from_secs(10),
            ..Settings::default()
        },
        scripted: HashMap::new(),
        cache: Arc::new(NoCache),
        limits: ClientLimits {
            close_grace: Duration::from_millis(200),
            term_grace: Duration::from_millis(200),
            ..ClientLimits::default()
        },
        records: None,
        folder: None,
        clock: store::Clock::system(),
    }
}

/// Returns the configuration of a scripted server.
#[must_use]
pub fn spec_of(id: &str, script: &Script) -> ServerSpec {
    let launch = if script.http {
        Launch::Http {
            url: "memory:".to_owned(),
            headers: BTreeMap::new(),
            kind: HttpKind::Streamable,
        }
    } else {
        stdio("scripted", &[])
    };
    let era = if script.era == Era::Modern {
        EraChoice::Modern
    } else {
        EraChoice::Legacy
    };
    spec(id, launch, era)
}

fn stdio(command: &str, args: &[&str]) -> Launch {
    Launch::Stdio {
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: BTreeMap::new(),
        cwd: None,
    }
}

fn spec(id: &str, launch: Launch, era: EraChoice) -> ServerSpec {
    ServerSpec {
        id: ServerId::new(id).expect("a test's server has a good id"),
        launch: Ok(launch),
        era,
        share: Share::Session,
        start: Start::Eager,
        prefix: false,
        include: Vec::new(),
        exclude: Vec::new(),
        request_timeout: Duration::from_secs(20),
        startup_timeout: Duration::from_secs(10),
        digest: id.to_owned(),
    }
}

impl Builder {
    /// Adds a scripted server in memory.
    #[must_use]
    pub fn upstream(self, id: &str, script: Script) -> Self {
        self.upstream_with(id, script, |_| {})
    }

    /// Adds a scripted server in memory, whose configuration is changed first.
    #[must_use]
    pub fn upstream_with(mut self, id: &str, script: Script, change: impl FnOnce(&mut ServerSpec)) -> Self {
        let mut spec = spec_of(id, &script);
        change(&mut spec);
        self.settings.servers.push(spec);
        self.scripted.insert(id.to_owned(), Scripted::new(script));
        self
    }

    /// Adds a child process of the legacy era.
    #[must_use]
    pub fn child(self, id: &str, command: &str, args: &[&str]) -> Self {
        self.child_with(id, command, args, |_| {})
    }

    /// Adds a child process, whose configuration is changed first.
    #[must_use]
    pub fn child_with(mut self, id: &str, command: &str, args: &[&str], change: impl FnOnce(&mut ServerSpec)) -> Self {
        let mut spec = spec(id, stdio(command, args), EraChoice::Legacy);
        change(&mut spec);
        self.settings.servers.push(spec);
        self
    }

    /// Adds a server at a URL.
    #[must_use]
    pub fn url(self, id: &str, url: &str) -> Self {
        self.url_with(id, url, |_| {})
    }

    /// Adds a server at a URL, whose configuration is changed first.
    #[must_use]
    pub fn url_with(mut self, id: &str, url: &str, change: impl FnOnce(&mut ServerSpec)) -> Self {
        let launch = Launch::Http {
            url: url.to_owned(),
            headers: BTreeMap::new(),
            kind: HttpKind::Streamable,
        };
        let mut spec = spec(id, launch, EraChoice::Auto);
        change(&mut spec);
        self.settings.servers.push(spec);
        self
    }

    /// Changes the kernel's settings.
    #[must_use]
    pub fn settings(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Sets the gateway's security.
    #[must_use]
    pub fn guarded(self, change: impl FnOnce(&mut Security)) -> Self {
        self.settings(|settings| change(settings.security.get_or_insert_default()))
    }

    /// Gives it a store in a folder.
    ///
    /// # Panics
    /// When the folder can't be used.
    pub async fn remembering(self, folder: &Path) -> Self {
        self.remembering_on(folder, Arc::new(store::disk::LocalDisk)).await
    }

    /// Gives it a store in a folder that it keeps as long as it lives, such as a temporary one.
    ///
    /// # Panics
    /// When the folder can't be used.
    pub async fn remembering_in(mut self, folder: impl AsRef<Path> + Debug + Send + Sync + 'static) -> Self {
        let folder = Arc::new(folder);
        self.folder = Some(folder.clone());
        self.remembering((*folder).as_ref()).await
    }

    /// Gives it a store in a folder, on a disk that the test made.
    ///
    /// # Panics
    /// When the folder can't be used.
    pub async fn remembering_on(self, folder: &Path, disk: Arc<dyn store::disk::Disk>) -> Self {
        self.remembering_through(folder, disk, |store| store).await
    }

    /// Gives it a store in a folder, which the test wraps in another.
    ///
    /// # Panics
    /// When the folder can't be used.
    pub async fn remembering_through(
        mut self,
        folder: &Path,
        disk: Arc<dyn store::disk::Disk>,
        around: impl FnOnce(Arc<dyn store::Store>) -> Arc<dyn store::Store>,
    ) -> Self {
        let settings = store::Settings {
            disk,
            ..store::Settings::new(folder)
        };
        let opened = tokio::task::spawn_blocking(move || store::LocalStore::open(&settings));
        let store = around(Arc::new(opened.await.expect("opening does not panic").expect("a good folder")));
        let remembered = store.load().await.expect("a readable store");
        self.records = Some(Records { store, remembered });
        self
    }

    /// Sets the cache of catalogues.
    #[must_use]
    pub fn cache(mut self, cache: Arc<dyn OfferCache>) -> Self {
        self.cache = cache;
        self
    }

    /// Sets the kernel's clock, in place of the machine's.
    #[must_use]
    pub fn clock(mut self, clock: store::Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the limits towards servers.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut ClientLimits)) -> Self {
        change(&mut self.limits);
        self
    }

    /// Starts the gateway. Servers start in the background; the first list waits for them.
    #[must_use]
    pub fn start(self) -> Gateway {
        let outbound = Arc::new(Outbound::new(self.limits, None));
        let connections = Connections {
            scripted: self.scripted.clone(),
            real: outbound.clone(),
        };
        let mut outside = Dependencies::new(Arc::new(connections), self.cache).clock(self.clock);
        if let Some(records) = self.records {
            outside = outside.records(records);
        }
        let kernel = Kernel::start(self.settings.clone(), outside);
        Gateway {
            kernel,
            outbound,
            scripted: self.scripted,
            settings: self.settings,
            _folder: self.folder,
        }
    }
}

/// A running gateway.
#[derive(Debug)]
pub struct Gateway {
    /// Its kernel.
    pub kernel: Kernel,
    /// The kernel's settings, to reload a variation of them.
    pub settings: Settings,
    outbound: Arc<Outbound>,
    scripted: HashMap<String, Arc<Scripted>>,
    /// The folder of its store, which ends with it.
    _folder: Option<Arc<dyn Debug + Send + Sync>>,
}

/// A listener in front of a gateway.
#[derive(Debug)]
pub struct Door {
    /// The URL of the endpoint.
    pub url: String,
    /// The address that it listens on.
    pub address: std::net::SocketAddr,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

impl Door {
    /// Closes it, and waits until every connection has ended.
    pub async fn close(self) {
        self.shutdown.cancel();
        drop(self.serving.await);
    }
}

impl Gateway {
    /// Returns a scripted server.
    ///
    /// # Panics
    /// When there is none of that name.
    #[must_use]
    pub fn server(&self, id: &str) -> &Arc<Scripted> {
        self.scripted.get(id).unwrap_or_else(|| panic!("no scripted server `{id}`"))
    }

    /// Returns a client that is not connected yet.
    #[must_use]
    pub fn client(&self, era: Era, wire: Wire) -> ClientBuilder {
        ClientBuilder::new(self.kernel.clone(), era, wire)
    }

    /// Starts a real HTTP listener on a free port of this machine.
    ///
    /// # Panics
    /// When no port can be bound.
    pub async fn door(&self, change: impl FnOnce(&mut ListenOptions)) -> Door {
        let mut options = ListenOptions::default();
        change(&mut options);
        let listener = Listener::bind(options).await.expect("a free port");
        let (url, address, shutdown) = (listener.url(), listener.local_addr(), CancellationToken::new());
        let front: Arc<dyn Front> = Arc::new(self.kernel.clone());
        let serving = tokio::spawn(listener.serve(front, shutdown.clone()));
        Door {
            url,
            address,
            shutdown,
            serving,
        }
    }

    /// Starts a real local socket, for clients that exchange lines.
    ///
    /// # Panics
    /// When the path can't be bound.
    #[must_use]
    pub fn socket(&self, path: PathBuf, options: PipeOptions) -> CancellationToken {
        let listener = SocketListener::bind(&path).expect("a free path");
        let shutdown = CancellationToken::new();
        let front: Arc<dyn Front> = Arc::new(self.kernel.clone());
        tokio::spawn(listener.serve(front, options, shutdown.clone()));
        shutdown
    }

    /// Ends the gateway, and waits until every connection and child has ended.
    pub async fn stop(&self) {
        self.kernel.shutdown(Duration::from_secs(10)).await;
        drop(tokio::time::timeout(crate::PATIENCE, self.outbound.finished()).await);
    }

    /// Ends the gateway once these clients have left, and checks that it holds nothing any more.
    ///
    /// # Panics
    /// When something is left.
    pub async fn stop_after(&self, clients: &[&Client], context: impl Display) {
        for client in clients {
            client.leave().await;
        }
        self.stop().await;
        assert_eq!(self.kernel.census(), [0; 5], "{context}");
    }
}
