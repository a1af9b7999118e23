//! What is generated for an item in every room: the function that makes its hook, and what is left for the linker.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::{
    expand::{origin, submission},
    item::{Unit, conditions},
    path::Root,
    signature::{Answering, contains},
};

/// The `ID` and `hook()` of a unit struct, where `body` makes the hook.
pub(crate) fn unit_struct(root: &Root, unit: &Unit, id: &str, body: &TokenStream) -> TokenStream {
    let Unit {
        attrs, vis, name, ..
    } = unit;
    let conditions: Vec<_> = conditions(attrs).collect();
    let private = root.private();
    let submission = submission(root, &quote!(#name::hook));
    let id_doc = format!("The id of this hook, `{id}`.");
    quote! {
        #(#conditions)*
        impl #name {
            #[doc = #id_doc]
            #vis const ID: &'static ::core::primitive::str = #id;

            /// This hook, for adding it to a registry by hand.
            #[must_use]
            #vis fn hook() -> #private::CoreHook {
                #body
            }
        }
        #(#conditions)*
        const _: () = {
            // Without a value somewhere, a struct that only stands for its text is "never constructed".
            const _: #name = #name;
            #submission
        };
    }
}

/// The `name_hook()` of a function, where `body` makes the hook.
pub(crate) fn function(
    root: &Root,
    answering: &Answering,
    id: &str,
    body: &TokenStream,
) -> TokenStream {
    let Answering {
        attrs, vis, name, ..
    } = answering;
    let conditions: Vec<_> = conditions(attrs).collect();
    let private = root.private();
    let make = format_ident!("{name}_hook");
    let submission = submission(root, &quote!(#make));
    let doc =
        format!("The hook `{id}` that [`{name}`] answers, for adding it to a registry by hand.");
    quote! {
        #(#conditions)*
        #[doc = #doc]
        #[must_use]
        #vis fn #make() -> #private::CoreHook {
            #body
        }
        #(#conditions)*
        const _: () = { #submission };
    }
}

/// A room's hook as the core's, with the place where it was written.
pub(crate) fn finished(root: &Root, at: &Ident, hook: &TokenStream) -> TokenStream {
    let private = root.private();
    let origin = origin(root, at);
    quote!(#private::CoreHook::from(#hook).at(#origin))
}

/// The author's function, called and its answer turned by the trait `into` into what the room takes. The answer's type
/// stands in it once, where a wrong one is underlined.
pub(crate) fn answered(
    into: &TokenStream,
    answering: &Answering,
    arguments: &TokenStream,
) -> TokenStream {
    let name = &answering.name;
    let call = quote!(#name(#arguments).await);
    match answer(answering) {
        Some(answer) => {
            let span = first_span(&answer);
            quote_spanned!(span=> <#answer as #into>::answer(#call))
        }
        None => {
            let span = answering
                .answer
                .as_ref()
                .map_or_else(|| name.span(), first_span);
            quote_spanned!(span=> #into::answer(#call))
        }
    }
}

/// The type of a function's answer, where it can be named: `impl Trait` cannot.
pub(crate) fn answer(answering: &Answering) -> Option<TokenStream> {
    match &answering.answer {
        None => Some(quote_spanned!(answering.name.span()=> ())),
        Some(answer) => (!contains(answer, "impl")).then(|| answer.clone()),
    }
}

/// The future in which `body` runs; it becomes `Send` at the author's name.
pub(crate) fn future(answering: &Answering, body: &TokenStream) -> TokenStream {
    quote_spanned!(answering.name.span()=> ::std::boxed::Box::pin(async move { #body }))
}

/// The type of such a future, which ends with what the room takes.
pub(crate) fn future_type(
    root: &Root,
    output: &TokenStream,
    lifetime: &TokenStream,
) -> TokenStream {
    let private = root.private();
    quote! {
        ::core::pin::Pin<::std::boxed::Box<
            dyn ::core::future::Future<
                    Output = ::core::result::Result<#output, #private::HookError>,
                > + ::core::marker::Send + #lifetime,
        >>
    }
}

/// What the rooms take whose hooks answer with text.
pub(crate) fn text() -> TokenStream {
    quote!(::std::string::String)
}

pub(crate) fn first_span(tokens: &TokenStream) -> Span {
    tokens
        .clone()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}
