//! List hooks: what clients see of tools, prompts and resources.

use std::{any::Any, borrow::Cow, sync::Arc};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Family, point::PROTOCOL};
use hooks_core::{
    Origin, Owner, glob,
    internal::{debugs, entry, setters, words},
};

words! {
    /// A list that a server answers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum ListOf: "Returns the word for the list in an attribute." {
        /// `tools/list`.
        Tools = "tools",
        /// `prompts/list`.
        Prompts = "prompts",
        /// `resources/list`.
        Resources = "resources",
        /// `resources/templates/list`.
        ResourceTemplates = "resource_templates",
    }
}

impl ListOf {
    /// The number of lists.
    #[doc(hidden)]
    pub const COUNT: usize = ListOf::ResourceTemplates as usize + 1;

    /// Returns what the list is about.
    pub const fn family(self) -> Family {
        match self {
            ListOf::Tools => Family::Tool,
            ListOf::Prompts => Family::Prompt,
            ListOf::Resources | ListOf::ResourceTemplates => Family::Resource,
        }
    }

    /// Returns the member by which a client names an item of the list.
    #[doc(hidden)]
    pub const fn key(self) -> &'static str {
        match self {
            ListOf::Tools | ListOf::Prompts => "name",
            ListOf::Resources => "uri",
            ListOf::ResourceTemplates => "uriTemplate",
        }
    }
}

/// The words of the lists in an attribute.
pub mod list_of {
    use super::ListOf;

    hooks_core::internal::constants! {
        tools: ListOf = Tools;
        prompts: ListOf = Prompts;
        resources: ListOf = Resources;
        resource_templates: ListOf = ResourceTemplates;
    }
}

/// One tool, prompt, resource or resource template as its list shows it.
///
/// A list hook is a pure function of a definition. It never sees a session, a user or a page.
///
/// ```
/// use hooks_sdk::plugin::{Listed, ListedItem};
///
/// fn without_drafts(item: &ListedItem) -> Listed {
///     match item.members["name"].as_str() {
///         Some(name) if name.starts_with("draft_") => Listed::Hidden,
///         _ => Listed::Shown,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListedItem {
    /// The list that the item stands in.
    pub of: ListOf,
    /// Every member of the item, in the protocol's words.
    pub members: Map<String, Value>,
}

/// What a list shows of an item.
///
/// ```
/// use hooks_sdk::plugin::{Listed, ListedItem};
///
/// fn described(item: &ListedItem) -> Listed {
///     let mut shown = item.clone();
///     shown.members.insert("description".into(), "Ask the user first.".into());
///     Listed::As(shown)
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the three answers are the whole algebra"
)]
pub enum Listed {
    /// The item as it is.
    Shown,
    /// Nothing. A call of a hidden item is refused as if it did not exist.
    Hidden,
    /// The item with other members, such as another description. Its names stay: an item with another name, URI or URI
    /// template is hidden, and the log has an error.
    As(ListedItem),
}

/// The answer of a function with `#[plugin::list]`.
#[diagnostic::on_unimplemented(
    message = "a list hook cannot answer with `{Self}`",
    label = "not `Listed`",
    note = "write `-> Listed`: it is `Listed::Shown`, `Listed::Hidden`, or `Listed::As(…)` for an item with other members"
)]
#[doc(hidden)]
pub trait ListAnswer {
    fn listed(self) -> Listed;
}

#[diagnostic::do_not_recommend]
impl ListAnswer for Listed {
    fn listed(self) -> Listed {
        self
    }
}

type ShowItem = dyn Fn(&ListedItem) -> Listed + Send + Sync;

/// A list hook: this protocol's part of a [`Hook`](hooks_core::Hook). Its id in the core's registry is `plugin:list:id`.
#[derive(Clone)]
pub struct ListHook {
    id: Cow<'static, str>,
    of: ListOf,
    items: Vec<Box<str>>,
    show: Arc<ShowItem>,
    owner: Owner,
    origin: Origin,
}

impl ListHook {
    /// Makes a list hook from a pure function.
    #[track_caller]
    pub fn new(
        id: impl Into<Cow<'static, str>>,
        of: ListOf,
        show: impl Fn(&ListedItem) -> Listed + Send + Sync + 'static,
    ) -> ListHook {
        ListHook {
            id: id.into(),
            of,
            items: Vec::new(),
            show: Arc::new(show),
            owner: Owner::ANY,
            origin: Origin::here(),
        }
    }

    /// Makes a list hook that hides the items that match one of these globs.
    #[track_caller]
    pub fn hide(id: impl Into<Cow<'static, str>>, of: ListOf, globs: &[&str]) -> ListHook {
        ListHook::new(id, of, |_| Listed::Hidden).items(globs)
    }

