//! Tests of the effective risk of tools, as the table that an operator reads, and of what clients are shown.

use std::fmt::Write;

use expect_test::{expect, expect_file};
use mgp::tool::{
    Circumstances, CodeSafety, Inference, Override, SafetyLevel, SideEffect, ToolSecurity, Validator, assess, strip, with_security,
};
use model::{Permission, Risk, TrustLevel};

use crate::raw;

/// The cases: a name, a definition, and the words of the circumstances.
const CASES: &[(&str, &str, &str)] = &[
    (
        "row_4_2 the specification's example",
        r#"{"security":{"risk_level":"dangerous","permissions_required":["shell.execute"],"side_effects":["filesystem","process"],"validator":"sandbox","reversible":false,"confirmation_required":true}}"#,
        "",
    ),
    ("row_4_3 nothing is said", r#"{}"#, ""),
    ("row_4_3 nothing is said, and the server is not trusted", r#"{}"#, "sandboxed"),
    ("row_4_4 safe, and only that", r#"{"security":{"risk_level":"safe"}}"#, ""),
    ("row_4_4 moderate", r#"{"security":{"risk_level":"moderate"}}"#, ""),
    (
        "row_4_4 confirmation is asked for",
        r#"{"security":{"risk_level":"safe","confirmation_required":true}}"#,
        "",
    ),
    (
        "safe with side effects is not safe",
        r#"{"security":{"risk_level":"safe","side_effects":["database"]}}"#,
        "",
    ),
    (
        "safe by declaration, and writing by annotation",
        r#"{"security":{"risk_level":"safe"},"annotations":{"readOnlyHint":false}}"#,
        "",
    ),
    (
        "a permission tells more than the word",
        r#"{"security":{"risk_level":"safe","permissions_required":["shell"]}}"#,
        "",
    ),
    ("d6 _mgp.security", r#"{"_mgp":{"security":{"risk_level":"dangerous"}}}"#, ""),
    (
        "d6 _meta security",
        r#"{"_meta":{"dev.cloto/mgp":{"security":{"risk_level":"dangerous"}}}}"#,
        "",
    ),
    (
        "d6 the most restrictive of three",
        r#"{"security":{"risk_level":"safe","validator":"none"},"_mgp":{"security":{"risk_level":"moderate","validator":"sandbox"}},"_meta":{"dev.cloto/mgp":{"security":{"risk_level":"dangerous","validator":"readonly","reversible":true}}}}"#,
        "",
    ),
    (
        "d6 the same twice",
        r#"{"security":{"risk_level":"moderate"},"_meta":{"dev.cloto/mgp":{"security":{"risk_level":"moderate"}}}}"#,
        "",
    ),
    ("d6 read-only by annotation", r#"{"annotations":{"readOnlyHint":true}}"#, ""),
    (
        "DESIGN 7: read-only by annotation, not trusted",
        r#"{"annotations":{"readOnlyHint":true}}"#,
        "experimental",
    ),
    (
        "DESIGN 7: safe by declaration, not trusted",
        r#"{"security":{"risk_level":"safe"}}"#,
        "sandboxed",
    ),
    (
        "d6 destructive by annotation",
        r#"{"annotations":{"destructiveHint":true}}"#,
        "trusted",
    ),
    (
        "d6 read-only and destructive",
        r#"{"annotations":{"readOnlyHint":true,"destructiveHint":true}}"#,
        "",
    ),
    (
        "d6 read-only by annotation, dangerous by declaration",
        r#"{"security":{"risk_level":"dangerous"},"annotations":{"readOnlyHint":true}}"#,
        "",
    ),
    (
        "d6 the configuration raises",
        r#"{"annotations":{"readOnlyHint":true}}"#,
        "configured=dangerous",
    ),
    (
        "d6 the configuration takes the place of a guess",
        r#"{}"#,
        "inferred=dangerous configured=safe",
    ),
    (
        "d6 a server raises what is configured",
        r#"{"security":{"risk_level":"dangerous"}}"#,
        "configured=safe",
    ),
    (
        "d6 a server never lowers what is configured",
        r#"{"security":{"risk_level":"safe"},"annotations":{"readOnlyHint":true}}"#,
        "configured=moderate",
    ),
    (
        "the configuration asks for a confirmation",
        r#"{"annotations":{"readOnlyHint":true}}"#,
        "confirm",
    ),
    (
        "the configuration adds a permission",
        r#"{"annotations":{"readOnlyHint":true}}"#,
        "permission=camera",
    ),
    ("inference raises", r#"{}"#, "inferred=dangerous"),
    (
        "inference raises what says that it only reads",
        r#"{"annotations":{"readOnlyHint":true}}"#,
        "inferred=dangerous",
    ),
    (
        "d33 an unknown validator",
        r#"{"security":{"risk_level":"safe","validator":"jail"}}"#,
        "",
    ),
    (
        "d33 a profile is for the configuration to choose",
        r#"{"security":{"risk_level":"safe","validator":"sandbox:pipeline"}}"#,
        "",
    ),
    (
        "row_4_5 the five validators are known",
        r#"{"security":{"validator":"network_restricted"}}"#,
        "",
    ),
    ("an unknown risk", r#"{"security":{"risk_level":"harmless"}}"#, ""),
    ("a `security` that is no object", r#"{"security":"safe"}"#, ""),
    (
        "a `security` that is null",
        r#"{"security":null,"annotations":{"readOnlyHint":true}}"#,
        "",
    ),
    (
        "a repeated key",
        r#"{"security":{"risk_level":"dangerous","risk_l\u0065vel":"safe"}}"#,
        "",
    ),
    (
        "other types than expected",
        r#"{"security":{"risk_level":1,"permissions_required":"shell","side_effects":[1],"validator":[],"reversible":"no","confirmation_required":0,"code_safety":[]}}"#,
        "",
    ),
    (
        "a permission that can't be one",
        r#"{"security":{"permissions_required":["rm -rf"]}}"#,
        "",
    ),
    (
        "annotations that repeat a key",
        r#"{"annotations":{"readOnlyHint":true,"readOnlyHint":false}}"#,
        "",
    ),
    (
        "annotations of other types",
        r#"{"annotations":{"readOnlyHint":"true","destructiveHint":1}}"#,
        "",
    ),
    (
        "row_7_3 the specification's example",
        r#"{"security":{"risk_level":"dangerous","permissions_required":["code_execution"],"validator":"code_safety","code_safety":{"level":"standard","language":"python","max_code_size_bytes":10000,"blocked_imports":["subprocess","shutil","socket","ctypes"],"blocked_patterns":["eval(","exec(","__import__(","os.system"],"allowed_imports":["asyncio","json","httpx","os","datetime","typing"]}}}"#,
        "",
    ),
    (
        "row_7_2 an unknown level",
        r#"{"security":{"risk_level":"safe","validator":"code_safety","code_safety":{"level":"gentle"}}}"#,
        "",
    ),
];

fn risk(word: &str) -> Risk {
    let known = [Risk::Safe, Risk::Moderate, Risk::Dangerous];
    known.into_iter().find(|risk| risk.as_str() == word).expect("a risk")
}

fn judged(definition: &str, circumstances: &str) -> mgp::tool::Assessment {
    let mut configured = Override::default();
    let (mut trust, mut inferred) = (TrustLevel::Standard, None);
    for word in circumstances.split(' ').filter(|word| !word.is_empty()) {
        match word.split_once('=') {
            Some(("configured", word)) => configured.risk = Some(risk(word)),
            Some(("permission", name)) => configured.permissions.push(Permission::new(name)),
            Some(("inferred", word)) => {
                inferred = Some(Inference {
                    risk: risk(word),
                    because: "it takes a command in `cmd`".to_owned(),
                });
            }
            _ if word == "confirm" => configured.confirmation_required = true,
            _ => trust = mgp::trust::parse(word).expect("a trust level"),
        }
    }
    let circumstances = Circumstances {
        trust,
        configured: &configured,
        inferred: inferred.as_ref(),
    };
    assess(&ToolSecurity::read(&raw(definition)), &circumstances)
}

#[test]
fn row_4_d6_d33_the_table_of_effective_risks() {
    let mut table = String::new();
    for (name, definition, circumstances) in CASES {
        let judged = judged(definition, circumstances);
        let confirmed = if judged.confirmation { ", confirmed" } else { "" };
        writeln!(table, "{name}: {}{confirmed}", judged.risk).expect("text");
        for reason in &judged.reasons {
            writeln!(table, "  {reason}").expect("text");
        }
        let names = |names: Vec<&str>| names.join(" ");
        let lists = [
            (
                "permissions",
                names(judged.permissions.iter().flatten().map(Permission::as_str).collect()),
            ),
            ("side effects", names(judged.side_effects.iter().map(SideEffect::as_str).collect())),
            ("validators", names(judged.validators.iter().map(Validator::as_str).collect())),
            (
                "code safety",
                names(judged.code_safety.iter().map(|code| code.level.as_str()).collect()),
            ),
        ];
        for (what, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
            writeln!(table, "  {what}: {list}").expect("text");
        }
    }
    expect_file![crate::data("tools.txt")].assert_eq(&table);
}

#[test]
fn design_7_only_a_trusted_word_lowers_and_nothing_else_ever_does() {
    // No addition to a definition lowers the risk, unless it says that the tool only reads.
    let harmless = [
        r#"{"security":{"validator":"none"}}"#,
        r#"{"security":{"confirmation_required":false}}"#,
        r#"{"security":{"reversible":true}}"#,
        r#"{"annotations":{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}"#,
        r#"{"security":{"permissions_required":[]}}"#,
    ];
    for circumstances in ["", "configured=dangerous", "inferred=dangerous", "sandboxed"] {
        let before = judged("{}", circumstances);
        for definition in harmless {
            let after = judged(definition, circumstances);
            assert!(
                after.risk >= before.risk && after.confirmation >= before.confirmation,
                "{definition}"
            );
        }
    }
}

#[test]
fn d6_clients_of_mgp_read_the_effective_risk_in_both_carriers() {
    let tool = raw(
        r#"{"name":"rm","_mgp":{"security":{"risk_level":"safe"}},"inputSchema":{"x-big":1e400},"annotations":{"destructiveHint":true},"_meta":{"own":1}}"#,
    );
    let judged = judged(tool.text(), "permission=filesystem.write");
    expect![[r#"{"name":"rm","inputSchema":{"x-big":1e400},"annotations":{"destructiveHint":true},"_meta":{"own":1,"dev.cloto/mgp":{"security":{"risk_level":"dangerous","permissions_required":["filesystem.write"],"side_effects":[],"confirmation_required":true}}},"security":{"risk_level":"dangerous","permissions_required":["filesystem.write"],"side_effects":[],"confirmation_required":true}}"#]]
        .assert_eq(with_security(&tool, &judged).text());
}

#[test]
fn row_1_1_clients_of_plain_mcp_see_nothing_of_mgp() {
    let tool = raw(
        r#"{"name":"x", "security":{"risk_level":"safe"},"_mgp":{},"_meta":{"dev.cloto/mgp":{"security":{}},"own":1},"inputSchema":{}}"#,
    );
    assert_eq!(strip(&tool).text(), r#"{"name":"x","_meta":{"own":1},"inputSchema":{}}"#);
    let only = raw(r#"{"name":"x","_meta":{"dev.cloto/mgp":{}}}"#);
    assert_eq!(strip(&only).text(), r#"{"name":"x"}"#);
    let plain = raw(r#"{ "name" : "x" , "_meta":{"own":1}}"#);
    assert_eq!(strip(&plain), plain, "in the bytes it came in");
}

#[test]
fn a_pin_is_the_same_for_the_same_and_another_for_what_matters() {
    let pin = |tool: &str| mgp::tool::pinned(&raw(tool));
    let first = pin(r#"{"name":"x","description":"d","inputSchema":{"a":1,"b":2},"icons":[],"_meta":{"t":1}}"#);
    assert_eq!(
        first,
        pin(r#"{ "inputSchema":{"b":2,"\u0061":1},"description":"\u0064","name":"x","_meta":{"t":2}}"#)
    );
    for other in [
        r#"{"name":"y","description":"d","inputSchema":{"a":1,"b":2}}"#,
        r#"{"name":"x","description":"D","inputSchema":{"a":1,"b":2}}"#,
        r#"{"name":"x","description":"d","inputSchema":{"a":1,"b":3}}"#,
        r#"{"name":"x","description":"d","inputSchema":{"a":1,"b":2},"outputSchema":{}}"#,
        r#"{"name":"x","description":"d","inputSchema":{"a":1,"b":2},"annotations":{"readOnlyHint":true}}"#,
        r#"{"name":"x","description":"d","inputSchema":{"a":1,"b":2},"security":{"risk_level":"safe"}}"#,
        r#"{"name":"x","description":"d","inputSchema":{"a":1,"b":2},"_meta":{"dev.cloto/mgp":{"security":{}}}}"#,
    ] {
        assert_ne!(first, pin(other), "{other}");
    }
}

#[test]
fn what_people_do_not_see_is_found() {
    let tool = raw(
        r#"{"name":"x","description":"add\u200b two\u202e numbers\u200b\n","inputSchema":{"properties":{"a\ufeff":{"description":"\ud83d\udc69\u200d\ud83d\udcbb \ud83c\udff3\ufe0f ok"},"b":{"enum":["\udb40\udc41"]}}},"icons":["\u200b"]}"#,
    );
    let found: Vec<String> = mgp::tool::hidden(&tool)
        .iter()
        .map(|hidden| format!("{} {}", hidden.place, hidden.character.escape_unicode()))
        .collect();
    expect![[r#"
        description \u{200b}
        description \u{202e}
        inputSchema.properties \u{feff}
        inputSchema.properties.b.enum \u{e0041}"#]]
    .assert_eq(&found.join("\n"));
    let many: String = (0x2060..0x2070).chain(0xe000..0xe100).filter_map(char::from_u32).collect();
    let tool = raw(&format!(r#"{{"name":"x","description":"{many}"}}"#));
    assert_eq!(mgp::tool::hidden(&tool).len(), 32);
}

#[test]
fn row_7_3_the_block_of_a_tool_that_takes_code() {
    let block = raw(
        r#"{"level":"strict","language":"python","max_code_size_bytes":10000,"blocked_imports":["os"],"blocked_patterns":["eval("],"allowed_imports":["json"],"argument":"body"}"#,
    );
    let read = CodeSafety::read(&block).expect("a block");
    assert_eq!((read.level, read.language.as_deref()), (SafetyLevel::Strict, Some("python")));
    assert_eq!(read.max_code_size_bytes, Some(10_000));
    assert_eq!(read.allowed_imports, Some(vec!["json".to_owned()]));
    for wrong in [
        "7",
        r#"{"level":"gentle"}"#,
        r#"{"max_code_size_bytes":-1}"#,
        r#"{"max_code_size_bytes":1.5}"#,
        r#"{"blocked_imports":"os"}"#,
        r#"{"allowed_imports":[null]}"#,
        r#"{"level":"strict","level":"unrestricted"}"#,
    ] {
        assert!(CodeSafety::read(&raw(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn d26_the_code_is_looked_for_in_the_usual_arguments() {
    let read = |block: &str| CodeSafety::read(&raw(block)).expect("a block");
    let arguments = raw(r#"{"code":"1","body":"2","python":"3","text":"4"}"#);
    assert_eq!(read("{}").arguments(&arguments), ["code", "python"]);
    assert_eq!(read(r#"{"argument":"body"}"#).arguments(&arguments), ["body"]);
    assert!(read(r#"{"argument":"gone"}"#).arguments(&arguments).is_empty());
    assert!(read("{}").arguments(&raw(r#"{"text":"4"}"#)).is_empty());
    assert_eq!(read("{}").level, SafetyLevel::Standard);
}

#[test]
fn row_3_2_the_eleven_permissions_and_their_risks() {
    let names: Vec<String> = mgp::permission::STANDARD
        .iter()
        .map(|standard| format!("{} {}", standard.name, standard.risk))
        .collect();
    expect![[r#"
        filesystem.read moderate
        filesystem.write dangerous
        network.outbound moderate
        network.listen dangerous
        shell.execute dangerous
        code_execution dangerous
        memory.read safe
        memory.write moderate
        system.info safe
        camera dangerous
        notification safe"#]]
    .assert_eq(&names.join("\n"));
    let own = Permission::new("com.example.custom_permission");
    assert_eq!(mgp::permission::risk(&own), Risk::Moderate);
    assert_eq!(mgp::permission::description(&own), None);
}

#[test]
fn d5_short_names_are_normalised_and_odd_ones_remarked_upon() {
    let read = |name: &str| match mgp::permission::read(name) {
        Ok(said) => {
            let names: Vec<&str> = said.permissions.iter().map(Permission::as_str).collect();
            let remark = said.remark.map_or(String::new(), |remark| format!(" ({remark})"));
            format!("{}{remark}", names.join(" "))
        }
        Err(error) => format!("error: {error}"),
    };
    let names = [
        "shell.execute",
        "shell",
        "network",
        "filesystem",
        "code_execution",
        "com.example.custom_permission",
        "root",
        "Shell",
        "",
        ".",
        "a..b",
        "a b",
        "a\u{202e}b",
        &"x".repeat(129),
    ];
    let table: Vec<String> = names.into_iter().map(read).collect();
    expect![[r#"
        shell.execute
        shell.execute (the permission `shell` is not in MGP's table: it is read as `shell.execute`)
        network.outbound (the permission `network` is not in MGP's table: it is read as `network.outbound`)
        filesystem.read filesystem.write (the permission `filesystem` is not in MGP's table: it is read as `filesystem.read` and `filesystem.write`)
        code_execution
        com.example.custom_permission
        root (the permission `root` is neither one of MGP's nor a reverse-domain name)
        Shell (the permission `Shell` is neither one of MGP's nor a reverse-domain name)
        error: `` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots
        error: `.` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots
        error: `a..b` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots
        error: `a b` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots
        error: `a�b` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots
        error: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…` names no permission: use 1 to 128 letters, digits, `_`, `-` and single dots"#]].assert_eq(&table.join("\n"));
}
