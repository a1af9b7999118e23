//! A function that answers: the shape in which the SDK calls it, and the hook that it makes.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::{checks, constructor, finished, room, settings};
use crate::{
    expand::{check, submission},
    item::conditions,
    model::Model,
    signature::{Answering, contains},
};

pub(super) fn function(model: &Model, answering: &Answering) -> TokenStream {
    let Answering {
        attrs, vis, name, ..
    } = answering;
    let conditions: Vec<_> = conditions(attrs).collect();
    let Model {
        root,
        id,
        settings: given,
        ..
    } = model;
    let private = root.private();
    let room = room(model);
    let make = format_ident!("{name}_hook");
    let checks = checks(model);
    let deadline = given
        .number("deadline_ms")
        .map(|ms| check(quote!(#room::check::deadline_ms(#ms)), ms));
    let constructor_name = match answering.server {
        Some(_) => quote!(answering),
        None => quote!(answering_any),
    };
    let shim = shim(model, answering);
    let made = constructor(model, &constructor_name, &quote!(__answer));
    let settings = settings(model);
    let description = match (given.text("description"), answering.doc()) {
        (Some(text), _) => quote!(.description(#text)),
        (None, Some(doc)) => quote!(.description(#doc)),
        (None, None) => TokenStream::new(),
    };
    let hook = finished(model, &quote!(#made #settings #description));
    let submission = submission(root, &quote!(#make));
    let doc = format!(
        "The hook `{}` that [`{name}`] answers, for adding it to a registry by hand.",
        id.value()
    );
    quote! {
        #(#conditions)*
        #[doc = #doc]
        #[must_use]
        #vis fn #make() -> #private::CoreHook {
            #checks
            #deadline
            #shim
            #hook
        }
        #(#conditions)*
        const _: () = { #submission };
    }
}

/// The function in the one shape that the SDK calls. The author's types stand in it once each, where a wrong one is
/// underlined; the future becomes `Send` at the author's name.
fn shim(model: &Model, answering: &Answering) -> TokenStream {
    let room = room(model);
    let private = model.root.private();
    let Answering {
        name,
        server,
        event,
        answer,
        ..
    } = answering;
    let variables = if event.is_some() {
        quote!(variables)
    } else {
        quote!(_variables)
    };
    // Names from `quote!`: with the span of a `macro_rules!` body, a local would be another one.
    let (given, taken) = (quote!(variables), quote!(event));
    let received = event.as_ref().map(|event| {
        let span = first_span(event);
        quote_spanned!(span=> let #taken = <#event as #room::Receive<__Point>>::receive(#given);)
    });
    let arguments = match (server, event) {
        (None, _) => TokenStream::new(),
        (Some(_), None) => quote!(server),
        (Some(_), Some(_)) => quote!(server, &event),
    };
    let call = quote!(#name(#arguments).await);
    let answered = match answer {
        None => quote_spanned!(name.span()=> <() as #room::Answer>::answer(#call)),
        Some(answer) => {
            let span = first_span(answer);
            // `impl Trait` cannot be named.
            if contains(answer, "impl") {
                quote_spanned!(span=> #room::Answer::answer(#call))
            } else {
                quote_spanned!(span=> <#answer as #room::Answer>::answer(#call))
            }
        }
    };
    let boxed =
        quote_spanned!(name.span()=> ::std::boxed::Box::pin(async move { #received #answered }));
    let lifetime = server
        .as_ref()
        .map_or_else(|| quote!('static), |_| quote!('server));
    let generics = server.as_ref().map(|_| quote!(<'server>));
    let server = server
        .as_ref()
        .map(|server| quote!(server: &'server #server,));
    quote! {
        fn __answer #generics(
            #server
            #variables: #room::Variables,
        ) -> ::core::pin::Pin<::std::boxed::Box<
            dyn ::core::future::Future<
                    Output = ::core::result::Result<::std::string::String, #private::HookError>,
                > + ::core::marker::Send + #lifetime,
        >> {
            #boxed
        }
    }
}

fn first_span(tokens: &TokenStream) -> Span {
    tokens
        .clone()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}
