//! The peers that aren't ours: how they are found, installed and configured. What stands here is what they were told.
//!
//! Each is configured to be as fast as it can be at the same work: nothing that it adds beyond passing calls on is left
//! switched on, and nothing that would refuse or skip work (rate limits, response caches) either.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::workspace;

/// The version of the crate `mcp-gateway` that is measured. Its licence is PolyForm Noncommercial 1.0.0: it is installed
/// from the registry for a user who asks for it with `--peers`, and never part of what we ship.
pub(crate) const MCP_GATEWAY: &str = "4.0.0-beta.3";

/// nginx, where it is installed (Debian: `apt-get install nginx-light`).
pub(crate) fn nginx() -> Option<PathBuf> {
    on_path("nginx")
}

/// A program that is installed.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let usual = ["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from);
    std::env::split_paths(&path)
        .chain(usual)
        .map(|directory| directory.join(program))
        .find(|file| file.is_file())
}

/// nginx as a plain reverse proxy: kept-alive connections on both sides, no log, buffers that hold any answer of ours.
pub(crate) fn nginx_conf(upstream: &str, port: u16, workers: usize, home: &Path) -> anyhow::Result<String> {
    let authority = upstream.strip_prefix("http://").and_then(|rest| rest.split('/').next());
    let authority = authority.with_context(|| format!("`{upstream}` is not an HTTP endpoint"))?;
    let home = home.display();
    Ok(format!(
        "daemon off;
worker_processes {workers};
pid {home}/nginx.pid;
error_log stderr error;
events {{
    worker_connections 4096;
}}
http {{
    access_log off;
    server_tokens off;
    keepalive_requests 1000000000;
    client_body_buffer_size 128k;
    client_max_body_size 16m;
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    upstream up {{
        server {authority};
        keepalive 256;
        keepalive_requests 1000000000;
    }}
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        location / {{
            proxy_pass http://up;
            proxy_http_version 1.1;
            proxy_set_header Connection \"\";
            proxy_buffers 16 16k;
            proxy_busy_buffers_size 64k;
            proxy_max_temp_file_size 0;
        }}
    }}
}}
"
    ))
}

/// The crate `mcp-gateway`, where it is in the cache.
pub(crate) fn mcp_gateway() -> Option<PathBuf> {
    let binary = mcp_gateway_root()?.join("bin/mcp-gateway");
    binary.is_file().then_some(binary)
}

/// Installs the crate `mcp-gateway` into the cache if it isn't there. That takes around half an hour on two processors.
pub(crate) fn install_mcp_gateway() -> anyhow::Result<PathBuf> {
    if let Some(binary) = mcp_gateway() {
        return Ok(binary);
    }
    let root = mcp_gateway_root().context("no place for a cache; set XDG_CACHE_HOME or HOME")?;
    eprintln!("installing mcp-gateway {MCP_GATEWAY} into {}", root.display());
    let status = workspace::cargo()
        .args([
            "install",
            "mcp-gateway",
            "--version",
            MCP_GATEWAY,
            "--locked",
            "--bin",
            "mcp-gateway",
            "--root",
        ])
        .arg(&root)
        // Its target directory, not ours: a workspace's settings must not reach a peer.
        .env("CARGO_TARGET_DIR", root.join("target"))
        .current_dir(std::env::temp_dir())
        .status()
        .context("failed to run cargo install")?;
    ensure!(status.success(), "the installation of mcp-gateway failed");
    fs::remove_dir_all(root.join("target")).context("failed to clean up after the installation")?;
    mcp_gateway().context("cargo installed no `mcp-gateway`")
}

/// The configuration of `mcp-gateway` before one server, in JSON, which is YAML.
///
/// Calls go to `/mcp/up`, its direct route to one backend; its `/mcp` puts meta-tools between, which cost another round.
/// The limit of 100 calls a second and the cache of responses are off because they would keep calls from the upstream;
/// the scanners of arguments and results because no other lane has them.
pub(crate) fn mcp_gateway_conf(backend: Value, port: u16) -> Value {
    json!({
        "server": {"host": "127.0.0.1", "port": port},
        "auth": {"enabled": false},
        "capabilities": {"enabled": false},
        "cache": {"enabled": false},
        "failsafe": {"rate_limit": {"enabled": false}},
        "security": {"sanitize_input": false, "firewall": {"enabled": false}, "response_inspection": {"enabled": false}},
        "backends": {"up": backend},
    })
}

fn mcp_gateway_root() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
    Some(cache.join("chancery-bench").join(format!("mcp-gateway-{MCP_GATEWAY}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nginx_forwards_to_the_authority_of_an_endpoint() {
        let conf = nginx_conf("http://127.0.0.1:4711/mcp", 8080, 3, Path::new("/run/bench")).expect("an endpoint");
        for line in [
            "server 127.0.0.1:4711;",
            "listen 127.0.0.1:8080 backlog=4096;",
            "worker_processes 3;",
            "pid /run/bench/nginx.pid;",
        ] {
            assert!(conf.contains(line), "`{line}` is not in\n{conf}");
        }
        assert!(nginx_conf("ftp://elsewhere", 1, 1, Path::new("/")).is_err());
    }
}
