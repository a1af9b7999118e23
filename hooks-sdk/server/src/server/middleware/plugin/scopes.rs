//! The scopes that rules ask of the sender of a message, before the message reaches the pipeline.

use rmcp::model::SubscriptionFilter;
use serde::Deserialize;
use serde_json::{Map, Value, from_slice, from_value};

use super::{
    active::PolicyVersion,
    http::HttpPoints,
    item::{ItemFamily, with_family},
};
use crate::{
    http::Principal,
    server::methods::{NamedBy, of_client},
};
use hooks_plugin::{GlobalContext, ResourceFetch, point};

/// A message, as far as it says what it is for.
#[derive(Deserialize)]
struct Message {
    method: String,
    #[serde(default)]
    params: Value,
}

impl HttpPoints {
    /// Returns the scopes that rules ask of this sender for the tool, prompt or resources that a message names. The rules run again
    /// in the pipeline, so a message that is read otherwise there gains nothing.
    pub(crate) fn scopes_for<'p>(
        &self,
        policy: &'p PolicyVersion,
        sender: &Principal,
        message: &[u8],
    ) -> Vec<&'p str> {
        let chain = &policy.chain;
        if chain.hooks().all(|hook| hook.its_scopes().next().is_none()) {
            return Vec::new();
        }
        let Ok(Message { method, mut params }) = from_slice(message) else {
            return Vec::new();
        };
        let Some(row) = of_client(&method) else {
            return Vec::new();
        };
        let mut global = GlobalContext::new("").with_claims(sender.claims().cloned());
        global.user = Some(sender.as_str().to_owned());
        global.tenant_id = sender.tenant().map(str::to_owned);
        global.server_id.clone_from(&self.built.policy.server_id);
        let of_resource = |uri: String| {
            let fetch = ResourceFetch::new(uri, Map::new());
            chain.scopes_for::<point::resource_pre_fetch>(&fetch, &global)
        };
        if let NamedBy::Resources = row.names {
            let asked = params.get_mut("notifications").map(Value::take);
            let filter = asked.and_then(|asked| from_value::<SubscriptionFilter>(asked).ok());
            let uris = filter.and_then(|filter| filter.resource_subscriptions);
            return uris.into_iter().flatten().flat_map(of_resource).collect();
        }
        let Some(points) = row.points else {
            return Vec::new();
        };
        // The rules for reading a resource hold for the completion of its template, too.
        let referred = match params["ref"]["type"] == "ref/resource" {
            true => params["ref"]["uri"].as_str().map(str::to_owned),
            false => None,
        };
        let mut scopes = with_family!(points, I => match from_value::<<I as ItemFamily>::Params>(params) {
            Ok(mut params) => {
                let payload = I::take(&mut params, None);
                chain.scopes_for::<<I as ItemFamily>::Pre>(&payload, &global)
            }
            Err(_) => return Vec::new(),
        });
        scopes.extend(referred.into_iter().flat_map(of_resource));
        scopes
    }
}
