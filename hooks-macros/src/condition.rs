//! Conditions in an attribute: their tokens as text, read by the grammar that files have too.

use hooks_text::{
    Vocabulary,
    condition::{Scalar, Test, parse},
    glob,
    rule::plugin::folder,
};
use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use crate::report::Errors;

/// A condition that the grammar accepts.
pub(crate) struct Condition {
    /// The condition as a file would have it.
    pub(crate) text: String,
    /// The root of each path, at its token.
    pub(crate) roots: Vec<LitStr>,
}

impl Condition {
    /// Reads the value of `key`.
    pub(crate) fn read(
        key: &Ident,
        list: &Group,
        roots: &Vocabulary,
        errors: &mut Errors,
    ) -> Option<Condition> {
        if list.stream().is_empty() {
            let help = "write a condition between the brackets, or remove it";
            errors.push(list, format_args!("`{key}` is empty"), help);
            return None;
        }
        let mut written = Written::default();
        written.add(list.stream());
        let text = written.text.trim_end().to_owned();
        let tree = match parse(&text) {
            Ok(tree) => tree,
            Err(fault) => {
                let at = written.at(fault.at);
                errors.push(at, fault.message, fault.help);
                return None;
            }
        };
        let mut condition = Condition {
            text,
            roots: Vec::new(),
        };
        let literal = |text: &String| written.literals.iter().find(|one| one.value() == *text);
        tree.each(&mut |path, test| {
            let at = written.at(path.at);
            if let Some((wrong, help)) = roots.complaint(&path.root) {
                errors.push(&at, wrong, help);
            } else {
                let span = at.into_iter().next().map(|token| token.span());
                let span = span.unwrap_or_else(|| key.span());
                condition.roots.push(LitStr::new(&path.root, span));
            }
            let values = match test {
                Test::Is(value) => std::slice::from_ref(value),
                Test::OneOf(values) => values,
                Test::Inside(path) => {
                    errors.broken(literal(path), folder(path));
                    &[]
                }
                _ => &[],
            };
            for value in values {
                if let Scalar::Text(text) = value
                    && !glob::is_name(text)
                {
                    errors.broken(literal(text), glob::problem(text));
                }
            }
        });
        Some(condition)
    }
}

/// Tokens as text, with the place of each.
#[derive(Default)]
struct Written {
    text: String,
    tokens: Vec<(usize, TokenTree)>,
    literals: Vec<LitStr>,
    joint: bool,
}

