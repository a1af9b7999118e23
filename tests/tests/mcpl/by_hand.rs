//! MCPL entries made by hand: what they do, what is declared of them, and what is wrong with bad ones.

use std::{sync::Arc, time::Duration};

use hooks_sdk::{
    core::{self, HookError, Registry},
    mcpl::{
        AfterInference, BeforeInference, Context, Definition, Derived, FeatureSet, Injection,
        McplHook, Modified, Position, Published, Sends, Version, point, problems, sender,
        sender::Sender,
    },
};
use serde_json::{Value, json};

struct Memory {
    facts: Vec<String>,
}

macro_rules! sets {
    ($($set:ident = $definition:expr;)+) => {$(
        struct $set;

        impl FeatureSet for $set {
            const DEFINITION: Definition = $definition;
        }
    )+};
}

sets! {
    Recall = Definition::new("hand.recall", "Recalls");
    Redact = Definition::new("hand.redact", "Redacts");
    Push = Definition::new("hand.push", "Pushes").sends(&[Sender::Push]);
    Files = Definition::new("hand.files", "Edits").scoped();
    Notes = Definition::new("hand.notes", "Notes").rollback();
    Nothing = Definition::new("hand.nothing", "Nothing").optional(&[Sender::ModelInfo]);
    Twin = Definition::new("hand.recall", "Recalls too");
    Bad = Definition::new("hand..bad", " ").sends(&[Sender::Push]).optional(&[Sender::Push]);
}

impl Sends<sender::push> for Push {}

fn memory() -> Memory {
    Memory {
        facts: vec!["tests pass".to_owned()],
    }
}

fn recall() -> McplHook {
    McplHook::answering::<Recall, _, _, _>(
        "recall",
        point::before_inference,
        |memory: &Memory, turn: &BeforeInference, _: &Context| {
            Box::pin(async move {
                let asked = turn.user_message.as_deref();
                let asked = asked.ok_or_else(|| HookError::new("nobody asked"))?;
                let text = format!("{asked}: {}", memory.facts.join(", "));
                Ok::<_, HookError>(Some(Injection::new("hand", Position::System, text)))
            })
        },
    )
}

fn look() -> McplHook {
    McplHook::answering_any::<Redact, _, _>("look", point::after_inference, |_, _| {
        Box::pin(async {})
    })
}

fn roll_back<F: FeatureSet>() -> McplHook {
    McplHook::answering_any::<F, _, _>("roll_back", point::rollback, |_, _| Box::pin(async {}))
}

fn registry(hooks: impl IntoIterator<Item = McplHook>) -> Registry {
    let mut builder = Registry::builder();
    for hook in hooks {
        builder = builder.add(hook.into());
    }
    builder.build().expect("ids of their own")
}

fn before(user_message: Value) -> BeforeInference {
    serde_json::from_value(json!({
        "inferenceId": "i",
        "conversationId": "c",
        "turnIndex": 0,
        "userMessage": user_message,
        "model": {},
    }))
    .expect("an event")
}

fn after() -> AfterInference {
    serde_json::from_value(json!({
        "inferenceId": "i",
        "conversationId": "c",
        "turnIndex": 0,
        "userMessage": null,
        "assistantMessage": "sk-1",
        "model": {},
        "usage": {"inputTokens": 1, "outputTokens": 1},
    }))
    .expect("an event")
}

#[tokio::test]
async fn a_hook_runs_for_the_server_in_whatever_holds_it() {
    let (hook, turn, cx) = (
        recall(),
        before(json!("So")),
        Context::detached(Version::V04),
    );
    let text = Injection::new("hand", Position::System, "So: tests pass");
    let answers = [
        hook.run::<point::before_inference>(&memory(), &turn, &cx)
            .await,
        hook.run::<point::before_inference>(&Arc::new(memory()), &turn, &cx)
            .await,
    ];
    for answer in answers {
        assert_eq!(answer.expect("an answer"), Some(vec![text.clone()]));
    }
    let foreign = hook.run::<point::before_inference>(&0_u8, &turn, &cx).await;
    let foreign = foreign.expect_err("another server").to_string();
    assert!(foreign.starts_with("the server is not a `"), "{foreign}");
}

