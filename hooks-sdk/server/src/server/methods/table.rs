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
pub(in crate::server) use points;

/// Passes the rows to a macro. Each section is for one direction.
///
/// A row of `requests` is: method, name, params and result of the request, and the handler's function; then rmcp's
/// variant and the shape of its params for error messages; then its facts. Rows of the other sections have the
/// parts that apply. The facts are: the item that the message names, the content of its answer (of a notification: its
/// own), the points of policy that a request belongs to, the generations of MCP that have it, and the reason why no middleware
/// decides about it as a whole message.
///
/// The caller needs the names of [`rmcp::model`], [`Content`](super::Content), [`List`](super::List),
/// [`Points`](super::Points) and [`Generations`](super::Generations) in scope, as far as it uses them.
macro_rules! table {
    ($with:ident) => {
        $with! {
            requests {
                "initialize": Initialize(request: InitializeRequestParams) -> InitializeResult = initialize
                    [InitializeRequest "{protocolVersion: string, capabilities: object, clientInfo: {name, version}}"]
                    [names nothing, holds Content::Handshake, points None, in Generations::Sessions,
                        exempt Some("without it there is no connection")];
                "server/discover": Discover() -> DiscoverResult = discover
                    [DiscoverRequest "{_meta: object}"]
                    [names nothing, holds Content::Handshake, points None, in Generations::Stateless,
                        exempt Some("without it there is no connection")];
                "ping": Ping() -> () = ping
                    [PingRequest "absent or an object"]
                    [names nothing, holds Content::Nothing, points None, in Generations::Sessions,
                        exempt Some("it and its answer have no content")];
                "tools/call": CallTool(request: CallToolRequestParams) -> CallToolResponse = call_tool
                    [CallToolRequest "{name: string, arguments?: object}"]
                    [names tool, holds Content::Tool, points Some(Points::Tool),
                        in Generations::Both, exempt None];
                "tools/list": ListTools(request: Option<PaginatedRequestParams>) -> ListToolsResult = list_tools
                    [ListToolsRequest "{cursor?: string}"]
                    [names nothing, holds Content::List(List::Tools), points None,
                        in Generations::Both, exempt None];
                "prompts/get": GetPrompt(request: GetPromptRequestParams) -> GetPromptResponse = get_prompt
                    [GetPromptRequest "{name: string, arguments?: object}"]
                    [names prompt, holds Content::Prompt, points Some(Points::Prompt),
                        in Generations::Both, exempt None];
                "prompts/list": ListPrompts(request: Option<PaginatedRequestParams>) -> ListPromptsResult = list_prompts
                    [ListPromptsRequest "{cursor?: string}"]
                    [names nothing, holds Content::List(List::Prompts), points None,
                        in Generations::Both, exempt None];
                "resources/read": ReadResource(request: ReadResourceRequestParams) -> ReadResourceResponse = read_resource
                    [ReadResourceRequest "{uri: string}"]
                    [names resource, holds Content::Resource, points Some(Points::Resource),
                        in Generations::Both, exempt None];
                "resources/list": ListResources(request: Option<PaginatedRequestParams>) -> ListResourcesResult = list_resources
                    [ListResourcesRequest "{cursor?: string}"]
                    [names nothing, holds Content::List(List::Resources), points None,
                        in Generations::Both, exempt None];
                "resources/templates/list": ListResourceTemplates(request: Option<PaginatedRequestParams>)
                        -> ListResourceTemplatesResult = list_resource_templates
                    [ListResourceTemplatesRequest "{cursor?: string}"]
                    [names nothing, holds Content::List(List::ResourceTemplates), points None,
                        in Generations::Both, exempt None];
                "resources/directory/read": ReadResourceDirectory(request: ReadResourceDirectoryRequestParams)
                        -> ListResourcesResult = read_resource_directory
                    [ReadResourceDirectoryRequest "{uri: string, cursor?: string}"]
                    [names resource, holds Content::List(List::Directory), points Some(Points::Resource),
                        in Generations::Both, exempt None];
                "resources/subscribe": Subscribe(request: SubscribeRequestParams) -> () = subscribe
                    [SubscribeRequest "{uri: string}"]
                    [names resource, holds Content::Nothing, points Some(Points::Resource),
                        in Generations::Sessions, exempt None];
                "resources/unsubscribe": Unsubscribe(request: UnsubscribeRequestParams) -> () = unsubscribe
                    [UnsubscribeRequest "{uri: string}"]
                    [names resource, holds Content::Nothing, points None,
                        in Generations::Sessions, exempt None];
                "completion/complete": Complete(request: CompleteRequestParams) -> CompleteResult = complete
                    [CompleteRequest "{ref: object, argument: {name: string, value: string}}"]
                    [names reference, holds Content::Completion, points Some(Points::Completion),
                        in Generations::Both, exempt None];
                "logging/setLevel": SetLevel(request: SetLevelRequestParams) -> () = set_level
                    [SetLevelRequest "{level: string}"]
                    [names nothing, holds Content::Nothing, points None,
                        in Generations::Sessions, exempt None];
                "skills/list": ListSkills(request: Option<PaginatedRequestParams>) -> ListSkillsResult = list_skills
                    [ListSkillsRequest "{cursor?: string}"]
                    [names nothing, holds Content::List(List::Skills), points None,
                        in Generations::Both, exempt None];
                "skills/get": GetSkill(request: GetSkillRequestParams) -> GetSkillResult = get_skill
                    [GetSkillRequest "{uri: string}"]
                    [names resource, holds Content::Skill, points Some(Points::Resource),
                        in Generations::Both, exempt None];
                "tasks/get": GetTask(request: GetTaskParams) -> GetTaskResult = get_task
                    [GetTaskRequest "{taskId: string}"]
                    [names task, holds Content::Task, points None, in Generations::Both, exempt None];
                "tasks/update": UpdateTask(request: UpdateTaskParams) -> () = update_task
                    [UpdateTaskRequest "{taskId: string, inputResponses: object}"]
                    [names task, holds Content::Nothing, points None, in Generations::Both, exempt None];
                "tasks/cancel": CancelTask(request: CancelTaskParams) -> () = cancel_task
                    [CancelTaskRequest "{taskId: string}"]
                    [names task, holds Content::Nothing, points None, in Generations::Both, exempt None];
            }
            // rmcp answers this request itself, and asks the handler for the filter and for the notifications.
            listen {
                "subscriptions/listen"
                    [SubscriptionsListenRequest "{notifications: object}"]
                    [names resources, holds Content::Nothing, points Some(Points::Resource),
                        in Generations::Stateless, exempt None];
            }
            custom {
                "a custom method": Custom(request: CustomRequest) -> CustomResult = on_custom_request;
            }
            client_notifications {
                "notifications/initialized" [InitializedNotification]
                    [names nothing, holds Content::Nothing, in Generations::Sessions, exempt None];
                "notifications/cancelled" [CancelledNotification]
                    [names nothing, holds Content::Nothing, in Generations::Both,
                        exempt Some("without it no request can be ended")];
                "notifications/progress" [ProgressNotification]
                    [names nothing, holds Content::Text, in Generations::Both, exempt None];
                "notifications/roots/list_changed" [RootsListChangedNotification]
                    [names nothing, holds Content::Nothing, in Generations::Sessions, exempt None];
            }
            server_requests {
                "ping" [PingRequest]
                    [names nothing, holds Content::Nothing, in Generations::Sessions,
                        exempt Some("it and its answer have no content")];
                "sampling/createMessage" [CreateMessageRequest]
                    [names nothing, holds Content::Text, in Generations::Both, exempt None];
                "roots/list" [ListRootsRequest]
                    [names nothing, holds Content::Text, in Generations::Both, exempt None];
                "elicitation/create" [ElicitRequest]
                    [names nothing, holds Content::Text, in Generations::Both, exempt None];
            }
            server_notifications {
                "notifications/cancelled" [CancelledNotification]
                    [names nothing, holds Content::Nothing, in Generations::Both,
                        exempt Some("without it no request can be ended")];
                "notifications/progress" [ProgressNotification]
                    [names nothing, holds Content::Text, in Generations::Both, exempt None];
                "notifications/message" [LoggingMessageNotification]
                    [names nothing, holds Content::Text, in Generations::Both, exempt None];
                "notifications/resources/updated" [ResourceUpdatedNotification]
                    [names resource, holds Content::Nothing, in Generations::Both, exempt None];
                "notifications/resources/list_changed" [ResourceListChangedNotification]
                    [names nothing, holds Content::Nothing, in Generations::Both, exempt None];
                "notifications/tools/list_changed" [ToolListChangedNotification]
                    [names nothing, holds Content::Nothing, in Generations::Both, exempt None];
                "notifications/prompts/list_changed" [PromptListChangedNotification]
                    [names nothing, holds Content::Nothing, in Generations::Both, exempt None];
                "notifications/subscriptions/acknowledged" [SubscriptionsAcknowledgedNotification]
                    [names resources, holds Content::Nothing, in Generations::Stateless, exempt None];
                "notifications/tasks" [TaskStatusNotification]
                    [names task, holds Content::Task, in Generations::Both, exempt None];
            }
        }
    };
}
pub(in crate::server) use table;
