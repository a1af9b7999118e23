//! The methods of MCP: one row for each message that has a name.

/// Passes the points of policy to a macro: the kind of items, and the type that turns its requests into payloads. A type with a
/// file of its own in `middleware/plugin` is followed by its name.
macro_rules! points {
    ($with:ident) => {
        $with! {
            Tool Tools;
            Prompt Prompts;
            Resource Resources;
            Completion Completions in completion;
        }
    };
}
pub(crate) use points;

/// Passes the rows to a macro. Each section is for one direction.
///
/// A row of `requests` is: method, name, params and result of the request, and the handler's function; then rmcp's
/// variant and the shape of its params for error messages; then its facts. Rows of the other sections have the
/// parts that apply. The facts are: the item that the message names, the content of its answer (of a notification: its
/// own), the generations of MCP that have it, the points of policy to which a request belongs, if it belongs to any, and the
/// reason why no middleware decides about it as a whole message, if none does.
///
/// The caller needs the names of [`rmcp::model`], [`Content`](super::Content) and [`List`](super::List) in scope, as far as it
/// uses them.
macro_rules! table {
    ($with:ident) => {
        $with! {
            requests {
                "initialize": Initialize(request: InitializeRequestParams) -> InitializeResult = initialize
                    [InitializeRequest "{protocolVersion: string, capabilities: object, clientInfo: {name, version}}"]
                    [names Nothing, holds Content::Handshake, in Sessions, exempt "without it there is no connection"];
                "server/discover": Discover() -> DiscoverResult = discover
                    [DiscoverRequest "{_meta: object}"]
                    [names Nothing, holds Content::Handshake, in Stateless, exempt "without it there is no connection"];
                "ping": Ping() -> () = ping
                    [PingRequest "absent or an object"]
                    [names Nothing, holds Content::Nothing, in Sessions, exempt "it and its answer have no content"];
                "tools/call": CallTool(request: CallToolRequestParams) -> CallToolResponse = call_tool
                    [CallToolRequest "{name: string, arguments?: object}"] [names Tool, holds Content::Tool, in Both, points Tool];
                "tools/list": ListTools(request: Option<PaginatedRequestParams>) -> ListToolsResult = list_tools
                    [ListToolsRequest "{cursor?: string}"] [names Nothing, holds Content::List(List::Tools), in Both];
                "prompts/get": GetPrompt(request: GetPromptRequestParams) -> GetPromptResponse = get_prompt
                    [GetPromptRequest "{name: string, arguments?: object}"]
                    [names Prompt, holds Content::Prompt, in Both, points Prompt];
                "prompts/list": ListPrompts(request: Option<PaginatedRequestParams>) -> ListPromptsResult = list_prompts
                    [ListPromptsRequest "{cursor?: string}"] [names Nothing, holds Content::List(List::Prompts), in Both];
                "resources/read": ReadResource(request: ReadResourceRequestParams) -> ReadResourceResponse = read_resource
                    [ReadResourceRequest "{uri: string}"] [names Resource, holds Content::Resource, in Both, points Resource];
                "resources/list": ListResources(request: Option<PaginatedRequestParams>) -> ListResourcesResult = list_resources
                    [ListResourcesRequest "{cursor?: string}"] [names Nothing, holds Content::List(List::Resources), in Both];
                "resources/templates/list": ListResourceTemplates(request: Option<PaginatedRequestParams>)
                        -> ListResourceTemplatesResult = list_resource_templates
                    [ListResourceTemplatesRequest "{cursor?: string}"]
                    [names Nothing, holds Content::List(List::ResourceTemplates), in Both];
                "resources/directory/read": ReadResourceDirectory(request: ReadResourceDirectoryRequestParams)
                        -> ListResourcesResult = read_resource_directory
                    [ReadResourceDirectoryRequest "{uri: string, cursor?: string}"]
                    [names Resource, holds Content::List(List::Directory), in Both, points Resource];
                "resources/subscribe": Subscribe(request: SubscribeRequestParams) -> () = subscribe
                    [SubscribeRequest "{uri: string}"] [names Resource, holds Content::Nothing, in Sessions, points Resource];
                "resources/unsubscribe": Unsubscribe(request: UnsubscribeRequestParams) -> () = unsubscribe
                    [UnsubscribeRequest "{uri: string}"] [names Resource, holds Content::Nothing, in Sessions];
                "completion/complete": Complete(request: CompleteRequestParams) -> CompleteResult = complete
                    [CompleteRequest "{ref: object, argument: {name: string, value: string}}"]
                    [names Reference, holds Content::Completion, in Both, points Completion];
                "logging/setLevel": SetLevel(request: SetLevelRequestParams) -> () = set_level
                    [SetLevelRequest "{level: string}"] [names Nothing, holds Content::Nothing, in Sessions];
                "skills/list": ListSkills(request: Option<PaginatedRequestParams>) -> ListSkillsResult = list_skills
                    [ListSkillsRequest "{cursor?: string}"] [names Nothing, holds Content::List(List::Skills), in Both];
                "skills/get": GetSkill(request: GetSkillRequestParams) -> GetSkillResult = get_skill
                    [GetSkillRequest "{uri: string}"] [names Resource, holds Content::Skill, in Both, points Resource];
                "tasks/get": GetTask(request: GetTaskParams) -> GetTaskResult = get_task
                    [GetTaskRequest "{taskId: string}"] [names Task, holds Content::Task, in Both];
                "tasks/update": UpdateTask(request: UpdateTaskParams) -> () = update_task
                    [UpdateTaskRequest "{taskId: string, inputResponses: object}"] [names Task, holds Content::Nothing, in Both];
                "tasks/cancel": CancelTask(request: CancelTaskParams) -> () = cancel_task
                    [CancelTaskRequest "{taskId: string}"] [names Task, holds Content::Nothing, in Both];
            }
            // rmcp answers this request itself, and asks the handler for the filter and for the notifications.
            listen {
                "subscriptions/listen"
                    [SubscriptionsListenRequest "{notifications: object}"]
                    [names Resources, holds Content::Nothing, in Stateless, points Resource];
            }
            custom {
                "a custom method": Custom(request: CustomRequest) -> CustomResult = on_custom_request;
            }
            client_notifications {
                "notifications/initialized" [InitializedNotification] [names Nothing, holds Content::Nothing, in Sessions];
                "notifications/cancelled" [CancelledNotification]
                    [names Nothing, holds Content::Nothing, in Both, exempt "without it no request can be ended"];
                "notifications/progress" [ProgressNotification] [names Nothing, holds Content::Text, in Both];
                "notifications/roots/list_changed" [RootsListChangedNotification]
                    [names Nothing, holds Content::Nothing, in Sessions];
            }
            server_requests {
                "ping" [PingRequest]
                    [names Nothing, holds Content::Nothing, in Sessions, exempt "it and its answer have no content"];
                "sampling/createMessage" [CreateMessageRequest] [names Nothing, holds Content::Text, in Both];
                "roots/list" [ListRootsRequest] [names Nothing, holds Content::Text, in Both];
                "elicitation/create" [ElicitRequest] [names Nothing, holds Content::Text, in Both];
            }
            server_notifications {
                "notifications/cancelled" [CancelledNotification]
                    [names Nothing, holds Content::Nothing, in Both, exempt "without it no request can be ended"];
                "notifications/progress" [ProgressNotification] [names Nothing, holds Content::Text, in Both];
                "notifications/message" [LoggingMessageNotification] [names Nothing, holds Content::Text, in Both];
                "notifications/resources/updated" [ResourceUpdatedNotification] [names Resource, holds Content::Nothing, in Both];
                "notifications/resources/list_changed" [ResourceListChangedNotification]
                    [names Nothing, holds Content::Nothing, in Both];
                "notifications/tools/list_changed" [ToolListChangedNotification] [names Nothing, holds Content::Nothing, in Both];
                "notifications/prompts/list_changed" [PromptListChangedNotification]
                    [names Nothing, holds Content::Nothing, in Both];
                "notifications/subscriptions/acknowledged" [SubscriptionsAcknowledgedNotification]
                    [names Resources, holds Content::Nothing, in Stateless];
                "notifications/tasks" [TaskStatusNotification] [names Task, holds Content::Task, in Both];
            }
        }
    };
}
pub(crate) use table;

/// A part of a row that other rows leave out.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}
pub(crate) use optional;
