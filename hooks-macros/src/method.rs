//! The methods of a `#[hooks] impl` that carry a hook, and the item that is generated for each.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, FnArg, GenericParam, Generics, LitStr, Meta, Receiver, ReceiverKind, Signature,
    Token, Type, Visibility,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

use crate::{
    args::split,
    expand::respan,
    item::TOOL_MARK,
    made::first_span,
    report::Errors,
    strip::{Conditional, ends_with, is_hook, tie, ungroup},
};

/// A method with at least one hook attribute.
pub(crate) struct Method {
    marks: Marks,
    sig: Signature,
}

/// A method's attributes, sorted by what they are.
#[derive(Default)]
struct Marks {
    /// The hook attributes as written; one from a `cfg_attr` has its `#[cfg]` in front.
    hooks: Vec<TokenStream>,
    conditions: TokenStream,
    docs: TokenStream,
    /// `Some` for a method that is also a tool, with the tool's explicit name if there is one.
    tool: Option<Option<LitStr>>,
}

/// Returns the methods with hooks. Other items are skipped, and bodies are not parsed.
pub(crate) fn methods(body: TokenStream, errors: &mut Errors) -> Vec<Method> {
    let mut methods = Vec::new();
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            methods.extend(item(input, errors)?);
        }
        Ok(())
    };
    if let Err(error) = read.parse2(body) {
        errors.adopt(error);
    }
    methods
}

