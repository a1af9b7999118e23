use hooks_sdk::{aos::A2aMessage, core::Verdict, prelude::*};
use rmcp::{tool, tool_router};

struct Policy;

struct Memory;

#[aos::hook(tasks_cancel)]
async fn answer_that_changes_what_nobody_may_change(_policy: &Policy, task: &A2aMessage) -> Verdict<A2aMessage> {
    Verdict::Modify(task.clone())
}

#[aos::hook(tool_call_request)]
async fn argument_behind_the_context(_policy: &Policy, _cx: &StepInfo, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn context_mutable(_policy: &Policy, _cx: &mut StepInfo) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

#[tool_router]
#[hooks_sdk::hooks]
impl Memory {
    #[aos::knowledge(content = "args.rows[*].text")]
    #[tool(description = "Edits.")]
    async fn knowledge_content_of_the_arguments(&self) -> String {
        String::new()
    }

    #[aos::knowledge(query = "args.q = \"x\"")]
    #[tool(description = "Edits.")]
    async fn knowledge_path_with_a_test(&self) -> String {
        String::new()
    }

    #[aos::memory_store(content = "result.content")]
    #[tool(description = "Edits.")]
    async fn memory_store_content_of_the_result(&self) -> String {
        String::new()
    }

    #[aos::memory_store(content = "args")]
    #[tool(description = "Edits.")]
    async fn memory_store_of_all_arguments(&self) -> String {
        String::new()
    }
}

#[aos::hook(tool_call_request, posture = proceed)]
async fn posture(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

#[aos::hook(tool_call_request, tags("pci", ""))]
async fn tag_empty(_policy: &Policy, _call: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

fn main() {}
