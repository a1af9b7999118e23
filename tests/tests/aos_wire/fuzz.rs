//! The inputs of the fuzzer of AOS, run as an ordinary test.

#[path = "../../fuzz/targets/aos.rs"]
mod engine;

#[test]
fn fuzz_any_body_gets_one_answer_and_any_answer_is_read_or_refused() {
    hooks_tests::fuzz::replay(&["fuzz/seeds/aos", "vectors/aos"], 10, engine::check);
}