#[tokio::test]
async fn a_hook_runs_at_its_own_point_only() {
    let (hook, cx) = (look(), Context::detached(Version::V04));
    let here = hook
        .run::<point::after_inference>(&memory(), &after(), &cx)
        .await;
    assert_eq!(here.expect("an answer"), Some(Modified::default()));
    let turn = before(Value::Null);
    let there = hook
        .run::<point::before_inference>(&memory(), &turn, &cx)
        .await;
    assert_eq!(there.expect("no failure"), None);
    let set = McplHook::feature_set::<Push>();
    let set = set
        .run::<point::before_inference>(&memory(), &turn, &cx)
        .await;
    assert_eq!(set.expect("no failure"), None);
}

#[tokio::test]
async fn nothing_is_an_answer_where_its_meaning_is_plain() {
    let hook =
        McplHook::answering_any::<Recall, _, _>("publish", point::channels_publish, |_, _| {
            Box::pin(async {})
        });
    let publish = json!({"channelId": "a", "content": []});
    let publish = serde_json::from_value(publish).expect("an event");
    let answer = hook
        .run::<point::channels_publish>(&memory(), &publish, &Context::detached(Version::V04))
        .await;
    assert_eq!(answer.expect("an answer"), Some(Published::delivered()));
}

#[test]
fn an_entry_says_in_the_registry_what_it_is() {
    let edit = McplHook::tool::<Files, Memory>("edit")
        .scope("path")
        .unguarded();
    let tool = edit.as_tool().expect("a tool");
    assert_eq!((tool.scope.as_deref(), tool.guarded), (Some("path"), false));
    let line = line!() + 1;
    let entry: core::Hook = McplHook::feature_set::<Push>().server::<Memory>().into();
    assert_eq!((entry.origin().file, entry.origin().line), (file!(), line));
    assert_eq!(
        (entry.protocol(), entry.id()),
        ("mcpl", "mcpl:feature_set:hand.push")
    );
    assert!(entry.owner().includes::<Memory>() && !entry.owner().includes::<u8>());
    let edit: core::Hook = edit.into();
    assert_eq!((edit.point(), edit.id()), ("tools/call", "mcpl:tool:edit"));
    let recall: core::Hook = recall().into();
    let point = ("context/beforeInference", "mcpl:before_inference:recall");
    assert_eq!((recall.point(), recall.id()), point);
}

#[test]
fn everything_is_derived_without_the_sets_themselves() {
    let recall = recall().inject(&[Position::System]).observe(false);
    assert!(recall.may_inject(Position::System) && !recall.may_inject(Position::AfterUser));
    let registry = registry([
        recall,
        look(),
        McplHook::tool::<Files, Memory>("edit"),
        McplHook::feature_set::<Push>(),
    ]);
    assert_eq!(problems(&registry), []);
    let derived = Derived::of(&registry);
    let uses: Vec<_> = derived
        .sets()
        .map(|set| {
            (
                set.definition().name,
                set.uses(Version::V04),
                set.uses(Version::V05),
            )
        })
        .collect();
    let inject: &[&str] = &["contextHooks.beforeInference.inject.system"];
    let expected: [(&str, &[&str], &[&str]); 4] = [
        ("hand.files", &["tools"], &["tools"]),
        ("hand.push", &["pushEvents"], &["pushEvents"]),
        ("hand.recall", &["contextHooks.beforeInference"], inject),
        ("hand.redact", &["contextHooks.afterInference"], &[]),
    ];
    assert_eq!(uses, expected);
    let declared = Value::Object(derived.declaration(Version::V05, &|_| true));
    assert!(declared["featureSets"].get("hand.redact").is_none());
    let inject = json!({"system": true, "beforeUser": false, "afterUser": false});
    let before = json!({"beforeInference": {"observe": false, "inject": inject}});
    assert_eq!(declared["contextHooks"], before);
    let declared = Value::Object(derived.declaration(Version::V04, &|_| true));
    let context = json!({"beforeInference": true, "afterInference": {"blocking": false}});
    assert_eq!(declared["contextHooks"], context);
    assert!(declared.get("channels").is_none() && declared.get("revision").is_none());
    assert!(Derived::of(&Registry::default()).is_empty());
}

/// The message and the help of the one problem with `hooks`.
fn problem(hooks: impl IntoIterator<Item = McplHook>) -> String {
    let found = problems(&registry(hooks));
    assert_eq!(found.len(), 1, "{found:?}");
    format!("{} | {}", found[0].message, found[0].help)
}

