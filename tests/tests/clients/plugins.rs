//! What the generated plugins write to their command, and where they put its texts.

use std::{env, fs};

use serde_json::{Value, json};

use crate::{
    recorded::folder,
    stage::{ANSWERS, Stage, call, host, one},
};

/// Compares what the plugin wrote with the recording of this name, or writes that.
fn is_recorded(name: &str, input: &Value) {
    let file = folder().join(name);
    if env::var_os("ANSWERS").is_some_and(|word| word == "overwrite") {
        fs::write(&file, format!("{input:#}\n")).expect("written");
    }
    assert_eq!(host(name), *input, "{name}");
}

#[test]
fn opencode_s_events_become_recordings() {
    let before = ("tool.execute.before", ["mcp", "shell"].as_slice());
    let after = (
        "tool.execute.after",
        ["mcp", "shell", "shell.failed"].as_slice(),
    );
    for (hook, kinds) in [before, after] {
        for kind in kinds {
            let Some(stage) = Stage::new("opencode", ANSWERS) else {
                return;
            };
            let file = format!("{hook}.{kind}");
            let done = stage.plays(&one(call("opencode", hook, &file)));
            assert_eq!(done[0].get("threw"), None);
            is_recorded(&format!("opencode/{file}.json"), &stage.log()[0]);
        }
    }
    let id = "00000000-0000-4000-8000-000000000001";
    for (kind, messages) in [("", json!([])), (".resume", json!([{}]))] {
        let Some(stage) = Stage::new("opencode", ANSWERS) else {
            return;
        };
        let mut script = one(call("opencode", "chat.message", "chat.message"));
        script["sessions"] = json!({id: {"messages": messages}});
        stage.plays(&script);
        let log = stage.log();
        assert_eq!(log.len(), 2);
        is_recorded("opencode/chat.message.json", &log[0]);
        is_recorded(&format!("opencode/chat.message.first{kind}.json"), &log[1]);
    }
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    let mut call = call("opencode", "tool.execute.after", "tool.execute.after.shell");
    call["input"]["sessionID"] = "ses_of_a_subagent".into();
    let mut script = one(call);
    script["sessions"] = json!({"ses_of_a_subagent": {"parentID": id}});
    stage.plays(&script);
    is_recorded(
        "opencode/tool.execute.after.shell.subagent.json",
        &stage.log()[0],
    );
}

