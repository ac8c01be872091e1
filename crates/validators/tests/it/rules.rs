//! Tests of the validators' findings, word by word: one example of each rule.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use validators::code::{self, Language, Level, Policy};
use validators::path::{self, Roots};
use validators::shell::{self, Profile};
use validators::{Findings, Place, sql, url};

use crate::rows::roots;

fn shown(text: &str, findings: &Findings) -> String {
    let mut out = String::new();
    for finding in findings.as_slice() {
        let Place { line, column } = Place::of(text, finding.span.start);
        let what = &text[finding.span.clone()];
        writeln!(
            out,
            "{line}:{column} {what:?} {}: {}; {}",
            finding.rule, finding.reason, finding.hint
        )
        .expect("a string takes it");
    }
    out
}

fn check(profile: Profile, read_only: bool, commands: &[&str], expected: &Expect) {
    let roots = roots();
    let policy = shell::Policy {
        profile,
        roots: &roots,
        read_only,
        allow: &[],
    };
    let all: String = commands
        .iter()
        .map(|text| format!("{text}\n{}", shown(text, &shell::check(text, &policy))))
        .collect();
    expected.assert_eq(&all);
}

#[test]
fn shell_pipeline() {
    check(
        Profile::Pipeline,
        false,
        &[
            "ls | wc -l && git status",
            "sort names.txt | sh",
            "rm -rf build",
            "cat ../secret",
            "ls &",
            "echo $(rm x)",
            "for f in *; do ls; done",
            "find . -exec rm {} +",
        ],
        &expect![[r#"
            ls | wc -l && git status
            sort names.txt | sh
            1:18 "sh" shell.command: a shell would take commands from its input; give the commands themselves
            rm -rf build
            1:4 "-rf" shell.recursive: `rm` would remove whole folders; remove single files by name
            cat ../secret
            1:5 "../secret" shell.path: `../secret` is outside of the allowed folders; name a path inside the allowed folders
            ls &
            1:4 "&" shell.operator: `&` leaves a command running behind; write one command after the other, or `a && b`, in the profile `pipeline`
            echo $(rm x)
            1:8 "rm" shell.writes: `rm` changes something; only reading is allowed here
            for f in *; do ls; done
            1:1 "for f in *; do ls; done" shell.syntax: compound commands are not judged; write one command after the other; write it without that, or as several calls
            find . -exec rm {} +
            1:14 "rm" shell.repeated: `rm` would run for whatever is found; run commands that only read, or name the files
        "#]],
    );
}

#[test]
fn shell_default_and_strict() {
    check(
        Profile::Default,
        false,
        &["program --now", "ls | wc", "echo $HOME", "rm -r x", "curl http://example.org"],
        &expect![[r#"
            program --now
            ls | wc
            1:6 "wc" shell.operator: this profile takes one command, without operators; give one command alone, or use the profile `pipeline`
            echo $HOME
            1:6 "$HOME" shell.expansion: this profile takes no expansions; write the value out, or use the profile `pipeline`
            rm -r x
            1:4 "-r" shell.recursive: `rm` would remove whole folders; remove single files by name
            curl http://example.org
            1:1 "curl" shell.command: `curl` reaches the network; use a tool made for it, or ask a person
        "#]],
    );
    check(
        Profile::Strict,
        false,
        &["ls -l", "touch x", "program", "cat /etc/hosts"],
        &expect![[r#"
            ls -l
            touch x
            1:1 "touch" shell.command: `touch` does more than read; the profile `strict` takes reading commands only
            program
            1:1 "program" shell.command: `program` is no command that this profile knows; use one of the known commands, or list it under the validator's `allow`
            cat /etc/hosts
            1:5 "/etc/hosts" shell.path: `/etc/hosts` is outside of the allowed folders; name a path inside the allowed folders
        "#]],
    );
}

#[test]
fn shell_read_only() {
    check(
        Profile::Pipeline,
        true,
        &[
            "grep x a.txt | sort",
            "touch x",
            "ls > out",
            "ls > /dev/null",
            "git log",
            "git commit -m x",
            "cargo test",
            "sed -i s/a/b/ x",
        ],
        &expect![[r#"
            grep x a.txt | sort
            touch x
            1:7 "x" shell.writes: `x` changes something; only reading is allowed here
            ls > out
            1:6 "out" shell.writes: `out` changes something; only reading is allowed here
            ls > /dev/null
            git log
            git commit -m x
            1:5 "commit" shell.writes: `commit` changes something; only reading is allowed here
            cargo test
            1:7 "test" shell.writes: `test` changes something; only reading is allowed here
            sed -i s/a/b/ x
            1:1 "sed" shell.writes: `sed -i` changes something; only reading is allowed here
            1:15 "x" shell.writes: `x` changes something; only reading is allowed here
        "#]],
    );
}

#[test]
fn words_are_no_shell_text() {
    let roots = roots();
    let policy = shell::Policy {
        profile: Profile::Default,
        roots: &roots,
        read_only: false,
        allow: &["deploy".to_owned()],
    };
    assert!(shell::check_words(&["grep", "a; b | c", "notes.txt"], &policy).is_clean());
    assert!(!shell::check_words(&["rm", "-rf", "/"], &policy).is_clean());
    assert!(shell::check_words(&["deploy", "--to", "staging"], &policy).is_clean());
    assert!(!shell::check_words(&["deploy", "--key", "/etc/shadow"], &policy).is_clean());
}

#[test]
fn statements() {
    let texts = [
        "SELECT a FROM t",
        "WITH x AS (\n  DELETE FROM t RETURNING *\n) SELECT * FROM x",
        "SELECT a INTO b FROM t",
        "SELECT pg_read_file('x')",
        "UPDATE t SET a = 1",
        "SELECT 1; DROP TABLE t",
        "hello",
    ];
    let all: String = texts
        .iter()
        .map(|text| format!("{text}\n{}", shown(text, &sql::check(text, None))))
        .collect();
    expect![[r#"
        SELECT a FROM t
        WITH x AS (
          DELETE FROM t RETURNING *
        ) SELECT * FROM x
        2:3 "DELETE" sql.writes: `DELETE` writes, inside of a query; give one `SELECT`, `WITH … SELECT`, `SHOW`, `DESCRIBE` or `EXPLAIN`
        SELECT a INTO b FROM t
        1:10 "INTO" sql.writes: `INTO` writes what is selected; give one `SELECT`, `WITH … SELECT`, `SHOW`, `DESCRIBE` or `EXPLAIN`
        SELECT pg_read_file('x')
        1:8 "pg_read_file" sql.function: the function `pg_read_file` does more than read rows; give one `SELECT`, `WITH … SELECT`, `SHOW`, `DESCRIBE` or `EXPLAIN`
        UPDATE t SET a = 1
        1:1 "UPDATE" sql.writes: `UPDATE` begins no statement that reads; give one `SELECT`, `WITH … SELECT`, `SHOW`, `DESCRIBE` or `EXPLAIN`
        SELECT 1; DROP TABLE t
        1:11 "DROP" sql.writes: `DROP` begins no statement that reads; give one `SELECT`, `WITH … SELECT`, `SHOW`, `DESCRIBE` or `EXPLAIN`
        hello
        1:1 "hello" sql.writes: `hello` begins no statement that reads; give one `SELECT`, `WITH … SELECT`, `SHOW`, `DESCRIBE` or `EXPLAIN`
    "#]].assert_eq(&all);
}

#[test]
fn paths() {
    let texts = [
        "a/b",
        "../x",
        "%2e%2e/x",
        "..%c0%afx",
        "....//x",
        "/etc/hosts",
        "a\u{0}b",
        "..%252fx",
    ];
    let all: String = texts
        .iter()
        .map(|text| format!("{text:?}\n{}", shown(text, &path::check(text, &roots()))))
        .collect();
    expect![[r#"
        "a/b"
        "../x"
        1:1 "../x" path.outside: `../x` is outside of the allowed folders; name a path inside the allowed folders, without encoding
        "%2e%2e/x"
        1:1 "%2e%2e/x" path.encoding: `%2e` hides a character that needs no escape; name a path inside the allowed folders, without encoding
        "..%c0%afx"
        1:1 "..%c0%afx" path.encoding: the percent escapes are no well-formed UTF-8; name a path inside the allowed folders, without encoding
        "....//x"
        1:1 "....//x" path.dots: some readers take `....` for a step upwards; name a path inside the allowed folders, without encoding
        "/etc/hosts"
        1:1 "/etc/hosts" path.outside: `/etc/hosts` is outside of the allowed folders; name a path inside the allowed folders, without encoding
        "a\0b"
        1:1 "a\0b" path.control: a path has no control character, here U+0000; name a path inside the allowed folders, without encoding
        "..%252fx"
        1:1 "..%252fx" path.outside: `../x` is outside of the allowed folders; name a path inside the allowed folders, without encoding
    "#]].assert_eq(&all);
}

#[test]
fn roots_are_absolute() {
    assert!(Roots::new(["relative"]).is_err());
    assert!(Roots::new(["/a/../b"]).is_err());
    let windows = Roots::new(["C:\\Projects"]).expect("a drive is absolute");
    assert!(path::check("c:/projects/x", &windows).is_clean());
    assert!(!path::check("D:\\Projects\\x", &windows).is_clean());
    assert!(!path::check("x", &Roots::default()).is_clean(), "without roots nothing is inside");
}

#[test]
fn addresses() {
    let texts = [
        "https://example.org/",
        "http://127.1/",
        "http://[::ffff:10.0.0.1]",
        "ftp://example.org",
        "http://a@example.org",
        "http://db.internal/",
    ];
    let all: String = texts
        .iter()
        .map(|text| {
            let judged = url::check(text, &url::Policy::default());
            format!("{text} -> {:?}\n{}", judged.resolve, shown(text, &judged.findings))
        })
        .collect();
    expect![[r#"
        https://example.org/ -> Some("example.org")
        http://127.1/ -> None
        1:1 "http://127.1/" network.special: 127.0.0.1 is the machine itself (127.0.0.0/8); use an `http` or `https` address of a public host
        http://[::ffff:10.0.0.1] -> None
        1:1 "http://[::ffff:10.0.0.1]" network.special: ::ffff:10.0.0.1 is an address that carries another, which is private (10.0.0.0/8); use an `http` or `https` address of a public host
        ftp://example.org -> None
        1:1 "ftp://example.org" network.scheme: the scheme `ftp` is not allowed; use an `http` or `https` address of a public host
        http://a@example.org -> None
        1:1 "http://a@example.org" network.credentials: an address with a user in it reads like another host; use an `http` or `https` address of a public host
        http://db.internal/ -> None
        1:1 "http://db.internal/" network.host: `.internal` is no public domain; use an `http` or `https` address of a public host
    "#]].assert_eq(&all);
}

#[test]
fn resolved_names_are_judged_by_every_answer() {
    let addresses = |list: &[&str]| list.iter().map(|one| one.parse().expect("an address")).collect::<Vec<_>>();
    assert!(
        url::judge_addresses(
            "example.org",
            &addresses(&["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
        )
        .is_clean()
    );
    assert!(!url::judge_addresses("example.org", &addresses(&["93.184.215.14", "10.0.0.1"])).is_clean());
    assert!(
        !url::judge_addresses("example.org", &[]).is_clean(),
        "what does not resolve is refused"
    );
}

#[test]
fn code_levels() {
    let cases = [
        (Level::Unrestricted, Language::Python, "import subprocess"),
        (Level::Standard, Language::Python, "import requests\nimport subprocess"),
        (Level::Strict, Language::Python, "import requests\nopen('a', 'w')"),
        (Level::Readonly, Language::Python, "open('a', 'w').write('x')\nopen('b')"),
        (
            Level::Strict,
            Language::JavaScript,
            "import fs from 'fs';\n[].constructor.constructor('x')();",
        ),
        (Level::Standard, Language::JavaScript, "import fs from 'fs';\neval('1');"),
        (Level::Strict, Language::TypeScript, "const x: any = process.env;"),
        (Level::Strict, Language::Python, "def f(:"),
    ];
    let all: String = cases
        .iter()
        .map(|(level, language, text)| {
            format!(
                "{level:?} {text:?}\n{}",
                shown(text, &code::check(text, &Policy::new(*level, *language)))
            )
        })
        .collect();
    expect![[r#"
        Unrestricted "import subprocess"
        Standard "import requests\nimport subprocess"
        2:8 "subprocess" code.import: Blocked import: 'subprocess'; use an allowed module
        Strict "import requests\nopen('a', 'w')"
        1:8 "requests" code.import: Blocked import: 'requests'; use an allowed module
        Readonly "open('a', 'w').write('x')\nopen('b')"
        1:1 "open('a', 'w').write('x')" code.writes: Write operation: 'write'; only read, and return what you have
        1:1 "open('a', 'w')" code.writes: Write operation: 'open for writing'; only read, and return what you have
        Strict "import fs from 'fs';\n[].constructor.constructor('x')();"
        1:16 "'fs'" code.import: Blocked import: 'fs'; use an allowed module
        2:4 "constructor" code.attribute: Blocked attribute: 'constructor'; do without it
        2:16 "constructor" code.attribute: Blocked attribute: 'constructor'; do without it
        Standard "import fs from 'fs';\neval('1');"
        2:1 "eval" code.call: Blocked call: 'eval'; do without it
        Strict "const x: any = process.env;"
        1:16 "process" code.call: Blocked call: 'process'; do without it
        Strict "def f(:"
        1:7 ":" code.syntax: the code does not parse; give code that parses
    "#]]
    .assert_eq(&all);
}

/// MGP §7.4, with the declaration of MGP §7.3.
#[test]
fn a_rejection_says_where_and_what_would_pass() {
    let policy = Policy {
        max_bytes: 10_000,
        blocked_imports: vec!["subprocess".to_owned()],
        blocked_patterns: vec!["eval(".to_owned()],
        allowed_imports: Some(vec!["json".to_owned()]),
        ..Policy::new(Level::Strict, Language::Python)
    };
    let text = "import subprocess\nx = eval('1')\n";
    let mut rejection = code::rejection(text, &code::check(text, &policy), &policy);
    let blocked = rejection["hints"]["blocked_imports"].take();
    assert!(blocked.as_array().is_some_and(|list| list.contains(&"subprocess".into())));
    expect![[r#"
        {
          "status": "rejected",
          "reason": "Code validation failed",
          "violations": [
            "Blocked pattern: 'eval(' (line 2, column 5)",
            "Blocked import: 'subprocess' (line 1, column 8)",
            "Blocked call: 'eval' (line 2, column 5)"
          ],
          "hints": {
            "max_code_size_bytes": 10000,
            "allowed_imports": [
              "json"
            ],
            "blocked_imports": null,
            "blocked_patterns": [
              "eval("
            ]
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&rejection).expect("JSON"));
}
