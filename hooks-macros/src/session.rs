//! `#[derive(SessionState)]`, for an enum whose variants are a session's states.

mod expand;
mod graph;
mod keys;
mod list;
mod read;

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::LitStr;

use crate::{model::Words, path::Root, report::Errors};

/// The enum as written. A tool is its name, with the span of the author's token.
struct Session {
    root: Root,
    name: Ident,
    reset: Vec<LitStr>,
    /// The tools that no refusal proposes.
    destructive: Vec<LitStr>,
    refusal: Option<LitStr>,
    states: Vec<State>,
    /// Whether every argument could be read. If not, a missing part may be one that could not.
    whole: bool,
}

/// One variant.
struct State {
    name: Ident,
    start: Option<Ident>,
    /// The doc comment, or the file that `text_file` names.
    text: Option<Words>,
    refusal: Option<LitStr>,
    allow: Vec<LitStr>,
    allow_any: Option<Ident>,
    /// The word `deny`.
    denies: Option<Ident>,
    deny: Vec<LitStr>,
    next: Vec<Edge>,
}

/// `tool => To`
struct Edge {
    tool: ToolName,
    to: Ident,
}

/// An item of a list of tools.
enum ToolName {
    /// The word `any`.
    Any(Ident),
    Named(LitStr),
}

/// Expands the derive to the implementation, or to the errors and a stand-in.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let session = match syn::parse2(input) {
        Ok(input) => Session::read(&input, &mut errors),
        Err(error) => {
            errors.adopt(error);
            None
        }
    };
    let Some(session) = session else {
        return quote!(#errors);
    };
    graph::check(&session, &mut errors);
    if errors.is_empty() {
        return expand::implementation(&session);
    }
    let substitute = expand::substitute(&session);
    quote!(#substitute #errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sound_enum_has_no_errors() {
        let output = derive(quote! {
            enum Stage {
                #[stage(start, next("session.init" => Ready))]
                New,
                /// Go on.
                #[stage(allow(any), deny(drop))]
                Ready,
            }
        })
        .to_string();
        assert!(!output.contains("compile_error"), "{output}");
        assert!(output.contains("\"session.init\""), "{output}");
        syn::parse_str::<syn::File>(&output).unwrap();
    }

    #[test]
    fn every_mistake_is_reported() {
        let output = derive(quote! {
            #[session(rest(clear), reset())]
            enum Stage {
                #[stage(start = 1, alow(any), next(a => B, b -> B, c => Stage::B, d))]
                A,
                #[stage(allow(x, 7, a-b), deny(any, x), text_file = 7)]
                B(u8),
                #[session(reset(y))]
                #[stage = "x"]
                C,
            }
        })
        .to_string();
        assert_eq!(output.matches("compile_error").count(), 15, "{output}");
        assert!(
            output.contains("SessionState for Stage"),
            "no substitute: {output}"
        );
    }

    #[test]
    fn what_is_no_enum_is_one_error() {
        for item in [
            quote!(
                struct Stage;
            ),
            quote!(union Stage { a: u8 }),
            quote!(
                enum Stage<T> {
                    #[stage(begin)]
                    A(T),
                }
            ),
            quote!(
                enum Stage {}
            ),
        ] {
            let output = derive(item).to_string();
            assert_eq!(output.matches("compile_error").count(), 1, "{output}");
        }
    }
}
