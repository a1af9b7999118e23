//! `#[plugin::list(tools, …)]`, which makes a plain function a list hook.

use hooks_text::PLUGIN_LISTS;
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{FnArg, LitStr};

use super::{globs, items, passes, protocol};
use crate::{
    expand::{attribute, submission},
    grammar::{Elsewhere, Key, Leading, Table, Target},
    item::{Function, Item, conditions, snake_case},
    made::finished,
    path::Root,
    report::Errors,
    strip::ends_with,
    value::Kind,
};

pub(super) const TABLE: Table = Table {
    attribute: "plugin::list",
    leading: Leading::Words(&[&PLUGIN_LISTS]),
    keys: &[
        Key::new("tool", Kind::Globs),
        Key::new("prompt", Kind::Globs),
        Key::new("resource", Kind::Globs),
        Key::new("server", Kind::Type),
        Key::new("id", Kind::Text),
        Key::new("crate", Kind::Path),
    ],
    renamed: &[],
    elsewhere: Elsewhere::NOTHING,
};

/// Expands the attribute.
pub(crate) fn list(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(item, |item, errors| {
        let function = function(item, errors)?;
        let (args, settings) = TABLE.read(args, Target::Function, errors);
        if !errors.is_empty() {
            return None;
        }
        let of = args.words.first()?;
        let root = Root::new(settings.path("crate").cloned());
        let (private, protocol) = (root.private(), protocol(&root));
        let name = &function.sig.ident;
        let id = settings.text("id").cloned();
        let id = id.unwrap_or_else(|| LitStr::new(&snake_case(name), name.span()));
        let mut checks = quote!(const __OF: #protocol::ListOf = #root::plugin::list_of::#of;);
        checks.extend(passes(&root, &quote!(id(#id)), &id));
        checks.extend(globs(&root, &settings, &quote!(__OF.family())));
        let items = items(&settings);
        let server = settings
            .ty("server")
            .map(|server| quote!(.server::<#server>()));
        let hook = quote!(#protocol::ListHook::new(#id, __OF, __SHOW) #items #server);
        let hook = finished(&root, of, &hook);
        // With the author's span, so that rustc underlines the name of a function of another form.
        let show = quote_spanned! {name.span()=>
            const __SHOW: fn(&#protocol::ListedItem) -> #protocol::Listed = #name;
        };
        let (vis, make) = (&function.vis, format_ident!("{name}_hook"));
        let conditions: Vec<_> = conditions(&function.attrs).collect();
        let doc = format!(
            "The list hook `{}` of [`{name}`], for adding it to a registry by hand.",
            id.value()
        );
        let submission = submission(&root, &quote!(#make));
        Some(quote! {
            #(#conditions)*
            #[doc = #doc]
            #[must_use]
            #vis fn #make() -> #private::CoreHook {
                #checks
                #show
                #hook
            }
            #(#conditions)*
            const _: () = { #submission };
        })
    })
}

/// Returns the function, or reports why it cannot be a list hook.
fn function(item: Item, errors: &mut Errors) -> Option<Function> {
    let (what, at) = match item {
        Item::Function(function) => return plain(*function, errors),
        Item::Unit(unit) => (
            "a unit struct",
            quote::ToTokens::to_token_stream(&unit.name),
        ),
        Item::Tool(tool) => ("a method", quote::ToTokens::to_token_stream(&tool.name)),
        Item::Other(what, at) => (what, at.into_iter().take(2).collect()),
    };
    let help = "put it on a function: `fn name(tool: &ListedItem) -> Listed`";
    errors.push(at, format_args!("`#[plugin::list]` on {what}"), help);
    None
}

fn plain(function: Function, errors: &mut Errors) -> Option<Function> {
    let sig = &function.sig;
    let name = &sig.ident;
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        let wrong = "a list hook is a function of the item alone, and takes no `self`";
        errors.push(
            receiver,
            wrong,
            "move it out of the `impl` block, and remove `self`",
        );
        return None;
    }
    if let Some(token) = &sig.asyncness {
        let wrong = format_args!("`{name}` is `async`, but lists are answered at once");
        errors.push(token, wrong, format_args!("write `fn {name}`"));
    }
    if let Some(extra) = sig.inputs.iter().nth(1) {
        let wrong = format_args!("`{name}` takes more than an item");
        let help = "remove this argument: a list is the same for every session";
        errors.push(extra, wrong, help);
    } else if sig.inputs.is_empty() {
        let help = format_args!("write `fn {name}(item: &ListedItem) -> Listed`");
        errors.push(name, format_args!("`{name}` takes no item"), help);
    }
    if let Some(parameter) = sig.generics.params.first() {
        let wrong = format_args!("`{name}` is generic, and a collected hook needs concrete types");
        errors.push(parameter, wrong, "write the types out");
    }
    let again = |attr: &&syn::Attribute| {
        ends_with(
            quote::ToTokens::to_token_stream(&attr.meta),
            &["plugin", "list"],
        )
    };
    if let Some(second) = function.attrs.iter().find(again) {
        let wrong = format_args!("`{name}` has two `#[plugin::list]` attributes");
        errors.push(
            second,
            wrong,
            "keep one, and write another function for the other",
        );
    }
    Some(function)
}
