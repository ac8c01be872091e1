//! Tests of the parts of a benchmark against each other, as processes: what the driver reports must be true.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

const PEER: &str = env!("CARGO_BIN_EXE_bench-peer");

/// A listening part; it is killed with its test.
struct Listening {
    child: Child,
    url: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.child.kill().expect("the part still runs");
        self.child.wait().expect("the part ends");
    }
}

fn listen(arguments: &[&str]) -> Listening {
    let mut child = Command::new(PEER)
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .expect("bench-peer starts");
    let mut url = String::new();
    let output = child.stdout.as_mut().expect("stdout is piped");
    BufReader::new(output).read_line(&mut url).expect("the part prints its endpoint");
    Listening {
        child,
        url: url.trim().to_owned(),
    }
}

/// Runs a part to its end; returns its report, or its error output.
fn report(arguments: &[&str]) -> Result<Value, String> {
    let output = Command::new(PEER).args(arguments).output().expect("bench-peer starts");
    if output.status.success() {
        Ok(serde_json::from_slice(&output.stdout).expect("a report is JSON"))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn drive(arguments: &[&str]) -> Value {
    let few = ["driver", "--requests", "200", "--warmup", "0.01"];
    report(&[&few[..], arguments].concat()).expect("the driver succeeds")
}

#[track_caller]
fn assert_clean(report: &Value) {
    assert_eq!((&report["requests"], &report["errors"]), (&200.into(), &0.into()), "{report}");
    assert!(
        report["p50_us"].as_f64() > Some(0.0) && report["p99_us"].as_f64() >= report["p50_us"].as_f64(),
        "{report}"
    );
}

#[test]
fn every_era_and_size_over_http() {
    let upstream = listen(&["upstream"]);
    for era in ["legacy", "modern"] {
        for (tool, text) in [("echo", "200"), ("echo_large", "100000")] {
            let report = drive(&[
                "--url",
                &upstream.url,
                "--era",
                era,
                "--concurrency",
                "4",
                "--tool",
                tool,
                "--text",
                text,
            ]);
            assert_clean(&report);
            assert!(
                report["bytes"].as_u64() > Some(200 * text.parse::<u64>().expect("a number")),
                "{report}"
            );
        }
    }
}

#[test]
fn through_the_proxy_with_its_use_of_the_machine() {
    let upstream = listen(&["upstream"]);
    let proxy = listen(&["proxy", "--upstream", &upstream.url, "--workers", "1"]);
    let watch = format!("proxy={}", proxy.child.id());
    let report = drive(&["--url", &proxy.url, "--concurrency", "4", "--watch", &watch]);
    assert_clean(&report);
    let proxy = &report["watched"]["proxy"];
    assert!(
        proxy["cpu_us"].as_f64() > Some(0.0) && proxy["usage"]["rss_kb"].as_u64() > Some(0),
        "{report}"
    );
}

#[test]
fn every_era_over_stdio() {
    for era in ["legacy", "modern"] {
        let report = drive(&["--era", era, "--concurrency", "16", "--", PEER, "upstream", "--stdio", "--era", era]);
        assert_clean(&report);
        assert!(report["watched"]["target"]["cpu_us"].as_f64() > Some(0.0), "{report}");
    }
}

#[test]
fn lists_are_counted() {
    let upstream = listen(&["upstream", "--tools", "50"]);
    assert_clean(&drive(&["--url", &upstream.url, "--list", "50"]));
    let wrong = drive(&["--url", &upstream.url, "--list", "51"]);
    assert_ne!(wrong["errors"], 0, "{wrong}");
}

#[test]
fn wrong_answers_are_errors() {
    let upstream = listen(&["upstream"]);
    let wrong = ["driver", "--warmup", "0", "--seconds", "0.05", "--url", &upstream.url];
    for lie in [["--text", "100"], ["--tool", "nonsense"]] {
        let report = report(&[&wrong[..], &lie].concat()).expect("wrong answers don't stop a load");
        assert_eq!(report["requests"], 0, "{report}");
        assert_ne!(report["errors"], 0, "{report}");
        assert!(
            report["error_samples"][0].as_str().is_some_and(|sample| !sample.is_empty()),
            "{report}"
        );
    }
}

#[test]
fn an_upstream_of_one_era_refuses_the_other() {
    let modern = listen(&["upstream", "--era", "modern"]);
    let refused = report(&["driver", "--url", &modern.url, "--era", "legacy"]).expect_err("no session can be opened");
    assert!(refused.contains("-32022") && refused.contains("2026-07-28"), "{refused}");
    let legacy = listen(&["upstream", "--era", "legacy"]);
    let report = report(&[
        "driver",
        "--warmup",
        "0",
        "--seconds",
        "0.05",
        "--url",
        &legacy.url,
        "--era",
        "modern",
    ]);
    assert_eq!(report.expect("every call is refused")["requests"], 0);
}

#[test]
fn sessions_are_opened_and_ended() {
    let upstream = listen(&["upstream"]);
    let watch = format!("upstream={}", upstream.child.id());
    for delete in [&["--delete"][..], &[]] {
        let arguments = [
            "sessions",
            "--url",
            &upstream.url,
            "--count",
            "50",
            "--warmup",
            "5",
            "--watch",
            &watch,
        ];
        let report = report(&[&arguments[..], delete].concat()).expect("sessions open");
        assert_eq!(report["sessions"], 50);
        assert!(report["watched"]["upstream"]["rss_kb"].as_u64() > Some(0), "{report}");
    }
}

#[test]
fn starts_are_timed() {
    let spawned = report(&["spawn", "--count", "5", "--", PEER, "upstream", "--stdio", "--prefix", "u{n}_"]);
    let spawned = spawned.expect("five servers answer");
    assert!(spawned["ms"].as_f64() > Some(0.0), "{spawned}");

    // The canned upstream prints its endpoint and lists its tools, as a gateway does.
    let listed = report(&["first-list", "--tools", "7", "--", PEER, "upstream", "--tools", "7"]).expect("seven tools");
    assert_eq!(
        (&listed["first_tools"], &listed["first_ms"]),
        (&7.into(), &listed["complete_ms"]),
        "{listed}"
    );
    assert!(listed["ready_ms"].as_f64() < listed["first_ms"].as_f64(), "{listed}");
    let too_many = report(&["first-list", "--tools", "6", "--", PEER, "upstream", "--tools", "7"]);
    assert!(too_many.expect_err("one too many").contains("7 tools are listed instead of 6"));
}

#[test]
fn calls_are_exact() {
    // The canned upstream prints its endpoint, or speaks stdio, as a gateway does.
    for arguments in [
        &["--http", "--era", "modern", "--", PEER, "upstream"][..],
        &["--http", "--", PEER, "upstream"],
        &["--http", "--list", "9", "--", PEER, "upstream", "--tools", "9"],
        &["--", PEER, "upstream", "--stdio"],
    ] {
        let report = report(&[&["calls", "--count", "7"], arguments].concat()).expect("seven answers");
        assert_eq!(report["calls"], 7, "{report}");
    }
    let wrong = report(&["calls", "--count", "2", "--tool", "nonsense", "--", PEER, "upstream", "--stdio"]);
    let wrong = wrong.expect_err("a tool that there is not");
    assert!(wrong.contains("2 wrong answers"), "{wrong}");
}

#[test]
fn calibration_takes_time() {
    assert!(report(&["calibrate"]).expect("it always ends")["ms"].as_f64() > Some(0.0));
}
