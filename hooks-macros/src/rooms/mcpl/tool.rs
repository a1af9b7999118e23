//! `#[mcpl::tool(feature_set = Type, …)]`, which puts a method that is also a `#[tool]` into a feature set.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::FnArg;

use super::room;
use crate::{
    expand::{attribute, check, submission},
    grammar::{Elsewhere, Key, Leading, Table, Target},
    item::{self, Item},
    made::{finished, first_span},
    path::Root,
    report::Errors,
    settings::Settings,
    value::Kind,
};

pub(super) const TABLE: Table = Table {
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
};

/// The attribute, and the constructor that does the same by hand.
pub(crate) const BY_HAND: (&str, &str) = (TABLE.attribute, "mcpl::McplHook::tool::<…>(…)");

/// Expands the attribute.
pub(crate) fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(item, |item, errors| {
        let tool = match item {
            Item::Tool(tool) => tool,
            other => {
                wrong_item(&other, errors);
                return None;
            }
        };
        let (_, settings) = TABLE.read(args, Target::Tool, errors);
        errors.is_empty().then(|| expand(&tool, &settings))
    })
}

fn expand(tool: &item::Tool, settings: &Settings) -> TokenStream {
    let item::Tool { name, server, tool } = tool;
    let root = Root::new(settings.path("crate").cloned());
    let private = root.private();
    let room = room(&root);
    let set = settings.ty("feature_set");
    let scope = settings.text("scope").map(|argument| {
        let check = check(quote!(#room::check::scope(#argument)), argument);
        // Underlines the set, which the author has to change.
        let span = first_span(&set.to_token_stream());
        let scoped = quote::quote_spanned! {span=> const _: () = #room::check::scoped::<#set>(); };
        (quote!(#check #scoped), quote!(.scope(#argument)))
    });
    let (checks, scope) = scope.unzip();
    let unguarded = settings
        .flag("guard")
        .filter(|guard| !guard.value)
        .map(|_| quote!(.unguarded()));
    let hook = quote!(#room::McplHook::tool::<#set, #server>(#tool) #scope #unguarded);
    let hook = finished(&root, name, &hook);
    let submission = submission(&root, &quote!(__hook));
    quote! {
        fn __hook() -> #private::CoreHook {
            #checks
            #hook
        }
        #submission
    }
}

fn wrong_item(item: &Item, errors: &mut Errors) {
    const HELP: &str = "put it on a method that is also a `#[tool]`, in an `impl` block with `#[hooks_sdk::hooks]`";
    match item {
        Item::Function(function) => match function.sig.inputs.first() {
            Some(FnArg::Receiver(receiver)) => {
                let wrong = "`#[mcpl::tool]` on a method cannot see the type of `self`";
                let help = "put `#[hooks_sdk::hooks]` on this `impl` block";
                errors.push(receiver, wrong, help);
            }
            _ => errors.push(&function.sig.ident, "`#[mcpl::tool]` on a function", HELP),
        },
        Item::Unit(unit) => errors.push(&unit.name, "`#[mcpl::tool]` on a unit struct", HELP),
        Item::Other(what, at) => {
            let at: TokenStream = at.clone().into_iter().take(2).collect();
            errors.push(at, format_args!("`#[mcpl::tool]` on {what}"), HELP);
        }
        Item::Tool(_) => {}
    }
}
