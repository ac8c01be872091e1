//! TLS by rustls: the trusted certificates, and the listener's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

/// Returns the one provider of cryptography.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

/// The error for certificates and keys that can't be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("use `{path}` for TLS: {why}")]
pub struct TlsError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl TlsError {
    fn new(path: &Path, why: impl ToString) -> Self {
        Self {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}

/// Makes a client's configuration that trusts the system's certificates, and those in `extra`.
///
/// # Errors
/// When `extra` can't be read, or there is nothing to trust at all.
pub(crate) fn trusting(extra: Option<&Path>) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(native.certs);
    if let Some(path) = extra {
        for certificate in certificates(path).map_err(|error| error.to_string())? {
            roots.add(certificate).map_err(|error| TlsError::new(path, error).to_string())?;
        }
    }
    if roots.is_empty() {
        let why = native.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(format!(
            "the system has no trusted certificates{why}; install the package `ca-certificates`, or name a file of them"
        ));
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Makes a server's configuration with the certificate chain of one PEM file and the key of another.
///
/// # Errors
/// When a file can't be read, holds no certificate or key, or the two don't belong together.
pub(crate) fn showing(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(certificate)?;
    let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| TlsError::new(key, error))?;
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::new(certificate, error))?
        .with_no_client_auth()
        .with_single_cert(chain, key_der)
        .map_err(|error| TlsError::new(certificate, error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let read = CertificateDer::pem_file_iter(path).map_err(|error| TlsError::new(path, error))?;
    let all: Vec<_> = read.collect::<Result<_, _>>().map_err(|error| TlsError::new(path, error))?;
    if all.is_empty() {
        return Err(TlsError::new(path, "it holds no certificate in PEM"));
    }
    Ok(all)
}
