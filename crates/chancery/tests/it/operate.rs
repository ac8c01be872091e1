//! The commands of operators, with and without a running gateway: both use the same operator API.

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::machine::Machine;
use crate::serve::{ANY_PORT, Client, Running, configuration, put};

/// Exit code, stdout and stderr.
fn run(machine: &Machine, args: &[&str]) -> (i32, String, String) {
    let output = machine.run(&[&["--config", "../a.toml"], args].concat());
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn well(machine: &Machine, args: &[&str]) -> String {
    let (code, out, err) = run(machine, args);
    assert_eq!(code, 0, "{args:?}: {out}{err}");
    out
}

fn listed(machine: &Machine, args: &[&str]) -> Vec<Value> {
    let text = well(machine, &[args, &["list", "--format", "json"]].concat());
    serde_json::from_str(&text).expect("a list")
}

/// Sends a request to the operator API, and returns its status and the object that came back.
fn ask(running: &Running, bearer: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
    let url = &running.address;
    let mut stream = TcpStream::connect(url).expect("the gateway");
    let head = format!(
        "{method} /api/v1{path} HTTP/1.0\r\nHost: {url}\r\n{bearer}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("written");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

/// A client asks for the tools, so that the gateway knows them.
fn look(machine: &Machine) {
    let mut client = Client::join(machine);
    assert!(client.tools().0, "a tool");
    client.leave();
}

/// Tokens, access and permissions, one after the other.
fn operate(machine: &Machine) {
    let (code, made, told) = run(
        machine,
        &[
            "token",
            "create",
            "alice",
            "--id",
            "alices",
            "--expires",
            "30d",
            "--scope",
            "minimal",
        ],
    );
    assert!(
        code == 0 && made.trim().starts_with("chancery_") && told.contains("shown this once"),
        "{made}{told}"
    );
    let tokens = listed(machine, &["token"]);
    assert_eq!(
        (&tokens[0]["id"], &tokens[0]["state"], &tokens[0]["scopes"]),
        (&json!("alices"), &json!("valid"), &json!(["minimal"]))
    );
    assert!(!tokens[0].to_string().contains(made.trim()), "it is kept nowhere");
    let (code, _, refused) = run(machine, &["token", "create", "bob", "--scope", "nowhere"]);
    assert!(code == 1 && refused.contains("nowhere"), "{refused}");
    let (code, _, refused) = run(machine, &["token", "create", "alice", "--id", "alices"]);
    assert!(code == 1 && refused.contains("alices"), "{refused}");
    well(machine, &["token", "revoke", "alices"]);
    let (code, _, refused) = run(machine, &["token", "revoke", "alices"]);
    assert!(code == 1 && refused.contains("revoked already"), "{refused}");

    let check = |target: &str| run(machine, &["access", "check", "alice", target]);
    assert_eq!(check("minimal/echo").0, 1, "the second principal is not let in");
    let granted = well(machine, &["access", "grant", "alice", "minimal/echo", "--because", "to try"]);
    assert_eq!(granted, "alice allow minimal/echo (to try)\n");
    assert_eq!((check("minimal/echo").0, check("minimal").0), (0, 1));
    well(machine, &["access", "grant", "alice", "minimal/echo", "--deny"]);
    assert_eq!(
        check("minimal/echo"),
        (1, "deny (tool_grant)\n".to_owned(), String::new()),
        "a denial beats it"
    );
    assert_eq!(listed(machine, &["access"]).len(), 2);
    let (code, _, refused) = run(machine, &["access", "grant", "alice", "minimal/no_such_tool"]);
    assert!(code == 1 && refused.contains("no_such_tool"), "{refused}");
    let (code, _, refused) = run(
        machine,
        &["access", "grant", "alice", "minimal", "--expires", "2020-01-01T00:00:00Z"],
    );
    assert!(code == 1 && refused.contains("expired"), "{refused}");
    assert_eq!(well(machine, &["access", "revoke", "alice", "minimal/echo"]).lines().count(), 2);
    assert_eq!(listed(machine, &["access"]), Vec::<Value>::new());

    well(machine, &["permissions", "decide", "minimal", "network", "deny"]);
    let permissions = listed(machine, &["permissions"]);
    assert_eq!(
        (&permissions[0]["permission"], &permissions[0]["state"]),
        (&json!("network.outbound"), &json!("denied"))
    );
    let (code, _, refused) = run(machine, &["approvals", "approve", "no-such-request"]);
    assert!(code == 1 && refused.contains("no-such-request"), "{refused}");
    assert_eq!(listed(machine, &["approvals"]), Vec::<Value>::new());
}

#[test]
fn operators_decide_while_a_gateway_runs() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &["minimal"]));
    let running = Running::start(&machine);
    look(&machine);
    operate(&machine);
    running.end();
    let audit = well(&machine, &["audit", "query", "--actor", "local"]);
    for kind in [
        "token_created",
        "token_revoked",
        "ACCESS_GRANTED",
        "ACCESS_REVOKED",
        "PERMISSION_DENIED",
    ] {
        assert!(audit.contains(kind), "{kind} is not in\n{audit}");
    }
    assert!(audit.lines().all(|line| line.contains(" operator:local ")), "{audit}");
}

