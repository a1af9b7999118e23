//! The generated code that is the same in every protocol: the function that makes the hook, its shim, its submission.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::{
    expand::{check, origin, submission},
    item::{Unit, conditions},
    model::Model,
    path::Root,
    signature::Answering,
    tokens::contains,
};

/// Generates `ID` and `hook()` of a unit struct; `body` makes the hook.
pub(crate) fn unit_struct(root: &Root, unit: &Unit, id: &str, body: &TokenStream) -> TokenStream {
    let Unit {
        attrs, vis, name, ..
    } = unit;
    let conditions: Vec<_> = conditions(attrs).collect();
    let private = root.private();
    let submission = submission(root, &quote!(#name::hook));
    let id_doc = format!("The id of this hook, `{id}`.");
    quote! {
        #(#conditions)*
        impl #name {
            #[doc = #id_doc]
            #vis const ID: &'static ::core::primitive::str = #id;

            /// This hook, for adding it to a registry by hand.
            #[must_use]
            #vis fn hook() -> #private::CoreHook {
                #body
            }
        }
        #(#conditions)*
        const _: () = {
            // Without a value of it anywhere, rustc warns that the struct is "never constructed".
            const _: #name = #name;
            #submission
        };
    }
}

/// How a protocol calls an author's function: its arguments and its answer.
pub(crate) struct Call {
    /// The trait by which the author's function receives its input.
    pub(crate) receive: TokenStream,
    /// The type that knows whether another type is such an input.
    pub(crate) is_input: TokenStream,
    /// The point as a parameter of that type; `None` if it has no such parameter.
    pub(crate) point: Option<TokenStream>,
    /// The type of the shim's input, which may borrow for `'call`.
    pub(crate) input: TokenStream,
    /// Whether the input is given by value; the shim then passes a reference to the author's function.
    pub(crate) by_value: bool,
    /// The context behind the input, if the protocol has one.
    pub(crate) context: Option<Surrounding>,
    /// The trait that converts the author's answer.
    pub(crate) answer: TokenStream,
    /// The type that it is converted into.
    pub(crate) output: TokenStream,
}

/// The context behind a function's input.
pub(crate) struct Surrounding {
    pub(crate) ty: TokenStream,
    /// The trait by which the author's function receives it.
    pub(crate) receive: TokenStream,
    /// Whether it is a `&mut` reference.
    pub(crate) mutable: bool,
}

