//! `#[plugin(kind = "…")]`, which gives a plugin its word in configuration files and registers it under that word.

use hooks_text::rule;
use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens, quote};
use syn::{ItemImpl, LitStr};

use crate::{
    container,
    grammar::{Leading, Table},
    item::conditions,
    key::{CRATE, Key, Target},
    path::Root,
    report::Errors,
    strip::ungroup,
    value::Kind,
};

pub(super) const TABLE: Table = Table {
    renamed: &[("name", "kind")],
    ..Table::new(
        "plugin",
        Leading::Nothing,
        &[
            Key::new("kind", Kind::Text)
                .required("add `kind = \"…\"`, the word for it in a configuration file")
                .rule(rule::plugin::kind),
            CRATE,
        ],
    )
};

const HELP: &str = "put it on `impl Plugin for Type { … }`";

/// Expands the attribute to the block with its constant `KIND`, and the registration.
pub(crate) fn kind(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = ungroup(item);
    let (_, settings) = TABLE.read(args, Target::UnitStruct, &mut errors);
    let root = Root::new(settings.path("crate").cloned());
    let Some((before, head, body)) = block(&item, &mut errors) else {
        return quote!(#item #errors);
    };
    let word = settings.text("kind").cloned();
    // With mistakes the constant is still there, so that rustc does not miss it too.
    let word = word.unwrap_or_else(|| LitStr::new("", proc_macro2::Span::call_site()));
    let inside = body.stream();
    let constant = quote!(const KIND: &'static ::core::primitive::str = #word; #inside);
    let mut kept = Group::new(Delimiter::Brace, constant);
    kept.set_span(body.span());
    if !errors.is_empty() {
        return quote!(#before #kept #errors);
    }
    let (private, plugin) = (root.private(), &head.self_ty);
    let protocol = root.protocol("plugin");
    let conditions: Vec<_> = conditions(&head.attrs).collect();
    quote! {
        #before #kept
        #(#conditions)*
        const _: () = {
            #private::inventory::submit! {
                #protocol::SubmittedKind { kind: #protocol::Kind::of::<#plugin>() }
            }
        };
    }
}

/// Splits the block of a plugin into what is before its body, its head with an empty body, and its unparsed body.
fn block(item: &TokenStream, errors: &mut Errors) -> Option<(TokenStream, ItemImpl, Group)> {
    let Some((before, head, body)) = container::block(item) else {
        let start: TokenStream = item.clone().into_iter().take(2).collect();
        let wrong = "`#[plugin]` on something other than an `impl` block";
        errors.push(start, wrong, HELP);
        return None;
    };
    let of = head
        .trait_
        .as_ref()
        .and_then(|(path, _)| path.segments.last());
    if of.is_none_or(|last| last.ident != "Plugin") {
        let wrong = "`#[plugin]` on an `impl` block of another trait, or of none";
        errors.push(&head.self_ty, wrong, HELP);
        return None;
    }
    if !head.generics.params.is_empty() {
        let wrong = "a generic plugin cannot be registered under one word";
        let help = "remove `#[plugin]`, write `const KIND` yourself, and add an `Instance` of each type to the policy";
        errors.push(head.generics.to_token_stream(), wrong, help);
        return None;
    }
    Some((before, head, body))
}
