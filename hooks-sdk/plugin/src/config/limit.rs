//! When the hooks of an entry run: items, `when` and `unless`, and `conditions`.

use super::{
    super::{AgentToolKind, Family, PluginAt, PluginCondition, PluginHook, ROOTS, rule},
    fault::{Faults, clip},
    fields::{LocatedText, TableFields, text},
    node::{Node, NodeValue},
};
use hooks_core::{condition::Condition, glob};

macro_rules! keys {
    (named { $($named:ident $key:ident $items:ident $row:tt)+ } $($others:tt)*) => {
        /// The keys of a [`Limit`].
        pub(super) const KEYS: &[&str] =
            &["kinds", $(stringify!($items),)+ "when", "unless", "scopes", "conditions"];
    };
}
hooks_text::plugin_families!(keys);

/// When the hooks of an entry run.
#[derive(Clone, Debug, Default)]
pub(super) struct Limit {
    items: Vec<(Family, Vec<Box<str>>)>,
    kinds: Vec<AgentToolKind>,
    when: Option<Condition>,
    unless: Option<Condition>,
    scopes: Vec<Box<str>>,
    conditions: Vec<PluginCondition>,
}

impl Limit {
    /// Reads the limits of hooks at these points.
    pub(super) fn read(
        fields: &TableFields<'_>,
        points: &[PluginAt],
        faults: &mut Faults,
    ) -> (Limit, Vec<(usize, String)>) {
        let mut items = Vec::new();
        for &(family, key) in Family::NAMED {
            let globs = fields.globs(key, faults).unwrap_or_default();
            let stands = points.iter().any(|at| at.family().key() == family);
            if let Some(line) = fields.line_of(key)
                && !stands
                && !points.is_empty()
            {
                let message =
                    format!("`{key}` has no effect: no hook of this entry is about {key}");
                faults.add(line, message, "remove it, or add a point to `hooks`");
            }
            if !globs.is_empty() {
                items.push((family, globs.into_iter().map(Box::from).collect()));
            }
        }
        let mut notes = Vec::new();
        let limit = Limit {
            items,
            kinds: kinds(fields, points, faults),
            when: condition(fields, "when", points, faults),
            unless: condition(fields, "unless", points, faults),
            scopes: scopes(fields, faults),
            conditions: conditions(fields, faults, &mut notes),
        };
        (limit, notes)
    }

    pub(super) fn apply(&self, mut hook: PluginHook) -> PluginHook {
        let family = hook.at().family().key();
        if hook.at().family() == Family::AgentTool && !self.kinds.is_empty() {
            hook = hook.kinds(&self.kinds);
        }
        if let Some((_, globs)) = self.items.iter().find(|(of, _)| *of == family) {
            hook.filter.items.clone_from(globs);
        }
        if let Some(when) = &self.when {
            hook = hook.when(when.clone());
        }
        if let Some(unless) = &self.unless {
            hook = hook.unless(unless.clone());
        }
        if !self.scopes.is_empty() {
            hook.filter.scopes.clone_from(&self.scopes);
        }
        hook.conditions(self.conditions.clone())
    }
}

/// Reads the kinds of tools of agent clients.
fn kinds(fields: &TableFields<'_>, points: &[PluginAt], faults: &mut Faults) -> Vec<AgentToolKind> {
    let Some(line) = fields.line_of("kinds") else {
        return Vec::new();
    };
    if let Some(at) = points.first()
        && !points.iter().any(|at| at.family() == Family::AgentTool)
        && let Some(problem) = rule::kinds(*at)
    {
        faults.add(line, problem.message(), problem.help());
    }
    let mut kinds = Vec::new();
    for word in fields.texts("kinds", faults).unwrap_or_default() {
        let Some(kind) = AgentToolKind::named(word.text) else {
            let known = AgentToolKind::ALL.iter().map(|kind| kind.as_str());
            faults.unknown(word.line, "kind", word.text, known);
            continue;
        };
        if let Some(problem) = rule::holds(kind) {
            faults.add(word.line, problem.message(), problem.help());
        }
        kinds.push(kind);
    }
    kinds
}

/// Reads the scopes whose owners the hooks leave alone.
fn scopes(fields: &TableFields<'_>, faults: &mut Faults) -> Vec<Box<str>> {
    let words = fields.texts("scopes", faults).unwrap_or_default();
    for word in &words {
        if let Some(problem) = rule::scope(word.text) {
            let message = format!("`{}`: {}", clip(word.text), problem.message());
            faults.add(word.line, message, problem.help());
        }
    }
    words.into_iter().map(|word| word.text.into()).collect()
}

