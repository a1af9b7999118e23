//! The signature of a function with a hook: its arguments and its answer.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, FnArg, GenericParam, LitStr, ReturnType, Safety, Type, Visibility};

use crate::{
    grammar::{Context, Grammar},
    item::{Function, doc},
    model::once,
    report::Errors,
};

/// A function that answers a hook. Its own lifetimes are elided in the types.
pub(crate) struct Answering {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    /// The server's type, without the reference; `None` for a function of every server.
    pub(crate) server: Option<TokenStream>,
    /// The event's type, without the reference.
    pub(crate) event: Option<TokenStream>,
    /// The context's type, without the reference.
    pub(crate) context: Option<TokenStream>,
    /// The type that it returns; `None` if it has none.
    pub(crate) answer: Option<TokenStream>,
    /// The braces and what is in them.
    pub(crate) body: TokenStream,
    /// The server's type, if it stands where an input may have been meant, with the message that it is one. rustc decides
    /// that.
    pub(crate) doubt: Option<(TokenStream, String)>,
}

impl Answering {
    /// Reads a signature, and reports everything that a hook cannot have.
    pub(crate) fn read(
        grammar: &Grammar,
        point: Option<&Ident>,
        function: Function,
        errors: &mut Errors,
    ) -> Option<Answering> {
        let Function {
            attrs,
            vis,
            sig,
            body,
        } = function;
        mute_questions(body.clone(), errors);
        let name = sig.ident;
        if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
            let wrong = format_args!(
                "`#[{}]` on a method cannot see the type of `self`",
                grammar.table.attribute
            );
            let (owner, example) = grammar.owner;
            let help = format_args!(
                "put `#[hooks_sdk::hooks]` on this `impl` block, or write a free function \
                 whose first argument is the {owner}: `{example}`"
            );
            errors.push(receiver, wrong, help);
            return None;
        }
        once(grammar, &attrs, &name, errors);
        if sig.asyncness.is_none() {
            errors.push(
                &name,
                format_args!("`{name}` is not `async`"),
                format_args!("write `async fn {name}`"),
            );
        }
        if let Safety::Unsafe(token) = &sig.safety {
            let wrong = format_args!("`{name}` is `unsafe`, but hooks are called from safe code");
            errors.push(token, wrong, "remove `unsafe`");
        }
        generic(grammar, &name, &sig.generics, sig.inputs.iter(), errors);
        let lifetimes: Vec<String> = sig
            .generics
            .lifetimes()
            .map(|lifetime| lifetime.lifetime.ident.to_string())
            .collect();
        let noun = |words: &'static str| words.split(' ').next_back().unwrap_or_default();
        let input = noun(grammar.input);
        let (mut server, mut event, mut context) = (None, None, None);
        let roles = roles(grammar, point, sig.inputs.iter());
        for (argument, role) in sig.inputs.iter().zip(roles) {
            match role {
                Role::Server => server = borrowed(argument, grammar.owner.0, false, errors),
                Role::Input => event = borrowed(argument, input, false, errors),
                Role::Context(Context {
                    noun: what,
                    mutable,
                    ..
                }) => {
                    context = borrowed(argument, noun(what), mutable, errors);
                }
                Role::Unknown => too_many(grammar, point, &name, argument, errors),
            }
        }
        let [server, event, context] =
            [server, event, context].map(|ty| ty.map(|ty| elide(ty, &lifetimes)));
        let in_its_place = grammar.inputs.is_empty() && sig.inputs.len() == 1
            || !grammar.inputs.is_empty() && event.is_none();
        let doubt = server.clone().filter(|_| in_its_place).map(|server| {
            let help = match point.and_then(|point| grammar.input_at(point)) {
                Some(own) => format!(
                    "write the type by its own name, `{input}: &{own}`, or take the {} first",
                    grammar.owner.0
                ),
                None => format!(
                    "take the server first: `_server: &Server, {input}: &{}`",
                    tight(&server)
                ),
            };
            let (given, owner) = (grammar.input, grammar.owner.0);
            let wrong = format!("{given} stands where the {owner} does\nhelp: {help}");
            (server, wrong)
        });
        let answer = match &sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, answer) => Some(elide(answer.to_token_stream(), &lifetimes)),
        };
        Some(Answering {
            attrs,
            vis,
            name,
            server,
            event,
            context,
            answer,
            body,
            doubt,
        })
    }

    /// The doc comment, which describes the served tool.
    pub(crate) fn doc(&self) -> Option<String> {
        doc(&self.attrs)
    }
}

