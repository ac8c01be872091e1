//! The configuration of a guard, from the lines of a transcript that begin with `config`.

use std::time::Duration;

use guard::{Alert, Security};
use model::{Access, By, Grant, Permission, PrincipalId, Risk, Timestamp};
use policy::{DefaultAccess, OnChange, OnDangerous, OnModerate, Origin, PermissionPolicy, Rate};
use validators::arguments::Validator;

use crate::words::{self, Words};

/// Returns the default configuration, without principals.
pub(crate) fn begin() -> Security {
    Security {
        principals: Vec::new(),
        approval_ttl: Duration::from_secs(300),
        ..Security::default()
    }
}

/// Applies one line: the words behind `config`.
pub(crate) fn configure(security: &mut Security, words: &Words<'_>) {
    let tables = &mut security.tables;
    match (words.at(1), words.at(2)) {
        ("principal", name) => {
            let origin = if words.at(3) == "local" { Origin::Local } else { Origin::Remote };
            security.principals.push((PrincipalId::new(name), origin));
        }
        ("access", "opt-in") => tables.access = Some(DefaultAccess::OptIn),
        ("access", "opt-out") => tables.access = Some(DefaultAccess::OptOut),
        ("moderate", "confirm") => tables.moderate = OnModerate::Confirm,
        ("dangerous", "refuse") => tables.dangerous = OnDangerous::Refuse,
        ("changed", "refuse") => tables.changed = OnChange::Refuse,
        ("changed", "run") => tables.changed = OnChange::Run,
        ("permissions", "auto") => tables.permissions = PermissionPolicy::AutoApprove,
        ("permissions", "none") => tables.permissions = PermissionPolicy::DenyAll,
        ("rate", of) => {
            let rate = Rate {
                calls: words.at(3).parse().expect("a number"),
                per: words::duration(words.behind("per").expect("a time")),
            };
            match of {
                "principal" => tables.rates.principal = Some(rate),
                "server" => tables.rates.server = Some(rate),
                "tool" => tables.rates.tool = Some(rate),
                _ => panic!("no rate of `{of}`"),
            }
        }
        ("grant", name) => security.grants.push(grant(name, words.at(3))),
        ("without", "grants") => security.grants.clear(),
        ("redact", word) => security.redact.push(word.to_owned()),
        ("ttl", time) => security.approval_ttl = words::duration(time),
        ("alert", name) => security.alerts.push(Alert {
            name: name.into(),
            event: words.at(3).into(),
            actor: words.behind("of").map(Into::into),
            count: words.at(4).parse().expect("a number"),
            window: words::duration(words.behind("within").expect("a time")),
        }),
        ("server", id) => server(security, id, words),
        (key, value) => panic!("`{key} {value}` cannot be configured"),
    }
}

fn grant(principal: &str, scope: &str) -> Grant {
    Grant {
        principal: PrincipalId::new(principal),
        scope: words::scope(scope),
        access: Access::Allow,
        confirms: false,
        granted: By {
            principal: PrincipalId::new("configuration"),
            at: Timestamp(0),
        },
        expires: None,
        justification: None,
    }
}

/// Applies `config server fs wants PERMISSION`, `has PERMISSION`, `tool NAME is RISK` or `validates NAME`.
fn server(security: &mut Security, id: &str, words: &Words<'_>) {
    let id = words::server(id);
    let own = security.servers.entry(id.clone()).or_default();
    let table = security.tables.servers.entry(id).or_default();
    match words.at(3) {
        "wants" => own.permissions.push(Permission::new(words.at(4))),
        "has" => table.approved.push(Permission::new(words.at(4))),
        "validates" => {
            let validator = match words.at(4) {
                "network" => Validator::NetworkRestricted,
                "readonly" => Validator::Readonly,
                name => panic!("no validator `{name}`"),
            };
            table.validators.get_or_insert_default().push(validator);
        }
        "tool" => {
            let configured = own.tools.entry(words.at(4).into()).or_default();
            configured.risk = Some(match words.at(6) {
                "safe" => Risk::Safe,
                "moderate" => Risk::Moderate,
                _ => Risk::Dangerous,
            });
        }
        what => panic!("`{what}` is nothing that a server has"),
    }
}
