//! `#[aos::hook(point, …)]`, and the attributes of tools that are steps.

pub(crate) mod step;

use hooks_text::{AOS_INPUTS, AOS_POINTS};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    expand::{Protocol, passes},
    grammar::{Context, Elsewhere, Grammar, Key, Leading, Table},
    item::snake_case,
    made::PointHook,
    model::{Model, Subject},
    value::Kind,
};

pub(crate) const PROTOCOL: Protocol = Protocol {
    grammar: &GRAMMAR,
    expand,
};

const GRAMMAR: Grammar = Grammar {
    table: Table {
        attribute: "aos::hook",
        leading: Leading::Words(&[&AOS_POINTS]),
        keys: &[
            Key::new("priority", Kind::Integer),
            Key::new("deadline", Kind::Time),
            Key::new("tags", Kind::Texts),
            Key::new("id", Kind::Text),
            Key::new("crate", Kind::Path),
        ],
        renamed: &[("deadline_ms", "deadline")],
        elsewhere: Elsewhere {
            within: "",
            help: |key| {
                let help = "remove it: if the hook fails, the asker gets no decision";
                (key == "posture").then(|| help.to_owned())
            },
        },
    },
    name: "id",
    case: snake_case,
    owner: ("policy", "policy: &Policy"),
    input: "a payload",
    context: Some(Context {
        noun: "a context",
        mutable: false,
        name: Some("StepInfo"),
    }),
    inputs: AOS_INPUTS,
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

fn expand(model: &Model) -> TokenStream {
    match &model.subject {
        Subject::Answering(answering) => {
            HOOK.function(model, answering, &quote!(), &checks(model), &calls(model))
        }
        // The grammar of this protocol accepts functions only.
        Subject::Unit(..) | Subject::Tool(_) => TokenStream::new(),
    }
}

/// Generates an alias of the point, so that rustc reports an unknown one once, and the checks of the values.
fn checks(model: &Model) -> TokenStream {
    let Model {
        root,
        name,
        settings,
        ..
    } = model;
    let protocol = root.protocol("aos");
    let point = model.first();
    let mut checks = quote!(type __Point = #root::aos::point::#point;);
    checks.extend(passes(&protocol, quote!(id(#name)), name));
    if let Some(time) = settings.text("deadline") {
        checks.extend(passes(&protocol, quote!(deadline(#time)), time));
    }
    for tag in settings.texts("tags").unwrap_or_default() {
        checks.extend(passes(&protocol, quote!(not_empty(#tag)), tag));
    }
    checks
}

/// Generates the builder calls for the keys.
fn calls(model: &Model) -> TokenStream {
    let Model { root, settings, .. } = model;
    let private = root.private();
    let mut calls = TokenStream::new();
    if let Some(priority) = settings.number("priority") {
        calls.extend(quote!(.priority(#priority)));
    }
    if let Some(time) = settings.text("deadline") {
        calls.extend(quote!(.deadline(#private::duration(#time))));
    }
    if let Some(tags) = settings.texts("tags") {
        calls.extend(quote!(.tags(&[#(#tags),*])));
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [&Table; 4] = [
        &GRAMMAR.table,
        &step::MEMORY_STORE.table,
        &step::MEMORY_RETRIEVAL.table,
        &step::KNOWLEDGE.table,
    ];

    #[test]
    fn the_tables_name_only_their_own_keys() {
        let known = |name: &str| GRAMMAR.table.keys.iter().any(|key| key.name == name);
        assert!(known(GRAMMAR.name));
        assert!(GRAMMAR.table.renamed.iter().all(|(_, new)| known(new)));
    }

    #[test]
    fn the_documentation_has_every_key() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-sdk/src/aos.rs");
        // The published package has no sibling folders.
        let Ok(page) = std::fs::read_to_string(page) else {
            return;
        };
        let pages: Vec<&str> = page.split("pub use hooks_macros::").collect();
        assert!(pages.len() > TABLES.len(), "{} pages", pages.len());
        for (table, page) in TABLES.into_iter().zip(pages) {
            for key in table.keys {
                let row = ["(", " =", "`"]
                    .iter()
                    .any(|next| page.contains(&format!("/// | `{}{next}", key.name)));
                assert!(
                    row,
                    "`{}` is not in a table of `{}`",
                    key.name, table.attribute
                );
            }
        }
    }
}
