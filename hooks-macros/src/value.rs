//! The shapes of a key's value, and how each is read.

use hooks_text::Vocabulary;
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    LitStr, Path,
    ext::IdentExt,
    parse::{Parse, Parser},
};

use crate::{
    args::{Arg, Value, split},
    condition::Condition,
    grammar::known,
    report::Errors,
    settings::Setting,
};

/// The shape of a key's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `= word`
    Word(&'static Vocabulary),
    /// `= "text"`
    Text,
    /// `= "500ms"`
    Time,
    /// `= -10`
    Integer,
    /// `= true`, or `= false` where the default is true.
    Flag(bool),
    /// No value.
    Switch,
    /// `(word, …)`
    Words(&'static Vocabulary),
    /// `("text", …)`
    Texts,
    /// `= "text"` or `= ["text", …]`
    Globs,
    /// `= word` or `= [word, …]`
    Choice(&'static Vocabulary),
    /// `(condition, …)`, with paths from these roots
    Condition(&'static Vocabulary),
    /// `= Type`
    Type,
    /// `= some::path`
    Path,
    /// `(word = "text", …)`
    Fields(&'static Vocabulary),
    /// `(key = any JSON, …)`
    Json,
    /// `(…)`, which the attribute parses itself; the field shows what stands between the brackets.
    List(&'static str),
}

impl Kind {
    /// Reads the value of `key`.
    pub(crate) fn read(self, key: &Ident, value: Value, errors: &mut Errors) -> Option<Setting> {
        let help = self.help(&key.to_string());
        match value {
            Value::Nothing if self == Kind::Switch => Some(Setting::Switch(key.clone())),
            _ if self == Kind::Switch => {
                errors.push(key, format_args!("`{key}` takes no value"), help);
                None
            }
            Value::Nothing => {
                errors.push(key, format_args!("`{key}` has no value"), help);
                None
            }
            Value::Is(tokens) if tokens.is_empty() => {
                errors.push(key, format_args!("`{key}` has no value"), help);
                None
            }
            Value::Is(tokens) if self == Kind::Globs => match bracketed(&tokens) {
                Some(list) => items(key, &list, &help, errors).map(Setting::Texts),
                None => {
                    let read = syn::parse2(tokens.clone());
                    if read.is_err() {
                        errors.push(tokens, format_args!("not a value of `{key}`"), help);
                    }
                    read.ok().map(|text| Setting::Texts(vec![text]))
                }
            },
            Value::Is(tokens) => {
                if let Kind::Choice(vocabulary) = self {
                    return choice(key, tokens, vocabulary, &help, errors).map(Setting::Words);
                }
                let read = self.scalar(tokens.clone());
                if let (Kind::Word(vocabulary), Some(Setting::Word(word))) = (self, &read) {
                    known(word, vocabulary, errors);
                } else if read.is_none() {
                    errors.push(tokens, format_args!("not a value of `{key}`"), help);
                }
                read
            }
            Value::List(list) => match self {
                Kind::Fields(vocabulary) => {
                    let fields = fields(key, list.stream(), errors);
                    for (field, _) in &fields {
                        known(field, vocabulary, errors);
                    }
                    Some(Setting::Fields(fields))
                }
                Kind::List(_) => Some(Setting::List(list)),
                Kind::Condition(roots) => {
                    Condition::read(key, &list, roots, errors).map(Setting::Condition)
                }
                Kind::Json => Some(Setting::Json(json(key, list.stream(), errors))),
                Kind::Words(vocabulary) => {
                    let words = items(key, &list, &help, errors)?;
                    for word in &words {
                        known(word, vocabulary, errors);
                    }
                    Some(Setting::Words(words))
                }
                Kind::Texts => items(key, &list, &help, errors).map(Setting::Texts),
                _ => {
                    errors.push(list, format_args!("not a value of `{key}`"), help);
                    None
                }
            },
        }
    }

    /// Returns the vocabulary of the value's words.
    pub(crate) fn vocabulary(self) -> Option<&'static Vocabulary> {
        match self {
            Kind::Word(words) | Kind::Words(words) | Kind::Choice(words) => Some(words),
            _ => None,
        }
    }

    /// Returns the edit that gives the key a value, for messages.
    pub(crate) fn help(self, key: &str) -> String {
        match self {
            Kind::Word(vocabulary) | Kind::Choice(vocabulary) => {
                format!("write {}", vocabulary.values(key))
            }
            Kind::Words(vocabulary) => {
                let words = vocabulary.words.join("`, `");
                format!("write `{key}(…)` with one or more of `{words}`")
            }
            Kind::Globs => format!("write `{key} = \"…\"` or `{key} = [\"…\", …]`"),
            _ => format!("write `{}`", self.shape(key)),
        }
    }

    /// Returns the key with an example of its value.
    pub(crate) fn shape(self, key: &str) -> String {
        match self {
            Kind::Word(_) | Kind::Choice(_) => format!("{key} = …"),
            Kind::Words(_) => format!("{key}(…)"),
            Kind::List(inside) => format!("{key}({inside})"),
            Kind::Text => format!("{key} = \"…\""),
            Kind::Time => format!("{key} = \"500ms\""),
            Kind::Integer => format!("{key} = 50"),
            Kind::Flag(value) => format!("{key} = {value}"),
            Kind::Switch => key.to_owned(),
            Kind::Texts => format!("{key}(\"…\", …)"),
            Kind::Globs => format!("{key} = \"…\""),
            Kind::Condition(_) => format!("{key}(args.path = \"…\")"),
            Kind::Type => format!("{key} = Type"),
            Kind::Path => format!("{key} = some::path"),
            Kind::Fields(vocabulary) => format!("{key}({} = \"…\")", vocabulary.words[0]),
            Kind::Json => format!("{key}(name = value)"),
        }
    }

    fn scalar(self, tokens: TokenStream) -> Option<Setting> {
        match self {
            Kind::Word(_) => syn::parse2(tokens).ok().map(Setting::Word),
            Kind::Text | Kind::Time => syn::parse2(tokens).ok().map(Setting::Text),
            Kind::Integer => syn::parse2(tokens).ok().map(Setting::Number),
            Kind::Flag(_) => syn::parse2(tokens).ok().map(Setting::Flag),
            Kind::Type => syn::parse2(tokens).ok().map(Setting::Type),
            Kind::Path => Path::parse_mod_style.parse2(tokens).ok().map(Setting::Path),
            Kind::Switch
            | Kind::Fields(_)
            | Kind::Json
            | Kind::List(_)
            | Kind::Words(_)
            | Kind::Globs
            | Kind::Choice(_)
            | Kind::Condition(_)
            | Kind::Texts => None,
        }
    }
}

/// Reads one word, or a list of words in square brackets.
fn choice(
    key: &Ident,
    tokens: TokenStream,
    vocabulary: &'static Vocabulary,
    help: &str,
    errors: &mut Errors,
) -> Option<Vec<Ident>> {
    let words = match (bracketed(&tokens), syn::parse2(tokens.clone())) {
        (Some(list), _) => items::<Ident>(key, &list, help, errors)?,
        (None, Ok(word)) => vec![word],
        (None, Err(_)) => {
            errors.push(tokens, format_args!("not a value of `{key}`"), help);
            return None;
        }
    };
    for word in &words {
        known(word, vocabulary, errors);
    }
    Some(words)
}

/// Returns the list in square brackets, if that is all.
fn bracketed(tokens: &TokenStream) -> Option<Group> {
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Bracket => {
            Some(group)
        }
        _ => None,
    }
}

/// Reads the items of a list. An empty list and a repeated item are errors.
fn items<T: Parse>(key: &Ident, list: &Group, help: &str, errors: &mut Errors) -> Option<Vec<T>> {
    let mut items: Vec<(String, T)> = Vec::new();
    let parts = split(list.stream());
    if parts.is_empty() {
        errors.push(
            list,
            format_args!("`{key}` is empty"),
            format_args!("{help}, or remove it"),
        );
        return None;
    }
    for part in parts {
        let whole: TokenStream = part.into_iter().collect();
        let Ok(item) = syn::parse2::<T>(whole.clone()) else {
            errors.push(whole, format_args!("not a value of `{key}`"), help);
            continue;
        };
        let written = whole.to_string();
        if items.iter().any(|(other, _)| *other == written) {
            errors.push(
                whole,
                format_args!("`{written}` is given twice"),
                "remove one of them",
            );
            continue;
        }
        items.push((written, item));
    }
    Some(items.into_iter().map(|(_, item)| item).collect())
}

fn fields(key: &Ident, list: TokenStream, errors: &mut Errors) -> Vec<(Ident, LitStr)> {
    let mut fields: Vec<(Ident, LitStr)> = Vec::new();
    for part in split(list) {
        let Some(Arg { key: name, value }) = Arg::read(part, errors) else {
            continue;
        };
        let text = match value {
            Value::Is(tokens) => syn::parse2(tokens).ok(),
            _ => None,
        };
        let Some(text) = text else {
            let wrong = format_args!("`{name}` in `{key}` has no text");
            errors.push(&name, wrong, format_args!("write `{name} = \"…\"`"));
            continue;
        };
        if fields.iter().any(|(other, _)| *other == name) {
            errors.push(
                &name,
                format_args!("`{name}` is given twice"),
                "remove one of them",
            );
            continue;
        }
        fields.push((name, text));
    }
    fields
}

fn json(key: &Ident, list: TokenStream, errors: &mut Errors) -> Vec<(LitStr, TokenStream)> {
    let mut members: Vec<(LitStr, TokenStream)> = Vec::new();
    for part in split(list) {
        let whole: TokenStream = part.iter().cloned().collect();
        let Some((name, value)) = member(part) else {
            let wrong = format_args!("`{whole}` in `{key}` is not a name with its value");
            errors.push(&whole, wrong, "write `name = value`");
            continue;
        };
        if members
            .iter()
            .any(|(other, _)| other.value() == name.value())
        {
            let given = name.value();
            let wrong = format_args!("`{given}` is given twice");
            errors.push(&name, wrong, "remove one of them");
            continue;
        }
        members.push((name, value));
    }
    members
}

fn member(part: Vec<TokenTree>) -> Option<(LitStr, TokenStream)> {
    let mut part = part.into_iter();
    let name = match part.next()? {
        TokenTree::Ident(word) => LitStr::new(&word.unraw().to_string(), word.span()),
        other => syn::parse2(other.into_token_stream()).ok()?,
    };
    let equals = matches!(part.next()?, TokenTree::Punct(punct) if punct.as_char() == '=');
    let value: TokenStream = part.collect();
    (equals && !value.is_empty()).then_some((name, value))
}

/// Returns every string of a JSON-like `value` at any depth, without keys and without the arguments of calls.
pub(crate) fn strings(value: &TokenStream) -> Vec<LitStr> {
    let mut found = Vec::new();
    let mut tokens = value.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_key =
            matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
        match token {
            TokenTree::Literal(_) if !is_key => {
                found.extend(syn::parse2::<LitStr>(token.into_token_stream()).ok());
            }
            TokenTree::Group(group) if group.delimiter() != proc_macro2::Delimiter::Parenthesis => {
                found.extend(strings(&group.stream()));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn strings_are_values_at_any_depth() {
        let value = quote!([{ "key": "a", "other": ["b", 1, null] }, "c", format!("d")]);
        let found: Vec<String> = strings(&value).iter().map(LitStr::value).collect();
        assert_eq!(found, ["a", "b", "c"]);
    }

    #[test]
    fn lists_have_items_and_each_once() {
        let key = Ident::new("tags", proc_macro2::Span::call_site());
        let read = |list: TokenStream| {
            let list = Group::new(proc_macro2::Delimiter::Parenthesis, list);
            let mut errors = Errors::default();
            let texts = items::<LitStr>(&key, &list, "write it", &mut errors);
            (
                texts.map_or(0, |texts| texts.len()),
                errors.messages().len(),
            )
        };
        assert_eq!(read(quote!("a", "b",)), (2, 0));
        assert_eq!(read(quote!()), (0, 1));
        assert_eq!(read(quote!("a", b, "a" "b")), (1, 2));
        assert_eq!(read(quote!("a", "a")), (1, 1));
    }

    #[test]
    fn numbers_may_be_negative() {
        let key = Ident::new("priority", proc_macro2::Span::call_site());
        for (value, good) in [
            (quote!(-5), true),
            (quote!(50), true),
            (quote!("50"), false),
        ] {
            let mut errors = Errors::default();
            let read = Kind::Integer.read(&key, Value::Is(value), &mut errors);
            assert_eq!((read.is_some(), errors.is_empty()), (good, good));
        }
    }

    #[test]
    fn a_switch_stands_alone() {
        let key = Ident::new("scoped", proc_macro2::Span::call_site());
        let mut errors = Errors::default();
        assert!(
            Kind::Switch
                .read(&key, Value::Nothing, &mut errors)
                .is_some()
        );
        assert!(errors.is_empty());
        let value = Value::Is(quote!(true));
        assert!(Kind::Switch.read(&key, value, &mut errors).is_none());
        assert_eq!(
            errors.messages(),
            ["`scoped` takes no value\nhelp: write `scoped`"]
        );
    }

    #[test]
    fn json_names_are_words_or_strings() {
        let mut errors = Errors::default();
        let key = Ident::new("config", proc_macro2::Span::call_site());
        let members = json(
            &key,
            quote!(limit = 5, r#type = "x", "max-items" = [1], 7, x =),
            &mut errors,
        );
        let names: Vec<String> = members.iter().map(|(name, _)| name.value()).collect();
        assert_eq!(names, ["limit", "type", "max-items"]);
        assert_eq!(errors.messages().len(), 2, "{:?}", errors.messages());
    }
}
