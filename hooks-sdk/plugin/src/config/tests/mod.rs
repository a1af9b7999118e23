//! Reading configuration files.

mod forms;
mod hostile;
mod mistakes;
mod transform;

use serde::Deserialize;
use serde_json::{Map, json};

use super::*;
use crate::{
    Contexts, End, GlobalContext, Instance, ListOf, Listed, ListedItem, Outcome, Plugin,
    PluginHooks, PluginMode, Question, ToolCall, ToolResult, point,
};
use hooks_core::{HookError, Posture, Verdict, Violation};

/// A plugin that counts calls, and stops those over its limit.
struct Quota {
    most: u64,
    seen: std::sync::atomic::AtomicU64,
}

#[derive(Deserialize)]
struct QuotaConfig {
    most: u64,
    #[serde(default)]
    #[expect(dead_code, reason = "only read")]
    scope: Scope,
    #[serde(default)]
    #[expect(dead_code, reason = "only read")]
    ask: Option<Question>,
}

#[derive(Default, Deserialize)]
struct Scope {
    #[serde(default)]
    #[expect(dead_code, reason = "only read")]
    users: Vec<String>,
}

impl Plugin for Quota {
    const KIND: &'static str = "quota";
    type Config = QuotaConfig;

    fn new(config: QuotaConfig) -> Result<Quota, HookError> {
        let most = config.most;
        assert!(most != 13, "unlucky");
        if most == 0 {
            return Err(HookError::new("`most` is zero, so nothing would ever run"));
        }
        Ok(Quota {
            most,
            seen: 0.into(),
        })
    }

    fn hooks() -> PluginHooks<Quota> {
        PluginHooks::new()
            .on(point::tool_pre_invoke, |quota: &Quota, _, _| {
                Box::pin(async move {
                    let seen = quota
                        .seen
                        .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seen >= quota.most {
                        return Verdict::<ToolCall>::Deny(Violation::new("enough"));
                    }
                    Verdict::Allow
                })
            })
            .on(point::tool_post_invoke, |_: &Quota, _, _| {
                Box::pin(async { Verdict::<ToolResult>::Allow })
            })
    }
}

const KINDS: [Kind; 1] = [Kind::of::<Quota>()];

fn own() -> Vec<PluginHook> {
    vec![
        PluginHook::deny("keep_logs", point::tool_pre_invoke, "logs stay"),
        PluginHook::deny("sleeping", point::tool_pre_invoke, "no").mode(PluginMode::Disabled),
    ]
}

fn yaml(text: &str) -> Result<Configuration, ConfigurationErrors> {
    Configuration::parse("p.yaml", text, &KINDS, &own())
}

const WHOLE: &str = r#"
# Both languages say the same.
deadline: 2s
questions: 3
plugins:
  - name: per-day
    kind: quota
    description: At most a hundred calls
    author: ops
    version: "1.2"
    hooks: [tool_pre_invoke]
    mode: sequential
    priority: 7
    tags: [cost, ops]
    tools: ["search_*"]
    when: 'args.count = 10..'
    conditions:
      - tenant_ids: [a, b]
        tools: [search_web]
      - agents: [planner]
    config:
      most: 100
      scope: { users: [alice] }
    deadline: 500ms
  - name: no_deletes
    kind: deny
    hooks: [tool_pre_invoke, prompt_pre_fetch]
    tools: ["delete_*"]
    prompts: [wipe]
    unless: user = "root"
    reason: nothing is deleted here
    code: NO_DELETES
hooks:
  - id: keep_logs
    mode: audit
    priority: 1
hook_policies:
  tool_pre_invoke: [args]
limits:
  tool_pre_invoke: 5000
lists:
  tools:
    hide: ["internal_*"]
"#;

#[test]
fn a_whole_file_is_read() {
    let yaml = yaml(WHOLE).unwrap();
    let plugins: Vec<&ConfiguredPlugin> = yaml.plugins().collect();
    let [quota, rule] = plugins[..] else {
        panic!("{plugins:?}");
    };
    assert_eq!(
        (&*quota.name, quota.kind, quota.line),
        ("per-day", "quota", 6)
    );
    let words = [&quota.description, &quota.author, &quota.version];
    let words = words.map(|word| word.as_deref().unwrap());
    assert_eq!(words, ["At most a hundred calls", "ops", "1.2"]);
    let [hook] = &quota.hooks[..] else {
        panic!("{:?}", quota.hooks);
    };
    assert_eq!((hook.id(), hook.at()), ("per-day", PluginAt::ToolPreInvoke));
    assert_eq!(
        (hook.its_mode(), hook.its_priority()),
        (PluginMode::Enforce, 7)
    );
    assert_eq!(hook.its_deadline().as_millis(), 500);
    assert_eq!(hook.its_tags().collect::<Vec<_>>(), ["cost", "ops"]);
    assert_eq!(hook.its_items().collect::<Vec<_>>(), ["search_*"]);
    assert_eq!(
        hook.its_conditions().0.unwrap().as_str(),
        "args.count = 10.."
    );
    assert_eq!(hook.its_file_conditions()[0].tenant_ids, ["a", "b"]);
    // Each item restricts the hooks of its own family.
    let items = |hook: &PluginHook| hook.its_items().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(items(&rule.hooks[0]), ["delete_*"]);
    assert_eq!(items(&rule.hooks[1]), ["wipe"]);
    assert_eq!(rule.hooks[1].its_deadline().as_secs(), 2);
    let notes: Vec<String> = yaml.notes().collect();
    let [agents, weak] = &notes[..] else {
        panic!("{notes:?}");
    };
    assert!(
        agents.starts_with("p.yaml:20: ") && agents.contains("never matches"),
        "{agents}"
    );
    assert!(
        weak.starts_with("p.yaml:34: `keep_logs` (") && weak.ends_with("mode `audit`"),
        "{weak}"
    );
}

