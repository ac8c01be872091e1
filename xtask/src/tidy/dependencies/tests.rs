//! Licences, bans, duplicates and sources on small inputs.

use super::{bans, duplicates, is_allowed, licences, packages, sources};
use crate::tidy::tree::File;

const TREE: &str =
    "ours v0.0.0 (/somewhere/ours)\tMIT OR Apache-2.0\na v1.0.2\tMIT\na v2.0.0 (proc-macro)\tMIT (*)\nring v0.17.0\tApache-2.0 AND ISC\n";
const RULES: &str = r#"
[licenses]
allow = ["MIT", "Apache-2.0"]
[bans]
deny = [{ crate = "ring", reason = "one provider", use-instead = "aws-lc-rs" }]
skip = [{ crate = "b@1", reason = "nobody" }]
[sources]
allow-registry = ["https://github.com/rust-lang/crates.io-index"]
"#;

fn rules() -> toml::Table {
    toml::from_str(RULES).expect("rules")
}

#[test]
fn a_licence_is_allowed_if_a_choice_of_it_is() {
    let allowed = ["MIT", "Apache-2.0", "ISC", "Apache-2.0 WITH LLVM-exception"];
    for met in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "ISC AND (GPL-3.0 OR ISC)",
        "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
    ] {
        assert!(is_allowed(met, &allowed), "{met}");
    }
    for unmet in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "MIT WITH x"] {
        assert!(!is_allowed(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn our_own_packages_are_not_judged() {
    let names: Vec<String> = packages(TREE)
        .into_iter()
        .map(|package| package.name + "@" + &package.version)
        .collect();
    assert_eq!(names, ["a@1.0.2", "a@2.0.0", "ring@0.17.0"]);
}

#[test]
fn bans_name_the_replacement_and_licences_the_package() {
    let found = bans(&packages(TREE), &rules(), |_| 7);
    assert_eq!(found.len(), 1);
    assert!(found[0].text.contains("aws-lc-rs"), "{}", found[0]);
    let found = licences(&packages(TREE), &rules(), |_| 7);
    assert!(found.len() == 1 && found[0].text.contains("ring"), "{found:?}");
}

#[test]
fn two_versions_need_a_reason() {
    let found = duplicates(&packages(TREE), &rules(), |_| 7);
    assert!(found.len() == 1 && found[0].text.contains("1.0.2 and 2.0.0"), "{found:?}");
    let skipped = RULES.replace("b@1", "a@1");
    let skipped = toml::from_str(&skipped).expect("rules");
    assert!(duplicates(&packages(TREE), &skipped, |_| 7).is_empty());
}

#[test]
fn only_the_registry_is_a_source() {
    let lock = File {
        path: "Cargo.lock".to_owned(),
        text: "source = \"registry+https://github.com/rust-lang/crates.io-index\"\nsource = \"git+https://example.com/x#1\"\n".to_owned(),
    };
    let found = sources(&lock, &rules());
    assert!(found.len() == 1 && found[0].line == 2, "{found:?}");
}
