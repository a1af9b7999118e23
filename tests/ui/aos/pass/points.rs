use std::convert::Infallible;

use hooks_sdk::{
    aos::{
        A2aMessage, AgentTrigger, AosAt, CompletedToolCall, KnowledgeStep, McpMessage, Memory,
        MessageStep,
    },
    core::Verdict,
    prelude::*,
};

#[aos::hook(agent_trigger)]
async fn at_agent_trigger(_payload: &AgentTrigger) -> Verdict<AgentTrigger> {
    Verdict::Allow
}

#[aos::hook(tool_call_request)]
async fn at_tool_call_request(_payload: &ToolCallRequest) -> Verdict<ToolCallRequest> {
    Verdict::Allow
}

#[aos::hook(tool_call_result)]
async fn at_tool_call_result(_payload: &CompletedToolCall) -> Verdict<CompletedToolCall> {
    Verdict::Allow
}

#[aos::hook(user_message)]
async fn at_user_message(_payload: &MessageStep) -> Verdict<MessageStep> {
    Verdict::Allow
}

#[aos::hook(agent_response)]
async fn at_agent_response(_payload: &MessageStep) -> Verdict<MessageStep> {
    Verdict::Allow
}

#[aos::hook(system_message)]
async fn at_system_message(_payload: &MessageStep) -> Verdict<MessageStep> {
    Verdict::Allow
}

#[aos::hook(memory_context_retrieval)]
async fn at_memory_context_retrieval(_payload: &Memory) -> Verdict<Memory> {
    Verdict::Allow
}

#[aos::hook(memory_store)]
async fn at_memory_store(_payload: &Memory) -> Verdict<Memory> {
    Verdict::Allow
}

#[aos::hook(knowledge_retrieval)]
async fn at_knowledge_retrieval(_payload: &KnowledgeStep) -> Verdict<KnowledgeStep> {
    Verdict::Allow
}

#[aos::hook(mcp)]
async fn at_mcp(_payload: &McpMessage) -> Verdict<McpMessage> {
    Verdict::Allow
}

#[aos::hook(a2a)]
async fn at_a2a(_payload: &A2aMessage) -> Verdict<A2aMessage> {
    Verdict::Allow
}

#[aos::hook(message_send)]
async fn at_message_send(_payload: &A2aMessage) -> Verdict<A2aMessage> {
    Verdict::Allow
}

#[aos::hook(message_stream)]
async fn at_message_stream(_payload: &A2aMessage) -> Verdict<A2aMessage> {
    Verdict::Allow
}

#[aos::hook(tasks_get)]
async fn at_tasks_get(_payload: &A2aMessage) -> Verdict<A2aMessage> {
    Verdict::Allow
}

#[aos::hook(tasks_cancel)]
async fn at_tasks_cancel(_payload: &A2aMessage) -> Verdict<Infallible> {
    Verdict::Allow
}

#[aos::hook(tasks_resubscribe)]
async fn at_tasks_resubscribe(_payload: &A2aMessage) -> Verdict<Infallible> {
    Verdict::Allow
}

#[aos::hook(tasks_push_notification_config_set)]
async fn at_tasks_push_notification_config_set(_payload: &A2aMessage) -> Verdict<A2aMessage> {
    Verdict::Allow
}

#[aos::hook(tasks_push_notification_config_get)]
async fn at_tasks_push_notification_config_get(_payload: &A2aMessage) -> Verdict<Infallible> {
    Verdict::Allow
}

#[test]
fn is_accepted() {
    let registry = crate::collected::<()>(file!()).unwrap();
    assert_eq!(aos::problems(&registry), []);
    for at in AosAt::ALL {
        let id = format!("aos:{0}:at_{0}", at.as_str());
        assert!(registry.get(&id).is_some(), "{id}");
    }
    assert_eq!(registry.iter().len(), AosAt::ALL.len());
}
