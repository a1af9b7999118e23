//! `#[plugin(kind = "…")]`, which gives a plugin its word in configuration files and registers it under that word.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ItemImpl, LitStr};

use super::{passes, protocol};
use crate::{
    grammar::{Elsewhere, Key, Leading, Table, Target},
    item::conditions,
    path::Root,
    report::Errors,
    strip::ungroup,
    value::Kind,
};

pub(super) const TABLE: Table = Table {
    attribute: "plugin",
    leading: Leading::Nothing,
    keys: &[
        Key::new("kind", Kind::Text)
            .required("add `kind = \"…\"`, the word for it in a configuration file"),
        Key::new("crate", Kind::Path),
    ],
    renamed: &[("name", "kind")],
    elsewhere: Elsewhere::NOTHING,
};

const HELP: &str = "put it on `impl Plugin for Type { … }`";

/// Expands the attribute to the block with its constant `KIND`, and the registration.
pub(crate) fn kind(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = ungroup(item);
    let (_, settings) = TABLE.read(args, Target::UnitStruct, &mut errors);
    let root = Root::new(settings.path("crate").cloned());
    let Some((head, body)) = block(&item, &mut errors) else {
        return quote!(#item #errors);
    };
    let word = settings.text("kind").cloned();
    // With mistakes the constant is still there, so that rustc does not miss it too.
    let word = word.unwrap_or_else(|| LitStr::new("", proc_macro2::Span::call_site()));
    let inside = body.stream();
    let mut kept = Group::new(
        Delimiter::Brace,
        quote!(const KIND: &'static ::core::primitive::str = #word; #inside),
    );
    kept.set_span(body.span());
    let before = before_body(&item);
    if !errors.is_empty() {
        return quote!(#before #kept #errors);
    }
    let (private, protocol, plugin) = (root.private(), protocol(&root), &head.self_ty);
    let check = passes(&root, &quote!(kind(#word)), &word);
    let conditions: Vec<_> = conditions(&head.attrs).collect();
    quote! {
        #before #kept
        #(#conditions)*
        const _: () = {
            #check
            #private::inventory::submit! {
                #protocol::SubmittedKind { kind: #protocol::Kind::of::<#plugin>() }
            }
        };
    }
}

/// Splits the block into its head, with an empty body, and its unparsed body.
fn block(item: &TokenStream, errors: &mut Errors) -> Option<(ItemImpl, Group)> {
    let start: TokenStream = item.clone().into_iter().take(2).collect();
    let before = before_body(item);
    let body = match item.clone().into_iter().last() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
        _ => {
            errors.push(
                start,
                "`#[plugin]` on something other than an `impl` block",
                HELP,
            );
            return None;
        }
    };
    let Ok(head) = syn::parse2::<ItemImpl>(quote!(#before {})) else {
        errors.push(
            start,
            "`#[plugin]` on something other than an `impl` block",
            HELP,
        );
        return None;
    };
    let of_plugin = |head: &ItemImpl| {
        let (path, _) = head.trait_.as_ref()?;
        Some(path.segments.last()?.ident == "Plugin")
    };
    if of_plugin(&head) != Some(true) {
        let ty = &head.self_ty;
        let wrong = format_args!("`#[plugin]` on an `impl` block of another trait, or of none");
        errors.push(ty, wrong, HELP);
        return None;
    }
    if !head.generics.params.is_empty() {
        let wrong = "a generic plugin cannot be registered under one word";
        let help = "remove `#[plugin]`, write `const KIND` yourself, and add an `Instance` of each type to the policy";
        errors.push(head.generics.to_token_stream(), wrong, help);
        return None;
    }
    Some((head, body))
}

fn before_body(item: &TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    tokens.pop();
    tokens.into_iter().collect()
}
