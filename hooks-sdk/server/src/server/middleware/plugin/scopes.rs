//! The scopes that rules ask of the sender of a message, before the message reaches the pipeline.

use rmcp::model::{CompleteRequestParams, SubscriptionFilter};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    built::RequestPolicy,
    http::HttpPoints,
    item::{Completions, ItemFamily},
};
use crate::{
    http::Principal,
    server::methods::{NamedBy, of_client},
};
use hooks_plugin::{GlobalContext, ListOf, PromptFetch, ResourceFetch, ToolCall, point};

/// A message, as far as it says what it is for.
#[derive(Deserialize)]
struct Message {
    method: String,
    #[serde(default)]
    params: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NamedParams {
    name: Option<String>,
    uri: Option<String>,
    arguments: Option<Map<String, Value>>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
    notifications: SubscriptionFilter,
}

impl HttpPoints {
    /// Returns the scopes that rules ask of this sender for the tool, prompt or resources that a message names. The rules run again
    /// in the pipeline, so a message that is read otherwise there gains nothing.
    pub(crate) fn scopes_for<'p>(
        &self,
        policy: &'p RequestPolicy,
        sender: &Principal,
        message: &[u8],
    ) -> Vec<&'p str> {
        let chain = &policy.chain;
        if chain.hooks().all(|hook| hook.its_scopes().next().is_none()) {
            return Vec::new();
        }
        let Ok(Message { method, params }) = serde_json::from_slice(message) else {
            return Vec::new();
        };
        let Some(row) = of_client(&method) else {
            return Vec::new();
        };
        let mut global = GlobalContext::new("").with_claims(sender.claims().cloned());
        global.user = Some(sender.as_str().to_owned());
        global.tenant_id = sender.tenant().map(str::to_owned);
        global.server_id = self.server_id();
        let of_resource = |uri: String, meta| {
            chain.scopes_for::<point::resource_pre_fetch>(&ResourceFetch::new(uri, meta), &global)
        };
        if let NamedBy::Reference = row.names {
            let Ok(mut params) = serde_json::from_value::<CompleteRequestParams>(params) else {
                return Vec::new();
            };
            let (list, uri) = Completions::item(&params);
            let is_resource = matches!(list, ListOf::Resources | ListOf::ResourceTemplates);
            let resource = is_resource.then(|| of_resource(uri.to_owned(), Map::new()));
            let fetch = Completions::take(&mut params, None);
            let mut scopes = chain.scopes_for::<point::completion_pre_fetch>(&fetch, &global);
            scopes.extend(resource.into_iter().flatten());
            return scopes;
        }
        let Ok(params) = serde_json::from_value::<NamedParams>(params) else {
            return Vec::new();
        };
        let arguments = params.arguments.unwrap_or_default();
        match (row.names, params.name, params.uri) {
            (NamedBy::Tool, Some(name), _) => {
                let call = ToolCall::new(name, arguments);
                chain.scopes_for::<point::tool_pre_invoke>(&call, &global)
            }
            (NamedBy::Prompt, Some(name), _) => {
                let fetch = PromptFetch::new(name, arguments);
                chain.scopes_for::<point::prompt_pre_fetch>(&fetch, &global)
            }
            (NamedBy::Resource, _, Some(uri)) if row.points.is_some() => {
                of_resource(uri, params.meta.unwrap_or_default())
            }
            (NamedBy::Resources, ..) => {
                let uris = params.notifications.resource_subscriptions;
                let uris = uris.into_iter().flatten();
                uris.flat_map(|uri| of_resource(uri, Map::new())).collect()
            }
            _ => Vec::new(),
        }
    }
}
