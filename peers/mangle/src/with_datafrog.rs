//! Runs datafrog: joins written by hand, only for the cases that it suits.

use datafrog::{Iteration, Relation};

use crate::{Outcome, data::Input, timed};

pub fn run(input: &Input) -> Option<Outcome> {
    match input.case {
        "chain" | "sparse" | "large" => Some(closure(input)),
        "reach" => Some(reach(input)),
        "generation" => Some(generation(input)),
        _ => None,
    }
}

fn closure(input: &Input) -> Outcome {
    let edges = input.table("edge").pairs();
    timed(|| {
        let mut iteration = Iteration::new();
        let path = iteration.variable::<(i32, i32)>("path");
        let back: Relation<(i32, i32)> = edges.iter().map(|&(a, b)| (b, a)).collect();
        path.insert(edges.into());
        while iteration.changed() {
            path.from_join(&path, &back, |_, &end, &start| (start, end));
        }
        path.complete().len()
    })
}

fn reach(input: &Input) -> Outcome {
    let (edges, start) = (input.table("edge").pairs(), input.table("start").rows.clone());
    timed(|| {
        let mut iteration = Iteration::new();
        let reached = iteration.variable::<(i32, ())>("reached");
        let edges: Relation<(i32, i32)> = edges.into();
        reached.insert(start.into_iter().map(|node| (node, ())).collect());
        while iteration.changed() {
            reached.from_join(&reached, &edges, |_, (), &next| (next, ()));
        }
        reached.complete().len()
    })
}

fn generation(input: &Input) -> Outcome {
    let edges = input.table("edge").pairs();
    timed(|| {
        let mut iteration = Iteration::new();
        let same = iteration.variable::<(i32, i32)>("same");
        // Half a step: (B, X) where X is a child of A and A is of the generation of B.
        let half = iteration.variable::<(i32, i32)>("half");
        let down: Relation<(i32, i32)> = edges.iter().copied().collect();
        let seeds = iteration.variable::<(i32, i32)>("seeds");
        seeds.insert(down.clone());
        while iteration.changed() {
            same.from_join(&seeds, &down, |_, &x, &y| (x, y));
            half.from_join(&same, &down, |_, &b, &x| (b, x));
            same.from_join(&half, &down, |_, &x, &y| (x, y));
        }
        same.complete().len()
    })
}
