//! The scopes that rules ask of the sender of a message, before the message reaches the pipeline.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{built::RequestPolicy, http::HttpPoints};
use crate::{
    http::Principal,
    plugin::{GlobalContext, PromptFetch, ResourceFetch, ToolCall, point},
    server::methods::{NamedBy, of_client},
};

/// A message, as far as it says what it is for.
#[derive(Deserialize)]
struct Message {
    method: String,
    #[serde(default)]
    params: Params,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    name: Option<String>,
    uri: Option<String>,
    arguments: Option<Map<String, Value>>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
}

impl HttpPoints {
    /// Returns the scopes that rules ask of this sender for the tool, prompt or resource that a message names. The rules run again
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
        let Params {
            name,
            uri,
            arguments,
            meta,
        } = params;
        let arguments = arguments.unwrap_or_default();
        match (row.names, name, uri) {
            (NamedBy::Tool, Some(name), _) => {
                let call = ToolCall::new(name, arguments);
                chain.scopes_for::<point::tool_pre_invoke>(&call, &global)
            }
            (NamedBy::Prompt, Some(name), _) => {
                let fetch = PromptFetch::new(name, arguments);
                chain.scopes_for::<point::prompt_pre_fetch>(&fetch, &global)
            }
            (NamedBy::Resource, _, Some(uri)) if row.points.is_some() => {
                let fetch = ResourceFetch::new(uri, meta.unwrap_or_default());
                chain.scopes_for::<point::resource_pre_fetch>(&fetch, &global)
            }
            _ => Vec::new(),
        }
    }
}
