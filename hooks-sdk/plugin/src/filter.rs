//! When a hook runs: the items that its author names, its conditions, and the conditions of a configuration file.

use serde::{Deserialize, Serialize};

use super::{AgentToolKind, Family, GlobalContext, Payload};
use hooks_core::{
    condition::{Condition, Subject},
    glob,
};

/// When a hook runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    /// Globs of the names of items; empty for every item.
    pub(super) items: Vec<Box<str>>,
    /// The kinds of tools of agent clients; empty for every kind.
    pub(super) kinds: Vec<AgentToolKind>,
    pub(super) when: Option<Condition>,
    pub(super) unless: Option<Condition>,
    /// Senders whose tokens have all of these scopes are left alone; empty for none.
    pub(super) scopes: Vec<Box<str>>,
    /// The conditions of a configuration file. They read the payload as it arrived.
    pub(super) conditions: Vec<PluginCondition>,
}

impl Filter {
    /// Returns whether the hook runs for every item and every payload.
    pub(super) fn is_for_all(&self) -> bool {
        self.items.is_empty()
            && self.kinds.is_empty()
            && self.when.is_none()
            && self.unless.is_none()
            && self.scopes.is_empty()
            && self.conditions.is_empty()
    }

    /// Returns whether a part of the filter is about the sender or the server.
    pub(super) fn reads_context(&self) -> bool {
        let reads = |condition: &Condition| {
            let mut roots = condition.roots().into_iter();
            roots.any(|root| OF_CONTEXT.contains(&root))
        };
        !self.scopes.is_empty()
            || !self.conditions.is_empty()
            || self.when.iter().chain(&self.unless).any(reads)
    }

    /// Returns whether the hook runs for an item of this name.
    pub(super) fn names(&self, item: &str) -> bool {
        self.items.is_empty() || self.items.iter().any(|glob| glob::matches(glob, item))
    }

    /// Returns whether the hook is for this item and this kind of tool, whatever its conditions say.
    #[inline]
    pub(super) fn is_about(&self, payload: &impl Payload) -> bool {
        let kind = payload.kind();
        (self.items.is_empty() || self.names(payload.item()))
            && (self.kinds.is_empty() || kind.is_some_and(|kind| self.kinds.contains(&kind)))
    }

    /// Returns whether the hook runs for this payload, as earlier hooks left it.
    #[inline]
    pub(super) fn holds(&self, payload: &impl Payload, global: &GlobalContext) -> bool {
        let mut scopes = self.scopes.iter();
        if !self.scopes.is_empty() && scopes.all(|scope| global.has_scope(scope)) {
            return false;
        }
        self.concerns(payload, global)
    }

    /// Returns whether the hook does not run for a payload, but would if it were the other one, as far as `when` says.
    pub(super) fn would_hold<P: Payload>(
        &self,
        own: &P,
        other: &P,
        global: &GlobalContext,
    ) -> bool {
        let only = |when: bool| Filter {
            when: self.when.clone().filter(|_| when),
            unless: self.unless.clone().filter(|_| !when),
            ..Filter::default()
        };
        self.when.is_some()
            && !self.concerns(own, global)
            && only(true).concerns(other, global)
            && only(false).concerns(own, global)
    }

