//! Senders inside a context hook, which refuse, and work for after the answer, which does not.

use std::sync::Mutex;

use futures::StreamExt;
use hooks_sdk::{
    core::{self, HookError, Posture},
    mcpl::{
        Context, Enabled, EventId, FeatureSetChange, Host, Inference, McplHook, Push, Scope,
        SendError, point, wire::ChannelsChanged,
    },
    prelude::*,
    testing::{McplHost, Side},
};
use serde_json::json;

use super::{
    bench::{Before, Bench, Log},
    rig::{after, before, sent, until},
};

/// Sends everything there is
#[mcpl::feature_set(
    "keeper.all",
    sends(push, inference, model_info, register, incoming),
    scoped,
    server = Keeper
)]
struct All;

/// Comes later
#[mcpl::feature_set("keeper.late", sends(push), later, server = Keeper)]
struct Later;

/// A server that keeps its host, and misuses it in hooks.
#[derive(Default)]
struct Keeper {
    host: Mutex<Option<Host>>,
    stream: Mutex<Option<mcpl::InferenceStream>>,
    log: Log,
}

impl rmcp::ServerHandler for Keeper {}

fn push(at: u32) -> Push {
    Push::new(EventId::of("push", at), "news")
}

impl Keeper {
    /// What every sender says.
    async fn send_all(&self) -> Vec<Option<SendError>> {
        let Some(host) = self.host.lock().unwrap().clone() else {
            return Vec::new();
        };
        let prompt = Inference::prompt("p");
        let change = FeatureSetChange::new().add::<Later>();
        vec![
            host.push::<All>(&push(1)).await.err(),
            host.infer::<All>(&prompt).await.err(),
            host.infer_streaming::<All>(&prompt).err(),
            host.model_info::<All>().await.err(),
            host.elevate::<All>(Scope::new("/a")).await.err(),
            host.register_channels::<All>(Vec::new()).await.err(),
            host.channels_changed::<All>(ChannelsChanged::new())
                .await
                .err(),
            host.list_channels::<All>().await.err(),
            host.incoming::<All>(Vec::new()).await.err(),
            host.change_feature_sets(change).await.err(),
            host.check::<All>().err(),
        ]
    }

    async fn misuse(&self) -> bool {
        let errors = self.send_all().await;
        let stream = self.stream.lock().unwrap().take();
        let kept = match stream {
            Some(mut stream) => {
                stream.next().await.is_none()
                    && stream.finish().await.err() == Some(SendError::InsideHook)
            }
            None => true,
        };
        // 0.5 has no scopes at all, which comes first.
        let refused = |error: &Option<SendError>| match error {
            Some(SendError::NotInVersion { method, .. }) => *method == "scope/elevate",
            error => *error == Some(SendError::InsideHook),
        };
        kept && errors.len() == 11 && errors.iter().all(refused)
    }
}

#[hooks_sdk::hooks]
impl Keeper {
    #[mcpl::hook(enabled, feature_set = All)]
    async fn keep(&self, enabled: &Enabled) {
        let host = enabled.host();
        *self.stream.lock().unwrap() = host.infer_streaming::<All>(&Inference::prompt("p")).ok();
        *self.host.lock().unwrap() = Some(host.clone());
        self.log.add("kept");
    }

    #[mcpl::hook(before_inference, feature_set = All)]
    async fn before(&self, _turn: &BeforeInference, cx: &Context) -> Injection {
        let log = self.log.clone();
        cx.after_answer(|host| async move {
            let pushed = host.push::<All>(&push(2)).await;
            log.add(format!("after before: {}", pushed.is_ok()));
        });
        let refused = self.misuse().await;
        Injection::new("n", Position::System, format!("{refused}"))
    }

    #[mcpl::hook(after_inference, feature_set = All, blocking)]
    async fn after(&self, _turn: &AfterInference, cx: &Context) -> String {
        let log = self.log.clone();
        cx.after_answer(|host| async move {
            let inferred = host.infer::<All>(&Inference::prompt("p")).await;
            log.add(format!("after after: {}", inferred.is_ok()));
        });
        format!("{}", self.misuse().await)
    }

    #[mcpl::hook(after_inference, feature_set = All)]
    async fn watch(&self) {
        self.log.add(format!("watch: {}", self.misuse().await));
    }
}

async fn connected(version: &str) -> McplHost {
    let builder = McplHost::builder().version(version).no_inference_in_hooks();
    let host = builder
        .connect(Keeper::default().with_hooks().unwrap())
        .await;
    let host = host.unwrap();
    host.request("ping", json!({})).await.unwrap();
    host
}

