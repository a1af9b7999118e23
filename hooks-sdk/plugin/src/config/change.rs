//! One entry of `hooks`: what a file changes about a hook of the program.

use super::{
    super::{Instance, PluginHook, PluginMode},
    entry::{configured, instance, unasked},
    fault::{Faults, clip},
    fields::read,
    node::Node,
    setting::{Setting, with_setting},
};
use hooks_core::{Origin, Posture};
use serde_json::Value;

/// What a file changes about a hook of the program.
#[derive(Clone, Debug)]
pub(super) struct HookChange {
    pub(super) id: String,
    pub(super) line: usize,
    setting: Setting,
    /// The configuration of its plugin, and the instance that was made from it. A later file with the same configuration
    /// keeps the instance, and so its state.
    config: Option<(Value, Instance)>,
}

with_setting! {
    /// An entry as it is written.
    struct Entry {
        id: String,
        disabled: Option<bool>,
        config: Option<Value>,
    }
}

impl HookChange {
    /// Reads an entry; `None` if it is wrong, which is then among the faults.
    pub(super) fn read(
        node: &Node,
        hooks: &[PluginHook],
        before: &[HookChange],
        faults: &mut Faults,
        notes: &mut Vec<(usize, String)>,
    ) -> Option<HookChange> {
        let entry: Entry = read(node, "an entry of `hooks`", faults)?;
        let mut setting = entry.setting();
        if !node.has("id") {
            let help = "write `id:` with the id of a hook; `hooks list` has them";
            faults.add(node.line, "this entry has no `id`", help);
        }
        let id = Some(entry.id).filter(|id| !id.is_empty())?;
        let own: Vec<&PluginHook> = hooks.iter().filter(|hook| hook.id() == id).collect();
        let Some(first) = own.first() else {
            let known = hooks.iter().map(PluginHook::id);
            faults.unknown(node.line_of("id"), "hook", &id, known);
            return None;
        };
        let now = first.its_mode();
        if let Some(disabled) = entry.disabled {
            let line = node.line_of("disabled");
            if node.has("mode") {
                let message = "`disabled` stands beside `mode`";
                faults.add(line, message, "remove one of them");
            } else if disabled {
                setting.mode = Some(PluginMode::Disabled);
            } else if now == PluginMode::Disabled {
                let message = format!("`{}` is disabled in the program", clip(&id));
                faults.add(line, message, "write the `mode` in which it should run");
            }
        }
        let stand: Vec<_> = own.iter().map(|hook| hook.at()).collect();
        let given = own.iter().any(|hook| hook.its_gate_posture().is_some());
        setting.check(node, &stand, (now, given), faults);
        let before = before.iter().find(|before| before.id == id);
        let before = before.and_then(|before| before.config.as_ref());
        let config = entry.config.and_then(|written| {
            let Some((kind, _)) = first.kind else {
                let message = format!("`{id}` has no configuration: it is no plugin");
                faults.add(node.line_of("config"), message, "remove `config`");
                return None;
            };
            let before = before.map(|(config, made)| (Some(config), made));
            let made = instance(&kind, node, Some(&written), before, faults)?;
            Some((written, made))
        });
        if setting == Setting::default() && config.is_none() && faults.is_empty() {
            let help = "write what to change, such as `mode` or `priority`";
            faults.add(node.line, "this entry changes nothing", help);
        }
        let change = HookChange {
            id,
            line: node.line,
            setting,
            config,
        };
        if change.config.is_some() {
            let Origin { file, line, .. } = first.origin();
            let id = &change.id;
            let note = format!("`{id}` ({file}:{line}) has the `config` of this file");
            notes.push((node.line, note));
        }
        let weakened = own.iter().find_map(|hook| change.weakens(hook));
        let changed: Vec<_> = own
            .into_iter()
            .map(|hook| change.apply(hook.clone()))
            .collect();
        let said = weakened.into_iter().chain(unasked(&changed));
        notes.extend(said.map(|note| (node.line, note)));
        Some(change)
    }

    pub(super) fn apply(&self, hook: PluginHook) -> PluginHook {
        let hook = self.setting.apply(hook);
        let Some((config, made)) = &self.config else {
            return hook;
        };
        match hook.kind.and_then(|(_, place)| made.hooks().get(place)) {
            Some(made_hook) => hook.doing(made_hook, configured(made.kind(), Some(config))),
            None => hook,
        }
    }

    /// Says how the change takes power from a hook, if it does.
    fn weakens(&self, hook: &PluginHook) -> Option<String> {
        let changed = self.apply(hook.clone());
        let mode = changed.its_mode();
        let id = hook.id();
        let Origin { file, line, .. } = hook.origin();
        if hook.its_mode().may_stop() && !mode.may_stop() {
            let mode = mode.as_str();
            return Some(format!(
                "`{id}` ({file}:{line}) stops no request: it is in mode `{mode}`"
            ));
        }
        let was = hook.its_posture() == Posture::Deny && hook.its_mode() != PluginMode::Disabled;
        (was && changed.its_posture() == Posture::Proceed)
            .then(|| format!("`{id}` ({file}:{line}) lets requests pass when it fails"))
    }
}
