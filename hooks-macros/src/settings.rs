//! The values of an attribute's keys after reading.

use std::slice;

use hooks_text::{Vocabulary, duration::duration};
use proc_macro2::{Group, Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{LitBool, LitInt, LitStr, Path, Type};

use crate::{condition::Condition, grammar::Table, path::Root};

/// A value of the kind in the grammar table.
pub(crate) enum Setting {
    Word(Ident),
    Text(LitStr),
    Number(LitInt),
    Flag(LitBool),
    Switch(Ident),
    Words(Vec<Ident>),
    Texts(Vec<LitStr>),
    Type(Box<Type>),
    Path(Path),
    Fields(Vec<(Ident, LitStr)>),
    Json(Vec<(LitStr, TokenStream)>),
    List(Group),
    Condition(Condition),
}

impl Setting {
    /// Returns each text of the value, for the rule of its key.
    pub(crate) fn written(&self) -> &[LitStr] {
        match self {
            Setting::Text(text) => slice::from_ref(text),
            Setting::Texts(texts) => texts,
            _ => &[],
        }
    }

    /// Generates the call of the builder's method that takes this value.
    fn call(
        &self,
        method: &Ident,
        table: &Table,
        vocabulary: Option<&Vocabulary>,
        root: &Root,
    ) -> TokenStream {
        let (private, protocol) = (root.private(), table.protocol());
        let constant = |word: &Ident| match vocabulary {
            Some(vocabulary) if !vocabulary.module.is_empty() => {
                let module = format_ident!("{}", vocabulary.module);
                quote!(#root::#protocol::#module::#word)
            }
            _ => {
                let word = LitStr::new(&word.to_string(), word.span());
                quote!(#word)
            }
        };
        let borrow = (!table.owned).then(|| quote!(&));
        let argument = match self {
            Setting::Word(word) => constant(word),
            Setting::Text(text) if method == "deadline" => {
                let time = duration(&text.value()).unwrap_or_default();
                let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                quote!(::core::time::Duration::from_millis(#millis))
            }
            Setting::Text(text) => quote!(#text),
            Setting::Number(number) => quote!(#number),
            Setting::Flag(flag) => quote!(#flag),
            Setting::Words(words) => {
                let words = words.iter().map(constant);
                quote!(#borrow [#(#words),*])
            }
            Setting::Texts(texts) => quote!(#borrow [#(#texts),*]),
            Setting::Type(ty) => return quote!(.#method::<#ty>()),
            Setting::Fields(fields) => {
                let fields = fields.iter().map(|(field, text)| quote!(.#field(#text)));
                quote!(#private::#protocol::Matcher::new() #(#fields)*)
            }
            Setting::Json(members) => {
                let members = members.iter().map(|(name, value)| {
                    quote!((::std::string::String::from(#name), #private::serde_json::json!(#value)))
                });
                quote!(::core::iter::FromIterator::from_iter([#(#members),*]))
            }
            Setting::Condition(condition) => {
                let text = &condition.text;
                quote!(#private::Condition::written(#text))
            }
            Setting::Switch(_) | Setting::Path(_) | Setting::List(_) => TokenStream::new(),
        };
        quote!(.#method(#argument))
    }
}

/// The values of the keys that the author gave.
#[derive(Default)]
pub(crate) struct Settings(Vec<(Ident, Option<Setting>)>);

macro_rules! settings {
    ($($name:ident: $kind:ident => $value:ty,)+) => {$(
        pub(crate) fn $name(&self, key: &str) -> Option<&$value> {
            match self.get(key) {
                Some(Setting::$kind(value)) => Some(value),
                _ => None,
            }
        }
    )+};
}

impl Settings {
    /// Stores the value of `key`; `None` stands for a value that could not be read.
    pub(crate) fn insert(&mut self, key: Ident, value: Option<Setting>) {
        self.0.push((key, value));
    }

    /// Returns the key as the author wrote it.
    pub(crate) fn key(&self, key: &str) -> Option<&Ident> {
        self.0
            .iter()
            .map(|(written, _)| written)
            .find(|written| *written == key)
    }

    fn get(&self, key: &str) -> Option<&Setting> {
        self.0
            .iter()
            .find(|(written, _)| written == key)?
            .1
            .as_ref()
    }

    /// Generates the calls of a builder for the keys that have one and that are `wanted`.
    pub(crate) fn calls(
        &self,
        table: &Table,
        root: &Root,
        wanted: impl Fn(&str) -> bool,
    ) -> TokenStream {
        let keys = table.keys.iter().filter(|key| wanted(key.name));
        let calls = keys.filter_map(|key| {
            let method = format_ident!("{}", key.call?);
            let value = self.get(key.name)?;
            Some(value.call(&method, table, key.kind.vocabulary(), root))
        });
        calls.collect()
    }

    settings! {
        word: Word => Ident,
        text: Text => LitStr,
        flag: Flag => LitBool,
        switch: Switch => Ident,
        words: Words => [Ident],
        ty: Type => Type,
        path: Path => Path,
        fields: Fields => [(Ident, LitStr)],
        json: Json => [(LitStr, TokenStream)],
        list: List => Group,
        condition: Condition => Condition,
    }
}
