//! Guidance as MCP prompts: one for each moment at which a hook stands.

use std::{
    any::Any,
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, ListPromptsResult, PaginatedRequestParams, Prompt,
        PromptArgument, PromptMessage, Reference, Role,
    },
    service::RequestContext,
};
use serde_json::Value;

use super::{Around, Guide, Route, compose::Ask, own_prompts::Clashes};
use crate::{
    core::dispatch::catch_panic,
    guidance::{HookRegistry, Moment},
    server::{Hooked, door::methods::beside_ours, handler::is_stateless},
};

/// The argument of each of these prompts.
const TAG: &str = "tag";

/// The argument, of any prompt or resource, that is completed with the tools that lead on.
const TOOL: &str = "tool";

/// How many pages of an author's prompts are looked through for a name.
const MAX_PAGES: usize = 100;

impl Guide {
    fn has_prompts(&self) -> bool {
        self.moments(None).next().is_some()
    }

    /// Whether there is a prompt, or may be one for a session that registers hooks.
    pub(super) fn serves_prompts(&self) -> bool {
        self.takes(Route::Prompts) && (self.settings.registers || self.has_prompts())
    }

    /// The moments that have a prompt, those of a session's `own` hooks included.
    fn moments(&self, own: Option<Arc<HookRegistry>>) -> impl Iterator<Item = Moment> {
        let registry = self.registry();
        let on = self.takes(Route::Prompts);
        let stands = move |moment: &Moment| {
            registry.has_at(*moment) || own.as_ref().is_some_and(|own| own.has_at(*moment))
        };
        Moment::all().filter(move |moment| on && stands(moment))
    }

    /// The tags by which hooks at `moment` are found that begin with `prefix`, those of the request's session included.
    fn tags(&self, moment: Moment, around: &Around, prefix: &str) -> Vec<String> {
        let shared = self.registry();
        let own = around.hooks_of_session();
        let mut tags = BTreeSet::new();
        for registry in [Some(&shared), own.as_ref()].into_iter().flatten() {
            for hook in registry.all() {
                let session = hook.session_id().filter(|bound| !bound.is_empty());
                let bound = session.is_some_and(|bound| around.session_id() != Some(bound));
                if bound || Moment::new(hook.hook_type(), hook.lifecycle()) != moment {
                    continue;
                }
                let all = std::iter::once(hook.tag()).chain(hook.tags().iter().map(|tag| &**tag));
                tags.extend(all.filter(|tag| tag.starts_with(prefix)).map(str::to_owned));
            }
        }
        tags.into_iter().collect()
    }
}

fn listed(moment: Moment) -> Prompt {
    let about = format!(
        "The server's guidance at {} {}.",
        moment.hook_type, moment.lifecycle
    );
    let tag = PromptArgument::new(TAG)
        .with_description("Only the hooks with this tag.")
        .with_required(false);
    Prompt::new(moment.as_str(), Some(about), Some(vec![tag]))
}

impl<H: ServerHandler> Hooked<H> {
    /// The author's prompts, and behind the last of them those of the guidance.
    pub(in crate::server) async fn prompts_with(
        &self,
        request: Option<PaginatedRequestParams>,
        mut context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let Some(guide) = self.guide()? else {
            return self.server.list_prompts(request, context).await;
        };
        let around = self.around_request(guide, &mut context)?;
        let single_page = request.as_ref().is_none_or(|page| page.cursor.is_none());
        let page = self.server.list_prompts(request, context.clone()).await;
        let mut page = beside_ours(page, guide.serves_prompts())?;
        let moments: Vec<Moment> = guide.moments(around.hooks_of_session()).collect();
        if page.next_cursor.is_some() || moments.is_empty() {
            return Ok(page);
        }
        let clashes = if single_page {
            let names = page.prompts.iter().map(|prompt| &*prompt.name);
            let clashes = Clashes::of(names);
            self.connection_of(&context.extensions)
                .own_prompts
                .set(clashes);
            clashes
        } else {
            self.look_through_prompts(&context).await
        };
        // A session's own hooks make the list its own.
        let varies = guide.settings.registers || around.hooks_of_session().is_some();
        if varies && is_stateless(context.protocol_version().as_ref()) {
            page.cache_scope = Some(CacheScope::Private);
        }
        let ours = moments.into_iter().filter(|moment| !clashes.has(*moment));
        page.prompts.extend(ours.map(listed));
        Ok(page)
    }

    /// Whether the author has a prompt of the moment's name, by the last listing on this connection.
    async fn has_own_prompt(&self, moment: Moment, context: &RequestContext<RoleServer>) -> bool {
        let known = self.connection_of(&context.extensions).own_prompts.get();
        let clashes = match known {
            Some(clashes) => clashes,
            None => self.look_through_prompts(context).await,
        };
        clashes.has(moment)
    }

