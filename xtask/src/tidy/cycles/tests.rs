//! Planted cycles are refused, code that only looks like one is not, and the list of allowed ones only shrinks.

use std::collections::BTreeMap;

use super::allowed::Allowed;
use super::graph::Graph;
use super::judge;
use crate::tidy::layers::{Crate, Layer};
use crate::tidy::syntax::{self, Trees};
use crate::tidy::tree::File;
use crate::tidy::violation::Violation;

const KRATE: Crate = Crate {
    name: "a-crate",
    folder: "lib/a",
    layer: Layer::Core,
    may: &[],
};

/// A file of the crate, by its path from `src`.
type Source<'a> = (&'a str, &'a str);

fn files(sources: &[Source<'_>]) -> Vec<File> {
    let file = |(path, text): &Source<'_>| File {
        path: format!("lib/a/src/{path}"),
        text: (*text).to_owned(),
    };
    sources.iter().map(file).collect()
}

fn with_graph<T>(sources: &[Source<'_>], see: impl FnOnce(&Graph<'_>) -> T) -> T {
    let files = files(sources);
    let trees: Trees<'_> = syntax::trees(&files).expect("Rust");
    see(&super::graph(&KRATE, &trees))
}

/// Returns the edges of a crate: `a.rs -> b.rs: One, Two`.
fn edges(sources: &[Source<'_>]) -> Vec<String> {
    let files: BTreeMap<String, ()> = files(sources).into_iter().map(|file| (file.path, ())).collect();
    with_graph(sources, |graph| {
        let mut edges = Vec::new();
        for from in files.keys() {
            for to in files.keys() {
                if let Some(edge) = graph.edge(from, to) {
                    let names: Vec<&str> = edge.keys().map(String::as_str).collect();
                    let short = |path: &str| path.trim_start_matches("lib/a/src/").to_owned();
                    edges.push(format!("{} -> {}: {}", short(from), short(to), names.join(", ")));
                }
            }
        }
        edges
    })
}

fn judged(sources: &[Source<'_>], allowed: &[Allowed]) -> Vec<Violation> {
    with_graph(sources, |graph| judge(&KRATE, graph, allowed))
}

/// Returns the refusals of a crate without exceptions.
fn refused(sources: &[Source<'_>]) -> Vec<String> {
    judged(sources, &[]).into_iter().map(|violation| violation.text).collect()
}

#[test]
fn a_cycle_through_a_reexport_is_refused() {
    let found = refused(&[
        ("lib.rs", "mod one;\nmod two;\n"),
        ("one.rs", "use crate::two::Two;\n\npub struct One(Two);\n"),
        ("two/mod.rs", "mod deep;\n\npub use deep::Two;\n"),
        (
            "two/deep.rs",
            "pub struct Two;\n\nimpl Two {\n    fn one(_: &crate::one::One) {}\n}\n",
        ),
    ]);
    let [text] = found.as_slice() else { panic!("{found:?}") };
    assert!(text.starts_with("2 files form an import cycle: one.rs, two/deep.rs\n"), "{text}");
    assert!(text.contains("one.rs -> two/deep.rs: Two (1)"), "{text}");
    assert!(text.contains("two/deep.rs -> one.rs: One (4)"), "{text}");
    assert!(text.contains("move what several of them name"), "{text}");
    assert!(text.contains("cargo xtask tidy cycles a-crate"), "{text}");
}

#[test]
fn a_cycle_through_inline_paths_is_refused() {
    let found = refused(&[
        ("main.rs", "mod one;\nmod two;\n\nfn main() {\n    one::run();\n}\n"),
        ("one.rs", "pub fn run() {\n    super::two::count(1);\n}\n"),
        (
            "two.rs",
            "pub fn count(n: u32) {\n    println!(\"{n} {}\", crate::one::run());\n}\n",
        ),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("one.rs -> two.rs: count (2)"), "{found:?}");
    assert!(found[0].contains("two.rs -> one.rs: run (2)"), "{found:?}");
}

#[test]
fn a_module_that_reexports_its_children_has_an_edge_to_them_only_if_it_uses_them() {
    let below = ("part/leaf.rs", "use super::Shared;\n\npub fn leaf(_: Shared) {}\n");
    let only_passed_on = "mod leaf;\n\npub use leaf::leaf;\n\npub struct Shared;\n";
    assert!(refused(&[("lib.rs", "mod part;\n"), ("part/mod.rs", only_passed_on), below]).is_empty());
    let passed_on_and_used = format!("{only_passed_on}\npub fn all() {{\n    leaf(Shared);\n}}\n");
    assert_eq!(
        refused(&[("lib.rs", "mod part;\n"), ("part/mod.rs", &passed_on_and_used), below]).len(),
        1
    );
}

#[test]
fn a_mod_line_is_no_edge_and_a_diamond_no_cycle() {
    let sources = [
        ("lib.rs", "pub mod top;\nmod left;\nmod right;\nmod bottom;\n\npub struct Root;\n"),
        ("top.rs", "use crate::{left::Left, right::Right};\n\npub struct Top(Left, Right);\n"),
        ("left.rs", "use super::bottom::Bottom;\n\npub struct Left(Bottom, crate::Root);\n"),
        ("right.rs", "use super::bottom::Bottom;\n\npub struct Right(Bottom);\n"),
        ("bottom.rs", "pub struct Bottom;\n"),
    ];
    assert!(refused(&sources).is_empty());
    assert_eq!(
        edges(&sources),
        [
            "left.rs -> bottom.rs: Bottom",
            "left.rs -> lib.rs: Root",
            "right.rs -> bottom.rs: Bottom",
            "top.rs -> left.rs: Left",
            "top.rs -> right.rs: Right",
        ]
    );
}

#[test]
fn imports_are_followed_to_the_file_that_defines_the_item() {
    let sources = [
        (
            "lib.rs",
            "mod all;\nmod user;\nmod part;\npub use part::inner::{Deep as Renamed, deeper};\n",
        ),
        ("all.rs", "pub use crate::part::inner::*;\n"),
        ("part/mod.rs", "pub mod inner;\n"),
        (
            "part/inner.rs",
            "pub struct Deep;\npub enum Kind { A }\npub fn deeper() {}\npub const MOST: u8 = 1;\npub mod within {\n    pub trait Named {}\n}\n",
        ),
        (
            "user.rs",
            "use super::all::*;\nuse crate::Renamed as Again;\nuse crate::part::inner::within::{self, Named as _};\n\
             fn f(_: Again) -> Kind {\n    a_crate::deeper();\n    let _ = [0; MOST as usize];\n    Kind::A\n}\nimpl within::Named for u8 {}\n",
        ),
    ];
    assert_eq!(edges(&sources), ["user.rs -> part/inner.rs: Deep, Kind, MOST, Named, deeper"]);
}

#[test]
fn variables_fields_and_items_of_other_crates_are_no_edges() {
    let sources = [
        ("lib.rs", "mod one;\nmod two;\n"),
        (
            "one.rs",
            "pub use super::two::*;\npub fn f(count: u8, s: S) {\n    let _ = (count, s.count, format!(\"{}\", s.count));\n    other::count();\n    std::mem::drop(count);\n}\npub struct S { count: u8 }\n",
        ),
        ("two.rs", "pub fn count() {}\n"),
    ];
    assert!(edges(&sources).is_empty(), "{:?}", edges(&sources));
}

#[test]
fn names_within_a_function_stay_there() {
    let sources = [
        ("lib.rs", "mod one;\nmod two;\n"),
        (
            "one.rs",
            "fn f() {\n    use crate::two::Two;\n    let _: Two = todo();\n}\nfn todo() -> u8 { 0 }\nstruct Two;\nfn g(_: Two) {}\n",
        ),
        ("two.rs", "pub struct Two;\n"),
    ];
    assert_eq!(edges(&sources), ["one.rs -> two.rs: Two"]);
}

#[test]
fn macros_and_the_paths_in_their_arguments_are_edges() {
    let sources = [
        ("lib.rs", "#[macro_use]\nmod say;\nmod user;\nmod voice;\n"),
        (
            "say.rs",
            "macro_rules! say {\n    ($x:expr) => { $crate::voice::speak($x) };\n}\npub(crate) use say;\n",
        ),
        ("user.rs", "use crate::say::say;\nfn f() {\n    say!(super::voice::LOUD);\n}\n"),
        ("voice.rs", "pub fn speak(_: u8) {}\npub const LOUD: u8 = 1;\n"),
    ];
    assert_eq!(
        edges(&sources),
        ["say.rs -> voice.rs: speak", "user.rs -> say.rs: say", "user.rs -> voice.rs: LOUD"]
    );
}

#[test]
fn tests_are_left_out() {
    let sources = [
        ("lib.rs", "mod one;\nmod two;\n#[cfg(test)]\nmod tests;\n"),
        (
            "one.rs",
            "pub struct One;\n#[cfg(test)]\nmod tests {\n    use crate::two::Two;\n}\n#[cfg(all(test, unix))]\nuse crate::two::Two;\nimpl One {\n    #[cfg(test)]\n    fn two(_: crate::two::Two) {}\n}\n",
        ),
        ("two.rs", "pub struct Two(crate::one::One);\n"),
        ("tests.rs", "use super::{one::One, two::Two};\n"),
    ];
    assert_eq!(edges(&sources), ["two.rs -> one.rs: One"]);
}

const RING: [Source<'static>; 4] = [
    ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
    ("a.rs", "pub struct A(super::b::B);\n"),
    ("b.rs", "pub struct B(super::c::C);\n"),
    ("c.rs", "pub struct C(super::a::A);\n"),
];

/// A cycle of the first two files of the ring.
const SMALLER: [Source<'static>; 4] = [
    RING[0],
    RING[1],
    ("b.rs", "pub struct B(super::a::A);\n"),
    ("c.rs", "pub struct C;\n"),
];

const ALLOWED: [Allowed; 1] = [Allowed {
    krate: "a-crate",
    files: &["a.rs", "b.rs", "c.rs"],
    why: "rings are round",
}];

#[test]
fn an_allowed_cycle_that_shrank_must_be_updated() {
    assert!(judged(&RING, &ALLOWED).is_empty());
    let found = judged(&SMALLER, &ALLOWED);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].file, super::TABLE);
    assert!(
        found[0].text.contains("is smaller now: leave only a.rs, b.rs in the list"),
        "{}",
        found[0].text
    );
    let straight = [RING[0], RING[1], RING[2], ("c.rs", "pub struct C;\n")];
    let found = judged(&straight, &ALLOWED);
    assert!(found.len() == 1 && found[0].text.contains("does not exist any more"), "{found:?}");
}

#[test]
fn an_allowed_cycle_that_grew_is_refused() {
    let smaller = Allowed {
        files: &["a.rs", "b.rs"],
        ..ALLOWED[0]
    };
    let found = judged(&RING, &[smaller]);
    assert!(
        found[0].text.starts_with("3 files form an import cycle: a.rs, b.rs, c.rs"),
        "{found:?}"
    );
}

#[test]
fn the_lists_name_crates_that_exist() {
    for name in super::ALLOWED.iter().map(|allowed| allowed.krate) {
        assert!(super::CRATES.iter().any(|krate| krate.name == name), "{name}");
    }
}