/// Generates `name_hook()` of a function: the protocol's checks, the shim `__answer`, and the hook, which refers to the shim.
pub(crate) fn function(
    root: &Root,
    answering: &Answering,
    id: &str,
    call: &Call,
    checks: &TokenStream,
    hook: &TokenStream,
) -> TokenStream {
    let Answering {
        attrs, vis, name, ..
    } = answering;
    let conditions: Vec<_> = conditions(attrs).collect();
    let private = root.private();
    let doubt = call.doubt(root, answering);
    let make = format_ident!("{name}_hook");
    let submission = submission(root, &quote!(#make));
    let doc =
        format!("The hook `{id}` that [`{name}`] answers, for adding it to a registry by hand.");
    let shim = call.shim(root, answering);
    quote! {
        #(#conditions)*
        #[doc = #doc]
        #[must_use]
        #vis fn #make() -> #private::CoreHook {
            #checks
            #doubt
            #shim
            #hook
        }
        #(#conditions)*
        const _: () = { #submission };
    }
}

/// The names in generated code of a protocol whose hooks receive the input of their point and a context.
pub(crate) struct PointHook {
    pub(crate) protocol: &'static str,
    /// The type of the hook, with its constructors `answering` and `answering_any`.
    pub(crate) hook: &'static str,
    pub(crate) receive: &'static str,
    pub(crate) is_input: &'static str,
    pub(crate) context: &'static str,
    pub(crate) surround: &'static str,
    /// Whether the context is a `&mut` reference.
    pub(crate) mutable: bool,
    pub(crate) answer: &'static str,
}

impl PointHook {
    /// Generates the hook of a function; `checks` are the protocol's, and `calls` are those of the builder. `generics` are the
    /// first parameters of the constructor.
    pub(crate) fn function(
        &self,
        model: &Model,
        answering: &Answering,
        generics: &TokenStream,
        checks: &TokenStream,
        calls: &TokenStream,
    ) -> TokenStream {
        let Model { root, name, .. } = model;
        let (private, protocol) = (root.private(), root.protocol(self.protocol));
        let [hook, receive, is_input, context, surround, answer] = [
            self.hook,
            self.receive,
            self.is_input,
            self.context,
            self.surround,
            self.answer,
        ]
        .map(|name| format_ident!("{name}"));
        let made = constructor(answering);
        let hook = quote!(#protocol::#hook::#made #generics (#name, __Point {}, __answer) #calls);
        let hook = finished(root, model.first(), &hook);
        let call = Call {
            input: quote!(&'call <__Point as #private::Point>::In),
            by_value: false,
            receive: quote!(#protocol::#receive<__Point>),
            is_input: quote!(#protocol::#is_input),
            point: Some(quote!(__Point)),
            context: Some(Surrounding {
                ty: quote!(#protocol::#context),
                receive: quote!(#protocol::#surround),
                mutable: self.mutable,
            }),
            answer: quote!(#protocol::#answer::<__Point>),
            output: quote!(<__Point as #private::Point>::Out),
        };
        function(root, answering, &name.value(), &call, checks, &hook)
    }
}

/// Returns the constructor of a function's hook: of one server, or of any.
pub(crate) fn constructor(answering: &Answering) -> TokenStream {
    match answering.server {
        Some(_) => quote!(answering),
        None => quote!(answering_any),
    }
}

impl Call {
    /// Generates the function that the protocol calls, in the protocol's one shape. Each of the author's types occurs in it once,
    /// with the author's span, so that rustc underlines a wrong one.
    fn shim(&self, root: &Root, answering: &Answering) -> TokenStream {
        let Call {
            receive,
            input,
            context,
            output,
            ..
        } = self;
        // The names come from `quote!`: with the span of a `macro_rules!` body, hygiene would make them other variables.
        // No function of the author has one of them.
        let (given, taken) = (quote!(__given), quote!(__taken));
        let (around, surrounding) = (quote!(__cx), quote!(__surrounding));
        let received = answering.event.as_ref().map(|event| {
            let span = first_span(event);
            quote_spanned!(span=> let #taken = <#event as #receive>::receive(#given);)
        });
        let surrounded = answering
            .context
            .as_ref()
            .zip(context.as_ref())
            .map(|(ty, own)| {
                let (span, surround) = (first_span(ty), &own.receive);
                quote_spanned!(span=> let #surrounding = <#ty as #surround>::surround(#around);)
            });
        let borrow = self.by_value.then(|| quote!(&));
        let arguments: Vec<TokenStream> = [
            answering.server.as_ref().map(|_| quote!(__server)),
            answering.event.as_ref().map(|_| quote!(#borrow #taken)),
            answering.context.as_ref().map(|_| surrounding),
        ]
        .into_iter()
        .flatten()
        .collect();
        let answered = answered(root, &self.answer, answering, &quote!(#(#arguments),*));
        let future = future(answering, &quote!(#received #surrounded #answered));
        let future_type = future_type(root, output);
        let server = answering
            .server
            .as_ref()
            .map(|server| quote!(__server: &'call #server,));
        let given = received.map_or_else(|| quote!(_), |_| given);
        let around = surrounded.map_or_else(|| quote!(_), |_| around);
        let context = context.as_ref().map(|Surrounding { ty, mutable, .. }| {
            let mutable = mutable.then(|| quote!(mut));
            quote!(#around: &'call #mutable #ty,)
        });
        quote! {
            fn __answer<'call>(#server #given: #input, #context) -> #future_type {
                #future
            }
        }
    }

    /// Generates the check that the server is no input of the hook, which only rustc can judge.
    fn doubt(&self, root: &Root, answering: &Answering) -> Option<TokenStream> {
        let (ty, wrong) = answering.doubt.as_ref()?;
        let (is_input, private) = (&self.is_input, root.private());
        let point = self.point.as_ref().map(|point| quote!(, #point));
        let is_input = quote!({
            #[allow(unused_imports)]
            use #private::NoInput as _;
            #is_input::<#ty #point>::ANSWER
        });
        Some(check(quote!(#private::refuse(#is_input, #wrong)), ty))
    }
}

/// Generates the conversion of a protocol's hook into the core's, with the place where it was written.
pub(crate) fn finished(root: &Root, at: &Ident, hook: &TokenStream) -> TokenStream {
    let private = root.private();
    let origin = origin(root, at);
    quote!(#private::CoreHook::from(#hook).at(#origin))
}

/// Generates the call of the author's function, with its answer converted by the trait `into`. The answer's type occurs
/// once, so that rustc underlines a wrong one.
fn answered(
    root: &Root,
    into: &TokenStream,
    answering: &Answering,
    arguments: &TokenStream,
) -> TokenStream {
    let name = &answering.name;
    let call = quote!(#name(#arguments).await);
    match answer(answering) {
        Some(answer) => {
            let into = quote_spanned!(first_span(&answer)=> <#answer as #into>::answer);
            let Some(error) = &answering.error else {
                return quote!(#into(#call));
            };
            let private = root.private();
            let fails = quote_spanned! {first_span(error)=>
                <#error as #private::IntoHookError>::into_hook_error
            };
            // The path alone would be reported twice.
            quote!(#call.map_err(|error| #fails(error)).and_then(#into))
        }
        None => {
            let span = answering
                .answer
                .as_ref()
                .map_or_else(|| name.span(), first_span);
            quote_spanned!(span=> #into::answer(#call))
        }
    }
}

/// Returns the type of a function's answer; `None` for `impl Trait`, which cannot be named.
pub(crate) fn answer(answering: &Answering) -> Option<TokenStream> {
    match &answering.answer {
        None => Some(quote_spanned!(answering.name.span()=> ())),
        Some(answer) => (!contains(answer, "impl")).then(|| answer.clone()),
    }
}

/// Generates the boxed future of `body`. An error about `Send` underlines the author's name.
fn future(answering: &Answering, body: &TokenStream) -> TokenStream {
    quote_spanned!(answering.name.span()=> ::std::boxed::Box::pin(async move { #body }))
}

/// Generates the type of such a future.
fn future_type(root: &Root, output: &TokenStream) -> TokenStream {
    let private = root.private();
    quote! {
        ::core::pin::Pin<::std::boxed::Box<
            dyn ::core::future::Future<
                    Output = ::core::result::Result<#output, #private::HookError>,
                > + ::core::marker::Send + 'call,
        >>
    }
}

/// The answer of hooks that answer with text.
pub(crate) fn text() -> TokenStream {
    quote!(::std::string::String)
}

pub(crate) fn first_span(tokens: &TokenStream) -> Span {
    tokens
        .clone()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span())
}
