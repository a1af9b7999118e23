//! `workflow_state`: calls on the tracker of blocking hooks.

use serde_json::{Value, json};

use super::{
    Ran,
    blocking::{Blocked, BlockingHook, Workflow},
    list, steps, text,
};

pub(super) fn run(vector: &Value) -> Ran {
    let mut workflow = Workflow::default();
    steps(vector, |step| call(&mut workflow, &step["call"]))
}

fn call(workflow: &mut Workflow, call: &Value) -> Value {
    let argument = &call[1];
    match text(&call[0]) {
        "registerBlockingHook" => workflow.register(hook(argument)),
        "registerBlockingHooks" => list(argument)
            .iter()
            .for_each(|one| workflow.register(hook(one))),
        "getBlockingHooks" => return json!(workflow.blocking()),
        "markHookCompleted" => workflow.complete(text(argument), call[2].as_object().cloned()),
        "isHookCompleted" => return json!(workflow.is_completed(text(argument))),
        "getHookCompletion" => return json!(workflow.completion(text(argument))),
        "getCompletedHooks" => return json!(workflow.completed()),
        "checkToolAllowed" => return checked(workflow.check(text(argument))),
        "createBlockingResponse" => return response(argument),
        "reset" => workflow.reset(),
        "clearBlockingHooks" => workflow.clear_blocking(),
        other => panic!("no such call: {other}"),
    }
    Value::Null
}

fn hook(value: &Value) -> BlockingHook {
    serde_json::from_value(value.clone()).expect("a blocking hook")
}

fn checked(checked: Result<(), Blocked>) -> Value {
    match checked {
        Ok(()) => json!({ "allowed": true }),
        Err(blocked) => {
            let mut shown = json!(blocked);
            shown["allowed"] = false.into();
            shown
        }
    }
}

/// The refused call's result for a recorded check.
fn response(check: &Value) -> Value {
    let member = |name: &str| check[name].as_str().unwrap_or_default().to_owned();
    let blocking = BlockingHook::new(member("blockedBy"), "", "", member("message"));
    let mut workflow = Workflow::default();
    workflow.register(blocking);
    let mut blocked = workflow.check("").expect_err("it blocks every tool");
    blocked.hint = member("hint");
    json!({ "isError": true, "content": [{ "type": "text", "text": blocked.response() }] })
}
