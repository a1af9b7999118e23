//! `#[mcpl::hook(point, …)]`, `#[mcpl::feature_set("name", …)]` and `#[mcpl::tool(…)]`.

pub(crate) mod feature_set;
pub(crate) mod tool;

use hooks_text::{
    MCPL_POINTS, POSITIONS,
    rule::{self, mcpl as rules},
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::{
    expand::{Protocol, passes},
    grammar::{Context, Grammar, Leading, Table},
    item::snake_case,
    key::{CRATE, ID, Key, POSTURE, PRIORITY},
    made::{PointHook, answer, first_span},
    model::{Model, Subject},
    report::Errors,
    signature::Answering,
    value::Kind,
};

pub(crate) const PROTOCOL: Protocol = Protocol {
    grammar: &GRAMMAR,
    expand,
};

const GRAMMAR: Grammar = Grammar {
    table: Table {
        renamed: &[("deadline_ms", "deadline")],
        ..Table::new("mcpl::hook", Leading::Words(&[&MCPL_POINTS]), KEYS)
    },
    name: "id",
    case: snake_case,
    id: rule::id,
    check: literals,
    owner: ("server", "memory: &Memory"),
    input: "an event",
    context: Some(Context {
        noun: "a context",
        mutable: false,
        name: None,
    }),
    inputs: &[],
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
    let at_one_point = [
        ("inject", rules::inject(&at)),
        ("optional", rules::optional(&at)),
        ("observe", rules::observe(&at)),
        ("blocking", rules::blocking(&at)),
    ];
    for (key, problem) in at_one_point {
        if let Some(written) = settings.key(key) {
            errors.broken(written, problem);
        }
    }
    if let Some(time) = settings.text("deadline") {
        errors.broken(time, rules::deadline(&at, &time.value()));
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
    let mut calls = settings.calls(&GRAMMAR.table, root, |_| true);
    if let Some(answer) = answer(answering) {
        checks.extend(checks_of_answer(model, &answer));
        calls.extend(quote!(.says(__SAYS)));
    }
    HOOK.function(model, answering, &generics, &checks, &calls)
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
mod tests {
    use super::*;

    const TABLES: [&Table; 3] = [&feature_set::TABLE, &GRAMMAR.table, &tool::TIE.table];

    #[test]
    fn the_tables_name_only_their_own_keys() {
        for table in TABLES {
            let known = |name: &str| table.keys.iter().any(|key| key.name == name);
            for key in table.keys {
                assert!(key.apart.is_none_or(known), "{}", key.name);
            }
        }
        assert!(
            GRAMMAR
                .table
                .keys
                .iter()
                .any(|key| key.name == GRAMMAR.name)
        );
    }

    #[test]
    fn the_documentation_has_every_key() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-sdk/src/mcpl.rs");
        // The published package has no sibling folders.
        let Ok(page) = std::fs::read_to_string(page) else {
            return;
        };
        let pages = page.split("pub use hooks_macros::");
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
