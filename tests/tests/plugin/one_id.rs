//! The hooks of a plugin have one id. What a user answered to one of them is no answer to another.

use std::{any::Any, sync::Arc};

use hooks_sdk::{
    Policy,
    core::{HookError, Violation},
    plugin::{
        Action, Chain, Contexts, ElicitationResponse, End, GlobalContext, Instance, Outcome,
        Plugin, PluginContext, PluginHook, PluginHooks, Question, ToolCall, ToolResult, point,
    },
    testing::TestHost,
};
use serde_json::{Map, Value, json};

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

/// Runs a call through a chain, and goes on in another one with each answer. Returns the questions, and whether the call is allowed.
async fn resumed(before: Chain, after: Chain, answers: &[Action]) -> (usize, bool) {
    let server: Arc<dyn Any + Send + Sync> = Arc::new(());
    let mut contexts = Contexts::new(GlobalContext::new("1"));
    let mut call = ToolCall::new("delete_file", Map::new());
    let mut end = before
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await
        .end;
    let mut answers = answers.iter();
    let mut asked = 0;
    loop {
        let pending = match end {
            End::Asks(pending) => *pending,
            End::Allowed => return (asked, true),
            End::Blocked(_) => return (asked, false),
        };
        asked += 1;
        let Some(action) = answers.next() else {
            return (asked, false);
        };
        let answer = match action {
            Action::Accept => {
                ElicitationResponse::accept(Map::from_iter([("confirm".to_owned(), json!(true))]))
            }
            other => ElicitationResponse::new(*other),
        };
        let ran = after.resume(
            point::tool_pre_invoke,
            &server,
            pending,
            answer,
            &mut call,
            &mut contexts,
        );
        end = ran.await.end;
    }
}

#[tokio::test]
async fn hooks_of_one_id_keep_their_answers_apart_also_in_the_next_chain() {
    let by_hand = |asks: bool| {
        PluginHook::answering_any("same", point::tool_pre_invoke, move |_, cx| {
            let outcome = match asks {
                true => confirmed::<ToolCall>(cx, "Delete?"),
                false => Outcome::allow(),
            };
            Box::pin(async move { outcome })
        })
    };
    let of_instances = |all: [Instance; 2]| {
        let hooks = all.iter().flat_map(|instance| instance.hooks().to_vec());
        Chain::new(hooks)
    };
    let chains: [(&dyn Fn() -> Chain, usize); 4] = [
        (&|| Chain::new([by_hand(false), by_hand(true)]), 1),
        (&|| Chain::new([by_hand(true), by_hand(true)]), 2),
        // Two instances of one plugin, of which each asks.
        (
            &|| of_instances([Instance::from(AsksSecond), Instance::from(AsksSecond)]),
            2,
        ),
        (
            &|| of_instances([Instance::from(AsksSecond), Instance::from(AsksTwice)]),
            3,
        ),
    ];
    for (chain, questions) in chains {
        let accepts = vec![Action::Accept; questions];
        // The chain after a reload of its file, or of another replica, is another one.
        assert_eq!(resumed(chain(), chain(), &accepts).await, (questions, true));
        for at in 0..questions {
            for no in [Action::Decline, Action::Cancel] {
                let mut answers = accepts.clone();
                answers[at] = no;
                let (asked, is_allowed) = resumed(chain(), chain(), &answers).await;
                assert!(
                    !is_allowed && asked == at + 1,
                    "{questions} {at} {no:?}: {asked}"
                );
            }
        }
    }
}
