//! Spelling: by example, and its laws.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn id(text: &str) -> ServerId {
    ServerId::new(text).expect("an id")
}

#[test]
fn what_does_not_fit_is_cut_and_marked_for_good() {
    let long = "x".repeat(70);
    let other = format!("{}y", "x".repeat(69));
    let names = [&long, &other, "with space", "with/slash", "größe", ""].map(|name| fit(name, 0));
    // These stand in clients' configurations: they may never change.
    let x = "x".repeat(55);
    let expected = [
        format!("{x}_mylqx4og"),
        format!("{x}_t5ois6jl"),
        "with_space_fftomotz".to_owned(),
        "with_slash_q5whnogz".to_owned(),
        "gr__e_bv2tguv6".to_owned(),
        "_gjksj5cm".to_owned(),
    ];
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| fits(name)));
    let both = ["a", "b"].map(|server| qualified(&id(server), &long));
    assert!(both[0].starts_with("a__xxx") && both[1].starts_with("b__xxx") && both.iter().all(|name| name.len() == 64));
}

#[test]
fn what_fits_stays() {
    for name in ["a", "read_file", "v1.2-x", &"x".repeat(64)] {
        assert_eq!((fits(name), fit(name, 0).as_str()), (true, name));
    }
    assert_eq!(qualified(&id("b"), "write"), "b__write");
}

proptest! {
    #[test]
    fn any_text_can_be_spelled_in_many_ways(name in "\\PC{0,80}") {
        let names: Vec<String> = (0..20).map(|salt| fit(&name, salt)).collect();
        prop_assert!(names.iter().all(|name| fits(name)));
        prop_assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        prop_assert_eq!(names[0] == name, fits(&name));
    }
}
