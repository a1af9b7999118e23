//! The hooks of a plugin have one id. What a user answered to one of them is no answer to another.

use hooks_sdk::{
    Policy,
    core::{HookError, Violation},
    plugin::{
        Action, Instance, Outcome, Plugin, PluginContext, PluginHooks, Question, ToolCall,
        ToolResult, point,
    },
    testing::TestHost,
};
use serde_json::{Value, json};

use crate::server::{Files, hooked_with};

const GENERATIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Asks once, and obeys.
fn confirmed<P>(cx: &PluginContext, question: &str) -> Outcome<P> {
    let Some(answer) = cx.elicitation_responses.last() else {
        return Outcome::ask(Question::confirm(question));
    };
    let confirmed = answer.data.as_ref().map(|data| data["confirm"] == true);
    match answer.action == Action::Accept && confirmed == Some(true) {
        true => Outcome::allow(),
        false => Outcome::deny(Violation::new(format!("not confirmed: {question}"))),
    }
}

macro_rules! plugin {
    ($type:ident: $($point:ident => $answer:expr),+) => {
        struct $type;

        impl Plugin for $type {
            const KIND: &'static str = "guard";
            type Config = ();

            fn new((): ()) -> Result<$type, HookError> {
                Ok($type)
            }

            fn hooks() -> PluginHooks<$type> {
                PluginHooks::new()$(.on(point::$point, |_: &$type, _, cx| {
                    let outcome = $answer(cx);
                    Box::pin(async move { outcome })
                }))+
            }
        }
    };
}

plugin!(AsksSecond:
    tool_pre_invoke => |_: &PluginContext| Outcome::<ToolCall>::allow(),
    tool_pre_invoke => |cx: &PluginContext| confirmed::<ToolCall>(cx, "Delete?"));
plugin!(AsksTwice:
    tool_pre_invoke => |cx: &PluginContext| confirmed::<ToolCall>(cx, "Delete?"),
    tool_pre_invoke => |cx: &PluginContext| confirmed::<ToolCall>(cx, "Without a backup?"));
plugin!(AsksBeforeAndAfter:
    tool_pre_invoke => |cx: &PluginContext| confirmed::<ToolCall>(cx, "Delete?"),
    tool_post_invoke => |cx: &PluginContext| confirmed::<ToolResult>(cx, "Show the path?"));

fn accepted(confirm: bool) -> Value {
    json!({"action": "accept", "content": {"confirm": confirm}})
}

/// Deletes a file. Returns whether the tool ran, whether the agent got its result, and the questions.
async fn deleted(
    plugin: impl Into<Instance>,
    version: &str,
    answer: impl Fn(&str) -> Value + Send + Sync + 'static,
) -> (bool, bool, Vec<String>) {
    let files = Files::default();
    let server = hooked_with(&files, [], [], Policy::new().with(plugin), None);
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let user = {
        let asked = asked.clone();
        move |params: &Value| {
            let question = params["message"].as_str().unwrap_or_default().to_owned();
            let answer = answer(&question);
            asked.lock().unwrap().push(question);
            answer
        }
    };
    let host = TestHost::builder().version(version).user(user);
    let host = host.connect(server).await.unwrap();
    let call = host.call_tool("delete_file", json!({"path": "a"})).await;
    let is_shown = call.is_ok_and(|answer| !answer.is_error());
    let asked = asked.lock().unwrap().clone();
    (files.ran() == 1, is_shown, asked)
}

#[tokio::test]
async fn the_second_hook_of_a_plugin_obeys_the_user_who_says_no() {
    for version in GENERATIONS {
        for answer in [
            json!({"action": "decline"}),
            json!({"action": "cancel"}),
            accepted(false),
        ] {
            let said = answer.clone();
            let told = deleted(AsksSecond, version, move |_| said.clone()).await;
            assert_eq!(
                told,
                (false, false, vec!["Delete?".to_owned()]),
                "{version} {answer}"
            );
        }
        let told = deleted(AsksSecond, version, |_| accepted(true)).await;
        assert_eq!(told, (true, true, vec!["Delete?".to_owned()]), "{version}");
    }
}

#[tokio::test]
async fn an_answer_to_one_hook_of_a_plugin_is_none_to_its_neighbour() {
    for version in GENERATIONS {
        let questions = ["Delete?", "Without a backup?"].map(str::to_owned).to_vec();
        let told = deleted(AsksTwice, version, |_| accepted(true)).await;
        assert_eq!(told, (true, true, questions.clone()), "{version}");
        let careful = |question: &str| accepted(question == "Delete?");
        let told = deleted(AsksTwice, version, careful).await;
        assert_eq!(told, (false, false, questions), "{version}");
    }
}

#[tokio::test]
async fn an_answer_before_the_tool_is_none_after_it() {
    for version in GENERATIONS {
        let questions = ["Delete?", "Show the path?"].map(str::to_owned).to_vec();
        let discreet = |question: &str| accepted(question == "Delete?");
        let told = deleted(AsksBeforeAndAfter, version, discreet).await;
        assert_eq!(told, (true, false, questions), "{version}");
    }
}