#[test]
fn opencode_s_model_gets_the_texts() {
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    let call = |hook, file| call("opencode", hook, file);
    let script = json!({"calls": [
        call("chat.message", "chat.message"),
        call("chat.message", "chat.message"),
        call("tool.execute.before", "tool.execute.before.shell"),
        call("tool.execute.after", "tool.execute.after.shell"),
        call("tool.execute.after", "tool.execute.after.mcp"),
        call("tool.execute.before", "tool.execute.before.mcp"),
        {"hook": "event", "input": {"event": {"type": "session.compacted", "properties": {
            "sessionID": "00000000-0000-4000-8000-000000000001",
        }}}},
        call("tool.execute.after", "tool.execute.after.shell"),
        call("chat.message", "chat.message"),
    ]});
    let done = stage.plays(&script);
    assert!(done.iter().all(|done| done.get("threw").is_none()));
    let texts = |at: usize| {
        let parts = done[at]["output"]["parts"].as_array().expect("parts");
        let new = parts.iter().skip(1).map(|part| {
            assert!(part["id"].as_str().expect("an id").starts_with("prt_"));
            assert_eq!(
                (&part["messageID"], &part["sessionID"]),
                (&parts[0]["messageID"], &parts[0]["sessionID"])
            );
            part["text"].clone()
        });
        new.collect::<Vec<_>>()
    };
    let ids: Vec<&Value> = done[0]["output"]["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .map(|part| &part["id"])
        .collect();
    assert!(ids[0] != ids[1] && ids[1] != ids[2]);
    assert_eq!(
        texts(0),
        ["text of chat.message.first", "text of chat.message"]
    );
    assert_eq!(texts(1), ["text of chat.message"]);
    assert_eq!(
        done[3]["output"]["output"],
        "committed\n\n\ntext of tool.execute.before\n\ntext of tool.execute.after"
    );
    let mcp = &done[4]["output"]["content"];
    assert_eq!(mcp[0]["text"], "echo: hello");
    assert_eq!(
        mcp[1],
        json!({"type": "text", "text": "text of tool.execute.after"})
    );
    // The call failed, so its text waits for the next result. The session was compacted, so it starts again, without a prompt.
    assert_eq!(
        done[7]["output"]["output"],
        "committed\n\n\ntext of tool.execute.before\n\ntext of chat.message.first\n\ntext of tool.execute.after"
    );
    assert_eq!(texts(8), ["text of chat.message"]);
    let starts = stage
        .log()
        .into_iter()
        .filter(|input| input["hook_event_name"] == "chat.message.first");
    let sources: Vec<Value> = starts.map(|input| input["source"].clone()).collect();
    assert_eq!(sources, ["startup", "compact"]);
}

#[test]
fn a_subagent_s_prompt_is_not_the_user_s() {
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    let mut script = one(call("opencode", "chat.message", "chat.message"));
    script["sessions"] = json!({"00000000-0000-4000-8000-000000000001": {"parentID": "ses_main"}});
    let done = stage.plays(&script);
    assert_eq!(
        done[0]["output"]["parts"].as_array().expect("parts").len(),
        1
    );
    assert_eq!(stage.log(), Vec::<Value>::new());

    let Some(stage) = Stage::new("cline", ANSWERS) else {
        return;
    };
    let main = call("cline", "beforeTool", "beforeTool.shell");
    let mut run = call("cline", "beforeRun", "beforeRun");
    let mut tool = call("cline", "beforeTool", "beforeTool.shell");
    for call in [&mut run, &mut tool] {
        let snapshot = &mut call["context"]["snapshot"];
        snapshot["parentAgentId"] = snapshot["agentId"].clone();
        snapshot["agentId"] = "agent_sub".into();
        snapshot["conversationId"] = "conv_sub".into();
    }
    let done = stage.plays(&json!({"calls": [main, run, tool]}));
    assert_eq!(done[1]["returned"], json!({}));
    let log = stage.log();
    assert_eq!(log.len(), 2);
    assert_eq!(log[0]["session_id"], log[1]["session_id"]);
    is_recorded("cline/beforeTool.shell.subagent.json", &log[1]);
}

#[test]
fn cline_s_events_become_recordings() {
    for file in [
        "beforeTool.mcp",
        "beforeTool.shell",
        "afterTool.mcp",
        "afterTool.shell",
        "afterTool.shell.failed",
    ] {
        let Some(stage) = Stage::new("cline", ANSWERS) else {
            return;
        };
        let hook = file.split('.').next().expect("a hook");
        let done = stage.plays(&one(call("cline", hook, file)));
        assert_eq!(
            done[0]["returned"],
            json!({"appendContext": format!("text of {hook}")})
        );
        is_recorded(&format!("cline/{file}.json"), &stage.log()[0]);
    }
    let Some(stage) = Stage::new("cline", ANSWERS) else {
        return;
    };
    let run = call("cline", "beforeRun", "beforeRun");
    let failed = call("cline", "afterTool", "afterTool.mcp.failed");
    let done = stage.plays(&json!({"calls": [run, run, failed]}));
    assert_eq!(
        done[0]["returned"]["appendContext"],
        "text of beforeRun.first\n\ntext of beforeRun"
    );
    assert_eq!(done[1]["returned"]["appendContext"], "text of beforeRun");
    assert_eq!(done[2]["returned"], json!({}));
    let log = stage.log();
    is_recorded("cline/beforeRun.json", &log[0]);
    is_recorded("cline/beforeRun.first.json", &log[2]);
    assert_eq!(log.len(), 3);
}

#[test]
fn a_program_that_is_gone_is_said_at_the_start_of_a_session() {
    let sentence = |stage: &Stage| {
        format!(
            "The hooks of the MCP server `memory` do not run, because their program {} does not exist: tell the user to \
             install the server again, or to remove its entries from {}.",
            stage.program().display(),
            stage.plugin().display()
        )
    };
    let Some(stage) = Stage::new("opencode", ANSWERS) else {
        return;
    };
    fs::remove_file(stage.program()).expect("removed");
    let prompt = call("opencode", "chat.message", "chat.message");
    let tool = call("opencode", "tool.execute.after", "tool.execute.after.shell");
    let done = stage.plays(&json!({"calls": [prompt, prompt, tool]}));
    let parts = done[0]["output"]["parts"].as_array().expect("parts");
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[1]["text"], sentence(&stage));
    let again = done[1]["output"]["parts"].as_array().expect("parts");
    assert_eq!(again.len(), 1);
    assert_eq!(done[2]["output"]["output"], tool["output"]["output"]);

    let Some(stage) = Stage::new("cline", ANSWERS) else {
        return;
    };
    fs::remove_file(stage.program()).expect("removed");
    let run = call("cline", "beforeRun", "beforeRun");
    let tool = call("cline", "afterTool", "afterTool.shell");
    let done = stage.plays(&json!({"calls": [run, run, tool]}));
    assert_eq!(
        done[0]["returned"],
        json!({"appendContext": sentence(&stage)})
    );
    assert_eq!(done[1]["returned"], json!({}));
    assert_eq!(done[2]["returned"], json!({}));
}
