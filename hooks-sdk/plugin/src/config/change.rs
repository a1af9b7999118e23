//! One entry of `hooks`: what a file changes about a hook of the program.

use super::{
    super::{PluginHook, PluginMode},
    entry::unasked,
    fault::{Faults, clip},
    fields::TableFields,
    node::Node,
    setting::{KEYS, Setting},
};
use hooks_core::{OnFailure, Origin};

/// What a file changes about a hook of the program.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) id: String,
    pub(super) line: usize,
    setting: Setting,
}

impl Change {
    /// Reads an entry; `None` if it is wrong, which is then among the faults.
    pub(super) fn read(
        node: &Node,
        hooks: &[PluginHook],
        faults: &mut Faults,
        notes: &mut Vec<(usize, String)>,
    ) -> Option<Change> {
        let known = [&["id", "disabled"][..], &KEYS].concat();
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
        if setting == Setting::default() && faults.is_empty() {
            let help = "write what to change, such as `mode` or `priority`";
            faults.add(fields.line, "this entry changes nothing", help);
        }
        let change = Change {
            id: id.text.to_owned(),
            line: fields.line,
            setting,
        };
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
        self.setting.apply(hook)
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
