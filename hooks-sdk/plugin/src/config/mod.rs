//! The configuration file: plugins, rules and changes of hooks that a server reads when it starts.

mod change;
mod entry;
mod fault;
mod fields;
mod limit;
mod node;
mod reload;
mod setting;
mod source;
#[cfg(test)]
mod tests;
mod yaml;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, de::IgnoredAny};

use self::{
    change::HookChange,
    entry::Reading,
    fault::{Faults, clip},
    fields::{Key, Whole, no_empty_lists},
    node::Node,
    source::{parsed, read},
};
use super::{Chain, Kind, ListHook, ListOf, PluginAt, PluginHook};
use hooks_core::{Origin, glob};

pub use self::{
    entry::ConfiguredPlugin,
    fault::ConfigurationErrors,
    reload::{ActivePolicy, Reloaded, Reloading},
    source::MAX_CONFIGURATION,
};

/// The top of a file. The entries of `plugins` and `hooks` are read one by one.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Top {
    plugins: Vec<IgnoredAny>,
    hooks: Vec<IgnoredAny>,
    hook_policies: BTreeMap<Key<PluginAt>, Vec<String>>,
    limits: BTreeMap<Key<PluginAt>, Whole<1, { i64::MAX }>>,
    lists: BTreeMap<Key<ListOf>, ListTable>,
    questions: Option<Whole<0, 9>>,
    #[serde(deserialize_with = "fields::time")]
    deadline: Option<Duration>,
    log: Option<Log>,
}

/// What a file does with a list.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ListTable {
    hide: Vec<String>,
}

#[cfg(feature = "policy")]
type Log = hooks_log::LogSettings;
#[cfg(not(feature = "policy"))]
type Log = IgnoredAny;

/// A configuration file that was read without a mistake.
///
/// ```
/// use hooks_sdk::plugin::{Configuration, PluginHook, point};
///
/// let own = [PluginHook::deny("no_deletes", point::tool_pre_invoke, "nothing is deleted here")];
/// let file = r#"
/// plugins:
///   - name: keep_logs
///     kind: deny
///     hooks: [tool_pre_invoke]
///     when: args.path = inside("/var/log")
///     reason: logs are never changed
/// hooks:
///   - id: no_deletes
///     mode: audit
/// "#;
/// let configuration = Configuration::parse("policy.yaml", file, &[], &own)?;
/// assert_eq!(configuration.plugins().count(), 1);
/// let chain = configuration.chain(own, |chain| chain);
/// assert_eq!(chain.hooks().count(), 2);
/// # Ok::<(), hooks_sdk::plugin::ConfigurationErrors>(())
/// ```
///
/// # Limits
///
/// A file has at most 1 MiB and 32 values in each other.
#[derive(Clone, Debug)]
pub struct Configuration {
    file: Arc<Path>,
    text: Arc<str>,
    plugins: Vec<ConfiguredPlugin>,
    changes: Vec<HookChange>,
    policies: BTreeMap<PluginAt, Vec<String>>,
    limits: BTreeMap<PluginAt, usize>,
    questions: Option<usize>,
    lists: Vec<ListHook>,
    notes: Vec<(usize, String)>,
    #[cfg(feature = "policy")]
    log: Option<hooks_log::LogSettings>,
}