    setters! {
        /// Limits the hook to items whose names (URIs for resources) match one of these globs.
        fn items(mut self, globs: &[&str]) { self.items = globs.iter().map(|glob| (*glob).into()).collect() }

        /// Ties the hook to the server `H`.
        fn server<H: Any>(mut self) { self.owner = Owner::of::<H>() }
    }

    /// Returns the hook's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the globs of the items that the hook is limited to.
    pub fn its_items(&self) -> impl Iterator<Item = &str> {
        self.items.iter().map(|item| &**item)
    }

    /// Returns the list that the hook stands at.
    pub fn of(&self) -> ListOf {
        self.of
    }

    /// Returns what the list shows of an item.
    pub fn show(&self, item: &ListedItem) -> Listed {
        let named = || {
            self.items
                .iter()
                .any(|glob| glob::matches(glob, item.key()))
        };
        if self.of != item.of || !(self.items.is_empty() || named()) {
            return Listed::Shown;
        }
        match (self.show)(item) {
            Listed::As(other) if !other.is_named_like(item) => {
                tracing::error!(
                    target: "hooks_sdk::plugin",
                    hook = %self.id, list = item.of.as_str(), item = item.key(),
                    "a list hook gives an item another name, so the item is hidden. Clients see the author's names: change \
                     another member, such as `title`"
                );
                Listed::Hidden
            }
            listed => listed,
        }
    }
}

entry!(ListHook: PROTOCOL, |hook| hook.of.as_str(), format!("{PROTOCOL}:{}:{}", hook.of.as_str(), hook.id));

debugs!(ListHook { id, of, items });

impl ListedItem {
    /// Creates a definition from the members of an item.
    pub fn new(of: ListOf, members: Map<String, Value>) -> ListedItem {
        ListedItem { of, members }
    }

    /// Returns what a client names the item by: its name, its URI or its URI template.
    pub fn key(&self) -> &str {
        self.text(self.of.key()).unwrap_or_default()
    }

    /// Returns the name of the item.
    pub fn name(&self) -> &str {
        self.text("name").unwrap_or_default()
    }

    /// Returns the item's description.
    pub fn description(&self) -> Option<&str> {
        self.text("description")
    }

    /// Returns the URI of a resource.
    pub fn uri(&self) -> Option<&str> {
        self.text("uri")
    }

    /// Returns one of the item's annotations, such as `destructiveHint`.
    pub fn annotation(&self, name: &str) -> Option<&Value> {
        self.members.get("annotations")?.get(name)
    }

    setters! {
        /// Returns the same item with another description.
        fn described(mut self, description: impl Into<String>) {
            let description = Value::String(description.into());
            self.members.insert("description".into(), description);
        }

        /// Returns the same item with an annotation.
        fn annotated(mut self, name: impl Into<String>, value: impl Into<Value>) {
            let annotations = self.members.entry("annotations");
            let annotations = annotations.or_insert_with(|| Value::Object(Map::new()));
            if let Some(annotations) = annotations.as_object_mut() {
                annotations.insert(name.into(), value.into());
            }
        }
    }

    fn is_named_like(&self, item: &ListedItem) -> bool {
        let is_same = |member| self.members.get(member) == item.members.get(member);
        self.of == item.of && is_same("name") && is_same(item.of.key())
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.members.get(member)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(of: ListOf, members: Value) -> ListedItem {
        ListedItem::new(of, members.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn every_member_but_the_names_may_be_changed() {
        let change = |of, member: &'static str| {
            let hook = ListHook::new("change", of, move |item| {
                let mut item = item.clone();
                item.members.insert(member.to_owned(), "other".into());
                Listed::As(item)
            });
            let own = item(of, json!({"name": "a", of.key(): "a", "title": "A"}));
            match hook.show(&own) {
                Listed::As(shown) => shown.members[member] == "other",
                Listed::Hidden => false,
                Listed::Shown => panic!("`{member}` is as it was"),
            }
        };
        for of in [
            ListOf::Tools,
            ListOf::Prompts,
            ListOf::Resources,
            ListOf::ResourceTemplates,
        ] {
            for member in ["title", "description", "mimeType"] {
                assert!(change(of, member), "{of:?} {member}");
            }
            for name in ["name", of.key()] {
                assert!(!change(of, name), "{of:?} {name}");
            }
        }
    }

    #[test]
    fn an_item_of_another_list_is_hidden() {
        let other = item(ListOf::Prompts, json!({"name": "a"}));
        let hook = ListHook::new("other", ListOf::Tools, move |_| Listed::As(other.clone()));
        let own = item(ListOf::Tools, json!({"name": "a"}));
        assert_eq!(hook.show(&own), Listed::Hidden);
    }
}
