//! The grammar tables of the attributes, and the one check that reads every table.

use hooks_text::{Vocabulary, nearest};
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;

use crate::{
    args::{Args, First, Value},
    report::Errors,
    value::{Kind, Settings},
};

/// What stands in the brackets of an attribute.
pub(crate) struct Table {
    /// The attribute as authors write it.
    pub(crate) attribute: &'static str,
    pub(crate) leading: Leading,
    pub(crate) keys: &'static [Key],
    /// Keys that had another name: the old one and the new one.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
}

/// What comes before the keys.
#[derive(Clone, Copy)]
pub(crate) enum Leading {
    Nothing,
    /// A word of each vocabulary.
    Words(&'static [&'static Vocabulary]),
    /// A text: what it names, and an example.
    Text(&'static str, &'static str),
}

/// What a hook attribute accepts.
pub(crate) struct Grammar {
    pub(crate) table: Table,
    /// The key that names the hook, which otherwise has its item's name in this case.
    pub(crate) name: &'static str,
    pub(crate) case: fn(&Ident) -> String,
    /// What a function takes beside the server, with its article, for messages.
    pub(crate) input: &'static str,
    /// What it takes behind that, with its article; `None` where there is nothing more to take.
    pub(crate) context: Option<&'static str>,
    /// The types of the input: one for each word that leads, or the same for all.
    pub(crate) inputs: &'static [&'static str],
    /// Whether a method that is also a `#[tool]` can be such a hook.
    pub(crate) tools: bool,
    /// Where the words of a unit struct are; `None` where only functions are hooks.
    pub(crate) texts: Option<Texts>,
    /// What adds such a hook without the attribute, for messages.
    pub(crate) by_hand: &'static str,
}

/// Where the words of a unit struct are.
pub(crate) struct Texts {
    /// The key with the words.
    pub(crate) inline: &'static str,
    /// The key that names a file with the words.
    pub(crate) file: &'static str,
    /// The keys beside which there are no words.
    pub(crate) other: &'static [&'static str],
    /// The file beside the source, by the item's and the hook's name.
    pub(crate) beside: fn(&Ident, &str) -> String,
}

/// One row of the table.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) on: &'static [Target],
    /// For a required key: what adds it.
    pub(crate) required: Option<&'static str>,
    pub(crate) excludes: &'static [&'static str],
    /// On a unit struct: the key without which this one says nothing.
    pub(crate) requires: Option<&'static str>,
    /// For a list of words: the one with which it has no word in common.
    pub(crate) apart: Option<&'static str>,
}

/// What an attribute stands on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    UnitStruct,
    Function,
    /// A method that is also a `#[tool]`.
    Tool,
}

impl Key {
    /// A key that every target accepts and none needs.
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Key {
        let on = &[Target::UnitStruct, Target::Function, Target::Tool];
        Key {
            name,
            kind,
            on,
            required: None,
            excludes: &[],
            requires: None,
            apart: None,
        }
    }

    pub(crate) const fn on(self, on: &'static [Target]) -> Key {
        Key { on, ..self }
    }

    pub(crate) const fn required(self, help: &'static str) -> Key {
        Key {
            required: Some(help),
            ..self
        }
    }

    pub(crate) const fn excludes(self, excludes: &'static [&'static str]) -> Key {
        Key { excludes, ..self }
    }

    pub(crate) const fn requires(self, key: &'static str) -> Key {
        Key {
            requires: Some(key),
            ..self
        }
    }

    pub(crate) const fn apart(self, key: &'static str) -> Key {
        Key {
            apart: Some(key),
            ..self
        }
    }
}

impl Leading {
    /// How many arguments may lead, and in which shape.
    fn first(self) -> First {
        match self {
            Leading::Nothing => First::Words(0),
            Leading::Words(words) => First::Words(words.len()),
            Leading::Text(..) => First::Text,
        }
    }

    /// What each thing that leads names, and an example of it.
    pub(crate) fn parts(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Leading::Nothing => Vec::new(),
            Leading::Words(words) => words
                .iter()
                .map(|word| (word.what, word.words[0]))
                .collect(),
            Leading::Text(what, example) => vec![(what, example)],
        }
    }
}

impl Grammar {
    /// The type of the input that a hook with these leading words takes.
    pub(crate) fn input_at(&self, words: &[Ident]) -> Option<&'static str> {
        let Leading::Words([vocabulary, ..]) = self.table.leading else {
            return None;
        };
        let word = words.first()?;
        let at = vocabulary.words.iter().position(|known| word == known)?;
        self.inputs.get(at).or(self.inputs.last()).copied()
    }
}

/// Reports a word that is none of its vocabulary.
pub(crate) fn known(word: &Ident, vocabulary: &Vocabulary, errors: &mut Errors) {
    if let Some((wrong, help)) = vocabulary.complaint(&word.unraw().to_string()) {
        errors.push(word, wrong, help);
    }
}

impl Table {
    /// Reads the arguments, and holds them against the table.
    pub(crate) fn read(
        &self,
        tokens: TokenStream,
        target: Target,
        errors: &mut Errors,
    ) -> (Args, Settings) {
        let mut args = Args::read(tokens, self.leading.first(), errors);
        let settings = self.check(&mut args, target, errors);
        (args, settings)
    }

