//! rmcp's handler trait for a hooked server: delegated, with every request through one funnel.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::borrow::Cow;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
        CancelledNotificationParam, CompleteRequestParams, CompleteResult, CustomNotification,
        CustomRequest, CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse,
        GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult,
        InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ProtocolVersion, ReadResourceDirectoryRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerConfig, SetLevelRequestParams,
        SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
        UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};

use super::{
    Hooked,
    door::methods,
    rooms::gate::{Ticket, needs_handle},
    rooms::guidance::{Caller, Client, join},
    rooms::lifecycle::capability::Asked,
    rooms::lifecycle::tools,
    rooms::mcpl::declare_mcpl,
};

/// Whether a request is of protocol 2026-07-28 or later; ISO dates compare as text.
pub(super) fn is_stateless(version: Option<&ProtocolVersion>) -> bool {
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Methods that the author's server alone answers, through the funnel.
macro_rules! own_answers {
    ($($method:literal: $name:ident($params:ty) -> $result:ty;)*) => {$(
        async fn $name(
            &self,
            request: $params,
            context: RequestContext<RoleServer>,
        ) -> Result<$result, ErrorData> {
            self.answer($method, async { self.server.$name(request, context).await })
                .await
        }
    )*};
}

// A method that rmcp adds in a later version has a default that would bypass the author's server.
#[deny(clippy::missing_trait_methods)]
impl<H: ServerHandler> ServerHandler for Hooked<H> {
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.gate()?;
        let asked = Asked::of_capabilities(&request.capabilities, self.extension());
        let lift = self.came_by_wire(&context.extensions);
        let client = Client::new(&asked, &request.capabilities);
        let caller = Caller::new(client, context.peer.clone());
        let name = Some(request.client_info.name.clone());
        let greeting = self.greeting(caller, name, &context);
        let greeting = self.answer("initialize", greeting).await?;
        let link = self.meet(&request.capabilities, &context);
        let answer = async { self.server.initialize(request, context).await };
        let mut result = self.answer("initialize", answer).await?;
        self.declare(&asked, lift, &greeting, &mut result.capabilities);
        declare_mcpl(link.as_deref(), &mut result.capabilities);
        join(&mut result.instructions, greeting.instructions);
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.gate()?;
        let asked = Asked::of_request(&context, self.extension());
        let lift = self.came_by_wire(&context.extensions);
        let connection = self.connection_of(&context.extensions);
        let caller = Caller::of(&context, self.extension(), connection);
        let greeting = self.greeting(caller, None, &context);
        let greeting = self.answer("server/discover", greeting).await?;
        // Only a stream is a connection that lasts from here on.
        let client = context.client_capabilities().filter(|_| lift);
        let link = client.and_then(|client| self.meet(&client, &context));
        let answer = async { self.server.discover(context).await };
        let mut result = self.answer("server/discover", answer).await?;
        let for_client = asked.is_anywhere() && !self.hooks.declarations.is_empty();
        if for_client || !greeting.is_empty() || link.is_some() {
            result.cache_scope = CacheScope::Private;
        }
        self.declare(&asked, lift, &greeting, &mut result.capabilities);
        declare_mcpl(link.as_deref(), &mut result.capabilities);
        join(&mut result.instructions, greeting.instructions);
        Ok(result)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let observed = self.observe(&request.name, &context);
        let hook = self.hooks.tools.answering(&request.name);
        // Each way is boxed once. Another layer of futures would be moved with every call.
        let answer = match (self.stations(&mut context), hook) {
            (Err(error), _) => Err(error),
            (Ok(_), Some(hook)) => {
                if let Some(ticket) = context.extensions.get::<Ticket>() {
                    ticket.release();
                }
                let arguments = request.arguments.take().unwrap_or_default();
                let call = tools::call(hook, arguments, &*self.server);
                let call = async { Ok(call.await.into()) };
                self.answer("tools/call", call).await
            }
            (Ok((None, None)), None) => self.run_tool(request, context, None).await,
            (Ok((None, Some(guide))), None) => {
                let call = self.run_guided(guide, request, context);
                self.answer("tools/call", call).await
            }
            (Ok((Some(gate), guide)), None) => {
                let call = self.run_gated(gate, guide, request, context);
                self.answer("tools/call", call).await
            }
        };
        if let Some(observed) = observed {
            observed.ended(&answer);
        }
        answer
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = !self.hooks.tools.is_empty()
            && Asked::of_request(&context, self.extension()).is_anywhere();
        let stateless = is_stateless(context.protocol_version().as_ref());
        let by_handle = needs_handle(&context);
        let of_mcpl = self.speaks_mcpl(&context.extensions);
        let (guide, gate) = (self.guide()?, self.gate()?);
        let ours = listed
            || guide.is_some_and(|guide| guide.tools().next().is_some())
            || gate.is_some_and(|gate| gate.served_tool().is_some());
        let answer = async { self.server.list_tools(request, context).await };
        let answer = self.answer("tools/list", answer).await;
        let mut result = methods::beside_ours(answer, ours)?;
        if let (Some(guide), None) = (guide, &result.next_cursor) {
            result.tools.extend(guide.tools());
        }
        if let Some(gate) = gate {
            if result.next_cursor.is_none() {
                result.tools.extend(gate.served_tool().cloned());
            }
            if by_handle {
                gate.show_argument(&mut result.tools);
            }
        }
        if of_mcpl {
            self.show_feature_sets(&mut result, stateless);
        }
        if listed {
            if result.next_cursor.is_none() {
                result.tools.extend(self.hooks.tools.iter().cloned());
            }
            if stateless {
                result.cache_scope = Some(CacheScope::Private);
            }
        }
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.hooks
            .tools
            .get(name)
            .cloned()
            .or_else(|| self.own_tool(name))
            .or_else(|| self.gate().ok()??.served(name).cloned())
    }

    async fn on_custom_request(
        &self,
        mut request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if let Some(error) = methods::wrong_shape(&request) {
            return Err(error);
        }
        let stateless = is_stateless(context.protocol_version().as_ref());
        let method = request.method.clone();
        let of_mcpl = async { Ok(self.answer_mcpl(&mut request, &context).await) };
        let mut result = match self.answer(&method, of_mcpl).await? {
            Some(result) => CustomResult::new(result?),
            None => {
                let answer = async { self.server.on_custom_request(request, context).await };
                self.answer(&method, answer).await?
            }
        };
        if let (true, Value::Object(members)) = (stateless, &mut result.0) {
            members
                .entry("resultType")
                .or_insert_with(|| json!("complete"));
        }
        Ok(result)
    }

    // From here on the server's own answers, through the funnel.

    fn get_info(&self) -> ServerConfig {
        // rmcp asks outside the funnel, where a panic would lose an answer. `info` logs it.
        self.info().unwrap_or_default()
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.ask("initialize", || self.server.negotiate_initialize(request))?
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = || Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS);
        let versions = self.ask("supported_protocol_versions", || {
            self.server.supported_protocol_versions()
        });
        versions.unwrap_or_else(|_| known())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let filter = self.ask("subscriptions/listen", || {
            self.server.accepted_subscription_filter(requested)
        });
        filter.ok().flatten()
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.answer("ping", async { self.server.ping(context).await })
            .await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let answer = self.complete_with(request, context);
        self.answer("completion/complete", answer).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let answer = self.set_level_with(request, context);
        self.answer("logging/setLevel", answer).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let answer = self.prompt_with(request, context);
        self.answer("prompts/get", answer).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let answer = self.prompts_with(request, context);
        self.answer("prompts/list", answer).await
    }

    own_answers! {
        "resources/list": list_resources(Option<PaginatedRequestParams>) -> ListResourcesResult;
        "resources/templates/list": list_resource_templates(Option<PaginatedRequestParams>) -> ListResourceTemplatesResult;
        "resources/directory/read": read_resource_directory(ReadResourceDirectoryRequestParams) -> ListResourcesResult;
        "resources/subscribe": subscribe(SubscribeRequestParams) -> ();
        "resources/unsubscribe": unsubscribe(UnsubscribeRequestParams) -> ();
        "skills/list": list_skills(Option<PaginatedRequestParams>) -> ListSkillsResult;
        "skills/get": get_skill(GetSkillRequestParams) -> GetSkillResult;
        "tasks/get": get_task(GetTaskParams) -> GetTaskResult;
        "tasks/update": update_task(UpdateTaskParams) -> ();
        "tasks/cancel": cancel_task(CancelTaskParams) -> ();
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let answer = self.resource_with(request, context);
        self.answer("resources/read", answer).await
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.answer("subscriptions/listen", async {
            self.server.listen(context).await
        })
        .await
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        let handled = async { self.server.on_cancelled(notification, context).await };
        self.note("notifications/cancelled", handled).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        let handled = async { self.server.on_progress(notification, context).await };
        self.note("notifications/progress", handled).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let handled = async { self.server.on_initialized(context).await };
        self.note("notifications/initialized", handled).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        let handled = async { self.server.on_roots_list_changed(context).await };
        self.note("notifications/roots/list_changed", handled).await;
    }

    async fn on_custom_notification(
        &self,
        mut notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        if self.note_mcpl(&mut notification, &context.extensions) {
            return;
        }
        let method = notification.method.clone();
        let handled = async {
            self.server
                .on_custom_notification(notification, context)
                .await
        };
        self.note(&method, handled).await;
    }
}
