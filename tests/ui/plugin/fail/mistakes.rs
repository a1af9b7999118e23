use hooks_sdk::{
    core::{HookError, Verdict},
    plugin::{AgentToolCall, Listed, ListedItem, Plugin, PluginHooks},
    prelude::*,
};

struct Memory;

#[plugin::hook(tool_post_invoke, when(args.path), deny = "no")]
struct ConditionArgsAfterTheCall;

#[plugin::hook(tool_pre_invoke, unless(args.path = inside("/srv/../data")), deny = "no")]
struct ConditionFolderWithDots;

#[plugin::hook(tool_pre_invoke, when(args.mode = ["a", "[b-a]"]), deny = "no")]
struct ConditionGlobMalformed;

#[plugin::hook(tool_pre_invoke, when(args.count = 10..10), deny = "no")]
struct ConditionRangeEmpty;

#[plugin::hook(tool_pre_invoke, when(arg.path = "/etc/**"), deny = "no")]
struct ConditionRootMisspelt;

#[plugin::hook(tool_pre_invoke)]
async fn context_shared(_memory: &Memory, _call: &ToolCall, _cx: &PluginContext) {}

#[plugin::hook(tool_pre_invoke, deadline = "500")]
async fn deadline_without_a_unit(_memory: &Memory, _call: &ToolCall) {}

#[plugin::hook(tool_pre_invoke, deny = "")]
struct DenyEmpty;

#[plugin::hook(agent_tool_post_invoke, deny = "too late")]
struct GateAfterTheCall;

#[plugin::hook(agent_tool_pre_invoke, posture = deny, deadline = "3s")]
async fn gate_deadline_too_long(_call: &AgentToolCall) {}

#[plugin::hook(agent_tool_pre_invoke, posture = proceed, mode = fire_and_forget)]
async fn gate_fire_and_forget(_call: &AgentToolCall) {}

#[plugin::hook(agent_tool_pre_invoke, kind = [shell, shell_input], deny = "no shell", posture = deny)]
struct GateOfAKindThatNoClientHolds;

#[plugin::hook(agent_tool_pre_invoke, kind = shell, deny = "no shell")]
struct GateWithoutPosture;

struct KindMalformed;

#[plugin(kind = "Grey List")]
impl Plugin for KindMalformed {
    type Config = ();

    fn new((): ()) -> Result<KindMalformed, HookError> {
        Ok(KindMalformed)
    }

    fn hooks() -> PluginHooks<KindMalformed> {
        PluginHooks::new()
    }
}

#[plugin::hook(tool_pre_invoke, kind = shell, deny = "not now")]
struct KindOfNoGate;

#[plugin(kind = "greylist")]
struct KindOnAStruct;

struct KindOnAnotherTrait;

#[plugin(kind = "greylist")]
impl Clone for KindOnAnotherTrait {
    fn clone(&self) -> KindOnAnotherTrait {
        KindOnAnotherTrait
    }
}

#[plugin::list(tools)]
async fn list_async(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

#[plugin::list(tools)]
fn list_generic<T>(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

#[plugin::list(prompts, tool = "admin_*")]
fn list_item_of_another_list(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

// List on a method.
impl Memory {
    #[plugin::list(tools)]
    fn hide(&self, _tool: &ListedItem) -> Listed {
        Listed::Hidden
    }
}

#[plugin::list(tools)]
struct ListOnAStruct;

#[plugin::list(tools)]
fn list_with_a_server(_memory: &u8, _tool: &ListedItem) -> Listed {
    Listed::Hidden
}

#[plugin::list(tools)]
fn list_without_an_item() -> Listed {
    Listed::Hidden
}

#[plugin::hook(tool_pre_invoke, mode = sequential)]
async fn mode_of_a_file(_memory: &Memory, _call: &ToolCall) {}

#[plugin::hook(tool_pre_invoke, mode = permissive, posture = proceed)]
async fn permissive_with_posture(_memory: &Memory, _call: &ToolCall) {}

#[plugin::hook(tool_pre_invoke, deny = "not now", posture = deny)]
struct PostureOfNoGate;

#[plugin::hook(tool_pre_invoke)]
async fn question_without_a_message(_memory: &Memory, _call: &ToolCall) -> Verdict<ToolCall, Question> {
    Verdict::Ask(Question::confirm(" "))
}

#[plugin::hook(tool_pre_invoke)]
async fn too_many_arguments(_memory: &Memory, _call: &ToolCall, _cx: &mut PluginContext, _more: &u8) {}

#[plugin::hook(tool_pre_invoke, tool = delete)]
async fn tool_a_word(_memory: &Memory, _call: &ToolCall) {}

// Tool and hook on one method.
#[hooks_sdk::hooks]
impl Memory {
    #[plugin::hook(tool_pre_invoke)]
    #[rmcp::tool(description = "Edits.")]
    async fn edit(&self) -> String {
        String::new()
    }
}

#[plugin::hook(prompt_pre_fetch, tool = "delete_*")]
async fn tool_at_a_prompt_point(_memory: &Memory) {}

#[plugin::hook(tool_pre_invoke, tool = ["read", "delete_["])]
async fn tool_malformed(_memory: &Memory, _call: &ToolCall) {}

#[plugin::hook(tool_pre_invoke, when(), deny = "no")]
struct WhenEmpty;

#[plugin::hook(tool_pre_invoke, when = args.path, deny = "no")]
struct WhenWithoutBrackets;

#[plugin::hook(tool_pre_invoke, writable(args, result))]
async fn writable_field_of_another_point(_memory: &Memory, _call: &ToolCall) {}

fn main() {}
