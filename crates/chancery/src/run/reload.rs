//! Reloads the configuration of `chancery serve` when it changes: builds, checks and swaps it, or keeps the present one
//! and says why.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::signal::unix::Signal;

use super::gateway::Gateway;
use super::settings;
use crate::config::{self, Loaded, Sources};

/// How often the configuration files are polled.
const LOOK: Duration = Duration::from_secs(2);

/// Reloads at each hangup, and when a file changes; it does not end. `loaded` is the configuration that the gateway was
/// started with.
pub(super) async fn forever(gateway: &Gateway, sources: &Sources, loaded: Loaded, own: SocketAddr, mut hangups: Signal) {
    let (started, store, mut watch) = (loaded.config.gateway, loaded.config.store, loaded.watch);
    let mut ticks = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            // A file that a hangup has read is not read again by the next poll.
            _ = hangups.recv() => drop(watch.changed()),
            _ = ticks.tick() => {
                if watch.changed().is_empty() {
                    continue;
                }
            }
        }
        match config::reload(sources) {
            Ok(fresh) => {
                gateway.kernel.reload(settings::secured(&fresh.config, Some(own)));
                for warning in fresh.warnings.iter() {
                    tracing::warn!("{warning}");
                }
                let mut waiting = waiting_for_a_start(&started, &fresh.config.gateway);
                if store != fresh.config.store {
                    waiting.push("`[store]` and how `[audit]` syncs and keeps");
                }
                if !waiting.is_empty() {
                    tracing::warn!("what changed of {} takes effect at the next start", waiting.join(", "));
                }
                tracing::info!(servers = fresh.config.servers.len(), "the configuration was reloaded");
                watch = fresh.watch;
            }
            Err(problems) => tracing::error!(
                "the configuration was not reloaded, the old one stays:\n{}",
                problems.render(false).trim_end()
            ),
        }
    }
}

/// Returns the settings that are read at the start only, and that have changed since.
fn waiting_for_a_start(started: &config::Gateway, now: &config::Gateway) -> Vec<&'static str> {
    let tokens = |gateway: &config::Gateway| -> Vec<(String, String)> {
        let tokens = gateway.tokens.iter();
        tokens
            .map(|token| (token.principal.clone(), token.secret.expose().to_owned()))
            .collect()
    };
    let (old, new) = (&started.limits, &now.limits);
    let all = [
        ("`listen`", started.listen != now.listen),
        ("`tls`", started.tls != now.tls),
        ("`token` and `tokens`", tokens(started) != tokens(now)),
        ("`anonymous`", started.anonymous != now.anonymous),
        ("`allowed_hosts`", started.allowed_hosts != now.allowed_hosts),
        ("`allowed_origins`", started.allowed_origins != now.allowed_origins),
        ("`sse`", started.sse != now.sse),
        ("`insecure_bind`", started.insecure_bind != now.insecure_bind),
        ("`limits.body`", old.body != new.body),
        ("`limits.headers`", old.headers != new.headers),
        ("`limits.connections`", old.connections != new.connections),
        ("`limits.streams`", old.streams != new.streams),
        ("`limits.idle`", old.idle != new.idle),
        ("`log_level`", started.log_level != now.log_level),
        ("`log_format`", started.log_format != now.log_format),
    ];
    all.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema::{Kind, gateway, limits};
    use crate::config::{Env, load_text};

    /// The settings that take effect at once.
    const AT_ONCE: [&str; 7] = [
        "startup_wait",
        "request_timeout",
        "startup_timeout",
        "limits.depth",
        "limits.sessions",
        "limits.in_flight",
        "limits.session_idle",
    ];

    fn gateway(key: &str, value: &str) -> config::Gateway {
        let text = format!("[gateway]\n{key} = {value}\n");
        let loaded = load_text("mgp.toml", &text, &Env::default());
        loaded.unwrap_or_else(|problems| panic!("{text}\n{problems}")).0.gateway
    }

    #[test]
    fn each_setting_that_only_a_start_reads_is_named() {
        let started = gateway("sse", "false");
        assert_eq!(waiting_for_a_start(&started, &started), Vec::<&str>::new());
        let of_limits = limits::SECTION.keys.iter().map(|key| (format!("limits.{}", key.name), key.kind));
        let of_gateway = gateway::SECTION.keys.iter().map(|key| (key.name.to_owned(), key.kind));
        for (key, kind) in of_gateway.chain(of_limits).filter(|(key, _)| key != "limits") {
            let value = match (key.as_str(), kind) {
                ("listen", _) => "\"127.0.0.1:1\"",
                ("anonymous", _) => "\"never\"",
                ("tls", _) => "{ cert = \"a.pem\", key = \"b.pem\" }",
                ("log_level", _) => "\"debug\"",
                ("log_format", _) => "\"json\"",
                (_, Kind::Flag) => "true",
                (_, Kind::Texts) => "[\"a.example\"]",
                (_, Kind::TemplateMap) => "{ ada = \"t\" }",
                (_, Kind::Count) => "7",
                (_, Kind::Size) => "4096",
                (_, Kind::Duration) => "\"7s\"",
                _ => "\"t\"",
            };
            let named = waiting_for_a_start(&started, &gateway(&key, value)).concat();
            assert_ne!(
                named.contains(&format!("`{key}`")),
                AT_ONCE.contains(&key.as_str()),
                "{key}: {named}"
            );
        }
    }
}
