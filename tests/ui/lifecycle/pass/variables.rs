use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, priority = suggestion, context = "{tool_name} {tool_input}")]
struct Before;

#[lifecycle::hook(post_tool_use, priority = suggestion, context = "{tool_name} {tool_input} {tool_output}")]
struct After;

// Any other word in braces is text.
#[lifecycle::hook(session_start, priority = suggestion, context = "{tool} {tool_outputs} {} {Tool_Name}")]
struct OtherWords;

fn main() {}
