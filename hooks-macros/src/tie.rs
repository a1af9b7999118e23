//! The attributes of methods that are also a `#[tool]`: each ties the tool to something.

use proc_macro2::TokenStream;
use quote::quote;
use syn::FnArg;

use crate::{
    expand::{self, submission},
    grammar::Table,
    item::{Item, Tool},
    key::Target,
    made::finished,
    path::Root,
    protocols::{aos::step, mcpl},
    report::Errors,
    settings::Settings,
};

/// An attribute that ties a tool to something.
pub(crate) struct Tie {
    pub(crate) table: Table,
    /// The constructor that does the same by hand, for messages.
    pub(crate) by_hand: &'static str,
    /// Checks the values, and generates the hook.
    pub(crate) make: fn(&Root, &Tool, &Settings, &mut Errors) -> TokenStream,
}

/// Every tie.
pub(crate) const TIES: [&Tie; 4] = [
    &mcpl::tool::TIE,
    &step::MEMORY_STORE,
    &step::MEMORY_RETRIEVAL,
    &step::KNOWLEDGE,
];

/// Expands a tie.
pub(crate) fn attribute(tie: &Tie, args: TokenStream, item: TokenStream) -> TokenStream {
    expand::attribute(item, |item, errors| {
        let tool = match item {
            Item::Tool(tool) => tool,
            other => {
                wrong_item(tie, &other, errors);
                return None;
            }
        };
        let (_, settings) = tie.table.read(args, Target::Tool, errors);
        let root = Root::new(settings.path("crate").cloned());
        let hook = (tie.make)(&root, &tool, &settings, errors);
        let hook = finished(&root, &tool.name, &hook);
        let private = root.private();
        let submission = submission(&root, &quote!(__hook));
        errors.is_empty().then(|| {
            quote! {
                fn __hook() -> #private::CoreHook {
                    #hook
                }
                #submission
            }
        })
    })
}

fn wrong_item(tie: &Tie, item: &Item, errors: &mut Errors) {
    const HELP: &str = "put it on a method that is also a `#[tool]`, in an `impl` block with `#[hooks_sdk::hooks]`";
    let attribute = tie.table.attribute;
    if let Item::Function(function) = item
        && let Some(FnArg::Receiver(receiver)) = function.sig.inputs.first()
    {
        let wrong = format_args!("`#[{attribute}]` on a method cannot see the type of `self`");
        let help = "put `#[hooks_sdk::hooks]` on this `impl` block";
        errors.push(receiver, wrong, help);
        return;
    }
    let (what, at) = item.described();
    errors.push(at, format_args!("`#[{attribute}]` on {what}"), HELP);
}
