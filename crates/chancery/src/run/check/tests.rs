//! `chancery check`, from its command line to what it says.

use std::path::Path;

use clap::Parser as _;

use super::{Checked, check};
use crate::cli::{Cli, Command};

fn checked(args: &[&str]) -> Result<Checked, String> {
    let line = ["chancery", "check"].iter().chain(args);
    let Command::Check(args) = Cli::try_parse_from(line).map_err(|error| error.to_string())?.command else {
        return Err("another command was read".to_owned());
    };
    check(&args, Path::new("/srv/project")).map_err(|problem| problem.message().to_owned())
}

fn allowed(args: &[&str]) -> bool {
    checked(args).expect("a check").is_allowed()
}

#[test]
fn every_kind_allows_and_refuses() {
    for (args, text, hostile) in [
        (&["shell"][..], "ls -l", "ls | wc -l"),
        (&["shell", "--profile", "pipeline"], "ls | wc -l", "cat ../x"),
        (&["shell", "--profile", "readonly"], "git log", "touch x"),
        (&["shell", "--profile", "literal"], "Tom & Jerry", "; reboot"),
        (&["shell", "--profile", "strict", "--allow", "deploy"], "deploy now", "release now"),
        (&["sql"], "SELECT 1", "DROP TABLE t"),
        (&["sql", "--dialect", "mysql"], "SELECT `a` FROM `t`", "SELECT 1; DELETE FROM t"),
        (&["sql", "--profile", "literal"], "O'Brien", "' or 1=1 --"),
        (&["url"], "https://example.org/", "http://127.1/"),
        (&["path"], "a/b", "../b"),
        (&["path", "--root", "/data"], "/data/x", "/srv/project/x"),
        (&["python"], "print(1)", "import subprocess"),
        (&["python", "--profile", "standard"], "import requests", "import subprocess"),
        (&["javascript"], "console.log(1)", "eval('1')"),
        (&["typescript"], "let a: number = 1;", "let a: any = eval;"),
    ] {
        assert!(allowed(&[args, &["--", text]].concat()), "{args:?} {text}");
        assert!(!allowed(&[args, &["--", hostile]].concat()), "{args:?} {hostile}");
    }
}

#[test]
fn what_is_unknown_is_said() {
    for (args, what) in [
        (&["shell", "--profile", "loose", "--", "ls"][..], "there is no profile `loose`"),
        (&["sql", "--dialect", "latin", "--", "SELECT 1"], "there is no dialect `latin`"),
        (&["python", "--profile", "paranoid", "--", "1"], "there is no level `paranoid`"),
        (
            &["path", "--root", "../up", "--", "a"],
            "`/srv/project/../up` is no absolute path of a folder without `..`",
        ),
    ] {
        assert_eq!(checked(args).expect_err("nothing is called that"), what);
    }
}

#[test]
fn findings_have_places_for_people_and_programs() {
    let refused = checked(&["python", "--", "x = 1\nimport socket"]).expect("a check");
    assert_eq!(
        refused.render(false),
        "2:8: Blocked import: 'socket' (code.import); use an allowed module\n"
    );
    let json: serde_json::Value = serde_json::from_str(&refused.render(true)).expect("JSON");
    assert_eq!(json["allowed"], false);
    assert_eq!(json["findings"][0]["line"], 2);
    assert_eq!(json["rejection"]["status"], "rejected");
    let left = checked(&["url", "--", "https://example.org/"]).expect("a check");
    assert_eq!(left.render(false), "allowed, if every address of `example.org` is public\n");
}
