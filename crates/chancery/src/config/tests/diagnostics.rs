//! What a person reads when something is wrong.

use expect_test::{Expect, expect};

use crate::config::{Env, load_text};

fn env() -> Env {
    [("SET", "value")].into_iter().collect()
}

/// The problems of a text, errors or warnings, as they are drawn.
fn check(text: &str, expected: &Expect) {
    let problems = match load_text("mgp.toml", text, &env()) {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    };
    // The first line keeps `expect!` from taking the drawing's own margin for indentation.
    let (errors, all) = (problems.errors(), problems.iter().count());
    expected.assert_eq(&format!("{errors} errors, {} warnings\n{}", all - errors, problems.render(false)));
}

#[test]
fn an_unknown_key_with_the_one_that_was_meant() {
    check(
        "[gateway]\nlisten = \"127.0.0.1:1\"\nstart_wait = \"2s\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × unknown key `start_wait` in [gateway]
               ╭─[mgp.toml:3:1]
             3 │ start_wait = "**"
               · ─────┬────
               ·      ╰── not a key of this table
               ╰────
              help: did you mean `startup_wait`?

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\nargs = []\nenvironment = { A = \"b\" }\n",
        &expect![[r#"
            1 errors, 0 warnings
              × unknown key `environment` in [[servers]]
               ╭─[mgp.toml:5:1]
             5 │ environment = { A = "*" }
               · ─────┬─────
               ·      ╰── not a key of this table
               ╰────
              help: it is called `env` here: `env = { API_KEY = "${API_KEY}" }`

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\nlisten = \"127.0.0.1:1\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × unknown key `listen` in [[servers]]
               ╭─[mgp.toml:4:1]
             4 │ listen = "*********:*"
               · ───┬──
               ·    ╰── not a key of this table
               ╰────
              help: `listen` belongs in [gateway]

        "#]],
    );
    check(
        "[spaces]\ndefault = \"deny\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × unknown key `spaces` in this file
               ╭─[mgp.toml:1:2]
             1 │ [spaces]
               ·  ───┬──
               ·     ╰── not a key of this table
               ╰────
              help: its keys are `gateway`, `policy`, `audit`, `store`, `servers`

        "#]],
    );
}

#[test]
fn several_problems_at_once() {
    let text = "[gateway]\nsse = \"yes\"\nstartup_wait = 2\n\n[[servers]]\ncommand = \"a\"\ntransport = \"sdtio\"\n\n[[servers]]\nid = \"b\"\nargs = [\"x\", 1]\n";
    check(
        text,
        &expect![[r#"
            6 errors, 0 warnings
              × `sse` must be `true` or `false`, not a string
               ╭─[mgp.toml:2:7]
             2 │ sse = "yes"
               ·       ──┬──
               ·         ╰── here
               ╰────
              help: for example `sse = true`

              × `startup_wait` needs a unit
               ╭─[mgp.toml:3:16]
             3 │ startup_wait = 2
               ·                ┬
               ·                ╰── here
               ╰────
              help: write `startup_wait = "2s"` for seconds, or `ms`, `m`, `h`

              × `transport` can't be `sdtio`
               ╭─[mgp.toml:7:13]
             7 │ transport = "sdtio"
               ·             ───┬───
               ·                ╰── here
               ╰────
              help: did you mean `stdio`? It can be `stdio`, `http`, `sse`

              × a server has no `id`
               ╭─[mgp.toml:5:1]
             5 │ [[servers]]
               · ─────┬─────
               ·      ╰── this one
               ╰────
              help: give it a name of its own: `id = "files"`

              × `args` must hold strings only, not a whole number
                ╭─[mgp.toml:11:14]
             11 │ args = ["x", 1]
                ·              ┬
                ·              ╰── here
                ╰────
              help: for example `args = ["-y", "@modelcontextprotocol/server-filesystem", "/srv"]`

              × a server has neither a `command` nor a `url`
               ╭─[mgp.toml:9:1]
             9 │ [[servers]]
               · ─────┬─────
               ·      ╰── this one
               ╰────
              help: say how to reach it: `command = "npx"` with `args`, or `url = "https://mcp.example.com/mcp"`

        "#]],
    );
}

#[test]
fn values_that_cannot_be() {
    check(
        "[gateway]\nlisten = \"example\"\nstartup_wait = \"30\"\n[gateway.limits]\nbody = \"16 parsecs\"\nsessions = 0\n",
        &expect![[r#"
            4 errors, 0 warnings
              × `listen` can't be `example`: it is not an IP address and a port
               ╭─[mgp.toml:2:10]
             2 │ listen = "example"
               ·          ────┬────
               ·              ╰── here
               ╰────
              help: for example `listen = "127.0.0.1:8717"`

              × `startup_wait` can't be `30`: it needs a unit, such as `30s` or `30ms`
               ╭─[mgp.toml:3:16]
             3 │ startup_wait = "30"
               ·                ──┬─
               ·                  ╰── here
               ╰────
              help: for example `startup_wait = "2s"`

              × `body` can't be `16 parsecs`: its unit must be `B`, `KiB`, `MiB`, `GiB`, `kB`, `MB` or `GB`
               ╭─[mgp.toml:5:8]
             5 │ body = "16 parsecs"
               ·        ──────┬─────
               ·              ╰── here
               ╰────
              help: for example `body = "16MiB"`

              × `sessions` must be at least 1
               ╭─[mgp.toml:6:12]
             6 │ sessions = 0
               ·            ┬
               ·            ╰── here
               ╰────

        "#]],
    );
    check(
        "[[servers]]\nid = \"two__parts\"\nurl = \"ftp://example.com\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × `id` can't be `two__parts`: an id has 1 to 64 letters, digits, `-`, `_` or `.`, and no `__`
               ╭─[mgp.toml:2:6]
             2 │ id = "two__parts"
               ·      ──────┬─────
               ·            ╰── here
               ╰────
              help: for example `id = "files"`

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nurl = \"https://user:pass@example.com/mcp\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × `url` holds a user or password; put credentials into `headers`, for example `Authorization`
               ╭─[mgp.toml:3:7]
             3 │ url = "*****:******:********************"
               ·       ─────────────────┬─────────────────
               ·                        ╰── here
               ╰────

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\ninclude = [\"read_*_file\"]\n",
        &expect![[r#"
            1 errors, 0 warnings
              × `include` holds `read_*_file`, which is no name
               ╭─[mgp.toml:4:12]
             4 │ include = ["read_*_file"]
               ·            ──────┬──────
               ·                  ╰── here
               ╰────
              help: write a tool's own name; one `*` may stand at its end

        "#]],
    );
}

#[test]
fn a_server_twice() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\n\n[[servers]]\nid = \"a\"\ncommand = \"b\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × two servers are called `a`
               ╭─[mgp.toml:6:6]
             6 │ id = "a"
               ·      ─┬─
               ·       ╰── this is the second
               ╰────
              help: the first stands in line 2; give each an id of its own

        "#]],
    );
}

#[test]
fn a_server_that_is_reached_in_two_ways_or_none() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\nurl = \"http://localhost:1/mcp\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × a server has either a `command` or a `url`, not both
               ╭─[mgp.toml:4:7]
             4 │ url = "http://localhost:1/mcp"
               ·       ────────────┬───────────
               ·                   ╰── here
               ╰────
              help: make two servers of it, or remove one of the keys

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × a server has neither a `command` nor a `url`
               ╭─[mgp.toml:1:1]
             1 │ [[servers]]
               · ─────┬─────
               ·      ╰── this one
               ╰────
              help: say how to reach it: `command = "npx"` with `args`, or `url = "https://mcp.example.com/mcp"`

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nurl = \"http://localhost:1/mcp\"\nargs = [\"x\"]\n",
        &expect![[r#"
            1 errors, 0 warnings
              × `args` means nothing for a server with a `url`
               ╭─[mgp.toml:4:1]
             4 │ args = ["x"]
               · ──┬─
               ·   ╰── here
               ╰────
              help: remove it, or replace `url`

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\nurl = \"http://localhost:1/mcp\"\ntransport = \"stdio\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × a server with a `url` can't speak `stdio`
               ╭─[mgp.toml:4:13]
             4 │ transport = "stdio"
               ·             ───┬───
               ·                ╰── here
               ╰────
              help: `stdio` needs a `command`, `http` and `sse` need a `url`; without `transport` the right one is
                    chosen

        "#]],
    );
}

#[test]
fn syntax_without_what_follows_from_it() {
    check(
        "[[servers]]\nid = \"a\ncommand = \"a\"\nfoo = 1\n",
        &expect![[r#"
            1 errors, 0 warnings
              × this is not valid TOML: invalid basic string, expected `"`
               ╭─[mgp.toml:2:7]
             2 │ id = "*
               ·       ┬
               ·       ╰── here
               ╰────

        "#]],
    );
    check(
        "[gateway\nsse = true\n",
        &expect![[r#"
            1 errors, 0 warnings
              × this is not valid TOML: unclosed table, expected `]`
               ╭─[mgp.toml:1:8]
             1 │ [*******
               ·        ┬
               ·        ╰── here
               ╰────

        "#]],
    );
}

#[test]
fn one_bracket_too_few() {
    check(
        "[servers]\nid = \"a\"\ncommand = \"a\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × `servers` must be a list of tables, not a table
               ╭─[mgp.toml:1:1]
             1 │ [servers]
               · ────┬────
               ·     ╰── here
               ╰────
              help: write `[[servers]]` with two brackets, once for each server

        "#]],
    );
}

#[test]
fn variables() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\nenv = { A = \"${UNSET}\", B = \"${SET}\" }\n",
        &expect![[r#"
            0 errors, 1 warnings
              ⚠ the variable `UNSET` is not set (used in `env.A`)
               ╭─[mgp.toml:4:13]
             4 │ env = { A = "${UNSET}", B = "${SET}" }
               ·             ─────┬────
               ·                  ╰── here
               ╰────
              help: set `UNSET`, or write `${UNSET:-default}`; until then this server is in error, the others start

        "#]],
    );
    // All that are missing, each once.
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\nargs = [\"${ONE}/${TWO}\", \"${SET}\"]\nenv = { A = \"${ONE}\", B = \"${THREE}\", C = \"${FOUR:-4}\" }\n",
        &expect![[r#"
            0 errors, 1 warnings
              ⚠ the variables `ONE`, `TWO`, `THREE` are not set (used in `args[0]`, `args[0]`, `env.B`)
               ╭─[mgp.toml:4:9]
             4 │ args = ["${ONE}/${TWO}", "${SET}"]
               ·         ───────┬───────
               ·                ╰── here
               ╰────
              help: set `ONE`, `TWO`, `THREE`, or write `${ONE:-default}`; until then this server is in error, the
                    others start

        "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"${SET\"\nargs = [\"${1}\"]\n",
        &expect![[r#"
            2 errors, 0 warnings
              × `command` is malformed: a `${` has no `}`; write `$${` for a literal `${`
               ╭─[mgp.toml:3:11]
             3 │ command = "${SET"
               ·           ───┬───
               ·              ╰── here
               ╰────

              × `args` is malformed: between `${` and `}` stands the name of a variable, or `NAME:-default`; write `$${`
              │ for a literal `${`
               ╭─[mgp.toml:4:9]
             4 │ args = ["${1}"]
               ·         ───┬──
               ·            ╰── here
               ╰────

        "#]],
    );
    check(
        "[gateway]\ntoken = \"${UNSET}\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × the variable `UNSET` is not set
               ╭─[mgp.toml:2:9]
             2 │ token = "${UNSET}"
               ·         ─────┬────
               ·              ╰── here
               ╰────
              help: set `UNSET`, or write `${UNSET:-default}`

        "#]],
    );
}

#[test]
fn listening_where_others_can_reach() {
    check(
        "[gateway]\nlisten = \"0.0.0.0:80\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × other machines can reach 0.0.0.0:80, and no token is set
               ╭─[mgp.toml:2:10]
             2 │ listen = "0.0.0.0:80"
               ·          ──────┬─────
               ·                ╰── here
               ╰────
              help: set `token` (for example `token = "${CHANCERY_TOKEN}"`), listen on 127.0.0.1, set `anonymous =
                    "never"` and give out tokens with `chancery token create`, or set `insecure_bind = true` if every
                    client may use every tool

        "#]],
    );
    check(
        "[gateway]\nlisten = \"0.0.0.0:80\"\ntoken = \"${SET}\"\n",
        &expect![[r#"
            0 errors, 2 warnings
              ⚠ tokens travel unencrypted to 0.0.0.0:80
               ╭─[mgp.toml:2:10]
             2 │ listen = "0.0.0.0:80"
               ·          ──────┬─────
               ·                ╰── here
               ╰────
              help: set `tls`, or put a proxy that speaks HTTPS in front and listen on 127.0.0.1

              ⚠ `local` comes in with a token, and nothing says who may use which server
              help: until something does, no principal may: set `access = "opt-out"` in `[policy]` to let all in, or
                    write `[[policy.grants]]`

        "#]],
    );
    check(
        "[gateway]\nlisten = \"0.0.0.0:80\"\ninsecure_bind = true\n",
        &expect![[r#"
        0 errors, 0 warnings
    "#]],
    );
}

#[test]
fn half_a_certificate() {
    check(
        "[gateway.tls]\ncert = \"cert.pem\"\n",
        &expect![[r#"
            1 errors, 0 warnings
              × [gateway.tls] has no `key`
               ╭─[mgp.toml:1:1]
             1 │ [gateway.tls]
               · ──────┬──────
               ·       ╰── here
               ╰────
              help: a certificate needs both `cert` and `key`, each a PEM file

        "#]],
    );
}

#[test]
fn what_mgp_says_and_nobody_acts_on() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"a\"\n[servers.mgp]\nextensions = [\"security\"]\nrestart_policy = \"always\"\n",
        &expect![[r#"
            0 errors, 1 warnings
              ⚠ `mgp.restart_policy` has no effect yet
               ╭─[mgp.toml:6:1]
             6 │ restart_policy = "always"
               · ───────┬──────
               ·        ╰── here
               ╰────
              help: this version of chancery reads it, so that one file serves every MGP client, but doesn't act on it

        "#]],
    );
}

#[test]
fn a_gateway_behind_itself() {
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"/opt/chancery\"\nargs = [\"stdio\"]\n",
        &expect![[r#"
        1 errors, 0 warnings
          × `command` is this gateway itself, which would start itself for ever
           ╭─[mgp.toml:3:11]
         3 │ command = "/opt/chancery"
           ·           ───────┬───────
           ·                  ╰── here
           ╰────
          help: remove the server, or give the inner gateway a configuration of its own: `args = ["stdio",
                "--config", "…"]`

    "#]],
    );
    check(
        "[[servers]]\nid = \"a\"\ncommand = \"chancery\"\nargs = [\"stdio\", \"--config\", \"b.toml\"]\n",
        &expect![[r#"
        0 errors, 0 warnings
    "#]],
    );
}

#[test]
fn one_server_in_one_pair_of_brackets() {
    check(
        "[[server]]\nid = \"a\"\ncommand = \"a\"\n",
        &expect![[r#"
        1 errors, 0 warnings
          × unknown key `server` in this file
           ╭─[mgp.toml:1:3]
         1 │ [[server]]
           ·   ───┬──
           ·      ╰── not a key of this table
           ╰────
          help: it is called `servers` here

    "#]],
    );
}
