//! Guidance as MCP prompts: one prompt for each moment that has a hook.

use std::{collections::BTreeSet, sync::Arc};

use rmcp::{
    ErrorData,
    model::{
        CacheScope, CompleteRequestParams, GetPromptRequestParams, GetPromptResponse,
        GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
        Reference, Role,
    },
};

use super::{Guide, GuidedRequest, RequestGuidance, Route, compose::Ask, tools::text};
use crate::server::pipeline::join;
use hooks_core::guidance::{HookRegistry, Moment};

/// The start of the name of each of these prompts. The moment follows it. No prompt of an author has such a name by
/// accident.
const PREFIX: &str = "hooks_";

/// The argument of each of these prompts.
const TAG: &str = "tag";

impl Guide {
    /// Returns whether guidance has a prompt, or may have one for a session that registers hooks.
    pub(super) fn serves_prompts(&self) -> bool {
        self.takes(Route::Prompts)
            && (self.settings.registers || self.moments(None).next().is_some())
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
}

fn listed(moment: Moment) -> Prompt {
    let about = format!(
        "The server's guidance at {} {}.",
        moment.hook_type, moment.lifecycle
    );
    let tag = PromptArgument::new(TAG)
        .with_description("Only the hooks with this tag.")
        .with_required(false);
    Prompt::new(format!("{PREFIX}{moment}"), Some(about), Some(vec![tag]))
}

impl GuidedRequest {
    /// Returns the moment whose prompt has this name.
    pub(super) fn moment(&self, name: &str) -> Option<Moment> {
        let named = Moment::named(name.strip_prefix(PREFIX)?)?;
        let mut moments = self.guide.moments(self.hooks_of_session());
        moments.find(|moment| *moment == named)
    }

    /// Adds the guidance's prompts after the author's last prompt, for a client of 2026-07-28 if `is_stateless`. An
    /// author's prompt with the name of one of them is left out of the list, because `prompts/get` does not reach it.
    pub(super) fn list_prompts(&self, page: &mut ListPromptsResult, is_stateless: bool) {
        let own = self.hooks_of_session();
        // A session with its own hooks gets its own list.
        let varies = self.guide.settings.registers || own.is_some();
        let ours: Vec<Prompt> = self.guide.moments(own).map(listed).collect();
        let is_last = page.next_cursor.is_none();
        let hidden = |prompt: &Prompt| {
            warn!(
                prompt = prompt.name,
                "the server has its own prompt with this name, and the prompt of the guidance hides it"
            );
        };
        let is_changed = join(&mut page.prompts, is_last, ours, |it| &it.name, hidden);
        if is_changed && varies && is_stateless {
            page.cache_scope = Some(CacheScope::Private);
        }
    }
}

impl RequestGuidance<'_> {
    /// Returns the prompt of a moment.
    pub(super) async fn prompt(
        self,
        moment: Moment,
        request: &GetPromptRequestParams,
    ) -> Result<GetPromptResponse, ErrorData> {
        let none = JsonObject::new();
        let tag = text(request.arguments.as_ref().unwrap_or(&none), TAG);
        let tag = tag.map_err(|problem| ErrorData::invalid_params(problem, None))?;
        let tag = tag.filter(|tag| !tag.is_empty());
        if let Some(tag) = tag {
            let tags = self.tags(moment, "");
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
            ..self.ask(&moments)
        };
        let composed = self.compose(&ask).await;
        let content = Some(composed.content).filter(|content| !content.is_empty());
        let message = |content| PromptMessage::new_text(Role::Assistant, content);
        let mut result = GetPromptResult::new(content.map(message).into_iter().collect());
        result.description = listed(moment).description;
        Ok(result.into())
    }

    /// Returns the tags that complete the argument `tag` of a moment's prompt, or `None` for any other argument.
    pub(super) fn complete(self, request: &CompleteRequestParams) -> Option<Vec<String>> {
        match &request.r#ref {
            Reference::Prompt(prompt) if request.argument.name == TAG => {
                let moment = self.of.moment(&prompt.name)?;
                Some(self.tags(moment, &request.argument.value))
            }
            _ => None,
        }
    }

    /// Returns the tags of hooks at `moment` that begin with `prefix`, including hooks of the request's session.
    fn tags(self, moment: Moment, prefix: &str) -> Vec<String> {
        let own = self.of.hooks_of_session();
        let mut tags = BTreeSet::new();
        for registry in [Some(self.of.guide.registry()), own].into_iter().flatten() {
            for hook in registry.all() {
                let session = hook.session_id.as_deref().filter(|bound| !bound.is_empty());
                let bound = session.is_some_and(|bound| self.session_id() != Some(bound));
                if bound || hook.moment() != moment {
                    continue;
                }
                let all = std::iter::once(&hook.tag).chain(&hook.tags);
                tags.extend(
                    all.filter(|tag| tag.starts_with(prefix))
                        .map(ToString::to_string),
                );
            }
        }
        tags.into_iter().collect()
    }
}
