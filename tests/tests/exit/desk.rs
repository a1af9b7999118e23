//! A server that relays what a test gives it, as another server's answers.

use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

use hooks_sdk::{
    Collected, Hooked,
    core::Registry,
    plugin::PluginHook,
    rmcp::{
        ErrorData, RoleServer, ServerHandler,
        model::{
            CallToolRequestParams, CallToolResponse, CallToolResult, CancelledNotificationParam,
            ClientResult, CompleteRequestParams, CompleteResult, ContentBlock, CreateTaskResult,
            CustomNotification, CustomRequest, CustomResult, ElicitRequest, GetPromptRequestParams,
            GetPromptResponse, GetPromptResult, GetTaskParams, GetTaskResult, InputRequiredResult,
            InputResponses, ListResourcesResult, ListToolsResult, NumberOrString,
            PaginatedRequestParams, ProgressNotificationParam, ProgressToken,
            ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
            ServerCapabilities, ServerConfig, ServerNotification, ServerRequest,
            SubscriptionFilter, TaskStatusNotification,
        },
        service::{
            NotificationContext, OriginatingRequestId, PeerRequestOptions, RequestContext,
            SubscriptionContext,
        },
    },
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::{sync::Semaphore, time::Instant};

/// What no client may read.
pub(crate) const SECRET: &str = "sk-secret";

#[derive(Clone)]
pub(crate) struct Desk {
    /// The next answer: an object with `error`, or a result.
    next: Arc<Mutex<Value>>,
    /// The resources in its list.
    resources: Arc<Mutex<Vec<Resource>>>,
    /// One permit for each slow call that has begun, and one to let it end.
    pub(crate) begun: Arc<Semaphore>,
    pub(crate) leave: Arc<Semaphore>,
    /// When the token of the first `hang` was cancelled, and when its future was dropped.
    pub(crate) cancelled: Arc<OnceLock<Instant>>,
    pub(crate) dropped: Arc<OnceLock<Instant>>,
    /// How many notifications of clients arrived, but for the one that ends a handshake.
    pub(crate) told: Arc<AtomicUsize>,
    /// The user's answers that the last item named `inputs` received, or the reason of the last cancellation.
    heard: Arc<Mutex<Value>>,
}

impl Default for Desk {
    fn default() -> Desk {
        Desk {
            next: Arc::default(),
            resources: Arc::default(),
            begun: Arc::new(Semaphore::new(0)),
            leave: Arc::new(Semaphore::new(0)),
            cancelled: Arc::default(),
            dropped: Arc::default(),
            told: Arc::default(),
            heard: Arc::default(),
        }
    }
}

struct Dropped(Arc<OnceLock<Instant>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        _ = self.0.set(Instant::now());
    }
}

impl Desk {
    pub(crate) fn relays(&self, answer: Value) {
        *self.next.lock().unwrap() = answer;
    }

    pub(crate) fn lists(&self, resources: Value) {
        *self.resources.lock().unwrap() = serde_json::from_value(resources).unwrap();
    }

    /// What arrived, or `null`. It is forgotten.
    pub(crate) fn heard(&self) -> Value {
        self.heard.lock().unwrap().take()
    }

    fn hears(&self, responses: Option<InputResponses>) {
        *self.heard.lock().unwrap() = json!(responses);
    }

    fn next<T: DeserializeOwned>(&self) -> Result<T, ErrorData> {
        let mut next = self.next.lock().unwrap().clone();
        let is_task = next.get("taskId").is_some();
        match next.get_mut("error").filter(|_| !is_task) {
            Some(error) => Err(serde_json::from_value(error.take()).unwrap()),
            None => Ok(serde_json::from_value(next).unwrap()),
        }
    }

    fn is_question(&self) -> bool {
        self.next.lock().unwrap()["resultType"] == "input_required"
    }

    async fn slow(&self) -> Result<(), ErrorData> {
        self.begun.add_permits(1);
        self.leave.acquire().await.unwrap().forget();
        Ok(())
    }

