//! The generated plugin with the gates of a client whose hooks are JavaScript: one own file beside the plugin of texts.

use super::{
    Client, GateEntries, Installation, RefusalForm,
    config::Plan,
    installation::GATE,
    plugin::{filled, script},
    tool,
};

const BEGINNING: &str = include_str!("gate.js");
const OPENCODE: &str = include_str!("gate_opencode.js");
const CLINE: &str = include_str!("gate_cline.js");

/// Adds the plugin.
pub(super) fn plan(
    client: &dyn Client,
    own: &GateEntries,
    plan: Plan,
    to: &Installation<'_>,
) -> Plan {
    let Some(gates) = &client.capabilities().gates else {
        return plan;
    };
    let rest = match gates.refusal {
        RefusalForm::Thrown => OPENCODE,
        RefusalForm::Skipped => CLINE,
        // Its hooks are commands.
        RefusalForm::Object => return plan,
    };
    let program = to.program.to_string_lossy();
    let mut command = vec![&*program];
    command.extend(to.words(client.name(), GATE));
    let name = to.program.file_name().unwrap_or_default();
    let values = [
        ("__SERVER__", script(to.server)),
        ("__PROGRAM__", script(&*name.to_string_lossy())),
        ("__COMMAND__", script(command)),
        ("__EVENTS__", script(vec![gates.event])),
        ("__CLOSED__", script(own.is_closed)),
        (
            "__NAME__",
            script(format!("{}-gate", tool::written(to.server))),
        ),
    ];
    let texts = client.hooks_file(to.scope, to.place, to.server);
    let file = texts.with_file_name(format!("{}-gate.js", tool::written(to.server)));
    plan.own_file(file, filled(&format!("{BEGINNING}{rest}"), &values))
}