/// What an argument is.
#[derive(Clone, Copy)]
enum Role {
    Server,
    Input,
    Context(Context),
    Unknown,
}

/// Returns what each argument is: by its place, and where a protocol allows it by the name of its type and by `&mut`.
fn roles<'a>(
    grammar: &Grammar,
    point: Option<&Ident>,
    arguments: impl ExactSizeIterator<Item = &'a FnArg>,
) -> Vec<Role> {
    let own = point.and_then(|point| grammar.input_at(point));
    let mut order = vec![Role::Input];
    order.extend(grammar.context.map(Role::Context));
    let mut roles = Vec::new();
    for (at, argument) in arguments.enumerate() {
        let named = |name: &str| last_word(argument).is_some_and(|last| last == name);
        let context = grammar.context.filter(|context| {
            let borrowed = || matches!(target(argument, true), Some(Ok(_)));
            context.name.is_some_and(named) || context.mutable && at > 0 && borrowed()
        });
        if at == 0 && context.is_none() && !own.is_some_and(named) {
            order.insert(0, Role::Server);
        }
        let role = match context {
            Some(context) => {
                order.clear();
                Role::Context(context)
            }
            _ if order.is_empty() => Role::Unknown,
            _ => order.remove(0),
        };
        roles.push(role);
    }
    roles
}

/// Returns the last word of an argument's type, behind its reference.
fn last_word(argument: &FnArg) -> Option<&Ident> {
    let FnArg::Typed(argument) = argument else {
        return None;
    };
    let mut ty = &*argument.ty;
    loop {
        match ty {
            Type::Group(group) => ty = &group.elem,
            Type::Paren(paren) => ty = &paren.elem,
            Type::Reference(reference) => ty = &reference.elem,
            Type::Path(path) => return Some(&path.path.segments.last()?.ident),
            _ => return None,
        }
    }
}

fn too_many(
    grammar: &Grammar,
    point: Option<&Ident>,
    name: &Ident,
    argument: &FnArg,
    errors: &mut Errors,
) {
    let (input, owner) = (grammar.input, grammar.owner.0);
    let context = grammar.context.map(|context| context.noun);
    let own = point.and_then(|point| grammar.input_at(point));
    if let (Some(own), Some(context), Some(last)) = (own, context, last_word(argument))
        && last == own
    {
        let wrong = format_args!("`{name}` takes {input} behind {context}");
        errors.push(argument, wrong, "write it in front");
        return;
    }
    let all = match context {
        Some(context) => format!("a {owner}, {input} and {context}"),
        None => format!("a {owner} and {input}"),
    };
    let wrong = format_args!("`{name}` takes more than {all}");
    errors.push(argument, wrong, "remove this argument");
}

fn generic<'a>(
    grammar: &Grammar,
    name: &Ident,
    generics: &syn::Generics,
    inputs: impl Iterator<Item = &'a FnArg>,
    errors: &mut Errors,
) {
    let parameter = generics
        .params
        .iter()
        .find(|param| !matches!(param, GenericParam::Lifetime(_)));
    let hidden = inputs
        .filter_map(|input| match input {
            FnArg::Typed(argument) => Some(argument.ty.to_token_stream()),
            FnArg::Receiver(_) => None,
        })
        .find(|ty| contains(ty, "impl"));
    if let Some(at) = parameter.map(ToTokens::to_token_stream).or(hidden) {
        let wrong = format_args!("`{name}` is generic, and a collected hook needs concrete types");
        let help = format_args!(
            "write the types out, or add it by hand: `Registry::builder().add({})`",
            grammar.by_hand
        );
        errors.push(at, wrong, help);
    }
}

