//! The routing policy that the specification shows: a host's own business, whose keys our requests have.

use std::collections::BTreeMap;

use hooks_sdk::mcpl::Inference;
use serde::Deserialize;
use serde_json::{Value, to_value};

/// The policy as the document shows it, for hosts (MCPL 0.4.1 §11.5, which binds nobody).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Routing {
    default: String,
    #[serde(default)]
    by_feature: BTreeMap<String, String>,
    #[serde(default)]
    wildcards: BTreeMap<String, String>,
    #[serde(default)]
    overrides: BTreeMap<String, String>,
}

impl Routing {
    /// The model for a request, by what stands in it on the wire.
    fn model(&self, request: &Value) -> &str {
        let feature_set = request["featureSet"].as_str().unwrap_or_default();
        let conversation = request["conversationId"].as_str().unwrap_or_default();
        let wildcard = || {
            let mut wildcards = self.wildcards.iter();
            wildcards.find_map(|(pattern, model)| {
                let stem = pattern.strip_suffix('*')?;
                feature_set.starts_with(stem).then_some(model)
            })
        };
        let pinned = self.overrides.get(&format!("conversation:{conversation}"));
        let model = pinned.or_else(|| self.by_feature.get(feature_set));
        model.or_else(wildcard).unwrap_or(&self.default)
    }
}

/// Whether every key of the policy decides about a request that our builder makes.
pub(super) fn check(policy: &Value) -> Result<(), String> {
    let routing: Routing =
        serde_json::from_value(policy.clone()).map_err(|error| error.to_string())?;
    let prompt = || Inference::prompt("Summarise");
    let mut expected = vec![(
        prompt().request("a.feature.set.of.its.own", false),
        &routing.default,
    )];
    for (feature_set, model) in &routing.by_feature {
        expected.push((prompt().request(feature_set, false), model));
    }
    for (pattern, model) in &routing.wildcards {
        expected.push((prompt().request(pattern.replace('*', "zz"), true), model));
    }
    for (key, model) in &routing.overrides {
        let id = key.strip_prefix("conversation:");
        let id = id.ok_or_else(|| format!("our requests have nothing like `{key}`"))?;
        expected.push((
            prompt().conversation(id).request("memory.other", false),
            model,
        ));
    }
    for (request, model) in expected {
        let request = to_value(request).map_err(|error| error.to_string())?;
        if routing.model(&request) != model {
            return Err(format!("{request} does not go to `{model}`"));
        }
    }
    Ok(())
}
