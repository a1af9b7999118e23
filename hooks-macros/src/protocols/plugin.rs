//! `#[plugin::hook(point, …)]`, `#[plugin::list(…)]` and `#[plugin(kind = "…")]`.

pub(crate) mod kind;
pub(crate) mod list;

use hooks_text::{
    AGENT_TOOL_KINDS, PLUGIN_CHANGES, PLUGIN_FIELDS, PLUGIN_INPUTS, PLUGIN_ITEMS, PLUGIN_MODES,
    PLUGIN_POINTS, PLUGIN_ROOTS, plugin_families,
    rule::{self, plugin as rules},
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::{
    expand::passes,
    grammar::{Context, Grammar, Leading, Table, Texts},
    item::snake_case,
    key::{
        CRATE, DEADLINE, ID, Key, POSTURE, PRIORITY, SERVER, TAGS,
        Target::{Function, UnitStruct},
        globs,
    },
    made::{self, PointHook, answer, finished, first_span},
    model::{Model, Subject, Words},
    report::Errors,
    settings::Settings,
    signature::Answering,
    value::Kind,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    table: Table {
        renamed: &[("deadline_ms", "deadline"), ("reason", "deny")],
        ..Table::new("plugin::hook", Leading::Words(&[&PLUGIN_POINTS]), KEYS)
    },
    name: "id",
    case: snake_case,
    id: rule::id,
    check,
    expand,
    owner: ("server", "memory: &Memory"),
    input: "a payload",
    context: Some(Context {
        noun: "a context",
        mutable: true,
        name: None,
    }),
    inputs: PLUGIN_INPUTS,
    changes: PLUGIN_CHANGES,
    alone: true,
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
            $(globs(stringify!($key), "items"),)+
            Key::new("kind", Kind::Choice(&AGENT_TOOL_KINDS)).call("kinds"),
            Key::new("when", Kind::Condition(&PLUGIN_ROOTS)).call("when"),
            Key::new("unless", Kind::Condition(&PLUGIN_ROOTS)).call("unless"),
            Key::new("scopes", Kind::Globs).rule(rules::scope).call("scopes"),
            Key::new("deny", Kind::Text)
                .on(&[UnitStruct])
                .required("add `deny = \"…\"`, the reason that the client receives")
                .rule(rules::reason),
            Key::new("code", Kind::Text)
                .on(&[UnitStruct])
                .rule(rule::not_empty)
                .call("code"),
            Key::new("description", Kind::Text)
                .on(&[UnitStruct])
                .rule(rule::not_empty)
                .call("description"),
            PRIORITY,
            Key::new("mode", Kind::Word(&PLUGIN_MODES)).call("mode"),
            POSTURE,
            DEADLINE.on(&[Function]),
            Key::new("writable", Kind::Words(&PLUGIN_FIELDS))
                .on(&[Function])
                .call("writable"),
            TAGS,
            SERVER.on(&[UnitStruct]),
            ID,
            CRATE,
        ];
    };
}
plugin_families!(keys);

/// Reports the values that the point or the mode does not have.
fn check(model: &Model, errors: &mut Errors) {
    let (at, settings) = (model.first().to_string(), &model.settings);
    items(settings, |key| rules::items_at(key, &at), errors);
    for key in ["when", "unless"] {
        for root in settings
            .condition(key)
            .into_iter()
            .flat_map(|condition| &condition.roots)
        {
            errors.broken(root, rules::root(&at, &root.value()));
        }
    }
    if let Some(time) = settings.text("deadline") {
        errors.broken(time, rules::deadline_of(&at, &time.value()));
    }
    if let Some(written) = settings.key("kind") {
        errors.broken(written, rules::kinds(&at));
    }
    for kind in settings.words("kind").unwrap_or_default() {
        errors.broken(kind, rules::holds(&kind.to_string()));
    }
    for field in settings.words("writable").unwrap_or_default() {
        let word = field.to_string();
        // The grammar reports a word that is no field of any payload.
        if PLUGIN_FIELDS.words.contains(&&*word) {
            errors.broken(field, rules::writable(&at, &word));
        }
    }
    let mode = settings.word("mode").map(ToString::to_string);
    if let (Some(word), Some(mode)) = (settings.word("mode"), &mode) {
        errors.broken(word, rules::mode_at(&at, mode));
    }
    let posture = settings.key("posture");
    if let (Some(written), Some(mode)) = (posture, &mode) {
        errors.broken(written, rules::posture_in(&at, mode));
    }
    let is_rule = matches!(model.subject, Subject::Unit(..));
    let problem = rules::posture_at(&at, posture.is_some(), is_rule);
    errors.broken(posture.unwrap_or(model.first()), problem);
    if let Subject::Unit(_, Words::Inline(reason)) = &model.subject {
        errors.broken(reason, rules::denies(&at));
    }
}