#[tokio::test]
async fn the_chain_is_the_programs_hooks_and_then_the_files() {
    let configuration = yaml(WHOLE).unwrap();
    let chain = configuration.chain(own(), |chain| chain.limit(PluginAt::ToolPreInvoke, 9));
    let ids: Vec<&str> = chain.hooks().map(PluginHook::id).collect();
    let own = [
        "keep_logs",
        "per-day",
        "sleeping",
        "no_deletes",
        "no_deletes",
    ];
    assert_eq!(ids, own);
    let mut contexts = Contexts::new(GlobalContext::new("1"));
    let mut call = ToolCall::new("delete_file", Map::new());
    let ran = chain
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    let End::Blocked(blocked) = ran.end else {
        panic!("{ran:?}");
    };
    assert_eq!(
        (&*blocked.hook, &*blocked.violation.code),
        ("no_deletes", "NO_DELETES")
    );
    // The file's limit replaces the program's.
    let text = "x".repeat(5000);
    let mut call = ToolCall::new("read", Map::new()).with("text", text.clone());
    let ran = chain
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    assert!(matches!(ran.end, End::Allowed), "{ran:?}");
    let mut call = call.with("more", "y");
    let ran = chain
        .run(point::tool_pre_invoke, &mut call, &mut contexts)
        .await;
    assert!(matches!(ran.end, End::Blocked(_)), "{ran:?}");
}

#[test]
fn lists_hide_items() {
    let configuration = yaml(WHOLE).unwrap();
    let tool = |name: &str| {
        let members = json!({ "name": name });
        ListedItem::new(ListOf::Tools, members.as_object().unwrap().clone())
    };
    let [hide] = configuration.lists() else {
        panic!("{:?}", configuration.lists());
    };
    assert_eq!(hide.show(&tool("internal_a")), Listed::Hidden);
    assert_eq!(hide.show(&tool("search_web")), Listed::Shown);
    let settings = configuration.settings();
    assert!(
        settings.contains(&"list of tools: hides internal_*".to_owned()),
        "{settings:?}"
    );
}

#[test]
fn every_mode_has_its_meaning() {
    for (word, mode, posture) in [
        ("enforce", PluginMode::Enforce, Posture::Deny),
        ("sequential", PluginMode::Enforce, Posture::Deny),
        (
            "enforce_ignore_error",
            PluginMode::Enforce,
            Posture::Proceed,
        ),
        ("transform", PluginMode::Transform, Posture::Deny),
        ("permissive", PluginMode::Permissive, Posture::Proceed),
        ("audit", PluginMode::Audit, Posture::Proceed),
        ("concurrent", PluginMode::Concurrent, Posture::Deny),
        (
            "fire_and_forget",
            PluginMode::FireAndForget,
            Posture::Proceed,
        ),
        ("disabled", PluginMode::Disabled, Posture::Proceed),
    ] {
        let text = format!("hooks:\n  - {{id: keep_logs, mode: {word}}}\n");
        let chain = yaml(&text).unwrap().chain(own(), |chain| chain);
        let hook = chain.hooks().find(|hook| hook.id() == "keep_logs").unwrap();
        assert_eq!(
            (hook.its_mode(), hook.its_posture()),
            (mode, posture),
            "{word}"
        );
    }
}

#[test]
fn a_note_says_what_takes_power_from_a_hook() {
    for (id, change, says) in [
        (
            "keep_logs",
            "mode: permissive",
            "stops no request: it is in mode `permissive`",
        ),
        (
            "keep_logs",
            "posture: proceed",
            "lets requests pass when it fails",
        ),
        ("keep_logs", "mode: concurrent", ""),
        ("sleeping", "mode: audit", ""),
    ] {
        let text = format!("hooks:\n  - {{id: {id}, {change}}}\n");
        let notes: Vec<String> = yaml(&text).unwrap().notes().collect();
        let said = notes.iter().any(|note| note.ends_with(says));
        assert_eq!(said, !says.is_empty(), "{change}: {notes:?}");
    }
}

