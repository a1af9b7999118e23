//! An attribute's arguments as written: leading words or a leading text, then keys with values.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::LitStr;

use crate::report::Errors;

/// `word, word, key = value, key(list), …`, or `"text", key = value, flag, …`
#[derive(Default)]
pub(crate) struct Args {
    /// All tokens, to point at when something is missing.
    pub(crate) whole: TokenStream,
    /// The leading bare words.
    pub(crate) words: Vec<Ident>,
    /// The leading text.
    pub(crate) text: Option<LitStr>,
    /// How many leading arguments there are, readable or not.
    pub(crate) given: usize,
    pub(crate) list: Vec<Arg>,
}

/// The kind of leading arguments.
#[derive(Clone, Copy)]
pub(crate) enum First {
    /// At most this many bare words.
    Words(usize),
    /// One text.
    Text,
}

/// One key with its value.
pub(crate) struct Arg {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// A key's value, not parsed yet.
pub(crate) enum Value {
    /// Nothing.
    Nothing,
    /// `= tokens`
    Is(TokenStream),
    /// `(tokens)`
    List(Group),
}

impl Args {
    /// Reads the arguments. Each argument that cannot be read is one error and hides no other.
    pub(crate) fn read(tokens: TokenStream, first: First, errors: &mut Errors) -> Args {
        let mut args = Args {
            whole: tokens.clone(),
            ..Args::default()
        };
        let words = match first {
            First::Words(words) => words,
            First::Text => 0,
        };
        for (at, part) in split(tokens).into_iter().enumerate() {
            if matches!(first, First::Text) && args.take_text(at, &part, errors) {
                continue;
            }
            let Some(arg) = Arg::read(part, errors) else {
                continue;
            };
            let leads = at < words && at == args.words.len();
            if leads && matches!(arg.value, Value::Nothing) {
                args.words.push(arg.key);
            } else {
                args.list.push(arg);
            }
        }
        args.given = args.given.max(args.words.len());
        args
    }

    /// Takes the argument if the author meant it as the leading text, even in another place.
    fn take_text(&mut self, at: usize, part: &[TokenTree], errors: &mut Errors) -> bool {
        let whole: TokenStream = part.iter().cloned().collect();
        match syn::parse2(whole.clone()) {
            Ok(text) if at == 0 => self.text = Some(text),
            // The missing first text is already an error.
            Ok(_) => return self.text.is_none(),
            Err(_) if at == 0 && !Arg::is_like(part) => {
                let written = whole.to_string().replace(' ', "");
                let help = format_args!("write `\"{written}\"`");
                errors.push(&whole, format_args!("`{written}` is not a text"), help);
            }
            Err(_) => return false,
        }
        self.given = 1;
        true
    }
}

impl Arg {
    /// Whether this begins like `key`, `key = …` or `key(…)`.
    fn is_like(part: &[TokenTree]) -> bool {
        match part {
            [TokenTree::Ident(_)] => true,
            [TokenTree::Ident(_), TokenTree::Punct(equals), ..] => equals.as_char() == '=',
            [TokenTree::Ident(_), TokenTree::Group(_)] => true,
            _ => false,
        }
    }

    pub(crate) fn read(part: Vec<TokenTree>, errors: &mut Errors) -> Option<Arg> {
        let whole: TokenStream = part.iter().cloned().collect();
        let mut part = part.into_iter();
        let Some(TokenTree::Ident(key)) = part.next() else {
            errors.push(
                &whole,
                format_args!("`{whole}` is not a key"),
                "write `key = value`",
            );
            return None;
        };
        let value = match part.next() {
            None => Value::Nothing,
            Some(TokenTree::Punct(equals)) if equals.as_char() == '=' => Value::Is(part.collect()),
            Some(TokenTree::Group(list))
                if list.delimiter() == Delimiter::Parenthesis && part.next().is_none() =>
            {
                Value::List(list)
            }
            Some(_) => {
                let wrong = format_args!("`{key}` is followed by something other than its value");
                errors.push(&whole, wrong, format_args!("write `{key} = value`"));
                return None;
            }
        };
        Some(Arg { key, value })
    }
}

/// Splits at the commas outside brackets; the angle brackets of generic arguments count.
pub(crate) fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    let mut open_angles = 0_usize;
    let mut arrow = false;
    for token in tokens {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                ',' if open_angles == 0 => {
                    parts.push(Vec::new());
                    continue;
                }
                '<' => open_angles += 1,
                '>' if !arrow => open_angles = open_angles.saturating_sub(1),
                _ => {}
            }
            arrow = matches!(punct.as_char(), '-' | '=');
        } else {
            arrow = false;
        }
        parts.last_mut().expect("never empty").push(token);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn read(tokens: TokenStream) -> (Args, Vec<String>) {
        let mut errors = Errors::default();
        let args = Args::read(tokens, First::Words(1), &mut errors);
        (args, errors.messages())
    }

    #[test]
    fn a_point_and_keys() {
        let (args, errors) = read(quote!(start, a = 1, b(x = "y"), type = Map<u8, u8>, c,));
        assert_eq!(args.words, ["start"]);
        let keys: Vec<String> = args.list.iter().map(|arg| arg.key.to_string()).collect();
        assert_eq!(keys, ["a", "b", "type", "c"]);
        let Value::Is(ty) = &args.list[2].value else {
            panic!()
        };
        assert_eq!(ty.to_string(), quote!(Map<u8, u8>).to_string());
        assert!(errors.is_empty(), "{errors:?}");
    }

    #[test]
    fn the_point_is_only_the_first_word() {
        let (args, _) = read(quote!(a = 1, start));
        assert!(args.words.is_empty());
        assert!(matches!(args.list[1].value, Value::Nothing));
    }

    #[test]
    fn as_many_words_lead_as_the_attribute_has() {
        for (tokens, words, keys) in [
            (quote!(session, start, a = 1), 2, 1),
            (quote!(session, start, end), 2, 1),
            (quote!(session, a = 1, start), 1, 2),
            (quote!(a = 1, session), 0, 2),
        ] {
            let args = Args::read(tokens, First::Words(2), &mut Errors::default());
            assert_eq!((args.words.len(), args.list.len()), (words, keys));
        }
    }

    #[test]
    fn a_text_leads_where_the_attribute_has_one() {
        for (tokens, text, keys, broken) in [
            (quote!("a.b", scoped, c = 1), true, 2, 0),
            (quote!(scoped, "a.b"), false, 1, 0),
            (quote!("a.b", "c"), true, 0, 1),
            (quote!(a.b, c), false, 1, 1),
            (quote!(7), false, 0, 1),
        ] {
            let mut errors = Errors::default();
            let args = Args::read(tokens, First::Text, &mut errors);
            let read = (args.text.is_some(), args.list.len());
            assert_eq!((read, errors.messages().len()), ((text, keys), broken));
        }
    }

    #[test]
    fn one_broken_argument_does_not_hide_the_others() {
        let (args, errors) = read(quote!(start, "x", a + 1, b = 2));
        assert_eq!(args.list.len(), 1);
        assert_eq!(errors.len(), 2, "{errors:?}");
    }

    #[test]
    fn an_arrow_closes_no_angle() {
        assert_eq!(split(quote!(a = Fn<fn() -> u8, u8>, b)).len(), 2);
    }
}
