//! `[servers.policy]`

use model::Permission;
use policy::{DefaultAccess, OnChange, OnDangerous, OnModerate, PermissionPolicy};
use validators::arguments::Validator;
use validators::sql::Dialect;

use super::literal::Literal::{Empty, Flag};
use super::section::section;
use super::setting::{Preset, Setting, choice, flag, permissions, templates, texts, validators};

section! {
    /// The differences from `[policy]` for one server, and what validators need to check the arguments of its tools.
    Table "servers.policy";

    /// The access of principals without a grant.
    ACCESS: Setting<DefaultAccess> = choice("access").example(r#""opt-in""#).also(&["default", "default_policy"]);

    /// How the server's requests for permissions are answered.
    PERMISSIONS: Setting<PermissionPolicy> = choice("permissions").example(r#""config_only""#).also(&["permission_policy"]);

    /// The permissions that the server has.
    APPROVED: Preset<Vec<Permission>> = permissions("approved")
        .example(r#"["network.outbound"]"#)
        .also(&["approved_permissions", "granted", "allow"])
        .or(Empty);

    /// Whether a single denied permission stops all tools that name none. Otherwise only the denial of all of them
    /// does.
    STRICT: Preset<bool> = flag("strict").example("true").or(Flag(false));

    /// What happens to the server's tools of moderate risk.
    MODERATE: Setting<OnModerate> = choice("moderate").example(r#""confirm""#);

    /// What happens to the server's dangerous tools.
    DANGEROUS: Setting<OnDangerous> = choice("dangerous").example(r#""refuse""#);

    /// What happens to the server's changed tools.
    CHANGED: Setting<OnChange> = choice("changed").example(r#""refuse""#);

    /// The folders that paths in arguments may lead to, where a validator checks them. `~/` is the home directory, a
    /// relative path is relative to the file that names it.
    ROOTS: Preset<Vec<String>> = templates("roots").example(r#"["~/notes"]"#).also(&["root", "paths", "directories"]).or(Empty);

    /// Hosts that `network_restricted` allows although they are not public, as they are written in a URL.
    HOSTS: Preset<Vec<String>> = texts("hosts").example(r#"["localhost"]"#).also(&["allow_hosts", "allowed_hosts", "network"]).or(Empty);

    /// Schemes that it allows besides `http` and `https`.
    SCHEMES: Preset<Vec<String>> = texts("schemes").example(r#"["ftp"]"#).or(Empty);

    /// Commands that `sandbox` allows besides the known ones.
    COMMANDS: Preset<Vec<String>> = texts("commands").example(r#"["terraform"]"#).also(&["allow_commands", "allowed_commands"]).or(Empty);

    /// The dialect of SQL in which statements are parsed. Without it they have to be harmless in all dialects.
    DIALECT: Setting<Dialect> = choice("dialect").example(r#""postgresql""#).also(&["sql_dialect", "sql"]);

    /// The validators that check the arguments of all tools, in place of the inferred ones: `sandbox`, `readonly`,
    /// `network_restricted`, `code_safety`, `none`, a profile or level after a colon. Validators that the server
    /// declares are added.
    VALIDATORS: Setting<Vec<Validator>> = validators("validators")
        .example(r#"["sandbox:pipeline", "network_restricted"]"#)
        .also(&["validator"]);
}
