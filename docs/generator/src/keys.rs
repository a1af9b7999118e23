//! The keys of every attribute, read from the grammar tables of the macros.

use std::{collections::BTreeMap, error::Error, fmt::Write, fs};

use hooks_text::{
    AGENT_TOOL_KINDS, AOS_POINTS, CONDITIONS, FEATURES, LIFECYCLE_POINTS, LIFECYCLES, MCPL_POINTS,
    PLUGIN_FIELDS, PLUGIN_ITEMS, PLUGIN_LISTS, PLUGIN_MODES, PLUGIN_POINTS, PLUGIN_ROOTS,
    POSITIONS, POSTURES, REQUIREMENTS, SENDERS, STRENGTHS, TYPES, Vocabulary,
};
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

use crate::{files, root};

/// The vocabularies by the names of their constants.
const VOCABULARIES: &[(&str, &Vocabulary)] = &[
    ("AGENT_TOOL_KINDS", &AGENT_TOOL_KINDS),
    ("AOS_POINTS", &AOS_POINTS),
    ("CONDITIONS", &CONDITIONS),
    ("FEATURES", &FEATURES),
    ("LIFECYCLE_POINTS", &LIFECYCLE_POINTS),
    ("LIFECYCLES", &LIFECYCLES),
    ("MCPL_POINTS", &MCPL_POINTS),
    ("POSTURES", &POSTURES),
    ("PLUGIN_FIELDS", &PLUGIN_FIELDS),
    ("PLUGIN_LISTS", &PLUGIN_LISTS),
    ("PLUGIN_MODES", &PLUGIN_MODES),
    ("PLUGIN_POINTS", &PLUGIN_POINTS),
    ("PLUGIN_ROOTS", &PLUGIN_ROOTS),
    ("POSITIONS", &POSITIONS),
    ("REQUIREMENTS", &REQUIREMENTS),
    ("SENDERS", &SENDERS),
    ("STRENGTHS", &STRENGTHS),
    ("TYPES", &TYPES),
];

/// One key of an attribute.
#[derive(Debug)]
struct Key {
    name: String,
    value: String,
    on: Vec<String>,
    is_required: bool,
    excludes: Vec<String>,
}

/// An attribute, with the words in front of its keys.
#[derive(Debug, Default)]
struct Attribute {
    leading: Vec<String>,
    keys: Vec<Key>,
}

fn words(name: &str) -> Result<String, String> {
    let found = VOCABULARIES.iter().find(|(constant, _)| *constant == name);
    let (_, vocabulary) =
        found.ok_or_else(|| format!("`keys.rs` lacks the vocabulary `{name}`"))?;
    Ok(vocabulary
        .words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", "))
}

fn string(token: &TokenTree) -> Option<String> {
    let text = token.to_string();
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(text.replace("\\\"", "\""))
}

/// The shape of a value, from the tokens behind the key's name: `Kind::Word(&STRENGTHS)`.
fn shape(tokens: &[TokenTree], tools: &str) -> Result<String, String> {
    let mut kinds = tokens.iter().filter_map(|token| match token {
        TokenTree::Ident(ident) if ident != "Kind" => Some(ident.to_string()),
        _ => None,
    });
    let kind = kinds.next_back().unwrap_or_default();
    let inside = tokens.iter().find_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream().to_string()),
        _ => None,
    });
    let inside = inside.unwrap_or_default();
    let constant = inside.trim_start_matches('&').trim();
    Ok(match &*kind {
        "Word" => format!("`=` one of {}", words(constant)?),
        "Choice" => format!("`=` one of {}, or a list of them", words(constant)?),
        "Words" => format!("`(…)` of {}", words(constant)?),
        "Condition" => format!("`(condition, …)` about {}", words(constant)?),
        "Fields" => format!("`(word = \"…\")` with {}", words(constant)?),
        "Text" => "`= \"text\"`".to_owned(),
        "Texts" => "`(\"text\", …)`".to_owned(),
        "Globs" => "`= \"glob\"` or `= [\"glob\", …]`".to_owned(),
        "Time" => "`= \"500ms\"`".to_owned(),
        "Integer" => "`= 10`".to_owned(),
        "Flag" if constant == "true" => "`= true`".to_owned(),
        "Flag" => "`= false`".to_owned(),
        "Switch" => "alone".to_owned(),
        "Type" => "`= Type`".to_owned(),
        "Path" => "`= some::path`".to_owned(),
        "Json" => "`(key = JSON, …)`".to_owned(),
        "TOOLS" => tools.to_owned(),
        "List" => format!("`({}, …)`", constant.trim_matches('"')),
        other => return Err(format!("`keys.rs` does not know the kind `{other}`")),
    })
}

