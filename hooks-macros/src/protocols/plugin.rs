//! `#[plugin::hook(point, …)]`, `#[plugin::list(…)]` and `#[plugin(kind = "…")]`.

pub(crate) mod kind;
pub(crate) mod list;

use hooks_text::{
    AGENT_TOOL_KINDS, PLUGIN_FIELDS, PLUGIN_INPUTS, PLUGIN_ITEMS, PLUGIN_MODES, PLUGIN_POINTS,
    PLUGIN_ROOTS, POSTURES, plugin_families,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::LitStr;

use crate::{
    expand::{Protocol, check},
    grammar::{
        Context, Elsewhere, Grammar, Key, Leading, Table,
        Target::{Function, UnitStruct},
        Texts,
    },
    item::{Unit, snake_case},
    made::{self, PointHook, answer, finished, first_span},
    model::{Model, Subject, Words},
    path::Root,
    settings::Settings,
    signature::Answering,
    value::Kind,
};

pub(crate) const PROTOCOL: Protocol = Protocol {
    grammar: &GRAMMAR,
    expand,
};

const GRAMMAR: Grammar = Grammar {
    table: Table {
        attribute: "plugin::hook",
        leading: Leading::Words(&[&PLUGIN_POINTS]),
        keys: KEYS,
        renamed: &[("deadline_ms", "deadline"), ("reason", "deny")],
        elsewhere: Elsewhere::NOTHING,
    },
    name: "id",
    case: snake_case,
    owner: ("server", "memory: &Memory"),
    input: "a payload",
    context: Some(Context {
        noun: "a context",
        mutable: true,
        name: None,
    }),
    inputs: PLUGIN_INPUTS,
    tools: false,
    texts: Some(Texts {
        noun: "a rule",
        inline: "deny",
        file: None,
        other: &[],
    }),
    by_hand: "plugin::PluginHook::answering::<…>(…)",
};

macro_rules! keys {
    (named { $($family:ident $key:ident $keys:ident $row:tt)+ } $($others:tt)*) => {
        const KEYS: &[Key] = &[
            $(Key::new(stringify!($key), Kind::Globs),)+
            Key::new("kind", Kind::Choice(&AGENT_TOOL_KINDS)),
            Key::new("when", Kind::Condition(&PLUGIN_ROOTS)),
            Key::new("unless", Kind::Condition(&PLUGIN_ROOTS)),
            Key::new("scopes", Kind::Globs),
            Key::new("deny", Kind::Text)
                .on(&[UnitStruct])
                .required("add `deny = \"…\"`, the reason that the client receives"),
            Key::new("code", Kind::Text).on(&[UnitStruct]),
            Key::new("description", Kind::Text).on(&[UnitStruct]),
            Key::new("priority", Kind::Integer),
            Key::new("mode", Kind::Word(&PLUGIN_MODES)),
            Key::new("posture", Kind::Word(&POSTURES)),
            Key::new("deadline", Kind::Time).on(&[Function]),
            Key::new("writable", Kind::Words(&PLUGIN_FIELDS)).on(&[Function]),
            Key::new("tags", Kind::Texts),
            Key::new("server", Kind::Type).on(&[UnitStruct]),
            Key::new("id", Kind::Text),
            Key::new("crate", Kind::Path),
        ];
    };
}
plugin_families!(keys);

/// Generates a check of one of the protocol's rules, with the span of what it is about.
fn passes(root: &Root, rule: &TokenStream, at: &impl ToTokens) -> TokenStream {
    let protocol = protocol(root);
    let pass = quote!(#protocol::rule::Problem::pass(#protocol::rule::#rule));
    check(pass, at)
}

/// Returns the path of the protocol in generated code.
fn protocol(root: &Root) -> TokenStream {
    let private = root.private();
    quote!(#private::plugin)
}

fn expand(model: &Model) -> TokenStream {
    match &model.subject {
        Subject::Unit(unit, words) => rule(model, unit, words),
        Subject::Answering(answering) => function(model, answering),
        // The grammar of this protocol accepts no tool.
        Subject::Tool(_) => TokenStream::new(),
    }
}

fn rule(model: &Model, unit: &Unit, words: &Words) -> TokenStream {
    let Model {
        root,
        name,
        settings,
        ..
    } = model;
    let protocol = protocol(root);
    let (Words::Inline(reason) | Words::File(reason) | Words::Tool(reason)) = words;
    let mut checks = checks(model);
    checks.extend(passes(root, &quote!(reason(#reason)), reason));
    checks.extend(passes(root, &quote!(denies(__AT)), reason));
    let mut calls = calls(model);
    for key in ["code", "description"] {
        if let Some(text) = settings.text(key) {
            let method = Ident::new(key, Span::call_site());
            checks.extend(passes(root, &quote!(not_empty(#text)), text));
            calls.extend(quote!(.#method(#text)));
        }
    }
    if let Some(server) = settings.ty("server") {
        calls.extend(quote!(.server::<#server>()));
    }
    let hook = quote!(#protocol::PluginHook::deny(#name, __Point {}, #reason) #calls);
    let hook = finished(root, model.first(), &hook);
    made::unit_struct(root, unit, &name.value(), &quote!(#checks #hook))
}

fn function(model: &Model, answering: &Answering) -> TokenStream {
    let mut checks = checks(model);
    checks.extend(checks_of_answer(model, answering));
    let calls = calls(model);
    let without_context = answering
        .context
        .is_none()
        .then(|| quote!(.without_context()));
    let calls = quote!(.asking(__ASKS) #without_context #calls);
    HOOK.function(model, answering, &quote!(), &checks, &calls)
}

const HOOK: PointHook = PointHook {
    protocol: "plugin",
    hook: "PluginHook",
    receive: "PluginInput",
    is_input: "IsPluginInput",
    context: "PluginContext",
    surround: "PluginSurround",
    mutable: true,
    answer: "PluginAnswer",
};

/// Generates an alias of the point, so that rustc reports an unknown one once, and the checks of the values that every
/// kind of item has.
fn checks(model: &Model) -> TokenStream {
    let Model {
        root,
        name,
        settings,
        ..
    } = model;
    let protocol = protocol(root);
    let point = model.first();
    let mut checks = quote! {
        type __Point = #root::plugin::point::#point;
        const __AT: #protocol::PluginAt = <__Point as #protocol::PluginPoint>::AT;
    };
    checks.extend(passes(root, &quote!(id(#name)), name));
    checks.extend(globs(root, settings, &quote!(__AT.family())));
    for key in ["when", "unless"] {
        let Some(condition) = settings.condition(key) else {
            continue;
        };
        for written in &condition.roots {
            checks.extend(passes(root, &quote!(root(__AT, #written)), written));
        }
        for glob in &condition.globs {
            checks.extend(passes(root, &quote!(glob(#glob)), glob));
        }
        for folder in &condition.folders {
            checks.extend(passes(root, &quote!(folder(#folder)), folder));
        }
    }
    for scope in settings.texts("scopes").unwrap_or_default() {
        checks.extend(passes(root, &quote!(scope(#scope)), scope));
    }
    if let Some(time) = settings.text("deadline") {
        checks.extend(passes(root, &quote!(deadline(#time)), time));
        checks.extend(passes(root, &quote!(deadline_of(__AT, #time)), time));
    }
    checks.extend(of_gates(model));
    for field in settings.words("writable").unwrap_or_default() {
        let word = LitStr::new(&field.to_string(), field.span());
        checks.extend(passes(root, &quote!(writable(__AT, #word)), field));
    }
    for tag in settings.texts("tags").unwrap_or_default() {
        checks.extend(passes(root, &quote!(not_empty(#tag)), tag));
    }
    if let (Some(mode), Some(written)) = (mode(model), settings.key("posture")) {
        checks.extend(passes(root, &quote!(posture_in(__AT, #mode)), written));
    }
    checks
}

/// Generates the checks of the keys that only a gate has, and of those that a gate lacks.
fn of_gates(model: &Model) -> TokenStream {
    let Model { root, settings, .. } = model;
    let mut checks = TokenStream::new();
    if let Some(kind) = settings.key("kind") {
        checks.extend(passes(root, &quote!(kinds(__AT)), kind));
    }
    for kind in settings.words("kind").unwrap_or_default() {
        let kind_of = quote!(#root::plugin::agent_tool_kind::#kind);
        checks.extend(passes(root, &quote!(holds(#kind_of)), kind));
    }
    if let Some(mode) = settings.word("mode") {
        let of = quote!(#root::plugin::mode::#mode);
        checks.extend(passes(root, &quote!(mode_at(__AT, #of)), mode));
    }
    let is_rule = matches!(model.subject, Subject::Unit(..));
    match settings.key("posture") {
        Some(written) => {
            let rule = quote!(posture_at(__AT, true, #is_rule));
            checks.extend(passes(root, &rule, written));
        }
        None => {
            let rule = quote!(posture_at(__AT, false, #is_rule));
            checks.extend(passes(root, &rule, model.first()));
        }
    }
    checks
}

/// Generates the checks of the globs of items; `family` is what they have to belong to.
fn globs(root: &Root, settings: &Settings, family: &TokenStream) -> TokenStream {
    let protocol = protocol(root);
    let mut checks = TokenStream::new();
    for (key, of) in PLUGIN_ITEMS {
        let Some(written) = settings.key(key) else {
            continue;
        };
        let of = Ident::new(of, Span::call_site());
        let rule = quote!(names(#protocol::Family::#of, #family));
        checks.extend(passes(root, &rule, written));
        for glob in settings.texts(key).unwrap_or_default() {
            checks.extend(passes(root, &quote!(glob(#glob)), glob));
        }
    }
    checks
}

/// Generates what the answer's type can do, and its checks in the hook's mode.
fn checks_of_answer(model: &Model, answering: &Answering) -> TokenStream {
    let protocol = protocol(&model.root);
    // Of an `impl Trait` nobody knows, so that it counts as one that can ask.
    let Some(answer) = answer(answering) else {
        return quote!(
            const __ASKS: ::core::primitive::bool = true;
        );
    };
    // Outside of the checks: rustc itself underlines the type here.
    let span = first_span(&answer);
    let mut checks = quote_spanned! {span=>
        const __ASKS: ::core::primitive::bool = <#answer as #protocol::PluginAnswer<__Point>>::ASKS;
    };
    checks.extend(passes(&model.root, &quote!(asks_at(__AT, __ASKS)), &answer));
    if let Some(mode) = mode(model) {
        let modifies = quote!(<#answer as #protocol::PluginAnswer<__Point>>::MODIFIES);
        let root = &model.root;
        checks.extend(passes(root, &quote!(asks(#mode, __ASKS)), &answer));
        let modifies = quote!(modifies(#mode, #modifies, __ASKS));
        checks.extend(passes(root, &modifies, &answer));
    }
    checks
}

/// Returns the hook's mode as a constant, if it has one.
fn mode(model: &Model) -> Option<TokenStream> {
    let Model { root, settings, .. } = model;
    let mode = settings.word("mode")?;
    Some(quote!(#root::plugin::mode::#mode))
}

/// Generates the builder calls for the keys that mean the same on every kind of item.
fn calls(model: &Model) -> TokenStream {
    let Model { root, settings, .. } = model;
    let private = root.private();
    let mut calls = items(settings);
    for key in ["when", "unless"] {
        if let Some(condition) = settings.condition(key) {
            let (method, text) = (Ident::new(key, Span::call_site()), &condition.text);
            calls.extend(quote!(.#method(#private::Condition::written(#text))));
        }
    }
    if let Some(scopes) = settings.texts("scopes") {
        calls.extend(quote!(.scopes(&[#(#scopes),*])));
    }
    if let Some(priority) = settings.number("priority") {
        calls.extend(quote!(.priority(#priority)));
    }
    if let Some(mode) = mode(model) {
        calls.extend(quote!(.mode(#mode)));
    }
    if let Some(kinds) = settings.words("kind") {
        calls.extend(quote!(.kinds(&[#(#root::plugin::agent_tool_kind::#kinds),*])));
    }
    if let Some(posture) = settings.word("posture") {
        calls.extend(quote!(.posture(#root::plugin::posture::#posture)));
    }
    if let Some(time) = settings.text("deadline") {
        calls.extend(quote!(.deadline(#private::duration(#time))));
    }
    if let Some(fields) = settings.words("writable") {
        let fields = fields.iter().map(ToString::to_string);
        calls.extend(quote!(.writable(&[#(#fields),*])));
    }
    if let Some(tags) = settings.texts("tags") {
        calls.extend(quote!(.tags(&[#(#tags),*])));
    }
    calls
}

/// Generates the call with the globs of items. A hook stands at a point of one family, so it has one such key.
fn items(settings: &Settings) -> TokenStream {
    let globs = PLUGIN_ITEMS.iter().find_map(|(key, _)| settings.texts(key));
    globs.map_or_else(TokenStream::new, |globs| quote!(.items(&[#(#globs),*])))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [&Table; 2] = [&GRAMMAR.table, &list::TABLE];

    #[test]
    fn the_tables_name_only_their_own_keys() {
        let known = |name: &str| GRAMMAR.table.keys.iter().any(|key| key.name == name);
        assert!(known(GRAMMAR.name));
        assert!(GRAMMAR.table.renamed.iter().all(|(_, new)| known(new)));
        let points: Vec<&str> = GRAMMAR.inputs.iter().map(|(point, _)| *point).collect();
        assert_eq!(points, PLUGIN_POINTS.words);
        assert!(PLUGIN_ITEMS.iter().all(|(key, _)| known(key)));
    }

    #[test]
    fn the_documentation_has_every_key() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-sdk/src/plugin.rs");
        // The published package has no sibling folders.
        let Ok(page) = std::fs::read_to_string(page) else {
            return;
        };
        let pages = page.split("pub use hooks_macros::");
        for (table, page) in TABLES.into_iter().zip(pages) {
            for key in table.keys {
                let row = ["(", " =", "`"]
                    .iter()
                    .any(|next| page.contains(&format!("/// | `{}{next}", key.name)));
                assert!(
                    row,
                    "`{}` is not in a table of `{}`",
                    key.name, table.attribute
                );
            }
        }
    }
}
