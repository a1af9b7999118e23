//! `#[hooks] impl`, which moves each method's hook attribute, as written, to a free function that calls the method.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ItemImpl, Type};

use crate::{
    method::{Method, methods},
    protocols::by_hand,
    report::Errors,
    strip::{strip, ungroup},
};

/// Expands `#[hooks]` to the block without hook attributes, the functions and the errors.
pub(crate) fn hooks(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    if !args.is_empty() {
        errors.push(
            &args,
            "`#[hooks]` takes no keys",
            "write `#[hooks]`; each method's own attribute takes them",
        );
    }
    let item = ungroup(item);
    let Some((before, head, body)) = block(&item) else {
        let at: TokenStream = item.clone().into_iter().take(2).collect();
        errors.push(
            at,
            "`#[hooks]` on something other than an `impl` block",
            "put it on an `impl` block with hooks",
        );
        return quote!(#item #errors);
    };
    let mut kept = Group::new(Delimiter::Brace, strip(body.stream()));
    kept.set_span(body.span());
    let hooks = methods(body.stream(), &mut errors);
    // If the attributes are only removed, rustc warns of unused imports.
    let used: TokenStream = hooks.iter().map(Method::mentions).collect();
    if suits(&head, &hooks, &mut errors) {
        let functions: TokenStream = hooks
            .iter()
            .map(|method| method.hand_over(&head.self_ty, &mut errors))
            .collect();
        quote!(#before #kept #functions #errors)
    } else {
        quote!(#before #kept #used #errors)
    }
}

/// Splits an `impl` block into what is before its body, its head with an empty body, and its unparsed body.
pub(crate) fn block(item: &TokenStream) -> Option<(TokenStream, ItemImpl, Group)> {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let body = match tokens.pop()? {
        TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => body,
        _ => return None,
    };
    let before: TokenStream = tokens.into_iter().collect();
    let head = syn::parse2(quote!(#before {})).ok()?;
    Some((before, head, body))
}

/// Whether the hooks of this block can be collected; reports why not.
fn suits(head: &ItemImpl, hooks: &[Method], errors: &mut Errors) -> bool {
    let server = server_name(&head.self_ty);
    if let Some((path, _)) = &head.trait_ {
        let help = format_args!("move the hooks to an `impl {server}` block");
        errors.push(path, "`#[hooks]` on the `impl` of a trait", help);
        return false;
    }
    if hooks.is_empty() {
        errors.push(
            &head.self_ty,
            "`#[hooks]` found no hook in this `impl` block",
            "put a hook attribute, such as `#[lifecycle::hook(…)]`, on a method, or remove `#[hooks]`\n\
             note: what a `macro_rules!` call inside the block makes is not visible here; \
             let it make the whole `#[hooks] impl`",
        );
        return false;
    }
    if !head.generics.params.is_empty() {
        let by_hand = hooks.first().map_or("…", |hook| by_hand(&hook.path()));
        let help = format_args!(
            "put them on the `impl` of one concrete type, or add each by hand: \
             `Registry::builder().add({by_hand})`"
        );
        let wrong = "the hooks of a generic `impl` cannot be collected";
        errors.push(&head.generics, wrong, help);
        return false;
    }
    true
}

/// Returns the last word of the server's type, for messages.
fn server_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map_or_else(String::new, |last| last.ident.to_string()),
        other => other.to_token_stream().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(item: TokenStream) -> String {
        hooks(TokenStream::new(), item).to_string()
    }

    #[test]
    fn the_attribute_moves_as_written() {
        let output = expand(quote! {
            impl Memory {
                /// Recalls.
                #[cfg(unix)]
                #[lifecycle::hook(session_start, strength = required)]
                async fn recall(&self, start: &SessionStart) -> Result<String, Self> { if 1 + }
                fn other() {}
            }
        });
        let expected = quote! {
            impl Memory {
                /// Recalls.
                #[cfg(unix)]
                async fn recall(&self, start: &SessionStart) -> Result<String, Self> { if 1 + }
                fn other() {}
            }
            #[cfg(unix)]
            const _: () = {
                #[lifecycle::hook(session_start, strength = required)]
                /// Recalls.
                async fn recall(server: &Memory, argument1: &SessionStart) -> Result<String, Memory> {
                    <Memory>::recall(server, argument1).await
                }
            };
        };
        assert_eq!(output, expected.to_string());
    }

    #[test]
    fn a_tool_is_handed_over_by_name() {
        let output = expand(quote! {
            impl Memory {
                #[hook(session_start)]
                #[tool(description = "x", name = "recall-all")]
                async fn recall(&self, Parameters(query): Parameters<Query>) {}
            }
        });
        let mark = quote! {
            #[hook(session_start)]
            const recall: Memory = __hooks_tool!("recall-all");
        };
        assert!(output.contains(&mark.to_string()), "{output}");
        assert!(
            output.contains(&quote!(#[tool(description = "x", name = "recall-all")]).to_string())
        );
    }

    #[test]
    fn an_error_keeps_the_block() {
        for head in [
            quote!(impl<T> Memory<T>),
            quote!(impl Trait for Memory),
            quote!(impl Memory),
        ] {
            let output = expand(quote!(#head { #[hook(x)] fn a(self) {} fn b() {} }));
            assert!(
                output.starts_with(&quote!(#head { fn a(self) {} fn b() {} }).to_string()),
                "{output}"
            );
            assert!(output.contains("compile_error"), "{output}");
        }
        let output = expand(quote!(
            struct A {
                b: u8,
            }
        ));
        assert!(
            output.starts_with(
                &quote!(
                    struct A {
                        b: u8,
                    }
                )
                .to_string()
            ),
            "{output}"
        );
    }
}
