//! `#[aos::hook(point, …)]`, and the attributes of tools that are steps.

pub(crate) mod step;

use hooks_text::{AOS_CHANGES, AOS_INPUTS, AOS_POINTS, rule};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;

use crate::{
    grammar::{Context, Elsewhere, Grammar, Leading, Table},
    item::snake_case,
    key::{CRATE, DEADLINE, ID, PRIORITY, TAGS},
    made::PointHook,
    model::{Model, Subject},
    report::Errors,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    table: Table {
        renamed: &[("deadline_ms", "deadline")],
        elsewhere: Elsewhere {
            within: "",
            help: |key| {
                let help = "remove it: if the hook fails, the asker gets no decision";
                (key == "posture").then(|| help.to_owned())
            },
        },
        ..Table::new(
            "aos::hook",
            Leading::Words(&[&AOS_POINTS]),
            &[PRIORITY, DEADLINE, TAGS, ID, CRATE],
        )
    },
    name: "id",
    case: snake_case,
    id: rule::id,
    check,
    expand,
    owner: ("policy", "policy: &Policy"),
    input: "a payload",
    context: Some(Context {
        noun: "a context",
        mutable: false,
        name: Some("StepInfo"),
    }),
    inputs: AOS_INPUTS,
    changes: AOS_CHANGES,
    alone: true,
    tools: false,
    texts: None,
    by_hand: "aos::AosHook::answering::<…>(…)",
};

const HOOK: PointHook = PointHook {
    protocol: "aos",
    hook: "AosHook",
    receive: "AosInput",
    is_input: "IsAosInput",
    context: "StepInfo",
    surround: "AosSurround",
    mutable: false,
    answer: "GuardianAnswer",
};

/// Reports an answer that changes the step where nothing can be changed.
fn check(model: &Model, errors: &mut Errors) {
    if let Subject::Answering(answering) = &model.subject
        && let Some(problem) = rule::aos::change(&model.first().to_string())
        && let Some(change) = change(answering.body.clone())
    {
        errors.broken(change, Some(problem));
        // rustc would report the type of the change, too.
        errors.replaces_body = true;
    }
}

/// Returns the `Verdict::Modify` that a block ends with or returns. What is in round brackets, as a pattern is, is no answer.
fn change(body: TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token
            && group.delimiter() == Delimiter::Brace
            && let Some(found) = change(group.stream())
        {
            return Some(found);
        }
        let path = tokens.get(at..at + 4).unwrap_or_default();
        let written: String = path.iter().map(ToString::to_string).collect();
        let before = at.checked_sub(1).map(|before| tokens[before].to_string());
        let begins = before.is_none_or(|before| before == ";" || before.ends_with('}'));
        let is_answer =
            begins && tokens.len() == at + 5 || at > 0 && tokens[at - 1].to_string() == "return";
        if written == "Verdict::Modify" && is_answer {
            return Some(path.iter().cloned().collect());
        }
    }
    None
}

fn expand(model: &Model) -> TokenStream {
    let Model { root, settings, .. } = model;
    match &model.subject {
        Subject::Answering(answering) => {
            let point = model.first();
            let alias = quote!(type __Point = #root::aos::point::#point;);
            let calls = settings.calls(&GRAMMAR.table, root, |_| true);
            HOOK.function(model, answering, &quote!(), &alias, &calls)
        }
        // The grammar of this protocol accepts functions only.
        Subject::Unit(..) | Subject::Tool(_) => TokenStream::new(),
    }
}

#[cfg(test)]
#[test]
fn the_documentation_has_every_key() {
    let tables = [
        &GRAMMAR.table,
        &step::MEMORY_STORE.table,
        &step::MEMORY_RETRIEVAL.table,
        &step::KNOWLEDGE.table,
    ];
    super::check_tables("aos.rs", &tables);
}
