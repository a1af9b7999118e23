//! The attribute macros of hooks-sdk. Use them through hooks-sdk, which re-exports and documents them.

mod args;
mod condition;
mod container;
mod expand;
mod grammar;
mod item;
mod key;
mod made;
mod method;
mod model;
mod path;
mod protocols;
mod relations;
mod report;
mod session;
mod settings;
mod signature;
mod strip;
mod text;
mod tie;
mod tokens;
mod value;

use proc_macro::TokenStream;

/// A lifecycle hook; see `hooks_sdk::lifecycle::hook`.
#[proc_macro_attribute]
pub fn lifecycle_hook(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::hook(&protocols::lifecycle::GRAMMAR, args.into(), item.into()).into()
}

/// A guidance hook; see `hooks_sdk::guidance::hook`.
#[proc_macro_attribute]
pub fn guidance_hook(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::hook(&protocols::guidance::GRAMMAR, args.into(), item.into()).into()
}

/// A folder of guidance hooks; see `hooks_sdk::guidance::dir`.
#[proc_macro]
pub fn guidance_dir(args: TokenStream) -> TokenStream {
    protocols::guidance::dir::dir(args.into()).into()
}

/// An MCPL hook; see `hooks_sdk::mcpl::hook`.
#[proc_macro_attribute]
pub fn mcpl_hook(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::hook(&protocols::mcpl::GRAMMAR, args.into(), item.into()).into()
}

/// A feature set; see `hooks_sdk::mcpl::feature_set`.
#[proc_macro_attribute]
pub fn mcpl_feature_set(args: TokenStream, item: TokenStream) -> TokenStream {
    protocols::mcpl::feature_set::feature_set(args.into(), item.into()).into()
}

/// A tool of a feature set; see `hooks_sdk::mcpl::tool`.
#[proc_macro_attribute]
pub fn mcpl_tool(args: TokenStream, item: TokenStream) -> TokenStream {
    tie::attribute(&protocols::mcpl::tool::TIE, args.into(), item.into()).into()
}

/// A plugin hook; see `hooks_sdk::plugin::hook`.
#[proc_macro_attribute]
pub fn plugin_hook(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::hook(&protocols::plugin::GRAMMAR, args.into(), item.into()).into()
}

/// A list hook; see `hooks_sdk::plugin::list`.
#[proc_macro_attribute]
pub fn plugin_list(args: TokenStream, item: TokenStream) -> TokenStream {
    protocols::plugin::list::list(args.into(), item.into()).into()
}

/// A kind of plugin; see `hooks_sdk::plugin`.
#[proc_macro_attribute]
pub fn plugin_kind(args: TokenStream, item: TokenStream) -> TokenStream {
    protocols::plugin::kind::kind(args.into(), item.into()).into()
}

/// A hook of a guardian; see `hooks_sdk::aos::hook`.
#[proc_macro_attribute]
pub fn aos_hook(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::hook(&protocols::aos::GRAMMAR, args.into(), item.into()).into()
}

/// A tool that stores memory; see `hooks_sdk::aos::memory_store`.
#[proc_macro_attribute]
pub fn aos_memory_store(args: TokenStream, item: TokenStream) -> TokenStream {
    tie::attribute(
        &protocols::aos::step::MEMORY_STORE,
        args.into(),
        item.into(),
    )
    .into()
}

/// A tool that retrieves memory; see `hooks_sdk::aos::memory_retrieval`.
#[proc_macro_attribute]
pub fn aos_memory_retrieval(args: TokenStream, item: TokenStream) -> TokenStream {
    tie::attribute(
        &protocols::aos::step::MEMORY_RETRIEVAL,
        args.into(),
        item.into(),
    )
    .into()
}

/// A tool that retrieves knowledge; see `hooks_sdk::aos::knowledge`.
#[proc_macro_attribute]
pub fn aos_knowledge(args: TokenStream, item: TokenStream) -> TokenStream {
    tie::attribute(&protocols::aos::step::KNOWLEDGE, args.into(), item.into()).into()
}

/// An `impl` block with hooks; see `hooks_sdk::hooks`.
#[proc_macro_attribute]
pub fn hooks(args: TokenStream, item: TokenStream) -> TokenStream {
    container::hooks(args.into(), item.into()).into()
}

/// An enum as a session's states; see `hooks_sdk::session::SessionState`.
#[proc_macro_derive(SessionState, attributes(session, stage))]
pub fn session_state(item: TokenStream) -> TokenStream {
    session::derive(item.into()).into()
}