    /// Looks through the author's prompts for names of moments.
    async fn look_through_prompts(&self, context: &RequestContext<RoleServer>) -> Clashes {
        let mut names = Vec::new();
        let mut next = None;
        for _ in 0..MAX_PAGES {
            let page = self.server.list_prompts(next.take(), context.clone()).await;
            let Ok(page) = beside_ours(page, true) else {
                return Clashes::of(names.iter().map(String::as_str));
            };
            names.extend(page.prompts.into_iter().map(|prompt| prompt.name));
            let Some(cursor) = page.next_cursor else {
                break;
            };
            next = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
        }
        let clashes = Clashes::of(names.iter().map(String::as_str));
        self.connection_of(&context.extensions)
            .own_prompts
            .set(clashes);
        clashes
    }

    /// Warns of moments whose prompt is not seen because the author has one of the name.
    pub(in crate::server) fn warn_of_clashes(
        &self,
        guide: &Arc<Guide>,
        context: &RequestContext<RoleServer>,
    ) {
        if !guide.has_prompts() || guide.warned.swap(true, Ordering::Relaxed) {
            return;
        }
        let (server, guide, context) = (self.clone(), guide.clone(), context.clone());
        // The author's answer, however long it takes, does not hold up the handshake.
        tokio::spawn(async move {
            // The task is on its own: a panic of the author's ends it, and is logged by nobody else.
            let looked = catch_panic(server.look_through_prompts(&context)).await;
            let Ok(own) = looked.inspect_err(
                |failure| tracing::error!(error = %failure, "the server's prompts cannot be listed"),
            ) else {
                return;
            };
            for moment in guide.moments(None).filter(|moment| own.has(*moment)) {
                tracing::warn!(
                    prompt = moment.as_str(),
                    "the server has a prompt of this name, so that of the guidance is not seen"
                );
            }
        });
    }

    /// The author's prompt, or that of a moment.
    pub(in crate::server) async fn prompt_with(
        &self,
        request: GetPromptRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(guide) = self.guide()? else {
            return self.server.get_prompt(request, context).await;
        };
        let around = self.around_request(guide, &mut context)?;
        let mut moments = guide.moments(around.hooks_of_session());
        let moment = moments.find(|moment| moment.as_str() == request.name);
        let Some(moment) = moment else {
            return self.server.get_prompt(request, context).await;
        };
        if self.has_own_prompt(moment, &context).await {
            return self.server.get_prompt(request, context).await;
        }
        let tag = request
            .arguments
            .as_ref()
            .and_then(|arguments| arguments.get(TAG));
        let tag = match tag {
            None | Some(Value::Null) => None,
            Some(Value::String(tag)) if tag.is_empty() => None,
            Some(Value::String(tag)) => Some(tag.as_str()),
            Some(_) => return Err(ErrorData::invalid_params("`tag` is not a string", None)),
        };
        if let Some(tag) = tag {
            let tags = around.guide.tags(moment, &around, "");
            if !tags.iter().any(|each| each == tag) {
                let message = format!(
                    "no hook at `{moment}` has the tag `{tag}`; the tags are `{}`",
                    tags.join("`, `")
                );
                return Err(ErrorData::invalid_params(message, None));
            }
        }
        let moments = [moment];
        let ask = Ask {
            tag,
            any_tool: true,
            ..around.ask(&moments)
        };
        let composed = around.compose(&ask).await;
        let messages = if composed.content.is_empty() {
            Vec::new()
        } else {
            vec![PromptMessage::new_text(Role::Assistant, composed.content)]
        };
        let mut result = GetPromptResult::new(messages);
        result.description = listed(moment).description;
        Ok(result.into())
    }

    /// The author's completion; for `tag` of a moment's prompt its tags, and for a `tool` about which the author
    /// says nothing the tools that lead on from the session's state.
    pub(in crate::server) async fn complete_with(
        &self,
        request: CompleteRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let around = match self.guide()? {
            Some(guide) => Some(self.around_request(guide, &mut context)?),
            None => None,
        };
        let argument = request.argument.clone();
        if let (Some(around), TAG, Reference::Prompt(prompt)) =
            (&around, &*argument.name, &request.r#ref)
            && let mut moments = around.guide.moments(around.hooks_of_session())
            && let Some(moment) = moments.find(|moment| moment.as_str() == prompt.name)
            && !self.has_own_prompt(moment, &context).await
        {
            let tags = around.guide.tags(moment, around, &argument.value);
            return Ok(completed(tags));
        }
        let gate = self.gate()?;
        let ours = gate.is_some() || around.is_some_and(|around| around.guide.serves_prompts());
        let answer = self.server.complete(request, context.clone()).await;
        let own = beside_ours(answer, ours)?;
        let Some(gate) = gate.filter(|_| argument.name == TOOL && own.completion.values.is_empty())
        else {
            return Ok(own);
        };
        let connection = self.connection_of(&context.extensions);
        let mut tools = gate.tools_leading_on(&context, connection).await;
        tools.retain(|tool| tool.starts_with(&argument.value));
        Ok(completed(tools))
    }

    /// The server, for functions that make texts.
    pub(in crate::server) fn any_server(&self) -> Arc<dyn Any + Send + Sync> {
        self.server.clone()
    }
}

fn completed(mut values: Vec<String>) -> CompleteResult {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let mut completion = CompletionInfo::default();
    completion.total = u32::try_from(total).ok();
    completion.has_more = Some(total > values.len());
    completion.values = values;
    CompleteResult::new(completion)
}
