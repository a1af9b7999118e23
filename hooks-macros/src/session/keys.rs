//! The keys of `#[session(…)]` and `#[stage(…)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Meta};

use crate::{
    grammar::{Elsewhere, Leading, Table},
    key::{CRATE, Key, Target},
    report::Errors,
    settings::Settings,
    value::Kind,
};

/// A helper attribute of the derive, and the item it belongs on.
pub(super) struct Helper {
    table: Table,
    on: &'static str,
}

const TOOLS: Kind = Kind::List("tool, …");

pub(super) const SESSION: Helper = Helper {
    table: Table {
        elsewhere: Elsewhere {
            within: " in `#[session]`",
            help: |key| STAGE.propose(key),
        },
        ..Table::new(
            "session",
            Leading::Nothing,
            &[
                Key::new("reset", TOOLS),
                Key::new("destructive", TOOLS),
                Key::new("refusal", Kind::Text),
                CRATE,
            ],
        )
    },
    on: "the enum",
};

pub(super) const STAGE: Helper = Helper {
    table: Table {
        renamed: &[("text", "text_file")],
        elsewhere: Elsewhere {
            within: " in `#[stage]`",
            help: |key| SESSION.propose(key),
        },
        ..Table::new(
            "stage",
            Leading::Nothing,
            &[
                Key::new("start", Kind::Switch),
                Key::new("allow", TOOLS),
                Key::new("deny", TOOLS),
                Key::new("next", Kind::List("tool => State")),
                Key::new("text_file", Kind::Text),
                Key::new("refusal", Kind::Text),
            ],
        )
    },
    on: "a variant",
};

impl Helper {
    /// Reads the keys of all of `attrs`, each at most once.
    pub(super) fn read(&self, attrs: &[Attribute], errors: &mut Errors) -> Settings {
        let given: TokenStream = attrs
            .iter()
            .filter_map(|attr| self.arguments(attr, errors))
            .map(|arguments| quote!(#arguments,))
            .collect();
        let (_, settings) = self.table.read(given, Target::UnitStruct, errors);
        settings
    }

    /// Returns the edit that writes the key here, if it is a key of this attribute.
    fn propose(&self, key: &str) -> Option<String> {
        let row = self.table.keys.iter().find(|row| row.name == key)?;
        let shape = row.kind.shape(key);
        Some(format!(
            "write `#[{}({shape})]` on {}",
            self.table.attribute, self.on
        ))
    }

    /// Returns the arguments of `attr`, if it is this attribute.
    fn arguments(&self, attr: &Attribute, errors: &mut Errors) -> Option<TokenStream> {
        let own = self.table.attribute;
        for other in [&SESSION, &STAGE] {
            let attribute = other.table.attribute;
            if attribute != own && attr.path().is_ident(attribute) {
                let wrong = format_args!("`#[{attribute}]` on {}", self.on);
                errors.push(attr.path(), wrong, format_args!("put it on {}", other.on));
            }
        }
        if !attr.path().is_ident(own) {
            return None;
        }
        match &attr.meta {
            Meta::Path(_) => None,
            Meta::List(list) => Some(list.tokens.clone()),
            Meta::NameValue(_) => {
                let first = &self.table.keys[0];
                let wrong = format_args!("`{own}` takes no value");
                let help = format_args!("write `#[{own}({})]`", first.kind.shape(first.name));
                errors.push(attr.meta.to_token_stream(), wrong, help);
                None
            }
        }
    }
}

#[cfg(test)]
#[test]
fn the_documentation_has_every_key() {
    for attribute in [&SESSION, &STAGE] {
        crate::protocols::check_tables("session.rs", &[&attribute.table]);
    }
}
