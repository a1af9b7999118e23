//! Reads a policy from its file, and reports every mistake in it.

use std::{fs::File, io::Read, path::Path};

use hooks_sdk::{
    aos::AosAt,
    core::{condition::Condition, glob},
    plugin::finder::{self, FindingKind, REDACTED},
};
use regex::Regex;
use serde_saphyr::Spanned;

use super::{
    MAX_RULESET, Ruleset, RulesetErrors,
    entry::{Default, Entry, PolicyFile, Word},
    redact::Redaction,
    rule::{Act, Rule, Words},
    step::{ROOTS, has},
};

pub(super) fn load(path: &Path) -> Result<Ruleset, RulesetErrors> {
    let unreadable = |what: String| {
        RulesetErrors::of_whole_file(path, what, "give the guardian a file that it may read")
    };
    let file =
        File::open(path).map_err(|error| unreadable(format!("it cannot be opened: {error}")))?;
    let mut text = String::new();
    let read = file.take(MAX_RULESET + 1).read_to_string(&mut text);
    let length = read.map_err(|error| unreadable(format!("it cannot be read: {error}")))?;
    if length as u64 > MAX_RULESET {
        return Err(unreadable(format!("it is larger than {MAX_RULESET} bytes")));
    }
    parse(path, &text)
}

pub(super) fn parse(path: &Path, text: &str) -> Result<Ruleset, RulesetErrors> {
    let options = serde_saphyr::options! { with_snippet: false };
    let file: PolicyFile = serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| RulesetErrors::of_yaml(path, &error))?;
    let mut faults = RulesetErrors::none(path);
    let mut rules: Vec<Rule> = Vec::new();
    for entry in file.rules {
        if rules.iter().any(|rule| rule.name == entry.name.value) {
            let message = format!("two rules are called `{}`", entry.name.value);
            faults.add(
                entry.name.referenced,
                message,
                "give one of them another name",
            );
        }
        rules.push(rule(entry, &mut faults));
    }
    faults.check()?;
    Ok(Ruleset {
        rules,
        allows: file.default == Default::Allow,
    })
}

/// Makes a rule of an entry. It is whole if there are no faults.
fn rule(entry: Entry, faults: &mut RulesetErrors) -> Rule {
    let name = &entry.name;
    let mut on = Vec::new();
    let words: Vec<&str> = AosAt::ALL.iter().map(|at| at.as_str()).collect();
    for word in &entry.on {
        match AosAt::ALL.iter().find(|at| at.as_str() == word.value) {
            Some(at) => on.push(*at),
            None => faults.unknown(word.referenced, "kind of step", &word.value, &words),
        }
    }
    if entry.on.is_empty() {
        let help = "name the steps, such as `on: [tool_call_request]`";
        faults.add(name.referenced, "the rule stands at no step", help);
    }
    let needs = |root: &str, what: &str, at: &Spanned<String>, faults: &mut RulesetErrors| {
        for point in on.iter().filter(|point| !has(root, **point)) {
            let message = format!("a step at `{}` has no {what}", point.as_str());
            let help = format!(
                "take `{}` out of `on`, or make it a rule of its own",
                point.as_str()
            );
            faults.add(at.referenced, message, help);
        }
    };
    for (root, what, globs) in [
        ("agent", "agent", &entry.agents),
        ("tool", "tool", &entry.tools),
    ] {
        for glob in globs {
            if let Some(problem) = glob::problem(&glob.value) {
                faults.add(glob.referenced, problem.message(), problem.help());
            }
        }
        if let Some(first) = globs.first() {
            needs(root, what, first, faults);
        }
    }
    let when = entry.when.as_ref().and_then(|when| {
        let condition = match Condition::parse(&when.value) {
            Ok(condition) => condition,
            Err(error) => {
                let message = format!("the condition, column {}: {}", error.column, error.message);
                faults.add(when.referenced, message, error.help);
                return None;
            }
        };
        for root in condition.roots() {
            match ROOTS.contains(&root) {
                true => needs(root, &format!("`{root}`"), when, faults),
                false => faults.unknown(when.referenced, "part of a step", root, &ROOTS),
            }
        }
        Some(condition)
    });
    let act = match entry.decision {
        Word::Allow => Act::Allow,
        Word::Deny => Act::Deny,
        Word::Redact => {
            needs("text", "texts that could be redacted", name, faults);
            Act::Redact(redaction(&entry, faults))
        }
    };
    let only_for_redact = [
        entry.find.first(),
        entry.patterns.first(),
        entry.replacement.as_ref(),
    ];
    if entry.decision != Word::Redact
        && let Some(at) = only_for_redact.into_iter().flatten().next()
    {
        let message = "`find`, `patterns` and `replacement` belong to `decision: redact`";
        faults.add(
            at.referenced,
            message,
            "write `decision: redact`, or delete them",
        );
    }
    Rule {
        on,
        agents: values(entry.agents),
        tools: values(entry.tools),
        when,
        act,
        words: Words {
            message: entry.message,
            reasoning: entry.reasoning,
            code: entry.code,
        },
        name: entry.name.value,
    }
}

fn redaction(entry: &Entry, faults: &mut RulesetErrors) -> Redaction {
    let mut kinds: Vec<FindingKind> = Vec::new();
    let known = FindingKind::ALL.iter().map(|kind| kind.as_str());
    let known: Vec<&str> = known.chain(["secrets", "everything"]).collect();
    for word in &entry.find {
        let is_meant = |kind: &FindingKind| match &*word.value {
            "everything" => true,
            "secrets" => kind.is_secret(),
            one => kind.as_str() == one,
        };
        let before = kinds.len();
        kinds.extend(FindingKind::ALL.iter().filter(|kind| is_meant(kind)));
        if kinds.len() == before {
            faults.unknown(word.referenced, "kind of finding", &word.value, &known);
        }
    }
    let mut patterns = Vec::new();
    for pattern in &entry.patterns {
        match Regex::new(&pattern.value) {
            Ok(regex) => patterns.push(regex),
            Err(error) => {
                let message = format!("the pattern cannot be read: {error}");
                faults.add(
                    pattern.referenced,
                    message,
                    "write a regular expression of Rust's `regex`",
                );
            }
        }
    }
    if !kinds.is_empty() {
        // Its first use takes a while, and no agent has to wait for it.
        finder::find("");
    }
    if entry.find.is_empty() && entry.patterns.is_empty() {
        let help = "add `find: [secrets]`, or `patterns` with regular expressions";
        faults.add(entry.name.referenced, "the rule redacts nothing", help);
    }
    let replacement = entry.replacement.as_ref().map(|word| word.value.clone());
    Redaction {
        kinds,
        patterns,
        replacement: replacement.unwrap_or_else(|| REDACTED.to_owned()),
    }
}

fn values(list: Vec<Spanned<String>>) -> Vec<String> {
    list.into_iter().map(|one| one.value).collect()
}
