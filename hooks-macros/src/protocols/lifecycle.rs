//! `#[lifecycle::hook(point, …)]`.

use hooks_text::{
    CONDITIONS, LIFECYCLE_INPUTS, LIFECYCLE_POINTS, STRENGTHS, budget,
    rule::{self, lifecycle as rules},
};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::{
    expand::submission,
    grammar::{Grammar, Leading, Table, TextFile, Texts},
    item::{self, snake_case},
    key::{
        CRATE, DEADLINE, ID, Key, POSTURE, SERVER,
        Target::{Function, Tool, UnitStruct},
    },
    made::{self, Call, finished},
    model::{Model, Subject, Words},
    report::Errors,
    signature::Answering,
    value::{Kind, strings},
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    table: Table {
        renamed: &[
            ("priority", "strength"),
            ("context", "text"),
            ("deadline_ms", "deadline"),
        ],
        ..Table::new(
            "lifecycle::hook",
            Leading::Words(&[&LIFECYCLE_POINTS]),
            KEYS,
        )
    },
    name: "id",
    case: snake_case,
    id: rule::id,
    check,
    expand,
    owner: ("server", "memory: &Memory"),
    input: "an event",
    context: None,
    inputs: LIFECYCLE_INPUTS,
    changes: &[],
    alone: false,
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
    Key::new("matcher", Kind::Fields(&CONDITIONS)).call("matcher"),
    Key::new("text", Kind::Text)
        .on(&[UnitStruct])
        .excludes(&["context_tool"]),
    Key::new("text_file", Kind::Text)
        .on(&[UnitStruct])
        .excludes(&["text", "context_tool"]),
    Key::new("context_tool", Kind::Text)
        .on(&[UnitStruct])
        .rule(rule::not_empty),
    Key::new("context_tool_args", Kind::Json)
        .on(&[UnitStruct, Tool])
        .requires("context_tool")
        .call("context_tool_args"),
    SERVER.on(&[UnitStruct]),
    Key::new("description", Kind::Text)
        .on(&[Function])
        .call("description"),
    DEADLINE.on(&[Function]),
    POSTURE.on(&[Function]),
    ID,
    CRATE,
];

/// Reports the values that the point does not have.
fn check(model: &Model, errors: &mut Errors) {
    let (event, settings) = (model.first().to_string(), &model.settings);
    if let (Some(key), Some(fields)) = (settings.key("matcher"), settings.fields("matcher")) {
        errors.broken(key, rules::matcher(&event));
        // A field without a text is reported already, and is not among them.
        if errors.is_empty() {
            errors.broken(key, rules::matcher_not_empty(fields.len()));
        }
        for (field, pattern) in fields {
            let text = pattern.value();
            let problem = match field == "tool_name" {
                true => rules::glob(&text),
                false => rule::not_empty(&text),
            };
            errors.broken(pattern, problem);
        }
    }
    for (_, value) in settings.json("context_tool_args").unwrap_or_default() {
        for text in strings(value) {
            errors.broken(&text, rules::variables(&event, &text.value()));
        }
    }
    if let Subject::Unit(_, words) = &model.subject
        && let Some((text, at)) = words.known()
    {
        errors.broken(at, rules::text(&text));
        errors.broken(at, rules::variables(&event, &text));
        errors.broken(at, budget::fits(&event, &text));
    }
}

fn expand(model: &Model) -> TokenStream {
    let root = &model.root;
    let alias = alias(model);
    match &model.subject {
        Subject::Unit(unit, words) => {
            let hook = match words {
                Words::Tool(tool) => made(model, &quote!(tool), &quote!(#tool)),
                words => made(
                    model,
                    &quote!(text),
                    &words.expression().into_token_stream(),
                ),
            };
            made::unit_struct(root, unit, &model.name.value(), &quote!(#alias #hook))
        }
        Subject::Answering(answering) => function(model, answering),
        Subject::Tool(item::Tool { tool, .. }) => {
            let private = root.private();
            let hook = made(model, &quote!(tool), &quote!(#tool));
            let submission = submission(root, &quote!(__hook));
            quote! {
                fn __hook() -> #private::CoreHook {
                    #alias
                    #hook
                }
                #submission
            }
        }
    }
}

fn function(model: &Model, answering: &Answering) -> TokenStream {
    let (root, name) = (&model.root, model.name.value());
    let protocol = root.protocol("lifecycle");
    let call = Call {
        input: quote!(#protocol::Variables),
        by_value: true,
        receive: quote!(#protocol::LifecycleInput<__Point>),
        is_input: quote!(#protocol::IsLifecycleInput),
        point: Some(quote!(__Point)),
        context: None,
        answer: quote!(#protocol::Answer),
        output: made::text(),
    };
    let hook = made(model, &made::constructor(answering), &quote!(__answer));
    made::function(root, answering, &name, &call, &alias(model), &hook)
}

/// Generates an alias of the point.
fn alias(model: &Model) -> TokenStream {
    let (root, point) = (&model.root, model.first());
    quote!(type __Point = #root::lifecycle::point::#point;)
}

/// Generates the hook: `constructor(id, point, strength, last)`, and the calls of its builder.
fn made(model: &Model, constructor: &TokenStream, last: &TokenStream) -> TokenStream {
    let Model {
        root,
        name,
        settings,
        subject,
        ..
    } = model;
    let protocol = root.protocol("lifecycle");
    let strength = settings.word("strength");
    let calls = settings.calls(&GRAMMAR.table, root, |_| true);
    let doc = match subject {
        Subject::Answering(answering) if settings.text("description").is_none() => answering.doc(),
        _ => None,
    };
    let doc = doc.map(|doc| quote!(.description(#doc)));
    let server = match subject {
        Subject::Tool(item::Tool { server, .. }) => Some(quote!(.server::<#server>())),
        _ => None,
    };
    let hook = quote! {
        #protocol::LifecycleHook::#constructor(
            #name,
            __Point {},
            #root::lifecycle::strength::#strength,
            #last,
        ) #server #calls #doc
    };
    finished(root, model.first(), &hook)
}

#[cfg(test)]
#[test]
fn the_documentation_has_every_key() {
    super::check_tables("lifecycle.rs", &[&GRAMMAR.table]);
}
