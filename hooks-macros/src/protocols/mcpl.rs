//! `#[mcpl::hook(point, …)]`, `#[mcpl::feature_set("name", …)]` and `#[mcpl::tool(…)]`.

pub(crate) mod feature_set;
pub(crate) mod tool;

use hooks_text::{
    MCPL_INPUTS, MCPL_POINTS, POSITIONS,
    rule::{self, mcpl as rules},
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use crate::{
    expand::passes,
    grammar::{Context, Grammar, Leading, Table},
    item::snake_case,
    key::{CRATE, ID, Key, POSTURE, PRIORITY},
    made::{PointHook, answer, first_span},
    model::{Model, Subject},
    path::Root,
    report::Errors,
    signature::Answering,
    tokens::find,
    value::Kind,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    table: Table {
        renamed: &[("deadline_ms", "deadline")],
        ..Table::new("mcpl::hook", Leading::Words(&[&MCPL_POINTS]), KEYS)
    },
    name: "id",
    case: snake_case,
    id: rule::id,
    check: literals,
    expand,
    owner: ("server", "memory: &Memory"),
    input: "an event",
    context: Some(Context {
        noun: "a context",
        mutable: false,
        name: None,
    }),
    inputs: MCPL_INPUTS,
    changes: &[],
    alone: false,
    tools: false,
    texts: None,
    by_hand: "mcpl::McplHook::answering::<…>(…)",
};

const KEYS: &[Key] = &[
    Key::new("feature_set", Kind::Type)
        .required("add `feature_set = Type`, the feature set that the hook belongs to"),
    Key::new("inject", Kind::Words(&POSITIONS)).call("inject"),
    Key::new("optional", Kind::Words(&POSITIONS))
        .apart("inject")
        .call("optional"),
    Key::new("observe", Kind::Flag(false)).call("observe"),
    Key::new("blocking", Kind::Switch).call("blocking"),
    PRIORITY,
    // Its bounds depend on the point.
    Key::new("deadline", Kind::Time).call("deadline"),
    POSTURE,
    ID,
    CRATE,
];

const HOOK: PointHook = PointHook {
    protocol: "mcpl",
    hook: "McplHook",
    receive: "McplInput",
    is_input: "IsMcplInput",
    context: "Context",
    surround: "Surround",
    mutable: false,
    answer: "McplAnswer",
};

fn expand(model: &Model) -> TokenStream {
    match &model.subject {
        Subject::Answering(answering) => function(model, answering),
        // The grammar of this protocol accepts functions only.
        Subject::Unit(..) | Subject::Tool(_) => TokenStream::new(),
    }
}

/// Reports the values that the point does not have.
fn literals(model: &Model, errors: &mut Errors) {
    let (at, settings) = (model.first().to_string(), &model.settings);
    for key in ["inject", "optional", "observe", "blocking"] {
        if let Some(written) = settings.key(key) {
            errors.broken(written, rules::of_one_point(key, &at));
        }
    }
    if let Some(time) = settings.text("deadline") {
        errors.broken(time, rules::deadline(&at, &time.value()));
    }
    if let Subject::Answering(answering) = &model.subject
        && let Some(answer) = &answering.answer
    {
        let problem = |word: &Ident| rules::answer(&at, &word.to_string());
        let wrong = find(answer, &|word| problem(word).is_some());
        errors.broken(answer, wrong.and_then(|word| problem(&word)));
    }
}

fn function(model: &Model, answering: &Answering) -> TokenStream {
    let Model { root, settings, .. } = model;
    let (set, point) = (settings.ty("feature_set"), model.first());
    let generics = match answering.server {
        Some(_) => quote!(::<#set, _, _, _>),
        None => quote!(::<#set, _, _>),
    };
    let mut checks = quote!(type __Point = #root::mcpl::point::#point;);
    checks.extend(is_feature_set(root, &set.to_token_stream()));
    let mut calls = settings.calls(&GRAMMAR.table, root, |_| true);
    if let Some(answer) = answer(answering) {
        checks.extend(checks_of_answer(model, &answer));
        calls.extend(quote!(.says(__SAYS)));
    }
    HOOK.function(model, answering, &generics, &checks, &calls)
}

/// Generates the check that a type is a feature set. The check comes before the type's use: there, rustc's message would
/// also name the method of the SDK that takes the type.
fn is_feature_set(root: &Root, set: &TokenStream) -> TokenStream {
    let protocol = root.protocol("mcpl");
    quote_spanned! {first_span(set)=>
        let _: #protocol::Definition = <#set as #protocol::FeatureSet>::DEFINITION;
    }
}

/// Generates what the answer's type says, and the checks of it.
fn checks_of_answer(model: &Model, answer: &TokenStream) -> TokenStream {
    let Model { root, settings, .. } = model;
    let protocol = root.protocol("mcpl");
    let blocking = settings.switch("blocking").is_some();
    // Outside of the checks: rustc itself underlines the type here.
    let mut checks = quote_spanned! {first_span(answer)=>
        const __SAYS: ::core::primitive::bool = <#answer as #protocol::McplAnswer<__Point>>::SAYS;
    };
    let at = quote!(<__Point as #protocol::McplPoint>::AT);
    let change = quote!(change(#at, #blocking, __SAYS));
    checks.extend(passes(&protocol, change, answer));
    for key in ["inject", "optional"] {
        if let Some(written) = settings.key(key) {
            let nothing = quote!(inject_nothing(#at, __SAYS));
            checks.extend(passes(&protocol, nothing, written));
        }
    }
    checks
}

#[cfg(test)]
#[test]
fn the_documentation_has_every_key() {
    let tables = [&feature_set::TABLE, &GRAMMAR.table, &tool::TIE.table];
    super::check_tables("mcpl.rs", &tables);
}