/// Returns the type behind the argument's reference, or the type itself as the error; `None` for `self`.
fn target(argument: &FnArg, mutable: bool) -> Option<Result<TokenStream, &Type>> {
    let FnArg::Typed(argument) = argument else {
        return None;
    };
    let mut ty = &*argument.ty;
    loop {
        match ty {
            Type::Group(group) => ty = &group.elem,
            Type::Paren(paren) => ty = &paren.elem,
            Type::Reference(reference) if reference.mutability.is_some() == mutable => {
                return Some(Ok(reference.elem.to_token_stream()));
            }
            _ => return Some(Err(ty)),
        }
    }
}

/// Returns the type behind the argument's reference, and reports any other type.
fn borrowed(
    argument: &FnArg,
    what: &str,
    mutable: bool,
    errors: &mut Errors,
) -> Option<TokenStream> {
    let ty = match target(argument, mutable)? {
        Ok(ty) => return Some(ty),
        Err(ty) => ty,
    };
    let (how, by) = if mutable {
        ("borrow it mutably", "&mut ")
    } else {
        ("borrow it", "&")
    };
    let owned = tight(&owned(ty).to_token_stream());
    let written = tight(&ty.to_token_stream());
    let wrong = format_args!("the {what} is taken as `{written}`");
    errors.push(ty, wrong, format_args!("{how}: `{by}{owned}`"));
    None
}

/// Returns the type behind a reference, or the type itself.
fn owned(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => &reference.elem,
        owned => owned,
    }
}

/// Formats a type as an author would write it.
fn tight(ty: &TokenStream) -> String {
    let mut text = ty.to_string();
    for (loose, tight) in [
        (" :: ", "::"),
        (":: ", "::"),
        ("& ", "&"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
    ] {
        text = text.replace(loose, tight);
    }
    text
}

pub(crate) fn contains(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => contains(&group.stream(), word),
        _ => false,
    })
}

/// Replaces the function's own lifetimes by `'_`: they are not declared where its types are repeated.
fn elide(tokens: TokenStream, lifetimes: &[String]) -> TokenStream {
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(name) if after_quote => {
                after_quote = false;
                let own = lifetimes.iter().any(|lifetime| name == lifetime);
                TokenTree::Ident(if own {
                    Ident::new("_", name.span())
                } else {
                    name
                })
            }
            TokenTree::Group(group) => {
                after_quote = false;
                let mut elided = Group::new(group.delimiter(), elide(group.stream(), lifetimes));
                elided.set_span(group.span());
                TokenTree::Group(elided)
            }
            other => {
                after_quote = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}

/// Reports each question whose literal message is empty.
fn mute_questions(body: TokenStream, errors: &mut Errors) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        mute_questions(group.stream(), errors);
        let path: String = tokens[at.saturating_sub(4)..at]
            .iter()
            .map(ToString::to_string)
            .collect();
        let asks = ["Question::new", "Question::confirm"].contains(&&*path);
        let message = group.stream().into_iter().next();
        if asks
            && let Some(Ok(message)) =
                message.map(|message| syn::parse2::<LitStr>(message.into_token_stream()))
            && message.value().trim().is_empty()
        {
            errors.push(
                message,
                "this question has no message, so its user cannot know what the answer decides",
                "write the question, such as \"Delete the project `demo`?\"",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    #[test]
    fn own_lifetimes_are_elided() {
        let tokens = quote!(Cow<'a, (&'a str, &'static str)>);
        let elided = elide(tokens, &["a".to_owned()]).to_string();
        assert_eq!(elided, quote!(Cow<'_, (&'_ str, &'static str)>).to_string());
    }
}
