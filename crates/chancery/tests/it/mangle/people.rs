//! What transcripts cannot show: pipes that close, files that change, sessions that go on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};

use super::run;
use crate::machine::Machine;

const FAMILY: &str =
    "parent(/ann, /bea).\nparent(/bea, /cid).\nancestor(X, Y) :- parent(X, Y).\nancestor(X, Z) :- parent(X, Y), ancestor(Y, Z).\n";

fn family() -> Machine {
    let machine = Machine::new();
    machine.write("project/family.mg", FAMILY);
    machine
}

/// Returns a session of the repl: what it says to these lines, and how it ends.
fn session(machine: &Machine, lines: &[u8], args: &[&str]) -> (String, bool) {
    let words: Vec<&str> = std::iter::once("repl").chain(args.iter().copied()).collect();
    let output = run(machine, &words, Some(lines));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success())
}

#[test]
fn a_session_survives_its_errors() {
    let (said, well) = session(
        &family(),
        b"p(X.\n\n? nothing(X)\n:why not a fact\n:load absent.mg\n:nonsense\nq(X) :- q(Y).\n? ancestor(/ann, X)\n",
        &["family.mg"],
    );
    assert!(well, "it ends well");
    for part in [
        "M00",
        "M0102",
        "`not a fact` is not one fact",
        "failed to read `absent.mg`",
        "no command `:nonsense`",
        "M0201",
    ] {
        assert!(said.contains(part), "no {part} in\n{said}");
    }
    assert!(said.ends_with("X = /bea\nX = /cid\n"), "{said}");
}

#[test]
fn a_question_is_blamed_as_it_was_typed() {
    let (said, well) = session(
        &family(),
        b"? nothing(X)\n? parent(X, Y), X < Y\n? parent(X, _), Y = fn:div(1, 0)\n? parent(X, _) |> do fn:group_by(X), let N = fn:count()\n? parent(X, _), X != /bea.\n",
        &["family.mg"],
    );
    assert!(well, "it ends well");
    assert!(said.contains("2 | nothing(X) .\n  | ^^^^^^^\n"), "{said}");
    assert!(
        said.contains("2 | parent(X, Y), X < Y .\n  |               ^ this is /name\n"),
        "{said}"
    );
    assert!(said.contains("2 | parent(X, _), Y = fn:div(1, 0) .\n  | ^^^^^^"), "{said}");
    assert!(said.contains("X = /ann, N = 1\n"), "{said}");
    assert!(!said.contains("answer__"), "{said}");
    assert!(said.ends_with("X = /ann\n"), "{said}");
}

#[test]
fn a_session_helps_who_has_never_seen_one() {
    let (said, _) = session(
        &family(),
        b"help\n?\n:load\n:why\nexit\n:list\n:why ancestor(/cid, /ann)\n",
        &["family.mg"],
    );
    for part in [
        "commands begin with a colon",
        "ask something: `? p(X)`",
        "which file?",
        "which fact?",
        "nothing was said",
        "it does not hold: ask `:why-not`",
    ] {
        assert!(said.contains(part), "no {part} in\n{said}");
    }
}

#[test]
fn who_comes_from_the_public_interpreter_finds_the_way() {
    let lines = b"::show ancestor\n?parent\nparent(/cid, /dot).\n::pop\n?parent\n::show nothing\n";
    let (said, _) = session(&family(), lines, &["family.mg"]);
    let facts = "parent(/ann, /bea).\nparent(/bea, /cid).\n";
    let expected = format!(
        "ancestor/2: 0 facts, 2 rules, stratum 0\n  bound [/name, /name]\n{facts}taken back: parent(/cid, /dot).\n{facts}there is none\n"
    );
    assert!(said.ends_with(&expected), "{said}");
}

#[test]
fn a_file_that_is_loaded_again_takes_its_own_place() {
    let machine = Machine::new();
    let text = "Decl p(X) bound [/name].\np(/a).\n";
    machine.write("project/p.mg", text);
    let (said, _) = session(&machine, b":load p.mg\n:facts p\n", &["p.mg"]);
    assert!(said.ends_with("or `:help`\np(/a).\n"), "{said}");
}

#[test]
fn a_session_begins_without_what_is_broken() {
    let machine = family();
    machine.write("project/broken.mg", "parent(/ann,\n");
    let (said, well) = session(&machine, b":load family.mg\n? ancestor(/bea, X)\n", &["broken.mg"]);
    assert!(well, "it ends well");
    assert!(said.contains("nothing is loaded"), "{said}");
    assert!(said.ends_with("X = /cid\n"), "{said}");
}

#[test]
fn a_language_server_without_an_editor_says_so() {
    let output = run(&Machine::new(), &["lsp"], Some(b"hello\n"));
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("no editor spoke the Language Server Protocol"), "{text}");
}

#[test]
#[cfg(unix)]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    let machine = Machine::new();
    std::fs::write(machine.path("project/raw.mg"), b"p(/a).\nq(\xff).\n").expect("a file");
    let output = run(&machine, &["check", "raw.mg"], None);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: `raw.mg` is not UTF-8: see line 2\n"
    );
}

