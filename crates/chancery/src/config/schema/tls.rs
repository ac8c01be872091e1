//! `[gateway.tls]`

use super::section::section;
use super::setting::{Setting, text};

section! {
    /// The certificate to serve HTTPS with. Relative paths are relative to the file that names them; `~/` is the home directory.
    Table "gateway.tls";

    /// The certificate chain, PEM.
    CERT: Setting<String> = text("cert").required().example(r#""cert.pem""#).also(&["certificate", "cert_file", "chain"]);

    /// The file with its private key, PEM.
    KEY: Setting<String> = text("key").required().example(r#""key.pem""#).also(&["private_key", "key_file"]);
}