/// Reads the next item of the block, and returns it if it is a method with a hook.
fn item(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Method>> {
    let marks = Marks::of(input.call(Attribute::parse_outer)?);
    input.parse::<Visibility>()?;
    if !is_function(input) {
        if let Some(hook) = marks.hooks.first() {
            let wrong = "a hook attribute on something other than a method";
            errors.push(hook, wrong, "move it to an `async fn` of this block");
        }
        let until_semicolon = input.peek(Token![const]) || input.peek(Token![type]);
        skip(input, until_semicolon)?;
        return Ok(None);
    }
    let sig = input.parse()?;
    skip(input, false)?;
    Ok((!marks.hooks.is_empty()).then_some(Method { marks, sig }))
}

fn is_function(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    while ahead.peek(Token![const])
        || ahead.peek(Token![async])
        || ahead.peek(Token![unsafe])
        || ahead.peek(Token![extern])
        || ahead.peek(LitStr)
    {
        if ahead.parse::<TokenTree>().is_err() {
            return false;
        }
    }
    ahead.peek(Token![fn])
}

/// Skips the rest of an item: up to its semicolon or, if it may have one, its body.
fn skip(input: ParseStream<'_>, until_semicolon: bool) -> syn::Result<()> {
    while !input.is_empty() {
        match input.parse()? {
            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Brace && !until_semicolon =>
            {
                break;
            }
            _ => {}
        }
    }
    Ok(())
}

impl Marks {
    fn of(attrs: Vec<Attribute>) -> Marks {
        let mut marks = Marks::default();
        for attr in attrs {
            let content = attr.meta.to_token_stream();
            if let Some(conditional) = Conditional::read(content.clone()) {
                let condition = &conditional.condition;
                let hooks = conditional
                    .parts
                    .iter()
                    .filter(|part| is_hook((*part).clone()));
                marks
                    .hooks
                    .extend(hooks.map(|hook| quote!(#[cfg(#condition)] #[#hook])));
                marks
                    .conditions
                    .extend(conditional.only(|part| is(part, "cfg")));
                marks.docs.extend(conditional.only(|part| is(part, "doc")));
            } else if is_hook(content.clone()) {
                marks.hooks.push(attr.to_token_stream());
            } else if is(&content, "cfg") {
                marks.conditions.extend(attr.to_token_stream());
            } else if is(&content, "doc") {
                marks.docs.extend(attr.to_token_stream());
            } else if is(&content, "tool") {
                marks.tool = Some(tool_name(&attr.meta));
            }
        }
        marks
    }
}

fn is(attribute: &TokenStream, name: &str) -> bool {
    ends_with(attribute.clone(), &[name])
}

/// Returns the `name = "…"` of a `#[tool(…)]`.
fn tool_name(tool: &Meta) -> Option<LitStr> {
    let Meta::List(list) = tool else { return None };
    split(list.tokens.clone())
        .into_iter()
        .find_map(|part| match part.as_slice() {
            [TokenTree::Ident(key), _, value] if key == "name" => {
                syn::parse2(value.to_token_stream()).ok()
            }
            _ => None,
        })
}

impl Method {
    /// Returns the paths of the hook attributes.
    fn paths(&self) -> impl Iterator<Item = TokenStream> {
        let contents = self
            .marks
            .hooks
            .iter()
            .cloned()
            .flatten()
            .filter_map(|token| match token {
                TokenTree::Group(group) if is_hook(group.stream()) => Some(group.stream()),
                _ => None,
            });
        contents.map(|content| {
            ungroup(content)
                .into_iter()
                .take_while(|token| !matches!(token, TokenTree::Group(_)))
                .collect()
        })
    }

    /// Returns the path of the first hook as written, such as `lifecycle::hook`.
    pub(crate) fn path(&self) -> String {
        let path = self.paths().next().unwrap_or_default();
        path.to_string().replace(' ', "")
    }

    /// Generates imports that only use the hook attributes' names.
    pub(crate) fn mentions(&self) -> TokenStream {
        let mention = |path| quote!(const _: () = { #[allow(unused_imports)] use #path as _; };);
        self.paths().map(mention).collect()
    }

    /// Generates one item for each hook, with the attribute as written, in a scope of its own.
    pub(crate) fn hand_over(&self, server: &Type, errors: &mut Errors) -> TokenStream {
        if !self.ties(errors) {
            return self.mentions();
        }
        let item = match &self.marks.tool {
            Some(tool) => self.tool_mark(server, tool.as_ref()),
            None if !self.shares_the_server(errors) => return self.mentions(),
            None => self.function(server),
        };
        let Marks {
            hooks, conditions, ..
        } = &self.marks;
        let hand_over = |hook| {
            quote! {
                #conditions
                const _: () = {
                    #hook
                    #item
                };
            }
        };
        hooks.iter().map(hand_over).collect()
    }

    /// Whether each tie is on a tool, and only once; reports it if not.
    fn ties(&self, errors: &mut Errors) -> bool {
        let name = &self.sig.ident;
        let contents = |hook: &TokenStream| {
            let groups = hook.clone().into_iter().filter_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream()),
                _ => None,
            });
            groups.collect::<Vec<_>>()
        };
        let hooks: Vec<_> = self.marks.hooks.iter().map(contents).collect();
        let tied = |content: &TokenStream| tie(content.clone());
        let mut all = hooks.iter().flatten();
        if self.marks.tool.is_none()
            && let Some((at, tie)) = all.find_map(|content| Some((content, tied(content)?)))
        {
            let wrong = format_args!("`{name}` is not a `#[tool]`");
            let help = format_args!("put `#[tool]` on it too, or remove `#[{tie}]`");
            errors.push(at, wrong, help);
            return false;
        }
        let mut seen = Vec::new();
        for contents in &hooks {
            // Of several under conditions, only one may be compiled.
            let [content] = contents.as_slice() else {
                continue;
            };
            let Some(tie) = tied(content) else {
                continue;
            };
            if seen.contains(&tie) {
                let wrong = format_args!("`{name}` has two `#[{tie}]` attributes");
                errors.push(content, wrong, "keep one of them");
                return false;
            }
            seen.push(tie);
        }
        true
    }

    fn tool_mark(&self, server: &Type, tool: Option<&LitStr>) -> TokenStream {
        let name = &self.sig.ident;
        let tool = tool
            .cloned()
            .unwrap_or_else(|| LitStr::new(&name.unraw().to_string(), name.span()));
        let mark = format_ident!("{TOOL_MARK}");
        quote!(const #name: #server = #mark!(#tool);)
    }

    /// Whether the receiver is shared, so that hooks can run concurrently; reports it if not.
    fn shares_the_server(&self, errors: &mut Errors) -> bool {
        let name = &self.sig.ident;
        let Some(receiver) = self.sig.receiver() else {
            let wrong = format_args!("`{name}` does not take `&self`");
            errors.push(
                name,
                wrong,
                "add `&self`, or move the function out of the `impl` block",
            );
            return false;
        };
        let shared = match &receiver.kind {
            ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
            ReceiverKind::Typed(_, ty) => is_shared_self(ty),
            _ => false,
        };
        if !shared {
            let wrong = format_args!(
                "`{name}` takes `{}`, but hooks run side by side and share the server",
                as_written(receiver)
            );
            errors.push(receiver, wrong, "write `&self`");
        }
        shared
    }

    /// Generates `async fn recall(server: &Memory, …) -> … { <Memory>::recall(server, …).await }`.
    fn function(&self, server: &Type) -> TokenStream {
        let Marks { docs, .. } = &self.marks;
        let Signature {
            constness,
            asyncness,
            safety,
            abi,
            ident,
            generics,
            inputs,
            output,
            ..
        } = &self.sig;
        let lifetime = self
            .sig
            .receiver()
            .and_then(|receiver| match &receiver.kind {
                ReceiverKind::Reference(_, lifetime, _) => lifetime.clone(),
                _ => None,
            });
        let types = inputs.iter().filter_map(|input| match input {
            FnArg::Typed(argument) => Some(&argument.ty),
            FnArg::Receiver(_) => None,
        });
        // With the span of the author's argument, so that an error about it underlines it.
        let names: Vec<Ident> = inputs
            .iter()
            .enumerate()
            .skip(1)
            .map(|(at, input)| {
                format_ident!("argument{at}", span = first_span(&input.to_token_stream()))
            })
            .collect();
        let (parameters, _, bounds) = generics.split_for_impl();
        let signature = concrete(
            quote!(#parameters (server: &#lifetime #server #(, #names: #types)*) #output #bounds),
            server,
        );
        let wait = asyncness.is_some().then(|| quote!(.await));
        let chosen = chosen(generics);
        quote! {
            #docs
            #constness #asyncness #safety #abi fn #ident #signature {
                <#server>::#ident #chosen(server #(, #names)*) #wait
            }
        }
    }
}

/// Passes the method's own type parameters on, so that the attribute alone reports them.
fn chosen(generics: &Generics) -> Option<TokenStream> {
    let names: Vec<&Ident> = generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Const(param) => Some(&param.ident),
        })
        .collect();
    (!names.is_empty()).then(|| quote!(::<#(#names),*>))
}

fn is_shared_self(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference)
        if reference.mutability.is_none()
            && matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("Self")))
}

fn as_written(receiver: &Receiver) -> String {
    match &receiver.kind {
        ReceiverKind::Reference(..) => "&mut self".to_owned(),
        ReceiverKind::Typed(_, ty) => {
            format!(
                "self: {}",
                ty.to_token_stream().to_string().replace(' ', "")
            )
        }
        _ => "self".to_owned(),
    }
}

/// Replaces `Self`, which has no meaning in a free function, by the server's type.
fn concrete(tokens: TokenStream, server: &Type) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(word) if word == "Self" => {
                respan(server.to_token_stream(), word.span())
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), concrete(group.stream(), server));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        })
        .collect()
}