impl Configuration {
    /// Reads a file, in YAML, for a program with these kinds and hooks.
    ///
    /// `hooks` are all plugin hooks of the program: the author's own, and those of the instances that the author made.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the file, with its lines.
    pub fn read(
        file: impl AsRef<Path>,
        kinds: &[Kind],
        hooks: &[PluginHook],
    ) -> Result<Configuration, ConfigurationErrors> {
        let text = read(file.as_ref())?;
        Configuration::made(file.as_ref(), &text, kinds, hooks, None)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text, with its lines.
    pub fn parse(
        file: impl AsRef<Path>,
        text: &str,
        kinds: &[Kind],
        hooks: &[PluginHook],
    ) -> Result<Configuration, ConfigurationErrors> {
        Configuration::made(file.as_ref(), text, kinds, hooks, None)
    }

    /// Reads the text of a file. An entry that `before` has with the same kind and configuration keeps its instance.
    pub(super) fn made(
        file: &Path,
        text: &str,
        kinds: &[Kind],
        hooks: &[PluginHook],
        before: Option<&Configuration>,
    ) -> Result<Configuration, ConfigurationErrors> {
        let mut faults = Faults::new(file);
        let mut configuration = Configuration {
            file: file.into(),
            text: text.into(),
            plugins: Vec::new(),
            changes: Vec::new(),
            policies: BTreeMap::new(),
            limits: BTreeMap::new(),
            questions: None,
            lists: Vec::new(),
            notes: Vec::new(),
            #[cfg(feature = "policy")]
            log: None,
        };
        if let Some(node) = parsed(file, text, &mut faults) {
            configuration.fill(&node, kinds, hooks, before, &mut faults);
        }
        faults.check()?;
        configuration.notes.sort();
        Ok(configuration)
    }

    fn fill(
        &mut self,
        node: &Node,
        kinds: &[Kind],
        hooks: &[PluginHook],
        before: Option<&Configuration>,
        faults: &mut Faults,
    ) {
        let Some(top) = fields::read::<Top>(node, "the file", faults) else {
            return;
        };
        let reading = Reading {
            kinds,
            before: before.map_or(&[], |before| &before.plugins),
            file: &self.file.clone(),
            deadline: top.deadline,
        };
        let mut names: HashMap<&str, usize> = HashMap::new();
        for node in node.items("plugins") {
            let plugin = reading.entry(node, faults, &mut self.notes);
            self.plugins.extend(plugin);
            let Some(name) = node.text("name") else {
                continue;
            };
            if let Some(first) = names.insert(name, node.line) {
                let message = format!(
                    "two plugins are called `{}`; first in line {first}",
                    clip(name)
                );
                faults.add(node.line, message, "give one of them another name");
            }
            if let Some(own) = hooks.iter().find(|hook| hook.id() == name) {
                let Origin { file, line, .. } = own.origin();
                let message = format!("`{name}` is a hook of the program already ({file}:{line})");
                let help = "give this plugin another name; `hooks` in this file changes the hook";
                faults.add(node.line, message, help);
            }
        }
        let mut changed: HashMap<String, usize> = HashMap::new();
        for node in node.items("hooks") {
            let id = node.text("id").filter(|id| names.contains_key(id));
            if let Some(id) = id {
                let message = format!("`{}` is a plugin of this file", clip(id));
                faults.add(node.line, message, "set it at the plugin itself");
                continue;
            }
            let before = before.map_or(&[][..], |before| &before.changes);
            let change = HookChange::read(node, hooks, before, faults, &mut self.notes);
            let Some(change) = change else { continue };
            if let Some(first) = changed.insert(change.id.clone(), change.line) {
                let message = format!(
                    "`{}` is changed twice; first in line {first}",
                    clip(&change.id)
                );
                faults.add(change.line, message, "put both changes into one entry");
            }
            self.changes.push(change);
        }
        for (Key(at), fields) in top.hook_policies {
            let policies = node.at(["hook_policies"]).1;
            for (field, item) in fields.iter().zip(policies.items(at.as_str())) {
                if !at.fields().contains(&&**field) {
                    let what = format!("field of `{}`", at.as_str());
                    faults.unknown(item.line, &what, field, at.fields().iter().copied());
                }
            }
            self.policies.insert(at, fields);
        }
        for (Key(at), Whole(characters)) in top.limits {
            self.limits
                .insert(at, usize::try_from(characters).unwrap_or(usize::MAX >> 1));
        }
        self.questions = top.questions.and_then(|most| most.0.try_into().ok());
        for (Key(of), list) in top.lists {
            let table = node.at(["lists", of.as_str()]).1;
            no_empty_lists(table, faults);
            faults.words(table, "hide", &list.hide, glob::problem);
            let globs: Vec<&str> = list.hide.iter().map(String::as_str).collect();
            if !globs.is_empty() {
                let id = format!("file-hides-{}", of.as_str());
                self.lists.push(ListHook::hide(id, of, &globs));
            }
        }
        #[cfg(feature = "policy")]
        {
            self.log = top.log;
        }
        #[cfg(not(feature = "policy"))]
        if node.has("log") {
            let message = "this build has no decision log";
            let help = "build it with the feature `policy`";
            faults.add(node.line_of("log"), message, help);
        }
    }

    /// Returns the chain of a program with this file: the program's hooks, changed as the file says, and then the
    /// file's own.
    ///
    /// `hooks` are those with which the file was read. `settle` makes the settings of the author, which those of the file
    /// replace.
    pub fn chain(
        &self,
        hooks: impl IntoIterator<Item = PluginHook>,
        settle: impl FnOnce(Chain) -> Chain,
    ) -> Chain {
        let changed = hooks.into_iter().map(|hook| {
            let change = self.changes.iter().find(|change| change.id == hook.id());
            match change {
                Some(change) => change.apply(hook),
                None => hook,
            }
        });
        let own = self
            .plugins
            .iter()
            .flat_map(|plugin| plugin.hooks.iter().cloned());
        let mut chain = settle(Chain::new(changed.chain(own)));
        for (at, fields) in &self.policies {
            let fields: Vec<&str> = fields.iter().map(|field| &**field).collect();
            chain = chain.writable(*at, &fields);
        }
        for (at, characters) in &self.limits {
            chain = chain.limit(*at, *characters);
        }
        match self.questions {
            Some(most) => chain.questions(most),
            None => chain,
        }
    }

    /// Returns the settings of the decision log, if the file has them. A server reads them once, when it starts.
    #[cfg(feature = "policy")]
    pub fn log(&self) -> Option<&hooks_log::LogSettings> {
        self.log.as_ref()
    }

    /// Returns the list hooks of the file. They stand behind those of the program.
    pub fn lists(&self) -> &[ListHook] {
        &self.lists
    }

    /// Returns the globs of what the file hides, by list.
    fn hidden(&self) -> impl Iterator<Item = (ListOf, Vec<&str>)> {
        let hooks = self.lists.iter();
        hooks.map(|hook| (hook.of(), hook.its_items().collect()))
    }

    /// Describes what the file does beside its hooks, one thing in each line.
    #[doc(hidden)]
    pub fn settings(&self) -> Vec<String> {
        let limits = self.limits.iter();
        let limits = limits
            .map(|(at, most)| format!("payload at {}: at most {most} characters", at.as_str()));
        let policies = self.policies.iter().map(|(at, fields)| match &**fields {
            [] => format!("hooks at {} may change nothing", at.as_str()),
            fields => format!(
                "hooks at {} may change {} only",
                at.as_str(),
                fields.join(", ")
            ),
        });
        let questions = self.questions.iter();
        let questions = questions.map(|most| format!("questions of a hook in a request: {most}"));
        let hidden = self.hidden();
        let hidden = hidden
            .map(|(of, globs)| format!("list of {}: hides {}", of.as_str(), globs.join(", ")));
        let settings = limits.chain(policies).chain(questions);
        settings.chain(hidden).collect()
    }

    /// Returns the plugins and rules of the file, in its order.
    pub fn plugins(&self) -> impl Iterator<Item = &ConfiguredPlugin> {
        self.plugins.iter()
    }

    /// Returns the file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns what an operator should know: hooks of the program that the file weakens, and conditions that never
    /// match. Each begins with file and line.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let file = self.file.display();
        self.notes
            .iter()
            .map(move |(line, note)| format!("{file}:{line}: {note}"))
    }
}

/// Returns the settings of the decision log in a file, or `None` if it has none or is wrong.
#[cfg(feature = "policy")]
pub fn log_of_file(file: &Path) -> Option<hooks_log::LogSettings> {
    let text = read(file).ok()?;
    // A gate would parse the file twice. An escape can spell the word.
    if !text.contains("log") && !text.contains('\\') {
        return None;
    }
    let node = parsed(file, &text, &mut Faults::new(file))?;
    serde_json::from_value(node.get("log")?.node.json()).ok()
}
