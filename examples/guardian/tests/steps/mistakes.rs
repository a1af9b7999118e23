//! The error messages for the mistakes in a policy file.

use crate::asks::parse;

fn mistakes(text: &str) -> String {
    match parse(text) {
        Ok(_) => panic!("no mistake was found in {text}"),
        Err(mistakes) => mistakes,
    }
}

#[test]
fn an_unknown_key_is_told_with_the_nearest_one() {
    let rule =
        "default: allow\nrules:\n  - name: a\n    on: [mcp]\n    decision: deny\n    mesage: no\n";
    assert_eq!(
        mistakes(rule),
        "policy.yaml:6: `mesage` is no key of a policy here\n    help: did you mean `message`?"
    );
    assert_eq!(
        mistakes("defualt: allow"),
        "policy.yaml:1: `defualt` is no key of a policy here\n    help: did you mean `default`?"
    );
    let decision = rule.replace("deny", "denied").replace("mesage", "message");
    assert_eq!(
        mistakes(&decision),
        "policy.yaml:5: `denied` is no decision\n    help: did you mean `deny`?"
    );
}

#[test]
fn every_mistake_is_told_with_its_line() {
    let text = r#"default: allow
rules:
  - name: a
    on: [tool_call_reqest, memory_store]
    tools: ["a[", "b"]
    when: argz.path = "x"
    decision: deny
  - name: a
    on: [mcp]
    agents: [notes]
    decision: redact
    patterns: ["("]
    find: [secret]
  - name: b
    on: []
    when: args.path =
    decision: allow
    replacement: x
"#;
    let told = mistakes(text);
    let lines: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with("policy"))
        .collect();
    let expected = [
        "policy.yaml:4: `tool_call_reqest` is no kind of step",
        "policy.yaml:5: the pattern has a `[` without its `]`",
        "policy.yaml:5: a step at `memory_store` has no tool",
        "policy.yaml:6: `argz` is no part of a step",
        "policy.yaml:8: two rules are called `a`",
        "policy.yaml:10: a step at `mcp` has no agent",
        "policy.yaml:8: a step at `mcp` has no texts that could be redacted",
        "policy.yaml:13: `secret` is no kind of finding",
    ];
    assert_eq!(lines[..8], expected, "{told}");
    assert!(
        lines[8].starts_with("policy.yaml:12: the pattern cannot be read: "),
        "{told}"
    );
    let rest = &lines[9..];
    assert_eq!(rest[0], "policy.yaml:14: the rule stands at no step");
    assert!(
        rest[1].starts_with("policy.yaml:16: the condition, column "),
        "{told}"
    );
    assert_eq!(
        rest[2],
        "policy.yaml:18: `find`, `patterns` and `replacement` belong to `decision: redact`"
    );
    assert_eq!(rest.len(), 3, "{told}");
    assert!(
        told.contains("help: did you mean `tool_call_request`?"),
        "{told}"
    );
    assert!(told.contains("help: did you mean `args`?"), "{told}");
    assert!(told.contains("help: did you mean `secrets`?"), "{told}");
}

#[test]
fn what_is_no_policy_is_told() {
    for text in [
        "",
        "[]",
        "rules: []",
        "default: maybe",
        "default: allow\nrules: [1]",
        "a: b: c",
        "default: allow\ndefault: deny",
    ] {
        let told = mistakes(text);
        assert!(
            told.starts_with("policy.yaml") && told.contains("\n    help: "),
            "{text:?}: {told}"
        );
    }
    assert_eq!(
        mistakes("rules: []"),
        "policy.yaml:1: `default` is missing\n    help: add `default:`"
    );
    // Anchors that grow without end are stopped.
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (one, next) in ('a'..'i').zip('b'..='i') {
        bomb += &format!(
            "{next}: &{next} [{}]\n",
            vec![format!("*{one}"); 9].join(", ")
        );
    }
    mistakes(&bomb);
}

#[test]
fn a_whole_rule_that_does_nothing_is_a_mistake() {
    let told =
        mistakes("default: allow\nrules:\n  - {name: a, on: [memory_store], decision: redact}");
    assert_eq!(
        told,
        "policy.yaml:3: the rule redacts nothing\n    help: add `find: [secrets]`, or `patterns` with regular expressions"
    );
}
