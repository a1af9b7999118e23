//! One entry of `plugins`: an instance of a kind, or a rule without a body.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    super::{Instance, Kind, PluginAt, PluginHook, PluginMode, rule},
    fault::{Faults, clip, origin},
    fields::TableFields,
    limit::{self, Limit, tags},
    node::{Member, Node},
    setting::{self, Setting},
};

/// The kind of a rule without a body.
pub(super) const DENY: &str = "deny";

const KEYS: [&str; 9] = [
    "name",
    "kind",
    "description",
    "author",
    "version",
    "hooks",
    "tags",
    "config",
    "reason",
];

/// A plugin that a configuration file describes.
#[derive(Clone, Debug)]
pub struct ConfiguredPlugin {
    name: String,
    kind: &'static str,
    line: usize,
    description: Option<String>,
    author: Option<String>,
    version: Option<String>,
    tags: Vec<String>,
    config: Option<Value>,
    /// The instance as its kind made it. A later file with the same configuration keeps it, and so its state.
    made: Option<Instance>,
    hooks: Vec<PluginHook>,
}

impl ConfiguredPlugin {
    /// Returns the name, which is the id of its hooks.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the word of its kind; `deny` for a rule without a body.
    pub fn kind(&self) -> &str {
        self.kind
    }

    /// Returns the line at which it begins.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns what it says about itself.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns the author's name.
    pub fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// Returns its version.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Returns the words by which people find it.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(|tag| &**tag)
    }

    /// Returns its hooks.
    pub fn hooks(&self) -> &[PluginHook] {
        &self.hooks
    }
}

/// What an entry is read with.
pub(super) struct Reading<'r> {
    pub(super) kinds: &'r [Kind],
    pub(super) before: &'r [ConfiguredPlugin],
    pub(super) file: &'r std::path::Path,
    pub(super) deadline: Option<std::time::Duration>,
}

