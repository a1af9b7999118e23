//! What is wrong with list hooks before any client asks: tools with one name, and hidden tools that open sessions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    built::Built,
    item::json,
    lists::{Lists, nameless},
};
use crate::server::pipeline::Author;
use hooks_core::{BuildError, glob};
use hooks_plugin::{ListOf, ListedItem};

impl Lists {
    /// Returns what clients see of the author's tool, by `get_tool` or by its name alone.
    fn of_tool(&self, name: &str, author: &dyn Author) -> Option<ListedItem> {
        let members = match author.tool(name).map(|tool| json(&tool)) {
            Some(Value::Object(members)) => members,
            _ => nameless(ListOf::Tools, name),
        };
        self.hooked(ListOf::Tools, &members)
    }

    /// Returns the tools that list hooks give one name, as far as the hooks name them in full and `get_tool` knows them.
    fn clashes(&self, author: &dyn Author) -> Vec<BuildError> {
        let hooks = self.hooks().filter(|hook| hook.of() == ListOf::Tools);
        let named: BTreeSet<&str> = hooks
            .flat_map(|hook| hook.its_items().filter(|item| glob::is_name(item)))
            .filter(|name| author.tool(name).is_some())
            .collect();
        let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in named {
            let Some(shown) = self.of_tool(name, author) else {
                continue;
            };
            let shown = shown.key().to_owned();
            let is_kept = |own: &str| {
                author.tool(own).is_some()
                    && self
                        .of_tool(own, author)
                        .is_some_and(|item| item.key() == own)
            };
            let of = owners.entry(shown.clone()).or_default();
            if shown != name && is_kept(&shown) {
                of.insert(shown);
            }
            of.insert(name.to_owned());
        }
        let several = owners.into_iter().filter(|(_, owners)| owners.len() > 1);
        several
            .map(|(name, owners)| {
                let owners: Vec<String> = owners.into_iter().collect();
                BuildError::new(
                    None,
                    format!(
                        "list hooks give the tools `{}` one name: `{name}`",
                        owners.join("`, `")
                    ),
                    "give each of them a name of its own",
                )
            })
            .collect()
    }
}

impl Built {
    /// Returns the problems of the list hooks with the author's tools.
    pub(in crate::server) fn list_problems(&self, author: &dyn Author) -> Vec<BuildError> {
        self.lists().clashes(author)
    }

    /// Returns the problem of a session machine whose opening tools no client sees. Logs the hidden ones among others.
    pub(in crate::server) fn hidden_opening<'t>(
        &self,
        tools: impl Iterator<Item = &'t str>,
        author: &dyn Author,
    ) -> Option<BuildError> {
        let lists = self.lists();
        if !lists.concerns(ListOf::Tools) {
            return None;
        }
        // A tool that the SDK serves itself is always listed.
        let tools: Vec<&str> = tools.filter(|tool| author.tool(tool).is_some()).collect();
        let is_hidden = |tool: &&&str| lists.of_tool(tool, author).is_none();
        let hidden: Vec<&str> = tools.iter().filter(is_hidden).copied().collect();
        if hidden.is_empty() {
            return None;
        }
        let names = hidden.join("`, `");
        if hidden.len() < tools.len() {
            tracing::warn!(
                target: "hooks_sdk::server",
                "list hooks hide `{names}`, which would open sessions"
            );
            return None;
        }
        Some(BuildError::new(
            None,
            format!("list hooks hide `{names}`, and no other tool opens a session"),
            "leave the tool out of the list hook, or open sessions with a tool that clients see",
        ))
    }
}