#[test]
fn a_note_says_what_becomes_of_a_question_in_a_mode_that_asks_nobody() {
    let asks = PluginHook::answering_any::<_, Outcome<ToolCall>>(
        "asks",
        point::tool_pre_invoke,
        |_, _| Box::pin(async { Outcome::allow() }),
    );
    for (mode, ends) in [
        ("audit", "asks nobody in mode `audit`"),
        ("concurrent", "and its question refuses the request"),
    ] {
        let text = format!("hooks:\n  - {{id: asks, mode: {mode}}}\n");
        let own = [asks.clone()];
        let configuration = Configuration::parse("p.yaml", &text, &KINDS, &own).unwrap();
        assert!(
            configuration.notes().any(|note| note.ends_with(ends)),
            "{mode}"
        );
    }
}

/// Returns how many of five calls of a tool the chain allows.
async fn allowed(chain: &Chain, tool: &'static str) -> usize {
    let mut allowed = 0;
    for _ in 0..5 {
        let mut contexts = Contexts::new(GlobalContext::new("1"));
        let mut call = ToolCall::new(tool, Map::new());
        let ran = chain.run(point::tool_pre_invoke, &mut call, &mut contexts);
        allowed += usize::from(matches!(ran.await.end, End::Allowed));
    }
    allowed
}

#[tokio::test]
async fn a_file_sets_the_configuration_of_a_plugin_of_the_program_and_keeps_what_limits_it() {
    let made = Instance::of(Quota {
        most: 1,
        seen: 0.into(),
    });
    let made = made.items(&["search_*"]).priority(7).named("searches");
    let text = "hooks:\n  - id: searches\n    config: { most: 3 }\n";
    // The program need not register the kind.
    let read = |text: &str, before: Option<&Configuration>| {
        let file = Path::new("p.yaml");
        Configuration::made(file, text, &[], made.hooks(), before)
    };
    let configuration = read(text, None).unwrap();
    let chain = |of: &Configuration| of.chain(made.hooks().iter().cloned(), |chain| chain);
    let first = chain(&configuration);
    assert!(first.hooks().all(|hook| hook.its_priority() == 7));
    assert_eq!(allowed(&first, "search_web").await, 3);
    assert_eq!(allowed(&first, "other").await, 5);
    let notes: Vec<String> = configuration.notes().collect();
    assert!(
        matches!(&notes[..], [note] if note.starts_with("p.yaml:2: `searches` (")
            && note.ends_with("has the `config` of this file")),
        "{notes:?}"
    );
    // The same configuration keeps its state, another one starts again.
    let again = format!("{text}    priority: 9\n");
    let again = read(&again, Some(&configuration)).unwrap();
    assert_eq!(allowed(&chain(&again), "search_web").await, 0);
    let more = read(&text.replace('3', "4"), Some(&again)).unwrap();
    assert_eq!(allowed(&chain(&more), "search_web").await, 4);
    // Without an entry, the program's own instance holds.
    let own = read("questions: 3\n", Some(&more)).unwrap();
    assert_eq!(allowed(&chain(&own), "search_web").await, 1);
}

#[test]
fn a_wrong_configuration_of_a_plugin_of_the_program_is_reported_at_its_line() {
    let made = Instance::of(Quota {
        most: 1,
        seen: 0.into(),
    });
    let hooks: Vec<PluginHook> = made.hooks().iter().cloned().chain(own()).collect();
    let wrong = |text: &str| {
        let wrong = Configuration::parse("p.yaml", text, &[], &hooks).unwrap_err();
        wrong.to_string()
    };
    for (text, expected) in [
        (
            "hooks:\n  - id: quota\n    config:\n      most: many\n",
            "p.yaml:4: `config.most`: invalid type",
        ),
        (
            "hooks:\n  - id: quota\n    config:\n      most: 1\n      least: 1\n",
            "p.yaml:5: `config.least`: the plugin has no such member",
        ),
        (
            "hooks:\n  - id: quota\n    config: { most: 13 }\n",
            "p.yaml:3: `config`: ",
        ),
        (
            "hooks:\n  - id: keep_logs\n    config: { most: 1 }\n",
            "p.yaml:3: `keep_logs` has no configuration: it is no plugin",
        ),
        (
            "hooks:\n  - id: quota\n    config:\n",
            "p.yaml:3: `config` has no value",
        ),
    ] {
        let found = wrong(text);
        assert!(found.contains(expected), "{text}: {found}");
        assert!(found.starts_with("1 mistake"), "{text}: {found}");
    }
}
