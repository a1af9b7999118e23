//! Every request that a client may send, and its answer: one table for the stations, the author's server and the
//! handler.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::borrow::Cow;

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
        CompleteResult, CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams,
        GetPromptResponse, GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult,
        InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceDirectoryRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams, UpdateTaskParams,
    },
};

/// Passes the table of requests to a macro: the method, name, params and result of each request, and the handler's
/// function for it.
///
/// The caller needs the names of [`rmcp::model`] in scope.
macro_rules! requests {
    ($with:ident) => {
        $with! {
            "initialize": Initialize(request: InitializeRequestParams) -> InitializeResult = initialize;
            "server/discover": Discover() -> DiscoverResult = discover;
            "ping": Ping() -> () = ping;
            "tools/call": CallTool(request: CallToolRequestParams) -> CallToolResponse = call_tool;
            "tools/list": ListTools(request: Option<PaginatedRequestParams>) -> ListToolsResult = list_tools;
            "prompts/get": GetPrompt(request: GetPromptRequestParams) -> GetPromptResponse = get_prompt;
            "prompts/list": ListPrompts(request: Option<PaginatedRequestParams>) -> ListPromptsResult = list_prompts;
            "resources/read": ReadResource(request: ReadResourceRequestParams) -> ReadResourceResponse = read_resource;
            "resources/list": ListResources(request: Option<PaginatedRequestParams>) -> ListResourcesResult = list_resources;
            "resources/templates/list": ListResourceTemplates(request: Option<PaginatedRequestParams>) -> ListResourceTemplatesResult = list_resource_templates;
            "resources/directory/read": ReadResourceDirectory(request: ReadResourceDirectoryRequestParams) -> ListResourcesResult = read_resource_directory;
            "resources/subscribe": Subscribe(request: SubscribeRequestParams) -> () = subscribe;
            "resources/unsubscribe": Unsubscribe(request: UnsubscribeRequestParams) -> () = unsubscribe;
            "completion/complete": Complete(request: CompleteRequestParams) -> CompleteResult = complete;
            "logging/setLevel": SetLevel(request: SetLevelRequestParams) -> () = set_level;
            "skills/list": ListSkills(request: Option<PaginatedRequestParams>) -> ListSkillsResult = list_skills;
            "skills/get": GetSkill(request: GetSkillRequestParams) -> GetSkillResult = get_skill;
            "tasks/get": GetTask(request: GetTaskParams) -> GetTaskResult = get_task;
            "tasks/update": UpdateTask(request: UpdateTaskParams) -> () = update_task;
            "tasks/cancel": CancelTask(request: CancelTaskParams) -> () = cancel_task;
            "a custom method": Custom(request: CustomRequest) -> CustomResult = on_custom_request;
        }
    };
}
pub(in crate::server) use requests;

macro_rules! enums {
    ($($method:literal: $kind:ident($($request:ident: $params:ty)?) -> $result:ty = $function:ident;)*) => {
        /// A request, with its params as rmcp reads them.
        #[derive(Debug)]
        pub(in crate::server) enum Asked {
            $($kind($($params)?),)*
        }

        /// The answer to a request of the same name.
        #[derive(Debug)]
        pub(in crate::server) enum Answer {
            $($kind($result),)*
        }

        impl Asked {
            pub(super) fn name(&self) -> &'static str {
                match self {
                    $(Asked::$kind(..) => $method,)*
                }
            }
        }
    };
}
requests!(enums);

impl Asked {
    /// Returns the method of the request.
    pub(in crate::server) fn method(&self) -> Cow<'static, str> {
        match self {
            Asked::Custom(request) => Cow::Owned(request.method.clone()),
            other => Cow::Borrowed(other.name()),
        }
    }
}

/// Returns and logs the error for an answer that belongs to another kind of request.
pub(in crate::server) fn misplaced(method: &str) -> ErrorData {
    tracing::error!(
        method,
        "a station answered with the result of another method"
    );
    ErrorData::internal_error(
        format!("the server failed while it answered `{method}`; its log says why"),
        None,
    )
}
