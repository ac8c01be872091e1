//! Citations that lead somewhere, and such that do not, in a small project.

use super::{check, words};
use crate::tidy::tree::File;

/// Returns a project with a few decisions, and one file that cites.
fn said(path: &str, text: &str) -> Vec<String> {
    let design = "## Laws\n\n### Raw\n\n### Store, then answer\n\n## DESIGN 8: durability\n\n## DESIGN 9: revocation\n";
    let mgp = "## MGP D4: partial denial\n\n## MGP D16: which counts\n";
    let table = "| name | version | where |\n|---|---|---|\n| MCP | 2025-11-25, 2026-07-28 | there |\n| MGP | 0.5.2 | there |\n| RFC | by number | there |\n";
    let files = [
        File::new("docs/develop/decisions/design.md", design),
        File::new("docs/develop/decisions/mgp.md", mgp),
        File::new("docs/develop/decisions/mcp.md", "## MCP D4: another\n"),
        File::new("docs/develop/specifications.md", table),
        File::new("ARCHITECTURE.md", ""),
        File::new(path, text),
    ];
    check(&files).iter().map(ToString::to_string).collect()
}

fn refused(path: &str, text: &str, because: &str) {
    let said = said(path, text);
    assert!(said.len() == 1 && said[0].contains(because), "{text}: {said:?}");
}

#[test]
fn what_is_decided_may_be_cited() {
    for text in [
        "//! Stored first, then in force (DESIGN 8, 9).",
        "// MGP D4, D16: at the same level a denial counts.",
        "/// What one server was permitted (MGP §3; D4, D16).",
        "/// MGP §7.3 and D16: both.",
        "// In the order of MGP\n// D16.",
        "// The same of another protocol (MCP D4).",
        "// Forwarded as it came (DESIGN, Laws: Raw).",
        "// DESIGN, Laws: Store, then answer.",
        "// Closing the stream cancels (2026-07-28 basic/patterns/cancellation).",
        "// Headers of one connection (RFC 9110 §7.6.1).",
        "let r2 = \"R2-D2\";",
        "//! The invariants of ARCHITECTURE.md.",
    ] {
        assert_eq!(said("crates/policy/src/a.rs", text), [""; 0], "{text}");
    }
}

#[test]
fn what_is_decided_nowhere_is_refused_with_the_place_where_it_belongs() {
    refused(
        "crates/policy/src/a.rs",
        "\n/// Why (MGP D5).",
        "a.rs:2: citations: `MGP D5` is not decided anywhere: add `## MGP D5: …` to docs/develop/decisions/mgp.md",
    );
    refused("README.md", "Sealed (DESIGN 10).", "`DESIGN 10` is not decided anywhere");
    refused("README.md", "Sealed (DESIGN 8, 10).", "`DESIGN 10`");
    refused("crates/mgp/src/a.rs", "// D4 to D7", "`MGP D7` is not decided anywhere");
    refused("crates/mcp/src/a.rs", "// MCP D16", "`MCP D16`");
    refused("crates/a/src/a.rs", "// DESIGN, Laws: Cooked.", "there is no such law");
    refused("crates/a/src/a.rs", "// As the DESIGN has it.", "say which decision");
}

#[test]
fn a_number_says_whose_it_is_except_where_everything_is_of_mgp() {
    assert_eq!(said("crates/mgp/src/a.rs", "/// What is denied (§3.6, D4)."), [""; 0]);
    assert_eq!(said("crates/kernel/src/a.rs", "/// D16: a denial (DESIGN 8, D4)."), [""; 0]);
    refused("crates/policy/src/a.rs", "/// D16: a denial.", "write `MGP D16` or `MCP D16`");
    refused("crates/policy/src/a.rs", "/// MGP says much. D16: a denial.", "write `MGP D16`");
    refused("crates/policy/src/a.rs", "/// Without it (§3.6).", "write `MGP §3.6`");
    refused(
        "crates/policy/src/a.rs",
        "/// Without it (MEW §3.6).",
        "does not say of which specification",
    );
}

#[test]
fn a_number_has_one_meaning() {
    refused("docs/develop/decisions/more.md", "## MGP D4: again\n", "`MGP D4` is decided twice");
}

#[test]
fn revisions_of_mcp_are_known() {
    refused(
        "crates/mcp/src/a.rs",
        "// 2027-01-01 basic/versioning: not yet.",
        "knows no revision 2027-01-01",
    );
}

#[test]
fn of_a_transcript_only_the_comments_cite() {
    let transcript = "# Modern requests (2026-07-28 basic).\nalice > 2099-01-01 server/discover D1\n";
    assert_eq!(said("crates/mcp/tests/it/data/a.txt", transcript), [""; 0]);
    refused("crates/mcp/tests/it/data/a.txt", "# D4: nobody\nalice > D1\n", "write `MGP D4`");
}

#[test]
fn documents_are_in_the_project() {
    refused(
        "crates/a/src/a.rs",
        "// What it must be is in KERNEL.md.",
        "`KERNEL.md` is not in the project",
    );
    refused("crates/a/src/a.rs", "let help = \"`docs/gone.md` lists them\";", "`docs/gone.md`");
    refused("docs/a.md", "cargo bench --data ../shared/data", "`../shared/data`");
    refused("docs/a.md", "[out](../../ARCHITECTURE.md)", "`../../ARCHITECTURE.md`");
    assert_eq!(
        said("docs/a.md", "[the map](../ARCHITECTURE.md#map), `docs/develop/specifications.md`"),
        [""; 0]
    );
    assert_eq!(
        said(
            "crates/a/tests/a.rs",
            "#[path = \"../../b/c.rs\"]\n// See https://example.com/README.md."
        ),
        [""; 0]
    );
}

#[test]
fn words_are_cut_as_people_read_them() {
    let read: Vec<String> = words::of("/// A (MGP §5.2,\n/// D16 to D18). Then `x`.", false)
        .map(|word| word.text.to_owned())
        .collect();
    assert_eq!(read, ["A", "MGP", "§5.2", "D16", "to", "D18", "Then", "x"]);
    assert_eq!(words::joined("docs/a/b.md", "../c.md").as_deref(), Some("docs/c.md"));
    assert_eq!(words::joined("docs/b.md", "../../c.md"), None);
}
