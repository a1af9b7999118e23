//! The server of the fixtures.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::skill_catalog::SkillCatalog,
    model::*,
    service::{RequestContext, SubscriptionContext, SubscriptionSink},
    task_manager::TaskManager,
};
use serde_json::json;

use crate::{
    fixtures::{Does, Gives, PromptFixture, Resources, ToolFixture, fill_text, filled},
    rounds::{Brought, Step, internal},
    tasks,
};

/// How long clients may keep what they read.
const TIME_TO_LIVE_MS: u64 = 60_000;

/// The server: a handle, whose clones share everything.
#[derive(Clone)]
pub(crate) struct Fixtures(Arc<Shared>);

struct Shared {
    tools: Vec<ToolFixture>,
    prompts: Vec<PromptFixture>,
    resources: Resources,
    skills: SkillCatalog,
    codec: RequestStateCodec,
    tasks: TaskManager,
    subscribers: Mutex<BTreeMap<u64, SubscriptionSink>>,
    next: AtomicU64,
}

impl Fixtures {
    pub(crate) fn read() -> anyhow::Result<Fixtures> {
        let skills = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills");
        Ok(Fixtures(Arc::new(Shared {
            tools: serde_json::from_str(include_str!("../fixtures/tools.json"))?,
            prompts: serde_json::from_str(include_str!("../fixtures/prompts.json"))?,
            resources: serde_json::from_str(include_str!("../fixtures/resources.json"))?,
            skills: SkillCatalog::from_dir(skills)?,
            // One process, and nothing to protect: the suite looks whether a changed state is refused.
            codec: RequestStateCodec::try_new(*b"the key of the fixtures, 32 bytes")?,
            tasks: TaskManager::new(),
            subscribers: Mutex::default(),
            next: AtomicU64::default(),
        })))
    }

    pub(crate) fn subscribers(&self) -> Vec<SubscriptionSink> {
        let subscribers = self.0.subscribers.lock();
        let subscribers = subscribers.unwrap_or_else(PoisonError::into_inner);
        subscribers.values().cloned().collect()
    }

    fn subscribe_sink(&self, sink: SubscriptionSink) -> u64 {
        let key = self.0.next.fetch_add(1, Ordering::Relaxed);
        let subscribers = self.0.subscribers.lock();
        let mut subscribers = subscribers.unwrap_or_else(PoisonError::into_inner);
        subscribers.insert(key, sink);
        key
    }

    fn unsubscribe_sink(&self, key: u64) {
        let subscribers = self.0.subscribers.lock();
        let mut subscribers = subscribers.unwrap_or_else(PoisonError::into_inner);
        subscribers.remove(&key);
    }
}

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// Sends the client a request and returns its answer as JSON.
#[expect(deprecated, reason = "the suite still asks for sampling")]
async fn asked(
    request: InputRequest,
    cx: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let answer = match request {
        InputRequest::CreateMessage(request) => {
            let answer = cx.peer.create_message(request.params).await;
            serde_json::to_value(answer.map_err(internal)?)
        }
        InputRequest::Elicitation(request) => {
            let answer = cx.peer.create_elicitation(request.params).await;
            serde_json::to_value(answer.map_err(internal)?)
        }
        _ => return Err(internal("nothing asks for the roots")),
    };
    Ok(answer.map_err(internal)?.to_string())
}

