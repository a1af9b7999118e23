use hooks_sdk::prelude::*;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion, context_tool_args(limit = 5))]
struct ArgsWithoutContextTool;

#[lifecycle::hook(session_start, strength = suggestion, context_tool = "recall", context_tool_args(limit))]
struct ArgumentWithoutValue;

#[lifecycle::hook(session_start, strength = suggestion, deadline = "0ms")]
async fn deadline_zero() -> String {
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", description = "Says hello.")]
struct DescriptionOnAStruct;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn event_mutable(_memory: &Memory, _start: &mut SessionStart) -> String {
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn event_not_a_reference(_memory: &Memory, _start: SessionStart) -> String {
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn generic_by_impl_trait(store: &(impl Send + Sync)) -> String {
    let _ = store;
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn generic_function<S: Send + Sync>(store: &S) -> String {
    let _ = store;
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
struct GenericStruct<const N: usize>;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(tool_name = "mcp__[a-z"), text = "Hello.")]
struct GlobMalformed;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", id = "After Commit")]
struct IdMalformed;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", strength = required)]
struct KeyGivenTwice;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(), text = "Hello.")]
struct MatcherEmpty;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(input_contains = ""), text = "Hello.")]
struct MatcherFieldEmpty;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(tool_nam = "Bash"), text = "Hello.")]
struct MatcherFieldMisspelt;

#[lifecycle::hook(pre_tool_use, strength = suggestion, matcher(tool_name = 1), text = "Hello.")]
struct MatcherFieldWithoutText;

// Method without hooks.
impl Memory {
    #[lifecycle::hook(session_start, strength = suggestion)]
    async fn recall(&self) -> String {
        String::new()
    }
}

#[lifecycle::hook(session_start, "Hello.", strength = suggestion, text = "Hello.")]
struct NotAKey;

#[lifecycle::hook(session_start, strength = suggestion)]
fn not_async(_memory: &Memory) -> String {
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion)]
async unsafe fn not_safe(_memory: &Memory) -> String {
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion)]
struct OnAStructWithFields {
    hello: String,
}

#[lifecycle::hook(session_start, strength = suggestion)]
enum OnAnEnum {
    Hello,
}

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.", session_end)]
struct PointBehindAKey;

#[lifecycle::hook(strength = suggestion, text = "Hello.")]
struct PointMissing;

#[lifecycle::hook(post_tool_us, strength = suggestion, matcher(tool_name = "Bash"), text = "{tool_output}")]
struct PointMisspelt;

// Renamed keys.
#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.")]
struct OldWords;

#[lifecycle::hook(session_start, strength = suggestion, text = "welcome.md")]
struct OldFile;

#[lifecycle::hook(session_start, strength = suggestion, deadline_ms = 500)]
async fn old_time() -> String {
    String::new()
}

#[lifecycle::hook(session_start, strength = suggestion)]
async fn server_not_a_reference(_memory: Memory) -> String {
    String::new()
}

#[lifecycle::hook(session_start, strenght = suggestion, text = "Hello.", description = "Says hello.", text_file = "words.md")]
struct SeveralMistakesAtOnce;

#[lifecycle::hook(session_start, text = "Hello.")]
struct StrengthMissing;

#[lifecycle::hook(session_start, strength = suggested, text = "Hello.")]
struct StrengthUnknown;

#[lifecycle::hook(session_start, strength = suggestion, text = " ")]
struct TextEmpty;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "../../../../README.md")]
struct TextFileLeavesThePackage;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "load_contxt.md")]
struct TextFileMissing;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "words.md", text = "Hello.")]
struct TextFileWithText;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
async fn text_on_a_function() -> String {
    String::new()
}

// Text over a budget.
// 4,500 characters are 13,500 bytes.
#[lifecycle::hook(post_tool_use, strength = suggestion, text_file = "text_over_a_budget.md")]
struct InBytes;

#[lifecycle::hook(pre_request, strength = suggestion, text_file = "text_over_a_budget.md")]
struct InCharacters;

// No text reaches an agent at the end of a session.
#[lifecycle::hook(session_end, strength = suggestion, text_file = "text_over_a_budget.md")]
struct AtTheEnd;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "too_long.md")]
struct TextTooLong;

#[lifecycle::hook(session_start, strength = suggestion)]
async fn too_many_arguments(_memory: &Memory, _start: &SessionStart, _limit: u8) -> String {
    String::new()
}

#[lifecycle::hook(session_start, strenght = suggestion, text = "Hello.")]
struct UnknownKey;

#[lifecycle::hook(session_start, strength = suggestion, when = always, text = "Hello.")]
struct UnknownKeyWithoutANearOne;

#[lifecycle::hook(session_start, strength, text = "Hello.")]
struct ValueMissing;

#[lifecycle::hook(session_start, strength = suggestion, text = 1)]
struct ValueOfTheWrongShape;

#[lifecycle::hook(session_start, strength = suggestion, context_tool = "recall", context_tool_args(about = [{ "{tool_input}": "{tool_name}" }]))]
struct VariableUnavailableInAnArgument;

fn main() {}