    async fn hang<T>(&self, cx: &RequestContext<RoleServer>) -> Result<T, ErrorData> {
        let _dropped = Dropped(self.dropped.clone());
        self.begun.add_permits(1);
        cx.ct.cancelled().await;
        _ = self.cancelled.set(Instant::now());
        std::future::pending().await
    }
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tasks();
        let mut capabilities = capabilities.build();
        let own = json!({"hooks-sdk/lift": {"tools": {"listChanged": true}}, "own": {}});
        capabilities.experimental = serde_json::from_value(own).unwrap();
        ServerConfig::new(capabilities)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = |text: &str| CallToolResult::success(vec![ContentBlock::text(text)]).into();
        match &*request.name {
            "slow" => {
                self.slow().await?;
                Ok(said(SECRET))
            }
            "tell" => {
                let task = self.next()?;
                let told = TaskStatusNotification::new(task);
                let told = ServerNotification::TaskStatusNotification(told);
                cx.peer.send_notification(told).await.unwrap();
                Ok(said("told"))
            }
            "loose" => {
                let next = self.next.lock().unwrap().clone();
                tells(next, &cx).await;
                Ok(said("told"))
            }
            "hang" => self.hang(&cx).await,
            asks @ ("ask" | "ask_beside" | "ask_beside_for_the_call") => {
                let schema = json!({"type": "object", "properties": {}});
                let params = json!({"mode": "form", "message": "well?", "requestedSchema": schema});
                let params = serde_json::from_value(params).unwrap();
                let mut request = ElicitRequest::new(params);
                if asks == "ask_beside_for_the_call" {
                    let call = OriginatingRequestId(cx.id.clone());
                    request.extensions.insert(call);
                }
                let request = ServerRequest::ElicitRequest(request);
                let peer = cx.peer.clone();
                let answer = match asks {
                    "ask" => peer.send_request(request).await,
                    _ => tokio::spawn(async move { peer.send_request(request).await })
                        .await
                        .unwrap(),
                };
                Ok(said(match answer {
                    Ok(ClientResult::ElicitResult(_)) => "answered",
                    _ => "not answered",
                }))
            }
            "work" => {
                let token = cx.meta.get_progress_token();
                let token = token.unwrap_or(ProgressToken(NumberOrString::Number(0)));
                for step in 1..=6 {
                    self.slow().await?;
                    let progress = ProgressNotificationParam::new(token.clone(), f64::from(step));
                    cx.peer.notify_progress(progress).await.unwrap();
                }
                Ok(said("worked"))
            }
            _ if self.is_question() => Ok(self.next::<InputRequiredResult>()?.into()),
            "inputs" => {
                self.hears(request.input_responses);
                Ok(said("heard"))
            }
            "task" => Ok(self.next::<CreateTaskResult>()?.into()),
            _ => Ok(self.next::<CallToolResult>()?.into()),
        }
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match &*request.name {
            "slow" => {
                self.slow().await?;
                Err(ErrorData::internal_error(SECRET, None))
            }
            _ if self.is_question() => Ok(self.next::<InputRequiredResult>()?.into()),
            "inputs" => {
                self.hears(request.input_responses);
                let none: GetPromptResult =
                    serde_json::from_value(json!({"messages": []})).unwrap();
                Ok(none.into())
            }
            _ => Ok(self.next::<GetPromptResult>()?.into()),
        }
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match &*request.uri {
            "x:slow" => {
                self.slow().await?;
                Err(ErrorData::internal_error(SECRET, None))
            }
            _ if self.is_question() => Ok(self.next::<InputRequiredResult>()?.into()),
            "x:inputs" => {
                self.hears(request.input_responses);
                Ok(ReadResourceResult::new(Vec::new()).into())
            }
            _ => Ok(self.next::<ReadResourceResult>()?.into()),
        }
    }

    async fn on_cancelled(
        &self,
        cancelled: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        *self.heard.lock().unwrap() = json!({"reason": cancelled.reason});
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.resources.lock().unwrap().clone();
        Ok(ListResourcesResult::with_all_items(resources))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted().resource_subscriptions.clone();
        for uri in accepted.into_iter().flatten() {
            context.sink().notify_resource_updated(uri).await.unwrap();
        }
        Ok(())
    }

    async fn get_task(
        &self,
        _: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.next()
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleServer>) {
        self.told.fetch_add(1, Ordering::SeqCst);
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.told.fetch_add(1, Ordering::SeqCst);
    }

    async fn on_custom_notification(
        &self,
        _: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        self.told.fetch_add(1, Ordering::SeqCst);
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match &*request.argument.value {
            "slow" => {
                self.slow().await?;
                Err(ErrorData::internal_error(SECRET, None))
            }
            "hang" => self.hang(&cx).await,
            _ => self.next(),
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // The SDK reads the list by itself, too.
        if self.next.lock().unwrap().get("error").is_none() {
            return Ok(ListToolsResult::default());
        }
        self.next()
    }

    async fn on_custom_request(
        &self,
        _: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.next().map(CustomResult::new)
    }
}

/// Sends what belongs to no result: a notification, or a request of the server whose answer nobody waits for.
async fn tells(mut message: Value, cx: &RequestContext<RoleServer>) {
    if message["method"] == "notifications/progress" {
        let token = cx.meta.get_progress_token();
        let token = token.unwrap_or(ProgressToken(NumberOrString::Number(0)));
        message["params"]["progressToken"] = json!(token);
    }
    if message["request"] == true {
        let request: ServerRequest = serde_json::from_value(message).unwrap();
        let options = PeerRequestOptions::no_options();
        _ = cx.peer.send_cancellable_request(request, options).await;
        // The tool's answer comes behind it.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        return;
    }
    let told = match message["custom"].take() {
        Value::Null => serde_json::from_value(message).unwrap(),
        _ => {
            let method = message["method"].as_str().unwrap().to_owned();
            let told = CustomNotification::new(method, Some(message["params"].take()));
            ServerNotification::CustomNotification(told)
        }
    };
    cx.peer.send_notification(told).await.unwrap();
}

pub(crate) fn with(desk: &Desk, hooks: impl IntoIterator<Item = PluginHook>) -> Hooked<Desk> {
    let registry = hooks
        .into_iter()
        .fold(Registry::builder(), |registry, hook| {
            registry.add(hook.into())
        });
    let registry = registry.build().expect("sound hooks");
    let collected = Collected::of(registry).expect("sound hooks");
    collected.wrap(desk.clone()).expect("a sound server")
}

pub(crate) fn cleaned(desk: &Desk) -> Hooked<Desk> {
    with(desk, crate::cleaners::cleaners())
}
