//! The grammar table of an attribute, and the one check that reads every table.

use hooks_text::nearest;
use proc_macro2::Ident;

use crate::{
    args::{Args, Value},
    report::Errors,
    value::{Kind, Settings},
};

/// What an attribute accepts.
pub(crate) struct Grammar {
    /// The attribute as authors write it.
    pub(crate) attribute: &'static str,
    /// The bare words that come first.
    pub(crate) words: &'static [Word],
    /// The key that names the hook, which otherwise has its item's name in this case.
    pub(crate) name: &'static str,
    pub(crate) case: fn(&Ident) -> String,
    /// What a function takes beside the server, with its article, for messages.
    pub(crate) input: &'static str,
    /// The types that stand behind the server and are none.
    pub(crate) never_a_server: &'static [&'static str],
    /// Whether a method that is also a `#[tool]` can be such a hook.
    pub(crate) tools: bool,
    pub(crate) texts: Texts,
    /// What adds such a hook without the attribute, for messages.
    pub(crate) by_hand: &'static str,
    pub(crate) keys: &'static [Key],
}

/// A bare word that comes before the keys.
pub(crate) struct Word {
    /// What it names.
    pub(crate) what: &'static str,
    pub(crate) example: &'static str,
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
}

impl Grammar {
    /// Reads the values of all keys, and holds them against the table.
    pub(crate) fn check(&self, args: Args, target: Target, errors: &mut Errors) -> Settings {
        let mut settings = Settings::default();
        self.leading(&args, errors);
        let mut meant = Vec::new();
        for arg in args.list {
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

    fn leading(&self, args: &Args, errors: &mut Errors) {
        let missing: Vec<&str> = self.words[args.words.len()..]
            .iter()
            .map(|word| word.what)
            .collect();
        let place = match (missing.len(), args.words.len()) {
            (0, _) => return,
            (1, 0) => "it first",
            (1, _) => "it second",
            (_, _) => "both first",
        };
        let examples: Vec<&str> = self.words.iter().map(|word| word.example).collect();
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
        let near = nearest(&key.to_string(), names());
        let help = if let Some(near) = near {
            format!("write `{near}`")
        } else if matches!(value, Value::Nothing) {
            let words: Vec<&str> = self.words.iter().map(|word| word.what).collect();
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
