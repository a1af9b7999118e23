//! The grammar tables of the attributes, and the one check that reads every table.

use hooks_text::{Vocabulary, nearest, problem::Problem};
use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::ext::IdentExt;

use crate::{
    args::{Args, First, Value},
    key::{Key, Target},
    model::Model,
    relations::misplaced,
    report::Errors,
    settings::Settings,
    value::Kind,
};

/// The arguments that an attribute accepts.
pub(crate) struct Table {
    /// The attribute as authors write it.
    pub(crate) attribute: &'static str,
    pub(crate) leading: Leading,
    pub(crate) keys: &'static [Key],
    /// Keys that had another name: the old one and the new one.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
    pub(crate) elsewhere: Elsewhere,
    /// Whether builders take lists by value, and not as slices.
    pub(crate) owned: bool,
}

/// The message about a key that the table does not have.
#[derive(Clone, Copy)]
pub(crate) struct Elsewhere {
    /// Added to the message where several attributes belong together: in which of them the key is unknown.
    pub(crate) within: &'static str,
    /// Returns the edit that mends it, if there is a better one than another key of the table.
    pub(crate) help: fn(&str) -> Option<String>,
}

/// The arguments before the keys.
#[derive(Clone, Copy)]
pub(crate) enum Leading {
    Nothing,
    /// One word of each vocabulary.
    Words(&'static [&'static Vocabulary]),
    /// A text: what it names, and an example of it.
    Text(&'static str, &'static str),
}

/// The arguments and the items that a hook attribute accepts.
pub(crate) struct Grammar {
    pub(crate) table: Table,
    /// The key with the hook's id. Without it the id is the item's name in `case`.
    pub(crate) name: &'static str,
    pub(crate) case: fn(&Ident) -> String,
    /// The rule about the id.
    pub(crate) id: fn(&str) -> Option<Problem>,
    /// Reports the values that break a rule about the point, or a rule about several keys.
    pub(crate) check: fn(&Model, &mut Errors),
    pub(crate) expand: fn(&Model) -> TokenStream,
    /// The argument in front, and an example of it, for messages.
    pub(crate) owner: (&'static str, &'static str),
    /// The argument behind the owner, with its article, for messages.
    pub(crate) input: &'static str,
    /// The argument behind the input; `None` if there is none.
    pub(crate) context: Option<Context>,
    /// The type of the input by point.
    pub(crate) inputs: Names,
    /// The type with which a hook changes the input, by point.
    pub(crate) changes: Names,
    /// Whether a first argument of the input's name is the input, and there is no server. If not, the server is always first.
    pub(crate) alone: bool,
    /// Whether a method that is also a `#[tool]` can be such a hook.
    pub(crate) tools: bool,
    /// The keys for the text of a unit struct; `None` if only functions can be hooks.
    pub(crate) texts: Option<Texts>,
    /// The constructor of such a hook by hand, for messages.
    pub(crate) by_hand: &'static str,
}

/// The name of a type for each point.
pub(crate) type Names = &'static [(&'static str, &'static str)];

/// Returns the name of a point's type.
pub(crate) fn name_at(names: Names, point: &Ident) -> Option<&'static str> {
    let own = names.iter().find(|(word, _)| point == word);
    own.map(|(_, name)| *name)
}

/// The argument behind the input.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// What it is, with its article, for messages.
    pub(crate) noun: &'static str,
    /// Whether it is a `&mut` reference, by which it is known wherever it stands.
    pub(crate) mutable: bool,
    /// The name of its type, by which it is known wherever it stands; `None` if its place tells.
    pub(crate) name: Option<&'static str>,
}

/// The keys for the text of a unit struct.
pub(crate) struct Texts {
    /// What the struct is, with its article, for messages.
    pub(crate) noun: &'static str,
    /// The key for an inline text.
    pub(crate) inline: &'static str,
    /// The file with the text, if it may be in one.
    pub(crate) file: Option<TextFile>,
    /// The keys of hooks without a text.
    pub(crate) other: &'static [&'static str],
}

/// A text in a file.
#[derive(Clone, Copy)]
pub(crate) struct TextFile {
    /// The key that names the file.
    pub(crate) key: &'static str,
    /// Returns the name of the file beside the source, from the item's name and the hook's id.
    pub(crate) beside: fn(&Ident, &str) -> String,
}