impl Reading<'_> {
    /// Reads an entry; `None` if it is wrong, which is then among the faults.
    pub(super) fn entry(
        &self,
        node: &Node,
        faults: &mut Faults,
        notes: &mut Vec<(usize, String)>,
    ) -> Option<ConfiguredPlugin> {
        let known = [&KEYS[..], &["code"], &setting::KEYS, limit::KEYS].concat();
        let fields = TableFields::of(node, "an entry of `plugins`", &known, faults)?;
        let name = self.name(&fields, faults);
        let description = self.words(&fields, "description", faults);
        let author = self.words(&fields, "author", faults);
        let version = self.words(&fields, "version", faults);
        let tags = tags(&fields, faults);
        let mut setting = Setting::read(&fields, faults);
        setting.deadline = setting.deadline.or(self.deadline);
        setting.check(&fields, None, faults);
        let points = limit::points(&fields, faults);
        let kind = self.kind(&fields, faults);
        let (word, made, bare) = match kind {
            None => ("", None, Vec::new()),
            Some(None) => (DENY, None, deny(&fields, &name, points.as_deref(), faults)),
            Some(Some(kind)) => {
                for key in ["reason", "code"] {
                    if let Some(line) = fields.line_of(key) {
                        let message = format!("`{key}` belongs to rules of the kind `{DENY}`");
                        let help = "remove it, or write what the plugin needs under `config`";
                        faults.add(line, message, help);
                    }
                }
                let before = self.before.iter().find(|before| before.name == name);
                let before = before.and_then(|it| Some((it.config.as_ref(), it.made.as_ref()?)));
                let made = instance(&kind, &fields, before, faults);
                let bare = made.as_ref().map(Instance::hooks).unwrap_or_default();
                let bare = standing(&kind, bare, points.as_deref(), faults);
                (kind.word(), made, bare)
            }
        };
        let stand = match points {
            Some(points) => points.iter().map(|(_, at)| *at).collect(),
            None => bare.iter().map(PluginHook::at).collect::<Vec<_>>(),
        };
        setting.check_gates(&fields, &stand, false, faults);
        if stand.contains(&PluginAt::AgentToolPostInvoke) && word == DENY {
            let problem = rule::denies(PluginAt::AgentToolPostInvoke);
            let line = fields.line_of("hooks").unwrap_or(fields.line);
            if let Some(problem) = problem {
                faults.add(line, problem.message(), problem.help());
            }
        }
        if word == DENY && setting.mode == Some(PluginMode::Transform) {
            let line = fields.line_of("mode").unwrap_or(fields.line);
            let message = format!(
                "a rule of the kind `{DENY}` changes nothing, and stops nothing in mode `transform`"
            );
            let help = "use `enforce`, or `permissive` to see what it would stop";
            faults.add(line, message, help);
        }
        let (limit, own) = Limit::read(&fields, &stand, faults);
        notes.extend(own);
        kind?;
        let origin = origin(self.file, fields.line);
        let config = fields.get("config", faults);
        let config = config.map(|member| member.node.json());
        let written = configured(word, config.as_ref());
        let hooks = bare.into_iter().map(|hook| {
            let hook = hook.written_at(origin);
            let hook = limit.apply(setting.apply(hook.named(&*name)));
            let hook = hook.configured(written.clone());
            hook.tagged(tags.iter().cloned())
        });
        let hooks: Vec<PluginHook> = hooks.collect();
        notes.extend(unasked(&hooks).map(|note| (fields.line, note)));
        if let Some(config) = config.as_ref().filter(|_| word == "refuse_commands") {
            notes.extend(unmatched(&name, config).map(|note| (fields.line, note)));
        }
        Some(ConfiguredPlugin {
            hooks,
            kind: word,
            line: fields.line,
            description,
            author,
            version,
            tags,
            config,
            made,
            name,
        })
    }

    fn words(&self, fields: &TableFields<'_>, key: &str, faults: &mut Faults) -> Option<String> {
        Some(fields.text(key, faults)?.text.to_owned())
    }

    fn name(&self, fields: &TableFields<'_>, faults: &mut Faults) -> String {
        if fields.line_of("name").is_none() {
            let help = "write `name:` with a word of its own";
            faults.add(fields.line, "this plugin has no `name`", help);
        }
        let Some(word) = fields.text("name", faults) else {
            return String::new();
        };
        if let Some(problem) = rule::id(word.text) {
            let message = format!("`{}` cannot be a plugin's name", clip(word.text));
            faults.add(word.line, message, problem.help());
        }
        word.text.to_owned()
    }

    /// Reads the kind; `Some(None)` for a rule without a body.
    #[expect(clippy::option_option, reason = "wrong, a rule, or a kind")]
    fn kind(&self, fields: &TableFields<'_>, faults: &mut Faults) -> Option<Option<Kind>> {
        if fields.line_of("kind").is_none() {
            let help = format!("write `kind:` with a registered kind, or `{DENY}`");
            faults.add(fields.line, "this plugin has no `kind`", help);
        }
        let word = fields.text("kind", faults)?;
        if word.text == DENY {
            return Some(None);
        }
        let known = self.kinds.iter().find(|kind| kind.word() == word.text);
        if known.is_none() {
            let words = || self.kinds.iter().map(Kind::word).chain([DENY]);
            let shown = clip(word.text);
            if word.text.contains('.') {
                let message =
                    format!("`{shown}` is the path of a class, and this program has none");
                let words: Vec<&str> = words().collect();
                let help = format!("write the word of a kind: one of `{}`", words.join("`, `"));
                faults.add(word.line, message, help);
            } else if word.text == "external" {
                let message = "plugins in other processes are not supported";
                faults.add(
                    word.line,
                    message,
                    "write the word of a kind in this program",
                );
            } else {
                faults.unknown(word.line, "kind", word.text, words());
            }
        }
        Some(Some(*known?))
    }
}

