//! What `explain` says fires is what `fire` writes, for generated events of every client.

use futures::executor::block_on;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    Program,
    explain::{in_client, told},
    fire::Fire,
};
use crate::{
    clients::{self, Client},
    core::Registry,
    lifecycle::{Event, LifecycleHook, Matcher, host::ClientControls, point, strength},
    server::{Collected, ServerHandler},
};

struct BareServer;

impl ServerHandler for BareServer {}

fn program() -> (TempDir, Program<BareServer>) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = Program::new("desk", || Err("a text needs no server".into()));
    // However long the machine takes, no hook is let through later that was not before.
    let mut policy = ClientControls::default();
    policy.rate.hooks = usize::MAX;
    let program = program.client_controls(policy);
    let program = program.data(folder.path()).collected(|| {
        let name = |pattern: &'static str| Matcher::new().tool_name(pattern);
        let input = |part: &'static str| Matcher::new().input_contains(part);
        let after = |id: &'static str, matcher| {
            let text = format!("{id}: {{tool_name}} {{tool_input}} in {{project_name}}");
            LifecycleHook::text(id, point::post_tool_use, strength::suggestion, text)
                .matcher(matcher)
        };
        let plain = [
            LifecycleHook::text(
                "starts",
                point::session_start,
                strength::important,
                "Start.",
            ),
            LifecycleHook::text("ends", point::session_end, strength::required, "End."),
            LifecycleHook::text("asked", point::pre_request, strength::suggestion, "Asked."),
            LifecycleHook::text("done", point::post_request, strength::suggestion, "Done."),
            LifecycleHook::text(
                "before",
                point::pre_tool_use,
                strength::suggestion,
                "Before {tool_name}.",
            ),
            after("full", name("mcp__desk__deploy")),
            after("short", name("deploy")),
            after("any_of_desk", Matcher::new().tool_server("desk")),
            after("other", Matcher::new().tool_server("other")),
            after("shell", name("Bash")),
            after("commit", name("Bash").input_contains("git commit")),
            after("order", input(r#"{"z":1,"a":[2,3.0]}"#)),
            after("digits", input("12345678901234567890123")),
        ];
        let all = plain
            .into_iter()
            .fold(Registry::builder(), |all, hook| all.add(hook.into()));
        Collected::of(all.build()?)
    });
    (folder, program)
}

/// The names under which a person, or a client, may know a tool.
const TOOLS: [&str; 12] = [
    "Bash",
    "run_shell_command",
    "exec_command",
    "local_shell",
    "Write",
    "deploy",
    "mcp__desk__deploy",
    "mcp_desk_deploy",
    "mcp__other__deploy",
    "mcp_other_deploy",
    "mcp__a__b__c",
    "desk-deploy",
];

const INPUTS: [&str; 5] = [
    r#"{"command":"git commit -m x"}"#,
    "{ \"z\" : 1 ,\n \"a\" : [ 2 , 3.0 ] }",
    r#"{"n":12345678901234567890123}"#,
    r#"{"a":"x \" : , } \ud83d y"}"#,
    "{}",
];

fn explained(
    program: &Program<BareServer>,
    client: &'static Client,
    event: Event,
    input: &[u8],
) -> Vec<String> {
    let of = block_on(in_client(program, client, Some(event), input, None)).expect("explained");
    let ids = of.fires.iter().flat_map(|firing| &firing.hooks);
    let left = of.left_out.iter().flat_map(|left| &left.hooks);
    let mut all: Vec<&String> = ids.chain(left).collect();
    all.sort();
    let hooks = program.hooks().expect("hooks");
    let declared = block_on(hooks.declared(client.features, None));
    let at = declared.iter().filter(|each| {
        let native = each
            .declaration
            .event
            .known()
            .map(|event| client.mapping(*event).native);
        native == Some(&*of.native)
    });
    let mut expected: Vec<&String> = at.flat_map(|each| &each.hooks).collect();
    expected.sort();
    assert_eq!(
        all, expected,
        "each hook fires or is left out with a reason"
    );
    of.fires.into_iter().map(|firing| firing.text).collect()
}

/// Returns the texts that `fire` writes; what is quoted stands in one line here.
fn fired(
    program: &Program<BareServer>,
    client: &Client,
    event: Option<Event>,
    input: &[u8],
) -> Vec<String> {
    let fire = Fire::of(client.name, event);
    let store = program.store();
    let (output, receipts) = fire.fire(program, &store, input).expect("fired");
    receipts.record(&store);
    let places = [
        "/hookSpecificOutput/additionalContext",
        "/additionalContext",
        "/additional_context",
        "/reason",
        "/followup_message",
        "/message",
        "/hookSpecificOutput/permissionDecisionReason",
    ];
    let text = places.iter().find_map(|place| output.pointer(place));
    let lines = text.and_then(Value::as_str).into_iter();
    let quoted = lines
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("> "));
    quoted.map(str::to_owned).collect()
}

