//! The station of the list hooks: lists, and the names in requests.

use std::sync::Arc;

use rmcp::{
    ErrorData,
    model::{ErrorCode, Reference, ServerCapabilities},
};

use super::{built::Built, refusal};
use crate::{
    plugin::{Denial, ListOf},
    server::way::{
        Answer, Asked, Call, Flow, Item, Place, Request, Shown, Station, Step, Viewer, Way,
    },
};

/// Applies the list hooks: in lists, and to the names in requests, before any other station.
#[derive(Debug)]
pub(in crate::server) struct ListsStation(pub(in crate::server) Arc<Built>);

impl ListsStation {
    /// Maps the name in a request back to the author's, or refuses the request.
    async fn map(&self, request: &mut Request, call: &mut Call, way: &Way) -> Flow {
        let Request { asked, cx } = request;
        let lists = self.0.lists();
        let (of, name) = match asked {
            Asked::CallTool(params) => (ListOf::Tools, params.name.to_string()),
            Asked::GetPrompt(params) => (ListOf::Prompts, params.name.clone()),
            Asked::ReadResource(params) => (ListOf::Resources, params.uri.clone()),
            Asked::Subscribe(params) => (ListOf::Resources, params.uri.clone()),
            Asked::Unsubscribe(params) => (ListOf::Resources, params.uri.clone()),
            Asked::ReadResourceDirectory(params) => (ListOf::Resources, params.uri.clone()),
            // A skill is a resource.
            Asked::GetSkill(params) => (ListOf::Resources, params.uri.clone()),
            Asked::Complete(params) => match &params.r#ref {
                Reference::Prompt(prompt) => (ListOf::Prompts, prompt.name.clone()),
                Reference::Resource(resource) => (ListOf::ResourceTemplates, resource.uri.clone()),
                _ => return Flow::On,
            },
            _ => return Flow::On,
        };
        // A station's own tool is not the author's to hide.
        if call.served.is_some() || !lists.concerns(of) {
            return Flow::On;
        }
        let Some(own) = lists.own_name(of, &name, way, cx).await else {
            return Flow::answer(self.refused(asked, of, &name));
        };
        if own != name {
            match asked {
                Asked::CallTool(params) => {
                    params.name = own.clone().into();
                    call.tool = Some(own.into());
                }
                Asked::GetPrompt(params) => params.name = own,
                Asked::ReadResource(params) => params.uri = own,
                Asked::Subscribe(params) => params.uri = own,
                Asked::Unsubscribe(params) => params.uri = own,
                Asked::ReadResourceDirectory(params) => params.uri = own,
                Asked::GetSkill(params) => params.uri = own,
                Asked::Complete(params) => match &mut params.r#ref {
                    Reference::Prompt(prompt) => prompt.name = own,
                    Reference::Resource(resource) => resource.uri = own,
                    _ => {}
                },
                _ => {}
            }
        }
        Flow::On
    }

    /// A hidden item looks like one that does not exist.
    fn refused(&self, asked: &Asked, of: ListOf, name: &str) -> Result<Answer, ErrorData> {
        let kind = match of {
            ListOf::Tools => "tool",
            ListOf::Prompts => "prompt",
            _ => "resource",
        };
        let reason = format!("there is no {kind} `{name}`");
        match asked {
            Asked::CallTool(_) => {
                let blocked = Denial::by_chain("unknown_item", reason);
                Ok(Answer::CallTool(refusal::tool(&blocked, false).into()))
            }
            Asked::ReadResource(_) => {
                Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None))
            }
            _ => Err(ErrorData::invalid_params(reason, None)),
        }
    }
}

impl Station for ListsStation {
    fn place(&self) -> Place {
        Place::Lists
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        call: &'a mut Call,
        way: &'a Way,
    ) -> Step<'a, Flow> {
        if let Some(active) = self.0.active() {
            active.tell(&self.0, call, &request.cx);
        }
        match request.asked {
            Asked::CallTool(_)
            | Asked::GetPrompt(_)
            | Asked::ReadResource(_)
            | Asked::Subscribe(_)
            | Asked::Unsubscribe(_)
            | Asked::ReadResourceDirectory(_)
            | Asked::GetSkill(_)
            | Asked::Complete(_) => Step::Later(Box::pin(self.map(request, call, way))),
            _ => Step::Now(Flow::On),
        }
    }

    fn after<'a>(
        &'a self,
        _: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        _: &'a Way,
    ) -> Step<'a, ()> {
        let lists = self.0.lists();
        if let Ok(Answer::ListSkills(listed)) = answer {
            listed.skills.retain_mut(|skill| lists.show_skill(skill));
        }
        if let Ok(Answer::GetSkill(got)) = answer
            && !lists.show_skill(&mut got.skill)
        {
            let reason = format!("there is no resource `{}`", got.skill.uri);
            *answer = Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None));
        }
        Step::Now(())
    }

    fn declare(&self, capabilities: &mut ServerCapabilities) {
        if self.0.active().is_some() {
            if let Some(tools) = &mut capabilities.tools {
                tools.list_changed = Some(true);
            }
            if let Some(prompts) = &mut capabilities.prompts {
                prompts.list_changed = Some(true);
            }
            if let Some(resources) = &mut capabilities.resources {
                resources.list_changed = Some(true);
            }
        }
    }

    fn show(&self, item: Item<'_>, _: Option<&Viewer>) -> Shown {
        let lists = self.0.lists();
        let shown = match item {
            // A station's own tools are not the author's to hide.
            Item::Tool(_, Some(_)) => true,
            Item::Tool(tool, None) => lists.show(ListOf::Tools, tool),
            Item::Prompt(prompt) => lists.show(ListOf::Prompts, prompt),
            Item::Resource(resource) => lists.show(ListOf::Resources, resource),
            Item::ResourceTemplate(template) => lists.show(ListOf::ResourceTemplates, template),
        };
        if shown { Shown::ToAll } else { Shown::Hidden }
    }
}
