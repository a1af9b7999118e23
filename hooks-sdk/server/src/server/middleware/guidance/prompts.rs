//! Guidance as MCP prompts: one prompt for each moment that has a hook.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CacheScope, CompleteRequestParams, CompleteResult, ErrorCode, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, ListPromptsResult, PaginatedRequestParams, Prompt,
        PromptArgument, PromptMessage, Reference, Role,
    },
    service::RequestContext,
};
use serde_json::Value;

use super::{
    ConnectionGuidance, GuidanceMiddleware, Guide, OwnPrompts, RequestGuidance, Route,
    compose::Ask, own_prompts::Clashes,
};
use crate::server::{
    connection::Connection,
    pipeline::{
        Flow, McpRequest, McpResponse, MiddlewareId, Pipeline, RequestState, Work, completed,
    },
    request::is_stateless,
};
use hooks_core::{
    guidance::{HookRegistry, Moment},
    internal::catch_panic,
};

/// The argument of each of these prompts.
const TAG: &str = "tag";

/// How many pages of an author's prompts the SDK reads to find a name. It ignores names on later pages.
const MAX_PAGES: usize = 100;

impl Guide {
    fn has_prompts(&self) -> bool {
        self.moments(None).next().is_some()
    }

    /// Returns whether guidance has a prompt, or may have one for a session that registers hooks.
    pub(super) fn serves_prompts(&self) -> bool {
        self.takes(Route::Prompts) && (self.settings.registers || self.has_prompts())
    }

    /// Returns the moments that have a prompt, including those of a session's `own` hooks.
    fn moments(&self, own: Option<Arc<HookRegistry>>) -> impl Iterator<Item = Moment> {
        let registry = self.registry();
        let on = self.takes(Route::Prompts);
        let stands = move |moment: &Moment| {
            registry.has_at(*moment) || own.as_ref().is_some_and(|own| own.has_at(*moment))
        };
        Moment::all().filter(move |moment| on && stands(moment))
    }

    /// Returns the moment whose prompt has this name.
    pub(super) fn moment(&self, name: &str, around: &RequestGuidance) -> Option<Moment> {
        let mut moments = self.moments(around.hooks_of_session());
        moments.find(|moment| moment.as_str() == name)
    }

    /// Returns the tags of hooks at `moment` that begin with `prefix`, including hooks of the request's session.
    fn tags(&self, moment: Moment, around: &RequestGuidance, prefix: &str) -> Vec<String> {
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

/// A request for a list of prompts.
struct PromptListing {
    around: Arc<RequestGuidance>,
    /// The clashes with the author's prompts, if the list has several pages. Otherwise the prompts of this page decide.
    clashes: Option<Clashes>,
    is_stateless: bool,
}

/// A completion request, if guidance serves prompts.
struct PromptCompletion;

impl GuidanceMiddleware {
    pub(super) fn before_prompts<'a>(
        &'a self,
        page: Option<&PaginatedRequestParams>,
        around: Arc<RequestGuidance>,
        cx: &'a RequestContext<RoleServer>,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        let listing = PromptListing {
            around,
            clashes: None,
            is_stateless: is_stateless(cx),
        };
        if page.is_none_or(|page| page.cursor.is_none()) {
            call.extensions.put(listing);
            return Work::Now(Flow::On);
        }
        Work::Later(Box::pin(async move {
            let clashes = Some(look_through_prompts(cx, &call.connection, pipeline).await);
            call.extensions.put(PromptListing { clashes, ..listing });
            Flow::On
        }))
    }

    /// Adds the guidance's prompts after the author's last prompt.
    pub(super) fn after_prompts(
        &self,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let is_missing = matches!(answer, Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND);
        // If the author has no prompts, rmcp answers with this error. The list or the completion is then empty.
        if is_missing && call.extensions.take::<PromptCompletion>().is_some() {
            *answer = Ok(McpResponse::Complete(CompleteResult::default()));
        }
        let Some(PromptListing {
            around,
            clashes,
            is_stateless,
        }) = call.extensions.take()
        else {
            return;
        };
        if is_missing && self.guide.serves_prompts() {
            *answer = Ok(McpResponse::ListPrompts(ListPromptsResult::default()));
        }
        let Ok(McpResponse::ListPrompts(page)) = answer else {
            return;
        };
        let own = around.hooks_of_session();
        let moments: Vec<Moment> = self.guide.moments(own.clone()).collect();
        if page.next_cursor.is_some() || moments.is_empty() {
            return;
        }
        let clashes = clashes.unwrap_or_else(|| {
            let names = page.prompts.iter().map(|prompt| &*prompt.name);
            let clashes = Clashes::of(names);
            own_prompts(&call.connection).set(clashes);
            clashes
        });
        // A session with its own hooks gets its own list.
        let varies = self.guide.settings.registers || own.is_some();
        if varies && is_stateless {
            page.cache_scope = Some(CacheScope::Private);
        }
        let ours = moments.into_iter().filter(|moment| !clashes.has(*moment));
        page.prompts.extend(ours.map(listed));
    }

