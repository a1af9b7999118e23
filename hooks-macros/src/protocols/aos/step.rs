//! `#[aos::memory_store(…)]`, `#[aos::memory_retrieval(…)]` and `#[aos::knowledge(…)]`, for tools that are steps of memory
//! or of knowledge.

use hooks_text::condition::{Step, parse_path};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::LitStr;

use crate::{
    expand::passes,
    grammar::{Elsewhere, Key, Leading, Table},
    item::Tool,
    path::Root,
    report::Errors,
    settings::Settings,
    tie::Tie,
    value::Kind,
};

const CRATE: Key = Key::new("crate", Kind::Path);

pub(crate) const MEMORY_STORE: Tie = Tie {
    table: table(
        "aos::memory_store",
        &[
            Key::new("content", Kind::Text)
                .required("add `content = \"args.…\"`, the path to the argument that is stored"),
            CRATE,
        ],
    ),
    by_hand: "aos::ToolStep::memory_store::<…>(…)",
    make: |root, tool, settings, errors| {
        let content = settings.text("content");
        let mut checks = TokenStream::new();
        checks.extend(content.map(|path| checked(root, "argument", path, errors)));
        let protocol = root.protocol("aos");
        let Tool { server, tool, .. } = tool;
        (
            checks,
            quote!(#protocol::ToolStep::memory_store::<#server>(#tool, #content)),
        )
    },
};

pub(crate) const MEMORY_RETRIEVAL: Tie = Tie {
    table: table(
        "aos::memory_retrieval",
        &[Key::new("content", Kind::Text), CRATE],
    ),
    by_hand: "aos::ToolStep::memory_retrieval::<…>(…)",
    make: |root, tool, settings, errors| {
        retrieval(root, "memory_retrieval", tool, settings, errors)
    },
};

pub(crate) const KNOWLEDGE: Tie = Tie {
    table: table(
        "aos::knowledge",
        &[
            Key::new("content", Kind::Text),
            Key::new("query", Kind::Text),
            Key::new("keywords", Kind::Text),
            CRATE,
        ],
    ),
    by_hand: "aos::ToolStep::knowledge::<…>(…)",
    make: |root, tool, settings, errors| retrieval(root, "knowledge", tool, settings, errors),
};

const fn table(attribute: &'static str, keys: &'static [Key]) -> Table {
    Table {
        attribute,
        leading: Leading::Nothing,
        keys,
        renamed: &[],
        elsewhere: Elsewhere::NOTHING,
    }
}

/// Generates the step of a tool that retrieves.
fn retrieval(
    root: &Root,
    kind: &str,
    tool: &Tool,
    settings: &Settings,
    errors: &mut Errors,
) -> (TokenStream, TokenStream) {
    let (mut checks, mut calls) = (TokenStream::new(), TokenStream::new());
    for (key, rule) in [
        ("content", "result"),
        ("query", "argument"),
        ("keywords", "argument"),
    ] {
        if let Some(path) = settings.text(key) {
            checks.extend(checked(root, rule, path, errors));
            let method = Ident::new(key, Span::call_site());
            calls.extend(quote!(.#method(#path)));
        }
    }
    let protocol = root.protocol("aos");
    let kind = Ident::new(kind, Span::call_site());
    let Tool { server, tool, .. } = tool;
    (
        checks,
        quote!(#protocol::ToolStep::#kind::<#server>(#tool) #calls),
    )
}

/// Reads a path, and generates the check of where it begins.
fn checked(root: &Root, rule: &str, written: &LitStr, errors: &mut Errors) -> TokenStream {
    match parse_path(&written.value()) {
        Ok(path) => {
            let (protocol, first) = (root.protocol("aos"), &path.root);
            let checked = match (rule, path.steps.first()) {
                ("result", Some(Step::Member(member))) => {
                    quote!(result(#first, #member))
                }
                ("result", _) => quote!(result(#first, "")),
                _ => {
                    let steps = path.steps.len();
                    quote!(argument(#first, #steps))
                }
            };
            passes(&protocol, checked, written)
        }
        Err(fault) => {
            errors.push(written, fault.message, fault.help);
            TokenStream::new()
        }
    }
}
