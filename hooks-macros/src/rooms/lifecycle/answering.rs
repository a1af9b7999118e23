//! A function that answers: the shape in which the SDK calls it, and the hook that it makes.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{checks, constructor, room, settings};
use crate::{
    expand::check,
    made::{self, answered, finished, first_span, future, future_type},
    model::Model,
    signature::Answering,
};

pub(super) fn function(model: &Model, answering: &Answering) -> TokenStream {
    let Model {
        root,
        name,
        settings: given,
        ..
    } = model;
    let room = room(model);
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
    let hook = finished(root, model.first(), &quote!(#made #settings #description));
    let body = quote! {
        #checks
        #deadline
        #shim
        #hook
    };
    made::function(root, answering, &name.value(), &body)
}

/// The function in the one shape that the SDK calls. The author's types stand in it once each, where a wrong one is
/// underlined.
fn shim(model: &Model, answering: &Answering) -> TokenStream {
    let room = room(model);
    let Answering { server, event, .. } = answering;
    let variables = if event.is_some() {
        quote!(variables)
    } else {
        quote!(_variables)
    };
    // Names from `quote!`: with the span of a `macro_rules!` body, a local would be another one.
    let (given, taken) = (quote!(variables), quote!(event));
    let received = event.as_ref().map(|event| {
        let span = first_span(event);
        quote_spanned!(span=> let #taken = <#event as #room::LifecycleInput<__Point>>::receive(#given);)
    });
    let arguments = match (server, event) {
        (None, _) => TokenStream::new(),
        (Some(_), None) => quote!(server),
        (Some(_), Some(_)) => quote!(server, &event),
    };
    let answered = answered(&quote!(#room::Answer), answering, &arguments);
    let future = future(answering, &quote!(#received #answered));
    let lifetime = server
        .as_ref()
        .map_or_else(|| quote!('static), |_| quote!('server));
    let future_type = future_type(&model.root, &made::text(), &lifetime);
    let generics = server.as_ref().map(|_| quote!(<'server>));
    let server = server
        .as_ref()
        .map(|server| quote!(server: &'server #server,));
    quote! {
        fn __answer #generics(#server #variables: #room::Variables) -> #future_type {
            #future
        }
    }
}
