use hooks_sdk::lifecycle;

#[lifecycle::hook(pre_tool_use, strength = suggestion, text = "{tool_name} {tool_input}")]
struct Before;

#[lifecycle::hook(post_tool_use, strength = suggestion, text = "{tool_name} {tool_input} {tool_output}")]
struct After;

// Any other word in braces is text.
#[lifecycle::hook(session_start, strength = suggestion, text = "{tool} {tool_outputs} {} {Tool_Name}")]
struct OtherWords;
