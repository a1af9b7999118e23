//! Policies in any order, against a model: what is enabled and granted is what the last of them say.

use std::collections::{BTreeMap, BTreeSet};

use hooks_sdk::testing::McplHost;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use super::rig::{connect, state, tool};

const SETS: [&str; 7] = [
    "acc.after",
    "acc.chan",
    "acc.context",
    "acc.files",
    "acc.infer",
    "acc.notes",
    "acc.push",
];

/// A tool that asks for something, the set and the capability that it needs, and the code that says which is missing.
const ASKS: [(&str, &str, &str); 4] = [
    ("acc_push", "acc.push", "pushEvents"),
    ("acc_infer", "acc.infer", "inferenceRequest"),
    ("acc_model_info", "acc.infer", "modelInfo"),
    ("acc_chan_list_host", "acc.chan", "channels.register"),
];

/// All that a set needs of a 0.5 host.
fn needs(set: &str) -> &'static [&'static str] {
    match set {
        "acc.after" => &["inferenceLifecycle"],
        "acc.chan" => &[
            "channels.register",
            "channels.lifecycle",
            "channels.publish",
            "channels.incoming",
        ],
        "acc.context" => &[
            "contextHooks.beforeInference.observe",
            "contextHooks.beforeInference.inject.system",
            "contextHooks.beforeInference.inject.beforeUser",
        ],
        "acc.infer" => &["inferenceRequest"],
        "acc.push" => &["pushEvents"],
        _ => &["tools"],
    }
}

#[derive(Clone, Debug)]
struct Update {
    enabled: Option<Vec<&'static str>>,
    disabled: Option<Vec<&'static str>>,
    granted: Option<Vec<&'static str>>,
    denied: Vec<&'static str>,
    asked: bool,
}

fn update() -> impl Strategy<Value = Update> {
    let patterns = vec![
        "acc.push",
        "acc.infer",
        "acc.chan",
        "acc.*",
        "*",
        "acc",
        "acc.p*",
        "",
        "nope.*",
        "acc.push.*",
    ];
    let patterns = || proptest::option::of(proptest::sample::subsequence(patterns.clone(), 0..4));
    let paths = || {
        vec![
            "pushEvents",
            "*",
            "channels.*",
            "channels",
            "inferenceRequest",
            "*.register",
            "modelInfo",
            "*.*.*",
        ]
    };
    let granted = proptest::option::of(proptest::sample::subsequence(paths(), 0..5));
    let denied =
        prop_oneof![4 => Just(Vec::new()), 1 => proptest::sample::subsequence(paths(), 1..3)];
    (patterns(), patterns(), granted, denied, any::<bool>()).prop_map(
        |(enabled, disabled, granted, denied, asked)| Update {
            enabled,
            disabled,
            granted,
            denied,
            asked,
        },
    )
}

/// What a 0.4 or a 0.5 host's updates come to, written without a look at the SDK.
#[derive(Default)]
struct Model {
    spoken: bool,
    enabled: BTreeMap<&'static str, bool>,
    granted: BTreeSet<&'static str>,
}

fn names(patterns: &Option<Vec<&'static str>>, set: &str) -> bool {
    let matches = |pattern: &&str| match *pattern {
        "*" => true,
        "acc.*" => set.starts_with("acc."),
        exact => exact == set,
    };
    patterns.iter().flatten().any(matches)
}

impl Model {
    /// Says whether a request is accepted.
    fn take(&mut self, update: &Update, version: &str) -> bool {
        let mut accepted = true;
        if version == "0.5" && update.asked {
            let granted = update.granted.clone().unwrap_or_default();
            accepted = !granted.iter().any(|path| update.denied.contains(path));
            if !accepted {
                return false;
            }
            self.granted = granted.into_iter().collect();
            self.spoken = true;
            self.enabled = SETS
                .iter()
                .map(|set| (*set, update.enabled.is_none()))
                .collect();
        }
        for set in SETS {
            if (version == "0.4" || update.asked) && names(&update.enabled, set) {
                self.enabled.insert(set, true);
            }
            if names(&update.disabled, set) {
                self.enabled.insert(set, false);
            }
        }
        self.spoken |= version == "0.4";
        accepted
    }

