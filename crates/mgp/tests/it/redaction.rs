//! Tests of redaction: what must not be stored, and what must not be removed.

use expect_test::expect;
use mgp::audit::Redactor;
use model::Secret;

use crate::raw;

/// Returns invented credentials, in the shapes that providers use; they are put together from parts so that no scanner takes them for real ones.
fn lookalikes() -> Vec<String> {
    let letters = "Zx8Kq2Lm9Vb4Nc7Rt1Wy6Ud3Sf5Hg0Jp".repeat(2);
    let of = |beginning: &str, length: usize| format!("{beginning}{}", &letters[..length]);
    vec![
        of("sk-", 40),
        of("ghp_", 36),
        of("github_pat_", 40),
        of("glpat-", 20),
        of("xoxb-", 30),
        of("AKIA", 16),
        of("AIza", 35),
        of("npm_", 36),
        of("hf_", 34),
        format!("eyJ{}.eyJ{}.{}", &letters[..20], &letters[..20], &letters[..20]),
    ]
}

#[test]
fn credentials_are_hidden_wherever_they_stand() {
    let redactor = Redactor::default();
    for secret in lookalikes() {
        for text in [
            secret.clone(),
            format!("curl -H 'X: {secret}' https://example.com"),
            format!("see {secret}, please"),
            format!("{{\"k\":\"{secret}\"}}"),
            format!("a={secret}&b=1"),
        ] {
            let shown = redactor.text(&text);
            // The prefix alone is not secret.
            assert!(!shown.contains(&secret[8..]), "{shown}");
        }
        let value = raw(&format!(r#"{{"command":["run","{secret}"]}}"#));
        assert!(!redactor.redact(&value).text().contains(&secret[8..]));
    }
}

#[test]
fn names_tell_what_is_secret() {
    let value = raw(
        r#"{"password":"a","Api-Key":"b","api.key":["c",{"d":1}],"db":{"connectionString":"e","port":5432},"pin_secret":7,"X-Auth-Token":"f","max_tokens":100,"usage":{"total_tokens":7},"token":true,"cookie":null,"user":"g"}"#,
    );
    expect![[r#"{"password":"***","Api-Key":"***","api.key":"***","db":{"connectionString":"***","port":5432},"pin_secret":"***","X-Auth-Token":"***","max_tokens":100,"usage":{"total_tokens":7},"token":true,"cookie":null,"user":"g"}"#]]
        .assert_eq(Redactor::default().redact(&value).text());
    let own = Redactor::default().word("Ticket-No");
    assert_eq!(
        own.redact(&raw(r#"{"ticket_no":"1","ticket":"2"}"#)).text(),
        r#"{"ticket_no":"***","ticket":"2"}"#
    );
}

#[test]
fn texts_lose_their_secrets_and_keep_the_rest() {
    let shown = |text: &str| Redactor::default().text(text).into_owned();
    let texts = [
        "Authorization: Bearer abc123def456",
        "mysql --password hunter2 --host db",
        "mysql --password=hunter2 --host=db",
        "PGPASSWORD=hunter2 psql -h db",
        "https://ada:hunter2@example.com/x?y=z",
        "https://example.com/?access_token=abc&x=1",
        "password: hunter2",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nafter",
        "-----BEGIN PRIVATE KEY-----\nnever ends",
        // Texts that are no credentials stay.
        "a basic example of bearer capability",
        "https://example.com:8080/a@b",
        "git@github.com:ada/repo.git",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "note: 12:30, tokens are counted",
        "ls -la | grep x > y",
        "ü=ö; 日本語",
    ];
    let table: Vec<String> = texts.iter().map(|text| shown(text)).collect();
    expect![[r#"
        Authorization: Bearer ***
        mysql --password *** --host db
        mysql --password=*** --host=db
        PGPASSWORD=*** psql -h db
        https://***@example.com/x?y=z
        https://example.com/?access_token=***&x=1
        password: ***
        ***-----END RSA PRIVATE KEY-----
        after
        ***
        a basic example of bearer capability
        https://example.com:8080/a@b
        git@github.com:ada/repo.git
        -----BEGIN CERTIFICATE-----
        MIIE
        -----END CERTIFICATE-----
        note: 12:30, tokens are counted
        ls -la | grep x > y
        ü=ö; 日本語"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn known_secrets_are_hidden_without_their_name() {
    let redactor = Redactor::default().secret(Secret::new("opensesame")).secret(Secret::new("abc"));
    assert_eq!(redactor.text("say opensesame twice: opensesame"), "say *** twice: ***");
    assert_eq!(redactor.text("abc is too short to be hidden"), "abc is too short to be hidden");
    let value = raw(r#"{"opensesame":["xopensesamex"]}"#);
    assert_eq!(redactor.redact(&value).text(), r#"{"***":["x***x"]}"#);
    assert!(!format!("{redactor:?}").contains("opensesame"));
}

#[test]
fn what_is_remembered_has_a_bound() {
    let redactor = Redactor::default();
    let long = "ä".repeat(10_000);
    let shown = redactor.text(&long);
    assert!(shown.len() < 2_100 && shown.ends_with("… (20000 bytes)"), "{}", shown.len());
    // Text that was not searched must not appear when a secret before it is hidden.
    let late = format!(
        "-----BEGIN PRIVATE KEY-----{}-----END {}",
        "x".repeat(3_000),
        " ghp_Zx8Kq2Lm9Vb4Nc7Rt1Wy6Ud3".repeat(200)
    );
    assert!(!redactor.text(&late).contains("Kq2Lm9"));
    let list = raw(&format!("[{}1]", "\"0123456789\",".repeat(100_000)));
    assert!(redactor.redact(&list).len() < 40_000);
    let object = raw(&format!(
        "{{{}\"end\":1}}",
        (0..50_000).map(|i| format!("\"k{i}\":[],")).collect::<String>()
    ));
    assert!(redactor.redact(&object).len() < 40_000);
    let deep = raw(&format!("{}{}", "[".repeat(120), "]".repeat(120)));
    assert_eq!(redactor.redact(&deep), deep);
    let digits = raw(&format!("[{}]", "9".repeat(10_000)));
    assert_eq!(redactor.redact(&digits).text(), r#"["…"]"#);
}

#[test]
fn what_nobody_can_read_is_hidden() {
    let redactor = Redactor::default();
    assert_eq!(
        redactor.redact(&raw(r#"{"a":{"x":1,"x":2},"b":"\ud800"}"#)).text(),
        r#"{"a":"***","b":"***"}"#
    );
}
