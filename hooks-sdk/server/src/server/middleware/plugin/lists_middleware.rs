//! The middleware of the list hooks: lists, and the names in requests.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{ErrorCode, GetExtensions, JsonRpcMessage, ServerCapabilities, ServerNotification},
    service::TxJsonRpcMessage,
};

use super::{built::Built, refusal};
use crate::server::{
    connection::Connection,
    pipeline::{
        AuthorRequest, Flow, Leaving, ListEntry, McpRequest, McpResponse, MessageMiddleware,
        Middleware, MiddlewareId, NamedForClients, NamedItem, OptionalTraits, Pipeline,
        RequestState, ResourceNames, Viewer, Visibility, Work,
    },
};
use hooks_plugin::{Denial, ListOf};

/// Applies the list hooks: in lists, and to the names in requests, before any other middleware.
#[derive(Debug)]
pub(in crate::server) struct ListsMiddleware(pub(in crate::server) Arc<Built>);

impl ListsMiddleware {
    /// Maps the name in a request back to the author's, or refuses the request. A request that no list hook is for goes on
    /// at once.
    fn map<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        let lists = self.0.policy_of(&request.cx, call).lists;
        let (of, name) = match request.asked.named() {
            NamedItem::Tool(name) => (ListOf::Tools, name),
            NamedItem::Prompt(name) => (ListOf::Prompts, name),
            NamedItem::Resource(uri) => (ListOf::Resources, uri),
            // A reference to a resource may be a template or a URI.
            NamedItem::ResourceTemplate(uri) if uri.contains('{') => {
                (ListOf::ResourceTemplates, uri)
            }
            NamedItem::ResourceTemplate(uri) => (ListOf::Resources, uri),
            NamedItem::Unknown => {
                return Work::Now(Flow::answer(unknown(&request.asked.method())));
            }
            NamedItem::Nothing | NamedItem::Task(_) => return Work::Now(Flow::On),
        };
        let concerned = match of {
            ListOf::Resources => lists.concerns_resources(),
            of => lists.concerns(of),
        };
        // A middleware's own tool is not the author's to hide.
        if call.served.is_some() || !concerned {
            return Work::Now(Flow::On);
        }
        let name = name.to_owned();
        Work::Later(Box::pin(async move {
            let AuthorRequest { asked, cx } = request;
            let own = match of {
                ListOf::Resources => lists.own_resource(&name, pipeline, cx).await,
                of => lists.own_name(of, &name, pipeline, cx).await,
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
        }))
    }

    /// A hidden item looks like one that does not exist.
    fn refused(
        &self,
        asked: &McpRequest,
        of: ListOf,
        name: &str,
    ) -> Result<McpResponse, ErrorData> {
        let kind = match of {
            ListOf::Tools => "tool",
            ListOf::Prompts => "prompt",
            _ => "resource",
        };
        let reason = format!("there is no {kind} `{name}`");
        match asked {
            McpRequest::CallTool(_) => {
                let blocked = Denial::by_chain("unknown_item", reason);
                Ok(McpResponse::CallTool(refusal::tool(&blocked, false).into()))
            }
            McpRequest::ReadResource(_) => {
                Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None))
            }
            _ => Err(ErrorData::invalid_params(reason, None)),
        }
    }
}

/// Refuses a request that names an item of a kind that no list has.
fn unknown(method: &str) -> Result<McpResponse, ErrorData> {
    tracing::warn!(
        target: "hooks_sdk::server",
        method,
        "a request is refused: it names an item of an unknown kind"
    );
    let message = format!("`{method}` names an item of a kind that this server does not have");
    Err(ErrorData::invalid_params(message, None))
}

/// The method of a notification about a resource.
const UPDATED: &str = "notifications/resources/updated";

/// Returns the author's URI of a resource that was updated.
fn updated(message: &TxJsonRpcMessage<RoleServer>) -> Option<&str> {
    match message {
        JsonRpcMessage::Notification(told) => {
            let is_named = told.notification.extensions().get::<NamedForClients>();
            match &told.notification {
                _ if is_named.is_some() => None,
                ServerNotification::ResourceUpdatedNotification(updated) => {
                    Some(&updated.params.uri)
                }
                // An author may send it by its method.
                ServerNotification::CustomNotification(told) if told.method == UPDATED => {
                    told.params.as_ref()?.get("uri")?.as_str()
                }
                _ => None,
            }
        }
        JsonRpcMessage::Request(_) | JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
    }
}