    fn grants(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.split('.').collect();
        self.granted.iter().any(|pattern| {
            let pattern: Vec<&str> = pattern.split('.').collect();
            let same = |(a, b): (&&str, &&str)| *a == "*" || a == b;
            pattern.len() == segments.len() && pattern.iter().zip(&segments).all(same)
        })
    }

    fn has_all(&self, set: &str, version: &str) -> bool {
        version == "0.4" || needs(set).iter().all(|path| self.grants(path))
    }

    /// What a sender says: nothing, or that it may not.
    fn refuses(&self, set: &str, path: &str, version: &str) -> Option<i64> {
        let granted = version == "0.4" || self.grants(path) && self.has_all(set, version);
        if !self.spoken {
            return Some(if version == "0.4" { -32001 } else { -32002 });
        }
        if self.enabled.get(set) != Some(&true) {
            return Some(-32001);
        }
        (!granted).then_some(-32002)
    }
}

async fn tell(host: &McplHost, update: &Update) -> bool {
    let mut params = json!({"deniedCapabilities": update.denied});
    for (name, list) in [
        ("enabled", &update.enabled),
        ("disabled", &update.disabled),
        ("effectiveCapabilities", &update.granted),
    ] {
        if let Some(list) = list {
            params[name] = json!(list);
        }
    }
    if update.asked {
        let receipt = host.request("featureSets/update", params).await;
        receipt.is_ok_and(|receipt| receipt["accepted"] == true)
    } else {
        host.notify("featureSets/update", params).await.unwrap();
        true
    }
}

async fn play(updates: &[Update], version: &'static str) {
    let host = connect(McplHost::builder().version(version).silent()).await;
    let mut model = Model::default();
    for update in updates {
        let accepted = model.take(update, version);
        assert_eq!(tell(&host, update).await, accepted, "{update:?}");
        let enabled = state(&host).await["enabled"].clone();
        let expected: Vec<_> = model
            .enabled
            .iter()
            .filter(|(set, on)| **on && model.has_all(set, version))
            .map(|(set, _)| *set)
            .collect();
        assert_eq!(enabled, json!(expected), "{update:?}");
        for (name, set, path) in ASKS {
            let arguments = json!({"text": "a", "prompt": "a"});
            let answer = tool(&host, name, arguments).await;
            let local = answer["local"] == true;
            let code = answer["error"]["code"].as_i64().filter(|_| local);
            assert_eq!(
                code,
                model.refuses(set, path, version),
                "{name} after {update:?}: {answer}"
            );
        }
    }
    let answer: Value = tool(&host, "acc_echo", json!({"text": "alive"})).await;
    assert_eq!(answer, "alive");
}

#[test]
fn the_policy_is_what_the_updates_say() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config {
        cases: 100,
        failure_persistence: None,
        ..Config::default()
    });
    let updates = proptest::collection::vec(update(), 1..12);
    let versions = proptest::sample::select(vec!["0.4", "0.5"]);
    runner
        .run(&(updates, versions), |(updates, version)| {
            runtime.block_on(play(&updates, version));
            Ok(())
        })
        .unwrap();
}

// Random updates come to it too seldom.
#[tokio::test]
async fn a_notification_of_0_5_enables_nothing() {
    let none = Update {
        enabled: Some(Vec::new()),
        disabled: None,
        granted: Some(vec!["pushEvents"]),
        denied: Vec::new(),
        asked: true,
    };
    let notification = Update {
        enabled: Some(vec!["acc.push"]),
        granted: None,
        asked: false,
        ..none.clone()
    };
    play(&[none, notification], "0.5").await;
}
