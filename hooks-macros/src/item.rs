//! The item under an attribute: a unit struct, a function, or the mark of a method that is also a tool.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{
    Attribute, Generics, LitStr, Macro, Signature, Token, Type, Visibility, WhereClause,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

/// The macro name by which `#[hooks]` marks a method that is also a tool.
pub(crate) const TOOL_MARK: &str = "__hooks_tool";

/// An item, without its body.
pub(crate) enum Item {
    Unit(Unit),
    Function(Box<Function>),
    Tool(Tool),
    /// Anything else: its kind, and its tokens.
    Other(&'static str, TokenStream),
}

/// `struct AfterCommit;`
pub(crate) struct Unit {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
}

/// `async fn recall(memory: &Memory, start: &SessionStart) -> String`
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    /// The braces and what is in them.
    pub(crate) body: TokenStream,
}

/// A method that is also a tool of `server`, called `tool` on the wire.
pub(crate) struct Tool {
    pub(crate) name: Ident,
    pub(crate) server: Type,
    pub(crate) tool: LitStr,
}

impl Item {
    pub(crate) fn name(&self) -> Option<&Ident> {
        match self {
            Item::Unit(unit) => Some(&unit.name),
            Item::Function(function) => Some(&function.sig.ident),
            Item::Tool(tool) => Some(&tool.name),
            Item::Other(..) => None,
        }
    }
}

impl Item {
    /// Returns what it is, with its article, and the tokens to underline, for messages.
    pub(crate) fn described(&self) -> (&'static str, TokenStream) {
        match self {
            Item::Unit(unit) => ("a unit struct", unit.name.to_token_stream()),
            Item::Function(function) => ("a function", function.sig.ident.to_token_stream()),
            Item::Tool(tool) => ("a method", tool.name.to_token_stream()),
            Item::Other(what, at) => (what, at.clone().into_iter().take(2).collect()),
        }
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Item> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let item = if input.peek(Token![struct]) {
            structure(attrs, vis, input)?
        } else if input.peek(Token![const]) && input.peek2(syn::Ident) && input.peek3(Token![:]) {
            constant(input)?
        } else if let Some(what) = other(input) {
            Item::Other(what, input.fork().parse()?)
        } else {
            let (sig, body) = (input.parse()?, input.parse()?);
            Item::Function(Box::new(Function {
                attrs,
                vis,
                sig,
                body,
            }))
        };
        // The rest is a body, too.
        input.parse::<TokenStream>()?;
        Ok(item)
    }
}

fn structure(attrs: Vec<Attribute>, vis: Visibility, input: ParseStream<'_>) -> syn::Result<Item> {
    input.parse::<Token![struct]>()?;
    let name: Ident = input.parse()?;
    let generics = input.parse()?;
    input.parse::<Option<WhereClause>>()?;
    if input.peek(Token![;]) {
        return Ok(Item::Unit(Unit {
            attrs,
            vis,
            name,
            generics,
        }));
    }
    Ok(Item::Other(
        "a struct with fields",
        name.into_token_stream(),
    ))
}

fn constant(input: ParseStream<'_>) -> syn::Result<Item> {
    let whole: TokenStream = input.fork().parse()?;
    input.parse::<Token![const]>()?;
    let name = input.call(Ident::parse_any)?;
    input.parse::<Token![:]>()?;
    let server = input.parse()?;
    input.parse::<Token![=]>()?;
    if input.peek2(Token![!])
        && let Ok(mark) = input.fork().parse::<Macro>()
        && mark.path.is_ident(TOOL_MARK)
    {
        let tool = mark.parse_body()?;
        return Ok(Item::Tool(Tool { name, server, tool }));
    }
    Ok(Item::Other("a constant", whole))
}

