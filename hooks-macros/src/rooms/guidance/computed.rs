//! A function that makes its text when the hook fires: the shape in which the SDK calls it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{id, input, room};
use crate::{
    made::{self, answered, finished, first_span, future, future_type},
    model::Model,
    signature::Answering,
};

pub(super) fn function(model: &Model, answering: &Answering) -> TokenStream {
    let Model { root, settings, .. } = model;
    let room = room(model);
    let checks = input::checks(model);
    let shim = shim(model, answering);
    let constructor = match answering.server {
        Some(_) => quote!(computed),
        None => quote!(computed_any),
    };
    let input = input::input(model, answering.doc());
    let deadline = settings
        .number("deadline_ms")
        .map(|ms| quote!(.deadline(::core::time::Duration::from_millis(#ms))));
    let on_failure = settings
        .word("on_failure")
        .map(|policy| quote!(.on_failure(#root::guidance::on_failure::#policy)));
    let hook = quote!(#room::GuidanceHook::#constructor(#input, __text) #deadline #on_failure);
    let hook = finished(root, model.first(), &hook);
    let body = quote! {
        #checks
        #shim
        #hook
    };
    made::function(root, answering, &id(model), &body)
}

/// The function in the one shape that the SDK calls. The author's types stand in it once each, where a wrong one is
/// underlined.
fn shim(model: &Model, answering: &Answering) -> TokenStream {
    let room = room(model);
    let Answering {
        server,
        event: firing,
        ..
    } = answering;
    // Names from `quote!`: with the span of a `macro_rules!` body, a local would be another one.
    let (given, taken) = (quote!(firing), quote!(known));
    let received = firing.as_ref().map(|firing| {
        let span = first_span(firing);
        quote_spanned!(span=> let #taken = <#firing as #room::FiringInput>::receive(#given);)
    });
    let arguments = match (server, firing) {
        (None, _) => TokenStream::new(),
        (Some(_), None) => quote!(server),
        (Some(_), Some(_)) => quote!(server, #taken),
    };
    let given = firing.as_ref().map_or_else(|| quote!(_firing), |_| given);
    let answered = answered(&quote!(#room::Answer), answering, &arguments);
    let future = future(answering, &quote!(#received #answered));
    let future_type = future_type(&model.root, &made::text(), &quote!('firing));
    let server = server
        .as_ref()
        .map(|server| quote!(server: &'firing #server,));
    quote! {
        fn __text<'firing>(#server #given: &'firing #room::Firing) -> #future_type {
            #future
        }
    }
}
