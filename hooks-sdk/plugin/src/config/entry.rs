//! One entry of `plugins`: an instance of a kind, or a rule without a body.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::{Map, Value};

use super::{
    super::{
        AgentToolKind, Family, Instance, Kind, PluginAt, PluginCondition, PluginHook, PluginMode,
        rule,
    },
    fault::{Faults, clip, origin},
    fields::read,
    node::Node,
    setting::with_setting,
};
use hooks_core::condition::Condition;

/// The kind of a rule without a body.
const DENY: &str = "deny";

/// A plugin that a configuration file describes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfiguredPlugin {
    /// The name, which is the id of its hooks.
    pub name: String,
    /// The word of its kind; `deny` for a rule without a body.
    pub kind: &'static str,
    /// The line at which it begins.
    pub line: usize,
    /// What it says about itself.
    pub description: Option<String>,
    /// The author's name.
    pub author: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The words by which people find it.
    pub tags: Vec<String>,
    /// Its hooks.
    pub hooks: Vec<PluginHook>,
    config: Option<Value>,
    /// The instance as its kind made it. A later file with the same configuration keeps it, and so its state.
    made: Option<Instance>,
}

macro_rules! entry {
    (named { $($named:ident $key:ident $items:ident $row:tt)+ } $($others:tt)*) => {
        with_setting! {
            /// An entry as it is written.
            struct Entry {
                name: String,
                kind: String,
                description: Option<String>,
                author: Option<String>,
                version: Option<String>,
                hooks: Option<Vec<PluginAt>>,
                tags: Vec<String>,
                config: Option<Value>,
                reason: String,
                code: Option<String>,
                kinds: Vec<AgentToolKind>,
                $($items: Vec<String>,)+
                #[serde(deserialize_with = "super::limit::condition")]
                when: Option<Condition>,
                #[serde(deserialize_with = "super::limit::condition")]
                unless: Option<Condition>,
                scopes: Vec<String>,
                conditions: Vec<PluginCondition>,
            }
        }

        impl Entry {
            /// Returns the globs of a family's items.
            pub(super) fn items(&self, family: Family) -> &[String] {
                match family.key() {
                    $(Family::$named => &self.$items,)+
                    _ => &[],
                }
            }
        }
    };
}
hooks_text::plugin_families!(entry);

/// What an entry is read with.
pub(super) struct Reading<'r> {
    pub(super) kinds: &'r [Kind],
    pub(super) before: &'r [ConfiguredPlugin],
    pub(super) file: &'r Path,
    pub(super) deadline: Option<Duration>,
}

