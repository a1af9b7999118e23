//! Takes the hook attributes out of an `impl` block's body, token by token, so that a block with errors survives too.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;

use crate::args::split;

/// `body` without the hook attributes of its items.
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

/// Whether an attribute's content is a hook: the last word of its path is `hook`, or it ties a tool to a hook.
pub(crate) fn is_hook(attribute: TokenStream) -> bool {
    ends_with(attribute.clone(), &["hook"]) || is_tie(attribute)
}

/// Whether an attribute's content ties a tool to something: its path ends in `mcpl::tool`, where that of the
/// attribute which makes the tool ends in another `tool`.
pub(crate) fn is_tie(attribute: TokenStream) -> bool {
    ends_with(attribute, &["mcpl", "tool"])
}

/// Whether the last words of an attribute's path are these.
pub(crate) fn ends_with(attribute: TokenStream, words: &[&str]) -> bool {
    let path = path(attribute);
    let start = path.len().checked_sub(words.len());
    start.is_some_and(|start| path[start..].iter().eq(words))
}

/// The words of an attribute's path.
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

/// The tokens inside the invisible brackets around what a `macro_rules!` was given, if that is all there is.
pub(crate) fn ungroup(tokens: TokenStream) -> TokenStream {
    let mut inside = tokens.clone().into_iter();
    match (inside.next(), inside.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            ungroup(group.stream())
        }
        _ => tokens,
    }
}

/// `cfg_attr(condition, parts…)`, which is not applied yet when a macro sees a method.
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

    /// The same attribute with those parts only, or nothing without any.
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
        };
        let kept = quote! {
            #[tool] fn a() { #[hook] {} }
            #[cfg_attr(unix, inline)] const B: u8 = 1;
            #[cfg_attr(unix, inline)] #[hooked] fn c() {}
            #[rmcp::tool] #[cfg_attr(unix, tool)] fn d() {}
        };
        assert_eq!(strip(body).to_string(), kept.to_string());
    }
}
