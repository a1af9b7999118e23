//! One entry of `hooks`: what a file changes about a hook of the program.

use super::{
    super::{Instance, PluginHook, PluginMode},
    entry::{configured, instance, unasked},
    fault::{Faults, clip},
    fields::TableFields,
    node::Node,
    setting::{KEYS, Setting},
};
use hooks_core::{OnFailure, Origin};
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

impl HookChange {
    /// Reads an entry; `None` if it is wrong, which is then among the faults.
    pub(super) fn read(
        node: &Node,
        hooks: &[PluginHook],
        before: &[HookChange],
        faults: &mut Faults,
        notes: &mut Vec<(usize, String)>,
    ) -> Option<HookChange> {
        let known = [&["id", "disabled", "config"][..], &KEYS].concat();
        let fields = TableFields::of(node, "an entry of `hooks`", &known, faults)?;
        let mut setting = Setting::read(&fields, faults);
        if fields.line_of("id").is_none() {
            let help = "write `id:` with the id of a hook; `hooks list` has them";
            faults.add(fields.line, "this entry has no `id`", help);
        }
        let id = fields.text("id", faults)?;
        let own: Vec<&PluginHook> = hooks.iter().filter(|hook| hook.id() == id.text).collect();
        let Some(first) = own.first() else {
            let known = hooks.iter().map(PluginHook::id);
            faults.unknown(id.line, "hook", id.text, known);
            return None;
        };
        let now = first.its_mode();
        if let (Some(disabled), Some(line)) =
            (fields.flag("disabled", faults), fields.line_of("disabled"))
        {
            if fields.line_of("mode").is_some() {
                let message = "`disabled` stands beside `mode`";
                faults.add(line, message, "remove one of them");
            } else if disabled {
                setting.mode = Some(PluginMode::Disabled);
            } else if now == PluginMode::Disabled {
                let message = format!("`{}` is disabled in the program", clip(id.text));
                faults.add(line, message, "write the `mode` in which it should run");
            }
        }
        setting.check(&fields, Some(now), faults);
        let stand: Vec<_> = own.iter().map(|hook| hook.at()).collect();
        let given = own.iter().any(|hook| hook.posture.is_some());
        setting.check_gates(&fields, &stand, given, faults);
        let before = before.iter().find(|before| before.id == id.text);
        let before = before.and_then(|before| before.config.as_ref());
        let config = config(&fields, first, before, faults);
        if setting == Setting::default() && config.is_none() && faults.is_empty() {
            let help = "write what to change, such as `mode` or `priority`";
            faults.add(fields.line, "this entry changes nothing", help);
        }
        let change = HookChange {
            id: id.text.to_owned(),
            line: fields.line,
            setting,
            config,
        };
        if change.config.is_some() {
            let Origin { file, line, .. } = first.origin();
            let note = format!(
                "`{}` ({file}:{line}) has the `config` of this file",
                id.text
            );
            notes.push((fields.line, note));
        }
        if let Some(note) = own.iter().find_map(|hook| change.weakens(hook)) {
            notes.push((fields.line, note));
        }
        let changed: Vec<PluginHook> = own
            .into_iter()
            .map(|hook| change.apply(hook.clone()))
            .collect();
        notes.extend(unasked(&changed).map(|note| (fields.line, note)));
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
        let was = hook.posture() == OnFailure::Fail && hook.its_mode() != PluginMode::Disabled;
        (was && changed.posture() == OnFailure::Ignore)
            .then(|| format!("`{id}` ({file}:{line}) lets requests pass when it fails"))
    }
}

/// Reads the configuration of a hook's plugin, and makes the instance.
fn config(
    fields: &TableFields<'_>,
    hook: &PluginHook,
    before: Option<&(Value, Instance)>,
    faults: &mut Faults,
) -> Option<(Value, Instance)> {
    let line = fields.line_of("config")?;
    let Some((kind, _)) = hook.kind else {
        let message = format!("`{}` has no configuration: it is no plugin", hook.id());
        faults.add(line, message, "remove `config`");
        return None;
    };
    let written = fields.get("config", faults)?.node.json();
    let before = before.map(|(config, made)| (Some(config), made));
    let made = instance(&kind, fields, before, faults)?;
    Some((written, made))
}