#[test]
fn what_is_described_fires_as_it_is_said_to() {
    let (_folder, program) = program();
    let mut some = 0;
    for client in clients::ALL {
        for event in Event::ALL {
            for tool in TOOLS {
                for input in INPUTS {
                    if !event.is_tool_event() && (tool, input) != (TOOLS[0], INPUTS[0]) {
                        continue;
                    }
                    let bytes = told(&program, client, event, Some(tool), Some(input));
                    let said = explained(&program, client, event, &bytes);
                    assert_eq!(
                        fired(&program, client, Some(event), &bytes),
                        said,
                        "{tool} {input}"
                    );
                    some += said.len();
                }
            }
        }
    }
    assert!(some > 200, "{some}");
}

#[test]
fn what_a_client_writes_fires_as_it_is_said_to() {
    let (_folder, program) = program();
    let (mut some, mut calls) = (0, 0);
    // Copilot CLI reads Claude Code's file, and writes the time.
    let copilot = (clients::ALL[0], true);
    for (client, is_timed) in clients::ALL
        .map(|client| (client, false))
        .into_iter()
        .chain([copilot])
    {
        let skipped = usize::from(client.name == "gemini");
        let tools: Vec<&str> = TOOLS.into_iter().skip(skipped).step_by(2).collect();
        // Each event twice, so that the second finds what the first left.
        for (session, event) in ["one", ""].into_iter().flat_map(|session| {
            let twice = Event::ALL.into_iter().chain(Event::ALL);
            twice.map(move |event| (session, event))
        }) {
            let varied = if event.is_tool_event() {
                &tools[..]
            } else {
                &tools[..1]
            };
            for (tool, agent) in varied
                .iter()
                .flat_map(|tool| [(tool, None), (tool, Some("a"))])
            {
                for source in ["startup", "resume"] {
                    if event.is_tool_event() && source == "resume" {
                        continue;
                    }
                    calls += 1;
                    let mut input = json!({
                        "session_id": session, "hook_event_name": client.mapping(event).native,
                        "cwd": "/w/project", "tool_name": tool, "tool_use_id": calls, "source": source,
                        "tool_input": {"command": "git commit"}, "agent_id": agent,
                        "stop_hook_active": calls % 3 == 0, "tool_response": "done", "prompt": "Do it.",
                    });
                    if source == "startup" {
                        input["submitted_prompt"] = json!("Do it.");
                    }
                    // By these Copilot CLI is known, and each of its firings.
                    match is_timed {
                        true => input["timestamp"] = json!(calls),
                        false => input["permission_mode"] = json!("default"),
                    }
                    let bytes = input.to_string().into_bytes();
                    let said = explained(&program, client, Event::SessionStart, &bytes);
                    assert_eq!(fired(&program, client, None, &bytes), said, "{input}");
                    some += said.len();
                }
            }
        }
    }
    assert!(some > 100, "{some}");
}

#[test]
fn the_tools_of_a_server_are_known_by_every_name() {
    let (_folder, program) = program();
    let reached = |client: &&Client| client.mapping(Event::PostToolUse).delivery.reaches_agent();
    for client in clients::ALL.into_iter().filter(reached) {
        for tool in ["mcp__desk__deploy", "mcp_desk_deploy"] {
            let bytes = told(&program, client, Event::PostToolUse, Some(tool), Some("{}"));
            let said = explained(&program, client, Event::PostToolUse, &bytes);
            let ids: Vec<&str> = said
                .iter()
                .filter_map(|text| text.split(':').next())
                .collect();
            assert_eq!(
                ids,
                ["full", "short", "any_of_desk"],
                "{tool} in {}",
                client.title
            );
        }
        for tool in ["Bash", "run_shell_command", "exec_command"] {
            let bytes = told(
                &program,
                client,
                Event::PostToolUse,
                Some(tool),
                Some(INPUTS[0]),
            );
            let said = explained(&program, client, Event::PostToolUse, &bytes);
            let ids: Vec<&str> = said
                .iter()
                .filter_map(|text| text.split(':').next())
                .collect();
            assert_eq!(ids, ["shell", "commit"], "{tool} in {}", client.title);
        }
    }
}
