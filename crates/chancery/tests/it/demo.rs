//! `chancery demo` as a person sees it.

use expect_test::expect;

use crate::machine::Machine;

#[test]
fn a_session_once() {
    let machine = Machine::new();
    let shown = machine.shown(&["demo", "--once", "--listen", "127.0.0.1:0"]);
    let port = shown
        .split_once("http://127.0.0.1:")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map(|(port, _)| port)
        .expect("an address");
    let shown = shown
        .replace(&format!("127.0.0.1:{port}"), "127.0.0.1:PORT")
        .replace(env!("CARGO_BIN_EXE_chancery"), "chancery");
    expect![[r#"
        0
        An agent connects to the gateway, which stands in front of two servers.

        agent   > tools/list
        gateway < 41 tools of both servers, one list; what both call `echo` is told apart:
                  minimal__echo, everything__echo

        agent   > tools/call minimal__echo {"text":"hello"}
        server  < hello

        agent   > tools/call count {"to":3,"pause":200}
        server  . 1 of 3
        server  . 2 of 3
        server  . 3 of 3
        server  < counted to 3

        agent   > tools/call ask_form {}
        server  ? asks the person: Please introduce yourself
        person  > {"name":"Ada","email":"ada@example.com","age":30,"height":1.7,"member":false,"colour":"green","size":"s","days":["sat"]}
        server  < accepted: {"name":"Ada","email":"ada@example.com","age":30,"height":1.7,"member":false,"colour":"green","size":"s","days":["sat"]}

        agent   > tools/call write_note {"title":"draft","text":"to be thrown away"}
        server  < wrote everything://note/draft

        agent   > tools/call delete_note {"title":"draft"}
        gateway ? asks the person: `local` wants to call `everything/delete_note`: it is dangerous, and asks for consent.
                  Arguments: {"title":"draft"}
        person  > {"decision":"once"}
        server  < deleted

        agent   > resources/read memo://welcome
        minimal < Welcome!

        Connect a client of your own, of any protocol revision:

          endpoint     http://127.0.0.1:PORT/mcp
          Claude Code  claude mcp add --transport http chancery http://127.0.0.1:PORT/mcp
          inspector    npx @modelcontextprotocol/inspector --cli http://127.0.0.1:PORT/mcp --transport http --method tools/list
          health       http://127.0.0.1:PORT/healthz   metrics  http://127.0.0.1:PORT/metrics

        Your own servers:
          chancery import          takes them over from the clients on this machine
          chancery doctor          says what works and what to mend
          chancery serve           serves them all on one endpoint

        ---
    "#]].assert_eq(&shown);
}