#[test]
fn a_bad_entry_is_reported_with_what_mends_it() {
    let redact = || {
        McplHook::answering_any::<Redact, _, _>("redact", point::after_inference, |_, _| {
            Box::pin(async { Some(String::new()) })
        })
    };
    let watch =
        || {
            McplHook::answering_any::<Recall, _, _>("watch", point::lifecycle, |_, _| {
                Box::pin(async {})
            })
        };
    let only = "applies only to";
    for (hook, expected) in [
        (
            recall().deadline(Duration::from_secs(5)),
            "the deadline of the hook `recall`: the deadline of a `before_inference` hook is not",
        ),
        (
            redact(),
            "the hook `redact`: the hook changes what the model said",
        ),
        (
            watch().inject(&[]),
            &format!("the hook `watch`: `inject` {only}"),
        ),
        (
            watch().observe(true),
            &format!("the hook `watch`: `observe` {only}"),
        ),
        (
            watch().blocking(),
            &format!("the hook `watch`: `blocking` {only}"),
        ),
        (
            watch().optional(&[Position::System]),
            &format!("the hook `watch`: `optional` {only}"),
        ),
        (
            recall()
                .inject(&[Position::AfterUser])
                .optional(&[Position::AfterUser]),
            "the hook `recall` names the position `afterUser` as needed and as optional | remove",
        ),
        (
            McplHook::tool::<Recall, Memory>("edit").scope("path"),
            "the tool `edit` has a scope, but its feature set `hand.recall` is not scoped | add `scoped`",
        ),
        (
            McplHook::tool::<Files, Memory>("edit").scope(""),
            "the scope of the tool `edit`: the argument has no name | name the argument",
        ),
        (
            McplHook::feature_set::<Recall>(),
            "no hook and no tool names the feature set `hand.recall`, and it sends nothing | name it",
        ),
        (
            McplHook::feature_set::<Nothing>(),
            "no hook and no tool names the feature set `hand.nothing`, and it sends nothing | name it",
        ),
        (
            McplHook::answering_any::<Recall, _, _>(
                "on",
                point::enabled,
                |_, _| Box::pin(async {}),
            ),
            "the feature set `hand.recall` uses nothing that a host can grant, so that none hears of it | give",
        ),
        (
            McplHook::tool::<Notes, Memory>("add"),
            "the feature set `hand.notes` is declared with rollback, and no hook rolls it back | add a hook",
        ),
    ] {
        let problem = problem([hook]);
        assert!(problem.starts_with(expected), "{problem}");
        assert!(!problem.ends_with("| "), "{problem}");
    }
}

#[test]
fn entries_that_do_not_go_together_are_reported() {
    let turn = |_: &Memory| Box::pin(async { Vec::<Injection>::new() });
    let other = McplHook::answering::<Redact, Memory, _, _>(
        "other",
        point::before_inference,
        move |memory, _, _| turn(memory),
    );
    assert_eq!(
        problem([recall(), other]),
        "the hooks `recall` and `other` stand at `before_inference` for two feature sets, `hand.recall` and \
         `hand.redact`, and an answer there is of one | give both hooks the same feature set, or make one hook of \
         them"
    );
    assert_eq!(
        problem([
            McplHook::tool::<Files, Memory>("edit"),
            roll_back::<Files>()
        ]),
        "the hook `roll_back` rolls back the feature set `hand.files`, which is not declared with rollback | add \
         `rollback` to the feature set"
    );
    let sound = registry([McplHook::tool::<Notes, Memory>("add"), roll_back::<Notes>()]);
    assert_eq!(problems(&sound), []);
    // `problem` takes exactly one: the second tool of the twin is the same mistake.
    let twins = problem([
        recall(),
        McplHook::tool::<Twin, Memory>("edit"),
        McplHook::tool::<Twin, Memory>("move"),
    ]);
    assert!(
        twins.starts_with("a second feature set of the name `hand.recall`; the first is at "),
        "{twins}"
    );
}

#[test]
fn every_problem_of_a_bad_set_is_reported() {
    let found = problems(&registry([McplHook::feature_set::<Bad>()]));
    let found: Vec<_> = found.iter().map(|problem| &*problem.message).collect();
    assert_eq!(
        found,
        [
            "the name of the feature set `hand..bad`: this cannot be the name of a feature set",
            "the description of the feature set `hand..bad`: the description is empty",
            "the feature set `hand..bad` names `push` as needed and as optional",
        ]
    );
}