/// The messages of the server behind the answer to the host's last request, and the answer's place.
fn behind(host: &McplHost, method: &str) -> (usize, Option<usize>) {
    let frames = host.frames();
    let theirs = |is: &dyn Fn(&serde_json::Value) -> bool| {
        frames
            .iter()
            .rposition(|frame| frame.from == Side::Server && is(&frame.message))
    };
    let answer = theirs(&|message| message["result"]["featureSet"].is_string());
    (
        answer.unwrap(),
        theirs(&|message| message["method"] == method),
    )
}

#[tokio::test]
async fn every_sender_refuses_inside_a_hook_and_works_after_its_answer() {
    for version in ["0.4", "0.5"] {
        let host = connected(version).await;
        let answer = host
            .request("context/beforeInference", before())
            .await
            .unwrap();
        assert_eq!(
            answer["contextInjections"][0]["content"], "true",
            "{version}"
        );
        host.wait_for("push/event").await.unwrap();
        let (answered, pushed) = behind(&host, "push/event");
        assert!(answered < pushed.unwrap());
        assert_eq!(host.received("push/event").len(), 1);
        if version == "0.4" {
            let answer = host
                .request("context/afterInference", after("a"))
                .await
                .unwrap();
            assert_eq!(answer["modifiedResponse"], "true");
            host.wait_for("inference/request").await.unwrap();
            let (answered, asked) = behind(&host, "inference/request");
            assert!(answered < asked.unwrap());
            host.notify("context/afterInference", after("a"))
                .await
                .unwrap();
            host.request("ping", json!({})).await.unwrap();
        }
        // What the last one, which nobody awaited, left for later.
        let expected = if version == "0.4" { 3 } else { 1 };
        until(&host, || sent(&host).len() == expected).await;
        assert!(host.failures().is_empty());
    }
}

#[tokio::test]
async fn a_context_hook_that_waited_for_its_host_would_wait_for_ever_and_is_told() {
    let server = Keeper::default();
    let log = server.log.clone();
    let host = McplHost::builder()
        .connect(server.with_hooks().unwrap())
        .await
        .unwrap();
    until(&host, || log.all().contains(&"kept".to_owned())).await;
    let asks = (0..20).map(|_| host.request("context/beforeInference", before()));
    for answer in futures::future::join_all(asks).await {
        assert_eq!(answer.unwrap()["contextInjections"][0]["content"], "true");
    }
    until(&host, || log.all().len() == 21).await;
    assert!(
        log.all()[1..]
            .iter()
            .all(|entry| entry == "after before: true"),
        "{:?}",
        log.all()
    );
    // Each waited for its own answer: no push is in front of the answer that it belongs to.
    let (mut answers, mut pushes) = (0, 0);
    for frame in host
        .frames()
        .iter()
        .filter(|frame| frame.from == Side::Server)
    {
        answers += usize::from(frame.message["result"]["featureSet"].is_string());
        pushes += usize::from(frame.message["method"] == "push/event");
        assert!(pushes <= answers);
    }
    assert_eq!((answers, pushes), (20, 20));
}

/// A hook that leaves work for later, and then ends as it is told.
fn leaves(log: &Log, fails: bool, posture: Posture) -> core::Hook {
    let log = log.clone();
    let hook = McplHook::answering_any::<Before, _, Result<Vec<Injection>, HookError>>(
        "leaves",
        point::before_inference,
        move |_: &BeforeInference, cx: &Context| {
            let (first, second, third) = (log.clone(), log.clone(), log.clone());
            cx.after_answer(|_| async move { first.add("first") });
            cx.after_answer(|_| async { panic!("work fails") });
            cx.after_answer(|host| async move {
                third.add(format!("host {}", host.version().is_some()));
                std::future::pending::<()>().await;
            });
            Box::pin(async move {
                second.add("runs");
                match fails {
                    true => Err(HookError::new("no")),
                    false => Ok(Vec::new()),
                }
            })
        },
    );
    hook.posture(posture).into()
}

#[tokio::test]
async fn work_for_later_is_done_each_by_itself_and_not_when_the_hook_failed() {
    for (fails, posture, answered) in [
        (false, Posture::Deny, true),
        (true, Posture::Deny, false),
        (true, Posture::Proceed, true),
    ] {
        let log = Log::default();
        let server = Bench::new().with([leaves(&log, fails, posture)]);
        let host = McplHost::builder().connect(server).await.unwrap();
        let answer = host.request("context/beforeInference", before()).await;
        assert_eq!(answer.is_ok(), answered);
        let expected = if fails { 1 } else { 3 };
        until(&host, || log.all().len() == expected).await;
        host.request("ping", json!({})).await.unwrap();
        let mut entries = log.all();
        entries.sort();
        let all = ["first", "host true", "runs"];
        assert_eq!(entries, if fails { &all[2..] } else { &all[..] });
        let again = host.request("context/beforeInference", before()).await;
        assert_eq!(again.is_ok(), answered, "the server lives");
    }
}
