//! Reading configuration files.

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, json};

use super::*;
use crate::{
    core::{HookError, OnFailure, Verdict, Violation},
    plugin::{
        Contexts, Definition, End, GlobalContext, ListOf, Listing, Mode, Plugin, PluginHooks,
        ToolAnswer, ToolCall, point,
    },
};

/// A plugin that counts calls, and stops those over its limit.
struct Quota {
    most: u64,
    seen: std::sync::atomic::AtomicU64,
}

#[derive(Deserialize)]
struct QuotaConfig {
    most: u64,
    #[serde(default)]
    scope: Scope,
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
        let QuotaConfig { most, scope: _ } = config;
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
                Box::pin(async { Verdict::<ToolAnswer>::Allow })
            })
    }
}

const KINDS: [Kind; 1] = [Kind::of::<Quota>()];

fn own() -> Vec<PluginHook> {
    vec![
        PluginHook::deny("keep_logs", point::tool_pre_invoke, "logs stay"),
        PluginHook::deny("sleeping", point::tool_pre_invoke, "no").mode(Mode::Disabled),
    ]
}

fn yaml(text: &str) -> Result<Configuration, ConfigurationErrors> {
    Configuration::parse("p.yaml", text, &KINDS, &own())
}

/// Returns the mistakes, each as `line: message | help`.
fn faults(text: &str) -> Vec<String> {
    let Err(wrong) = yaml(text) else {
        return Vec::new();
    };
    let each = wrong.iter();
    each.map(|one| format!("{}: {} | {}", one.line, one.message, one.help))
        .collect()
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
    rename: { search_web: search }
"#;

const SAME: &str = r#"
deadline = "2s"
questions = 3
[[plugins]]
name = "per-day"
kind = "quota"
description = "At most a hundred calls"
author = "ops"
version = "1.2"
hooks = ["tool_pre_invoke"]
mode = "sequential"
priority = 7
tags = ["cost", "ops"]
tools = ["search_*"]
when = "args.count = 10.."
conditions = [{ tenant_ids = ["a", "b"], tools = ["search_web"] }, { agents = ["planner"] }]
config = { most = 100, scope.users = ["alice"] }
deadline = "500ms"
[[plugins]]
name = "no_deletes"
kind = "deny"
hooks = ["tool_pre_invoke", "prompt_pre_fetch"]
tools = ["delete_*"]
prompts = ["wipe"]
unless = 'user = "root"'
reason = "nothing is deleted here"
code = "NO_DELETES"
[[hooks]]
id = "keep_logs"
mode = "audit"
priority = 1
[hook_policies]
tool_pre_invoke = ["args"]
[limits]
tool_pre_invoke = 5000
[lists.tools]
hide = ["internal_*"]
rename = { search_web = "search" }
"#;

#[test]
fn both_languages_say_the_same() {
    let shown = |configuration: &Configuration| {
        let chain = configuration.chain(own(), |chain| chain);
        format!("{chain:?} {:?}", configuration.listed)
    };
    let yaml = yaml(WHOLE).unwrap();
    let toml = Configuration::parse("p.toml", SAME, &KINDS, &own()).unwrap();
    assert_eq!(shown(&yaml), shown(&toml));

    let plugins: Vec<&ConfiguredPlugin> = yaml.plugins().collect();
    let [quota, rule] = plugins[..] else {
        panic!("{plugins:?}");
    };
    assert_eq!(
        (quota.name(), quota.kind(), quota.line()),
        ("per-day", "quota", 6)
    );
    let words = (quota.description(), quota.author(), quota.version());
    assert_eq!(
        words,
        (Some("At most a hundred calls"), Some("ops"), Some("1.2"))
    );
    let [hook] = quota.hooks() else {
        panic!("{:?}", quota.hooks());
    };
    assert_eq!((hook.id(), hook.at()), ("per-day", PluginAt::ToolPreInvoke));
    assert_eq!((hook.its_mode(), hook.its_priority()), (Mode::Enforce, 7));
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
    assert_eq!(items(&rule.hooks()[0]), ["delete_*"]);
    assert_eq!(items(&rule.hooks()[1]), ["wipe"]);
    assert_eq!(rule.hooks()[1].its_deadline().as_secs(), 2);
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
fn lists_hide_and_rename() {
    let configuration = yaml(WHOLE).unwrap();
    let tool = |name: &str| {
        let members = json!({ "name": name });
        Definition::new(ListOf::Tools, members.as_object().unwrap().clone())
    };
    let [hide, rename] = configuration.lists() else {
        panic!("{:?}", configuration.lists());
    };
    assert_eq!(hide.show(&tool("internal_a")), Listing::Hidden);
    assert_eq!(hide.show(&tool("search_web")), Listing::Shown);
    assert_eq!(
        rename.show(&tool("search_web")),
        Listing::As(tool("search"))
    );
    assert_eq!(rename.show(&tool("search_webs")), Listing::Shown);
}

#[test]
fn every_mode_has_its_meaning() {
    for (word, mode, posture) in [
        ("enforce", Mode::Enforce, OnFailure::Fail),
        ("sequential", Mode::Enforce, OnFailure::Fail),
        ("enforce_ignore_error", Mode::Enforce, OnFailure::Ignore),
        ("transform", Mode::Transform, OnFailure::Fail),
        ("permissive", Mode::Permissive, OnFailure::Ignore),
        ("audit", Mode::Audit, OnFailure::Ignore),
        ("concurrent", Mode::Concurrent, OnFailure::Fail),
        ("fire_and_forget", Mode::FireAndForget, OnFailure::Ignore),
        ("disabled", Mode::Disabled, OnFailure::Ignore),
    ] {
        let text = format!("hooks:\n  - {{id: keep_logs, mode: {word}}}\n");
        let chain = yaml(&text).unwrap().chain(own(), |chain| chain);
        let hook = chain.hooks().find(|hook| hook.id() == "keep_logs").unwrap();
        assert_eq!((hook.its_mode(), hook.posture()), (mode, posture), "{word}");
    }
}

/// Each file has one mistake.
#[test]
fn a_mistake_names_its_line_and_what_mends_it() {
    let entry = |rest: &str| {
        format!("plugins:\n  - name: a\n    kind: quota\n    config: {{most: 1}}\n{rest}")
    };
    let rule = |rest: &str| {
        format!(
            "plugins:\n  - name: a\n    kind: deny\n    reason: no\n    hooks: [tool_pre_invoke]\n{rest}"
        )
    };
    let change = |rest: &str| format!("hooks:\n  - id: keep_logs\n{rest}");
    let mut wrong = Vec::new();
    for (text, line, message, help) in [
        // The file as a whole
        (String::new(), 1, "says nothing", "plugins: []"),
        ("# later\n".into(), 1, "says nothing", "plugins: []"),
        ("plugins".into(), 1, "the file is a text", "a table"),
        ("plugins: []\nplugin: []".into(), 2, "unknown key `plugin`", "`plugins`"),
        ("plugins:\n".into(), 1, "`plugins` has no value", "write a value"),
        ("plugins: {a: 1}".into(), 1, "`plugins` is a table", "a list"),
        ("plugins: []\nplugin_dirs: [x]".into(), 2, "no meaning", "linked"),
        ("plugins: []\nquestions: 10".into(), 2, "from 0 to 9", "number"),
        ("plugins: []\ndeadline: 5".into(), 2, "is a number", "\"5\""),
        ("plugins: []\ndeadline: 5h".into(), 2, "not a time", "500ms"),
        // YAML
        ("plugins: [".into(), 2, "not YAML", "key: value"),
        ("questions: &b 1".into(), 1, "anchors", "remove"),
        ("plugins: []\nquestions: !!int 3".into(), 2, "tags", "remove"),
        ("plugins: []\nplugins: []".into(), 2, "first in line 1", "remove one"),
        ("plugins: []\n---\nplugins: []".into(), 2, "second document", "one document"),
        ("plugins: []\n? [a]\n: b".into(), 2, "single word", "key: value"),
        (format!("plugins: {}", "[".repeat(100)), 1, "32 values", "flatter"),
        ("questions: 99999999999999999999".into(), 1, "too large", "quote"),
        // An entry
        ("plugins:\n  - name: a".into(), 2, "no `kind`", "deny"),
        ("plugins:\n  - {kind: deny, reason: no, hooks: [tool_pre_invoke]}".into(), 2, "no `name`", "word"),
        ("plugins:\n  - name: A b\n    kind: quota\n    config: {most: 1}".into(), 2, "cannot be a plugin's name", "1 to 64"),
        ("plugins:\n  - name: keep_logs\n    kind: quota\n    config: {most: 1}".into(), 2, "hook of the program", "another name"),
        (entry("    colour: red\n"), 5, "unknown key `colour`", "write one of"),
        (entry("    prioritty: 1\n"), 5, "unknown key `prioritty`", "`priority`"),
        (entry("    priority: high\n"), 5, "no whole number", "number"),
        (entry("    mode: enfroce\n"), 5, "unknown mode `enfroce`", "`enforce`"),
        (entry("    on_failure: disable\n"), 5, "never switched off", "`fail`"),
        (entry("    on_failure: fial\n"), 5, "unknown posture", "`fail`"),
        (entry("    mode: audit\n    on_failure: fail\n"), 6, "never stops", "remove"),
        (entry("    mode: permissive\n    on_failure: ignore\n"), 6, "never stops", "remove"),
        (entry("    mode: enforce_ignore_error\n    on_failure: fail\n"), 6, "already", "remove"),
        (entry("    hooks: [tool_pre_invok]\n"), 5, "unknown point", "`tool_pre_invoke`"),
        (entry("    hooks: [prompt_pre_fetch]\n"), 5, "`quota` has no hook at `prompt_pre_fetch`", "tool_post_invoke"),
        (entry("    hooks: []\n"), 5, "matches nothing", "remove"),
        (entry("    hooks: tool_pre_invoke\n"), 5, "`hooks` is a text", "list"),
        (entry("    tools: []\n"), 5, "matches nothing", "remove"),
        (entry("    tools: ['a[']\n"), 5, "`]`", "`]`"),
        (entry("    tools:\n      - a\n      - 5\n"), 7, "is a number", "\"5\""),
        (entry("    prompts: [a]\n"), 5, "no effect", "`hooks`"),
        (entry("    when:\n"), 5, "no value", "write a value"),
        (entry("    hooks: [tool_pre_invoke]\n    when: args.path =\n"), 6, "column", ""),
        (entry("    hooks: [tool_pre_invoke]\n    when: arg.path = 1\n"), 6, "unknown root `arg`", "`args`"),
        (entry("    when: args.path = 1\n"), 5, "no `args` at `tool_post_invoke`", "limit `hooks`"),
        (entry("    conditions: [{tool: [a]}]\n"), 5, "unknown key `tool`", "`tools`"),
        (entry("    conditions: [{}]\n"), 5, "every request", "field"),
        (entry("    conditions: [{user_patterns: ['[']}]\n"), 5, "`]`", "`]`"),
        (entry("    reason: no\n"), 5, "belongs to rules", "config"),
        ("plugins:\n  - name: a\n    kind: quoat\n".into(), 3, "unknown kind `quoat`", "`quota`"),
        ("plugins:\n  - name: a\n    kind: plugins.security.Header\n".into(), 3, "path of a class", "`quota`"),
        ("plugins:\n  - name: a\n    kind: external\n".into(), 3, "other processes", "kind"),
        ("plugins:\n  - name: a\n    kind: quota\n".into(), 2, "missing field `most`", "quota"),
        ("plugins:\n  - name: a\n    kind: quota\n    config:\n      most: -1\n".into(), 5, "`config.most`", "quota"),
        ("plugins:\n  - name: a\n    kind: quota\n    config:\n      most: 0\n".into(), 4, "`most` is zero", "quota"),
        ("plugins:\n  - name: a\n    kind: quota\n    config:\n      most: 1\n      scope:\n        user: [x]\n".into(), 7, "`config.scope.user`", ""),
        // A rule
        (rule("    config: {}\n"), 6, "no `config`", "`reason`"),
        ("plugins:\n  - name: a\n    kind: deny\n    hooks: [tool_pre_invoke]".into(), 2, "no `reason`", "sentence"),
        ("plugins:\n  - name: a\n    kind: deny\n    reason: no".into(), 2, "no `hooks`", "tool_pre_invoke"),
        (rule("  - name: a\n    kind: quota\n    config: {most: 1}\n"), 6, "two plugins are called `a`", "another name"),
        // A change
        ("hooks:\n  - id: keep_log\n    mode: audit".into(), 2, "unknown hook `keep_log`", "`keep_logs`"),
        ("hooks:\n  - mode: audit".into(), 2, "no `id`", "hooks list"),
        (change(""), 2, "changes nothing", "`mode`"),
        (change("    tools: [a]\n    priority: 3\n"), 3, "unknown key `tools`", ""),
        (change("    disabled: yes\n    priority: 3\n"), 3, "`disabled` is a text", "`true`"),
        (change("    disabled: true\n    mode: audit\n"), 3, "beside `mode`", "remove one"),
        (change("    mode: audit\n  - id: keep_logs\n    priority: 3\n"), 4, "changed twice", "one entry"),
        ("hooks:\n  - id: sleeping\n    disabled: false\n    priority: 1".into(), 3, "disabled in the program", "`mode`"),
        (rule("hooks:\n  - id: a\n    mode: audit\n"), 7, "plugin of this file", "at the plugin"),
        // Settings and lists
        ("limits: {tool_pre: 5}".into(), 1, "unknown point", "write one of"),
        ("limits: {tool_pre_invoke: 0}".into(), 1, "from 1", "number"),
        ("hook_policies: {tool_pre_invoke: [arg]}".into(), 1, "unknown field of `tool_pre_invoke` `arg`", "`args`"),
        ("lists: {tool: {hide: [a]}}".into(), 1, "unknown list", "`tools`"),
        ("lists: {tools: {hid: [a]}}".into(), 1, "unknown key", "`hide`"),
        ("lists: {resource_templates: {rename: {a: b}}}".into(), 1, "unknown key `rename`", "hide"),
        ("lists:\n  tools:\n    rename:\n      a: c\n      b: c".into(), 5, "two items", "different"),
        ("lists:\n  tools:\n    hide: ['a*']\n    rename: {ab: c}".into(), 4, "hidden", "remove one"),
    ] {
        let found = faults(&text);
        let fits = |found: &String| {
            let (what, mend) = found.split_once(" | ").unwrap();
            let line = format!("{line}: ");
            what.starts_with(&line) && what.contains(message) && mend.contains(help) && !mend.is_empty()
        };
        if found.len() != 1 || !found.iter().all(fits) {
            wrong.push(format!("{text:.500}\n-> {found:#?}\nnot {line}: {message} | {help}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn all_mistakes_are_reported_at_once_and_in_order() {
    let found = faults(
        "plugins:\n  - name: a\n    kind: quoat\n    mode: enfroce\n    when: args.\n  - name: a\n    kind: deny\nhooks:\n  - id: nobody\nlimits: 5\n",
    );
    let lines: Vec<&str> = found
        .iter()
        .map(|fault| fault.split(':').next().unwrap())
        .collect();
    assert_eq!(
        lines,
        ["3", "4", "5", "6", "6", "6", "9", "10"],
        "{found:#?}"
    );
    let prose = yaml("plugins: []\nhooks:\n  - id: keep_log\n    mode: audit\n").unwrap_err();
    assert_eq!(
        prose.to_string(),
        "1 mistake in the configuration file\n  p.yaml:3: unknown hook `keep_log`\n    help: did you mean `keep_logs`?"
    );
    assert_eq!(format!("{prose:?}"), prose.to_string());
}

#[test]
fn toml_names_lines_too() {
    for (text, line, message) in [
        ("plugins = [", 1, "not TOML"),
        ("questions = 1\nquestions = 2", 2, "not TOML"),
        (
            "[[plugins]]\nname = \"a\"\nkind = \"quoat\"",
            3,
            "unknown kind",
        ),
        (
            "[[plugins]]\nkind = \"quota\"\nconfig.most = 1",
            1,
            "no `name`",
        ),
        (
            "[[plugins]]\nname = \"a\"\nkind = \"quota\"\n[plugins.config]\nmost = 1\nleast = 2",
            6,
            "`config.least`",
        ),
        ("[lists.tools]\nhide = [\"a\",\n  5]", 3, "is a number"),
        ("questions = 1979-05-27", 1, "dates"),
        ("limits.tool_pre_invoke = inf", 1, "no number"),
    ] {
        let wrong = Configuration::parse("p.toml", text, &KINDS, &own()).unwrap_err();
        let first = wrong.iter().next().unwrap();
        assert_eq!(first.line, line, "{text}\n{wrong}");
        assert!(first.message.contains(message), "{text}\n{wrong}");
    }
    for deep in [
        "a.".repeat(500_000),
        "[".repeat(1_000_000),
        "a=[".repeat(300_000),
    ] {
        let wrong = Configuration::parse("p.toml", &deep, &KINDS, &own()).unwrap_err();
        assert!(
            wrong.iter().all(|one| one.line == 1),
            "{}",
            wrong.iter().count()
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str| Configuration::read(folder.path().join(name), &KINDS, &own());
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("large.yaml", &b"# x\n".repeat(10_000_000 / 4));
    write("latin.yaml", b"plugins: []\n# \xe9\n");
    write("policy.json", b"{}");
    write("good.yaml", WHOLE.as_bytes());
    for (name, line, message) in [
        ("large.yaml", 1, "larger than 1 MiB"),
        ("latin.yaml", 2, "not UTF-8"),
        ("policy.json", 1, "what it is written in"),
        ("none.yaml", 1, "cannot be read"),
    ] {
        let wrong = read(name).unwrap_err();
        let first = wrong.iter().next().unwrap();
        assert_eq!(first.line, line, "{wrong}");
        assert!(first.message.contains(message), "{wrong}");
    }
    assert_eq!(read("good.yaml").unwrap().plugins().count(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A file with changes at random places is read, or every mistake has a line of the file and a help.
    #[test]
    fn a_mutated_file_never_panics(
        is_toml in any::<bool>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6usize, "\\PC{0,3}|[-:\\[\\]{}&*!|>'\"#%@,?=. \n\t]"), 1..8),
    ) {
        let (name, mut text) = match is_toml {
            true => ("p.toml", SAME.to_owned()),
            false => ("p.yaml", WHOLE.to_owned()),
        };
        for (at, cut, new) in edits {
            let at = at.index(text.len() + 1);
            let near = |at: usize| (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap();
            let (from, to) = (near(at), near((at + cut).min(text.len())));
            text.replace_range(from..to, &new);
        }
        if let Err(wrong) = Configuration::parse(name, &text, &KINDS, &own()) {
            let lines = text.lines().count() + 1;
            for one in wrong.iter() {
                prop_assert!((1..=lines).contains(&one.line), "{one}\n{text}");
                prop_assert!(!one.message.is_empty() && !one.help.is_empty(), "{one}\n{text}");
            }
        }
    }
}

#[test]
fn a_hostile_file_is_read_in_bounded_time() {
    let times = |part: &str| part.repeat(MAX_CONFIGURATION / part.len());
    for text in [
        times("["),
        times("[a,"),
        times("{"),
        times("- "),
        times("? "),
        times("a: "),
        times("a:\n"),
        times("- - -\n"),
        times("&a "),
        times("*a "),
        times("!a "),
        times("'"),
        times("\""),
        times("|\n"),
        times("\n"),
        times("# "),
        times("\t"),
        times("%YAML\n"),
        times("---\n"),
        times("a, "),
        format!("plugins: [{}]", times("a,").get(..1 << 19).unwrap()),
        format!("plugins:\n{}", times("- a\n").get(..1 << 19).unwrap()),
        format!("plugins: \"{}", times("\\x41").get(..1 << 19).unwrap()),
    ] {
        for name in ["p.yaml", "p.toml"] {
            let wrong = Configuration::parse(name, &text, &KINDS, &own()).unwrap_err();
            assert!(wrong.iter().count() <= 100);
        }
    }
}
