//! `#[lifecycle::hook(point, …)]`.

mod answering;

use hooks_text::{CONDITIONS, LIFECYCLE_POINTS, POSTURES, STRENGTHS};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    expand::{Protocol, TOO_LONG, check, passes, submission},
    grammar::{
        Elsewhere, Grammar, Key, Leading, Table,
        Target::{Function, Tool, UnitStruct},
        TextFile, Texts,
    },
    item::{self, Unit, snake_case},
    made::{self, finished},
    model::{Model, Subject, Words},
    value::{Kind, strings},
};

pub(crate) const PROTOCOL: Protocol = Protocol {
    grammar: &GRAMMAR,
    expand,
};

const GRAMMAR: Grammar = Grammar {
    table: Table {
        attribute: "lifecycle::hook",
        leading: Leading::Words(&[&LIFECYCLE_POINTS]),
        keys: KEYS,
        renamed: &[
            ("priority", "strength"),
            ("context", "text"),
            ("deadline_ms", "deadline"),
        ],
        elsewhere: Elsewhere::NOTHING,
    },
    name: "id",
    case: snake_case,
    owner: ("server", "memory: &Memory"),
    input: "an event",
    context: None,
    inputs: &[],
    tools: true,
    texts: Some(TEXTS),
    by_hand: "lifecycle::LifecycleHook::answering(…)",
};

const TEXTS: Texts = Texts {
    noun: "a text",
    inline: "text",
    file: Some(TextFile {
        key: "text_file",
        beside: |item, _| snake_case(item),
    }),
    other: &["context_tool", "context_tool_args"],
};

const KEYS: &[Key] = &[
    Key::new("strength", Kind::Word(&STRENGTHS))
        .required("add `strength = suggestion`, `important` or `required`"),
    Key::new("matcher", Kind::Fields(&CONDITIONS)),
    Key::new("text", Kind::Text)
        .on(&[UnitStruct])
        .excludes(&["context_tool"]),
    Key::new("text_file", Kind::Text)
        .on(&[UnitStruct])
        .excludes(&["text", "context_tool"]),
    Key::new("context_tool", Kind::Text).on(&[UnitStruct]),
    Key::new("context_tool_args", Kind::Json)
        .on(&[UnitStruct, Tool])
        .requires("context_tool"),
    Key::new("server", Kind::Type).on(&[UnitStruct]),
    Key::new("description", Kind::Text).on(&[Function]),
    Key::new("deadline", Kind::Time).on(&[Function]),
    Key::new("posture", Kind::Word(&POSTURES)).on(&[Function]),
    Key::new("id", Kind::Text),
    Key::new("crate", Kind::Path),
];

fn expand(model: &Model) -> TokenStream {
    match &model.subject {
        Subject::Unit(unit, words) => unit_struct(model, unit, words),
        Subject::Answering(answering) => answering::function(model, answering),
        Subject::Tool(tool) => tool_method(model, tool),
    }
}

