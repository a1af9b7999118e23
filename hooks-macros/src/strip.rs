//! Removes the hook attributes from an `impl` block's body, token by token, so that it also works on a body with errors.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;

use crate::{args::split, tie::TIES};

/// Returns `body` without the hook attributes of its items.
pub(crate) fn strip(body: TokenStream) -> TokenStream {
    let mut kept = TokenStream::new();
    let mut tokens = body.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_pound = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        let content = match tokens.peek() {
            Some(TokenTree::Group(group))
                if is_pound && group.delimiter() == Delimiter::Bracket =>
            {
                group.stream()
            }
            _ => {
                kept.extend([token]);
                continue;
            }
        };
        if is_hook(content.clone()) {
            tokens.next();
        } else if let Some(conditional) = Conditional::read(content)
            && conditional.parts.iter().any(|part| is_hook(part.clone()))
        {
            tokens.next();
            kept.extend(conditional.only(|part| !is_hook(part.clone())));
        } else {
            kept.extend([token]);
        }
    }
    kept
}

/// Whether an attribute is a hook: its path ends in `hook`, or it is a tie.
pub(crate) fn is_hook(attribute: TokenStream) -> bool {
    ends_with(attribute.clone(), &["hook"]) || tie(attribute).is_some()
}

/// Returns the path of a tie, such as `mcpl::tool`, if an attribute is one. rmcp's own attribute, which makes the tool,
/// has another path.
pub(crate) fn tie(attribute: TokenStream) -> Option<&'static str> {
    let path = path(attribute);
    let mut ties = TIES.iter().map(|tie| tie.table.attribute);
    ties.find(|tie| {
        let words: Vec<&str> = tie.split("::").collect();
        path_ends_with(&path, &words)
    })
}

/// Whether an attribute's path ends in `words`.
pub(crate) fn ends_with(attribute: TokenStream, words: &[&str]) -> bool {
    path_ends_with(&path(attribute), words)
}

fn path_ends_with(path: &[Ident], words: &[&str]) -> bool {
    let start = path.len().checked_sub(words.len());
    start.is_some_and(|start| path[start..].iter().eq(words))
}

/// Returns the words of an attribute's path.
fn path(attribute: TokenStream) -> Vec<Ident> {
    let mut path = Vec::new();
    for token in ungroup(attribute) {
        match token {
            TokenTree::Ident(word) => path.push(word),
            TokenTree::Punct(punct) if punct.as_char() == ':' => {}
            _ => break,
        }
    }
    path
}

/// Unwraps the invisible group that `macro_rules!` puts around a fragment, if `tokens` is one such group.
pub(crate) fn ungroup(tokens: TokenStream) -> TokenStream {
    let mut inside = tokens.clone().into_iter();
    match (inside.next(), inside.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            ungroup(group.stream())
        }
        _ => tokens,
    }
}

/// `cfg_attr(condition, parts…)`. Rust has not applied it yet when the macro reads a method.
pub(crate) struct Conditional {
    pub(crate) condition: TokenStream,
    pub(crate) parts: Vec<TokenStream>,
}

impl Conditional {
    pub(crate) fn read(attribute: TokenStream) -> Option<Conditional> {
        let mut tokens = ungroup(attribute).into_iter();
        let (name, list) = (tokens.next()?, tokens.next()?);
        let (TokenTree::Ident(name), TokenTree::Group(list)) = (name, list) else {
            return None;
        };
        if name != "cfg_attr" {
            return None;
        }
        let mut parts = split(list.stream()).into_iter().map(TokenStream::from_iter);
        Some(Conditional {
            condition: parts.next()?,
            parts: parts.collect(),
        })
    }

    /// Returns the attribute with the chosen parts only, or no tokens if there is none.
    pub(crate) fn only(&self, chosen: impl Fn(&TokenStream) -> bool) -> TokenStream {
        let Conditional { condition, parts } = self;
        let parts: Vec<_> = parts.iter().filter(|part| chosen(part)).collect();
        if parts.is_empty() {
            return TokenStream::new();
        }
        quote!(#[cfg_attr(#condition, #(#parts),*)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hooks_go() {
        let body = quote! {
            #[a::hook(x)] #[tool] #[x::mcpl::tool(y)] fn a() { #[hook] {} }
            #[cfg_attr(unix, hook(y), inline)] #[cfg_attr(unix, hook(y))] const B: u8 = 1;
            #[cfg_attr(unix, inline)] #[hooked] fn c() {}
            #[mcpl::tool(y)] #[rmcp::tool] #[cfg_attr(unix, mcpl::tool(y), tool)] fn d() {}
            #[x::aos::memory_store(y)] #[aos::memory_retrieval] #[aos::knowledge] #[knowledge] fn e() {}
        };
        let kept = quote! {
            #[tool] fn a() { #[hook] {} }
            #[cfg_attr(unix, inline)] const B: u8 = 1;
            #[cfg_attr(unix, inline)] #[hooked] fn c() {}
            #[rmcp::tool] #[cfg_attr(unix, tool)] fn d() {}
            #[knowledge] fn e() {}
        };
        assert_eq!(strip(body).to_string(), kept.to_string());
    }
}
