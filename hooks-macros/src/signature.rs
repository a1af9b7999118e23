//! The signature of a function with a hook: its arguments and its answer.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Attribute, FnArg, GenericParam, ReturnType, Safety, Type, Visibility};

use crate::{
    grammar::{Context, Grammar, name_at},
    item::{Function, doc},
    model::once,
    report::Errors,
    tokens::{contains, elide, mute_questions, of_another_point, result, tight},
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
    /// The type that it returns, or that is in the `Result` that it returns; `None` if it has none.
    pub(crate) answer: Option<TokenStream>,
    /// The type of the error, if it returns a `Result`.
    pub(crate) error: Option<TokenStream>,
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
        let in_its_place = match grammar.alone {
            true => event.is_none(),
            false => sig.inputs.len() == 1,
        };
        let own = point.and_then(|point| name_at(grammar.inputs, point));
        let doubt = server.clone().filter(|_| in_its_place).map(|server| {
            let help = match own.filter(|_| grammar.alone) {
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
        let (answer, error) = match &sig.output {
            ReturnType::Default => (None, None),
            ReturnType::Type(_, answer) => {
                let (answer, error) = result(answer).unwrap_or((answer.to_token_stream(), None));
                let error = error.map(|error| elide(error, &lifetimes));
                (Some(elide(answer, &lifetimes)), error)
            }
        };
        if let Some(point) = point {
            for (ty, verb, names) in [
                (&event, "receive", grammar.inputs),
                (&answer, "answer with", grammar.changes),
            ] {
                of_another_point(
                    grammar,
                    point,
                    ty.as_ref(),
                    verb,
                    name_at(names, point),
                    errors,
                );
            }
        }
        Some(Answering {
            attrs,
            vis,
            name,
            server,
            event,
            context,
            answer,
            error,
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
    let own = point.and_then(|point| name_at(grammar.inputs, point));
    let own = own.filter(|_| grammar.alone);
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
    let own = point.and_then(|point| name_at(grammar.inputs, point));
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