#[expect(
    deprecated,
    reason = "the older revisions have subscriptions and log levels"
)]
impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_skills_with_directory_read()
            .enable_tasks()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("conformance-server", "0.0.0"))
            .with_instructions("The fixtures of the conformance suite.")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.0.tools.iter().map(|fixture| fixture.tool.clone());
        Ok(ListToolsResult::with_all_items(tools.collect())
            .with_ttl_ms(TIME_TO_LIVE_MS)
            .with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.0.tools.iter();
        let fixture = tools.find(|fixture| fixture.tool.name == name)?;
        Some(fixture.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut tools = self.0.tools.iter();
        let Some(fixture) = tools.find(|fixture| fixture.tool.name == request.name) else {
            let problem = format!("there is no tool `{}`", request.name);
            return Err(ErrorData::invalid_params(problem, None));
        };
        let capabilities = cx.client_capabilities().unwrap_or_default();
        let knows_tasks = capabilities.supports_tasks();
        let arguments = request.arguments.clone().unwrap_or_default();
        match &fixture.does {
            Does::Answer(content) => Ok(CallToolResult::success(content.clone()).into()),
            Does::Fails(content) => Ok(CallToolResult::error(content.clone()).into()),
            Does::Says(says) => Ok(text(fill_text(says, &arguments))),
            Does::Asks { request, says } => {
                let request = filled(request, &arguments).map_err(internal)?;
                Ok(text(format!("{says}: {}", asked(request, &cx).await?)))
            }
            Does::Rounds(rounds) => {
                if rounds.task && !knows_tasks {
                    let needed = ClientCapabilities::builder().enable_tasks().build();
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
                let brought = Brought {
                    responses: request.input_responses.as_ref(),
                    state: request.request_state.as_deref(),
                    capabilities,
                };
                Ok(match rounds.next(&brought, &self.0.codec)? {
                    Step::Ask(questions) => questions.into(),
                    Step::Done(said) if rounds.task => tasks::go_on(&self.0.tasks, said),
                    Step::Done(said) => text(said),
                })
            }
            Does::Task { required } => {
                let name = request.name.into_owned();
                tasks::call(&self.0.tasks, name, arguments, knows_tasks, *required).await
            }
            Does::Coded => Ok(self.coded(&request.name, &cx).await?.into()),
        }
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.0.prompts.iter().map(|fixture| fixture.prompt.clone());
        Ok(ListPromptsResult::with_all_items(prompts.collect())
            .with_ttl_ms(TIME_TO_LIVE_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut prompts = self.0.prompts.iter();
        let Some(fixture) = prompts.find(|fixture| fixture.prompt.name == request.name) else {
            let problem = format!("there is no prompt `{}`", request.name);
            return Err(ErrorData::invalid_params(problem, None));
        };
        match &fixture.does {
            Gives::Answer(answer) => {
                let arguments = request.arguments.unwrap_or_default();
                let messages = filled(answer, &arguments).map_err(internal)?;
                Ok(GetPromptResult::new(messages).into())
            }
            Gives::Rounds(rounds) => {
                let brought = Brought {
                    responses: request.input_responses.as_ref(),
                    state: request.request_state.as_deref(),
                    capabilities: cx.client_capabilities().unwrap_or_default(),
                };
                Ok(match rounds.next(&brought, &self.0.codec)? {
                    Step::Ask(questions) => questions.into(),
                    Step::Done(said) => {
                        let message = PromptMessage::new_text(Role::User, said);
                        GetPromptResult::new(vec![message]).into()
                    }
                })
            }
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.0.resources.resources.iter();
        let mut listed: Vec<Resource> = resources.map(|fixture| fixture.resource.clone()).collect();
        listed.extend(self.0.skills.resources());
        Ok(ListResourcesResult::with_all_items(listed)
            .with_ttl_ms(TIME_TO_LIVE_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = vec![self.0.resources.template.clone()];
        Ok(ListResourceTemplatesResult::with_all_items(templates)
            .with_ttl_ms(TIME_TO_LIVE_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let found = self.0.resources.read(&uri);
        let Some(found) = found.or_else(|| self.0.skills.read_resource(&uri)) else {
            let problem = format!("there is no resource `{uri}`");
            let data = json!({ "uri": uri });
            return Err(ErrorData::resource_not_found(problem, Some(data)));
        };
        Ok(found
            .with_ttl_ms(TIME_TO_LIVE_MS)
            .with_cache_scope(CacheScope::Public)
            .into())
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.0.skills.read_resource_directory(&request.uri)
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(self.0.skills.list_skills())
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.0.skills.get_skill(&request.uri)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known = ["paris", "park", "party"];
        let begun = |word: &&&str| word.starts_with(&request.argument.value);
        let words = known.iter().filter(begun).map(|word| (*word).to_owned());
        let completion = CompletionInfo::new(words.collect()).map_err(internal)?;
        Ok(CompleteResult::new(completion))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let key = self.subscribe_sink(context.sink().clone());
        context.cancelled().await;
        self.unsubscribe_sink(key);
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.0.tasks.get_task(&request.task_id)?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let tasks = &self.0.tasks;
        tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.tasks.cancel_task(&request.task_id)
    }
}
