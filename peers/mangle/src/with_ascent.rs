//! Runs ascent: rules compiled into the binary.

use ascent::{
    aggregators::{count, sum},
    ascent,
};

use crate::{Outcome, data::Input, timed};

ascent! {
    struct Closure;
    relation edge(i32, i32);
    relation path(i32, i32);
    path(x, y) <-- edge(x, y);
    path(x, z) <-- edge(x, y), path(y, z);
}

ascent! {
    struct Reach;
    relation edge(i32, i32);
    relation start(i32);
    relation reach(i32);
    reach(x) <-- start(x);
    reach(y) <-- reach(x), edge(x, y);
}

ascent! {
    struct Generation;
    relation edge(i32, i32);
    relation same(i32, i32);
    same(x, y) <-- edge(p, x), edge(p, y);
    same(x, y) <-- edge(a, x), same(a, b), edge(b, y);
}

ascent! {
    struct Sum;
    relation sale(i32, i32, i32);
    relation shop(i32);
    relation total(i32, usize, i32);
    shop(s) <-- sale(s, _, _);
    total(s, n, t) <-- shop(s), agg n = count() in sale(s, _, _), agg t = sum(v) in sale(s, _, v);
}

ascent! {
    struct Absent;
    relation order(i32, i32);
    relation paid(i32, i32);
    relation open(i32, i32);
    open(o, c) <-- order(o, c), !paid(o, c);
}

ascent! {
    struct Tools;
    relation tool(i32, i32, i32);
    relation tagged(i32, i32);
    relation requires(i32, i32);
    relation conflicts(i32, i32);
    relation prohibited(i32);
    relation online(i32);
    relation mandatory(i32, i32);
    relation wants(i32, i32);
    relation intent(i32);
    relation matched(i32, i32, i32);
    relation wanted(i32);
    relation relevance(i32, i32);
    relation excluded(i32);
    relation skeleton(i32, i32);
    relation score(i32, i32, i32);
    relation cand(i32, i32);
    relation loser(i32);
    relation kept(i32, i32);
    relation need(i32);
    relation last(i32, i32);
    matched(t, g, w) <-- wants(g, w), tagged(t, g);
    wanted(t) <-- matched(t, _, _);
    relevance(t, r) <-- wanted(t), agg r = sum(w) in matched(t, _, w);
    excluded(t) <-- prohibited(t);
    excluded(t) <-- tool(t, _, v), !online(v);
    skeleton(t, 200) <-- intent(i), mandatory(i, t);
    score(t, r, s) <-- relevance(t, r), tool(t, s, _), !excluded(t);
    cand(t, s) <-- skeleton(t, s), !excluded(t);
    cand(t, s) <-- score(t, r, q), let s = r + q, if s >= 60;
    loser(a) <-- conflicts(a, b), cand(a, sa), cand(b, sb), if sa < sb;
    loser(b) <-- conflicts(a, b), cand(a, sa), cand(b, sb), if sb <= sa;
    kept(t, s) <-- cand(t, s), !loser(t);
    need(d) <-- kept(t, _), requires(t, d);
    need(d) <-- need(t), requires(t, d);
    last(t, s) <-- kept(t, s);
    last(d, 80) <-- need(d), !excluded(d);
}

pub fn run(input: &Input) -> Outcome {
    match input.case {
        "reach" => {
            let (edge, start) = (input.table("edge").pairs(), input.table("start").singles());
            timed(|| {
                let mut program = Reach {
                    edge,
                    start,
                    ..Reach::default()
                };
                program.run();
                program.reach.len()
            })
        }
        "generation" => {
            let edge = input.table("edge").pairs();
            timed(|| {
                let mut program = Generation {
                    edge,
                    ..Generation::default()
                };
                program.run();
                program.same.len()
            })
        }
        "sum" => {
            let sale = input.table("sale").triples();
            timed(|| {
                let mut program = Sum { sale, ..Sum::default() };
                program.run();
                program.total.len()
            })
        }
        "absent" => {
            let (order, paid) = (input.table("order").pairs(), input.table("paid").pairs());
            timed(|| {
                let mut program = Absent {
                    order,
                    paid,
                    ..Absent::default()
                };
                program.run();
                program.open.len()
            })
        }
        "tools" => tools(input),
        _ => {
            let edge = input.table("edge").pairs();
            timed(|| {
                let mut program = Closure {
                    edge,
                    ..Closure::default()
                };
                program.run();
                program.path.len()
            })
        }
    }
}

fn tools(input: &Input) -> Outcome {
    let mut program = Tools {
        tool: input.table("tool").triples(),
        tagged: input.table("tagged").pairs(),
        requires: input.table("requires").pairs(),
        conflicts: input.table("conflicts").pairs(),
        prohibited: input.table("prohibited").singles(),
        online: input.table("online").singles(),
        mandatory: input.table("mandatory").pairs(),
        wants: input.table("wants").pairs(),
        intent: input.table("intent").singles(),
        ..Tools::default()
    };
    timed(|| {
        program.run();
        program.last.len() + program.kept.len() + program.matched.len() + program.excluded.len() + program.need.len()
    })
}
