//! From a table to a `ServerSpec`.

use std::path::Path;
use std::time::Duration;

use kernel::spec::{Builtin, EraChoice, HttpKind, Launch, ServerSpec, Share, Start};
use model::{Role, ServerId};
use policy::DefaultAccess;

use crate::config::{Config, Env, load_text};

fn config(text: &str) -> Config {
    let env: Env = [
        ("KEY", "s3cret"),
        ("HOME", "/home/me"),
        ("URL", "https://example.com/mcp"),
        ("BAD", "no url"),
        ("NEWLINE", "a\nb"),
    ]
    .into_iter()
    .collect();
    load_text("/etc/chancery/mgp.toml", text, &env)
        .unwrap_or_else(|problems| panic!("{}", problems.render(false)))
        .0
}

fn server(text: &str) -> ServerSpec {
    config(&format!("[[servers]]\nid = \"a\"\n{text}")).servers.remove(0)
}

#[test]
fn a_program_with_everything() {
    let spec = server(
        "command = \"~/bin/tool\"\nargs = [\"--root\", \"${HOME}/x\"]\nenv = { KEY = \"${KEY}\" }\ncwd = \"work\"\nera = \"modern\"\nshare = \"all\"\nstart = \"on-use\"\nprefix = true\ninclude = [\"read_*\"]\nexclude = [\"read_all\"]\nrequest_timeout = \"10s\"\nstartup_timeout = \"20s\"\n",
    );
    let Ok(Launch::Stdio { command, args, env, cwd }) = spec.launch else {
        panic!("a program")
    };
    assert_eq!(command, "/home/me/bin/tool");
    assert_eq!(args, ["--root", "/home/me/x"]);
    assert_eq!(env["KEY"].expose(), "s3cret");
    assert_eq!(cwd.as_deref(), Some(Path::new("/etc/chancery/work")));
    assert_eq!(
        (spec.era, spec.share, spec.start, spec.prefix),
        (EraChoice::Modern, Share::All, Start::OnUse, true)
    );
    assert_eq!(
        (spec.include, spec.exclude),
        (vec!["read_*".to_owned()], vec!["read_all".to_owned()])
    );
    assert_eq!(
        (spec.request_timeout, spec.startup_timeout),
        (Duration::from_secs(10), Duration::from_secs(20))
    );
}

#[test]
fn an_address_with_everything() {
    let spec = server("url = \"${URL}\"\nheaders = { Authorization = \"Bearer ${KEY}\" }\ntransport = \"sse\"\n");
    let Ok(Launch::Http { url, headers, kind }) = spec.launch else {
        panic!("an address")
    };
    assert_eq!((url.as_str(), kind), ("https://example.com/mcp", HttpKind::Sse));
    assert_eq!(headers["Authorization"].expose(), "Bearer s3cret");
    assert_eq!(
        (spec.era, spec.share, spec.start, spec.prefix),
        (EraChoice::Auto, Share::Session, Start::Eager, false)
    );
}

#[test]
fn the_gateway_s_timeouts_are_the_default() {
    let config = config("[gateway]\nrequest_timeout = \"7s\"\n[[servers]]\nid = \"a\"\ncommand = \"a\"\n");
    assert_eq!(config.servers[0].request_timeout, Duration::from_secs(7));
    assert_eq!(config.servers[0].startup_timeout, Duration::from_secs(60));
}

#[test]
fn the_example_of_mgp_15_2() {
    let text = "[[servers]]\nid = \"mind.cerebras\"\ncommand = \"python\"\nargs = [\"mcp-servers/cerebras/server.py\"]\ntransport = \"stdio\"\n\n[servers.mgp]\nextensions = [\"security\", \"lifecycle\", \"streaming\"]\npermissions_required = [\"network.outbound\"]\ntrust_level = \"standard\"\nrestart_policy = \"on_failure\"\n\n[servers.env]\nCEREBRAS_API_KEY = \"${KEY}\"\n";
    let spec = config(text).servers.remove(0);
    assert_eq!((spec.id.as_str(), spec.era), ("mind.cerebras", EraChoice::Legacy));
    let Ok(Launch::Stdio { env, .. }) = spec.launch else {
        panic!("a program")
    };
    assert_eq!(env["CEREBRAS_API_KEY"].expose(), "s3cret");
}

