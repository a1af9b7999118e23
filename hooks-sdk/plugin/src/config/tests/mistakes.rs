//! What is wrong with a file, where, and what mends it.

use super::*;

/// Returns the mistakes, each as `line: message | help`.
pub(super) fn faults(text: &str) -> Vec<String> {
    let Err(wrong) = yaml(text) else {
        return Vec::new();
    };
    let each = wrong.iter();
    each.map(|one| {
        let line = one.origin.unwrap().line;
        format!("{line}: {} | {}", one.message, one.help)
    })
    .collect()
}

/// Returns whether a message is a sentence for an operator: no word of Rust, and no sign of its debug output, is outside of the
/// quoted words.
fn is_prose(message: &str) -> bool {
    let words: String = message.split('`').step_by(2).collect();
    let is_sentence = message.len() > 8 && !message.ends_with('.') && words.contains(' ');
    let signs = ["::", "Some(", "None", "{", "}", "_", "struct", "\""];
    is_sentence && signs.iter().all(|sign| !words.contains(sign))
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
    let gate = |rest: &str| {
        format!(
            "plugins:\n  - name: a\n    kind: deny\n    reason: no\n    hooks: [agent_tool_pre_invoke]\n{rest}"
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
        ("plugins: []\ndeadline: 1e5".into(), 2, "is a number", "quote it"),
        ("plugins: []\ndeadline: 1e".into(), 2, "not a time", "500ms"),
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
        (entry("    posture: disable\n"), 5, "unknown posture", "`deny`"),
        (entry("    mode: audit\n    posture: deny\n"), 6, "ignored", "remove"),
        (entry("    mode: permissive\n    posture: proceed\n"), 6, "ignored", "remove"),
        (entry("    mode: enforce_ignore_error\n    posture: deny\n"), 6, "already", "remove"),
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
        (entry("    when: args.path = 1\n"), 5, "`when` at `tool_post_invoke`: `args` exists only before", "use `tool_pre_invoke`"),
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
        ("plugins:\n  - name: a\n    kind: quota\n    config: {most: 13}\n".into(), 4, "panicked", "quota"),
        // A rule
        (rule("    config: {}\n"), 6, "no `config`", "`reason`"),
        ("plugins:\n  - name: a\n    kind: deny\n    hooks: [tool_pre_invoke]".into(), 2, "no `reason`", "sentence"),
        ("plugins:\n  - name: a\n    kind: deny\n    reason: no".into(), 2, "no `hooks`", "tool_pre_invoke"),
        (rule("  - name: a\n    kind: quota\n    config: {most: 1}\n"), 6, "two plugins are called `a`", "another name"),
        (gate("    posture: deny\n    kinds: [shel]\n"), 7, "unknown kind `shel`", "`shell`"),
        // A change
        ("hooks:\n  - id: keep_log\n    mode: audit".into(), 2, "unknown hook `keep_log`", "`keep_logs`"),
        ("hooks:\n  - mode: audit".into(), 2, "no `id`", "hooks list"),
        (change(""), 2, "changes nothing", "`mode`"),
        (change("    tools: [a]\n    priority: 3\n"), 3, "unknown key `tools`", ""),
        (change("    config: {}\n    priority: 3\n"), 3, "`keep_logs` has no configuration: it is no plugin", "remove"),
        (change("    disabled: yes\n    priority: 3\n"), 3, "`disabled` is a text", "`true`"),
        (change("    disabled: true\n    mode: audit\n"), 3, "beside `mode`", "remove one"),
        (change("    mode: audit\n  - id: keep_logs\n    priority: 3\n"), 4, "changed twice", "one entry"),
        ("hooks:\n  - id: sleeping\n    disabled: false\n    priority: 1".into(), 3, "disabled in the program", "`mode`"),
        (rule("hooks:\n  - id: a\n    mode: audit\n"), 7, "plugin of this file", "at the plugin"),
        // Settings and lists
        ("limits: {tool_pre: 5}".into(), 1, "unknown point", "write one of"),
        ("limits: {tool_pre_invoke: 0}".into(), 1, "from 1", "number"),
        ("hook_policies: {tool_pre_invoke: [arg]}".into(), 1, "unknown field of `tool_pre_invoke` `arg`", "`args`"),
        ("hook_policies:\n  tool_pre_invoke: args".into(), 2, "`tool_pre_invoke` is a text", "a list"),
        ("lists:\n  tools:\n    hide: [5]".into(), 3, "a value in `hide` is a number", "\"5\""),
        ("lists: {tool: {hide: [a]}}".into(), 1, "unknown list", "`tools`"),
        ("lists: {tools: {hid: [a]}}".into(), 1, "unknown key", "`hide`"),
        ("lists: {tools: {rename: {a: b}}}".into(), 1, "unknown key `rename`", "hide"),
    ] {
        let found = faults(&text);
        let fits = |found: &String| {
            let (what, mend) = found.split_once(" | ").unwrap();
            let line = format!("{line}: ");
            what.starts_with(&line) && what.contains(message) && mend.contains(help) && is_prose(what) && !mend.is_empty()
        };
        if found.len() != 1 || !found.iter().all(fits) {
            wrong.push(format!("{text:.500}\n-> {found:#?}\nnot {line}: {message} | {help}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_gate_says_its_posture_in_either_way_and_its_kinds() {
    for rest in [
        "posture: deny, kinds: [shell]",
        "mode: enforce_ignore_error",
    ] {
        let text = format!(
            "plugins:\n  - {{name: a, kind: deny, reason: no, hooks: [agent_tool_pre_invoke], {rest}}}\n"
        );
        assert_eq!(faults(&text), [""; 0], "{rest}");
    }
}

#[test]
fn a_question_in_a_file_that_no_user_can_be_asked_is_a_mistake_with_its_line() {
    let file = |message: &str, schema: &str| {
        format!(
            "plugins:\n  - name: a\n    kind: quota\n    config:\n      most: 1\n      ask:\n        message: \"{message}\"\n        \
             schema: {schema}\n"
        )
    };
    assert_eq!(faults(&file("Sure?", "{sure: {type: boolean}}")), [""; 0]);
    for (message, schema, wrong) in [
        (" ", "{sure: {type: boolean}}", "has no message"),
        ("Sure?", "{}", "has no field"),
        ("Sure?", "{sure: {type: object}}", "`sure` is nested"),
        ("Sure?", "{password: {type: string}}", "asks for a secret"),
        ("Sure?", "5", "is not an object"),
    ] {
        let found = faults(&file(message, schema));
        let [found] = &found[..] else {
            panic!("{found:?}");
        };
        assert!(found.starts_with("6: `config.ask`: "), "{found}");
        assert!(found.contains(wrong), "{found}");
    }
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
fn a_file_in_another_language_is_refused() {
    for name in ["p.toml", "p.json", "p"] {
        let wrong = Configuration::parse(name, "plugins = []", &KINDS, &own()).unwrap_err();
        let first = wrong.iter().next().unwrap();
        assert!(
            first.message.contains("does not say what it is written in"),
            "{first}"
        );
        assert_eq!(
            first.help,
            "write it in YAML, and end its name in `.yaml` or `.yml`"
        );
    }
}
