//! The conditions under which a hook is included.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{HookQuery, McpFeature, McpFeatures, query::Rules};
use crate::{json::is_equal_json, object::present};

/// Conditions on the server and its client. All conditions that are set must hold.
///
/// Implements the Hooks System document, "Conditions".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Conditions {
    /// Requires that one of these storage backends is active; an empty list is no condition.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub requires_storage: Option<Vec<Cow<'static, str>>>,
    /// Requires that all of these features are available.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub requires_features: Option<Vec<McpFeature>>,
    /// Requires that the configuration has all of these values.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub requires_config: Option<Map<String, Value>>,
}

impl Conditions {
    fn storage(&self) -> &[Cow<'static, str>] {
        self.requires_storage.as_deref().unwrap_or_default()
    }

    pub(super) fn features(&self) -> McpFeatures {
        self.requires_features.iter().flatten().copied().collect()
    }

    fn config(&self) -> Option<&Map<String, Value>> {
        self.requires_config
            .as_ref()
            .filter(|config| !config.is_empty())
    }

    /// Returns whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        self.storage().is_empty() && self.features().is_empty() && self.config().is_none()
    }

    /// Returns whether the conditions hold for a query.
    pub fn hold(&self, query: &HookQuery<'_>) -> bool {
        self.storage_holds(query)
            && missing(self.features(), query).is_empty()
            && self.missing_config(query).next().is_none()
    }

    /// Returns what is missing, in the words of the document's notice; `None` if all conditions hold.
    pub fn unmet(&self, query: &HookQuery<'_>) -> Option<String> {
        let mut parts = Vec::new();
        if !self.storage_holds(query) {
            parts.push(format!("requires storage: {}", self.storage().join(" or ")));
        }
        let features = missing(self.features(), query);
        if !features.is_empty() {
            let words: Vec<&str> = features.iter().map(McpFeature::as_str).collect();
            parts.push(format!("requires features: {}", words.join(", ")));
        }
        let mut config: Vec<&str> = self.missing_config(query).collect();
        // Sorted, because the order of a JSON map depends on a feature of serde_json.
        config.sort_unstable();
        if !config.is_empty() {
            parts.push(format!("requires config: {}", config.join(", ")));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn storage_holds(&self, query: &HookQuery<'_>) -> bool {
        let required = self.storage();
        required.is_empty()
            || query
                .storage
                .is_some_and(|active| required.iter().any(|one| one == active))
    }

    fn missing_config<'c>(&'c self, query: &HookQuery<'c>) -> impl Iterator<Item = &'c str> {
        let (given, rules) = (query.config, query.rules);
        let required = self.config().into_iter().flatten();
        let unmet = required.filter(move |(key, value)| match (given, rules) {
            (Some(given), _) => !given
                .get(*key)
                .is_some_and(|given| rules.same(given, value)),
            (None, Rules::Document) => true,
            (None, Rules::Reference) => false,
        });
        unmet.map(|(key, _)| key.as_str())
    }
}

fn missing(required: McpFeatures, query: &HookQuery<'_>) -> McpFeatures {
    match query.rules {
        Rules::Reference if required.meets(query.features) => McpFeatures::EMPTY,
        Rules::Reference => required,
        Rules::Document => required.without(query.features),
    }
}

impl Rules {
    fn same(self, given: &Value, required: &Value) -> bool {
        match self {
            Rules::Document => is_equal_json(given, required),
            // JavaScript's `===` compares arrays and objects by identity.
            Rules::Reference if given.is_array() || given.is_object() => false,
            Rules::Reference => is_equal_json(given, required),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(value: &Value) -> Conditions {
        Conditions {
            requires_config: value.as_object().cloned(),
            ..Conditions::default()
        }
    }

    #[test]
    fn config_compares_at_every_depth() {
        let given = json!({"a": {"b": [1, {"c": null}]}, "n": 1, "s": "1", "f": false});
        let query = HookQuery {
            config: given.as_object(),
            ..HookQuery::default()
        };
        for (required, expected) in [
            (json!({"a": {"b": [1.0, {"c": null}]}}), true),
            (json!({"a": {"b": [1]}}), false),
            (json!({"a": {}}), false),
            (json!({"a": {"b": [1, {"c": null}], "d": 1}}), false),
            (json!({"n": 1.0, "s": "1"}), true),
            (json!({"n": "1"}), false),
            (json!({"n": true}), false),
            (json!({"f": null}), false),
            (json!({"missing": null}), false),
            (json!({}), true),
        ] {
            assert_eq!(config(&required).hold(&query), expected, "{required}");
        }
    }

    #[test]
    fn config_fails_closed_and_the_reference_open() {
        let required = config(&json!({"debug": true}));
        assert!(!required.hold(&HookQuery::default()));
        assert_eq!(
            required.unmet(&HookQuery::default()).as_deref(),
            Some("requires config: debug")
        );
        let reference = HookQuery {
            rules: Rules::Reference,
            ..HookQuery::default()
        };
        assert!(required.hold(&reference));
        let (given, nested) = (json!({"a": [1]}), config(&json!({"a": [1]})));
        assert!(nested.hold(&HookQuery {
            config: given.as_object(),
            ..HookQuery::default()
        }));
        assert!(!nested.hold(&HookQuery {
            config: given.as_object(),
            ..reference
        }));
    }

    #[test]
    fn every_feature_and_one_storage() {
        let both = Conditions {
            requires_features: Some(vec![McpFeature::Sampling, McpFeature::Tools]),
            requires_storage: Some(vec!["memory".into(), "file".into()]),
            ..Conditions::default()
        };
        let tools = HookQuery {
            features: McpFeatures::EMPTY.with(McpFeature::Tools),
            ..HookQuery::default()
        };
        let unmet = "requires storage: memory or file; requires features: sampling";
        assert_eq!(both.unmet(&tools).as_deref(), Some(unmet));
        let memory = HookQuery {
            storage: Some("memory"),
            ..tools
        };
        assert!(
            !both.hold(&memory)
                && both.hold(&HookQuery {
                    rules: Rules::Reference,
                    ..memory
                })
        );
        let all = memory.features.with(McpFeature::Sampling);
        assert!(both.hold(&HookQuery {
            features: all,
            ..memory
        }));
        assert_eq!(
            both.unmet(&HookQuery {
                features: all,
                ..memory
            }),
            None
        );
    }
}