    /// Returns whether the author has a prompt with the moment's name, by the last listing on this connection.
    pub(super) async fn has_own_prompt(
        &self,
        moment: Moment,
        cx: &RequestContext<RoleServer>,
        connection: &Connection,
        pipeline: &Pipeline,
    ) -> bool {
        let clashes = match own_prompts(connection).get() {
            Some(clashes) => clashes,
            None => look_through_prompts(cx, connection, pipeline).await,
        };
        clashes.has(moment)
    }

    /// Logs a warning for each moment whose prompt is hidden by an author's prompt with the same name.
    pub(super) fn warn_of_clashes(
        &self,
        cx: &RequestContext<RoleServer>,
        connection: &Arc<Connection>,
        pipeline: &Pipeline,
    ) {
        let guide = &self.guide;
        if !guide.has_prompts() || guide.warned.swap(true, Ordering::Relaxed) {
            return;
        }
        let (guide, cx, connection, pipeline) = (
            guide.clone(),
            cx.clone(),
            connection.clone(),
            pipeline.clone(),
        );
        // The author's answer may take long and must not delay the handshake.
        tokio::spawn(async move {
            // A panic of the author's server would end this task, and nothing else logs it.
            let looked = catch_panic(look_through_prompts(&cx, &connection, &pipeline)).await;
            let Ok(own) = looked.inspect_err(|failure| {
                tracing::error!(
                    target: "hooks_sdk::server",
                    error = %failure, "the server's prompts cannot be listed"
                )
            }) else {
                return;
            };
            for moment in guide.moments(None).filter(|moment| own.has(*moment)) {
                tracing::warn!(
                    target: "hooks_sdk::server",
                    prompt = moment.as_str(),
                    "the server has its own prompt with this name, which hides the prompt of the guidance"
                );
            }
        });
    }

    /// Returns the prompt of a moment.
    pub(super) async fn prompt(
        &self,
        moment: Moment,
        request: &GetPromptRequestParams,
        around: &RequestGuidance,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.as_ref();
        let tag = match arguments.and_then(|arguments| arguments.get(TAG)) {
            None | Some(Value::Null) => None,
            Some(Value::String(tag)) if tag.is_empty() => None,
            Some(Value::String(tag)) => Some(tag.as_str()),
            Some(_) => return Err(ErrorData::invalid_params("`tag` is not a string", None)),
        };
        if let Some(tag) = tag {
            let tags = self.guide.tags(moment, around, "");
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

    /// Completes the argument `tag` of a moment's prompt with the tags of its hooks.
    pub(super) fn before_completion<'a>(
        &'a self,
        request: &'a CompleteRequestParams,
        around: Arc<RequestGuidance>,
        cx: &'a RequestContext<RoleServer>,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        if self.guide.serves_prompts() {
            call.extensions.put(PromptCompletion);
        }
        let argument = &request.argument;
        let moment = match (&*argument.name, &request.r#ref) {
            (TAG, Reference::Prompt(prompt)) => self.guide.moment(&prompt.name, &around),
            _ => None,
        };
        let Some(moment) = moment else {
            return Work::Now(Flow::On);
        };
        Work::Later(Box::pin(async move {
            if self
                .has_own_prompt(moment, cx, &call.connection, pipeline)
                .await
            {
                return Flow::On;
            }
            let tags = self.guide.tags(moment, &around, &argument.value);
            Flow::answer(Ok(McpResponse::Complete(completed(tags))))
        }))
    }
}

fn own_prompts(connection: &Connection) -> &OwnPrompts {
    &connection
        .slot::<ConnectionGuidance>(MiddlewareId::Guidance)
        .own_prompts
}

/// Reads the author's prompts, and records which of them have the name of a moment.
async fn look_through_prompts(
    cx: &RequestContext<RoleServer>,
    connection: &Connection,
    pipeline: &Pipeline,
) -> Clashes {
    let mut names = Vec::new();
    let mut next = None;
    for _ in 0..MAX_PAGES {
        let asked = McpRequest::ListPrompts(next.take());
        let page = match pipeline.author().ask(asked, cx.clone()).await {
            Ok(McpResponse::ListPrompts(page)) => page,
            // If the author has no prompts, rmcp answers with this error.
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => ListPromptsResult::default(),
            _ => return Clashes::of(names.iter().map(String::as_str)),
        };
        names.extend(page.prompts.into_iter().map(|prompt| prompt.name));
        let Some(cursor) = page.next_cursor else {
            break;
        };
        next = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
    }
    let clashes = Clashes::of(names.iter().map(String::as_str));
    own_prompts(connection).set(clashes);
    clashes
}
