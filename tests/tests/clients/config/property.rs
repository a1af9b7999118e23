//! What holds of every configuration file.

use hooks_sdk::clients::config::Format;
use proptest::prelude::*;
use serde_json::Value;

use super::{
    desk::{Desk, value},
    generate::{config, settings},
};

/// A text's comments, in order.
fn comments(text: &str) -> Vec<String> {
    let collect = jsonc_parser::CollectOptions {
        comments: jsonc_parser::CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let text = text.trim_start_matches('\u{feff}');
    let parsed = jsonc_parser::parse_to_ast(text, &collect, &Default::default());
    let tokens = parsed.expect("valid JSON").tokens.expect("asked for");
    let comments = tokens.into_iter().filter_map(|token| match token.token {
        jsonc_parser::tokens::Token::CommentLine(text)
        | jsonc_parser::tokens::Token::CommentBlock(text) => Some(text.to_owned()),
        _ => None,
    });
    comments.collect()
}

/// The text of an object with a member before the others, of which there are some.
fn with_member(text: &str, member: &str) -> String {
    let body = text.trim_start_matches('\u{feff}');
    let parsed = jsonc_parser::parse_to_ast(body, &Default::default(), &Default::default());
    let root = parsed.expect("valid JSON").value.expect("a value");
    let at = text.len() - body.len() + jsonc_parser::common::Ranged::start(&root) + 1;
    format!("{} {member},{}", &text[..at], &text[at..])
}

const NEW: &str = " NEW ";

/// The text with a comment before one of its tokens.
fn with_comment(text: &str, place: prop::sample::Index) -> String {
    let collect = jsonc_parser::CollectOptions {
        comments: jsonc_parser::CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let body = text.trim_start_matches('\u{feff}');
    let parsed = jsonc_parser::parse_to_ast(body, &collect, &Default::default());
    let tokens = parsed.expect("valid JSON").tokens.expect("asked for");
    let at = text.len() - body.len() + place.get(&tokens).range.start;
    format!("{}/*{NEW}*/{}", &text[..at], &text[at..])
}

/// The value without what stays when a comment stands in it.
fn pruned(mut value: Value) -> Value {
    let bare = |value: &Value| *value == serde_json::json!({}) || *value == serde_json::json!([]);
    let root = value.as_object_mut().expect("an object");
    if let Some(Value::Object(hooks)) = root.get_mut("hooks") {
        hooks.retain(|name, list| !(["Stop", "Start"].contains(&name.as_str()) && bare(list)));
    }
    root.retain(|name, value| !(["hooks", "mcpServers"].contains(&name.as_str()) && bare(value)));
    value
}

/// What stands at the end of each path, as it is written.
fn toml_value(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start_matches('\u{feff}');
    let document: toml_edit::DocumentMut = text.parse().expect("valid TOML");
    let mut members = Vec::new();
    flatten("", document.as_item(), &mut members);
    members.sort();
    members
}

fn flatten(path: &str, item: &toml_edit::Item, to: &mut Vec<(String, String)>) {
    if let Some(table) = item.as_table_like() {
        for (name, item) in table.iter() {
            flatten(&format!("{path}/{name}"), item, to);
        }
    } else if let Some(tables) = item.as_array_of_tables() {
        for (at, table) in tables.iter().enumerate() {
            flatten(
                &format!("{path}/{at}"),
                &toml_edit::Item::Table(table.clone()),
                to,
            );
        }
    } else {
        to.push((path.to_owned(), item.to_string().trim().replace('\r', "")));
    }
}

/// What is expected after an installation, by values alone.
fn expected(desk: &Desk, before: &Value) -> Value {
    let mut value = before.clone();
    for event in ["Stop", "Start"] {
        let list = &mut value["hooks"][event];
        if list.is_null() {
            *list = Value::Array(Vec::new());
        }
        let wrapped = list.to_string().contains("timeout 3 notes");
        if !wrapped {
            list.as_array_mut().expect("a list").push(desk.entry(event));
        }
    }
    value["mcpServers"]["notes"] = desk.server(Format::Json).value;
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn installing_and_uninstalling_gives_the_bytes_back(settings in settings()) {
        let desk = Desk::with(&settings);
        let before = desk.files();
        let plan = desk.plan(&["Stop", "Start"]).server(desk.server(Format::Json));
        desk.install(&plan);
        prop_assert_eq!(desk.value(), expected(&desk, &value(&settings)));
        prop_assert_eq!(comments(&desk.read(&desk.settings())), comments(&settings));
        desk.uninstall();
        prop_assert_eq!(desk.files(), before);
    }

    #[test]
    fn after_an_edit_values_and_comments_stay(settings in settings(), at_end in any::<bool>()) {
        let desk = Desk::with(&settings);
        let plan = desk.plan(&["Stop", "Start"]).server(desk.server(Format::Json));
        desk.install(&plan);
        let text = desk.read(&desk.settings());
        let edited = match at_end {
            true => format!("{text}\n// new"),
            false => with_member(&text, "\"edit\": 1"),
        };
        desk.write(&desk.settings(), &edited);
        desk.uninstall();
        let left = desk.read(&desk.settings());
        let mut wanted = value(&settings);
        if !at_end {
            wanted["edit"] = Value::from(1);
        }
        prop_assert_eq!(value(&left), wanted, "{}", left);
        prop_assert_eq!(comments(&left), comments(&edited), "{}", left);
    }

    #[test]
    fn a_comment_anywhere_costs_nothing_of_the_users(settings in settings(), place in any::<prop::sample::Index>()) {
        let desk = Desk::with(&settings);
        let plan = desk.plan(&["Stop", "Start"]).server(desk.server(Format::Json));
        desk.install(&plan);
        let edited = with_comment(&desk.read(&desk.settings()), place);
        desk.write(&desk.settings(), &edited);
        // It holds no entry twice, and the edit does not bring a second one.
        desk.install(&plan);
        prop_assert_eq!(desk.read(&desk.settings()), edited.clone());
        desk.uninstall();
        let left = desk.read(&desk.settings());
        prop_assert_eq!(pruned(value(&left)), pruned(value(&settings)), "{}", left);
        let mut kept = comments(&left);
        if let Some(at) = kept.iter().position(|comment| comment == NEW) {
            kept.remove(at);
        }
        prop_assert_eq!(kept, comments(&settings), "{}", left);
    }

    #[test]
    fn toml_gives_the_bytes_back(config in config(), edit in any::<bool>()) {
        let desk = Desk::new();
        desk.write(&desk.toml(), &config);
        desk.install(&desk.empty_plan().server(desk.server(Format::Toml)));
        let text = desk.read(&desk.toml());
        let mut wanted = toml_value(&config);
        wanted.extend([
            ("/mcp_servers/notes/args".to_owned(), "[\"serve\"]".to_owned()),
            ("/mcp_servers/notes/command".to_owned(), format!("{:?}", desk.program)),
        ]);
        wanted.sort();
        prop_assert_eq!(toml_value(&text), wanted, "{}", text);
        prop_assert_eq!(text.starts_with('\u{feff}'), config.starts_with('\u{feff}'));
        if edit {
            let lines = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let edited = format!("{text}{lines}# new{lines}[new]{lines}x = 1");
            desk.write(&desk.toml(), &edited);
            desk.uninstall();
            let left = desk.read(&desk.toml());
            let mut wanted = toml_value(&config);
            wanted.push(("/new/x".to_owned(), "1".to_owned()));
            wanted.sort();
            prop_assert_eq!(toml_value(&left), wanted, "{}", left);
            prop_assert_eq!(left.matches('#').count(), edited.matches('#').count(), "{}", left);
        } else {
            desk.uninstall();
            prop_assert_eq!(desk.read(&desk.toml()), config);
        }
    }

    #[test]
    fn arbitrary_bytes_are_kept_or_refused(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            "[\\[\\]{}\",:/* a0\\\\\r\n#=.-]{0,40}".prop_map(String::into_bytes),
            settings().prop_flat_map(|text| (0..=text.len(), Just(text))).prop_map(|(at, text)| text.as_bytes()[..at].to_vec()),
            config().prop_flat_map(|text| (0..=text.len(), Just(text))).prop_map(|(at, text)| text.as_bytes()[..at].to_vec()),
        ],
        toml in any::<bool>(),
    ) {
        let desk = Desk::new();
        let (file, plan) = match toml {
            true => (desk.toml(), desk.empty_plan().server(desk.server(Format::Toml))),
            false => (desk.settings(), desk.plan(&["Stop"]).server(desk.server(Format::Json))),
        };
        desk.write(&file, &bytes);
        match plan.apply(&desk.data()) {
            Ok(_) => desk.uninstall(),
            Err(error) => prop_assert!(error.to_string().contains("help: ")),
        }
        prop_assert_eq!(std::fs::read(&file).expect("there"), bytes);
    }
}
