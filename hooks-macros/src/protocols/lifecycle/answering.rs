//! The expansion of a lifecycle hook on a function.

use proc_macro2::TokenStream;
use quote::quote;

use super::{checks, constructor, settings};
use crate::{
    expand::passes,
    made::{self, Call, finished},
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
    let protocol = model.root.protocol("lifecycle");
    let checks = checks(model);
    let deadline = given
        .text("deadline")
        .map(|time| passes(&protocol, quote!(deadline(#time)), time));
    let made = constructor(model, &made::constructor(answering), &quote!(__answer));
    let settings = settings(model);
    let description = match (given.text("description"), answering.doc()) {
        (Some(text), _) => quote!(.description(#text)),
        (None, Some(doc)) => quote!(.description(#doc)),
        (None, None) => TokenStream::new(),
    };
    let hook = finished(root, model.first(), &quote!(#made #settings #description));
    let call = Call {
        input: quote!(#protocol::Variables),
        by_value: true,
        receive: quote!(#protocol::LifecycleInput<__Point>),
        is_input: quote!(#protocol::IsLifecycleInput),
        point: Some(quote!(__Point)),
        context: None,
        answer: quote!(#protocol::Answer),
        output: made::text(),
    };
    let checks = quote!(#checks #deadline);
    made::function(root, answering, &name.value(), &call, &checks, &hook)
}
