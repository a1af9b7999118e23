//! Expands an attribute: the frame of the output, and the parts that every protocol uses.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::{grammar::Grammar, item::Item, model::Model, path::Root, report::Errors};

/// Expands a hook attribute.
pub(crate) fn hook(grammar: &Grammar, args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(item, |item, errors| {
        let model = Model::read(grammar, args, item, errors)?;
        Some((grammar.expand)(&model))
    })
}

/// Expands an attribute to the author's item, unchanged, then the generated code, then the errors.
///
/// The item comes first because editors use the first occurrence of a token. It is always there: without the item, every
/// use of it would be an error.
pub(crate) fn attribute(
    item: TokenStream,
    generate: impl FnOnce(Item, &mut Errors) -> Option<TokenStream>,
) -> TokenStream {
    let mut errors = Errors::default();
    let mut kept = item.clone();
    let generated = match syn::parse2::<Item>(item) {
        Ok(item) => {
            if matches!(item, Item::Tool(_)) {
                kept = TokenStream::new();
            }
            generate(item, &mut errors)
        }
        Err(error) => {
            errors.adopt(error);
            None
        }
    };
    if errors.replaces_body {
        let mut tokens: Vec<TokenTree> = kept.into_iter().collect();
        tokens.pop();
        kept = quote!(#[allow(unused)] #(#tokens)* { ::core::unreachable!() });
    }
    quote!(#kept #generated #errors)
}

/// Generates the place of the hook: that of its point, which is different for each hook of one method.
///
/// It uses the span's own file, line and column: inside a `macro_rules!`, `file!()` and the others would return the place
/// of the outer call.
pub(crate) fn origin(root: &Root, point: &Ident) -> TokenStream {
    let private = root.private();
    let here = proc_macro::is_available().then(|| {
        let span = point.span().unwrap();
        (span.file(), span.line(), span.column())
    });
    let (file, line, column) = match here {
        Some((file, line, column)) if !file.is_empty() => {
            let line = u32::try_from(line).unwrap_or(0);
            let column = u32::try_from(column).unwrap_or(0);
            (quote!(#file), quote!(#line), quote!(#column))
        }
        // In an editor there may be no such place.
        _ => (
            quote!(::core::file!()),
            quote!(::core::line!()),
            quote!(::core::column!()),
        ),
    };
    quote! {
        #private::Origin::new(
            match ::core::option_env!("CARGO_PKG_NAME") {
                ::core::option::Option::Some(package) => package,
                ::core::option::Option::None => "",
            },
            #file,
            #line,
            #column,
        )
    }
}

/// Generates the submission of `make` to the collected hooks.
pub(crate) fn submission(root: &Root, make: &TokenStream) -> TokenStream {
    let private = root.private();
    quote!(#private::inventory::submit! { #private::Submission { make: #make } })
}

/// Generates a constant from the call of a `const fn` about a type, so that a panic is a compile error that underlines `at`.
pub(crate) fn check(call: TokenStream, at: &impl ToTokens) -> TokenStream {
    let span = at
        .to_token_stream()
        .into_iter()
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    respan(quote!(const _: () = #call;), span)
}

/// Generates the check of one of a protocol's rules, which returns a problem or nothing.
pub(crate) fn passes(protocol: &TokenStream, rule: TokenStream, at: &impl ToTokens) -> TokenStream {
    let rules = quote!(#protocol::rule);
    check(quote!(#rules::Problem::pass(#rules::#rule)), at)
}

/// Returns the tokens, all with one span.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                token =
                    TokenTree::Group(Group::new(group.delimiter(), respan(group.stream(), span)));
            }
            token.set_span(span);
            token
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{aos, guidance, lifecycle::GRAMMAR, mcpl, plugin};

    #[test]
    fn broken_arguments_keep_the_item() {
        let items = [
            quote!(
                /** Words. */
                #[derive(Clone)]
                pub struct Words;
            ),
            quote!(async fn recall(memory: &Memory) -> String { if 1 + }),
            quote!(
                fn method(&mut self) {}
            ),
            quote!(
                enum Words {
                    A,
                }
            ),
            quote!(
                const WORDS: u8 = 1;
            ),
            quote!(let half = ;),
        ];
        let arguments = [
            quote!(),
            quote!(session_start, strength =),
            quote!(session_start strength),
            quote!(, = ("x")),
            quote!(session_start, matcher(tool_name), matcher = "x", crate = 1),
        ];
        for item in &items {
            for arguments in &arguments {
                let output = hook(&GRAMMAR, arguments.clone(), item.clone()).to_string();
                assert!(output.starts_with(&item.to_string()), "{output}");
                assert!(output.contains("compile_error"), "{output}");
            }
        }
    }

    #[test]
    fn a_sound_hook_has_no_errors() {
        let arguments = quote!(session_start, strength = required, text = "Hello.");
        let output = hook(
            &GRAMMAR,
            arguments,
            quote!(
                pub struct Words;
            ),
        )
        .to_string();
        assert!(output.starts_with("pub struct Words ;"), "{output}");
        assert!(!output.contains("compile_error"), "{output}");
        syn::parse_str::<syn::File>(&output).unwrap();
    }

    #[test]
    fn every_mistake_is_reported() {
        let arguments = quote!(strength = 1, wen = 2, id = "a", id = "b", deadline_ms = 3);
        let output = hook(
            &GRAMMAR,
            arguments,
            quote!(
                struct Words<T>;
            ),
        )
        .to_string();
        assert_eq!(output.matches("compile_error").count(), 6, "{output}");
    }

    #[test]
    fn each_attribute_checks_its_literals() {
        for (protocol, arguments, expected) in [
            (&GRAMMAR, quote!(session_start, strength = required), 2),
            (
                &guidance::GRAMMAR,
                quote!(session, start, requirement = MAY, name = "Care"),
                2,
            ),
            (&mcpl::GRAMMAR, quote!(enabled, feature_set = Recall), 2),
            (&aos::GRAMMAR, quote!(tool_call_request, tags("")), 3),
            (&plugin::GRAMMAR, quote!(tool_pre_invoke, tags("")), 3),
        ] {
            let arguments = quote!(#arguments, id = "i d", deadline = "0 s");
            let function = quote!(
                async fn check(_server: &Memory) {}
            );
            let output = hook(protocol, arguments, function).to_string();
            assert_eq!(
                output.matches("compile_error").count(),
                expected,
                "{output}"
            );
        }
    }

    #[test]
    fn all_paths_begin_at_the_given_crate() {
        let function = quote!(
            async fn check(_server: &Memory) -> String {}
        );
        let unit = quote!(
            /// Words.
            struct Words;
        );
        let start = quote!(
            session,
            start,
            requirement = MAY,
            name = "Care",
            crate = facade
        );
        let deny = quote!(tool_pre_invoke, deny = "no", crate = facade);
        let set = quote!("recall", sends(push), crate = facade);
        let tie = quote!(feature_set = Recall, crate = facade);
        let tool = quote!(
            const edit: Memory = __hooks_tool!("edit");
        );
        let first = quote!(session_start, strength = required, crate = facade);
        for output in [
            hook(&GRAMMAR, first.clone(), function.clone()),
            hook(&GRAMMAR, quote!(#first, text = "Hello."), unit.clone()),
            hook(&guidance::GRAMMAR, start.clone(), function.clone()),
            hook(
                &guidance::GRAMMAR,
                quote!(#start, text = "Hello."),
                unit.clone(),
            ),
            hook(
                &mcpl::GRAMMAR,
                quote!(after_inference, feature_set = Recall, crate = facade),
                function.clone(),
            ),
            hook(
                &aos::GRAMMAR,
                quote!(tool_call_request, crate = facade),
                function.clone(),
            ),
            hook(&plugin::GRAMMAR, deny, unit.clone()),
            mcpl::feature_set::feature_set(set, unit),
            crate::tie::attribute(&mcpl::tool::TIE, tie, tool.clone()),
            crate::tie::attribute(
                &aos::step::MEMORY_STORE,
                quote!(content = "args.text", crate = facade),
                tool,
            ),
            crate::session::derive(quote!(
                #[session(crate = facade)]
                enum Stage {
                    #[stage(start, allow(any))]
                    Ready,
                }
            )),
        ] {
            let output = output.to_string();
            assert!(!output.contains("compile_error"), "{output}");
            assert!(output.contains("facade :: __private"), "{output}");
            assert!(!output.contains("hooks_sdk ::"), "{output}");
        }
    }
}