#[test]
fn operators_decide_while_no_gateway_runs() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &["minimal"]));
    // What its servers offer is known from an earlier run.
    let running = Running::start(&machine);
    look(&machine);
    running.end();
    operate(&machine);
    let (code, _, refused) = run(&machine, &["audit", "tail"]);
    assert!(code == 1 && refused.contains("chancery serve"), "{refused}");
}

#[test]
fn over_http_only_operators_are_let_in() {
    let machine = Machine::new();
    put(&machine, &configuration(ANY_PORT, &["minimal"]));
    let running = Running::start(&machine);
    let token = |args: &[&str]| {
        let made = well(&machine, &[&["token", "create"], args].concat());
        format!("Authorization: Bearer {}\r\n", made.trim())
    };
    let (status, problem) = ask(&running, "", "GET", "/tokens", "");
    assert_eq!(
        (status, &problem["code"]),
        (403, &json!(1000)),
        "the local user is no operator: {problem}"
    );
    let (agent, operator) = (token(&["alice"]), token(&["olga", "--role", "operator", "--id", "olgas"]));
    assert_eq!(ask(&running, "", "GET", "/tokens", "").0, 401, "there are tokens now");
    let (status, problem) = ask(&running, &agent, "GET", "/tokens", "");
    assert!(
        status == 403 && problem["detail"].as_str().is_some_and(|detail| detail.contains("operator")),
        "{problem}"
    );

    let (status, page) = ask(&running, &operator, "GET", "/tokens?limit=1", "");
    assert_eq!((status, page["items"].as_array().map(Vec::len)), (200, Some(1)));
    let next = format!("/tokens?cursor={}", page["next"].as_str().expect("another page"));
    let (_, rest) = ask(&running, &operator, "GET", &next, "");
    assert_eq!((rest["items"].as_array().map(Vec::len), &rest["next"]), (Some(1), &Value::Null));
    for (method, path, body, status) in [
        ("GET", "/tokens?nonsense=1", "", 400),
        ("GET", "/tokens?limit=0", "", 400),
        ("GET", "/tokens?cursor=gone", "", 410),
        ("GET", "/nothing", "", 404),
        ("POST", "/servers", "{}", 405),
        ("POST", "/tokens", "{", 400),
        ("POST", "/tokens", "{\"principal\":\"a\",\"rolle\":\"agent\"}", 400),
        ("POST", "/tokens", "{\"principal\":\"a\",\"role\":\"king\"}", 400),
        ("POST", "/tokens", "{\"principal\":\"\"}", 400),
        ("POST", "/tokens", "{\"principal\":\"a\",\"expires_at\":\"tomorrow\"}", 400),
        ("PUT", "/access", "{\"principal\":\"a\",\"server\":\"nowhere\"}", 404),
        (
            "PUT",
            "/access",
            "{\"principal\":\"a\",\"server\":\"minimal\",\"access\":\"deny\",\"confirms\":true}",
            400,
        ),
        ("DELETE", "/access?principal=a", "", 400),
        ("DELETE", "/access?principal=a&server=minimal", "", 404),
        ("POST", "/approvals/x/decision", "{\"decision\":\"deny\",\"always\":true}", 400),
        ("POST", "/approvals/x/decision", "{\"decision\":\"approve\"}", 404),
        ("GET", "/audit?result=WELL", "", 400),
        ("POST", "/tools/approve", "{\"server\":\"minimal\",\"tool\":\"none\"}", 404),
    ] {
        let (found, problem) = ask(&running, &operator, method, path, body);
        assert_eq!(found, status, "{method} {path} {body}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
    }
    let (_, events) = ask(
        &running,
        &operator,
        "GET",
        "/audit?type=dev.chancery.token_created&order=oldest",
        "",
    );
    assert_eq!(events["items"].as_array().map(Vec::len), Some(2), "{events}");
    let (_, document) = ask(&running, &operator, "GET", "/openapi.json", "");
    assert_eq!(document["openapi"], "3.1.0");

    // A token that is taken back opens nothing any more, and says why.
    well(&machine, &["token", "revoke", "olgas"]);
    assert_eq!(ask(&running, &operator, "GET", "/servers", "").0, 401);
    running.end();
}

/// The calls that wait, each time that one is added or decided.
struct Watching {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    seen: Vec<Value>,
}

impl Watching {
    fn start(machine: &Machine) -> Self {
        let mut command = machine.command(&["--config", "../a.toml", "approvals", "list", "--watch", "--format", "json"]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary");
        let lines = BufReader::new(process.stdout.take().expect("its stdout")).lines();
        Self {
            process,
            lines,
            seen: Vec::new(),
        }
    }

    /// Returns the next call that waits and was not seen before.
    fn next(&mut self) -> Value {
        loop {
            let line = self.lines.next().expect("a gateway that goes on").expect("a line");
            let list: Value = serde_json::from_str(&line).expect("a list");
            if let Some(waiting) = list["items"].get(0)
                && !self.seen.contains(&waiting["request_id"])
            {
                self.seen.push(waiting["request_id"].clone());
                return waiting.clone();
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn a_dangerous_call_waits_until_an_operator_has_decided() {
    let machine = Machine::new();
    let rules = "[servers.tools.echo]\nrisk = \"dangerous\"\n";
    put(&machine, &format!("{}{rules}", configuration(ANY_PORT, &["minimal"])));
    let running = Running::start(&machine);
    let call = |client: &mut Client, text: &str| client.ask("tools/call", &format!(r#"{{"name":"echo","arguments":{{"text":"{text}"}}}}"#));
    let mut client = Client::join(&machine);
    assert!(client.tools().0);
    let mut watching = Watching::start(&machine);
    for (said, decide, told) in [
        ("first", &["deny"][..], "refused the request"),
        ("second", &["approve"], "second"),
        ("third", &["approve", "--always", "--until", "1h"], "third"),
    ] {
        std::thread::scope(|scope| {
            let answer = scope.spawn(|| call(&mut client, said));
            let waiting = watching.next();
            assert_eq!((&waiting["tool"], &waiting["principal"]), (&json!("echo"), &json!("local")));
            assert!(waiting["arguments"].as_str().is_some_and(|shown| shown.contains(said)), "{waiting}");
            let request = waiting["request_id"].as_str().expect("its id");
            let (action, options) = decide.split_first().expect("an action");
            well(&machine, &[&["approvals", action, request], options].concat());
            let answer = answer.join().expect("an answer");
            assert!(answer.contains(told), "{answer}");
            // Of two who decide, the second is told.
            let (code, _, late) = run(&machine, &["approvals", "deny", request]);
            assert!(code == 1 && late.contains(request), "{late}");
        });
    }
    assert!(call(&mut client, "fourth").contains("fourth"), "nobody is asked any more");
    let grants = listed(&machine, &["access"]);
    assert_eq!((&grants[0]["tool"], &grants[0]["confirms"]), (&json!("echo"), &json!(true)));
    client.leave();
    running.end();
}