#[test]
fn a_session_goes_on_over_lines_and_bad_bytes() {
    let (said, well) = session(
        &family(),
        b"grand(X, Z) :-\n  parent(X, Y),\n  parent(Y, Z).\n\xff\xfe\n:facts grand\n:why grand(/ann, /cid)\n:undo\n:facts grand\n:quit\nignored(/x).\n",
        &["family.mg"],
    );
    assert!(well, "it ends well");
    assert!(said.contains("grand(/ann, /cid).\n"), "{said}");
    assert!(said.contains("not UTF-8"), "{said}");
    assert!(said.contains("grand(/ann, /cid) by said:1\n"), "{said}");
    assert!(said.contains("taken back: grand"), "{said}");
    assert!(said.ends_with("there are none\n"), "{said}");
}

#[test]
fn what_was_typed_is_kept_for_the_next_session() {
    let machine = family();
    session(&machine, b"? ancestor(/ann, X)\n:quit\n", &["family.mg"]);
    let kept = machine.path(".local/state/chancery/mangle_history");
    let text = std::fs::read_to_string(&kept).expect("a history");
    assert!(text.contains("? ancestor(/ann, X)"), "{text}");
    let many: String = (0..1_200).map(|number| format!(":facts p{number}\n")).collect();
    session(&machine, many.as_bytes(), &[]);
    let text = std::fs::read_to_string(&kept).expect("a history");
    assert!(text.lines().count() <= 1_001, "{} lines are kept", text.lines().count());
    assert!(text.contains(":facts p1199"), "the last is kept");
}

/// A child that is ended with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may be gone already.
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

#[test]
fn tests_run_again_when_a_file_changes() {
    let machine = family();
    let case = |fact: &str| format!("#: case one\n#: expect\n{fact}.\n");
    machine.write("project/family_test.mg", &case("ancestor(/ann, /dot)"));
    let mut command = machine.command(&["mangle", "test", "--watch"]);
    let mut child = Ended(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary"));
    let mut lines = BufReader::new(child.0.stdout.take().expect("it is piped")).lines();
    let mut until = |end: &str| loop {
        let line = lines.next().expect("it goes on").expect("text");
        if line.contains(" passed, ") {
            assert_eq!(line, end);
            break;
        }
    };
    until("0 passed, 1 failed in 1 file");
    machine.write("project/family_test.mg", &case("ancestor(/ann, /cid)"));
    until("1 passed, 0 failed in 1 file");
    // The rules are looked at, too; a file that cannot be read for a while is no reason to stop.
    machine.write("project/family.mg", "parent(/ann, ");
    until("0 passed, 1 failed in 1 file");
    machine.write("project/family.mg", FAMILY);
    until("1 passed, 0 failed in 1 file");
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    let machine = Machine::new();
    let facts: String = (0..50_000).map(|number| format!("n({number}).\n")).collect();
    machine.write("project/many.mg", &facts);
    let mut command = machine.command(&["mangle", "run", "many.mg"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary");
    let mut first = [0; 16];
    let mut stdout = child.stdout.take().expect("it is piped");
    stdout.read_exact(&mut first).expect("it writes");
    drop(stdout);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_a_run() {
    use std::os::unix::process::ExitStatusExt as _;
    let machine = Machine::new();
    machine.write("project/long.mg", "n(0).\nn(Y) :- n(X), X < 1000000000, Y = fn:plus(X, 1).\n");
    let args = [
        "mangle",
        "run",
        "long.mg",
        "-",
        "--max-facts",
        "1000000000",
        "--max-steps",
        "1000000000000",
    ];
    let mut command = machine.command(&args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary");
    // It reads stdin last, so once this is taken it is at work or about to be.
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(b"q(/a).\n").expect("it reads");
    drop(stdin);
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).expect("a number of a process")).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is there");
    let status = child.wait().expect("it ends");
    assert_eq!(status.signal(), Some(2), "{status:?}");
}

#[test]
#[cfg(unix)]
fn formatting_keeps_links_and_modes() {
    use std::os::unix::fs::PermissionsExt as _;
    let machine = Machine::new();
    machine.write("project/real.mg", "a( /x ).\n");
    let (real, link) = (machine.path("project/real.mg"), machine.path("project/link.mg"));
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("it is ours");
    std::os::unix::fs::symlink("real.mg", &link).expect("a link");
    assert!(run(&machine, &["fmt", "link.mg"], None).status.success());
    assert_eq!(std::fs::read_to_string(&real).expect("it is there"), "a(/x).\n");
    assert!(link.is_symlink(), "the link is one still");
    assert_eq!(std::fs::metadata(&real).expect("it is there").permissions().mode() & 0o777, 0o640);
}

#[test]
fn timings_are_of_what_was_run() {
    let output = run(&family(), &["bench", "family.mg", "--runs", "3"], None);
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().unwrap_or_default();
    assert!(first.starts_with("2 rules, 2 facts given, 3 derived, "), "{text}");
    assert_eq!(text.matches(" median ").count(), 3, "{text}");
    let piped = run(&Machine::new(), &["bench", "-", "--runs", "3"], Some(FAMILY.as_bytes()));
    let text = String::from_utf8_lossy(&piped.stdout);
    assert!(
        text.starts_with("2 rules, 2 facts given, 3 derived, "),
        "stdin is read once: {text}"
    );
}
