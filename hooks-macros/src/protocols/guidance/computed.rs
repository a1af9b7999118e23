//! The expansion of a guidance hook on a function, which makes its text when the hook fires.

use proc_macro2::TokenStream;
use quote::quote;

use super::{id, input};
use crate::{
    made::{self, Call, finished},
    model::Model,
    signature::Answering,
};

pub(super) fn function(model: &Model, answering: &Answering) -> TokenStream {
    let Model { root, settings, .. } = model;
    let protocol = model.root.protocol("guidance");
    let private = root.private();
    let checks = input::checks(model);
    let constructor = made::constructor(answering);
    let input = input::input(model, answering.doc());
    let deadline = settings
        .text("deadline")
        .map(|time| quote!(.deadline(#private::duration(#time))));
    let posture = settings
        .word("posture")
        .map(|policy| quote!(.posture(#root::guidance::posture::#policy)));
    let hook = quote!(#protocol::GuidanceHook::#constructor(#input, __answer) #deadline #posture);
    let hook = finished(root, model.first(), &hook);
    let call = Call {
        input: quote!(&'call #protocol::Firing),
        by_value: false,
        receive: quote!(#protocol::FiringInput),
        is_input: quote!(#protocol::IsFiringInput),
        point: None,
        context: None,
        answer: quote!(#protocol::Answer),
        output: made::text(),
    };
    made::function(root, answering, &id(model), &call, &checks, &hook)
}
