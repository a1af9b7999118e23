use hooks_sdk::{
    plugin::{
        AgentToolCall, AgentToolResult, CompletionFetch, CompletionResult, ForwardedRequest,
        ForwardedResponse, HttpRequest, HttpResponse, PromptFetch, PromptResult, ResourceFetch,
        ResourceResult,
    },
    prelude::*,
};

macro_rules! gate {
    ($point:ident: $payload:ty) => {
        #[plugin::hook($point, posture = deny)]
        async fn $point(_payload: &$payload, _cx: &mut PluginContext) {}
    };
}

macro_rules! points {
    ($($point:ident: $payload:ty;)+) => {$(
        #[plugin::hook($point)]
        async fn $point(_payload: &$payload, _cx: &mut PluginContext) {}
    )+};
}

points! {
    tool_pre_invoke: ToolCall;
    tool_post_invoke: ToolResult;
    prompt_pre_fetch: PromptFetch;
    prompt_post_fetch: PromptResult;
    resource_pre_fetch: ResourceFetch;
    resource_post_fetch: ResourceResult;
    completion_pre_fetch: CompletionFetch;
    completion_post_fetch: CompletionResult;
    http_pre_request: HttpRequest;
    http_post_request: HttpResponse;
    http_pre_forwarding_call: ForwardedRequest;
    http_post_forwarding_call: ForwardedResponse;
    agent_tool_post_invoke: AgentToolResult;
}

gate!(agent_tool_pre_invoke: AgentToolCall);

#[test]
fn is_accepted() {
    let registry = crate::collected::<()>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), plugin::PluginAt::ALL.len());
}
