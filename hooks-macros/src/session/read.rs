//! From the author's enum to its states: what can be wrong with it before anything is known of its graph.

use proc_macro2::{Group, Ident};
use quote::ToTokens;
use syn::{Data, DataEnum, DeriveInput, Fields, LitStr, Variant};

use super::{
    Session, State, Tool, Words,
    keys::{SESSION, STAGE, Table},
    list,
};
use crate::{
    args::{Arg, Value},
    path::Root,
    report::Errors,
    value::{Kind, Setting},
};

impl Session {
    /// The session, or the errors that say why there is none.
    pub(super) fn read(input: &DeriveInput, errors: &mut Errors) -> Option<Session> {
        let data = enumeration(input, errors)?;
        let (mut root, mut refusal) = (None, None);
        let (mut reset, mut destructive) = (Vec::new(), Vec::new());
        for Arg { key, value } in SESSION.read(&input.attrs, errors) {
            if key == "crate" {
                if let Some(Setting::Path(path)) = Kind::Path.read(&key, value, errors) {
                    root = Some(path);
                }
            } else if key == "refusal" {
                refusal = sentence(&key, value, errors);
            } else if let Some(list) = listed(&SESSION, &key, value, errors) {
                let tools = named(&key, list::tools(&key, &list, errors), errors);
                if key == "reset" {
                    reset = tools;
                } else {
                    destructive = tools;
                }
            }
        }
        let states = data.variants.iter();
        let states = states.map(|variant| State::read(variant, errors)).collect();
        Some(Session {
            root: Root::new(root),
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
        let mut state = State {
            name: name.clone(),
            start: None,
            text: None,
            refusal: None,
            allow: Vec::new(),
            allow_any: None,
            denies: None,
            deny: Vec::new(),
            next: Vec::new(),
        };
        let mut documented = true;
        for Arg { key, value } in STAGE.read(&variant.attrs, errors) {
            if key == "start" {
                match value {
                    Value::Nothing => state.start = Some(key),
                    Value::Is(_) | Value::List(_) => {
                        errors.push(&key, "`start` takes no value", "write `start`");
                    }
                }
            } else if key == "text_file" {
                documented = false;
                if let Some(Setting::Text(path)) = Kind::Text.read(&key, value, errors) {
                    state.text = Words::file(&path, errors);
                }
            } else if key == "refusal" {
                state.refusal = sentence(&key, value, errors);
            } else if let Some(list) = listed(&STAGE, &key, value, errors) {
                state.take(key, &list, errors);
            }
        }
        if documented {
            state.text = Words::doc(&variant.attrs, name);
        }
        state
    }

    fn take(&mut self, key: Ident, list: &Group, errors: &mut Errors) {
        if key == "next" {
            self.next = list::edges(&key, list, errors);
            return;
        }
        let tools = list::tools(&key, list, errors);
        if key == "deny" {
            self.deny = named(&key, tools, errors);
            self.denies = Some(key);
            return;
        }
        for tool in tools {
            match tool {
                Tool::Any(any) => self.allow_any = Some(any),
                Tool::Named(tool) => self.allow.push(tool),
            }
        }
    }
}

/// The author's own sentence for refusals.
fn sentence(key: &Ident, value: Value, errors: &mut Errors) -> Option<LitStr> {
    let Some(Setting::Text(sentence)) = Kind::Text.read(key, value, errors) else {
        return None;
    };
    if sentence.value().trim().is_empty() {
        let help = "write what the agent is told when a tool is refused, or remove `refusal`";
        errors.push(&sentence, "the sentence is empty", help);
        return None;
    }
    Some(sentence)
}

/// The list behind a key that needs one.
fn listed(table: &Table, key: &Ident, value: Value, errors: &mut Errors) -> Option<Group> {
    let shape = table.shape(&key.to_string()).unwrap_or_default();
    let help = format_args!("write `{shape}`");
    match value {
        Value::List(list) => return Some(list),
        Value::Is(tokens) if !tokens.is_empty() => {
            errors.push(tokens, format_args!("not a value of `{key}`"), help);
        }
        Value::Nothing | Value::Is(_) => {
            errors.push(key, format_args!("`{key}` has no value"), help);
        }
    }
    None
}

/// The tools of a list in which `any` says nothing.
fn named(key: &Ident, tools: Vec<Tool>, errors: &mut Errors) -> Vec<LitStr> {
    let each = |tool| match tool {
        Tool::Named(name) => Some(name),
        Tool::Any(any) => {
            let wrong = format_args!("`{key}` cannot take `any`");
            errors.push(any, wrong, "name the tools");
            None
        }
    };
    tools.into_iter().filter_map(each).collect()
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
