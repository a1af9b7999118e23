//! `#[plugin::list(tools, …)]`, which makes a plain function a list hook.

use hooks_text::{PLUGIN_LISTS, rule};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{FnArg, LitStr, ReturnType};

use super::items;
use crate::{
    expand::{attribute, submission},
    grammar::{Leading, Table},
    item::{Function, Item, conditions, snake_case},
    key::{CRATE, ID, SERVER, Target, globs},
    made::{finished, first_span},
    path::Root,
    report::Errors,
    strip::ends_with,
};

pub(super) const TABLE: Table = Table::new(
    "plugin::list",
    Leading::Words(&[&PLUGIN_LISTS]),
    &[
        globs("tool", "items"),
        globs("prompt", "items"),
        globs("resource", "items"),
        SERVER,
        ID,
        CRATE,
    ],
);

/// Expands the attribute.
pub(crate) fn list(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(item, |item, errors| {
        let function = function(item, errors)?;
        let (args, settings) = TABLE.read(args, Target::Function, errors);
        let name = &function.sig.ident;
        let id = settings.text("id").cloned();
        let id = id.unwrap_or_else(|| LitStr::new(&snake_case(name), name.span()));
        errors.broken(&id, rule::id(&id.value()));
        let of = args.words.first()?;
        let list = of.to_string();
        items(&settings, |key| rule::plugin::items_of(key, &list), errors);
        if !errors.is_empty() {
            return None;
        }
        let root = Root::new(settings.path("crate").cloned());
        let (private, protocol) = (root.private(), root.protocol("plugin"));
        let calls = settings.calls(&TABLE, &root, |_| true);
        let list = quote!(#root::plugin::list_of::#of);
        let hook = quote!(#protocol::ListHook::new(#id, #list, __SHOW) #calls);
        let hook = finished(&root, of, &hook);
        // With the author's spans, so that rustc underlines a wrong answer, or the name of a function of another form.
        let item = Ident::new("__item", Span::call_site().located_at(name.span()));
        let answer = match &function.sig.output {
            ReturnType::Default => quote_spanned!(name.span()=> ()),
            ReturnType::Type(_, answer) => answer.to_token_stream(),
        };
        let listed = quote_spanned! {first_span(&answer)=>
            <#answer as #protocol::ListAnswer>::listed(#name(#item))
        };
        let show = quote!(
            const __SHOW: fn(&#protocol::ListedItem) -> #protocol::Listed = |#item| #listed;
        );
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
        other => other.described(),
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
    let again =
        |attr: &&syn::Attribute| ends_with(attr.meta.to_token_stream(), &["plugin", "list"]);
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
