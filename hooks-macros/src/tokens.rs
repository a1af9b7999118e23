//! What the macros read of types and of bodies, which they see as tokens only.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, LitStr, PathArguments, Type};

use crate::{grammar::Grammar, report::Errors};

/// Returns the answer and the error of a `Result`, unless the type of one of them has no name.
pub(crate) fn result(answer: &Type) -> Option<(TokenStream, Option<TokenStream>)> {
    let Type::Path(path) = answer else {
        return None;
    };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut types = arguments.args.iter();
    match (types.next(), types.next(), types.next()) {
        (Some(GenericArgument::Type(answer)), Some(GenericArgument::Type(error)), None)
            if last.ident == "Result" && !contains(&arguments.to_token_stream(), "impl") =>
        {
            Some((answer.to_token_stream(), Some(error.to_token_stream())))
        }
        _ => None,
    }
}

/// Reports the type of another point, which has the place of `own`. Every other type is left to the compiler.
pub(crate) fn of_another_point(
    grammar: &Grammar,
    point: &Ident,
    ty: Option<&TokenStream>,
    verb: &str,
    own: Option<&str>,
    errors: &mut Errors,
) {
    let (Some(ty), Some(own)) = (ty, own.filter(|own| *own != "Infallible")) else {
        return;
    };
    let names = || grammar.inputs.iter().chain(grammar.changes);
    let is_of_a_point =
        |word: &Ident| word != own && word != "Infallible" && names().any(|(_, name)| word == name);
    if let Some(other) = find(ty, &is_of_a_point) {
        let wrong = format_args!("`{point}` hooks do not {verb} `{other}`");
        errors.push(&other, wrong, format_args!("write `{own}`"));
    }
}

/// Formats a type as an author would write it.
pub(crate) fn tight(ty: &TokenStream) -> String {
    let mut text = ty.to_string();
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

pub(crate) fn contains(tokens: &TokenStream, word: &str) -> bool {
    find(tokens, &|ident| ident == word).is_some()
}

/// Returns the first word, at any depth, that is `wanted`.
pub(crate) fn find(tokens: &TokenStream, wanted: &dyn Fn(&Ident) -> bool) -> Option<Ident> {
    tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) => wanted(&ident).then_some(ident),
        TokenTree::Group(group) => find(&group.stream(), wanted),
        _ => None,
    })
}

/// Replaces the function's own lifetimes by `'_`: they are not declared where its types are repeated.
pub(crate) fn elide(tokens: TokenStream, lifetimes: &[String]) -> TokenStream {
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

/// Reports each question whose literal message is empty.
pub(crate) fn mute_questions(body: TokenStream, errors: &mut Errors) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        mute_questions(group.stream(), errors);
        let path: String = tokens[at.saturating_sub(4)..at]
            .iter()
            .map(ToString::to_string)
            .collect();
        let asks = ["Question::new", "Question::confirm"].contains(&&*path);
        let message = group.stream().into_iter().next();
        if asks
            && let Some(Ok(message)) =
                message.map(|message| syn::parse2::<LitStr>(message.into_token_stream()))
            && message.value().trim().is_empty()
        {
            errors.push(
                message,
                "this question has no message, so its user cannot know what the answer decides",
                "write the question, such as \"Delete the project `demo`?\"",
            );
        }
    }
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
