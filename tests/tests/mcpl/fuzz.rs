//! The inputs of the fuzzer of MCPL's types, run as an ordinary test.

#[path = "../../fuzz/targets/mcpl.rs"]
mod types;

#[test]
fn any_json_is_read_or_refused_by_every_type_of_mcpl() {
    hooks_tests::fuzz::replay(&["fuzz/seeds/mcpl"], 10, types::check);
}
