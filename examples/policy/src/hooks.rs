//! The hooks: the example of the hook architecture (§5.3.2), and its four common cases (§5.3.3).

// ANCHOR: use
use std::time::Duration;

use hooks_sdk::{
    core::{Verdict, Violation},
    plugin::{Action, ElicitationResponse, Outcome},
    prelude::*,
};
use serde_json::{Value, json};
// ANCHOR_END: use

type Decision = Verdict<ToolCall, Question>;

// ANCHOR: delete
/// The document's own example, with its words.
#[plugin::hook(tool_pre_invoke, tool = "delete_file")]
async fn confirm_deletion(call: &ToolCall, cx: &mut PluginContext) -> Outcome<ToolCall> {
    let Some(response) = cx.elicitation_responses.first() else {
        let path = call.args.get("path").and_then(Value::as_str);
        let message = format!("Confirm deletion of file: {}", path.unwrap_or_default());
        let schema = json!({
            "type": "object",
            "properties": {
                "confirm_deletion": { "type": "boolean", "description": "Confirm file deletion" },
                "backup_first": {
                    "type": "boolean",
                    "description": "Create backup before deletion",
                    "default": true
                }
            },
            "required": ["confirm_deletion"]
        });
        return Outcome::ask(Question::new(message, schema).timeout(Duration::from_secs(60)));
    };
    if response.action != Action::Accept {
        let mut violation = Violation::new("User declined operation");
        violation.description = "File deletion was cancelled by user".to_owned();
        violation.code = "USER_DECLINED".to_owned();
        violation
            .details
            .insert("action".to_owned(), json!(response.action));
        return Outcome::deny(violation);
    }
    // The document's example takes any accepted answer for a yes. This one reads it.
    if !response.confirmed("confirm_deletion") {
        return Outcome::deny(Violation::new("The deletion was not confirmed"));
    }
    let backup = field(response, "backup_first").and_then(Value::as_bool);
    if backup.unwrap_or(true) {
        cx.set_state("create_backup", true);
    }
    Outcome::allow()
}
// ANCHOR_END: delete

// ANCHOR: cases
/// Confirmation of a sensitive operation.
#[plugin::hook(tool_pre_invoke, tool = "wipe_*")]
async fn confirm_wiping(_: &ToolCall, cx: &mut PluginContext) -> Decision {
    match cx.elicitation_responses.first() {
        None => Verdict::Ask(Question::confirm("Wipe the whole cache?")),
        Some(response) if response.confirmed("confirm") => Verdict::Allow,
        Some(_) => Verdict::Deny(Violation::new("the user has not confirmed this")),
    }
}

/// A preference of the user. Who does not say it gets the default.
#[plugin::hook(tool_pre_invoke, tool = "export_report", unless(args.format))]
async fn prefer_format(call: &ToolCall, cx: &mut PluginContext) -> Decision {
    let Some(response) = cx.elicitation_responses.first() else {
        let schema = json!({ "format": { "enum": ["json", "xml"] } });
        return Verdict::Ask(Question::new("Which format do you want?", schema));
    };
    match field(response, "format") {
        Some(format) => Verdict::Modify(call.with("format", format.clone())),
        None => Verdict::Allow,
    }
}

/// A second factor.
#[plugin::hook(tool_pre_invoke, tool = "transfer_funds", deadline = "2s")]
async fn second_factor(_: &ToolCall, cx: &mut PluginContext) -> Decision {
    let Some(response) = cx.elicitation_responses.first() else {
        let schema = json!({ "otp_code": { "type": "string", "pattern": "^[0-9]{6}$" } });
        let message = "Enter the code from your authenticator.";
        return Verdict::Ask(Question::new(message, schema).timeout(Duration::from_secs(120)));
    };
    match field(response, "otp_code").and_then(Value::as_str) {
        Some(code) if is_current(code) => Verdict::Allow,
        _ => Verdict::Deny(Violation::new("the code is not the current one")),
    }
}

/// Consent to the processing of data.
#[plugin::hook(tool_pre_invoke, tool = "process_data")]
async fn ask_consent(call: &ToolCall, cx: &mut PluginContext) -> Decision {
    let Some(response) = cx.elicitation_responses.first() else {
        let dataset = call.args.get("dataset").and_then(Value::as_str);
        let dataset = dataset.unwrap_or("this data");
        let message = format!("May {dataset} be processed, and for how many days kept?");
        let schema = json!({
            "consent": { "type": "boolean" },
            "data_retention_days": { "type": "number" }
        });
        return Verdict::Ask(Question::new(message, schema));
    };
    match field(response, "data_retention_days") {
        Some(days) if response.confirmed("consent") => {
            Verdict::Modify(call.with("data_retention_days", days.clone()))
        }
        _ => Verdict::Deny(Violation::new("there is no consent to process this data")),
    }
}
// ANCHOR_END: cases

// ANCHOR: kept
/// A rule without a body: nobody is asked.
#[plugin::hook(
    tool_pre_invoke,
    tool = "delete_file",
    when(args.path = "kept/*"),
    deny = "files below `kept` stay where they are",
    priority = 10
)]
struct KeptFiles;
// ANCHOR_END: kept

/// A field of an accepted answer.
fn field<'r>(response: &'r ElicitationResponse, name: &str) -> Option<&'r Value> {
    response.data.as_ref()?.get(name)
}

/// Stands for the check of a one-time code.
fn is_current(code: &str) -> bool {
    code == "492039"
}

// ANCHOR: gate
/// The agent's shell is no way around the question of `delete_file`.
#[plugin::hook(
    agent_tool_pre_invoke,
    kind = shell,
    when(commands[*] = ["rm", "rm *", "unlink *", "shred *", "rmdir *", "find * -delete*"]),
    deny = "files are deleted by the tool `delete_file` only, because it asks the user first",
    posture = deny
)]
struct NoDeletionInTheShell;
// ANCHOR_END: gate
