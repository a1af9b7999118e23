//! When the hooks of an entry run: items, `when` and `unless`, and `conditions`.

use serde::{Deserialize, Deserializer};

use super::{
    super::{Family, PluginAt, PluginHook, ROOTS, rule},
    entry::Entry,
    fault::Faults,
    fields::no_empty_lists,
    node::Node,
};
use hooks_core::{condition::Condition, glob};

/// Reads a condition, right or wrong.
pub(super) fn condition<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Condition>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(Condition::written(&text)))
}

impl Entry {
    /// Reports what is wrong with the limits of hooks at these points, and notes conditions that never match.
    pub(super) fn check_limits(
        &self,
        node: &Node,
        points: &[PluginAt],
        faults: &mut Faults,
        notes: &mut Vec<(usize, String)>,
    ) {
        for &(family, key) in Family::NAMED {
            let stands = points.iter().any(|at| at.family().key() == family);
            if node.has(key) && !stands && !points.is_empty() {
                let message =
                    format!("`{key}` has no effect: no hook of this entry is about {key}");
                let help = "remove it, or add a point to `hooks`";
                faults.add(node.line_of(key), message, help);
            }
            faults.words(node, key, self.items(family), glob::problem);
        }
        let is_of_agents = |at: &PluginAt| at.family() == Family::AgentTool;
        if let Some(at) = points.first().filter(|_| node.has("kinds"))
            && !points.iter().any(is_of_agents)
        {
            faults.rule(node.line_of("kinds"), rule::kinds(at.as_str()));
        }
        for (kind, item) in self.kinds.iter().zip(node.items("kinds")) {
            faults.rule(item.line, rule::holds(kind.as_str()));
        }
        faults.words(node, "scopes", &self.scopes, rule::scope);
        for (key, condition) in [("when", &self.when), ("unless", &self.unless)] {
            if let Some(condition) = condition {
                check_condition(condition, key, node, points, faults);
            }
        }
        for (place, table) in node.items("conditions").iter().enumerate() {
            if table.is_empty() {
                let message = "an empty condition matches every request";
                faults.add(table.line, message, "write a field into it, or remove it");
            }
            if let Some(condition) = self.conditions.get(place) {
                let users = &condition.user_patterns;
                faults.words(table, "user_patterns", users, glob::problem);
            }
            if let Some(agents) = table.get("agents") {
                let note = "a condition with `agents` never matches: a server has no agents";
                notes.push((agents.line, note.to_owned()));
            }
        }
        no_empty_lists(node, faults);
    }

    pub(super) fn limit(&self, mut hook: PluginHook) -> PluginHook {
        let own = |words: &[String]| words.iter().map(|word| word.as_str().into()).collect();
        let (family, filter) = (hook.at.family(), &mut hook.filter);
        if family == Family::AgentTool && !self.kinds.is_empty() {
            filter.kinds.clone_from(&self.kinds);
        }
        if let items @ [_, ..] = self.items(family) {
            filter.items = own(items);
        }
        filter.when = self.when.clone().or(filter.when.take());
        filter.unless = self.unless.clone().or(filter.unless.take());
        if !self.scopes.is_empty() {
            filter.scopes = own(&self.scopes);
        }
        filter.conditions.clone_from(&self.conditions);
        hook
    }
}

fn check_condition(
    condition: &Condition,
    key: &str,
    node: &Node,
    points: &[PluginAt],
    faults: &mut Faults,
) {
    let line = node.line_of(key);
    if let Some(wrong) = condition.problem() {
        let message = format!("`{key}`, column {}: {}", wrong.column, wrong.message);
        return faults.add(line, message, &*wrong.help);
    }
    let mut seen = Vec::new();
    for root in condition.roots() {
        if seen.contains(&root) {
            continue;
        }
        seen.push(root);
        if !ROOTS.contains(&root) {
            faults.unknown(line, "root", root, ROOTS.iter().copied());
            continue;
        }
        let mut points = points.iter();
        if let Some((at, problem)) =
            points.find_map(|at| Some((at, rule::root(at.as_str(), root)?)))
        {
            let message = format!("`{key}` at `{}`: {problem}", at.as_str());
            let help = format!("{} only, in `hooks`", problem.help());
            faults.add(line, message, help);
        }
    }
}