    /// Returns whether the hook runs for this payload of a sender without scopes.
    pub(super) fn concerns(&self, payload: &impl Payload, global: &GlobalContext) -> bool {
        if !self.is_about(payload) {
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

/// The roots that lead to a part of the request's context. [`see`] reads no other part of it.
const OF_CONTEXT: [&str; 4] = ["user", "claims", "tenant", "server"];

/// The roots of the paths in `when` and `unless`.
pub const ROOTS: &[&str] = hooks_text::PLUGIN_ROOTS.words;

macro_rules! conditions {
    (named { $($named:ident $key:ident $items:ident { $doc:literal, $points:literal, $(#[$member:meta])+ })+ } $($others:tt)*) => {
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
            $($(#[$member])+ pub $items: Vec<String>,)+
            /// Names of agents. A server has none, so a condition with this member never matches.
            pub agents: Vec<String>,
            /// Globs of users. An absent user matches none.
            pub user_patterns: Vec<String>,
            /// Content types, without parameters and in any case, of any content. An absent content type matches none.
            pub content_types: Vec<String>,
        }

        impl PluginCondition {
            /// Returns whether the condition names the item of a payload, or none of the family's.
            fn names(&self, family: Family, item: &str) -> bool {
                let items = match family.key() {
                    $(Family::$named => &self.$items,)+
                    _ => return true,
                };
                items.is_empty() || items.iter().any(|known| known == item)
            }
        }
    };
}
hooks_text::plugin_families!(conditions);

impl PluginCondition {
    fn holds(&self, family: Family, payload: &impl Payload, global: &GlobalContext) -> bool {
        let has = |words: &[String], word: Option<&str>| {
            words.is_empty() || word.is_some_and(|word| words.iter().any(|known| known == word))
        };
        self.agents.is_empty()
            && self.names(family, payload.item())
            && has(&self.server_ids, global.server_id.as_deref())
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
        "claims" => global.claims().map(Subject::Object),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Map, Value, from_value, json};

    use super::*;
    use crate::{
        Chain, Contexts, HttpHeaders, PluginHook, PluginPoint, ResourceResult, ToolCall, point,
    };

    const OF_HTML: &str = r#"content_type = "text/html""#;

    fn rule<P: PluginPoint>(at: P) -> PluginHook {
        PluginHook::deny("rule", at, "no")
    }

    fn when<P: PluginPoint>(at: P, condition: &str) -> PluginHook {
        rule(at).when(Condition::parse(condition).unwrap())
    }

    /// Returns whether a rule stops the payload, as it arrives and after a guardian has changed it.
    async fn stops<P: PluginPoint + Default>(hook: PluginHook, payload: &P::Payload) -> bool {
        let chain = Chain::new([hook]);
        let mut contexts = Contexts::default();
        let ran = chain
            .run(P::default(), &mut payload.clone(), &mut contexts)
            .await;
        let nobody: Arc<dyn std::any::Any + Send + Sync> = Arc::new(());
        let changed = chain.keeps_rules::<P>(&nobody, payload, &mut contexts);
        let stopped = matches!(ran.end, crate::End::Blocked(_));
        assert_eq!(stopped, changed.await.is_err());
        stopped
    }

    fn call(tool: &'static str, content_type: &str) -> ToolCall {
        let mut call = ToolCall::new(tool, Map::new());
        call.headers = Some(HttpHeaders::from_iter([("content-type", content_type)]));
        call
    }

    fn resource(types: &[&str]) -> ResourceResult {
        let content = |of: &&str| json!({"uri": "file:///a", "text": "", "mimeType": of});
        ResourceResult::new("file:///a", types.iter().map(content).collect::<Value>())
    }

    #[test]
    fn only_what_reads_the_context_needs_it() {
        let at = point::tool_pre_invoke;
        let about = |condition: &str| when(at, condition);
        let function = || {
            PluginHook::answering_any::<_, crate::Outcome<ToolCall>>("hook", at, |_, _| {
                Box::pin(async { crate::Outcome::allow() })
            })
        };
        let of_a_file = rule(at).conditions(vec![PluginCondition::default()]);
        for (hook, reads) in [
            (rule(at), false),
            (rule(at).items(&["a*"]), false),
            (about("args.path = \"/etc\""), false),
            (about("args.user = \"ann\""), false),
            (about("user = \"ann\""), true),
            (about("args.path = \"/etc\", claims.role = \"guest\""), true),
            (
                rule(at).unless(Condition::parse("tenant = \"a\"").unwrap()),
                true,
            ),
            (about("server = \"files\""), true),
            (rule(at).scopes(&["write"]), true),
            (of_a_file, true),
            (function(), true),
            (function().without_context(), false),
            (function().without_context().scopes(&["write"]), true),
        ] {
            let said = format!("{hook:?}");
            assert_eq!(
                Chain::new([hook]).reads_context(point::tool_pre_invoke::AT),
                reads,
                "{said}"
            );
        }
    }

    #[tokio::test]
    async fn a_content_type_matches_in_any_case_and_without_its_parameters() {
        for sent in ["text/html", "Text/HTML; charset=utf-8"] {
            let at = point::tool_pre_invoke;
            assert!(stops::<point::tool_pre_invoke>(when(at, OF_HTML), &call("t", sent)).await);
            let at = point::resource_post_fetch;
            let read = resource(&["text/plain", sent]);
            assert!(stops::<point::resource_post_fetch>(when(at, OF_HTML), &read).await);
        }
        let other = resource(&["text/plain"]);
        let at = point::resource_post_fetch;
        assert!(!stops::<point::resource_post_fetch>(when(at, OF_HTML), &other).await);
    }

    #[tokio::test]
    async fn what_is_allowed_by_unless_is_so_for_every_content() {
        let only = || rule(point::resource_post_fetch).unless(Condition::parse(OF_HTML).unwrap());
        for (types, expected) in [
            (&["text/html", "TEXT/html"][..], false),
            (&["text/html", "text/plain"], true),
            (&[], true),
        ] {
            let stopped = stops::<point::resource_post_fetch>(only(), &resource(types)).await;
            assert_eq!(stopped, expected, "{types:?}");
        }
    }

    #[tokio::test]
    async fn the_conditions_of_a_file_hold_after_a_guardians_change_too() {
        let of = |condition: Value| {
            let conditions: Vec<PluginCondition> = from_value(condition).unwrap();
            rule(point::tool_pre_invoke).conditions(conditions)
        };
        let call = call("a", "text/html");
        let stops = async |condition| stops::<point::tool_pre_invoke>(of(condition), &call).await;
        assert!(stops(json!([{"tools": ["a"]}])).await);
        assert!(!stops(json!([{"tools": ["b"]}])).await);
        assert!(!stops(json!([{"user_patterns": ["ann"]}])).await);
        assert!(stops(json!([{"content_types": ["Text/Html"]}])).await);
    }
}
