//! The author's server: each request names a plan by its number, and the plan says where the answer has the secret.

use std::sync::{Arc, Mutex};

use hooks_sdk::mcpl::{self, wire::StateUpdate};
use hooks_sdk::rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CreateTaskResult, CustomNotification, CustomRequest, CustomResult, GetPromptRequestParams,
        GetPromptResponse, GetTaskParams, GetTaskResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
        SubscribeRequestParams, Tool,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use crate::{
    output::Output,
    results::{self, read},
    secret::{Form, HIDDEN},
    tells,
};

/// What a request is answered with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) output: Output,
    pub(crate) form: Form,
    /// Whether the answer waits until the test lets it go.
    pub(crate) held: bool,
    /// How many turns of other tasks the answer takes then.
    pub(crate) turns: u8,
}

#[derive(Clone)]
pub(crate) struct Author {
    pub(crate) plans: Arc<Mutex<Vec<Plan>>>,
    pub(crate) go: Arc<Semaphore>,
    /// Whatever the client said, as the author got it.
    pub(crate) heard: Arc<Mutex<Vec<String>>>,
}

impl Author {
    pub(crate) fn new() -> Author {
        Author {
            plans: Arc::default(),
            go: Arc::new(Semaphore::new(0)),
            heard: Arc::default(),
        }
    }

    pub(crate) fn hears(&self, said: impl ToString) {
        self.heard.lock().unwrap().push(said.to_string());
    }

    /// The plan of a request, after its messages were sent and it was let go.
    async fn plan(
        &self,
        number: Option<usize>,
        cx: &RequestContext<RoleServer>,
    ) -> Option<(usize, Plan)> {
        let number = number?;
        let plan = *self.plans.lock().unwrap().get(number)?;
        if plan.held {
            self.go.acquire().await.expect("leave").forget();
        }
        for _ in 0..plan.turns {
            tokio::task::yield_now().await;
        }
        tells::before(self, number, plan, cx).await;
        Some((number, plan))
    }

    /// The plan that the cursor of a list names.
    async fn listed(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: &RequestContext<RoleServer>,
    ) -> Option<(usize, Plan)> {
        let cursor = page.and_then(|page| page.cursor);
        let number = cursor.and_then(|cursor| cursor.parse().ok());
        self.plan(number, cx).await
    }
}

/// The number behind a prefix.
fn after(text: &str, prefix: &str) -> Option<usize> {
    text.strip_prefix(prefix)?.parse().ok()
}

/// Returns whether the policy hides the URI: by itself, or by its template.
fn is_hidden(uri: &str) -> bool {
    uri.starts_with("hidden") || uri.starts_with("private")
}

fn schema() -> Arc<Map<String, Value>> {
    Arc::new(json!({"type": "object"}).as_object().cloned().unwrap())
}

const TOOLS: [&str; 5] = ["emit", "recall", "recall_note", "stateful", "hidden_tool"];