fn unit_struct(model: &Model, unit: &Unit, words: &Words) -> TokenStream {
    let checks = checks(model);
    let (words_checks, made) = words_of(model, words);
    let settings = settings(model);
    let hook = finished(&model.root, model.first(), &quote!(#made #settings));
    let body = quote! {
        #checks
        #words_checks
        #hook
    };
    made::unit_struct(&model.root, unit, &model.name.value(), &body)
}

fn words_of(model: &Model, words: &Words) -> (TokenStream, TokenStream) {
    let protocol = model.root.protocol("lifecycle");
    let check_text = |literal: &syn::LitStr| {
        let text = passes(&protocol, quote!(text(__TEXT)), literal);
        let variables = passes(&protocol, quote!(variables(__EVENT, __TEXT)), literal);
        let budget = check(
            quote!(#protocol::budget::check(#TOO_LONG, __EVENT, __TEXT)),
            literal,
        );
        quote!(#text #variables #budget)
    };
    let text = |literal, value: TokenStream| {
        let checks = check_text(literal);
        let made = constructor(model, &quote!(text), &quote!(__TEXT));
        (
            quote!(const __TEXT: &::core::primitive::str = #value; #checks),
            made,
        )
    };
    match words {
        Words::Inline(literal) => text(literal, quote!(#literal)),
        Words::File(path) => text(path, quote!(::core::include_str!(#path))),
        Words::Tool(tool) => (
            passes(&protocol, quote!(not_empty(#tool)), tool),
            constructor(model, &quote!(tool), &quote!(#tool)),
        ),
    }
}

fn tool_method(model: &Model, method: &item::Tool) -> TokenStream {
    let item::Tool { server, tool, .. } = method;
    let private = model.root.private();
    let checks = checks(model);
    let made = constructor(model, &quote!(tool), &quote!(#tool));
    let settings = settings(model);
    let hook = quote!(#made.server::<#server>() #settings);
    let hook = finished(&model.root, model.first(), &hook);
    let submission = submission(&model.root, &quote!(__hook));
    quote! {
        fn __hook() -> #private::CoreHook {
            #checks
            #hook
        }
        #submission
    }
}

/// Generates an alias of the point, so that rustc reports an unknown one once, and the checks of the values that every
/// kind of item has.
fn checks(model: &Model) -> TokenStream {
    let Model {
        root,
        name,
        settings,
        ..
    } = model;
    let point = model.first();
    let protocol = model.root.protocol("lifecycle");
    let mut checks = passes(&protocol, quote!(id(#name)), name);
    if let (Some(key), Some(fields)) = (settings.key("matcher"), settings.fields("matcher")) {
        let count = fields.len();
        checks.extend(passes(&protocol, quote!(matcher(__EVENT)), key));
        checks.extend(passes(&protocol, quote!(matcher_not_empty(#count)), key));
        for (field, pattern) in fields {
            let rule = if field == "tool_name" {
                quote!(glob)
            } else {
                quote!(not_empty)
            };
            checks.extend(passes(&protocol, quote!(#rule(#pattern)), pattern));
        }
    }
    for (_, value) in settings.json("context_tool_args").unwrap_or_default() {
        for text in strings(value) {
            checks.extend(passes(&protocol, quote!(variables(__EVENT, #text)), &text));
        }
    }
    let vocabulary = quote!(#root::lifecycle::point);
    quote! {
        type __Point = #vocabulary::#point;
        const __EVENT: #protocol::Event = <__Point as #protocol::LifecyclePoint>::EVENT;
        #checks
    }
}

/// Generates `Hook::name(id, point, strength, last)`.
fn constructor(model: &Model, name: &TokenStream, last: &TokenStream) -> TokenStream {
    let Model {
        root,
        name: id,
        settings,
        ..
    } = model;
    let protocol = model.root.protocol("lifecycle");
    let strength = settings.word("strength");
    quote!(#protocol::LifecycleHook::#name(#id, __Point {}, #root::lifecycle::strength::#strength, #last))
}

/// Generates the builder calls for the keys that mean the same on every kind of item.
fn settings(model: &Model) -> TokenStream {
    let Model { root, settings, .. } = model;
    let protocol = model.root.protocol("lifecycle");
    let private = root.private();
    let mut calls = TokenStream::new();
    if let Some(fields) = settings.fields("matcher") {
        let fields = fields
            .iter()
            .map(|(field, pattern)| quote!(.#field(#pattern)));
        calls.extend(quote!(.matcher(#protocol::Matcher::new() #(#fields)*)));
    }
    if let Some(members) = settings.json("context_tool_args") {
        let members = members.iter().map(|(name, value)| {
            quote!((::std::string::String::from(#name), #private::serde_json::json!(#value)))
        });
        calls.extend(
            quote!(.context_tool_args(::core::iter::FromIterator::from_iter([#(#members),*]))),
        );
    }
    calls.extend(made::of_server(settings));
    if let Some(time) = settings.text("deadline") {
        calls.extend(quote!(.deadline(#private::duration(#time))));
    }
    if let Some(policy) = settings.word("posture") {
        calls.extend(quote!(.posture(#root::lifecycle::posture::#policy)));
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_only_its_own_keys() {
        let known = |name: &str| KEYS.iter().any(|key| key.name == name);
        for key in KEYS {
            assert!(
                key.excludes.iter().all(|other| known(other)),
                "{}",
                key.name
            );
            assert!(
                key.requires.iter().all(|other| known(other)),
                "{}",
                key.name
            );
        }
    }

    #[test]
    fn the_documentation_has_every_key() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-sdk/src/lifecycle.rs");
        // The published package has no sibling folders.
        let Ok(page) = std::fs::read_to_string(page) else {
            return;
        };
        for key in KEYS {
            let row = ["(", " ="]
                .iter()
                .any(|next| page.contains(&format!("/// | `{}{next}", key.name)));
            assert!(row, "`{}` is not in the table of keys", key.name);
        }
    }
}
