//! `#[mcpl::tool(feature_set = Type, …)]`, which puts a method that is also a `#[tool]` into a feature set.

use hooks_text::rule::mcpl::scope;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::is_feature_set;
use crate::{
    grammar::{Leading, Table},
    item::Tool,
    key::{CRATE, Key},
    made::first_span,
    path::Root,
    report::Errors,
    settings::Settings,
    tie::Tie,
    value::Kind,
};

pub(crate) const TIE: Tie = Tie {
    table: Table::new(
        "mcpl::tool",
        Leading::Nothing,
        &[
            Key::new("feature_set", Kind::Type)
                .required("add `feature_set = Type`, the feature set that the tool belongs to"),
            Key::new("scope", Kind::Text).rule(scope).call("scope"),
            Key::new("guard", Kind::Flag(false)),
            CRATE,
        ],
    ),
    by_hand: "mcpl::McplHook::tool::<…>(…)",
    make,
};

fn make(root: &Root, tool: &Tool, settings: &Settings, _errors: &mut Errors) -> TokenStream {
    let Tool { server, tool, .. } = tool;
    let protocol = root.protocol("mcpl");
    let set = settings.ty("feature_set").to_token_stream();
    // Underlines the set, which the author has to change.
    let scoped = settings.text("scope").map(|_| {
        quote_spanned! {first_span(&set)=> const _: () = <#set as #protocol::Scoped>::SCOPED; }
    });
    let is_feature_set = is_feature_set(root, &set);
    let calls = settings.calls(&TIE.table, root, |_| true);
    let guard = settings.flag("guard").filter(|guard| !guard.value);
    let unguarded = guard.map(|_| quote!(.unguarded()));
    quote!({
        #is_feature_set
        #scoped
        #protocol::McplHook::tool::<#set, #server>(#tool) #calls #unguarded
    })
}