    /// Reads the values of all keys, and holds them against the table.
    fn check(&self, args: &mut Args, target: Target, errors: &mut Errors) -> Settings {
        let mut settings = Settings::default();
        self.unquoted(args, errors);
        self.leading(args, errors);
        let mut meant = Vec::new();
        for arg in std::mem::take(&mut args.list) {
            let Some(key) = self.keys.iter().find(|key| arg.key == key.name) else {
                meant.extend(self.unknown(&arg.key, &arg.value, target, errors));
                continue;
            };
            if settings.key(key.name).is_some() {
                let wrong = format_args!("`{}` is given twice", key.name);
                errors.push(&arg.key, wrong, "remove one of them");
            } else if !key.on.contains(&target) {
                misplaced(key, &arg.key, target, errors);
            } else {
                let value = key.kind.read(&arg.key, arg.value, errors);
                settings.insert(arg.key, value);
            }
        }
        for key in self.keys {
            if let Some(help) = key.required
                && settings.key(key.name).is_none()
                && !meant.contains(&key.name)
            {
                errors.push(&args.whole, format_args!("missing `{}`", key.name), help);
            }
        }
        self.relations(&settings, target, errors);
        settings
    }

    /// A word that is no key, where a text comes first, is that text without its quotes.
    fn unquoted(&self, args: &mut Args, errors: &mut Errors) {
        let (Leading::Text(..), 0, Some(first)) = (self.leading, args.given, args.list.first())
        else {
            return;
        };
        let key = first.key.to_string();
        let near = nearest(&key, self.keys.iter().map(|key| key.name));
        if matches!(first.value, Value::Nothing) && near.is_none() {
            let wrong = format_args!("`{key}` is not a text");
            errors.push(&first.key, wrong, format_args!("write `\"{key}\"`"));
            args.list.remove(0);
            args.given = 1;
        }
    }

    fn leading(&self, args: &Args, errors: &mut Errors) {
        if let Leading::Words(vocabularies) = self.leading {
            for (word, vocabulary) in args.words.iter().zip(vocabularies) {
                known(word, vocabulary, errors);
            }
        }
        let parts = self.leading.parts();
        let given = args.given;
        let missing: Vec<&str> = parts[given..].iter().map(|(what, _)| *what).collect();
        let place = match (missing.len(), given) {
            (0, _) => return,
            (1, 0) => "it first",
            (1, _) => "it second",
            (_, _) => "both first",
        };
        let examples: Vec<&str> = parts.iter().map(|(_, example)| *example).collect();
        let example = format!("#[{}({}, …)]", self.attribute, examples.join(", "));
        errors.push(
            &args.whole,
            format_args!("missing the {}", missing.join(" and the ")),
            format_args!("name {place}: `{example}`"),
        );
    }

    /// Reports an unknown key; gives back the one that was probably meant.
    fn unknown(
        &self,
        key: &Ident,
        value: &Value,
        target: Target,
        errors: &mut Errors,
    ) -> Option<&'static str> {
        let names = || {
            self.keys
                .iter()
                .filter(|key| key.on.contains(&target))
                .map(|key| key.name)
        };
        let written = key.to_string();
        if let Some((_, new)) = self.renamed.iter().find(|(old, _)| *old == written)
            && let Some(kind) = self.keys.iter().find(|key| key.name == *new)
        {
            let wrong = format_args!("`{written}` is called `{new}`");
            errors.push(key, wrong, kind.kind.help(new));
            return Some(new);
        }
        let near = nearest(&written, names());
        let help = if let Some(near) = near {
            format!("write `{near}`")
        } else if let (Value::Nothing, Leading::Words(words)) = (value, self.leading)
            && !self.keys.iter().any(|key| key.kind == Kind::Switch)
        {
            let words: Vec<&str> = words.iter().map(|word| word.what).collect();
            let words = match words.as_slice() {
                [word] => format!("the {word}, which comes first, is a bare word"),
                words => format!(
                    "the {}, which come first, are bare words",
                    words.join(" and the ")
                ),
            };
            format!("write `key = value`; only {words}")
        } else {
            let names: Vec<String> = names().map(|name| format!("`{name}`")).collect();
            format!("use one of {}", names.join(", "))
        };
        errors.push(key, format_args!("unknown key `{key}`"), help);
        near
    }

    fn relations(&self, settings: &Settings, target: Target, errors: &mut Errors) {
        for key in self.keys {
            let Some(written) = settings.key(key.name) else {
                continue;
            };
            for other in key
                .excludes
                .iter()
                .filter(|other| settings.key(other).is_some())
            {
                let wrong = format_args!("`{}` and `{other}` exclude each other", key.name);
                errors.push(
                    written,
                    wrong,
                    format_args!("remove `{other}` or `{}`", key.name),
                );
            }
            let others = key.apart.and_then(|other| settings.words(other));
            for word in settings.words(key.name).unwrap_or_default() {
                if others.is_some_and(|others| others.contains(word)) {
                    let wrong = format_args!("`{word}` is given twice");
                    errors.push(word, wrong, "remove one of them");
                }
            }
            if let Some(needed) = key.requires
                && target == Target::UnitStruct
                && settings.key(needed).is_none()
            {
                let wrong = format_args!("`{}` without `{needed}`", key.name);
                let help = format_args!("add `{needed} = \"…\"`, or remove it");
                errors.push(written, wrong, help);
            }
        }
    }
}

fn misplaced(key: &Key, written: &Ident, target: Target, errors: &mut Errors) {
    let (here, help) = match target {
        Target::UnitStruct => (
            "a unit struct",
            "remove it, or write the hook as an `async fn`",
        ),
        Target::Function => (
            "an `async fn`",
            "remove it, or write the hook as a unit struct",
        ),
        Target::Tool => ("a method that is also a `#[tool]`", "remove it"),
    };
    errors.push(
        written,
        format_args!("`{}` does not apply to {here}", key.name),
        help,
    );
}