/// Makes the instance of an entry, or takes the one that an earlier file made from the same configuration.
pub(super) fn instance(
    kind: &Kind,
    fields: &TableFields<'_>,
    before: Option<(Option<&Value>, &Instance)>,
    faults: &mut Faults,
) -> Option<Instance> {
    let written = match fields.line_of("config") {
        Some(_) => Some(fields.get("config", faults)?),
        None => None,
    };
    let config = written.map(|member| member.node.json());
    if let Some((known, made)) = before
        && known == config.as_ref()
        && made.kind() == kind.word()
    {
        return Some(made.clone());
    }
    let absent = config.is_none();
    let made = kind.making(config.unwrap_or_else(|| Value::Object(Map::new())));
    let wrong = match made {
        Ok(made) => return Some(made),
        Err(wrong) => wrong,
    };
    if absent && let Ok(made) = kind.making(Value::Null) {
        return Some(made);
    }
    for (path, message) in wrong {
        let line = match written {
            Some(Member { line, node, .. }) if path.is_empty() => *line.min(&node.line),
            Some(member) => member.node.line_at(&path),
            None => fields.line,
        };
        let place = match path.is_empty() {
            true => "`config`".to_owned(),
            false => format!("`config.{}`", clip(&path.join("."))),
        };
        let help = format!("correct the configuration of the kind `{}`", kind.word());
        let help = match fault_help(&message) {
            Some(near) => format!("did you mean `{near}`?"),
            None => help,
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
fn fault_help(message: &str) -> Option<&str> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut words = message.split('`').skip(1).step_by(2);
    let word = words.next()?;
    hooks_text::nearest(word, words)
}

/// Returns the hooks of a rule without a body, one at each of its points.
fn deny(
    fields: &TableFields<'_>,
    name: &str,
    points: Option<&[(usize, PluginAt)]>,
    faults: &mut Faults,
) -> Vec<PluginHook> {
    if let Some(line) = fields.line_of("config") {
        let message = format!("a rule of the kind `{DENY}` has no `config`");
        faults.add(line, message, "use `when`, `unless`, `tools` and `reason`");
    }
    if fields.line_of("reason").is_none() {
        let help = "write `reason:` with one sentence for the agent";
        faults.add(fields.line, "this rule has no `reason`", help);
    }
    if fields.line_of("hooks").is_none() {
        let help = "write `hooks: [tool_pre_invoke]`, or other points";
        faults.add(fields.line, "this rule has no `hooks`", help);
    }
    let reason = fields.text("reason", faults);
    let code = fields.text("code", faults);
    let (Some(reason), Some(points)) = (reason, points) else {
        return Vec::new();
    };
    let rule = |(_, at): &(usize, PluginAt)| {
        let rule = PluginHook::deny_at(*at, name.to_owned(), reason.text);
        match code {
            Some(code) => rule.code(code.text),
            None => rule,
        }
    };
    points.iter().map(rule).collect()
}

/// Returns the hooks of an instance that stand at the points of the entry.
fn standing(
    kind: &Kind,
    hooks: &[PluginHook],
    points: Option<&[(usize, PluginAt)]>,
    faults: &mut Faults,
) -> Vec<PluginHook> {
    let Some(points) = points else {
        return hooks.to_vec();
    };
    let all = kind.points();
    for (line, at) in points {
        if !all.contains(at) {
            let message = format!(
                "the kind `{}` has no hook at `{}`",
                kind.word(),
                at.as_str()
            );
            let all: Vec<&str> = all.iter().map(|at| at.as_str()).collect();
            let help = format!("it has hooks at `{}`", all.join("`, `"));
            faults.add(*line, message, help);
        }
    }
    let stands = |hook: &&PluginHook| points.iter().any(|(_, at)| *at == hook.at());
    hooks.iter().filter(stands).cloned().collect()
}