impl Middleware for ListsMiddleware {
    fn id(&self) -> MiddlewareId {
        MiddlewareId::Lists
    }

    fn optional(self: Arc<Self>) -> OptionalTraits {
        let listener = || self.clone() as Arc<dyn MessageMiddleware>;
        OptionalTraits {
            listener: self.0.may_rename_resources().then(listener),
            names: Some(self),
            ..OptionalTraits::default()
        }
    }

    fn before<'a>(
        &'a self,
        request: &'a mut AuthorRequest,
        call: &'a mut RequestState,
        pipeline: &'a Pipeline,
    ) -> Work<'a, Flow> {
        if let Some(active) = self.0.active() {
            active.tell(&self.0, call, &request.cx);
        }
        match request.asked.named() {
            NamedItem::Nothing | NamedItem::Task(_) => Work::Now(Flow::On),
            NamedItem::Tool(_)
            | NamedItem::Prompt(_)
            | NamedItem::Resource(_)
            | NamedItem::ResourceTemplate(_)
            | NamedItem::Unknown => self.map(request, call, pipeline),
        }
    }

    fn after<'a>(
        &'a self,
        _: &'a mut RequestState,
        answer: &'a mut Result<McpResponse, ErrorData>,
        pipeline: &'a Pipeline,
    ) -> Work<'a, ()> {
        let lists = self.0.lists();
        if lists.is_empty() {
            return Work::Now(());
        }
        match answer {
            Ok(McpResponse::ListTools(listed)) => {
                // A middleware's own tools are not the author's to hide.
                let own = listed
                    .tools
                    .iter()
                    .filter(|tool| !pipeline.serves(&tool.name));
                lists.know_page(ListOf::Tools, own);
            }
            Ok(McpResponse::ListPrompts(listed)) => {
                lists.know_page(ListOf::Prompts, &listed.prompts)
            }
            Ok(McpResponse::ListResources(listed) | McpResponse::ReadResourceDirectory(listed)) => {
                lists.know_page(ListOf::Resources, &listed.resources);
            }
            Ok(McpResponse::ListResourceTemplates(listed)) => {
                lists.know_page(ListOf::ResourceTemplates, &listed.resource_templates);
            }
            Ok(McpResponse::ListSkills(listed)) => {
                listed.skills.retain_mut(|skill| lists.show_skill(skill));
            }
            Ok(McpResponse::GetSkill(got)) => {
                if !lists.show_skill(&mut got.skill) {
                    let reason = format!("there is no resource `{}`", got.skill.uri);
                    *answer = Err(ErrorData::new(ErrorCode::RESOURCE_NOT_FOUND, reason, None));
                }
            }
            Ok(_) | Err(_) => {}
        }
        Work::Now(())
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

    fn show(&self, item: ListEntry<'_>, _: Option<&Viewer>) -> Visibility {
        let lists = self.0.lists();
        let shown = match item {
            // A middleware's own tools are not the author's to hide.
            ListEntry::Tool(_, Some(_)) => true,
            ListEntry::Tool(tool, None) => lists.show(ListOf::Tools, tool),
            ListEntry::Prompt(prompt) => lists.show(ListOf::Prompts, prompt),
            ListEntry::Resource(resource) => lists.show(ListOf::Resources, resource),
            ListEntry::ResourceTemplate(template) => {
                lists.show(ListOf::ResourceTemplates, template)
            }
        };
        if shown {
            Visibility::ToAll
        } else {
            Visibility::Hidden
        }
    }
}

impl ResourceNames for ListsMiddleware {
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
}

impl MessageMiddleware for ListsMiddleware {
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
        {
            match &mut told.notification {
                ServerNotification::ResourceUpdatedNotification(updated) => {
                    updated.params.uri = shown;
                }
                ServerNotification::CustomNotification(told) => {
                    if let Some(params) = &mut told.params {
                        params["uri"] = shown.into();
                    }
                }
                _ => {}
            }
        }
        None
    }
}