impl Leading {
    /// Returns the kind of leading arguments.
    fn first(self) -> First {
        match self {
            Leading::Nothing => First::Words(0),
            Leading::Words(words) => First::Words(words.len()),
            Leading::Text(..) => First::Text,
        }
    }

    /// Returns what each leading argument names, with an example.
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

/// Reports a word that is not in its vocabulary.
pub(crate) fn known(word: &Ident, vocabulary: &Vocabulary, errors: &mut Errors) {
    if let Some((wrong, help)) = vocabulary.complaint(&word.unraw().to_string()) {
        errors.push(word, wrong, help);
    }
}

impl Table {
    /// A table whose keys have never had other names.
    pub(crate) const fn new(
        attribute: &'static str,
        leading: Leading,
        keys: &'static [Key],
    ) -> Table {
        Table {
            attribute,
            leading,
            keys,
            renamed: &[],
            elsewhere: Elsewhere {
                within: "",
                help: |_| None,
            },
            owned: false,
        }
    }

    /// Returns the module of the protocol, which the attribute's path begins with.
    pub(crate) fn protocol(&self) -> Ident {
        let module = self.attribute.split("::").next();
        format_ident!("{}", module.unwrap_or_default())
    }

    /// Reads the arguments and checks them against the table.
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

    /// Reads the values of all keys and checks them against the table.
    fn check(&self, args: &mut Args, target: Target, errors: &mut Errors) -> Settings {
        let mut settings = Settings::default();
        self.unquoted(args, errors);
        self.leading(args, errors);
        let mut meant = Vec::new();
        for arg in std::mem::take(&mut args.list) {
            if let Some((_, new)) = self.renamed.iter().find(|(old, _)| arg.key == old) {
                self.renamed(&arg.key, new, errors);
                // As a value that could not be read, so that the new key is not missing too.
                settings.insert(Ident::new(new, arg.key.span()), None);
                continue;
            }
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
                if let (Some(rule), Some(value)) = (key.rule, &value) {
                    for text in value.written() {
                        errors.broken(text, rule(&text.value()));
                    }
                }
                settings.insert(arg.key, value);
            }
        }
        for key in self.keys {
            if let Some(help) = key.required
                && key.on.contains(&target)
                && settings.key(key.name).is_none()
                && !meant.contains(&key.name)
            {
                errors.push(&args.whole, format_args!("missing `{}`", key.name), help);
            }
        }
        self.relations(&settings, target, errors);
        settings
    }

    /// Reports a bare word in place of the leading text: its quotes are missing.
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

    /// Returns whether these are all leading words, and known ones.
    pub(crate) fn leads(&self, words: &[Ident]) -> bool {
        match self.leading {
            Leading::Words(known) => {
                let fits = |(word, known): (&Ident, &&Vocabulary)| {
                    known.words.contains(&&*word.unraw().to_string())
                };
                words.len() == known.len() && words.iter().zip(known).all(fits)
            }
            _ => true,
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
        let examples = examples.join(", ");
        let example = match self.attribute {
            call if call.ends_with('!') => format!("{call}({examples})"),
            attribute => format!("#[{attribute}({examples}, …)]"),
        };
        errors.push(
            &args.whole,
            format_args!("missing the {}", missing.join(" and the ")),
            format_args!("name {place}: `{example}`"),
        );
    }

    /// Reports a key that has another name now.
    fn renamed(&self, old: &Ident, new: &str, errors: &mut Errors) {
        let key = self.keys.iter().find(|key| key.name == new);
        let help = key.map_or_else(|| format!("write `{new}`"), |key| key.kind.help(new));
        errors.push(old, format_args!("`{old}` is called `{new}`"), help);
    }

    /// Reports an unknown key, and returns the one that was probably meant.
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
        let elsewhere = (self.elsewhere.help)(&written);
        let near = nearest(&written, names()).filter(|_| elsewhere.is_none());
        let help = if let Some(help) = elsewhere {
            help
        } else if let Some(near) = near {
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
        let wrong = format_args!("unknown key `{key}`{}", self.elsewhere.within);
        errors.push(key, wrong, help);
        near
    }
}
