//! `#[mcpl::hook(point, …)]`, `#[mcpl::feature_set("name", …)]` and `#[mcpl::tool(…)]`.

pub(crate) mod feature_set;
pub(crate) mod tool;

use hooks_text::{MCPL_POINTS, POSITIONS, POSTURES};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::{
    expand::{Protocol, check},
    grammar::{Context, Elsewhere, Grammar, Key, Leading, Table},
    item::snake_case,
    made::{PointHook, answer, first_span},
    model::{Model, Subject},
    signature::Answering,
    value::Kind,
};

pub(crate) const PROTOCOL: Protocol = Protocol {
    grammar: &GRAMMAR,
    expand,
};

const GRAMMAR: Grammar = Grammar {
    table: Table {
        attribute: "mcpl::hook",
        leading: Leading::Words(&[&MCPL_POINTS]),
        keys: &[
            Key::new("feature_set", Kind::Type)
                .required("add `feature_set = Type`, the feature set that the hook belongs to"),
            Key::new("inject", Kind::Words(&POSITIONS)),
            Key::new("optional", Kind::Words(&POSITIONS)).apart("inject"),
            Key::new("observe", Kind::Flag(false)),
            Key::new("blocking", Kind::Switch),
            Key::new("priority", Kind::Integer),
            Key::new("deadline", Kind::Time),
            Key::new("posture", Kind::Word(&POSTURES)),
            Key::new("id", Kind::Text),
            Key::new("crate", Kind::Path),
        ],
        renamed: &[("deadline_ms", "deadline")],
        elsewhere: Elsewhere::NOTHING,
    },
    name: "id",
    case: snake_case,
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

fn function(model: &Model, answering: &Answering) -> TokenStream {
    let set = model.settings.ty("feature_set");
    let generics = match answering.server {
        Some(_) => quote!(::<#set, _, _, _>),
        None => quote!(::<#set, _, _>),
    };
    let (checks, calls) = (checks(model, answering), calls(model, answering));
    HOOK.function(model, answering, &generics, &checks, &calls)
}

/// Generates an alias of the point, so that rustc reports an unknown one once, and the checks of the values.
fn checks(model: &Model, answering: &Answering) -> TokenStream {
    let Model {
        root,
        name,
        settings,
        ..
    } = model;
    let protocol = root.protocol("mcpl");
    let point = model.first();
    let mut checks = quote! {
        type __Point = #root::mcpl::point::#point;
        const __AT: #protocol::point::At = <__Point as #protocol::McplPoint>::AT;
    };
    checks.extend(check(quote!(#protocol::check::id(#name)), name));
    for key in ["inject", "optional", "observe", "blocking"] {
        if let Some(written) = settings.key(key) {
            let rule = proc_macro2::Ident::new(key, written.span());
            checks.extend(check(quote!(#protocol::check::#rule(__AT)), written));
        }
    }
    if let Some(time) = settings.text("deadline") {
        checks.extend(check(quote!(#protocol::check::deadline(__AT, #time)), time));
    }
    let blocking = settings.switch("blocking").is_some();
    if let Some(answer) = answer(answering) {
        // Outside of the checks: rustc itself underlines the type here.
        let span = first_span(&answer);
        checks.extend(quote_spanned! {span=>
            const __SAYS: ::core::primitive::bool = <#answer as #protocol::McplAnswer<__Point>>::SAYS;
        });
        let change = quote!(#protocol::check::change(__AT, #blocking, __SAYS));
        checks.extend(check(change, &answer));
        for key in ["inject", "optional"] {
            if let Some(written) = settings.key(key) {
                let nothing = quote!(#protocol::check::inject_nothing(__AT, __SAYS));
                checks.extend(check(nothing, written));
            }
        }
    }
    checks
}

/// Generates the builder calls for the keys.
fn calls(model: &Model, answering: &Answering) -> TokenStream {
    let Model { root, settings, .. } = model;
    let private = root.private();
    let mut calls = TokenStream::new();
    if answer(answering).is_some() {
        calls.extend(quote!(.says(__SAYS)));
    }
    for (key, positions) in [
        ("inject", settings.words("inject")),
        ("optional", settings.words("optional")),
    ] {
        let method = proc_macro2::Ident::new(key, proc_macro2::Span::call_site());
        if let Some(positions) = positions {
            calls.extend(quote!(.#method(&[#(#root::mcpl::position::#positions),*])));
        }
    }
    if let Some(observe) = settings.flag("observe") {
        calls.extend(quote!(.observe(#observe)));
    }
    if settings.switch("blocking").is_some() {
        calls.extend(quote!(.blocking()));
    }
    if let Some(priority) = settings.number("priority") {
        calls.extend(quote!(.priority(#priority)));
    }
    if let Some(time) = settings.text("deadline") {
        calls.extend(quote!(.deadline(#private::duration(#time))));
    }
    if let Some(policy) = settings.word("posture") {
        calls.extend(quote!(.posture(#root::mcpl::posture::#policy)));
    }
    calls
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
