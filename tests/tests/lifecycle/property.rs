//! Properties of templates, globs and declarations, against naive references.

use hooks_sdk::{
    core::glob,
    lifecycle::{Declaration, Event, Variables},
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

/// The glob's meaning spelt out: every way in which a star can take letters is tried.
fn reference(pattern: &[char], name: &[char]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some('*'), _) => (0..=name.len()).any(|taken| reference(&pattern[1..], &name[taken..])),
        (Some('['), Some(letter)) => {
            let end = pattern.iter().position(|&mark| mark == ']').unwrap();
            let (negated, class) = match &pattern[1..end] {
                ['!', class @ ..] => (true, class),
                class => (false, class),
            };
            let in_class = match class {
                [low, '-', high] => (low..=high).contains(&letter),
                letters => letters.contains(letter),
            };
            in_class != negated && reference(&pattern[end + 1..], &name[1..])
        }
        (Some('?'), Some(_)) => reference(&pattern[1..], &name[1..]),
        (Some(own), Some(letter)) => own == letter && reference(&pattern[1..], &name[1..]),
        _ => false,
    }
}

fn pattern() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("*"),
        Just("?"),
        Just("a"),
        Just("b"),
        Just("é"),
        Just("[ab]"),
        Just("[!a]"),
        Just("[a-c]"),
        Just("[!é-ö]"),
    ];
    vec(part, 1..8).prop_map(|parts| parts.concat())
}

/// The template's meaning spelt out, letter by letter.
fn substituted(text: &str, known: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    'text: while let Some(first) = rest.chars().next() {
        for (name, value) in known {
            if let Some(behind) = rest.strip_prefix(&format!("{{{name}}}")) {
                out.push_str(value);
                rest = behind;
                continue 'text;
            }
        }
        out.push(first);
        rest = &rest[first.len_utf8()..];
    }
    out
}

fn template() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("{tool_name}"),
        Just("{tool_output}"),
        Just("{session_id}"),
        Just("{project_name}"),
        Just("{unknown}"),
        Just("{"),
        Just("}"),
        Just("tool_name"),
        Just("é "),
    ];
    vec(part, 0..12).prop_map(|parts| parts.concat())
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        template().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((template(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The substitution of arguments spelt out.
fn substituted_value(value: &Value, known: &[(&str, &str)]) -> Value {
    match value {
        Value::String(text) => json!(substituted(text, known)),
        Value::Array(items) => items
            .iter()
            .map(|item| substituted_value(item, known))
            .collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, item)| (key.clone(), substituted_value(item, known)))
                .collect(),
        ),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn a_glob_means_what_the_reference_says(pattern in pattern(), name in "[abcéx]{0,10}") {
        prop_assert_eq!(glob::problem(&pattern), None);
        let (letters, own): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
        prop_assert_eq!(glob::matches(&pattern, &name), reference(&letters, &own));
    }

    #[test]
    fn no_pattern_and_no_name_is_too_much(pattern in ".{0,40}", name in ".{0,40}") {
        let matched = glob::matches(&pattern, &name);
        prop_assert!(!matched || glob::problem(&pattern).is_none());
    }

    #[test]
    fn a_name_without_marks_matches_itself_only(name in "[A-Za-z0-9_.-]{1,64}", other in "[A-Za-z0-9_.-]{1,64}") {
        prop_assert!(glob::matches(&name, &name));
        prop_assert_eq!(glob::matches(&name, &other), name == other);
    }

    #[test]
    fn a_template_is_substituted_in_one_pass(
        text in template(),
        name in template(),
        output in template(),
        args in json_value(),
    ) {
        let known = Variables::new().tool_name(&name).tool_output(&output);
        let pairs = [("tool_name", name.as_str()), ("tool_output", output.as_str())];
        prop_assert_eq!(known.substitute(Event::PostToolUse, &text), substituted(&text, &pairs));
        let before = [("tool_name", name.as_str())];
        prop_assert_eq!(known.substitute(Event::PreToolUse, &text), substituted(&text, &before));
        if let Some(members) = args.as_object() {
            let ours = Value::Object(known.substitute_args(Event::PostToolUse, members));
            prop_assert_eq!(ours, substituted_value(&args, &pairs));
        }
    }

    #[test]
    fn what_decodes_encodes_again(
        event in prop_oneof![Just("pre_tool_use"), Just("session_end"), Just("something_new")],
        priority in prop_oneof![Just("required"), Just("urgent")],
        text in template(),
        tool in any::<bool>(),
        args in json_value(),
        extra in json_value(),
    ) {
        let mut sent = json!({"event": event, "priority": priority, "extra": extra, "matcher": {"tool_name": text, "x": args}});
        if tool {
            sent["context_tool"] = json!(text);
            if args.is_object() {
                sent["context_tool_args"] = args;
            }
        } else {
            sent["context"] = json!(text);
        }
        let read: Declaration = serde_json::from_value(sent.clone()).unwrap();
        prop_assert_eq!(serde_json::to_value(read).unwrap(), sent);
    }
}
