//! The generated plugins of a client whose hooks are JavaScript: one own file, which runs the program at each event, and one
//! beside it, which asks the program about each call.

use serde_json::{Map, Value};

use super::{
    Client, GateEntries, Gates, Installation, Start,
    config::Plan,
    installation::{GATE, RECORD},
    tool,
};
use hooks_core::lifecycle::Event;

/// What every plugin begins with: the function `fire`, which runs the program. It has the placeholders `__SERVER__`,
/// `__PROGRAM__`, `__COMMAND__`, `__EVENTS__` and `__GONE__`, in this order, each once.
const BEGINNING: &str = include_str!("plugin.js");

/// What every plugin of gates begins with: the functions `judge` and `record`.
const BEGINNING_OF_GATES: &str = include_str!("gate.js");

pub(super) const NO_END: &str = "No text reaches the agent at the end of a session.";

pub(super) const NO_STOP: &str = "Nothing that a plugin returns keeps the agent going. The nearest alternative is a `pre_request` hook \
     at the next prompt.";

/// Adds the plugin with this end, unless no hook can fire.
pub(super) fn plan(client: &Client, end: &str, plan: Plan, to: &Installation<'_>) -> Plan {
    let mappings = to.events.iter().map(|event| client.mapping(*event));
    let reached = mappings.filter(|mapping| mapping.delivery.reaches_agent());
    let natives: Vec<&str> = reached.map(|mapping| mapping.native).collect();
    if natives.is_empty() {
        return plan;
    }
    let program = to.program.to_string_lossy();
    let mut command = vec![&*program, "hooks", "fire", "--client", client.name];
    command.extend(to.arguments.iter().map(String::as_str));
    command.extend(["--id", to.id]);
    let (import, command) = match to.start {
        Start::Module(module) => {
            let module = script(module);
            let words = script(&command[1..]);
            // In the place of the first word.
            (
                format!("import {{ find }} from {module}\n"),
                format!("[find(),{}", &words[1..]),
            )
        }
        _ => (String::new(), script(command)),
    };
    let name = to.program.file_name().unwrap_or_default();
    let start = client.mapping(Event::SessionStart).native;
    let gone: Map<String, Value> = to
        .absence(client)
        .map(|sentence| (start.to_owned(), sentence.into()))
        .into_iter()
        .collect();
    let values = [
        ("__SERVER__", script(to.server)),
        ("__PROGRAM__", script(&*name.to_string_lossy())),
        ("__COMMAND__", command),
        ("__EVENTS__", script(natives)),
        ("__GONE__", script(gone)),
        (
            "__NAME__",
            script(format!("{}-hooks", tool::written(to.server))),
        ),
    ];
    let file = client.hooks_file(to.scope, to.place, to.server);
    let plugin = filled(&format!("{BEGINNING}{end}"), &values);
    plan.own_file(file, import + &plugin)
}

/// Adds the plugin of gates with this end.
pub(super) fn plan_gates(
    client: &Client,
    gates: &Gates,
    end: &str,
    own: &GateEntries,
    plan: Plan,
    to: &Installation<'_>,
) -> Plan {
    let program = to.program.to_string_lossy();
    let command = |event| {
        let mut command = vec![&*program];
        command.extend(to.words(client.name, event));
        script(command)
    };
    let null = || "null".to_owned();
    let after = client.mapping(Event::PostToolUse).native;
    let mut events = Vec::new();
    events.extend(own.judges.then_some(gates.event));
    events.extend(own.records.then_some(after));
    let record = own.records.then(|| command(RECORD));
    let program_name = to.program.file_name().unwrap_or_default();
    let name = format!("{}-gate", tool::written(to.server));
    // In the order of the template.
    let values = [
        ("__SERVER__", script(to.server)),
        ("__PROGRAM__", script(&*program_name.to_string_lossy())),
        ("__COMMAND__", command(GATE)),
        ("__EVENTS__", script(events)),
        ("__JUDGES__", script(own.judges)),
        ("__RECORD__", record.unwrap_or_else(null)),
        ("__TOOLS__", own.tools(gates).map_or_else(null, script)),
        ("__CLOSED__", script(own.is_closed)),
        ("__BEFORE__", script(gates.event)),
        ("__AFTER__", script(after)),
        ("__NAME__", script(&*name)),
    ];
    let texts = client.hooks_file(to.scope, to.place, to.server);
    let plugin = filled(&format!("{BEGINNING_OF_GATES}{end}"), &values);
    plan.own_file(texts.with_file_name(format!("{name}.js")), plugin)
}

/// Returns the template with values in the place of its placeholders. A value is never searched for one.
pub fn filled(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    for (placeholder, value) in values {
        if let Some((before, after)) = rest.split_once(placeholder) {
            text.push_str(before);
            text.push_str(value);
            rest = after;
        }
    }
    text + rest
}

/// Returns a value as JavaScript in one line, also in a comment.
pub fn script(value: impl Into<Value>) -> String {
    let text = value.into().to_string();
    text.replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_line_and_no_placeholder() {
        let values = [
            ("__A__", script("\u{2028}\n__B__")),
            ("__B__", script(vec!["b"])),
        ];
        let text = filled("// __A__\nconst B = __B__\n", &values);
        assert_eq!(text, "// \"\\u2028\\n__B__\"\nconst B = [\"b\"]\n");
    }
}
