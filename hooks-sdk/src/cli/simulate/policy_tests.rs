//! Rules of a policy in a simulated session.

use serde_json::json;

use super::tests::{call, program, result, simulated, told};
use crate::{
    lifecycle::host::ClientControls,
    plugin::{Instance, ready::Confirm},
    server::Policy,
};

#[test]
fn the_destructive_hint_of_a_tool_asks_the_user() {
    let confirm = Policy::new().with(Instance::of(Confirm::new()));
    let program = program(ClientControls::default()).policy(confirm);
    let lines = [
        call(0, 1, "mcp__notes__open", json!({ "path": "a" })),
        result(1, 1, "opened", false),
        call(2, 2, "mcp__notes__write", json!({ "path": "a" })),
        result(3, 2, "written", false),
        call(4, 3, "mcp__notes__erase", json!({ "path": "a" })),
        result(5, 3, "erased", false),
    ];
    let asks = told(&simulated(&program, &lines).unwrap());
    let asks: Vec<&String> = asks.iter().filter(|line| line.contains(" by ")).collect();
    assert_eq!(asks, ["5 asks by confirm"]);
}
