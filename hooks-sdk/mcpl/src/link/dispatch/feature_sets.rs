//! `featureSets/update` in both forms, and `mcpl/manifest`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{AfterSend, DispatchedAnswer, Unserved, read, written};
use crate::{
    ErrorObject, Link, Version,
    wire::{FeatureSetsUpdate, ScopeLists, method},
};

/// The members of an update on 0.4, in both forms.
const ON_04: &[&str] = &["enabled", "disabled", "scopes"];

/// The members of an update on 0.5, as a request.
const ON_05: &[&str] = &[
    "effectiveCapabilities",
    "deniedCapabilities",
    "enabled",
    "disabled",
];

/// The members of an update on 0.5 as a notification.
const NARROWING: &[&str] = &["disabled"];

/// The most policies whose receipts may wait to be sent. Beyond that, the oldest is forgotten: a later policy has long
/// since replaced it.
const MAX_UNANSWERED: usize = 64;

impl Link {
    /// Applies a policy that comes as a request. The senders open when its answer is sent.
    #[doc(hidden)]
    pub fn update_requested(self: &Arc<Link>, params: Option<Value>) -> DispatchedAnswer {
        let params = params.unwrap_or_else(|| json!({}));
        let members = match self.version {
            Version::V04 => ON_04,
            _ => ON_05,
        };
        let receipt = update(params, members).and_then(|update| {
            self.with_sets(|live, sets| {
                let before = live.policy.clone();
                let receipt = live.policy.requested(&update, sets)?;
                live.requested += 1;
                if live.unanswered.len() == MAX_UNANSWERED {
                    live.unanswered.pop_front();
                }
                live.unanswered.push_back((live.requested, before));
                Ok((receipt, live.requested))
            })
        });
        let (receipt, number) = match receipt {
            Ok(receipt) => receipt,
            Err(error) => return error.into(),
        };
        // New permissions wait: the host does not expect their use before it has the receipt.
        self.stop_revoked();
        self.report_silent();
        DispatchedAnswer {
            result: written(&receipt),
            leaving: AfterSend {
                activates: Some(number),
                after: Vec::new(),
            },
        }
    }

    /// Applies a policy that comes as a notification. On 0.5 it can only narrow.
    ///
    /// # Errors
    ///
    /// The params are not an object.
    pub(super) fn update_notified(self: &Arc<Link>, mut params: Value) -> Result<(), ErrorObject> {
        let members = match self.version {
            Version::V04 => ON_04,
            _ => NARROWING,
        };
        readable(&mut params, members);
        let update = update(params, members)?;
        let known = |name: &str| self.derived.set(name).is_some();
        self.live().policy.notified(&update, known);
        self.report_silent();
        if self.version == Version::V04 {
            self.activate();
        } else {
            self.settle();
        }
        Ok(())
    }

    /// Returns the complete `experimental.mcpl` object. 0.4 has no such method.
    pub(super) fn manifest(&self) -> Result<Value, Unserved> {
        match self.version {
            Version::V04 => Err(Unserved::NoMethod),
            _ => Ok(Value::Object(self.declaration())),
        }
    }
}

/// Reads an update with these members only. Members of another version or form are ignored, whatever their shape.
fn update(mut params: Value, members: &[&str]) -> Result<FeatureSetsUpdate, ErrorObject> {
    if let Value::Object(given) = &mut params {
        given.retain(|name, _| members.contains(&name.as_str()));
    }
    read(method::FEATURE_SETS_UPDATE, params)
}

/// Removes the entries that cannot be read and keeps the rest, because a notification cannot be answered with an error.
fn readable(params: &mut Value, members: &[&str]) {
    for member in members {
        let Some(value) = params.get_mut(*member).filter(|value| !value.is_null()) else {
            continue;
        };
        match value {
            Value::Object(scopes) if *member == "scopes" => scopes.values_mut().for_each(listed),
            Value::Array(entries) if *member != "scopes" => entries.retain(|entry| {
                let reads = entry.is_string();
                if !reads {
                    tracing::warn!(
                        target: "hooks_sdk::mcpl",
                        member,
                        "an entry of `featureSets/update` is no string, and is ignored"
                    );
                }
                reads
            }),
            other => {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    member,
                    "a member of `featureSets/update` cannot be read, and is ignored"
                );
                *other = Value::Null;
            }
        }
    }
}

/// Empties scope lists that cannot be read. It is unknown what they would forbid, and with empty lists the SDK asks the
/// host.
fn listed(lists: &mut Value) {
    if let Err(error) = serde_json::from_value::<ScopeLists>(lists.clone()) {
        tracing::warn!(
            target: "hooks_sdk::mcpl",
            %error, "the scopes of a feature set cannot be read; the host is asked for each"
        );
        *lists = json!({});
    }
}