impl Written {
    fn add(&mut self, tokens: TokenStream) {
        for token in tokens {
            let joint = std::mem::take(&mut self.joint);
            match &token {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::Brace => ("{", "}"),
                        // A `macro_rules!` fragment.
                        Delimiter::None => ("", ""),
                    };
                    self.push(&token, open);
                    self.add(group.stream());
                    let kept = self.text.trim_end().len();
                    self.text.truncate(kept);
                    self.push(&token, close);
                }
                TokenTree::Punct(punct) => {
                    self.joint = punct.spacing() == Spacing::Joint;
                    let sign = punct.as_char();
                    let sign = match sign {
                        '=' if joint => "=".to_owned(),
                        '=' if self.joint => " =".to_owned(),
                        '=' => " = ".to_owned(),
                        ',' => ", ".to_owned(),
                        other => other.to_string(),
                    };
                    self.push(&token, &sign);
                }
                TokenTree::Literal(literal) => {
                    let written = match syn::parse2::<LitStr>(literal.to_token_stream()) {
                        Ok(text) => {
                            let written = format!("{:?}", text.value());
                            self.literals.push(text);
                            written
                        }
                        Err(_) => literal.to_string(),
                    };
                    self.word(&token, &written);
                }
                TokenTree::Ident(word) => self.word(&token, &word.to_string()),
            }
        }
    }

    /// Adds a token that must not run into the one before it.
    fn word(&mut self, token: &TokenTree, written: &str) {
        let in_word =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '"' | ')' | ']');
        if self.text.ends_with(in_word) {
            self.text.push(' ');
        }
        self.push(token, written);
    }

    fn push(&mut self, token: &TokenTree, written: &str) {
        let indent = written.len() - written.trim_start().len();
        self.tokens.push((self.text.len() + indent, token.clone()));
        self.text.push_str(written);
    }

    /// Returns the token at a byte of the text.
    fn at(&self, byte: usize) -> TokenStream {
        let mut before = self.tokens.iter().rev();
        let found = before.find(|(start, _)| *start <= byte);
        found.map(|(_, token)| token.clone()).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use hooks_text::PLUGIN_ROOTS;
    use quote::{format_ident, quote};

    use super::*;

    fn read(tokens: TokenStream) -> (Option<Condition>, Vec<String>) {
        let mut errors = Errors::default();
        let list = Group::new(Delimiter::Parenthesis, tokens);
        let condition = Condition::read(&format_ident!("when"), &list, &PLUGIN_ROOTS, &mut errors);
        (condition, errors.messages())
    }

    #[test]
    fn tokens_become_the_text_of_a_file() {
        for (tokens, expected) in [
            (quote!(args.path = "/etc/**"), r#"args.path = "/etc/**""#),
            (quote!(args.path = r"C:\x"), r#"args.path = "C:\\x""#),
            (quote!(args.count = 10..=100,), "args.count = 10..=100,"),
            (quote!(args.count = -5..), "args.count = -5.."),
            (quote!(args.count = ..0.5), "args.count = ..0.5"),
            (
                quote!(args.items[*]."a b"[0] = ["a", 5, true]),
                r#"args.items[*]."a b"[0] = ["a", 5, true]"#,
            ),
            (
                quote!(not(any(user = "root", args.r#type)), tenant),
                r#"not(any(user = "root", args.r#type)), tenant"#,
            ),
            (
                quote!(args.path = inside("/srv"), args.text = longer_than(10)),
                r#"args.path = inside("/srv"), args.text = longer_than(10)"#,
            ),
        ] {
            let (condition, errors) = read(tokens);
            assert_eq!(errors, [""; 0]);
            assert_eq!(condition.unwrap().text, expected);
        }
    }

    #[test]
    fn roots_are_kept_and_globs_and_folders_are_checked() {
        let (condition, errors) = read(quote!(
            args.a = ["x", "[y"],
            user = "z*",
            args.b = inside("/srv/.."),
            args.c = "plain"
        ));
        let condition = condition.unwrap();
        let roots: Vec<String> = condition.roots.iter().map(LitStr::value).collect();
        assert_eq!(roots, ["args", "user", "args", "args"]);
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].starts_with("the pattern has a `[`"), "{errors:?}");
        assert!(errors[1].starts_with("the folder has `..`"), "{errors:?}");
    }

    #[test]
    fn mistakes_are_those_of_the_grammar() {
        for (tokens, message) in [
            (quote!(), "`when` is empty\nhelp: write a condition"),
            (quote!(arg.path), "unknown root `arg`\nhelp: write `args`"),
            (quote!(args.path == "x"), "`==` is no test\nhelp: write `=`"),
            (
                quote!(args.path != "x"),
                "unexpected `!`\nhelp: write `not(path = value)`",
            ),
            (quote!(args.n >= 5), "unexpected `>`\nhelp: write a range"),
            (
                quote!(args.a && args.b),
                "unexpected `&`\nhelp: write a comma",
            ),
            (
                quote!(args.a and args.b),
                "unexpected `and`\nhelp: write a comma",
            ),
            (
                quote!(args.a = { 5 }),
                "`{` is not a value\nhelp: write a text",
            ),
            (
                quote!(args.a = 'x'),
                "`'` is not a value\nhelp: write a text",
            ),
        ] {
            let (_, errors) = read(tokens);
            assert_eq!(errors.len(), 1, "{errors:?}");
            assert!(errors[0].starts_with(message), "{errors:?}");
        }
    }
}