/// Reports each key that names items of another kind, by the rule about a key.
fn items(
    settings: &Settings,
    misplaced: impl Fn(&str) -> Option<(String, String)>,
    errors: &mut Errors,
) {
    let written = PLUGIN_ITEMS.iter().filter_map(|key| settings.key(key));
    for key in written {
        if let Some((wrong, help)) = misplaced(&key.to_string()) {
            errors.push(key, wrong, help);
        }
    }
}

fn expand(model: &Model) -> TokenStream {
    let Model {
        root,
        name,
        settings,
        ..
    } = model;
    let (protocol, point) = (root.protocol("plugin"), model.first());
    let alias = quote!(type __Point = #root::plugin::point::#point;);
    let calls = settings.calls(&GRAMMAR.table, root, |_| true);
    match &model.subject {
        Subject::Unit(unit, words) => {
            let reason = words.expression();
            let hook = quote!(#protocol::PluginHook::deny(#name, __Point {}, #reason) #calls);
            let hook = finished(root, point, &hook);
            made::unit_struct(root, unit, &name.value(), &quote!(#alias #hook))
        }
        Subject::Answering(answering) => {
            let checks = checks_of_answer(model, answering);
            let without_context = answering
                .context
                .is_none()
                .then(|| quote!(.without_context()));
            let calls = quote!(.asking(__ASKS) #without_context #calls);
            HOOK.function(model, answering, &quote!(), &quote!(#alias #checks), &calls)
        }
        // The grammar of this protocol accepts no tool.
        Subject::Tool(_) => TokenStream::new(),
    }
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

/// Generates what the answer's type can do, and its checks at the point and in the hook's mode.
fn checks_of_answer(model: &Model, answering: &Answering) -> TokenStream {
    let Model { root, settings, .. } = model;
    let protocol = root.protocol("plugin");
    // Of an `impl Trait` nobody knows, so that it counts as one that can ask.
    let Some(answer) = answer(answering) else {
        return quote!(
            const __ASKS: ::core::primitive::bool = true;
        );
    };
    // Outside of the checks: rustc itself underlines the type here.
    let mut checks = quote_spanned! {first_span(&answer)=>
        const __ASKS: ::core::primitive::bool = <#answer as #protocol::PluginAnswer<__Point>>::ASKS;
    };
    let at = quote!(<__Point as #protocol::PluginPoint>::AT);
    checks.extend(passes(&protocol, quote!(asks_at(#at, __ASKS)), &answer));
    if let Some(mode) = settings.word("mode") {
        let mode = quote!(#root::plugin::mode::#mode);
        let modifies = quote!(<#answer as #protocol::PluginAnswer<__Point>>::MODIFIES);
        checks.extend(passes(&protocol, quote!(asks(#mode, __ASKS)), &answer));
        let modifies = quote!(modifies(#mode, #modifies, __ASKS));
        checks.extend(passes(&protocol, modifies, &answer));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_name_only_their_own_keys() {
        let known = |name: &str| GRAMMAR.table.keys.iter().any(|key| key.name == name);
        let points: Vec<&str> = GRAMMAR.inputs.iter().map(|(point, _)| *point).collect();
        assert_eq!(points, PLUGIN_POINTS.words);
        assert!(PLUGIN_ITEMS.iter().all(|key| known(key)));
    }

    #[test]
    fn the_documentation_has_every_key() {
        super::super::check_tables("plugin.rs", &[&GRAMMAR.table, &list::TABLE]);
    }
}
