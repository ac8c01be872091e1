//! The rules of each case, for the engines that read text.

use std::fmt::Write;

use crate::data::Input;

const CLOSURE: &str = "path(X, Y) :- edge(X, Y).\npath(X, Z) :- edge(X, Y), path(Y, Z).\n";

/// Returns the rules in Mangle, and the predicates whose rows are counted.
pub fn mangle(case: &str) -> (&'static str, &'static [(&'static str, usize)]) {
    match case {
        "reach" => ("reach(X) :- start(X).\nreach(Y) :- reach(X), edge(X, Y).\n", &[("reach", 1)]),
        "generation" => (
            "same(X, Y) :- edge(P, X), edge(P, Y).\nsame(X, Y) :- edge(A, X), same(A, B), edge(B, Y).\n",
            &[("same", 2)],
        ),
        "tools" => (TOOLS, &[("final", 2), ("kept", 2), ("match", 3), ("excluded", 1), ("need", 1)]),
        "sum" => (
            "total(S, N, T) :- sale(S, I, V) |> do fn:group_by(S), let N = fn:count(), let T = fn:sum(V).\n",
            &[("total", 3)],
        ),
        "absent" => ("open(O, C) :- order(O, C), !paid(O, C).\n", &[("open", 2)]),
        _ => (CLOSURE, &[("path", 2)]),
    }
}

/// The rules that select the tools for an intent: wanted tags give a score, prohibited and offline tools are removed,
/// of two in conflict the better one stays, and tools that others need are added.
const TOOLS: &str = "
match(T, G, W) :- wants(G, W), tagged(T, G).
relevance(T, R) :- match(T, G, W) |> do fn:group_by(T), let R = fn:sum(W).
excluded(T) :- prohibited(T).
excluded(T) :- tool(T, S, V), !online(V).
skeleton(T, 200) :- intent(I), mandatory(I, T).
score(T, R, S) :- relevance(T, R), tool(T, S, V), !excluded(T).
cand(T, S) :- skeleton(T, S), !excluded(T).
cand(T, S) :- score(T, R, Q), S = fn:plus(R, Q), S >= 60.
loser(A) :- conflicts(A, B), cand(A, SA), cand(B, SB), SA < SB.
loser(B) :- conflicts(A, B), cand(A, SA), cand(B, SB), SB <= SA.
kept(T, S) :- cand(T, S), !loser(T).
need(D) :- kept(T, S), requires(T, D).
need(D) :- need(T), requires(T, D).
final(T, S) :- kept(T, S).
final(D, 80) :- need(D), !excluded(D).
";

/// Returns a whole program for clingo, facts included.
pub fn clingo(input: &Input) -> String {
    let mut text = match input.case {
        "sum" => "total(S, N, T) :- sale(S, _, _), N = #count { I : sale(S, I, _) }, T = #sum { V, I : sale(S, I, V) }.\n".to_owned(),
        "tools" => TOOLS
            .replace(
                "match(T, G, W) |> do fn:group_by(T), let R = fn:sum(W)",
                "match(T, _, _), R = #sum { W, G : match(T, G, W) }",
            )
            .replace("S = fn:plus(R, Q)", "S = R + Q")
            .replace('!', "not "),
        case => mangle(case).0.replace('!', "not "),
    };
    for table in &input.tables {
        for row in table.rows.chunks_exact(table.width) {
            let args: Vec<String> = row.iter().map(i32::to_string).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}({}).", table.name, args.join(","));
        }
    }
    text.push_str("#show.\n");
    text
}
