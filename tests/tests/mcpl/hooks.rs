//! Context hooks: several at a point, those that fail, and what they may not do.

use std::{future::pending, time::Duration};

use hooks_sdk::{
    core::{self, HookError, Posture},
    mcpl::{Context, ErrorObject, McplHook, Modified, point},
    prelude::*,
    testing::{
        McplHost,
        mcpl::{McplGrants, Turn},
    },
};
use serde_json::{Value, json};

use super::{
    bench::{After, Before, Bench, Log},
    rig::{ErrorCode, after, before},
};

/// How a hook ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Says(&'static str),
    Fails,
    FailsAs(i64),
    Panics,
    PanicsAtOnce,
    Hangs,
}

const BAD: [End; 5] = [
    End::Fails,
    End::FailsAs(-32050),
    End::Panics,
    End::PanicsAtOnce,
    End::Hangs,
];

async fn end(end: End) -> Result<&'static str, HookError> {
    tokio::task::yield_now().await;
    match end {
        End::Says(text) => Ok(text),
        End::Fails => Err(HookError::new("no disk")),
        End::FailsAs(code) => Err(ErrorObject::new(code, "own").into()),
        End::Panics | End::PanicsAtOnce => panic!("no disk"),
        End::Hangs => pending().await,
    }
}

fn injects(id: &'static str, priority: i32, how: End, posture: Posture) -> core::Hook {
    let hook = McplHook::answering_any::<Before, _, Result<Injection, HookError>>(
        id,
        point::before_inference,
        move |_: &BeforeInference, _: &Context| {
            assert!(!matches!(how, End::PanicsAtOnce), "no disk");
            Box::pin(async move { Ok(Injection::new(id, Position::System, end(how).await?)) })
        },
    );
    hook.priority(priority).posture(posture).into()
}

/// Adds a text to the response, after 4 s if it is slow.
fn modifies(id: &'static str, priority: i32, how: End, slow: bool) -> McplHook {
    let hook = McplHook::answering_any::<After, _, Result<Modified, HookError>>(
        id,
        point::after_inference,
        move |turn: &AfterInference, _: &Context| {
            assert!(!matches!(how, End::PanicsAtOnce), "no disk");
            let said = turn.assistant_message.clone();
            Box::pin(async move {
                if slow {
                    tokio::time::sleep(Duration::from_secs(4)).await;
                }
                let modified = Modified::to(format!("{said}+{}", end(how).await?));
                Ok(modified.metadata(json!({id: said}).as_object().cloned().unwrap()))
            })
        },
    );
    hook.priority(priority)
}

/// Sees the response, and changes nothing.
fn watches(id: &'static str, how: End) -> core::Hook {
    let hook = McplHook::answering_any::<After, _, Result<(), HookError>>(
        id,
        point::after_inference,
        move |_: &AfterInference, _: &Context| {
            assert!(!matches!(how, End::PanicsAtOnce), "no disk");
            Box::pin(async move { end(how).await.map(drop) })
        },
    );
    hook.into()
}

async fn host(hooks: impl IntoIterator<Item = core::Hook>) -> McplHost {
    McplHost::builder()
        .connect(Bench::new().with(hooks))
        .await
        .unwrap()
}

async fn injected(host: &McplHost) -> Result<Vec<String>, i64> {
    let answer = host.request("context/beforeInference", before()).await;
    let code = answer.code_or_0();
    let answer = answer.map_err(|_| code)?;
    let injections = answer["contextInjections"].as_array().unwrap().iter();
    let texts = injections.map(|one| one["content"].as_str().unwrap().to_owned());
    Ok(texts.collect())
}

