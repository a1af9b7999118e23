//! `#[guidance::hook(type, lifecycle, …)]`, and `guidance::dir!("folder")`.

pub(crate) mod dir;
mod folder;
mod skills;

use hooks_text::{
    FEATURES, LIFECYCLES, REQUIREMENTS, TYPES, budget, glob,
    rule::{self, guidance as rules},
};
use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

use crate::{
    grammar::{Grammar, Leading, Table, TextFile, Texts},
    item::{doc, kebab_case},
    key::{
        CRATE, DEADLINE, ID, Key, POSTURE, SERVER, TAGS,
        Target::{Function, UnitStruct},
    },
    made::{self, Call, finished},
    model::{Model, Subject},
    report::Errors,
    value::Kind,
};

pub(crate) const GRAMMAR: Grammar = Grammar {
    table: Table {
        renamed: &[
            ("tag", "id"),
            ("content", "text"),
            ("content_file", "text_file"),
            ("priority", "weight"),
            ("deadline_ms", "deadline"),
        ],
        owned: true,
        ..Table::new(
            "guidance::hook",
            Leading::Words(&[&TYPES, &LIFECYCLES]),
            KEYS,
        )
    },
    name: "id",
    case: kebab_case,
    id: rules::tag,
    check,
    expand,
    owner: ("server", "memory: &Memory"),
    input: "a firing",
    context: None,
    inputs: &[],
    changes: &[],
    alone: false,
    tools: false,
    texts: Some(TEXTS),
    by_hand: "guidance::GuidanceHook::answering(…)",
};

const TEXTS: Texts = Texts {
    noun: "a text",
    inline: "text",
    file: Some(TextFile {
        key: "text_file",
        beside: |_, tag| tag.to_owned(),
    }),
    other: &[],
};

const KEYS: &[Key] = &[
    Key::new("requirement", Kind::Word(&REQUIREMENTS))
        .required("add `requirement = MUST`, `MUST_NOT`, `SHOULD`, `SHOULD_NOT` or `MAY`"),
    Key::new("name", Kind::Text)
        .required("add `name = \"…\"`, a name for people")
        .rule(rules::name),
    Key::new("text", Kind::Text)
        .on(&[UnitStruct])
        .excludes(&["text_file"]),
    Key::new("text_file", Kind::Text).on(&[UnitStruct]),
    ID,
    Key::new("weight", Kind::Integer).call("priority"),
    Key::new("app", Kind::Text).rule(rules::app).call("app"),
    Key::new("description", Kind::Text).call("description"),
    Key::new("storage", Kind::Texts)
        .rule(rule::not_empty)
        .call("requires_storage"),
    Key::new("features", Kind::Words(&FEATURES)).call("requires_features"),
    Key::new("config", Kind::Json).call("requires_config"),
    TAGS,
    Key::new("blocking", Kind::Flag(true)).call("blocking"),
    Key::new("dependencies", Kind::Texts)
        .rule(rule::not_empty)
        .call("dependencies"),
    Key::new("tool", Kind::Text)
        .rule(glob::problem)
        .call("tool"),
    Key::new("required", Kind::Flag(true)).call("required"),
    Key::new("skill", Kind::Flag(true)).on(&[UnitStruct]),
    SERVER.on(&[UnitStruct]),
    DEADLINE.on(&[Function]),
    POSTURE.on(&[Function]),
    CRATE,
];

/// Returns whether a key says something of the hook, and not of its definition.
fn is_of_the_hook(key: &str) -> bool {
    matches!(key, "server" | "deadline" | "posture")
}

fn is_skill(model: &Model) -> bool {
    model.settings.flag("skill").is_some_and(|flag| flag.value)
}

/// The doc comment describes the hook unless the attribute has a `description`.
fn documented(model: &Model) -> Option<String> {
    match &model.subject {
        Subject::Unit(unit, _) => doc(&unit.attrs),
        Subject::Answering(answering) => answering.doc(),
        Subject::Tool(_) => None,
    }
}

/// Reports the values that the type and the lifecycle do not have, and a skill that cannot be one.
fn check(model: &Model, errors: &mut Errors) {
    let settings = &model.settings;
    let [hook_type, lifecycle] = [0, 1].map(|at| model.words[at].to_string());
    if let Some(key) = settings.key("tool") {
        errors.broken(key, rules::about_tools(&hook_type));
    }
    if let Some(key) = settings.key("skill").filter(|_| is_skill(model)) {
        errors.broken(key, rules::skill_name(&model.name.value()));
        let written = settings.text("description");
        let text = written.map(LitStr::value).or_else(|| documented(model));
        let problem = rules::skill_description(&text.unwrap_or_default());
        match written {
            Some(written) => errors.broken(written, problem),
            None => errors.broken(key, problem),
        }
    }
    if let Subject::Unit(_, words) = &model.subject
        && let Some((text, at)) = words.known()
    {
        let has_tool = settings.text("tool").is_some();
        errors.broken(at, rules::text(&text));
        let problem = budget::fits_guidance(&hook_type, &lifecycle, has_tool, &text);
        errors.broken(at, problem);
    }
}