/// Reads the tokens of a file in order: an attribute's name, its leading words and its keys belong together.
fn read(
    tokens: TokenStream,
    found: &mut BTreeMap<String, Attribute>,
    last: &mut String,
) -> Result<(), String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let ident = |at: usize| tokens.get(at).map(ToString::to_string).unwrap_or_default();
    for at in 0..tokens.len() {
        if ident(at) == "attribute"
            && ident(at + 1) == ":"
            && let Some(name) = tokens.get(at + 2).and_then(string)
        {
            found.entry(name.clone()).or_default();
            *last = name;
        }
        // `table("aos::memory_store", &[…])`
        if ident(at) == "table"
            && let Some(TokenTree::Group(group)) = tokens.get(at + 1)
            && let Some(name) = group.stream().into_iter().next().as_ref().and_then(string)
        {
            found.entry(name.clone()).or_default();
            *last = name;
        }
        if ident(at) == "leading" && ident(at + 1) == ":" {
            let group = tokens[at..].iter().find_map(|token| match token {
                TokenTree::Group(group) => Some(group.stream()),
                _ => None,
            });
            let is_words = tokens[at..]
                .iter()
                .take(7)
                .any(|token| token.to_string() == "Words");
            if let (true, Some(group)) = (is_words, group) {
                let names: Vec<String> = group
                    .to_string()
                    .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                    .map(str::to_owned)
                    .collect();
                for name in names.iter().filter(|name| !name.is_empty()) {
                    let all = words(name)?;
                    found.entry(last.clone()).or_default().leading.push(all);
                }
            }
        }
        if ident(at) == "Key"
            && ident(at + 3) == "new"
            && let Some(TokenTree::Group(group)) = tokens.get(at + 4)
        {
            let behind = &tokens[at + 5..];
            let keys = match group.stream().into_iter().next() {
                // `$(Key::new(stringify!($key), …),)+` stands for a key of each kind of items.
                Some(TokenTree::Ident(_)) => {
                    let items = PLUGIN_ITEMS.iter().map(|(name, _)| {
                        let rest = group.stream().into_iter().skip(3);
                        let name = TokenTree::from(Literal::string(name));
                        key([name].into_iter().chain(rest).collect(), behind)
                    });
                    items.collect::<Result<Vec<Key>, String>>()?
                }
                _ => vec![key(group.stream(), behind)?],
            };
            // A key in front of all tables is a constant that some of them use.
            if let Some(attribute) = found.get_mut(last.as_str()) {
                attribute.keys.extend(keys);
            }
        }
        if let TokenTree::Group(group) = &tokens[at] {
            read(group.stream(), found, last)?;
        }
    }
    Ok(())
}

fn key(arguments: TokenStream, behind: &[TokenTree]) -> Result<Key, String> {
    let arguments: Vec<TokenTree> = arguments.into_iter().collect();
    let name = arguments
        .first()
        .and_then(string)
        .ok_or("a key has no name")?;
    let mut key = Key {
        value: shape(&arguments[2..], "`(tool, …)`")?,
        name,
        on: Vec::new(),
        is_required: false,
        excludes: Vec::new(),
    };
    for three in behind.chunks(3) {
        let [
            TokenTree::Punct(dot),
            TokenTree::Ident(method),
            TokenTree::Group(group),
        ] = three
        else {
            break;
        };
        if dot.as_char() != '.' || group.delimiter() != Delimiter::Parenthesis {
            break;
        }
        let inside = group.stream().to_string();
        let parts = inside.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
        let parts: Vec<String> = parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        match &*method.to_string() {
            "on" => key.on = parts,
            "required" => key.is_required = true,
            "excludes" | "apart" => key.excludes = parts,
            _ => {}
        }
    }
    Ok(key)
}

pub(crate) fn page() -> Result<String, Box<dyn Error>> {
    let mut attributes: BTreeMap<String, Attribute> = BTreeMap::new();
    for path in files(&root().join("hooks-macros/src"), ".rs")? {
        let source = fs::read_to_string(&path)?;
        if !source.contains("Key::new(") || source.contains("pub(crate) struct Key {") {
            continue;
        }
        // The tests have tables, too.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let tokens: TokenStream = source
            .parse()
            .map_err(|error| format!("{}: {error}", path.display()))?;
        read(tokens, &mut attributes, &mut String::new())?;
    }
    let mut text = String::from(
        "# Keys of the attributes\n\nEvery key that an attribute accepts, from the tables that the macros read. A misspelt key is a compile error, \
         which names the nearest one. `crate` is for macros that generate our attributes.\n",
    );
    for (name, attribute) in &attributes {
        write!(text, "\n## `{name}`\n\n")?;
        for words in &attribute.leading {
            write!(text, "In front: one of {words}.\n\n")?;
        }
        text.push_str(
            "| key | value | on | required | not together with |\n|---|---|---|---|---|\n",
        );
        for key in &attribute.keys {
            let on = if key.on.is_empty() {
                "all".to_owned()
            } else {
                key.on
                    .join(", ")
                    .replace("UnitStruct", "unit struct")
                    .to_lowercase()
            };
            let excludes = key
                .excludes
                .iter()
                .map(|key| format!("`{key}`"))
                .collect::<Vec<_>>()
                .join(", ");
            let required = if key.is_required { "yes" } else { "" };
            writeln!(
                text,
                "| `{}` | {} | {on} | {required} | {excludes} |",
                key.name, key.value
            )?;
        }
    }
    Ok(text)
}
