//! No secret, and no value of a variable, in anything that is shown.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::config::{Config, Env, Problems, Source, Trust, load_text};

const SECRET: &str = "xyzzy5ecret";

/// Everything that could be printed of a configuration.
fn shown(result: &Result<(Config, Problems), Problems>) -> String {
    match result {
        Ok((config, warnings)) => format!("{config:?}\n{warnings:?}\n{warnings}\n{}", warnings.render(false)),
        Err(problems) => format!("{problems:?}\n{problems}\n{}", problems.render(true)),
    }
}

fn env() -> Env {
    [("VARIABLE", SECRET)].into_iter().collect()
}

/// Returns a configuration with the secret in every place that is meant for one.
fn lines() -> Vec<String> {
    let text = format!(
        "[gateway]\nlisten = \"127.0.0.1:1\"\ntoken = \"{SECRET}\"\ntokens = {{ alice = \"{SECRET}1\" }}\n[gateway.limits]\nbody = 1\n\
         [[servers]]\nid = \"a\"\ncommand = \"a\"\nargs = [\"--api-key\", \"{SECRET}\", \"--token={SECRET}\"]\nenv = {{ API_KEY = \"{SECRET}\", OTHER = \"${{VARIABLE}}\" }}\n\
         [[servers]]\nid = \"b\"\nurl = \"https://example.com/mcp?key={SECRET}\"\n[servers.headers]\nAuthorization = \"Bearer {SECRET}\"\n\
         [[servers]]\nid = \"c\"\nurl = \"https://${{VARIABLE}}\"\n[servers.env]\nplain = '''\nother = {SECRET}\n'''\n\
         [[servers]]\nid = \"d\"\nurl = \"https://me:{SECRET}@example.com/mcp\"\n"
    );
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_whole_text_and_its_debug() {
    let text = lines().join("\n");
    let result = load_text("mgp.toml", &text, &env());
    assert!(!shown(&result).contains(SECRET), "{}", shown(&result));
    let source = Source::toml("mgp.toml", text);
    assert!(!format!("{source:?}{}", source.shown()).contains(SECRET), "{}", source.shown());
    assert!(!format!("{:?}", env()).contains(SECRET));
    assert!(!format!("{:?}", Trust::All).contains(SECRET));
}

/// Masking keeps every character's place, so that a caret stands where it should.
#[test]
fn a_mask_keeps_lengths() {
    let text = "[[servers]]\nid = \"ä\"\nenv = { K = \"äö€𝄞x\" } # 𝄞\n";
    let source = Source::toml("x", text.to_owned());
    assert_eq!(source.shown().len(), text.len());
    assert_eq!(source.shown().chars().count(), text.chars().count());
    assert!(source.shown().contains("id = \"ä\""));
    let json = "{\"mcpServers\": {\"a\": {\"command\": \"npx\", \"env\": {\"K\": \"äö€𝄞x\"}}}}";
    let source = Source::json("x", json.to_owned());
    assert_eq!(source.shown().len(), json.len());
    assert!(source.shown().contains("\"command\": \"npx\"") && !source.shown().contains("€"));
}

/// Names beside a secret are shown: without them a person could not find the line.
#[test]
fn names_beside_a_secret_stay() {
    let shown = |line: &str| Source::toml("x", format!("[[servers]]\n{line}")).shown()[12..].to_owned();
    let table = "env = { API_KEY = \"a{b, c = d\", 'other' = \"${HOME}x\", N = 1, deep = { k = [\"v = 1\"] } }";
    assert_eq!(
        shown(table),
        "env = { API_KEY = \"*{*, * = *\", 'other' = \"${HOME}*\", N = *, deep = { k = [\"* = *\"] } }"
    );
    assert_eq!(shown("tokens = { alice = \"s\" } # t = 1"), "tokens = { alice = \"*\" } # * = *");
    // Not names: an array's elements, what isn't plain, and anything once a string has lost its end.
    assert_eq!(shown("env = [a = 1, b = 2]"), "env = [* = *, * = *]");
    assert_eq!(shown("env = { a b = 1, \"c d\" = 2 }"), "env = { * * = *, \"* *\" = * }");
    assert_eq!(shown("env = { A = \"s, B = 1 }"), "env = { * = \"*, * = * }");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    /// However a file is broken (lines lost, doubled or swapped, characters lost or added), nothing shown of it holds the secret.
    #[test]
    fn broken_files(edits in prop::collection::vec((0_usize..4, 0_usize..30, 0_usize..40, prop::sample::select(vec!["\"", "'", "[", "]", "{", "}", "=", "\n", ",", "#", "x"])), 1..6)) {
        let mut lines = lines();
        for (kind, line, column, character) in edits {
            let count = lines.len();
            if count < 2 { break }
            let at = line % count;
            match kind {
                0 => { lines.remove(at); }
                1 => lines.swap(at, (at + column) % count),
                _ => {
                    let text = &mut lines[at];
                    let hit = text.find(SECRET).map(|start| start..start + SECRET.len());
                    let column = (0..=text.len()).filter(|c| text.is_char_boundary(*c)).nth(column).unwrap_or(text.len());
                    // The secret itself stays whole, else there would be nothing to find.
                    let inside = hit.is_some_and(|hit| hit.contains(&column) && hit.start != column);
                    if inside { continue }
                    if kind == 2 { text.insert_str(column, character) } else if column < text.len() && !text[column..].starts_with(SECRET) { text.remove(column); }
                }
            }
        }
        let text = lines.join("\n");
        let result = load_text("mgp.toml", &text, &env());
        let shown = shown(&result);
        prop_assert!(!shown.contains(SECRET), "{text}\n---\n{shown}");
        let masked = Source::toml("x", text);
        prop_assert!(!masked.shown().contains(SECRET), "{}", masked.shown());
    }
}
