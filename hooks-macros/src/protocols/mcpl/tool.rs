//! `#[mcpl::tool(feature_set = Type, …)]`, which puts a method that is also a `#[tool]` into a feature set.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::{
    expand::check,
    grammar::{Elsewhere, Key, Leading, Table},
    item::Tool,
    made::first_span,
    path::Root,
    report::Errors,
    settings::Settings,
    tie::Tie,
    value::Kind,
};

pub(crate) const TIE: Tie = Tie {
    table: Table {
        attribute: "mcpl::tool",
        leading: Leading::Nothing,
        keys: &[
            Key::new("feature_set", Kind::Type)
                .required("add `feature_set = Type`, the feature set that the tool belongs to"),
            Key::new("scope", Kind::Text),
            Key::new("guard", Kind::Flag(false)),
            Key::new("crate", Kind::Path),
        ],
        renamed: &[],
        elsewhere: Elsewhere::NOTHING,
    },
    by_hand: "mcpl::McplHook::tool::<…>(…)",
    make,
};

fn make(
    root: &Root,
    tool: &Tool,
    settings: &Settings,
    _errors: &mut Errors,
) -> (TokenStream, TokenStream) {
    let Tool { server, tool, .. } = tool;
    let protocol = root.protocol("mcpl");
    let set = settings.ty("feature_set");
    let scope = settings.text("scope").map(|argument| {
        let check = check(quote!(#protocol::check::scope(#argument)), argument);
        // Underlines the set, which the author has to change.
        let span = first_span(&set.to_token_stream());
        let scoped =
            quote::quote_spanned! {span=> const _: () = #protocol::check::scoped::<#set>(); };
        (quote!(#check #scoped), quote!(.scope(#argument)))
    });
    let (checks, scope) = scope.unzip();
    let unguarded = settings
        .flag("guard")
        .filter(|guard| !guard.value)
        .map(|_| quote!(.unguarded()));
    let hook = quote!(#protocol::McplHook::tool::<#set, #server>(#tool) #scope #unguarded);
    (quote!(#checks), hook)
}
