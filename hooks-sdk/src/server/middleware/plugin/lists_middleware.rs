//! The station of the list hooks: lists, and the names in requests.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{ErrorCode, JsonRpcMessage, ServerCapabilities, ServerNotification},
    service::TxJsonRpcMessage,
};

use super::{built::Built, refusal};
use crate::{
    plugin::{Denial, ListOf},
    server::{
        connection::{Connection, Wants},
        way::{
            Answer, Asked, Call, Flow, Item, Leaving, Named, NamedForClients, Place, Request,
            Shown, Station, Step, Viewer, Way,
        },
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
        let (of, name) = match asked.named() {
            Named::Tool(name) => (ListOf::Tools, name.to_owned()),
            Named::Prompt(name) => (ListOf::Prompts, name.to_owned()),
            Named::Resource(uri) => (ListOf::Resources, uri.to_owned()),
            // A reference to a resource may be a template or a URI.
            Named::ResourceTemplate(uri) if uri.contains('{') => {
                (ListOf::ResourceTemplates, uri.to_owned())
            }
            Named::ResourceTemplate(uri) => (ListOf::Resources, uri.to_owned()),
            Named::Unknown => return Flow::answer(unknown(&asked.method())),
            Named::Nothing | Named::Task(_) => return Flow::On,
        };
        let is_resource = of == ListOf::Resources;
        let concerned = match is_resource {
            true => lists.concerns_resources(),
            false => lists.concerns(of),
        };
        // A station's own tool is not the author's to hide.
        if call.served.is_some() || !concerned {
            return Flow::On;
        }
        let own = match is_resource {
            true => lists.own_resource(&name, way, cx).await,
            false => lists.own_name(of, &name, way, cx).await,
        };
        let Some(own) = own else {
            return Flow::answer(self.refused(asked, of, &name));
        };
        if own != name {
            if of == ListOf::Tools {
                call.tool = Some(own.clone().into());
            }
            asked.rename(own);
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

/// Refuses a request that names an item of a kind that no list has.
fn unknown(method: &str) -> Result<Answer, ErrorData> {
    tracing::warn!(
        method,
        "a request is refused: it names an item of an unknown kind"
    );
    let message = format!("`{method}` names an item of a kind that this server does not have");
    Err(ErrorData::invalid_params(message, None))
}

/// Returns the author's URI of a resource that was updated.
fn updated(message: &TxJsonRpcMessage<RoleServer>) -> Option<&str> {
    match message {
        JsonRpcMessage::Notification(told) => match &told.notification {
            ServerNotification::ResourceUpdatedNotification(updated)
                if updated.extensions.get::<NamedForClients>().is_none() =>
            {
                Some(&updated.params.uri)
            }
            _ => None,
        },
        JsonRpcMessage::Request(_) | JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
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
        match request.asked.named() {
            Named::Nothing | Named::Task(_) => Step::Now(Flow::On),
            Named::Tool(_)
            | Named::Prompt(_)
            | Named::Resource(_)
            | Named::ResourceTemplate(_)
            | Named::Unknown => Step::Later(Box::pin(self.map(request, call, way))),
        }
    }

    fn after<'a>(
        &'a self,
        call: &'a mut Call,
        answer: &'a mut Result<Answer, ErrorData>,
        way: &'a Way,
    ) -> Step<'a, ()> {
        let lists = self.0.lists();
        if lists.is_empty() {
            return Step::Now(());
        }
        if !call.reached {
            lists.in_words_of_clients(answer, way);
        }
        match answer {
            Ok(Answer::ListTools(listed)) => {
                // A station's own tools are not the author's to hide.
                let own = listed.tools.iter().filter(|tool| !way.serves(&tool.name));
                lists.know_page(ListOf::Tools, own);
            }
            Ok(Answer::ListPrompts(listed)) => lists.know_page(ListOf::Prompts, &listed.prompts),
            Ok(Answer::ListResources(listed) | Answer::ReadResourceDirectory(listed)) => {
                lists.know_page(ListOf::Resources, &listed.resources);
            }
            Ok(Answer::ListResourceTemplates(listed)) => {
                lists.know_page(ListOf::ResourceTemplates, &listed.resource_templates);
            }
            Ok(Answer::ListSkills(listed)) => {
                listed.skills.retain_mut(|skill| lists.show_skill(skill));
            }
            Ok(Answer::GetSkill(got)) => {
                if !lists.show_skill(&mut got.skill) {
                    let reason = format!("there is no resource `{}`", got.skill.uri);
                    *answer = Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None));
                }
            }
            Ok(_) | Err(_) => {}
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

    fn wants(&self) -> Wants {
        match self.0.may_rename_resources() {
            true => Wants::MESSAGES,
            false => Wants::NOTHING,
        }
    }

    fn own_resource(&self, uri: &str) -> Option<String> {
        let lists = self.0.lists();
        match lists.concerns_resources() {
            true => lists.own_resource_known(uri),
            false => Some(uri.to_owned()),
        }
    }

    fn shown_resource(&self, own: &str) -> Option<String> {
        let lists = self.0.lists();
        match lists.concerns_resources() {
            true => lists.shown_resource(own),
            false => Some(own.to_owned()),
        }
    }

    fn withholds(&self, message: &TxJsonRpcMessage<RoleServer>) -> bool {
        updated(message).is_some_and(|uri| self.shown_resource(uri).is_none())
    }

    fn outbound(
        &self,
        message: &mut TxJsonRpcMessage<RoleServer>,
        _: &Connection,
    ) -> Option<Box<dyn Leaving>> {
        let shown = updated(message).and_then(|uri| self.shown_resource(uri));
        if let Some(shown) = shown
            && let JsonRpcMessage::Notification(told) = message
            && let ServerNotification::ResourceUpdatedNotification(updated) = &mut told.notification
        {
            updated.params.uri = shown;
        }
        None
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