impl ServerHandler for Author {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_skills_with_directory_read()
            .enable_tasks();
        ServerConfig::new(capabilities.build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let name = TOOLS.iter().find(|tool| **tool == name)?;
        Some(Tool::new(*name, "a tool", schema()))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let planned = self.listed(page, &cx).await;
        if let Some((number, plan)) = planned
            && plan.output == Output::ListError
        {
            return Err(results::error(number, plan));
        }
        let said = planned.map_or_else(|| "a tool".to_owned(), |(_, plan)| plan.form.text());
        let tools = TOOLS
            .iter()
            .map(|name| Tool::new(*name, said.clone(), schema()));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.hears(json!(request.arguments));
        if request.name == "hidden_tool" {
            self.hears(HIDDEN);
            return results::said(HIDDEN);
        }
        let number = request
            .arguments
            .as_ref()
            .and_then(|all| all.get("n")?.as_u64());
        let planned = self.plan(number.map(|number| number as usize), &cx).await;
        let Some((number, plan)) = planned else {
            return results::said("no plan");
        };
        if plan.output == Output::State
            && let Some(call) = cx.extensions.get::<mcpl::Call>()
        {
            let state = StateUpdate::opaque(number.to_string(), None);
            call.answer_state(state.with_data(plan.form.value()));
        }
        if plan.output.is_late()
            || matches!(plan.output, Output::CreatedStatus | Output::CreatedMeta)
        {
            let created: CreateTaskResult = read(results::created(number, plan))?;
            return Ok(created.into());
        }
        results::tool(number, plan)
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let said = self.listed(page, &cx).await;
        let said = said.map_or_else(String::new, |(_, plan)| plan.form.text());
        read(json!({"prompts": [{"name": "plan", "description": said}, {"name": "hidden"}]}))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.hears(json!(request.arguments));
        if request.name == "hidden" {
            self.hears(HIDDEN);
        }
        let number = request
            .arguments
            .as_ref()
            .and_then(|all| all.get("n")?.as_str()?.parse().ok());
        match self.plan(number, &cx).await {
            Some((number, plan)) => results::prompt(number, plan),
            None => Err(ErrorData::invalid_params("no plan", None)),
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let said = self.listed(page, &cx).await;
        let said = said.map_or_else(String::new, |(_, plan)| plan.form.text());
        read(json!({"resources": [
            {"name": "plan", "uri": "plan://0", "description": said},
            {"name": "hidden", "uri": "hidden://0"},
        ]}))
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let said = self.listed(page, &cx).await;
        let said = said.map_or_else(String::new, |(_, plan)| plan.form.text());
        read(json!({"resourceTemplates": [
            {"name": "plan", "uriTemplate": "plan://{n}", "description": said},
            {"name": "hidden", "uriTemplate": "private://{n}"},
        ]}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if is_hidden(&request.uri) {
            self.hears(HIDDEN);
            let contents = json!({"contents": [{"uri": request.uri, "text": HIDDEN}]});
            return read::<ReadResourceResult>(contents).map(Into::into);
        }
        match self.plan(after(&request.uri, "plan://"), &cx).await {
            Some((number, plan)) => results::resource(number, plan),
            None => Err(ErrorData::resource_not_found("no plan", None)),
        }
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        if is_hidden(&request.uri) {
            self.hears(HIDDEN);
        }
        let planned = self.plan(after(&request.uri, "plan://"), &cx).await;
        let said = planned.map_or_else(String::new, |(_, plan)| plan.form.text());
        let listed = json!([{"name": "a", "uri": "plan://0", "description": said}]);
        read(json!({"resources": listed}))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_hidden(&request.uri) {
            self.hears(HIDDEN);
        }
        match self.plan(after(&request.uri, "plan://"), &cx).await {
            Some((number, plan)) => Err(results::error(number, plan)),
            None => Ok(()),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let asked = json!(request);
        let named = asked["ref"].to_string();
        if named.contains("hidden") || named.contains("private") {
            self.hears(HIDDEN);
        }
        let planned = self.plan(request.argument.value.parse().ok(), &cx).await;
        match planned {
            Some((number, plan)) if plan.output == Output::CompletionError => {
                Err(results::error(number, plan))
            }
            Some((_, plan)) => read(json!({"completion": {"values": [plan.form.text()]}})),
            None => read(json!({"completion": {"values": []}})),
        }
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let number: Option<usize> = request.task_id.parse().ok();
        let plan = number.and_then(|number| self.plans.lock().unwrap().get(number).copied());
        match number.zip(plan) {
            Some((number, plan)) => Ok(GetTaskResult::new(results::task(number, plan))),
            None => Err(ErrorData::invalid_params("no task", None)),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        cx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.hears(json!(request.params));
        let number = request
            .params
            .as_ref()
            .and_then(|all| all.get("n")?.as_u64());
        match self.plan(number.map(|number| number as usize), &cx).await {
            Some((number, plan)) if plan.output == Output::CustomError => {
                Err(results::error(number, plan))
            }
            Some((number, plan)) => {
                let said = json!({"said": format!("n={number};"), "value": plan.form.value()});
                Ok(CustomResult::new(said))
            }
            None => Ok(CustomResult::new(json!({}))),
        }
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        self.hears(json!(notification.params));
    }
}
