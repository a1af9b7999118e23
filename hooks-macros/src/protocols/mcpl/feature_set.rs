//! `#[mcpl::feature_set("name", …)]`, which makes a unit struct a feature set.

use hooks_text::{SENDERS, rule::mcpl as rules};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::LitStr;

use crate::{
    expand::{attribute, submission},
    grammar::{Leading, Table},
    item::{Item, Unit, conditions, doc},
    key::{CRATE, Key, SERVER, Target},
    made::finished,
    path::Root,
    report::Errors,
    settings::Settings,
    strip::ends_with,
    value::Kind,
};

pub(super) const TABLE: Table = Table::new(
    "mcpl::feature_set",
    Leading::Text("name", "\"memory.recall\""),
    &[
        Key::new("sends", Kind::Words(&SENDERS)),
        Key::new("optional", Kind::Words(&SENDERS)).apart("sends"),
        Key::new("scoped", Kind::Switch).call("scoped"),
        Key::new("rollback", Kind::Switch).call("rollback"),
        Key::new("later", Kind::Switch).call("later"),
        Key::new("tag_ontology", Kind::Text).call("tag_ontology"),
        Key::new("description", Kind::Text),
        SERVER,
        CRATE,
    ],
);

/// A feature set that passed the checks of its grammar.
struct Set {
    root: Root,
    name: LitStr,
    description: LitStr,
    settings: Settings,
    unit: Unit,
}

/// Expands the attribute.
pub(crate) fn feature_set(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(item, |item, errors| {
        let unit = unit(item, errors)?;
        let fits = errors.is_empty();
        let (args, settings) = TABLE.read(args, Target::UnitStruct, errors);
        let root = Root::new(settings.path("crate").cloned());
        let placeholder = placeholder(&root, &unit);
        match Set::read(root, args.text, settings, unit, errors) {
            Some(set) => Some(set.expand()),
            None => fits.then_some(placeholder),
        }
    })
}

/// Returns the struct, or reports why the item cannot be a feature set.
fn unit(item: Item, errors: &mut Errors) -> Option<Unit> {
    let Item::Unit(unit) = item else {
        let (what, at) = item.described();
        let wrong = format_args!("`#[mcpl::feature_set]` on {what}");
        errors.push(at, wrong, "put it on a unit struct, `struct Name;`");
        return None;
    };
    if !unit.generics.params.is_empty() {
        let wrong = format_args!("`{}` is generic, and a feature set is one type", unit.name);
        let help = format_args!("write `struct {};`", unit.name);
        errors.push(&unit.generics, wrong, help);
    }
    let again = |attr: &&syn::Attribute| ends_with(attr.meta.to_token_stream(), &["feature_set"]);
    if let Some(second) = unit.attrs.iter().find(again) {
        let wrong = format_args!("`{}` has two `#[mcpl::feature_set]` attributes", unit.name);
        errors.push(
            second,
            wrong,
            "keep one, and write another struct for the other",
        );
    }
    Some(unit)
}

/// Stands in for a set with mistakes, so that the hooks, tools and senders that name it cause no further errors.
fn placeholder(root: &Root, unit: &Unit) -> TokenStream {
    let conditions: Vec<_> = conditions(&unit.attrs).collect();
    let set = &unit.name;
    let protocol = root.protocol("mcpl");
    quote! {
        #(#conditions)*
        const _: () = {
            #[automatically_derived]
            impl #protocol::FeatureSet for #set {
                const DEFINITION: #protocol::Definition = #protocol::Definition::new("", "");
            }
            #[automatically_derived]
            impl<S: #protocol::sender::Word> #protocol::Sends<S> for #set {}
            #[automatically_derived]
            impl #protocol::Scoped for #set {}
        };
    }
}

impl Set {
    /// Reads the feature set. Returns `None` after reporting at least one error.
    fn read(
        root: Root,
        name: Option<LitStr>,
        settings: Settings,
        unit: Unit,
        errors: &mut Errors,
    ) -> Option<Set> {
        let description = settings.text("description").cloned().or_else(|| {
            let doc = doc(&unit.attrs)?;
            Some(LitStr::new(&doc, unit.name.span()))
        });
        if description.is_none() && settings.key("description").is_none() {
            let wrong = format_args!("`{}` has no description", unit.name);
            let help = "add a doc comment that says what it does, or `description = \"…\"`";
            errors.push(&unit.name, wrong, help);
        }
        let (name, description) = (name?, description?);
        errors.broken(&name, rules::name(&name.value()));
        errors.broken(&description, rules::description(&description.value()));
        let set = Set {
            root,
            name,
            description,
            settings,
            unit,
        };
        errors.is_empty().then_some(set)
    }

    fn expand(&self) -> TokenStream {
        let Set {
            root, name, unit, ..
        } = self;
        let Unit {
            attrs,
            vis,
            name: set,
            ..
        } = unit;
        let conditions: Vec<_> = conditions(attrs).collect();
        let private = root.private();
        let protocol = root.protocol("mcpl");
        let server = self.settings.calls(&TABLE, root, |key| key == "server");
        let hook = finished(
            root,
            set,
            &quote!(#protocol::McplHook::feature_set::<#set>() #server),
        );
        let implementations = self.implementations();
        let submission = submission(root, &quote!(#set::hook));
        let name_doc = format!("The name of this feature set, `{}`.", name.value());
        quote! {
            #(#conditions)*
            impl #set {
                #[doc = #name_doc]
                #vis const NAME: &'static ::core::primitive::str = #name;

                /// This feature set, for adding it to a registry by hand.
                #[must_use]
                #vis fn hook() -> #private::CoreHook {
                    #hook
                }
            }
            #(#conditions)*
            const _: () = {
                // Without a value of it anywhere, rustc warns that the struct is "never constructed".
                const _: #set = #set;
                #implementations
                #submission
            };
        }
    }

    /// Implements the traits. Each sender has an alias, so that rustc reports an unknown one once.
    fn implementations(&self) -> TokenStream {
        let Set {
            root,
            name,
            description,
            settings,
            unit,
        } = self;
        let set = &unit.name;
        let protocol = root.protocol("mcpl");
        let mut senders = TokenStream::new();
        let mut lists = TokenStream::new();
        for key in ["sends", "optional"] {
            let words = settings.words(key).unwrap_or_default();
            let aliases: Vec<Ident> = words
                .iter()
                .map(|word| format_ident!("__sender_{word}", span = word.span()))
                .collect();
            senders.extend(quote! {
                #(
                    #[allow(non_camel_case_types)]
                    type #aliases = #root::mcpl::sender::#words;
                    #[automatically_derived]
                    impl #protocol::Sends<#aliases> for #set {}
                )*
            });
            let method = format_ident!("{key}");
            if !words.is_empty() {
                lists.extend(
                    quote!(.#method(&[#(<#aliases as #protocol::sender::Word>::SENDER),*])),
                );
            }
        }
        let calls = settings.calls(&TABLE, root, |key| key != "server");
        let scoped = settings.switch("scoped").map(|_| {
            quote! {
                #[automatically_derived]
                impl #protocol::Scoped for #set {}
            }
        });
        quote! {
            // Where another type is no feature set, rustc would show this one.
            #[diagnostic::do_not_recommend]
            #[automatically_derived]
            impl #protocol::FeatureSet for #set {
                const DEFINITION: #protocol::Definition =
                    #protocol::Definition::new(#name, #description) #lists #calls;
            }
            #senders
            #scoped
        }
    }
}
