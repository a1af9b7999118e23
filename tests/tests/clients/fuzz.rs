//! The inputs of the fuzzer of hooks, run as an ordinary test.

#[path = "../../fuzz/targets/fire.rs"]
mod fire;

#[test]
fn any_input_of_a_hook_is_answered() {
    let folders = [
        "fuzz/seeds/fire",
        "fixtures/clients/claude-code",
        "fixtures/clients/codex",
        "fixtures/clients/gemini",
        "fixtures/clients/copilot",
        "fixtures/clients/copilot/camel",
        "fixtures/clients/qwen",
        "fixtures/clients/opencode",
        "fixtures/clients/cline",
        "fixtures/clients/kimi",
        "fixtures/clients/cursor",
    ];
    hooks_tests::fuzz::replay(&folders, 20, fire::check);
}
