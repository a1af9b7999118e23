//! The forms in which people bring a policy: those of YAML, and those of other projects' files.

use super::*;

/// One rule, in each form that means it.
#[test]
fn each_form_of_a_file_that_means_a_rule_is_read_as_that_rule() {
    let plain = "plugins:\n  - name: no_deletes\n    kind: deny\n    hooks: [tool_pre_invoke]\n    tools: [\"delete_*\"]\n    \
                 reason: nothing is deleted here\n";
    let with = |more: &str| format!("{plain}    {more}\n");
    for text in [
        plain.to_owned(),
        format!("\u{feff}{plain}"),
        format!("---\n{plain}"),
        format!("---\n{plain}...\n"),
        format!("# Ours\n\n{plain}\n# The end\n"),
        plain.replace('\n', "\r\n"),
        plain.replace('"', "'"),
        plain.replace("  - name", "- name").replace("    ", "  "),
        plain.replace("nothing is", ">-\n      nothing is\n     "),
        plain.replace("nothing is", "|-\n      nothing is"),
        plain.replace("[tool_pre_invoke]", "\n      - tool_pre_invoke"),
        r#"{"plugins": [{"name": "no_deletes", "kind": "deny", "hooks": ["tool_pre_invoke"], "tools": ["delete_*"],
            "reason": "nothing is deleted here"}]}"#
            .to_owned(),
        // The words of a gateway's file.
        with("mode: sequential"),
        with("description: Keeps files\n    author: ops\n    version: \"1.0\"\n    tags: [files]"),
        with("conditions:\n      - tools: [delete_file]"),
    ] {
        let read = yaml(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        let plugins: Vec<&ConfiguredPlugin> = read.plugins().collect();
        let [ConfiguredPlugin { name, kind, hooks, .. }] = plugins[..] else {
            panic!("{text}\n{plugins:?}");
        };
        let [hook] = &hooks[..] else {
            panic!("{text}\n{hooks:?}");
        };
        assert_eq!((&**name, *kind, hook.at()), ("no_deletes", "deny", PluginAt::ToolPreInvoke));
        assert_eq!(hook.its_items().collect::<Vec<_>>(), ["delete_*"], "{text}");
        assert_eq!(hook.its_mode(), PluginMode::Enforce, "{text}");
    }
}

/// What another project's file says in a form that has no meaning here is refused, and the message says what to write.
#[test]
fn a_form_that_has_no_meaning_here_is_refused_in_words() {
    for (text, expected) in [
        (
            "plugins: []\nplugin_dirs: [plugins/native]\n",
            "2: `plugin_dirs` has no meaning for a server | remove it: the kinds of plugins are linked into the program",
        ),
        (
            "plugins: []\nplugin_settings:\n  plugin_timeout: 30\n",
            "2: `plugin_settings` has no meaning for a server | remove it: `deadline`, `limits` and `hook_policies` stand at \
             the top of the file",
        ),
        (
            "plugins:\n  - name: a\n    kind: plugins.deny_filter.deny.DenyListPlugin\n",
            "3: `plugins.deny_filter.deny.DenyListPlugin` is the path of a class, and this program has none | write the word of \
             a kind: one of `quota`, `deny`",
        ),
        (
            "plugins:\n  - name: a\n    kind: external\n    hooks: [tool_pre_invoke]\n",
            "3: plugins in other processes are not supported | write the word of a kind in this program",
        ),
        (
            "questions: &most 3\n",
            "1: anchors are not allowed | remove the `&name`, or quote the value",
        ),
        (
            "plugins: []\n---\nplugins: []\n",
            "2: a second document begins | keep one document in a file, without a second `---`",
        ),
    ] {
        assert_eq!(mistakes::faults(text), [expected], "{text}");
    }
}
