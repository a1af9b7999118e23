//! The generated plugin with the gates of a client whose hooks are JavaScript: one own file beside the plugin of texts.

use super::{
    Client, GateEntries, Installation, RefusalForm,
    config::Plan,
    installation::{GATE, RECORD},
    plugin::{filled, script},
    tool,
};
use hooks_core::lifecycle::Event;

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
    let command = |event| {
        let mut command = vec![&*program];
        command.extend(to.words(client.name(), event));
        script(command)
    };
    let after = client.mapping(Event::PostToolUse).native;
    let mut events = Vec::new();
    events.extend(own.judges.then_some(gates.event));
    events.extend(own.records.then_some(after));
    let record = own.records.then(|| command(RECORD));
    let name = to.program.file_name().unwrap_or_default();
    let tools = own.tools(gates).map_or_else(null, script);
    // In the order of the template.
    let values = [
        ("__SERVER__", script(to.server)),
        ("__PROGRAM__", script(&*name.to_string_lossy())),
        ("__COMMAND__", command(GATE)),
        ("__EVENTS__", script(events)),
        ("__JUDGES__", script(own.judges)),
        ("__RECORD__", record.unwrap_or_else(null)),
        ("__TOOLS__", tools),
        ("__CLOSED__", script(own.is_closed)),
        ("__BEFORE__", script(gates.event)),
        ("__AFTER__", script(after)),
        (
            "__NAME__",
            script(format!("{}-gate", tool::written(to.server))),
        ),
    ];
    let texts = client.hooks_file(to.scope, to.place, to.server);
    let file = texts.with_file_name(format!("{}-gate.js", tool::written(to.server)));
    plan.own_file(file, filled(&format!("{BEGINNING}{rest}"), &values))
}

fn null() -> String {
    "null".to_owned()
}
