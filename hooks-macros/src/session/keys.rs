//! The keys of `#[session(…)]` and `#[stage(…)]`, and the one reader of both.

use hooks_text::nearest;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Meta};

use crate::{
    args::{Arg, split},
    report::Errors,
};

/// What an attribute accepts: each key, and what it looks like with a value.
pub(super) struct Table {
    pub(super) attribute: &'static str,
    /// What it stands on.
    pub(super) on: &'static str,
    pub(super) keys: &'static [(&'static str, &'static str)],
    /// Keys that had another name: the old one and the new one.
    renamed: &'static [(&'static str, &'static str)],
}

pub(super) const SESSION: Table = Table {
    attribute: "session",
    on: "the enum",
    keys: &[
        ("reset", "reset(tool, …)"),
        ("destructive", "destructive(tool, …)"),
        ("refusal", "refusal = \"…\""),
        ("crate", "crate = path"),
    ],
    renamed: &[],
};

pub(super) const STAGE: Table = Table {
    attribute: "stage",
    on: "a variant",
    keys: &[
        ("start", "start"),
        ("allow", "allow(tool, …)"),
        ("deny", "deny(tool, …)"),
        ("next", "next(tool => State)"),
        ("text_file", "text_file = \"file.md\""),
        ("refusal", "refusal = \"…\""),
    ],
    renamed: &[("text", "text_file")],
};

impl Table {
    /// The keys that `attrs` give, each once.
    pub(super) fn read(&self, attrs: &[Attribute], errors: &mut Errors) -> Vec<Arg> {
        let mut read: Vec<Arg> = Vec::new();
        for attr in attrs {
            let given = self.arguments(attr, errors).unwrap_or_default();
            for part in split(given) {
                let Some(arg) = Arg::read(part, errors) else {
                    continue;
                };
                if self.shape(&arg.key.to_string()).is_none() {
                    self.unknown(&arg, errors);
                } else if read.iter().any(|other| other.key == arg.key) {
                    let wrong = format_args!("`{}` is given twice", arg.key);
                    errors.push(&arg.key, wrong, "remove one of them");
                } else {
                    read.push(arg);
                }
            }
        }
        read
    }

    /// What a key looks like with its value.
    pub(super) fn shape(&self, key: &str) -> Option<&'static str> {
        let row = self.keys.iter().find(|(name, _)| *name == key);
        row.map(|(_, shape)| *shape)
    }

    /// What stands in the brackets of `attr`, if it is this table's.
    fn arguments(&self, attr: &Attribute, errors: &mut Errors) -> Option<TokenStream> {
        for other in [&SESSION, &STAGE] {
            if other.attribute != self.attribute && attr.path().is_ident(other.attribute) {
                let wrong = format_args!("`#[{}]` on {}", other.attribute, self.on);
                let help = format_args!("put it on {}", other.on);
                errors.push(attr.path(), wrong, help);
            }
        }
        if !attr.path().is_ident(self.attribute) {
            return None;
        }
        match &attr.meta {
            Meta::Path(_) => None,
            Meta::List(list) => Some(list.tokens.clone()),
            Meta::NameValue(_) => {
                let wrong = format_args!("`{}` takes no value", self.attribute);
                let help = format_args!("write `#[{}({})]`", self.attribute, self.keys[0].1);
                errors.push(attr.meta.to_token_stream(), wrong, help);
                None
            }
        }
    }

    fn unknown(&self, arg: &Arg, errors: &mut Errors) {
        let key = arg.key.to_string();
        if let Some((_, new)) = self.renamed.iter().find(|(old, _)| *old == key) {
            let wrong = format_args!("`{key}` is called `{new}`");
            let shape = self.shape(new).unwrap_or(new);
            errors.push(&arg.key, wrong, format_args!("write `{shape}`"));
            return;
        }
        let names = || self.keys.iter().map(|(name, _)| *name);
        let elsewhere = [&SESSION, &STAGE].into_iter().find_map(|other| {
            let shape = other.shape(&key)?;
            Some(format!(
                "write `#[{}({shape})]` on {}",
                other.attribute, other.on
            ))
        });
        let help = if let Some(elsewhere) = elsewhere {
            elsewhere
        } else if let Some(near) = nearest(&key, names()) {
            format!("write `{near}`")
        } else {
            let names: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            format!("use one of {}", names.join(", "))
        };
        let wrong = format_args!("unknown key `{key}` in `#[{}]`", self.attribute);
        errors.push(&arg.key, wrong, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_key() {
        let page = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../hooks-sdk/src/session/mod.rs"
        );
        // A published package stands alone.
        let Ok(page) = std::fs::read_to_string(page) else {
            return;
        };
        for (key, _) in SESSION.keys.iter().chain(STAGE.keys) {
            let row = ["(", " =", "`"]
                .iter()
                .any(|next| page.contains(&format!("/// | `{key}{next}")));
            assert!(row, "`{key}` is not in the table of keys");
        }
    }
}
