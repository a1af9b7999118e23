use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, context_tool = "recall", context_tool_args(about = [{ "{tool_input}": "{tool_name}" }]))]
struct Words;

fn main() {}
