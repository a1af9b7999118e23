//! The checks of the attribute's values, and the definition that is made from them.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::{
    expand::{passes, respan},
    model::Model,
};

/// Generates aliases of the two leading words, so that rustc reports an unknown one once, and the checks of the values.
pub(super) fn checks(model: &Model) -> TokenStream {
    let Model {
        root,
        words,
        name: tag,
        settings,
        ..
    } = model;
    let protocol = model.root.protocol("guidance");
    let [hook_type, lifecycle] = words.as_slice() else {
        return TokenStream::new();
    };
    // With the span of the author's word, so that rustc underlines a word of the other axis.
    let of_type =
        quote!(const __TYPE: #protocol::HookType = <__Type as #protocol::TypeWord>::TYPE;);
    let of_type = respan(of_type, hook_type.span());
    let of_lifecycle = quote!(const __LIFECYCLE: #protocol::Lifecycle = <__Lifecycle as #protocol::LifecycleWord>::LIFECYCLE;);
    let of_lifecycle = respan(of_lifecycle, lifecycle.span());
    let mut checks = quote! {
        type __Type = #root::guidance::point::#hook_type;
        type __Lifecycle = #root::guidance::point::#lifecycle;
        #of_type
        #of_lifecycle
    };
    checks.extend(passes(&protocol, quote!(tag(#tag)), tag));
    for key in ["name", "app"] {
        if let Some(text) = settings.text(key) {
            let rule = proc_macro2::Ident::new(key, text.span());
            checks.extend(passes(&protocol, quote!(#rule(#text)), text));
        }
    }
    for key in ["storage", "tags", "dependencies"] {
        for text in settings.texts(key).unwrap_or_default() {
            checks.extend(passes(&protocol, quote!(not_empty(#text)), text));
        }
    }
    if let (Some(key), Some(tool)) = (settings.key("tool"), settings.text("tool")) {
        checks.extend(passes(&protocol, quote!(about_tools(__TYPE)), key));
        checks.extend(passes(&protocol, quote!(glob(#tool)), tool));
    }
    if let Some(time) = settings.text("deadline") {
        checks.extend(passes(&protocol, quote!(deadline(#time)), time));
    }
    checks
}

/// Generates the checks of a hook that is also a skill: of its name, and of its description.
pub(super) fn skill(model: &Model, doc: Option<String>) -> TokenStream {
    let (protocol, tag) = (model.root.protocol("guidance"), &model.name);
    let Some(key) = model.settings.key("skill") else {
        return TokenStream::new();
    };
    let name = passes(&protocol, quote!(skill_name(#tag)), key);
    let written = model.settings.text("description");
    let text = written.map_or_else(|| doc.unwrap_or_default(), syn::LitStr::value);
    let rule = quote!(skill_description(#text));
    let description = match written {
        Some(written) => passes(&protocol, rule, written),
        None => passes(&protocol, rule, key),
    };
    quote!(#name #description)
}

/// Generates the definition. The doc comment describes it unless the attribute has a `description`.
pub(super) fn input(model: &Model, doc: Option<String>) -> TokenStream {
    let Model {
        root,
        name: tag,
        settings,
        ..
    } = model;
    let protocol = model.root.protocol("guidance");
    let private = root.private();
    let name = settings.text("name");
    let requirement = settings.word("requirement");
    let mut input = quote! {
        #protocol::HookInput::new(
            __TYPE,
            __LIFECYCLE,
            #tag,
            #name,
            #root::guidance::requirement::#requirement,
        )
    };
    let description = settings.text("description").map(ToTokens::to_token_stream);
    if let Some(description) = description.or_else(|| doc.map(ToTokens::into_token_stream)) {
        input.extend(quote!(.description(#description)));
    }
    for key in ["app", "tool"] {
        let method = proc_macro2::Ident::new(key, proc_macro2::Span::call_site());
        if let Some(text) = settings.text(key) {
            input.extend(quote!(.#method(#text)));
        }
    }
    if let Some(weight) = settings.number("weight") {
        input.extend(quote!(.priority(#weight)));
    }
    for (key, method) in [
        ("storage", quote!(requires_storage)),
        ("tags", quote!(tags)),
        ("dependencies", quote!(dependencies)),
    ] {
        if let Some(texts) = settings.texts(key) {
            input.extend(quote!(.#method([#(#texts),*])));
        }
    }
    if let Some(features) = settings.words("features") {
        input.extend(quote!(.requires_features([#(#root::guidance::feature::#features),*])));
    }
    if let Some(members) = settings.json("config") {
        let members = members.iter().map(|(name, value)| {
            quote!((::std::string::String::from(#name), #private::serde_json::json!(#value)))
        });
        input.extend(
            quote!(.requires_config(::core::iter::FromIterator::from_iter([#(#members),*]))),
        );
    }
    for key in ["blocking", "required"] {
        let method = proc_macro2::Ident::new(key, proc_macro2::Span::call_site());
        if let Some(flag) = settings.flag(key) {
            input.extend(quote!(.#method(#flag)));
        }
    }
    input
}
