//! Tests of negotiation: every carrier, both sets of names, compatible and incompatible versions, with clients and servers.

use std::fmt::Write;

use expect_test::{expect, expect_file};
use jsonrpc::Raw;
use mcp::revision::Era;
use mgp::negotiation::{Carrier, Extension, ExtensionSet, Offer, Outcome, Version};

use crate::raw;

fn offer() -> Offer {
    Offer {
        extensions: [
            Extension::Security,
            Extension::AccessControl,
            Extension::Audit,
            Extension::CodeSafety,
            Extension::ErrorHandling,
        ]
        .into_iter()
        .collect(),
    }
}

const NAMES: [(&str, &str); 3] = [
    ("founding", r#"["security","audit","bidirectional"]"#),
    ("later", r#"["permissions","tool_security","audit","events"]"#),
    ("both", r#"["security","permissions","audit","x_unknown"]"#),
];
const VERSIONS: [&str; 7] = ["0.1.0", "0.5.2", "0.5.9", "0.6.0", "1.0.0", "0.5", "latest"];

fn in_carriers(carriers: &[Carrier], declaration: &str) -> Raw {
    let declaration = raw(declaration);
    let start = raw(r#"{"tools":{}}"#).edit();
    carriers
        .iter()
        .fold(start, |edit, carrier| edit.set(carrier.path(), &declaration))
        .finish()
}

fn shown(outcome: &Outcome) -> String {
    let mut line = match &outcome.agreement {
        None => "plain MCP".to_owned(),
        Some(agreement) => {
            let carriers: Vec<String> = agreement.carriers.iter().map(|carrier| format!("{carrier:?}")).collect();
            format!("{:?} on {} as {:?}", agreement.active, carriers.join("+"), agreement.words)
        }
    };
    for warning in &outcome.warnings {
        write!(line, "; warning: {warning}").expect("a string takes everything");
    }
    line
}

/// D7, D8, D9 and §2.4: three carriers (and all together), three ways to name the extensions, seven versions, with clients and servers.
#[test]
fn d7_d8_d9_the_matrix() {
    let mut table = String::new();
    let carriers: [&[Carrier]; 5] = [
        &[],
        &[Carrier::Member],
        &[Carrier::Experimental],
        &[Carrier::Extension],
        &Carrier::ALL,
    ];
    for carriers in carriers {
        for (names, list) in NAMES {
            for version in VERSIONS {
                let declared = format!(r#"{{"version":"{version}","extensions":{list}}}"#);
                let capabilities = in_carriers(carriers, &declared);
                let (server, client) = (offer().with_server(&capabilities), offer().with_client(&capabilities));
                writeln!(table, "{carriers:?} {names} {version}").expect("text");
                writeln!(table, "  server: {}", shown(&server)).expect("text");
                writeln!(table, "  client: {}", shown(&client)).expect("text");
                let told = offer().towards_client(&raw(r#"{"tools":{}}"#), client.agreement.as_ref());
                writeln!(table, "  the client is told: {}", told.text()).expect("text");
            }
        }
    }
    expect_file![crate::data("negotiation.txt")].assert_eq(&table);
}

#[test]
fn d7_the_same_in_two_carriers_is_said_once_and_contradictions_are_refused() {
    let said = |member: &str, experimental: &str| {
        let capabilities = format!(r#"{{"mgp":{member},"experimental":{{"mgp":{experimental}}}}}"#);
        shown(&offer().with_server(&raw(&capabilities)))
    };
    let founding = r#"{"version":"0.5.2","extensions":["audit","security"]}"#;
    let later = r#"{"version":"0.5.2","extensions":["tool_security","permissions","audit"]}"#;
    expect![[r#"{"security", "audit"} on Member+Experimental as ["audit", "security"]"#]].assert_eq(&said(founding, later));
    for other in [
        r#"{"version":"0.5.1","extensions":["audit","security"]}"#,
        r#"{"version":"0.5.2","extensions":["audit"]}"#,
        r#"{"version":"0.5.2","extensions":["audit","security"],"permissions_required":["camera"]}"#,
        r#"{"version":"0.5.2","extensions":["audit","security"],"trust_level":"core"}"#,
        r#"{"version":"0.5.2","extensions":["audit","security"],"server_id":"x"}"#,
    ] {
        expect![
            "plain MCP; warning: its declaration of MGP is refused, and the connection is plain MCP: `mgp` and `experimental.mgp` contradict each other"
        ]
        .assert_eq(&said(founding, other));
    }
}

#[test]
fn d7_a_repeated_key_declares_nothing() {
    for capabilities in [
        r#"{"mgp":{"version":"0.5.2","extensions":["audit"]},"mgp":{"version":"0.5.2","extensions":["security"]}}"#,
        r#"{"mgp":{"version":"0.5.2","extensions":["audit"],"extensio\u006es":["security"]}}"#,
        r#"{"experimental":{"mgp":{"version":"0.5.2","extensions":[]},"mgp":null}}"#,
    ] {
        let outcome = offer().with_server(&raw(capabilities));
        assert!(outcome.agreement.is_none(), "{capabilities}");
        assert_eq!(outcome.warnings.len(), 1, "{capabilities}");
    }
}

#[test]
fn row_2_2_what_is_not_as_the_specification_has_it_is_plain_mcp() {
    let many = format!(r#"{{"version":"0.5.2","extensions":[{}"x"]}}"#, r#""x","#.repeat(64));
    let cases = [
        "{}",
        "[]",
        "true",
        r#""0.5.2""#,
        r#"{"version":"0.5.2"}"#,
        r#"{"extensions":[]}"#,
        r#"{"version":5,"extensions":[]}"#,
        r#"{"version":"0.5.2","extensions":"security"}"#,
        r#"{"version":"0.5.2","extensions":[1]}"#,
        r#"{"version":"0.5.2","extensions":[],"permissions_required":"shell"}"#,
        r#"{"version":"0.5.2","extensions":[],"permissions_required":["a..b"]}"#,
        &many,
    ];
    let mut table = String::new();
    for declared in cases {
        let outcome = offer().with_server(&raw(&format!(r#"{{"mgp":{declared}}}"#)));
        assert!(outcome.agreement.is_none(), "{declared}");
        for warning in outcome.warnings {
            writeln!(table, "{warning}").expect("text");
        }
    }
    expect![[r#"
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `version`, a text
        its declaration of MGP is refused, and the connection is plain MCP: `mgp`: not an object at byte 0
        its declaration of MGP is refused, and the connection is plain MCP: `mgp`: not an object at byte 0
        its declaration of MGP is refused, and the connection is plain MCP: `mgp`: not an object at byte 0
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `extensions`, a list of at most 64 texts
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `version`, a text
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `version`, a text
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `extensions`, a list of at most 64 texts
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `extensions`, a list of at most 64 texts
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `permissions_required`, a list of at most 64 texts
        its declaration of MGP is refused, and the connection is plain MCP: `a..b` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots
        its declaration of MGP is refused, and the connection is plain MCP: `mgp` needs `extensions`, a list of at most 64 texts
    "#]]
    .assert_eq(&table);
    for nothing in [
        "{}",
        r#"{"mgp":null}"#,
        r#"{"experimental":{"mgp":false}}"#,
        r#"{"experimental":[]}"#,
        "[]",
        "7",
    ] {
        let outcome = offer().with_server(&raw(nothing));
        assert!(outcome.agreement.is_none() && outcome.warnings.is_empty(), "{nothing}");
    }
}

#[test]
fn row_2_2e_servers_are_offered_ten_extensions_by_both_sets_of_names() {
    let all = Offer {
        extensions: ExtensionSet::all(),
    };
    let client = raw(r#"{"sampling":{},"mgp":{"version":"9.9.9","extensions":[]},"experimental":{"mgp":{},"mine":{}}}"#);
    expect![[r#"{"sampling":{},"mgp":{"version":"0.5.2","extensions":["security","access_control","audit","code_safety","lifecycle","streaming","bidirectional","discovery","tool_discovery","error_handling","permissions","tool_security","callbacks","events","progress"]},"experimental":{"mgp":{"version":"0.5.2","extensions":["security","access_control","audit","code_safety","lifecycle","streaming","bidirectional","discovery","tool_discovery","error_handling","permissions","tool_security","callbacks","events","progress"]},"mine":{}}}"#]]
        .assert_eq(all.towards_server(&client, Era::Legacy).text());
    expect![[r#"{"sampling":{},"experimental":{"mine":{}},"extensions":{"dev.cloto/mgp":{"version":"0.5.2","extensions":["security","access_control","audit","code_safety","error_handling","permissions","tool_security"]}}}"#]]
        .assert_eq(offer().towards_server(&client, Era::Modern).text());
}

#[test]
fn d7_a_modern_request_carries_the_gateways_declaration_in_place_of_the_clients() {
    let params = raw(
        r#"{"name":"x","_meta":{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"dev.cloto/mgp":{"version":"0.4.0","extensions":["audit"]}}}}}"#,
    );
    expect![[r#"{"name":"x","_meta":{"io.modelcontextprotocol/clientCapabilities":{"extensions":{"dev.cloto/mgp":{"version":"0.5.2","extensions":["security","access_control","audit","code_safety","error_handling","permissions","tool_security"]}}}}}"#]]
        .assert_eq(offer().in_request(&params).text());
    let none = raw(r#"{"name":"x"}"#);
    assert_eq!(offer().in_request(&none), none, "a request without `_meta` goes as it came");
}

#[test]
fn row_2_4_1_only_the_intersection_is_active() {
    let outcome = offer().with_server(&raw(
        r#"{"mgp":{"version":"0.5.2","extensions":["audit","streaming","tool_discovery"]}}"#,
    ));
    assert!(outcome.has(Extension::Audit));
    assert!(!outcome.has(Extension::Streaming) && !outcome.has(Extension::Security));
    let warnings: Vec<String> = outcome.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "it declares `streaming`, which it was not offered: it is not used",
            "it declares `tool_discovery`, which it was not offered: it is not used"
        ]
    );
}

#[test]
fn row_2_4_2_and_2_4_3_silence_towards_those_who_did_not_ask() {
    // Servers' own declarations must not reach the client.
    let merged = raw(
        r#"{"tools":{},"mgp":{"version":"0.6.0","extensions":["permissions"]},"experimental":{"mgp":{"version":"0.6.0","extensions":[]}},"extensions":{"dev.cloto/mgp":{},"io.example/x":{}}}"#,
    );
    let plain = offer().with_client(&raw(r#"{"roots":{}}"#));
    assert!(plain.agreement.is_none() && plain.warnings.is_empty());
    expect![[r#"{"tools":{},"extensions":{"io.example/x":{}}}"#]]
        .assert_eq(offer().towards_client(&merged, plain.agreement.as_ref()).text());
    // A gateway that offers nothing declares nothing to any peer.
    let silent = Offer {
        extensions: ExtensionSet::NONE,
    };
    let asks = raw(r#"{"mgp":{"version":"0.5.2","extensions":["audit"]}}"#);
    assert_eq!(silent.towards_server(&asks, Era::Legacy).text(), "{}");
    assert!(silent.with_client(&asks).agreement.is_none());
    let uninvited = silent.with_server(&asks);
    assert!(uninvited.agreement.is_none());
    assert_eq!(
        uninvited.warnings[0].to_string(),
        "it declares MGP although it was not asked for it"
    );
}

/// §1.3: all four combinations work, and MGP is active in one of them.
#[test]
fn row_1_3_four_combinations() {
    let (plain, speaks) = (raw(r#"{"tools":{}}"#), raw(r#"{"mgp":{"version":"0.5.2","extensions":["audit"]}}"#));
    let silent = Offer {
        extensions: ExtensionSet::NONE,
    };
    for (client, server, active) in [
        (silent, &plain, false),
        (silent, &speaks, false),
        (offer(), &plain, false),
        (offer(), &speaks, true),
    ] {
        assert_eq!(client.with_server(server).has(Extension::Audit), active);
    }
    assert_eq!(mgp::negotiation::without(&speaks).text(), "{}");
}

#[test]
fn row_2_3_the_servers_own_words_are_read() {
    let outcome = offer().with_server(&raw(
        r#"{"mgp":{"version":"0.1.0","extensions":["security","audit"],"permissions_required":["shell","network"],"server_id":"mind.cerebras","trust_level":"standard"}}"#,
    ));
    let agreement = outcome.agreement.expect("an agreement");
    assert_eq!(
        agreement.version,
        Version {
            major: 0,
            minor: 1,
            patch: 0
        }
    );
    assert_eq!(agreement.server_id.as_deref(), Some("mind.cerebras"));
    assert_eq!(agreement.trust, Some(model::TrustLevel::Standard));
    let names: Vec<&str> = agreement.permissions.iter().map(model::Permission::as_str).collect();
    assert_eq!(names, ["network.outbound", "shell.execute"], "D5");
    let warnings: Vec<String> = outcome.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "the permission `shell` is not in MGP's table: it is read as `shell.execute`",
            "the permission `network` is not in MGP's table: it is read as `network.outbound`",
            "it speaks MGP 0.1.0, another minor version than 0.5.2: details may differ"
        ]
    );
}

#[test]
fn row_2_5_versions() {
    let version = |text| Version::parse(text);
    assert_eq!(version("0.5.2-draft+7"), Some(Version::OURS));
    for wrong in [
        "",
        "0.5",
        "0.5.2.1",
        "v0.5.2",
        "+0.5.2",
        "0.-5.2",
        "0. 5.2",
        "99999999999.0.0",
        "0.5.x",
    ] {
        assert_eq!(version(wrong), None, "{wrong}");
    }
}