impl Reading<'_> {
    /// Reads an entry; `None` if it is wrong, which is then among the faults.
    pub(super) fn entry(
        &self,
        node: &Node,
        faults: &mut Faults,
        notes: &mut Vec<(usize, String)>,
    ) -> Option<ConfiguredPlugin> {
        let entry: Entry = read(node, "an entry of `plugins`", faults)?;
        if !node.has("name") {
            let help = "write `name:` with a word of its own";
            faults.add(node.line, "this plugin has no `name`", help);
        } else if !entry.name.is_empty()
            && let Some(problem) = rule::id(&entry.name)
        {
            let message = format!("`{}` cannot be a plugin's name", clip(&entry.name));
            faults.add(node.line_of("name"), message, problem.help());
        }
        let points = entry.hooks.as_deref().unwrap_or_default();
        for (place, (at, item)) in points.iter().zip(node.items("hooks")).enumerate() {
            if points[..place].contains(at) {
                let message = format!("`{}` is given twice", at.as_str());
                faults.add(item.line, message, "remove one of them");
            }
        }
        let mut setting = entry.setting();
        setting.deadline = setting.deadline.or(self.deadline);
        let (word, made, bare) = if entry.kind == DENY {
            check_rule(&setting.mode, points, node, faults);
            let rule = |at: &PluginAt| {
                let rule = PluginHook::deny_at(*at, entry.name.clone(), &entry.reason);
                match &entry.code {
                    Some(code) => rule.code(&**code),
                    None => rule,
                }
            };
            (DENY, None, points.iter().map(rule).collect())
        } else {
            for key in ["reason", "code"].into_iter().filter(|key| node.has(key)) {
                let message = format!("`{key}` belongs to rules of the kind `{DENY}`");
                let help = "remove it, or write what the plugin needs under `config`";
                faults.add(node.line_of(key), message, help);
            }
            let kind = self.kind(node, &entry.kind, faults);
            let before = self.before.iter().find(|before| before.name == entry.name);
            let before = before.and_then(|it| Some((it.config.as_ref(), it.made.as_ref()?)));
            let config = entry.config.as_ref();
            let made = kind.and_then(|kind| instance(&kind, node, config, before, faults));
            let mut bare = made.iter().flat_map(Instance::hooks).cloned().collect();
            if let Some(kind) = kind.filter(|_| node.has("hooks")) {
                standing(&kind, &mut bare, points, node, faults);
            }
            (kind.map_or("", |kind| kind.word()), made, bare)
        };
        let stand: Vec<PluginAt> = match node.has("hooks") {
            true => points.to_vec(),
            false => bare.iter().map(PluginHook::at).collect(),
        };
        setting.check(node, &stand, (PluginMode::Enforce, false), faults);
        entry.check_limits(node, &stand, faults, notes);
        let origin = origin(self.file, node.line);
        let written = configured(word, entry.config.as_ref());
        let hooks = bare.into_iter().map(|hook| {
            let hook = hook.written_at(origin).named(&*entry.name);
            let hook = entry.limit(setting.apply(hook));
            let hook = hook.configured(written.clone());
            hook.tagged(entry.tags.iter().cloned())
        });
        let hooks: Vec<PluginHook> = hooks.collect();
        let globs = entry.config.iter().filter(|_| word == "refuse_commands");
        let unmatched = globs.flat_map(|config| unmatched(&entry.name, config));
        let said = unasked(&hooks).into_iter().chain(unmatched);
        notes.extend(said.map(|note| (node.line, note)));
        Some(ConfiguredPlugin {
            name: entry.name,
            kind: word,
            line: node.line,
            description: entry.description,
            author: entry.author,
            version: entry.version,
            tags: entry.tags,
            hooks,
            config: entry.config,
            made,
        })
    }

    /// Returns the kind with this word; none if no kind of the program has it.
    fn kind(&self, node: &Node, word: &str, faults: &mut Faults) -> Option<Kind> {
        let known = self.kinds.iter().find(|kind| kind.word() == word);
        let words: Vec<&str> = self.kinds.iter().map(Kind::word).chain([DENY]).collect();
        let line = node.line_of("kind");
        if !node.has("kind") {
            let help = format!("write `kind:` with a registered kind, or `{DENY}`");
            faults.add(line, "this plugin has no `kind`", help);
        } else if known.is_none() && word.contains('.') {
            let word = clip(word);
            let message = format!("`{word}` is the path of a class, and this program has none");
            let help = format!("write the word of a kind: one of `{}`", words.join("`, `"));
            faults.add(line, message, help);
        } else if known.is_none() && word == "external" {
            let message = "plugins in other processes are not supported";
            faults.add(line, message, "write the word of a kind in this program");
        } else if known.is_none() && !word.is_empty() {
            faults.unknown(line, "kind", word, words);
        }
        known.copied()
    }
}

/// Reports what a rule without a body lacks, and what it cannot have.
fn check_rule(mode: &Option<PluginMode>, points: &[PluginAt], node: &Node, faults: &mut Faults) {
    if node.has("config") {
        let message = format!("a rule of the kind `{DENY}` has no `config`");
        let help = "use `when`, `unless`, `tools` and `reason`";
        faults.add(node.line_of("config"), message, help);
    }
    if !node.has("reason") {
        let help = "write `reason:` with one sentence for the agent";
        faults.add(node.line, "this rule has no `reason`", help);
    }
    if !node.has("hooks") {
        let help = "write `hooks: [tool_pre_invoke]`, or other points";
        faults.add(node.line, "this rule has no `hooks`", help);
    }
    let mut points = points.iter();
    faults.rule(
        node.line_of("hooks"),
        points.find_map(|at| rule::denies(at.as_str())),
    );
    if *mode == Some(PluginMode::Transform) {
        let message = format!(
            "a rule of the kind `{DENY}` changes nothing, and stops nothing in mode `transform`"
        );
        let help = "use `enforce`, or `permissive` to see what it would stop";
        faults.add(node.line_of("mode"), message, help);
    }
}

