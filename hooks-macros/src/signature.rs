//! The signature of a function that answers: what it takes, and what it gives.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, FnArg, GenericParam, ReturnType, Safety, Type, Visibility};

use crate::{
    grammar::Grammar,
    item::{Function, doc},
    model::once,
    report::Errors,
};

/// A function that answers a hook. Lifetimes of its own are elided in the types.
pub(crate) struct Answering {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    /// The server's type, without the reference; `None` for a function of every server.
    pub(crate) server: Option<TokenStream>,
    /// The event's type, without the reference.
    pub(crate) event: Option<TokenStream>,
    /// The type behind the event, without the reference.
    pub(crate) context: Option<TokenStream>,
    /// What it returns; `None` for nothing.
    pub(crate) answer: Option<TokenStream>,
}

impl Answering {
    /// Reads a signature; what a hook cannot be is an error, all of it at once.
    pub(crate) fn read(
        grammar: &Grammar,
        words: &[Ident],
        function: Function,
        errors: &mut Errors,
    ) -> Option<Answering> {
        let Function { attrs, vis, sig } = function;
        let name = sig.ident;
        if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
            let wrong = format_args!(
                "`#[{}]` on a method cannot see the type of `self`",
                grammar.table.attribute
            );
            let help = "put `#[hooks_sdk::hooks]` on this `impl` block, or write a free function \
                whose first argument is the server: `memory: &Memory`";
            errors.push(receiver, wrong, help);
            return None;
        }
        once(grammar, &attrs, &name, errors);
        if sig.asyncness.is_none() {
            errors.push(
                &name,
                format_args!("`{name}` is not `async`"),
                format_args!("write `async fn {name}`"),
            );
        }
        if let Safety::Unsafe(token) = &sig.safety {
            let wrong = format_args!("`{name}` is `unsafe`, but hooks are called from safe code");
            errors.push(token, wrong, "remove `unsafe`");
        }
        generic(grammar, &name, &sig.generics, sig.inputs.iter(), errors);
        let lifetimes: Vec<String> = sig
            .generics
            .lifetimes()
            .map(|lifetime| lifetime.lifetime.ident.to_string())
            .collect();
        let noun = |words: &'static str| words.split(' ').next_back().unwrap_or_default();
        let input = noun(grammar.input);
        let mut arguments = sig
            .inputs
            .iter()
            .enumerate()
            .filter_map(|(at, argument)| match at {
                0 => target(argument, "server", None, errors),
                1 => target(argument, input, grammar.input_at(words), errors),
                2 if let Some(context) = grammar.context => {
                    target(argument, noun(context), None, errors)
                }
                _ => {
                    too_many(grammar, &name, argument, errors);
                    None
                }
            });
        let lone = sig.inputs.len() == 1;
        let server = arguments.next().map(|server| elide(server, &lifetimes));
        let event = arguments.next().map(|event| elide(event, &lifetimes));
        let context = arguments.next().map(|context| elide(context, &lifetimes));
        arguments.for_each(drop);
        if let Some(server) = server
            .as_ref()
            .filter(|server| lone && is(server, grammar.inputs))
        {
            let wrong = format_args!("{} stands where the server does", grammar.input);
            let help =
                format_args!("take the server first: `_server: &Server, {input}: &{server}`");
            errors.push(server, wrong, help);
        }
        let answer = match &sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, answer) => Some(elide(answer.to_token_stream(), &lifetimes)),
        };
        Some(Answering {
            attrs,
            vis,
            name,
            server,
            event,
            context,
            answer,
        })
    }

    /// The doc comment, which describes the served tool.
    pub(crate) fn doc(&self) -> Option<String> {
        doc(&self.attrs)
    }
}

fn too_many(grammar: &Grammar, name: &Ident, argument: &FnArg, errors: &mut Errors) {
    let input = grammar.input;
    let all = match grammar.context {
        Some(context) => format!("a server, {input} and {context}"),
        None => format!("a server and {input}"),
    };
    let wrong = format_args!("`{name}` takes more than {all}");
    errors.push(argument, wrong, "remove this argument");
}

fn generic<'a>(
    grammar: &Grammar,
    name: &Ident,
    generics: &syn::Generics,
    inputs: impl Iterator<Item = &'a FnArg>,
    errors: &mut Errors,
) {
    let parameter = generics
        .params
        .iter()
        .find(|param| !matches!(param, GenericParam::Lifetime(_)));
    let hidden = inputs
        .filter_map(|input| match input {
            FnArg::Typed(argument) => Some(argument.ty.to_token_stream()),
            FnArg::Receiver(_) => None,
        })
        .find(|ty| contains(ty, "impl"));
    if let Some(at) = parameter.map(ToTokens::to_token_stream).or(hidden) {
        let wrong = format_args!("`{name}` is generic, and a collected hook needs concrete types");
        let help = format_args!(
            "write the types out, or add it by hand: `Registry::builder().add({})`",
            grammar.by_hand
        );
        errors.push(at, wrong, help);
    }
}

/// The type behind the argument's reference; `fits` is the name of the only one that can stand there.
fn target(
    argument: &FnArg,
    what: &str,
    fits: Option<&str>,
    errors: &mut Errors,
) -> Option<TokenStream> {
    let FnArg::Typed(argument) = argument else {
        return None;
    };
    let mut ty = &*argument.ty;
    loop {
        match ty {
            Type::Group(group) => ty = &group.elem,
            Type::Paren(paren) => ty = &paren.elem,
            Type::Reference(reference) if reference.mutability.is_none() => {
                return Some(reference.elem.to_token_stream());
            }
            _ => break,
        }
    }
    let owned = match ty {
        Type::Reference(reference) => &reference.elem,
        owned => owned,
    };
    let wrong = format_args!("the {what} is taken as `{}`", written(ty));
    let help = match fits {
        Some(fits) if !is(&owned.to_token_stream(), &[fits]) => format!("take `&{fits}`"),
        _ => format!("borrow it: `&{}`", written(owned)),
    };
    errors.push(&argument.ty, wrong, help);
    None
}

/// A type as an author would write it.
fn written(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (loose, tight) in [
        (" :: ", "::"),
        (":: ", "::"),
        ("& ", "&"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
    ] {
        text = text.replace(loose, tight);
    }
    text
}

/// Whether a type's last word is one of `names`.
fn is(ty: &TokenStream, names: &[&str]) -> bool {
    match ty.clone().into_iter().last() {
        Some(TokenTree::Ident(last)) => names.iter().any(|name| last == name),
        _ => false,
    }
}

pub(crate) fn contains(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => contains(&group.stream(), word),
        _ => false,
    })
}

/// Turns the function's own lifetimes into `'_`: they are unknown where its types are repeated.
fn elide(tokens: TokenStream, lifetimes: &[String]) -> TokenStream {
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(name) if after_quote => {
                after_quote = false;
                let own = lifetimes.iter().any(|lifetime| name == lifetime);
                TokenTree::Ident(if own {
                    Ident::new("_", name.span())
                } else {
                    name
                })
            }
            TokenTree::Group(group) => {
                after_quote = false;
                let mut elided = Group::new(group.delimiter(), elide(group.stream(), lifetimes));
                elided.set_span(group.span());
                TokenTree::Group(elided)
            }
            other => {
                after_quote = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn own_lifetimes_are_elided() {
        let tokens = quote!(Cow<'a, (&'a str, &'static str)>);
        let elided = elide(tokens, &["a".to_owned()]).to_string();
        assert_eq!(elided, quote!(Cow<'_, (&'_ str, &'static str)>).to_string());
    }
}
