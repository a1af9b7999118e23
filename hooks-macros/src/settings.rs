//! The values of an attribute's keys after reading.

use proc_macro2::{Group, Ident, TokenStream};
use syn::{LitBool, LitInt, LitStr, Path, Type};

use crate::condition::Condition;

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

    settings! {
        word: Word => Ident,
        text: Text => LitStr,
        number: Number => LitInt,
        flag: Flag => LitBool,
        switch: Switch => Ident,
        words: Words => [Ident],
        texts: Texts => [LitStr],
        ty: Type => Type,
        path: Path => Path,
        fields: Fields => [(Ident, LitStr)],
        json: Json => [(LitStr, TokenStream)],
        list: List => Group,
        condition: Condition => Condition,
    }
}