#[test]
fn what_only_a_variable_makes_wrong_is_that_servers_error_alone() {
    for text in [
        "command = \"${UNSET}\"",
        "command = \"a\"\nargs = [\"${UNSET}\"]",
        "command = \"a\"\nenv = { A = \"${UNSET}\" }",
        "url = \"${BAD}\"",
        "url = \"${URL}\"\nheaders = { A = \"${NEWLINE}\" }",
    ] {
        let both = config(&format!(
            "[[servers]]\nid = \"a\"\n{text}\n[[servers]]\nid = \"b\"\ncommand = \"b\"\n"
        ));
        assert!(both.servers[0].launch.is_err(), "{text}");
        assert!(both.servers[1].launch.is_ok());
    }
}

#[test]
fn a_disabled_server_keeps_its_id() {
    let config = config("[[servers]]\nid = \"a\"\ncommand = \"${UNSET}\"\nenabled = false\n");
    assert!(config.servers.is_empty());
    assert_eq!(config.disabled[0].as_str(), "a");
}

#[test]
fn the_digest_follows_what_is_started_and_nothing_else() {
    let digest = |text: &str| server(text).digest;
    let base = digest("command = \"a\"\nenv = { A = \"1\" }");
    assert_eq!(base.len(), 64);
    assert_eq!(
        base,
        digest("command = \"a\"\nenv = { A = \"1\" }\nstart = \"on-use\"\nrequest_timeout = \"1s\"\nprefix = true")
    );
    for other in [
        "command = \"b\"\nenv = { A = \"1\" }",
        "command = \"a\"\nenv = { A = \"2\" }",
        "command = \"a\"\nenv = { B = \"1\" }",
        "command = \"a\"\nargs = [\"A\"]",
        "command = \"a\"\nenv = { A = \"1\" }\nera = \"legacy\"",
    ] {
        assert_ne!(base, digest(other), "{other}");
    }
}

#[test]
fn tokens_become_principals() {
    let config = config("[gateway]\ntoken = \"${KEY}\"\ntokens = { alice = \"a1\" }\n");
    let tokens: Vec<_> = config
        .gateway
        .tokens
        .iter()
        .map(|token| (token.principal.as_str(), token.secret.expose()))
        .collect();
    assert_eq!(tokens, [("local", "s3cret"), ("alice", "a1")]);
}

#[test]
fn a_server_of_the_gateway_s_own_is_for_operators() {
    let text = "[[servers]]\nid = \"record\"\nbuiltin = \"audit\"\n";
    let (config, _) = load_text("mgp.toml", text, &Env::default()).expect("a configuration");
    assert!(matches!(config.servers[0].launch, Ok(Launch::Builtin(Builtin::Audit))));
    assert_eq!(config.servers[0].share, Share::All);
    let id = ServerId::new("record").expect("an id");
    assert_eq!(config.security.servers[&id].role, Role::Operator);
    assert_eq!(config.security.tables.servers[&id].access, Some(DefaultAccess::OptOut));
    let narrowed = format!("{text}[servers.policy]\naccess = \"opt-in\"\n");
    let (config, _) = load_text("mgp.toml", &narrowed, &Env::default()).expect("a configuration");
    assert_eq!(config.security.tables.servers[&id].access, Some(DefaultAccess::OptIn));
    for (more, told) in [
        ("command = \"x\"\n", "either a `command` or a `builtin`, not both"),
        ("url = \"https://example.com\"\n", "either a `url` or a `builtin`, not both"),
        ("env = { A = \"b\" }\n", "`env` means nothing for a server with a `builtin`"),
        ("transport = \"stdio\"\n", "`transport` means nothing for a server with a `builtin`"),
    ] {
        let problems = load_text("mgp.toml", &format!("{text}{more}"), &Env::default()).expect_err(more);
        assert!(problems.render(false).contains(told), "{}", problems.render(false));
    }
}
