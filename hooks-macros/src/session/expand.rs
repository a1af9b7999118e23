//! The code that the derive adds to the enum.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

use super::{Session, State, ToolName};
use crate::{expand::origin, model::Words};

/// Generates the implementation of `SessionState`.
pub(super) fn implementation(session: &Session) -> TokenStream {
    let Session {
        root,
        name,
        reset,
        destructive,
        ..
    } = session;
    let refusal = session.refusal.iter();
    let private = root.private();
    let variants: Vec<&Ident> = session.states.iter().map(|state| &state.name).collect();
    let places = 0..variants.len();
    let states = session.states.iter().map(|state| made(session, state));
    let names = names(session);
    let protocol = quote!(#private::machine);
    let submission = submission(session);
    quote! {
        const _: () = {
            #names
            #submission
            #[automatically_derived]
            impl #protocol::SessionState for #name {
                const ALL: &'static [#name] = &[#(#name::#variants),*];

                fn machine() -> ::core::result::Result<#protocol::Machine, #private::BuildErrors> {
                    static MACHINE: ::std::sync::LazyLock<
                        ::core::result::Result<#protocol::Machine, #private::BuildErrors>,
                    > = ::std::sync::LazyLock::new(|| {
                        #protocol::Machine::builder()
                            #(.state(#states))*
                            #(.reset(#reset))*
                            #(.destructive(#destructive))*
                            #(.refusal(#refusal))*
                            .build()
                    });
                    ::core::clone::Clone::clone(&*MACHINE)
                }

                fn index(self) -> #protocol::StateIndex {
                    #protocol::StateIndex::new(match self { #(#name::#variants => #places),* })
                }
            }
        };
    }
}

/// Generates the submission of the states to those of the program.
fn submission(session: &Session) -> TokenStream {
    let private = session.root.private();
    let name = session.name.unraw().to_string();
    let origin = origin(&session.root, &session.name);
    let states = session.states.iter();
    let names = states.clone().map(|state| state.name.unraw().to_string());
    let tools = states.flat_map(|state| {
        let next = state.next.iter().filter_map(|edge| match &edge.tool {
            ToolName::Any(_) => None,
            ToolName::Named(tool) => Some(tool),
        });
        state.allow.iter().chain(&state.deny).chain(next)
    });
    quote! {
        #private::inventory::submit! {
            #private::machine::SubmittedStates {
                name: #name,
                states: &[#(#names),*],
                tools: &[#(#tools),*],
                origin: #origin,
            }
        }
    }
}

/// Stands in for the implementation after an error, so that uses of the enum cause no further errors.
pub(super) fn substitute(session: &Session) -> TokenStream {
    let Session { root, name, .. } = session;
    let private = root.private();
    quote! {
        #[automatically_derived]
        impl #private::machine::SessionState for #name {
            const ALL: &'static [#name] = &[];

            fn machine() -> ::core::result::Result<#private::machine::Machine, #private::BuildErrors> {
                #private::machine::Machine::builder().build()
            }

            fn index(self) -> #private::machine::StateIndex {
                #private::machine::StateIndex::new(0)
            }
        }
    }
}

/// Generates the builder call for one state.
fn made(session: &Session, state: &State) -> TokenStream {
    let private = session.root.private();
    let name = state.name.unraw().to_string();
    let origin = origin(&session.root, &state.name);
    let start = state.start.as_ref().map(|_| quote!(.start()));
    let text = state.text.as_ref().and_then(Words::expression);
    let text = text.map(|text| quote!(.text(#text.trim())));
    let refusal = state.refusal.iter();
    let allow = &state.allow;
    let allow_any = state.allow_any.as_ref().map(|_| quote!(.allow_any()));
    let deny = &state.deny;
    let next = state.next.iter().map(|edge| {
        let (stage, to) = (&session.name, &edge.to);
        // A struct literal, since a path could also name an associated constant.
        let to = quote!(__name(#stage::#to {}));
        match &edge.tool {
            ToolName::Any(_) => quote!(.next_any(#to)),
            ToolName::Named(tool) => quote!(.next(#tool, #to)),
        }
    });
    quote! {
        #private::machine::State::new(#name)
            .at(#origin)
            #start
            #text
            #(.refusal(#refusal))*
            #(.allow(#allow))*
            #allow_any
            #(.deny(#deny))*
            #(#next)*
    }
}

/// Generates a function from a variant to its name, so that rustc resolves the targets of edges.
fn names(session: &Session) -> TokenStream {
    let stage = &session.name;
    if session.states.iter().all(|state| state.next.is_empty()) {
        return TokenStream::new();
    }
    let variants = session.states.iter().map(|state| &state.name);
    let names = session
        .states
        .iter()
        .map(|state| state.name.unraw().to_string().into_token_stream());
    quote! {
        const fn __name(state: #stage) -> &'static ::core::primitive::str {
            match state { #(#stage::#variants => #names),* }
        }
    }
}