/// Makes the instance of an entry, or takes the one that an earlier file made from the same configuration.
pub(super) fn instance(
    kind: &Kind,
    node: &Node,
    config: Option<&Value>,
    before: Option<(Option<&Value>, &Instance)>,
    faults: &mut Faults,
) -> Option<Instance> {
    if config.is_none() && node.has("config") {
        return None;
    }
    if let Some((known, made)) = before
        && known == config
        && made.kind() == kind.word()
    {
        return Some(made.clone());
    }
    let empty = || Value::Object(Map::new());
    let wrong = match kind.making(config.cloned().unwrap_or_else(empty)) {
        Ok(made) => return Some(made),
        Err(wrong) => wrong,
    };
    if config.is_none()
        && let Ok(made) = kind.making(Value::Null)
    {
        return Some(made);
    }
    for (path, message) in wrong {
        let steps = path.iter().map(String::as_str);
        let (line, _) = node.at(["config"].into_iter().chain(steps));
        let place = match path.is_empty() {
            true => "`config`".to_owned(),
            false => format!("`config.{}`", clip(&path.join("."))),
        };
        let help = match meant(&message) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("correct the configuration of the kind `{}`", kind.word()),
        };
        faults.add(line, format!("{place}: {message}"), help);
    }
    None
}

/// Returns the configuration of a hook's plugin as a text.
pub(super) fn configured(kind: &str, config: Option<&Value>) -> Option<Arc<str>> {
    config.map(|config| format!("{kind} {config}").into())
}

/// Says that a hook asks nobody in its mode, if it can ask.
pub(super) fn unasked(hooks: &[PluginHook]) -> Option<String> {
    let asks = |hook: &&PluginHook| rule::asks(hook.its_mode(), hook.asks).is_some();
    let hook = hooks.iter().find(asks)?;
    let (id, mode) = (hook.id(), hook.its_mode());
    let then = match mode {
        PluginMode::Concurrent => ", and its question refuses the request",
        _ => "",
    };
    let mode = mode.as_str();
    Some(format!(
        "`{id}` can ask the user, and asks nobody in mode `{mode}`{then}"
    ))
}

/// Returns a sentence about each glob that no command can match.
fn unmatched(name: &str, config: &Value) -> impl Iterator<Item = String> {
    let globs = match &config["commands"] {
        Value::Array(globs) => globs.clone(),
        one => vec![one.clone()],
    };
    let globs = globs
        .into_iter()
        .filter_map(|glob| Some(glob.as_str()?.to_owned()));
    let is_odd = |glob: &String| {
        *glob != *glob.trim() || glob.contains("  ") || glob.starts_with(['\'', '"', '\\'])
    };
    globs.filter(is_odd).map(move |glob| {
        format!("`{name}`: no command matches `{glob}`: a command begins with its program, without quotes, and has one blank between words")
    })
}

/// Returns the known word that is nearest to an unknown one, both as serde's message names them.
fn meant(message: &str) -> Option<&str> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut words = message.split('`').skip(1).step_by(2);
    let word = words.next()?;
    hooks_text::nearest(word, words)
}

/// Keeps the hooks of an instance that stand at the points of the entry.
fn standing(
    kind: &Kind,
    hooks: &mut Vec<PluginHook>,
    points: &[PluginAt],
    node: &Node,
    faults: &mut Faults,
) {
    let all = kind.points();
    for (at, item) in points.iter().zip(node.items("hooks")) {
        if !all.contains(at) {
            let (word, at) = (kind.word(), at.as_str());
            let all: Vec<&str> = all.iter().map(|at| at.as_str()).collect();
            let message = format!("the kind `{word}` has no hook at `{at}`");
            let help = format!("it has hooks at `{}`", all.join("`, `"));
            faults.add(item.line, message, help);
        }
    }
    hooks.retain(|hook| points.contains(&hook.at()));
}
