//! `#[guidance::hook(type, lifecycle, …)]`, and `guidance::dir!("folder")`.

mod computed;
pub(crate) mod dir;
mod folder;
mod input;
mod skills;

use hooks_text::{FEATURES, LIFECYCLES, POSTURES, REQUIREMENTS, TYPES};
use proc_macro2::TokenStream;
use quote::quote;

use crate::{
    expand::{Protocol, TOO_LONG, check, passes},
    grammar::{
        Elsewhere, Grammar, Key, Leading, Table,
        Target::{Function, UnitStruct},
        TextFile, Texts,
    },
    item::{Unit, doc, kebab_case},
    made::{self, finished},
    model::{Model, Subject, Words},
    value::Kind,
};

pub(crate) const PROTOCOL: Protocol = Protocol {
    grammar: &GRAMMAR,
    expand,
};

const GRAMMAR: Grammar = Grammar {
    table: Table {
        attribute: "guidance::hook",
        leading: Leading::Words(&[&TYPES, &LIFECYCLES]),
        keys: KEYS,
        renamed: &[
            ("tag", "id"),
            ("content", "text"),
            ("content_file", "text_file"),
            ("priority", "weight"),
            ("deadline_ms", "deadline"),
        ],
        elsewhere: Elsewhere::NOTHING,
    },
    name: "id",
    case: kebab_case,
    owner: ("server", "memory: &Memory"),
    input: "a firing",
    context: None,
    inputs: &[],
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
    Key::new("name", Kind::Text).required("add `name = \"…\"`, a name for people"),
    Key::new("text", Kind::Text)
        .on(&[UnitStruct])
        .excludes(&["text_file"]),
    Key::new("text_file", Kind::Text).on(&[UnitStruct]),
    Key::new("id", Kind::Text),
    Key::new("weight", Kind::Integer),
    Key::new("app", Kind::Text),
    Key::new("description", Kind::Text),
    Key::new("storage", Kind::Texts),
    Key::new("features", Kind::Words(&FEATURES)),
    Key::new("config", Kind::Json),
    Key::new("tags", Kind::Texts),
    Key::new("blocking", Kind::Flag(true)),
    Key::new("dependencies", Kind::Texts),
    Key::new("tool", Kind::Text),
    Key::new("required", Kind::Flag(true)),
    Key::new("skill", Kind::Flag(true)).on(&[UnitStruct]),
    Key::new("server", Kind::Type).on(&[UnitStruct]),
    Key::new("deadline", Kind::Time).on(&[Function]),
    Key::new("posture", Kind::Word(&POSTURES)).on(&[Function]),
    Key::new("crate", Kind::Path),
];

fn expand(model: &Model) -> TokenStream {
    match &model.subject {
        Subject::Unit(unit, words) => unit_struct(model, unit, words),
        Subject::Answering(answering) => computed::function(model, answering),
        // The grammar of this protocol accepts no tool.
        Subject::Tool(_) => TokenStream::new(),
    }
}

fn unit_struct(model: &Model, unit: &Unit, words: &Words) -> TokenStream {
    let protocol = model.root.protocol("guidance");
    let (text, at) = match words {
        Words::Inline(text) | Words::Tool(text) => (quote!(#text), text),
        Words::File(path) => (quote!(::core::include_str!(#path)), path),
    };
    let checks = input::checks(model);
    let private = model.root.private();
    let has_tool = model.settings.text("tool").is_some();
    let budget = check(
        quote!(#private::lifecycle::budget::check_guidance(#TOO_LONG, __TYPE.as_str(), __LIFECYCLE.as_str(), #has_tool, __TEXT)),
        at,
    );
    let check = passes(&protocol, quote!(text(__TEXT)), at);
    let input = input::input(model, doc(&unit.attrs));
    let server = made::of_server(&model.settings);
    let skill = model.settings.flag("skill").is_some_and(|flag| flag.value);
    let as_skill = skill.then(|| quote!(.skill()));
    let skill = skill.then(|| input::skill(model, doc(&unit.attrs)));
    let hook = quote!(#protocol::GuidanceHook::new(#input.text(__TEXT)) #as_skill #server);
    let hook = finished(&model.root, model.first(), &hook);
    let body = quote! {
        const __TEXT: &::core::primitive::str = #text;
        #checks
        #check
        #budget
        #skill
        #hook
    };
    made::unit_struct(&model.root, unit, &id(model), &body)
}

/// Returns the hook's id in the registry; the protocol composes it in the same way.
fn id(model: &Model) -> String {
    let words = model.words.iter().map(ToString::to_string);
    let app = model.settings.text("app").map(syn::LitStr::value);
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

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-sdk/src/guidance.rs");

    #[test]
    fn the_table_names_only_its_own_keys() {
        let known = |name: &str| GRAMMAR.table.keys.iter().any(|key| key.name == name);
        for key in GRAMMAR.table.keys {
            assert!(
                key.excludes.iter().all(|other| known(other)),
                "{}",
                key.name
            );
        }
        assert!(TEXTS.file.is_some_and(|file| known(file.key)));
        assert!(known(TEXTS.inline) && known(GRAMMAR.name));
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
        // The published package has no sibling folders.
        let Ok(page) = std::fs::read_to_string(PAGE) else {
            return;
        };
        for key in GRAMMAR.table.keys {
            let row = ["(", " ="]
                .iter()
                .any(|next| page.contains(&format!("/// | `{}{next}", key.name)));
            assert!(row, "`{}` is not in the table of the attribute", key.name);
        }
        for key in KEYS {
            let row = page.contains(&format!("/// | `{}: ", key.name));
            assert!(row, "`{}` is not in the table of the files", key.name);
        }
    }
}
