//! An edit changes one table, and nothing else of the document.

use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};

use super::*;

fn parsed(text: &str) -> Toml<'_> {
    Toml::parse(Path::new("config.toml"), text).unwrap()
}

/// Returns the values of a document, and takes the table of our server out of them.
fn taken(text: &str) -> (Value, Option<Value>) {
    let mut rest = json(parsed(text).document.as_item());
    let own = (rest["mcp_servers"].as_object_mut()).and_then(|servers| servers.remove("notes"));
    if rest["mcp_servers"].as_object().is_none_or(Map::is_empty) {
        rest.as_object_mut().unwrap().remove("mcp_servers");
    }
    (rest, own)
}

/// Makes each edit, which is refused or changes our table only.
#[track_caller]
fn edits(text: &str) -> usize {
    let path = ["mcp_servers".to_owned()];
    let new = json!({ "command": "new", "args": ["a"] });
    let (rest, _) = taken(text);
    let made = [None, Some(new)].into_iter().filter_map(|own| {
        let mut toml = parsed(text);
        match &own {
            None => toml.remove(&["mcp_servers", "notes"].map(str::to_owned)),
            Some(new) => toml.merge(&path, &json!({ "notes": new })),
        }
        .unwrap();
        let edited = toml.edited().ok()?;
        assert_eq!(taken(&edited), (rest.clone(), own), "{text}\n{edited}");
        Some(())
    });
    made.count()
}

#[test]
fn each_kind_of_value_is_read() {
    let text = "a = 1\nb = 1.5\nc = true\nd = \"e\"\nf = [1, { g = 2 }]\n";
    let read = json(parsed(text).document.as_item());
    let expected = json!({ "a": 1, "b": 1.5, "c": true, "d": "e", "f": [1, { "g": 2 }] });
    assert_eq!(read, expected);
}

#[test]
fn what_stands_between_our_keys_is_no_part_of_our_table() {
    for (text, made) in [
        (
            "mcp_servers = { notes.command = 'x', other = { command = 'y' }, notes.args = [] }\n",
            0,
        ),
        (
            "mcp_servers = { notes.command = 'x', notes.args = [], other.command = 'y' }\n",
            2,
        ),
        (
            // `toml_edit` would write our keys together.
            "[mcp_servers]\nnotes.command = 'x'\nother.command = 'y'\nnotes.args = []\n",
            0,
        ),
        (
            "[mcp_servers.notes]\ncommand = 'x'\n[a]\nb = 1\n[mcp_servers.notes.env]\nA = '1'\n",
            2,
        ),
    ] {
        assert_eq!(edits(text), made, "{text}");
    }
}

/// Adds an element to the list `hooks`, and removes it again.
#[track_caller]
fn adds(text: &str, wanted: &str) {
    let (list, added) = (["hooks".to_owned()], json!({ "command": "b" }));
    let mut toml = parsed(text);
    toml.append(&list, &added).unwrap();
    let edited = toml.edited().unwrap();
    assert_eq!(edited, wanted);
    let mut toml = parsed(&edited);
    let last = toml.list(&list).unwrap().len() - 1;
    toml.remove(&["hooks".to_owned(), last.to_string()])
        .unwrap();
    assert_eq!(toml.edited().unwrap(), text);
}

#[test]
fn an_element_of_a_list_has_a_line_as_the_others_have() {
    for (text, wanted) in [
        (
            "hooks = [\n    { command = 'a' }, # mine\n    # and this\n]\n",
            "hooks = [\n    { command = 'a' }, # mine\n    # and this\n    { command = \"b\" },\n]\n",
        ),
        (
            "hooks = [\n  { command = 'a' } # mine\n]\n",
            "hooks = [\n  { command = 'a' }, # mine\n  { command = \"b\" }\n]\n",
        ),
        (
            "hooks = [\r\n\t{ command = 'a' },\r\n]\r\n",
            "hooks = [\r\n\t{ command = 'a' },\r\n\t{ command = \"b\" },\r\n]\r\n",
        ),
        (
            "hooks = [ { command = 'a' } ] # mine\n",
            "hooks = [ { command = 'a' }, { command = \"b\" } ] # mine\n",
        ),
        (
            "hooks = [{ command = 'a' }]\n",
            "hooks = [{ command = 'a' }, { command = \"b\" }]\n",
        ),
        ("hooks = [\n]\n", "hooks = [\n  { command = \"b\" }\n]\n"),
        ("hooks = []\n", "hooks = [{ command = \"b\" }]\n"),
    ] {
        adds(text, wanted);
    }
}

#[test]
fn comments_around_an_element_that_is_removed_stay() {
    let text = "hooks = [\n  # one\n  1, # two\n  # three\n  2,\n  # four\n  3 # five\n]\n";
    for (at, left) in [
        (
            "0",
            "hooks = [\n  # one # two\n  # three\n  2,\n  # four\n  3 # five\n]\n",
        ),
        (
            "1",
            "hooks = [\n  # one\n  1, # two\n  # three\n  # four\n  3 # five\n]\n",
        ),
        (
            "2",
            "hooks = [\n  # one\n  1, # two\n  # three\n  2\n  # four # five\n]\n",
        ),
    ] {
        let mut toml = parsed(text);
        toml.remove(&["hooks", at].map(str::to_owned)).unwrap();
        assert_eq!(toml.edited().unwrap(), left);
    }
}

#[test]
fn comments_around_a_member_that_changes_stay() {
    let text = "# one\n[[hooks]] # two\n# three\ncommand = 'a' # four\ntimeout = 3 # five\n\n[mcp_servers.notes] # six\n\
                # seven\ncommand = 'a' # eight\nold = 1\n[mcp_servers.notes.env] # nine\nA = '1'\n";
    let mut toml = parsed(text);
    let path = ["hooks", "0"].map(str::to_owned);
    toml.merge(&path, &json!({ "command": "b" })).unwrap();
    let server = json!({ "notes": { "command": "b", "env": { "A": "2" } } });
    toml.merge(&["mcp_servers".to_owned()], &server).unwrap();
    let wanted = text.replace("'a'", "\"b\"").replace("'1'", "\"2\"");
    assert_eq!(toml.edited().unwrap(), wanted.replace("old = 1\n", ""));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, max_global_rejects: 1 << 16, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_is_refused_or_changes_our_table_only(
        is_inline in any::<bool>(),
        lines in prop::collection::vec((select(vec!["notes", "other", "'no tes'"]), select(vec![
            ".command = 'x'", ".args = [ 1,\n 2 ]", ".env.A = '''\n[mcp_servers.notes]\n'''", " = { command = 'x' }",
            ".env = { A = 1 }", ".args = [] # notes = {}", ".since = 1979-05-27", ".env.B.C = nan",
        ])), 0..6),
        more in prop::collection::vec(select(vec![
            "[mcp_servers.notes]\ncommand = 'x'\n", "[a] # [mcp_servers.notes]\nb = 1\n", "[mcp_servers.notes.env]\n\nA = '1'\n\n",
            "[[b]]\nc = \"\"\"\n[mcp_servers.notes]\"\"\"\n", "[mcp_servers.other]\ncommand = 'y'\n",
        ]), 0..5),
    ) {
        let lines = lines.iter().map(|(name, rest)| format!("{name}{rest}"));
        let lines: Vec<String> = lines.collect();
        let servers = match is_inline {
            true => format!("mcp_servers = {{ {} }}\n", lines.join(" , ")),
            false => format!("[mcp_servers]\n{}\n", lines.join("\n")),
        };
        let text = servers + &more.concat();
        prop_assume!(Spans::parse(&*text).is_ok());
        edits(&text);
    }
}
