//! The lists in the values of keys: tools and edges.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{LitStr, ext::IdentExt};

use super::{Edge, ToolName};
use crate::{args::split, report::Errors, strip::ungroup};

/// `tool, "tool", any`
pub(super) fn tools(key: &Ident, list: &Group, errors: &mut Errors) -> Vec<ToolName> {
    let parts = parts(key, list, errors);
    let mut tools: Vec<ToolName> = Vec::new();
    for part in parts {
        let Some(tool) = ToolName::read(part, errors) else {
            continue;
        };
        if tools.iter().any(|other| other.is(&tool)) {
            let wrong = format_args!("{} is given twice in `{key}`", tool.quoted());
            errors.push(tool, wrong, "remove one of them");
        } else {
            tools.push(tool);
        }
    }
    tools
}

/// `tool => State, any => State`
pub(super) fn edges(key: &Ident, list: &Group, errors: &mut Errors) -> Vec<Edge> {
    let parts = parts(key, list, errors);
    parts
        .into_iter()
        .filter_map(|part| Edge::read(part, errors))
        .collect()
}

fn parts(key: &Ident, list: &Group, errors: &mut Errors) -> Vec<TokenStream> {
    let parts = split(list.stream());
    if parts.is_empty() {
        let help = format_args!("name one, or remove `{key}`");
        errors.push(key, format_args!("`{key}` names no tool"), help);
    }
    parts.into_iter().map(TokenStream::from_iter).collect()
}

impl ToolName {
    fn read(tokens: TokenStream, errors: &mut Errors) -> Option<ToolName> {
        let tokens = ungroup(tokens);
        let name = match syn::parse2::<Ident>(tokens.clone()) {
            Ok(any) if any == "any" => return Some(ToolName::Any(any)),
            _ => word(&tokens).or_else(|| syn::parse2::<LitStr>(tokens.clone()).ok()),
        };
        match name {
            Some(name) if name.value().is_empty() => {
                errors.push(name, "a tool without a name", "name the tool");
                None
            }
            Some(name) => Some(ToolName::Named(name)),
            None => {
                not_a_tool(&tokens, errors);
                None
            }
        }
    }

    /// Returns the word, if this is `any`.
    pub(super) fn any(&self) -> Option<&Ident> {
        match self {
            ToolName::Any(any) => Some(any),
            ToolName::Named(_) => None,
        }
    }

    /// Returns the name, unless this is `any`.
    pub(super) fn named(self) -> Option<LitStr> {
        match self {
            ToolName::Any(_) => None,
            ToolName::Named(name) => Some(name),
        }
    }

    fn is(&self, other: &ToolName) -> bool {
        match (self, other) {
            (ToolName::Any(_), ToolName::Any(_)) => true,
            (ToolName::Named(one), ToolName::Named(other)) => one.value() == other.value(),
            _ => false,
        }
    }

    /// Returns the name in backticks, for messages.
    fn quoted(&self) -> String {
        match self {
            ToolName::Any(_) => "`any`".to_owned(),
            ToolName::Named(name) => format!("`{}`", name.value()),
        }
    }
}

impl ToTokens for ToolName {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            ToolName::Any(any) => any.to_tokens(tokens),
            ToolName::Named(name) => name.to_tokens(tokens),
        }
    }
}

impl Edge {
    fn read(tokens: TokenStream, errors: &mut Errors) -> Option<Edge> {
        let part: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let is = |at: usize, mark: char| matches!(part.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
        let arrow = (0..part.len()).find(|&at| is(at, '=') && is(at + 1, '>'));
        let (tool, to) = match arrow {
            Some(at) if at > 0 && at + 2 < part.len() => (&part[..at], &part[at + 2..]),
            _ => {
                // The author probably wrote another arrow, or half of one.
                let tool = part.first().map_or_else(String::new, ToString::to_string);
                let tool = if matches!(part.first(), Some(TokenTree::Punct(_))) {
                    "a_tool".to_owned()
                } else {
                    tool
                };
                let help = format_args!("write `{tool} => State`");
                errors.push(&tokens, "not a tool with the state it leads to", help);
                return None;
            }
        };
        let tool = ToolName::read(tool.iter().cloned().collect(), errors);
        let to = ungroup(to.iter().cloned().collect());
        match syn::parse2::<Ident>(to.clone()) {
            Ok(to) => Some(Edge { tool: tool?, to }),
            Err(_) => {
                let last = to.clone().into_iter().last();
                let variant = match last {
                    Some(TokenTree::Ident(variant)) => variant.to_string(),
                    _ => "State".to_owned(),
                };
                let help = format_args!("write the variant's name alone: `{variant}`");
                errors.push(to, "not the name of a state", help);
                None
            }
        }
    }
}

/// Reads a single word as a tool's name; Rust's keywords, such as `move`, are allowed.
fn word(tokens: &TokenStream) -> Option<LitStr> {
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(word)), None) => {
            Some(LitStr::new(&word.unraw().to_string(), word.span()))
        }
        _ => None,
    }
}

fn not_a_tool(tokens: &TokenStream, errors: &mut Errors) {
    let mut name = String::new();
    let mut joined = true;
    for (at, token) in tokens.clone().into_iter().enumerate() {
        joined &= match &token {
            TokenTree::Punct(mark) => at % 2 == 1 && matches!(mark.as_char(), '-' | '.' | '/'),
            TokenTree::Ident(_) => at % 2 == 0,
            _ => false,
        };
        name.push_str(&token.to_string());
    }
    let help = if joined {
        format!("write it as a string: `\"{name}\"`")
    } else {
        "write a word or a string for each tool, with commas between them".to_owned()
    };
    errors.push(tokens, "not the name of a tool", help);
}

#[cfg(test)]
mod tests {
    use quote::{format_ident, quote};

    use super::*;

    fn read(tokens: TokenStream) -> (Vec<String>, Vec<String>) {
        let mut errors = Errors::default();
        let list = Group::new(proc_macro2::Delimiter::Parenthesis, tokens);
        let tools = tools(&format_ident!("allow"), &list, &mut errors);
        (
            tools.iter().map(ToolName::quoted).collect(),
            errors.messages(),
        )
    }

    #[test]
    fn tools_are_words_or_strings() {
        let (tools, errors) = read(quote!(search, "session.init", r#type, move, any, "any",));
        assert_eq!(
            tools,
            [
                "`search`",
                "`session.init`",
                "`type`",
                "`move`",
                "`any`",
                "`any`"
            ]
        );
        assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn what_is_no_tool_is_an_error_of_its_own() {
        let (tools, errors) = read(quote!(a - b, a b, 7, "", a, "a"));
        assert_eq!(tools, ["`a`"]);
        assert_eq!(errors.len(), 5, "{errors:?}");
        assert!(errors[0].ends_with("`\"a-b\"`"), "{errors:?}");
    }
}
