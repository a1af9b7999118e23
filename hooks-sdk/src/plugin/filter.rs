//! When a hook runs: the items that its author names, its conditions, and the conditions of a configuration file.

use serde::{Deserialize, Serialize};

use super::{Family, GlobalContext, Payload};
use crate::core::{
    condition::{Condition, Subject},
    glob,
};

/// When a hook runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    /// Globs of the names of items; empty for every item.
    pub(super) items: Vec<Box<str>>,
    pub(super) when: Option<Condition>,
    pub(super) unless: Option<Condition>,
    /// The conditions of a configuration file. They read the payload as it arrived.
    pub(super) conditions: Vec<PluginCondition>,
}

impl Filter {
    /// Returns whether the hook runs for an item of this name.
    pub(super) fn names(&self, item: &str) -> bool {
        self.items.is_empty() || self.items.iter().any(|glob| glob::matches(glob, item))
    }

    /// Returns whether the hook runs for this payload, as earlier hooks left it.
    pub(super) fn holds(&self, payload: &impl Payload, global: &GlobalContext) -> bool {
        if !self.items.is_empty() && !self.names(payload.item()) {
            return false;
        }
        if self.when.is_none() && self.unless.is_none() {
            return true;
        }
        let looks = |condition: &Condition| {
            let mut looks = false;
            condition.each_path(|path| looks |= path.root == *CONTENT_TYPE);
            looks
        };
        let when = self.when.as_ref().is_none_or(|when| {
            if looks(when) {
                let mut types = payload.content_types().into_iter();
                // Some content, in some spelling of its type.
                return types.any(|own| {
                    spelt(own, |own| {
                        when.holds(&|root: &str| typed(root, own, payload, global))
                    })
                });
            }
            when.holds(&|root: &str| see(root, payload, global))
        });
        when && self.unless.as_ref().is_none_or(|unless| {
            if looks(unless) {
                let types = payload.content_types();
                let is_allowed = |own: Option<&str>| {
                    spelt(own, |own| {
                        unless.holds_for_all(&|root: &str| typed(root, own, payload, global))
                    })
                };
                return types.is_empty() || !types.into_iter().all(is_allowed);
            }
            !unless.holds_for_all(&|root: &str| see(root, payload, global))
        })
    }

    /// Returns whether the configuration file lets the hook run for the payload as it arrived.
    pub(super) fn admits(
        &self,
        family: Family,
        payload: &impl Payload,
        global: &GlobalContext,
    ) -> bool {
        self.conditions.is_empty()
            || self
                .conditions
                .iter()
                .any(|condition| condition.holds(family, payload, global))
    }
}

/// The root that leads to the content type of each content.
const CONTENT_TYPE: &str = "content_type";

/// The roots of the paths in `when` and `unless`.
pub const ROOTS: &[&str] = &[
    "args",
    "result",
    "content",
    "metadata",
    "user",
    "tenant",
    "server",
    "content_type",
];

/// One entry of `conditions` in a configuration file. Every member that is there must match; an absent one matches
/// everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PluginCondition {
    /// Ids of servers, exactly.
    pub server_ids: Vec<String>,
    /// Ids of tenants, exactly.
    pub tenant_ids: Vec<String>,
    /// Names of tools, exactly. Restricts hooks of tools only.
    pub tools: Vec<String>,
    /// Names of prompts, exactly. Restricts hooks of prompts only.
    pub prompts: Vec<String>,
    /// URIs of resources, exactly. Restricts hooks of resources only.
    pub resources: Vec<String>,
    /// Names of agents. A server has none, so a condition with this member never matches.
    pub agents: Vec<String>,
    /// Globs of users. An absent user matches none.
    pub user_patterns: Vec<String>,
    /// Content types, without parameters and in any case, of any content. An absent content type matches none.
    pub content_types: Vec<String>,
}

impl PluginCondition {
    fn holds(&self, family: Family, payload: &impl Payload, global: &GlobalContext) -> bool {
        let has = |words: &[String], word: Option<&str>| {
            words.is_empty() || word.is_some_and(|word| words.iter().any(|known| known == word))
        };
        let items = match family {
            Family::Tool => &self.tools,
            Family::Prompt => &self.prompts,
            Family::Resource => &self.resources,
            Family::Http => return self.agents.is_empty() && self.holds_of(payload, global, has),
        };
        self.agents.is_empty()
            && has(items, Some(payload.item()))
            && self.holds_of(payload, global, has)
    }

    fn holds_of(
        &self,
        payload: &impl Payload,
        global: &GlobalContext,
        has: impl Fn(&[String], Option<&str>) -> bool,
    ) -> bool {
        has(&self.server_ids, global.server_id.as_deref())
            && has(&self.tenant_ids, global.tenant_id.as_deref())
            && (self.user_patterns.is_empty()
                || global.user.as_ref().is_some_and(|user| {
                    let mut patterns = self.user_patterns.iter();
                    patterns.any(|pattern| glob::matches(pattern, user))
                }))
            && (self.content_types.is_empty()
                || payload.content_types().into_iter().flatten().any(|own| {
                    let own = plain(own);
                    let mut types = self.content_types.iter();
                    types.any(|known| plain(known).eq_ignore_ascii_case(own))
                }))
    }
}

/// Returns what the root of a path leads to.
pub(super) fn see<'a>(
    root: &str,
    payload: &'a impl Payload,
    global: &'a GlobalContext,
) -> Option<Subject<'a>> {
    match root {
        "user" => global.user.as_deref().map(Subject::Text),
        "tenant" => global.tenant_id.as_deref().map(Subject::Text),
        "server" => global.server_id.as_deref().map(Subject::Text),
        CONTENT_TYPE => payload.content_type().map(Subject::Text),
        root => payload.root(root),
    }
}

/// Returns what the root of a path leads to, for a content of this type.
fn typed<'a>(
    root: &str,
    own: Option<&'a str>,
    payload: &'a impl Payload,
    global: &'a GlobalContext,
) -> Option<Subject<'a>> {
    match root {
        CONTENT_TYPE => own.map(Subject::Text),
        root => see(root, payload, global),
    }
}

/// Returns whether something holds for a content type as it was sent, or without its parameters in lower case.
fn spelt(own: Option<&str>, holds: impl Fn(Option<&str>) -> bool) -> bool {
    let Some(sent) = own else {
        return holds(None);
    };
    holds(Some(sent)) || holds(Some(&plain(sent).to_ascii_lowercase()))
}

/// Returns a content type without its parameters.
fn plain(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}
