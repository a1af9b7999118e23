//! Reading a changed file again.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Map;

use super::*;
use crate::{Contexts, End, GlobalContext, Plugin, PluginHooks, ToolCall, point};
use hooks_core::{HookError, Verdict, Violation};

/// A plugin with state: it lets as many calls pass as its configuration says.
struct Budget {
    most: u64,
    seen: AtomicU64,
}

impl Plugin for Budget {
    const KIND: &'static str = "budget";
    type Config = u64;

    fn new(most: u64) -> Result<Budget, HookError> {
        Ok(Budget {
            most,
            seen: AtomicU64::new(0),
        })
    }

    fn hooks() -> PluginHooks<Budget> {
        PluginHooks::new().on(point::tool_pre_invoke, |budget: &Budget, _, _| {
            Box::pin(async move {
                if budget.seen.fetch_add(1, Ordering::Relaxed) >= budget.most {
                    return Verdict::<ToolCall>::Deny(Violation::new("spent"));
                }
                Verdict::Allow
            })
        })
    }
}

async fn passes(policy: &ActivePolicy) -> bool {
    let mut contexts = Contexts::new(GlobalContext::new("1"));
    let mut call = ToolCall::new("read", Map::new());
    let ran = policy
        .chain
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    matches!(ran.end, End::Allowed)
}

const FILE: &str = "plugins:\n  - {name: a, kind: budget, config: 2}\n";

#[tokio::test]
async fn a_new_file_keeps_what_did_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    let write = |text: &str| fs::write(&file, text).unwrap();
    write(FILE);
    let open = || Reloading::open(&file, vec![Kind::of::<Budget>()], Vec::new(), |chain| chain);
    let reloading = open().unwrap();
    let mut lists = reloading.list_changes();
    assert!(passes(&reloading.active()).await);

    // The instance and the counters stay while another entry comes and its own place changes.
    write(&format!(
        "{}\n  - {{name: b, kind: deny, reason: no, hooks: [tool_pre_invoke], tools: [x]}}\n",
        FILE.trim().replace("config: 2", "config: 2, priority: 5")
    ));
    let reloaded = reloading.reload().unwrap();
    assert!(reloaded.changed && !reloaded.lists);
    let active = reloading.active();
    assert_eq!((active.version, active.chain.hooks().count()), (2, 2));
    assert!(passes(&active).await);
    assert!(!passes(&active).await, "the third call of two");
    assert_eq!(active.chain.counts("a").denied, 1);

    // A broken file and a missing one change nothing, and say so.
    write("plugins:\n  - {name: a, kind: budgte, config: 2}\n");
    let wrong = reloading.reload().unwrap_err();
    assert!(wrong.to_string().contains("policy.yaml:2: "), "{wrong}");
    assert_eq!(*reloading.problem().unwrap(), wrong);
    fs::remove_file(&file).unwrap();
    let wrong = reloading.reload().unwrap_err();
    assert!(wrong.to_string().contains("cannot be read"), "{wrong}");
    assert!(Arc::ptr_eq(&reloading.active(), &active));
    // An empty file is one that is just being written.
    write("");
    reloading.reload().unwrap_err();
    assert!(!passes(&reloading.active()).await);
    assert!(
        open().is_err(),
        "a program does not start without its policy"
    );

    // Another configuration is another instance; counters are of the hook, and stay.
    assert!(!lists.has_changed().unwrap());
    write(&format!(
        "{}lists: {{tools: {{hide: [x]}}}}\n",
        FILE.replace("config: 2", "config: 1")
    ));
    let reloaded = reloading.reload().unwrap();
    assert!(reloaded.changed && reloaded.lists);
    assert!(lists.has_changed().unwrap());
    assert_eq!(
        (*lists.borrow_and_update(), reloading.active().lists().len()),
        (3, 1)
    );
    assert!(reloading.problem().is_none());
    assert!(passes(&reloading.active()).await);
    assert_eq!(reloading.active().chain.counts("a").denied, 2);

    // The same text again is no new version.
    assert_eq!(reloading.reload().unwrap(), Reloaded::default());
    assert_eq!(reloading.active().version, 3);
}

#[test]
fn a_file_rests_before_it_is_read() {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    let at = |changed| Stamp {
        changed,
        length: 1,
        number: 1,
    };
    assert!(at(None).rests(now));
    assert!(!at(Some(now)).rests(now));
    assert!(!at(Some(now - REST / 2)).rests(now));
    assert!(at(Some(now - REST)).rests(now));
    assert!(at(Some(now + Duration::from_secs(3600))).rests(now));
}

#[test]
fn a_look_sees_a_changed_file_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.yaml");
    fs::write(&file, FILE).unwrap();
    let reloading =
        Reloading::open(&file, vec![Kind::of::<Budget>()], Vec::new(), |chain| chain).unwrap();
    let long_ago = || {
        let mut watched = reloading.watched.lock().unwrap();
        watched.looked = Instant::now().checked_sub(INTERVAL).unwrap();
    };
    let age = |text: &str| {
        fs::write(&file, text).unwrap();
        let written = fs::File::options().write(true).open(&file).unwrap();
        written.set_modified(SystemTime::now() - 10 * REST).unwrap();
    };
    long_ago();
    assert_eq!(reloading.look(), Reloaded::default());
    age(&format!("# another\n{FILE}"));
    // The last look was just now.
    assert_eq!(reloading.look(), Reloaded::default());
    long_ago();
    assert!(reloading.look().changed);
    long_ago();
    assert!(!reloading.look().changed);
    age("plugins: [");
    long_ago();
    assert_eq!(reloading.active().version, 2);
    assert!(reloading.problem().is_some());
}
