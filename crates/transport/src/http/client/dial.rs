//! Opens connections: name resolution, TCP, TLS.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::{TlsConnector, TlsStream};
use upstream::link::LinkError;

use super::address::Address;
use crate::http::stream::Stream;
use crate::http::tls;

/// Opens connections, and holds the trusted certificates.
#[derive(Debug)]
pub(crate) struct Dialer {
    extra_roots: Option<PathBuf>,
    connect_timeout: Duration,
    /// The TLS configuration, made with the first `https` address: reading the system's certificates takes a while.
    trusting: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl Dialer {
    pub(crate) fn new(extra_roots: Option<PathBuf>, connect_timeout: Duration) -> Self {
        Self {
            extra_roots,
            connect_timeout,
            trusting: OnceLock::new(),
        }
    }

    /// Makes the TLS configuration for an address now, so that its errors show before the first exchange.
    ///
    /// # Errors
    /// When trusted certificates can't be read.
    pub(crate) fn prepare(&self, address: &Address) -> Result<(), LinkError> {
        self.config(address).map(drop)
    }

    fn config(&self, address: &Address) -> Result<Option<Arc<ClientConfig>>, LinkError> {
        if !address.secure {
            return Ok(None);
        }
        let made = self.trusting.get_or_init(|| tls::trusting(self.extra_roots.as_deref()));
        made.clone().map(Some).map_err(|why| LinkError::Address { url: address.url(), why })
    }

    /// Connects once.
    ///
    /// # Errors
    /// When the server does not answer in time, or its certificate is not trusted.
    pub(crate) async fn dial(&self, address: &Address) -> Result<Stream, LinkError> {
        let config = self.config(address)?;
        match timeout(self.connect_timeout, connect(address, config)).await {
            Ok(connected) => connected.map_err(LinkError::Unreachable),
            Err(_) => Err(LinkError::Unreachable(format!(
                "no connection to `{}` within {:?}",
                address.authority, self.connect_timeout
            ))),
        }
    }
}

async fn connect(address: &Address, config: Option<Arc<ClientConfig>>) -> Result<Stream, String> {
    let tcp = TcpStream::connect((address.host.as_str(), address.port))
        .await
        .map_err(|error| format!("connecting to `{}` failed: {error}", address.authority))?;
    // Requests are written in one piece each: waiting for more would only delay them.
    tcp.set_nodelay(true).map_err(|error| error.to_string())?;
    let Some(config) = config else {
        return Ok(Stream::Plain(tcp));
    };
    let name = ServerName::try_from(address.host.clone())
        .map_err(|error| format!("`{}` can't be checked in a certificate: {error}", address.host))?;
    let tls = TlsConnector::from(config)
        .connect(name, tcp)
        .await
        .map_err(|error| format!("TLS with `{}` failed: {error}", address.authority))?;
    Ok(Stream::Tls(Box::new(TlsStream::Client(tls))))
}
