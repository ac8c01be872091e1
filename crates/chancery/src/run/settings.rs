//! Converts the configuration to the settings of the kernel and the listener.

use std::net::{IpAddr, SocketAddr};

use kernel::Settings;
use kernel::spec::{Launch, ServerSpec};
use model::Principal;
use transport::ClientLimits;
use transport::http::{ListenLimits, ListenOptions, TlsFiles, Token};
use transport::stdio::PipeOptions;

use crate::config::Config;

/// Returns the settings of a gateway that clients use. `own` is the address that it will listen on, if any.
pub(super) fn secured(config: &Config, own: Option<SocketAddr>) -> Settings {
    let address = own.map_or(config.gateway.listen.ip(), |own| own.ip());
    let mut security = config.security.clone();
    security.principals = config.gateway.principals(address);
    Settings {
        security: Some(security),
        ..open(config, own)
    }
}

/// Returns the settings of a gateway for one command of the user who runs it: a user who can start the servers may call
/// their tools.
pub(super) fn open(config: &Config, own: Option<SocketAddr>) -> Settings {
    let gateway = &config.gateway;
    Settings {
        servers: config.servers.iter().map(|server| not_itself(server, own)).collect(),
        startup_wait: gateway.startup_wait,
        session_idle: gateway.limits.session_idle,
        max_sessions: gateway.limits.sessions,
        max_in_flight: gateway.limits.in_flight,
        limits: jsonrpc::Limits {
            max_bytes: gateway.limits.body,
            max_depth: gateway.limits.depth,
        },
        version: env!("CARGO_PKG_VERSION"),
        ..Settings::default()
    }
}

/// Puts a server in error that is at the address of the gateway itself: the gateway would call itself for ever. The
/// other servers work.
fn not_itself(server: &ServerSpec, own: Option<SocketAddr>) -> ServerSpec {
    let itself = match (&server.launch, own) {
        (Ok(Launch::Http { url, .. }), Some(own)) => is_at(url, own),
        _ => false,
    };
    let mut server = server.clone();
    if itself {
        server.launch = Err("its `url` is the address of this gateway itself; remove it, or correct `url`".to_owned());
    }
    server
}

fn is_at(url: &str, own: SocketAddr) -> bool {
    let Ok(uri) = url.parse::<http::Uri>() else { return false };
    let default = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let near = host
        .parse::<IpAddr>()
        .map_or(host == "localhost", |ip| ip.is_loopback() || ip == own.ip());
    near && uri.port_u16().unwrap_or(default) == own.port()
}

pub(super) fn client_limits(config: &Config) -> ClientLimits {
    ClientLimits {
        max_message: config.gateway.limits.body,
        ..ClientLimits::default()
    }
}

pub(super) fn pipe(config: &Config) -> PipeOptions {
    PipeOptions {
        max_message: config.gateway.limits.body,
        ..PipeOptions::default()
    }
}

pub(super) fn listen(config: &Config, address: Option<SocketAddr>) -> ListenOptions {
    let gateway = &config.gateway;
    let token = |token: &crate::config::Token| Token {
        secret: token.secret.clone(),
        principal: Principal::named(&token.principal),
    };
    ListenOptions {
        address: address.unwrap_or(gateway.listen),
        tokens: gateway.tokens.iter().map(token).collect(),
        anonymous: gateway.anonymous,
        insecure_bind: gateway.insecure_bind,
        hosts: gateway.allowed_hosts.clone(),
        origins: gateway.allowed_origins.clone(),
        tls: gateway.tls.as_ref().map(|tls| TlsFiles {
            certificate: tls.cert.clone(),
            key: tls.key.clone(),
        }),
        sse: gateway.sse,
        limits: ListenLimits {
            max_body: gateway.limits.body,
            max_head: gateway.limits.headers,
            idle_timeout: gateway.limits.idle,
            max_connections: gateway.limits.connections,
            max_streams: gateway.limits.streams,
            ..ListenLimits::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Env, load_text};

    /// The schema says what holds without a file. What the kernel and the listeners take where they are told nothing is the same.
    #[test]
    fn no_default_says_another_thing_than_the_schema() {
        let (config, _) = load_text("mgp.toml", "", &Env::default()).expect("a configuration");
        let (told, own) = (secured(&config, None), Settings::default());
        assert_eq!(
            (told.startup_wait, told.session_idle, told.max_sessions, told.max_in_flight),
            (own.startup_wait, own.session_idle, own.max_sessions, own.max_in_flight)
        );
        assert_eq!(
            (told.limits.max_bytes, told.limits.max_depth),
            (own.limits.max_bytes, own.limits.max_depth)
        );
        assert_eq!(told.security, Some(kernel::Security::default()));
        let (told, own) = (listen(&config, None), ListenOptions::default());
        assert_eq!(
            (told.anonymous, told.insecure_bind, told.sse),
            (own.anonymous, own.insecure_bind, own.sse)
        );
        assert_eq!(
            (told.limits.max_body, told.limits.max_head, told.limits.max_streams),
            (own.limits.max_body, own.limits.max_head, own.limits.max_streams)
        );
        assert_eq!(client_limits(&config).max_message, ClientLimits::default().max_message);
        assert_eq!(pipe(&config).max_message, PipeOptions::default().max_message);
    }

    #[test]
    fn the_gateway_s_own_address() {
        let own = |text: &str, listen: &str| is_at(text, listen.parse().expect("an address"));
        for url in [
            "http://127.0.0.1:8717/mcp",
            "http://localhost:8717",
            "http://[::1]:8717/mcp",
            "https://127.8.8.8:8717/sse",
        ] {
            assert!(own(url, "127.0.0.1:8717"), "{url}");
        }
        for url in [
            "http://127.0.0.1:8718/mcp",
            "http://10.0.0.1:8717/mcp",
            "https://mcp.example.com:8717/mcp",
            "http://127.0.0.1/mcp",
        ] {
            assert!(!own(url, "127.0.0.1:8717"), "{url}");
        }
        assert!(own("http://10.0.0.1/mcp", "10.0.0.1:80") && own("https://10.0.0.1/mcp", "10.0.0.1:443"));
    }
}
