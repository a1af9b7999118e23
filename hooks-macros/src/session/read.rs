//! Reads the states from the author's enum, and reports what is wrong with each for itself.

use hooks_text::MAX_TEXT;
use quote::ToTokens;
use syn::{Data, DataEnum, DeriveInput, Fields, LitStr, Variant};

use super::{
    Session, State, ToolName,
    keys::{SESSION, STAGE},
    list,
};
use crate::{
    item::doc,
    model::{Words, named_file},
    path::Root,
    report::Errors,
    settings::Settings,
};

impl Session {
    /// Reads the session. Returns `None` after reporting at least one error.
    pub(super) fn read(input: &DeriveInput, errors: &mut Errors) -> Option<Session> {
        let data = enumeration(input, errors)?;
        let settings = SESSION.read(&input.attrs, errors);
        let reset = named(&settings, "reset", errors);
        let destructive = named(&settings, "destructive", errors);
        let refusal = sentence(&settings, errors);
        let states = data.variants.iter();
        let states = states.map(|variant| State::read(variant, errors)).collect();
        Some(Session {
            root: Root::new(settings.path("crate").cloned()),
            name: input.ident.clone(),
            reset,
            destructive,
            refusal,
            states,
            whole: errors.is_empty(),
        })
    }
}

fn enumeration<'i>(input: &'i DeriveInput, errors: &mut Errors) -> Option<&'i DataEnum> {
    let name = &input.ident;
    let (what, word) = match &input.data {
        Data::Enum(_) if !input.generics.params.is_empty() => {
            let wrong = format_args!("`{name}` is generic, and a session's states are one type");
            let help = format_args!("write `enum {name}`");
            errors.push(&input.generics, wrong, help);
            return None;
        }
        Data::Enum(data) if data.variants.is_empty() => {
            let wrong = format_args!("`{name}` has no states");
            let help = "add a variant per state, and mark the first with `#[stage(start)]`";
            errors.push(name, wrong, help);
            return None;
        }
        Data::Enum(data) => return Some(data),
        Data::Struct(data) => ("a struct", data.struct_token.to_token_stream()),
        Data::Union(data) => ("a union", data.union_token.to_token_stream()),
    };
    let mut at = word;
    name.to_tokens(&mut at);
    let wrong = format_args!("`#[derive(SessionState)]` on {what}");
    errors.push(at, wrong, "put it on an enum with a variant per state");
    None
}

impl State {
    fn read(variant: &Variant, errors: &mut Errors) -> State {
        let name = &variant.ident;
        if !matches!(variant.fields, Fields::Unit) {
            let wrong = format_args!("`{name}` has fields, and a state is only a name");
            errors.push(&variant.fields, wrong, format_args!("write `{name}`"));
        }
        let settings = STAGE.read(&variant.attrs, errors);
        let allow = tools(&settings, "allow", errors);
        let allow_any = allow.iter().find_map(ToolName::any).cloned();
        let text = match settings.key("text_file") {
            None => doc(&variant.attrs).map(|text| Words::Inline(LitStr::new(&text, name.span()))),
            Some(_) => {
                let path = settings.text("text_file");
                path.and_then(|path| named_file("text_file", path, errors))
            }
        };
        if let Some((text, at)) = text.as_ref().and_then(Words::known) {
            if text.len() > MAX_TEXT {
                let wrong = format_args!("the text is longer than {MAX_TEXT} bytes");
                errors.push(at, wrong, "shorten it");
            } else if text.trim().is_empty() {
                let help = "write what the agent should know in this state";
                errors.push(at, "the text is empty", help);
            }
        }
        let next = settings.key("next").zip(settings.list("next"));
        State {
            name: name.clone(),
            start: settings.switch("start").cloned(),
            text,
            refusal: sentence(&settings, errors),
            allow: allow.into_iter().filter_map(ToolName::named).collect(),
            allow_any,
            denies: settings.list("deny").and(settings.key("deny")).cloned(),
            deny: named(&settings, "deny", errors),
            next: next.map_or_else(Vec::new, |(key, list)| list::edges(key, list, errors)),
        }
    }
}

/// Reads the author's sentence for refusals.
fn sentence(settings: &Settings, errors: &mut Errors) -> Option<LitStr> {
    let sentence = settings.text("refusal")?;
    if sentence.value().trim().is_empty() {
        let help = "write what the agent is told when a tool is refused, or remove `refusal`";
        errors.push(sentence, "the sentence is empty", help);
        return None;
    }
    Some(sentence.clone())
}

/// Reads the tools that a key lists.
fn tools(settings: &Settings, key: &str, errors: &mut Errors) -> Vec<ToolName> {
    match (settings.key(key), settings.list(key)) {
        (Some(key), Some(list)) => list::tools(key, list, errors),
        _ => Vec::new(),
    }
}

/// Reads the tools of a list that does not accept `any`.
fn named(settings: &Settings, key: &str, errors: &mut Errors) -> Vec<LitStr> {
    let mut names = Vec::new();
    for tool in tools(settings, key, errors) {
        match tool {
            ToolName::Named(name) => names.push(name),
            ToolName::Any(any) => {
                let wrong = format_args!("`{key}` cannot take `any`");
                errors.push(any, wrong, "name the tools");
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn attributes_of_one_variant_are_read_together() {
        let input = parse_quote! {
            enum Stage {
                #[stage]
                #[stage(start, next(go => A))]
                #[stage(allow(any, x))]
                A,
            }
        };
        let mut errors = Errors::default();
        let session = Session::read(&input, &mut errors).unwrap();
        let state = &session.states[0];
        assert!(errors.is_empty() && session.whole);
        assert!(state.start.is_some() && state.allow_any.is_some());
        assert_eq!((state.allow.len(), state.next.len()), (1, 1));
    }
}