#[tokio::test]
async fn injections_stand_in_the_order_of_their_hooks() {
    let fail = Posture::Deny;
    let host = host([
        injects("c", 10, End::Says("c"), fail),
        injects("a", -5, End::Says("a"), fail),
        injects("b1", 0, End::Says("b1"), fail),
        injects("b2", 0, End::Says("b2"), fail),
        injects("z", i32::MAX, End::Says("z"), fail),
        injects("first", i32::MIN, End::Says("first"), fail),
    ])
    .await;
    assert_eq!(
        injected(&host).await.unwrap(),
        ["first", "a", "b1", "b2", "c", "z"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_bad_hook_before_an_inference_is_what_its_posture_says_and_in_time() {
    for bad in BAD {
        let expected = match bad {
            End::FailsAs(code) => code,
            _ => -32603,
        };
        for posture in [Posture::Deny, Posture::Proceed] {
            let host = host([
                injects("good", 0, End::Says("good"), Posture::Deny),
                injects("bad", -1, bad, posture),
            ])
            .await;
            for _round in 0..2 {
                let start = tokio::time::Instant::now();
                let answer = injected(&host).await;
                let hangs = matches!(bad, End::Hangs);
                let within = start.elapsed();
                assert_eq!(within > Duration::from_secs(4), hangs, "{bad:?}");
                assert!(within < Duration::from_secs(5), "{bad:?} {within:?}");
                match posture {
                    Posture::Deny => assert_eq!(answer, Err(expected), "{bad:?}"),
                    Posture::Proceed => assert_eq!(answer.unwrap(), ["good"], "{bad:?}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn blocking_hooks_hand_the_response_on() {
    let host = host([
        modifies("second", 2, End::Says("2"), false)
            .blocking()
            .into(),
        modifies("first", 1, End::Says("1"), false)
            .blocking()
            .into(),
        watches("watches", End::Fails),
        modifies("third", 3, End::Says("3"), false)
            .blocking()
            .into(),
    ])
    .await;
    let answer = host
        .request("context/afterInference", after("said"))
        .await
        .unwrap();
    assert_eq!(
        answer,
        json!({
            "featureSet": "bench.after",
            "modifiedResponse": "said+1+2+3",
            "metadata": {"first": "said", "second": "said+1", "third": "said+1+2"},
        })
    );
}

#[tokio::test(start_paused = true)]
async fn a_failing_blocking_hook_never_lets_the_response_pass_unmodified() {
    for bad in BAD {
        for at in [0, 2] {
            let hooks = [
                modifies("good", 1, End::Says("1"), false).blocking().into(),
                modifies("bad", at, bad, false).blocking().into(),
            ];
            let host = host(hooks).await;
            let start = tokio::time::Instant::now();
            let answer = host
                .request("context/afterInference", after("secret"))
                .await;
            assert!(start.elapsed() < Duration::from_secs(10), "{bad:?}");
            let code = match bad {
                End::FailsAs(code) => code,
                _ => -32603,
            };
            assert_eq!(answer.code_or_0(), code, "{bad:?}");
            assert!(!format!("{answer:?}").contains("secret"));
            let closed = McplHost::builder().fail_closed();
            let hook = modifies("bad", at, bad, false).blocking().into();
            let host = closed.connect(Bench::new().with([hook])).await.unwrap();
            let turn = Turn::new("c").assistant("secret");
            assert_eq!(host.after_inference(&turn).await.response, None);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocking_hook_whose_failure_is_ignored_leaves_it_to_the_others() {
    for bad in BAD {
        let ignored = modifies("bad", 0, bad, false)
            .blocking()
            .posture(Posture::Proceed);
        let good = modifies("good", 1, End::Says("1"), false).blocking();
        let host = host([ignored.into(), good.into()]).await;
        let answer = host.request("context/afterInference", after("said")).await;
        // One that hangs takes all of the time that there is, and then the answer is an error.
        match bad {
            End::Hangs => assert_eq!(answer.code_or_0(), -32603),
            _ => assert_eq!(answer.unwrap()["modifiedResponse"], "said+1"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn slow_hooks_that_are_each_in_time_are_together_in_time() {
    let slow = |id| modifies(id, 0, End::Says("x"), true).blocking().into();
    let host = host([slow("a"), slow("b"), slow("c")]).await;
    let start = tokio::time::Instant::now();
    let answer = host.request("context/afterInference", after("said")).await;
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(answer.code_or_0(), -32603);
    let host = self::host([slow("a"), slow("b")]).await;
    let answer = host.request("context/afterInference", after("said")).await;
    assert_eq!(answer.unwrap()["modifiedResponse"], "said+x+x");
}

#[tokio::test(start_paused = true)]
async fn hooks_that_only_watch_cannot_fail_anything() {
    for bad in BAD {
        let log = Log::default();
        let noting = log.clone();
        let note = McplHook::answering_any::<After, _, _>(
            "note",
            point::after_inference,
            move |turn: &AfterInference, cx: &Context| {
                noting.add(format!("{} {}", turn.assistant_message, cx.is_awaited()));
                Box::pin(async {})
            },
        );
        let host = host([watches("bad", bad), note.priority(1).into()]).await;
        let answer = host.request("context/afterInference", after("a")).await;
        assert_eq!(answer.unwrap(), json!({"featureSet": "bench.after"}));
        host.notify("context/afterInference", after("b"))
            .await
            .unwrap();
        host.notify("context/afterInference", after("c"))
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(log.all(), ["a true", "b false", "c false"], "{bad:?}");
    }
}

#[tokio::test]
async fn a_notification_to_a_blocking_hook_is_observed_without_an_answer() {
    let host = host([modifies("m", 0, End::Says("1"), false).blocking().into()]).await;
    let frames = host.frames().len();
    host.notify("context/afterInference", after("a"))
        .await
        .unwrap();
    host.request("ping", json!({})).await.unwrap();
    let answers = host.frames().split_off(frames);
    assert!(
        answers
            .iter()
            .all(|frame| frame.message.get("error").is_none())
    );
    assert_eq!(answers.len(), 3);
}

#[tokio::test]
async fn a_hook_that_does_not_observe_does_not_see_the_user() {
    for (observe, expected) in [(true, json!("How is it?")), (false, Value::Null)] {
        let hook = McplHook::answering_any::<Before, _, _>(
            "sees",
            point::before_inference,
            |turn: &BeforeInference, _: &Context| {
                let seen = json!(turn.user_message).to_string();
                Box::pin(async move { Injection::new("n", Position::BeforeUser, seen) })
            },
        );
        let path = "contextHooks.beforeInference";
        let mut grant = vec![format!("{path}.inject.beforeUser")];
        grant.extend(observe.then(|| format!("{path}.observe")));
        let builder = McplHost::builder().version("0.5").grant(grant);
        let hook = hook.inject(&[Position::BeforeUser]).observe(observe);
        let host = builder
            .connect(Bench::new().with([hook.into()]))
            .await
            .unwrap();
        assert_eq!(injected(&host).await.unwrap(), [expected.to_string()]);
    }
}

#[tokio::test]
async fn what_a_hook_panics_with_stays_in_the_log() {
    for how in [End::Panics, End::PanicsAtOnce] {
        let host = host([injects("a", 0, how, Posture::Deny)]).await;
        let turn = Turn::new("conv").user("hi");
        let failure = host.before_inference(&turn).await.failure.unwrap();
        let said = failure.to_string();
        assert!(
            said.contains("panicked") && !said.contains("disk"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_hook_sees_where_it_may_inject() {
    let falls_back = || {
        let hook = McplHook::answering_any::<Before, _, Injection>(
            "falls_back",
            point::before_inference,
            |_: &BeforeInference, cx: &Context| {
                let at = if cx.may_inject(Position::System) {
                    Position::System
                } else {
                    Position::AfterUser
                };
                Box::pin(async move { Injection::new("a", at, "words") })
            },
        );
        core::Hook::from(hook)
    };
    for (version, granted, at) in [
        ("0.4", "", Position::System),
        ("0.5", "inject.system", Position::System),
        ("0.5", "inject.afterUser", Position::AfterUser),
    ] {
        let policy = if version == "0.4" {
            McplGrants::trusting()
        } else {
            // What the hook needs, and one of what it takes.
            let paths = ["observe", "inject.beforeUser", granted];
            McplGrants::new()
                .grant(paths.map(|path| format!("contextHooks.beforeInference.{path}")))
        };
        let builder = McplHost::builder().version(version).grants(policy);
        let server = Bench::new().with([falls_back()]);
        let host = builder.connect(server).await.unwrap();
        let contribution = host.before_inference(&Turn::new("conv").user("hi")).await;
        assert_eq!(
            contribution.at(at).count(),
            1,
            "{version}: {contribution:?}"
        );
    }
}
