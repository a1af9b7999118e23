use hooks_sdk::lifecycle;

// 4,500 characters are 13,500 bytes.
#[lifecycle::hook(post_tool_use, strength = suggestion, text_file = "text_over_a_budget.md")]
struct InBytes;

#[lifecycle::hook(pre_request, strength = suggestion, text_file = "text_over_a_budget.md")]
struct InCharacters;

// No text reaches an agent at the end of a session.
#[lifecycle::hook(session_end, strength = suggestion, text_file = "text_over_a_budget.md")]
struct AtTheEnd;

fn main() {}
