//! From configuration to what the kernel and the listener are told.

use std::net::SocketAddr;

use kernel::Settings;
use model::Principal;
use transport::ClientLimits;
use transport::http::{ListenLimits, ListenOptions, TlsFiles, Token};
use transport::stdio::PipeOptions;

use crate::config::Config;

pub(super) fn kernel(config: &Config) -> Settings {
    let gateway = &config.gateway;
    Settings {
        servers: config.servers.clone(),
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