fn condition(
    fields: &TableFields<'_>,
    key: &str,
    points: &[PluginAt],
    faults: &mut Faults,
) -> Option<Condition> {
    let word = fields.text(key, faults)?;
    let condition = match Condition::parse(word.text) {
        Ok(condition) => condition,
        Err(wrong) => {
            let message = format!("`{key}`, column {}: {}", wrong.column, wrong.message);
            faults.add(word.line, message, wrong.help);
            return None;
        }
    };
    let mut seen = Vec::new();
    condition.each_path(|path| {
        if !seen.contains(&&*path.root) {
            seen.push(&path.root);
        }
    });
    for root in seen {
        if !ROOTS.contains(&root) {
            faults.unknown(word.line, "root", root, ROOTS.iter().copied());
            continue;
        }
        let wrong = points
            .iter()
            .find_map(|at| Some((at, rule::root(*at, root)?)));
        if let Some((at, problem)) = wrong {
            let message = format!("`{key}` at `{}`: {problem}", at.as_str());
            faults.add(
                word.line,
                message,
                format!("{} only, in `hooks`", problem.help()),
            );
        }
    }
    Some(condition)
}

fn conditions(
    fields: &TableFields<'_>,
    faults: &mut Faults,
    notes: &mut Vec<(usize, String)>,
) -> Vec<PluginCondition> {
    let mut all = Vec::new();
    for node in fields.list("conditions", faults) {
        if matches!(&node.value, NodeValue::Table(members) if members.is_empty()) {
            let message = "an empty condition matches every request";
            faults.add(node.line, message, "write a field into it, or remove it");
        }
        all.extend(one(node, faults, notes));
    }
    all
}

fn one(
    node: &Node,
    faults: &mut Faults,
    notes: &mut Vec<(usize, String)>,
) -> Option<PluginCondition> {
    let fields = TableFields::of(node, "a condition", PluginCondition::MEMBERS, faults)?;
    let mut words = |key| -> Vec<LocatedText<'_>> { fields.texts(key, faults).unwrap_or_default() };
    let own = |words: Vec<LocatedText<'_>>| words.iter().map(|word| word.text.to_owned()).collect();
    let user_patterns = words("user_patterns");
    let mut condition = PluginCondition {
        server_ids: own(words("server_ids")),
        tenant_ids: own(words("tenant_ids")),
        user_patterns: own(user_patterns.clone()),
        ..PluginCondition::default()
    };
    for &(family, key) in Family::NAMED {
        if let Some(items) = condition.items(family) {
            *items = own(words(key));
        }
    }
    condition.agents = own(words("agents"));
    condition.content_types = own(words("content_types"));
    for word in user_patterns {
        if let Some(problem) = glob::problem(word.text) {
            let message = format!("`{}`: {}", clip(word.text), problem.message());
            faults.add(word.line, message, problem.help());
        }
    }
    if let Some(line) = fields.line_of("agents") {
        let note = "a condition with `agents` never matches: a server has no agents";
        notes.push((line, note.to_owned()));
    }
    Some(condition)
}

/// Reads the points of an entry.
pub(super) fn points(
    fields: &TableFields<'_>,
    faults: &mut Faults,
) -> Option<Vec<(usize, PluginAt)>> {
    fields.line_of("hooks")?;
    let mut points: Vec<(usize, PluginAt)> = Vec::new();
    for word in fields.texts("hooks", faults)? {
        let Some(at) = point(word, faults) else {
            continue;
        };
        if points.iter().any(|(_, known)| *known == at) {
            let message = format!("`{}` is given twice", word.text);
            faults.add(word.line, message, "remove one of them");
        }
        points.push((word.line, at));
    }
    Some(points)
}

/// Reads the word of a point.
pub(super) fn point(word: LocatedText<'_>, faults: &mut Faults) -> Option<PluginAt> {
    let at = PluginAt::named(word.text);
    if at.is_none() {
        let known = PluginAt::ALL.iter().map(|at| at.as_str());
        faults.unknown(word.line, "point", word.text, known);
    }
    at
}

/// Reads words for people.
pub(super) fn tags(fields: &TableFields<'_>, faults: &mut Faults) -> Vec<String> {
    let mut tags = Vec::new();
    for node in fields.list("tags", faults) {
        let word = text(node, "a tag", faults);
        tags.extend(word.map(|word| word.text.to_owned()));
    }
    tags
}
