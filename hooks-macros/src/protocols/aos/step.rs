//! `#[aos::memory_store(…)]`, `#[aos::memory_retrieval(…)]` and `#[aos::knowledge(…)]`, for tools that are steps of memory
//! or of knowledge.

use hooks_text::{
    condition::{Path, parse_path},
    problem::Problem,
    rule::aos::{argument, result},
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::{
    grammar::{Leading, Table},
    item::Tool,
    key::{CRATE, Key},
    path::Root,
    report::Errors,
    settings::Settings,
    tie::Tie,
    value::Kind,
};

const CONTENT: Key = Key::new("content", Kind::Text);

pub(crate) const MEMORY_STORE: Tie = Tie {
    table: Table::new(
        "aos::memory_store",
        Leading::Nothing,
        &[
            CONTENT.required("add `content = \"args.…\"`, the path to the argument that is stored"),
            CRATE,
        ],
    ),
    by_hand: "aos::ToolStep::memory_store::<…>(…)",
    make: |root, tool, settings, errors| {
        check(settings, "content", argument, errors);
        let (protocol, content) = (root.protocol("aos"), settings.text("content"));
        let Tool { server, tool, .. } = tool;
        quote!(#protocol::ToolStep::memory_store::<#server>(#tool, #content))
    },
};

pub(crate) const MEMORY_RETRIEVAL: Tie = Tie {
    table: Table::new(
        "aos::memory_retrieval",
        Leading::Nothing,
        &[CONTENT.call("content"), CRATE],
    ),
    by_hand: "aos::ToolStep::memory_retrieval::<…>(…)",
    make: |root, tool, settings, errors| {
        retrieval(
            &MEMORY_RETRIEVAL,
            "memory_retrieval",
            root,
            tool,
            settings,
            errors,
        )
    },
};

pub(crate) const KNOWLEDGE: Tie = Tie {
    table: Table::new(
        "aos::knowledge",
        Leading::Nothing,
        &[
            CONTENT.call("content"),
            Key::new("query", Kind::Text).call("query"),
            Key::new("keywords", Kind::Text).call("keywords"),
            CRATE,
        ],
    ),
    by_hand: "aos::ToolStep::knowledge::<…>(…)",
    make: |root, tool, settings, errors| {
        retrieval(&KNOWLEDGE, "knowledge", root, tool, settings, errors)
    },
};

/// Generates the step of a tool that retrieves.
fn retrieval(
    tie: &Tie,
    kind: &str,
    root: &Root,
    tool: &Tool,
    settings: &Settings,
    errors: &mut Errors,
) -> TokenStream {
    check(settings, "content", result, errors);
    for key in ["query", "keywords"] {
        check(settings, key, argument, errors);
    }
    let (protocol, kind) = (root.protocol("aos"), format_ident!("{kind}"));
    let calls = settings.calls(&tie.table, root, |_| true);
    let Tool { server, tool, .. } = tool;
    quote!(#protocol::ToolStep::#kind::<#server>(#tool) #calls)
}

/// Reads the path of a key, and reports what is wrong with it.
fn check(settings: &Settings, key: &str, rule: fn(&Path) -> Option<Problem>, errors: &mut Errors) {
    let Some(written) = settings.text(key) else {
        return;
    };
    match parse_path(&written.value()) {
        Ok(path) => errors.broken(written, rule(&path)),
        Err(fault) => errors.push(written, fault.message, fault.help),
    }
}
