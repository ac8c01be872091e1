//! Tests of the rows and decisions in `docs/reference/mgp-rows.md` that policy takes part in, and of each further rule: each has a transcript in
//! `tests/data`. `UPDATE_EXPECT=1` rewrites what came out.

use std::path::Path;

use expect_test::expect_file;

use crate::stage;

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
        .with_extension("txt");
    let transcript = std::fs::read_to_string(&path).expect("a transcript");
    let answers = stage::run(&transcript);
    assert!(answers.lines().any(|line| line.starts_with("  = ")), "a transcript asks something");
    expect_file![path].assert_eq(&answers);
}

#[test]
fn row_3_3_four_policies_answer_requests_for_permissions() {
    check("row_3_3_policies");
}

#[test]
fn row_3_5_nothing_is_called_before_a_request_is_decided() {
    check("row_3_5_await");
}

#[test]
fn row_3_6_what_is_granted_denied_deferred_and_expired() {
    check("row_3_6_grant");
}

#[test]
fn row_4_4_risk_decides_whether_a_person_is_asked() {
    check("row_4_4_risk");
}

#[test]
fn row_4_5_validators_judge_before_anything_leaves() {
    check("row_4_5_validators");
}

#[test]
fn row_5_2_the_tool_beats_the_server_beats_the_default() {
    check("row_5_2_hierarchy");
}

#[test]
fn row_5_4_queries_and_what_only_operators_may() {
    check("row_5_4_operators");
}

#[test]
fn row_5_4x_grants_expire() {
    check("row_5_4x_expiry");
}

#[test]
fn row_5_5_opt_in_and_opt_out() {
    check("row_5_5_defaults");
}

#[test]
fn d2_a_server_waits_for_its_permissions() {
    check("d2_gate");
}

#[test]
fn d4_only_tools_that_require_a_denied_permission_are_blocked() {
    check("d4_partial");
}

#[test]
fn d14_identity_is_not_in_the_arguments() {
    check("d14_identity");
}

#[test]
fn d15_roles_and_the_gateways_own_tools() {
    check("d15_roles");
}

#[test]
fn d16_deny_beats_allow_and_expiry_is_an_instant() {
    check("d16_precedence");
}

#[test]
fn grants_of_the_configuration_hold_as_long_as_they_are_configured() {
    check("configured_grants");
}

#[test]
fn d26_code_that_is_not_found_is_refused() {
    check("d26_code");
}

#[test]
fn d30_lists_show_what_may_be_used() {
    check("d30_visibility");
}

#[test]
fn design_7_a_sole_local_principal_is_let_in_a_second_is_not() {
    check("design_7_alone");
}

#[test]
fn tokens_have_scopes_and_end() {
    check("tokens");
}

#[test]
fn pins_ask_again_when_a_tool_changes() {
    check("pins");
}

#[test]
fn approvals_let_one_call_through() {
    check("approvals");
}

#[test]
fn rates_are_limited_by_principal_server_and_tool() {
    check("rates");
}

#[test]
fn every_other_action_needs_access_to_its_server() {
    check("actions");
}