fn expand(model: &Model) -> TokenStream {
    let Model { root, settings, .. } = model;
    let protocol = root.protocol("guidance");
    let (id, input) = (id(model), input(model));
    let calls = settings.calls(&GRAMMAR.table, root, is_of_the_hook);
    match &model.subject {
        Subject::Unit(unit, words) => {
            let text = words.expression();
            let skill = is_skill(model).then(|| quote!(.skill()));
            let hook = quote!(#protocol::GuidanceHook::new(#input.text(#text)) #skill #calls);
            let hook = finished(root, model.first(), &hook);
            made::unit_struct(root, unit, &id, &hook)
        }
        Subject::Answering(answering) => {
            let made = made::constructor(answering);
            let hook = quote!(#protocol::GuidanceHook::#made(#input, __answer) #calls);
            let hook = finished(root, model.first(), &hook);
            let call = call(&protocol);
            made::function(root, answering, &id, &call, &TokenStream::new(), &hook)
        }
        // The grammar of this protocol accepts no tool.
        Subject::Tool(_) => TokenStream::new(),
    }
}

fn call(protocol: &TokenStream) -> Call {
    Call {
        input: quote!(&'call #protocol::Firing),
        by_value: false,
        receive: quote!(#protocol::FiringInput),
        is_input: quote!(#protocol::IsFiringInput),
        point: None,
        context: None,
        answer: quote!(#protocol::Answer),
        output: made::text(),
    }
}

/// Generates the definition.
fn input(model: &Model) -> TokenStream {
    let Model {
        root,
        words,
        name: tag,
        settings,
        ..
    } = model;
    let protocol = root.protocol("guidance");
    let (hook_type, lifecycle) = (&words[0], &words[1]);
    let (name, requirement) = (settings.text("name"), settings.word("requirement"));
    let calls = settings.calls(&GRAMMAR.table, root, |key| !is_of_the_hook(key));
    let doc = documented(model).filter(|_| settings.text("description").is_none());
    let doc = doc.map(|doc| quote!(.description(#doc)));
    quote! {
        #protocol::HookInput::new(
            <#root::guidance::point::#hook_type as #protocol::TypeWord>::TYPE,
            <#root::guidance::point::#lifecycle as #protocol::LifecycleWord>::LIFECYCLE,
            #tag,
            #name,
            #root::guidance::requirement::#requirement,
        ) #doc #calls
    }
}

/// Returns the hook's id in the registry; the protocol composes it in the same way.
fn id(model: &Model) -> String {
    let words = model.words.iter().map(ToString::to_string);
    let app = model.settings.text("app").map(LitStr::value);
    let parts: Vec<String> = app
        .into_iter()
        .chain(words)
        .chain([model.name.value()])
        .collect();
    parts.join(":")
}

#[cfg(test)]
mod tests {
    use hooks_text::KEYS;

    use super::*;

    #[test]
    fn the_table_names_only_its_own_keys() {
        let known = |name: &str| GRAMMAR.table.keys.iter().any(|key| key.name == name);
        assert!(TEXTS.file.is_some_and(|file| known(file.key)));
        assert!(known(TEXTS.inline));
    }

    #[test]
    fn a_file_has_the_keys_of_the_attribute() {
        let of_rust = [
            "text",
            "text_file",
            "skill",
            "server",
            "deadline",
            "posture",
            "crate",
        ];
        // A file keeps the document's words for these keys.
        let in_a_file = |key: &'static str| match key {
            "id" => "tag",
            "weight" => "priority",
            key => key,
        };
        let attribute = GRAMMAR.table.keys.iter().map(|key| in_a_file(key.name));
        let mut expected: Vec<&str> = attribute.filter(|key| !of_rust.contains(key)).collect();
        expected.extend(
            GRAMMAR
                .table
                .leading
                .parts()
                .into_iter()
                .map(|(what, _)| what),
        );
        expected.sort_unstable();
        let mut keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        keys.sort_unstable();
        assert_eq!(keys, expected);
        for key in KEYS {
            let attribute = GRAMMAR
                .table
                .keys
                .iter()
                .find(|other| in_a_file(other.name) == key.name);
            let required = attribute.is_none_or(|attribute| attribute.required.is_some());
            assert_eq!(key.required, required, "{}", key.name);
        }
    }

    #[test]
    fn the_documentation_has_every_key() {
        super::super::check_tables("guidance.rs", &[&GRAMMAR.table]);
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-sdk/src/guidance.rs");
        // The published package has no sibling folders.
        let Ok(page) = std::fs::read_to_string(page) else {
            return;
        };
        for key in KEYS {
            let row = page.contains(&format!("/// | `{}: ", key.name));
            assert!(row, "`{}` is not in the table of the files", key.name);
        }
    }
}
