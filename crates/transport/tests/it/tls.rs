//! TLS, both ends.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use transport::http::{ListenOptions, Listener, TlsFiles};
use transport::{ClientLimits, Outbound};
use upstream::link::{Connector, Link, LinkError, OutPost, ReplyBody};
use upstream::spec::HttpKind;

use crate::front::Gateway;
use crate::raw::Raw;
use crate::soon;
use crate::upstream::{Collector, http_spec};

/// Writes a self-signed certificate for these names, and its key.
fn certificate(directory: &Path, names: &[&str]) -> TlsFiles {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let files = TlsFiles {
        certificate: directory.join("cert.pem"),
        key: directory.join("key.pem"),
    };
    std::fs::write(&files.certificate, made.cert.pem()).expect("a directory");
    std::fs::write(&files.key, made.signing_key.serialize_pem()).expect("a directory");
    files
}

async fn post(outbound: &Outbound, url: &str) -> Result<String, LinkError> {
    let link = outbound
        .connect(
            &http_spec(url, HttpKind::Streamable, BTreeMap::new()),
            Arc::new(Collector::default()),
        )
        .await?;
    let Link::Http(link) = link else { panic!("an HTTP link") };
    let mut last = String::new();
    for _ in 0..3 {
        let reply = soon(link.post(OutPost::default())).await?;
        let ReplyBody::Json(body) = reply.body else { panic!("JSON") };
        last = String::from_utf8_lossy(&body).into_owned();
    }
    Ok(last)
}

#[tokio::test]
async fn a_round_trip_with_a_certificate_of_ones_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let files = certificate(directory.path(), &["127.0.0.1"]);
    let gateway = Gateway::ok(ListenOptions {
        tls: Some(files.clone()),
        ..ListenOptions::default()
    })
    .await;
    let port = gateway.address.port();
    let trusting = Outbound::new(ClientLimits::default(), Some(files.certificate));
    assert_eq!(
        post(&trusting, &format!("https://127.0.0.1:{port}/mcp")).await.expect("trusted"),
        r#"{"ok":true}"#
    );
    // By another name, and without trust.
    let error = post(&trusting, &format!("https://localhost:{port}/mcp"))
        .await
        .expect_err("another name");
    assert!(matches!(&error, LinkError::Unreachable(why) if why.contains("TLS")), "{error}");
    let error = post(
        &Outbound::new(ClientLimits::default(), None),
        &format!("https://127.0.0.1:{port}/mcp"),
    )
    .await
    .expect_err("not trusted");
    assert!(matches!(&error, LinkError::Unreachable(why) if why.contains("TLS")), "{error}");
    // Plain HTTP gets no answer, and harms no other connection.
    let mut plain = Raw::connect(gateway.address).await;
    plain.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(!plain.rest().await.contains("HTTP/1.1 200"));
    assert!(post(&trusting, &format!("https://127.0.0.1:{port}/mcp")).await.is_ok());
    gateway.shutdown.cancel();
    soon(gateway.serving).await.expect("it ends");
}

#[tokio::test]
async fn unusable_certificates_are_clear_errors() {
    let directory = tempfile::tempdir().expect("a directory");
    let files = certificate(directory.path(), &["localhost"]);
    let other = tempfile::tempdir().expect("a directory");
    let other_key = certificate(other.path(), &["localhost"]).key;
    let missing = directory.path().join("missing.pem");
    for (certificate, key, named) in [
        (&missing, &files.key, &missing),
        (&files.certificate, &missing, &missing),
        (&files.key, &files.key, &files.key),
        (&files.certificate, &files.certificate, &files.certificate),
        (&files.certificate, &other_key, &files.certificate),
    ] {
        let options = ListenOptions {
            tls: Some(TlsFiles {
                certificate: certificate.clone(),
                key: key.clone(),
            }),
            ..ListenOptions::default()
        };
        let error = Listener::bind(options).await.map(drop).expect_err("unusable").to_string();
        assert!(error.contains(&named.display().to_string()), "{error}");
    }
}
