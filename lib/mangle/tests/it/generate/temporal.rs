//! Generates facts and rules with time. Rules that read intervals read complete predicates only; a recursion moves
//! points in steps of a day, up to a limit, so that its points never touch.

use super::{Kind, Literal, Predicate, Program, Random, Rule};

const DAY: usize = 24 * 60 * 60 * 1_000_000_000;
/// The start of generated time: 2024-01-01.
const START: usize = 19_723 * DAY;

/// Returns the start of one of the first twenty days of 2024, in nanoseconds.
pub(crate) fn day(random: &mut Random) -> usize {
    START + random.below(20) * DAY
}

/// The evaluation time of every generated program: 2024-01-11.
pub(crate) const NOW: i64 = (START + 10 * DAY) as i64;

/// Adds base predicates with time, and predicates derived from them.
pub(crate) fn add(random: &mut Random, program: &mut Program, known: &mut Vec<Predicate>) {
    for number in 0..2 {
        let name = format!("t{number}");
        program.decls.push(format!("Decl {name}(X) temporal bound [/name]."));
        for _ in 0..random.within(2, 6) {
            let at = annotation(random);
            let who = super::constant(random, Kind::Name);
            program.facts.push(format!("{name}({who})@[{at}]."));
        }
    }
    for rule in rules(random, program) {
        program.rules.push(rule);
    }
    // The facts that the rules below derive without time may be read by every later rule.
    for (name, columns) in [
        ("d80", vec![Kind::Name]),
        ("d81", vec![Kind::Name, Kind::Time]),
        ("d82", vec![Kind::Name, Kind::Name]),
    ] {
        known.push(Predicate {
            name: name.to_owned(),
            columns,
            temporal: false,
            block: 0,
        });
    }
}

fn rules(random: &mut Random, program: &mut Program) -> Vec<Rule> {
    for name in ["u0", "u1", "u2"] {
        program.decls.push(format!("Decl {name}(X) temporal bound [/name]."));
    }
    let operator = random.pick(&["<-", "[-", "<+", "[+"]);
    let (near, far) = (random.below(5), random.within(1, 6));
    let (one, other) = (format!("t{}", random.below(2)), format!("t{}", random.below(2)));
    let limit = START + 25 * DAY;
    let mut rules = vec![
        rule("d80(V0)", &[(&format!("{operator}[{near}d, {}d] {one}(V0)", near + far), true)]),
        rule("d81(V0, V1)", &[(&format!("{other}(V0)@[V1, V2]"), true)]),
        rule(
            "d82(V0, V1)",
            &[
                (&format!("{one}(V0)@[V2, V3]"), true),
                (&format!("{other}(V1)@[V4, V5]"), true),
                (":time:le(V2, V5)", false),
                (":time:le(V4, V3)", false),
            ],
        ),
        // The intersection: the later start, up to the earlier end.
        rule(
            "u0(V0)@[V3, V2]",
            &[
                (&format!("{one}(V0)@[V1, V2]"), true),
                (&format!("{other}(V0)@[V3, V4]"), true),
                (":time:le(V1, V3)", false),
                (":time:le(V3, V2)", false),
                (":time:le(V2, V4)", false),
            ],
        ),
        rule("u0(V0)@[V1, V2]", &[(&format!("{one}(V0)@[V1, V2]"), true)]),
        rule("u1(V0)@[V1]", &[(&format!("{other}(V0)@[V1, V2]"), true)]),
        rule(
            "u2(V0)@[V1, now]",
            &[
                ("u0(V0)@[V1, V2]", true),
                (&format!(":time:lt(V1, fn:time:from_unix_nanos({NOW}))"), false),
            ],
        ),
    ];
    if random.percent(70) {
        let step = random.within(1, 3) * DAY;
        rules.push(rule(
            "u1(V0)@[V3]",
            &[
                ("u1(V0)@[V1]", true),
                (&format!(":time:lt(V1, fn:time:from_unix_nanos({limit}))"), false),
                (&format!(":time:gt(V1, fn:time:from_unix_nanos({}))", START - DAY), false),
                (&format!("V3 = fn:time:add(V1, fn:duration:from_nanos({step}))"), false),
            ],
        ));
    }
    rules
}

fn rule(head: &str, body: &[(&str, bool)]) -> Rule {
    let literal = |&(text, binds): &(&str, bool)| Literal {
        text: text.to_owned(),
        variables: super::change::variables(text),
        binds,
    };
    Rule {
        head: head.to_owned(),
        body: body.iter().map(literal).collect(),
        tail: String::new(),
    }
}

/// Generates an interval or a point; now and then without a bound.
fn annotation(random: &mut Random) -> String {
    let start = random.below(18);
    let end = (start + random.below(6)).min(19);
    let date = |day: usize| format!("2024-01-{:02}", day + 1);
    match random.below(10) {
        0 => format!("_, {}", date(end)),
        1 => format!("{}, _", date(start)),
        2 => "_, _".to_owned(),
        3..=5 => date(start),
        _ => format!("{}, {}", date(start), date(end)),
    }
}