fn other(input: ParseStream<'_>) -> Option<&'static str> {
    let unsafe_trait = input.peek(Token![unsafe]) && input.peek2(Token![trait]);
    let unsafe_impl = input.peek(Token![unsafe]) && input.peek2(Token![impl]);
    Some(if input.peek(Token![const]) && input.peek2(Token![_]) {
        "a constant"
    } else if input.peek(Token![enum]) {
        "an enum"
    } else if input.peek(Token![trait]) || unsafe_trait {
        "a trait"
    } else if input.peek(Token![impl]) || unsafe_impl {
        "an `impl` block"
    } else if input.peek(Token![mod]) {
        "a module"
    } else if input.peek(Token![type]) {
        "a type alias"
    } else if input.peek(Token![static]) {
        "a static"
    } else if input.peek(Token![use]) {
        "an import"
    } else if input.peek(Token![union]) && input.peek2(syn::Ident) {
        "a union"
    } else if input.peek(syn::Ident) && input.peek2(Token![!]) {
        "a macro call"
    } else {
        return None;
    })
}

/// Returns the `#[cfg]` attributes, which the generated code needs too.
pub(crate) fn conditions(attrs: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg"))
}

/// Returns the doc comments as one text.
pub(crate) fn doc(attrs: &[Attribute]) -> Option<String> {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        if let syn::Meta::NameValue(doc) = &attr.meta
            && let Ok(text) = syn::parse2::<LitStr>(doc.value.to_token_stream())
        {
            let text = text.value();
            lines.extend(
                text.split('\n')
                    .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()),
            );
        }
    }
    let text = lines.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Turns `AfterCommit` and `after_commit` into `after_commit`.
pub(crate) fn snake_case(name: &Ident) -> String {
    let name: Vec<char> = name.unraw().to_string().chars().collect();
    let mut snake = String::new();
    for (at, &letter) in name.iter().enumerate() {
        if letter.is_uppercase() {
            let before = at.checked_sub(1).map(|before| name[before]);
            let word_ended =
                before.is_some_and(|before| before.is_lowercase() || before.is_numeric());
            let word_begins = before.is_some_and(char::is_uppercase)
                && name.get(at + 1).is_some_and(|after| after.is_lowercase());
            if word_ended || word_begins {
                snake.push('_');
            }
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// Turns `InitRequired` and `init_required` into `init-required`.
pub(crate) fn kebab_case(name: &Ident) -> String {
    snake_case(name).replace('_', "-")
}

#[cfg(test)]
mod tests {
    use quote::{format_ident, quote};

    use super::*;

    fn read(tokens: TokenStream) -> Item {
        syn::parse2(tokens).unwrap()
    }

    #[test]
    fn names_become_snake_case() {
        for (name, snake) in [
            ("AfterCommit", "after_commit"),
            ("HTTPServer", "http_server"),
            ("V2Hook", "v2_hook"),
            ("load_context", "load_context"),
            ("A", "a"),
        ] {
            assert_eq!(snake_case(&format_ident!("{name}")), snake);
        }
        assert_eq!(
            snake_case(&Ident::new_raw("type", proc_macro2::Span::call_site())),
            "type"
        );
    }

    #[test]
    fn kinds_of_items() {
        assert!(matches!(
            read(quote!(
                pub struct A;
            )),
            Item::Unit(_)
        ));
        assert!(matches!(
            read(quote!(
                struct A {
                    a: u8,
                }
            )),
            Item::Other("a struct with fields", _)
        ));
        assert!(matches!(
            read(quote!(
                struct A(u8);
            )),
            Item::Other("a struct with fields", _)
        ));
        assert!(matches!(
            read(quote!(
                pub(crate) enum A {}
            )),
            Item::Other("an enum", _)
        ));
        assert!(matches!(
            read(quote!(
                const A: u8 = 1;
            )),
            Item::Other("a constant", _)
        ));
        assert!(matches!(
            read(quote!(
                const fn a() {}
            )),
            Item::Function(_)
        ));
        assert!(matches!(
            read(quote!(
                async fn a(&self) {}
            )),
            Item::Function(_)
        ));
        assert!(matches!(
            read(quote!(
                const a: M = __hooks_tool!("x");
            )),
            Item::Tool(_)
        ));
    }

    #[test]
    fn bodies_are_not_read() {
        assert!(matches!(
            read(quote!(async fn a() { if 1 + })),
            Item::Function(_)
        ));
    }

    #[test]
    fn doc_comments_are_one_text() {
        let Item::Unit(unit) = read(quote! {
            /// One
            ///   two
            ///
            #[doc = "three"]
            struct A;
        }) else {
            panic!()
        };
        assert_eq!(doc(&unit.attrs).unwrap(), "One\n  two\n\nthree");
    }
}
