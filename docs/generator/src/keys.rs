//! The keys of every attribute, read from the grammar tables of the macros.

use std::{collections::BTreeMap, error::Error, fmt::Write, fs, path::Path};

use hooks_text::{
    AGENT_TOOL_KINDS, AOS_POINTS, CONDITIONS, FEATURES, LIFECYCLE_POINTS, LIFECYCLES, MCPL_POINTS,
    PLUGIN_FIELDS, PLUGIN_ITEMS, PLUGIN_LISTS, PLUGIN_MODES, PLUGIN_POINTS, PLUGIN_ROOTS,
    POSITIONS, POSTURES, REQUIREMENTS, SENDERS, STRENGTHS, TYPES, Vocabulary,
};
use proc_macro2::{TokenStream, TokenTree};

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

/// The value of a key with globs.
const GLOBS: &str = "`= \"glob\"` or `= [\"glob\", …]`";

/// One key of an attribute.
#[derive(Clone, Debug)]
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
        "Globs" => GLOBS.to_owned(),
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

/// The keys behind the names of constants: of one key, as `CRATE`, and of a list, as `KEYS`.
type Constants = BTreeMap<String, Vec<Key>>;

/// Splits at the commas outside brackets.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => parts.push(Vec::new()),
            _ => parts.last_mut().expect("never empty").push(token),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Reads the constants of keys in a file, in the order in which they name each other.
fn constants(tokens: TokenStream, found: &mut Constants) -> Result<(), String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for at in 0..tokens.len() {
        let behind = &tokens[at..];
        let until = |sign: &str| behind.iter().position(|token| token.to_string() == sign);
        if tokens[at].to_string() == "const"
            && behind.get(1).is_some_and(|name| name.to_string() != "fn")
            && let (Some(equals), Some(end)) = (until("="), until(";"))
            && equals < end
            && behind[..equals]
                .iter()
                .any(|token| token.to_string().contains("Key"))
        {
            let keys = match &behind[equals + 1..end] {
                [_, TokenTree::Group(list)] => keys(list.stream(), found)?,
                one => keys(one.iter().cloned().collect(), found)?,
            };
            found.insert(behind[1].to_string(), keys);
        }
        if let TokenTree::Group(group) = &tokens[at] {
            constants(group.stream(), found)?;
        }
    }
    Ok(())
}

/// Reads the tables of a file: `Table::new("name", Leading::Words(&[…]), &[…])`.
fn tables(
    tokens: TokenStream,
    known: &Constants,
    found: &mut BTreeMap<String, Attribute>,
) -> Result<(), String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let before: String = tokens[at.saturating_sub(4)..at]
            .iter()
            .map(ToString::to_string)
            .collect();
        let parts = split(group.stream());
        if before == "Table::new"
            && let [name, leading, list] = &parts[..]
            && let Some(name) = name.first().and_then(string)
        {
            let leading: String = leading.iter().map(ToString::to_string).collect();
            let leading = leading.strip_prefix("Leading::Words").unwrap_or_default();
            let leading =
                leading.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
            let leading = leading.filter(|word| !word.is_empty()).map(words);
            let keys = match &list[..] {
                [_, TokenTree::Group(list)] => keys(list.stream(), known)?,
                list => keys(list.iter().cloned().collect(), known)?,
            };
            let leading = leading.collect::<Result<_, _>>()?;
            found.insert(name, Attribute { leading, keys });
        }
        tables(group.stream(), known, found)?;
    }
    Ok(())
}

/// Reads a list of keys.
fn keys(list: TokenStream, known: &Constants) -> Result<Vec<Key>, String> {
    let mut found = Vec::new();
    for part in split(list) {
        let mut part = &part[..];
        // `$(globs(stringify!($key), …),)+` makes a key of each kind of items.
        if let [
            TokenTree::Punct(_),
            TokenTree::Group(_),
            TokenTree::Punct(_),
            rest @ ..,
        ] = part
        {
            found.extend(PLUGIN_ITEMS.iter().map(|name| Key::new(name, GLOBS)));
            part = rest;
        }
        let call = part
            .iter()
            .position(|token| matches!(token, TokenTree::Group(_)));
        let first: String = part[..call.unwrap_or(part.len())]
            .iter()
            .map(ToString::to_string)
            .collect();
        let (first, _) = first.split_once('.').unwrap_or((&first, ""));
        let arguments: Vec<TokenTree> = match call.map(|call| &part[call]) {
            Some(TokenTree::Group(group)) => group.stream().into_iter().collect(),
            _ => Vec::new(),
        };
        let name = arguments.first().and_then(string);
        let mut keys = match (first, name) {
            ("Key::new", Some(name)) => {
                vec![Key::new(&name, &shape(&arguments[2..], "`(tool, …)`")?)]
            }
            ("globs", Some(name)) => vec![Key::new(&name, GLOBS)],
            ("", _) => continue,
            (constant, _) => {
                let keys = known.get(constant);
                keys.cloned()
                    .ok_or_else(|| format!("`keys.rs` does not know the key `{constant}`"))?
            }
        };
        for key in &mut keys {
            key.restrict(part);
        }
        found.extend(keys);
    }
    Ok(found)
}

impl Key {
    fn new(name: &str, value: &str) -> Key {
        Key {
            name: name.to_owned(),
            value: value.to_owned(),
            on: Vec::new(),
            is_required: false,
            excludes: Vec::new(),
        }
    }

    /// Reads the methods behind a key: `.on(&[Function]).required("…")`.
    fn restrict(&mut self, tokens: &[TokenTree]) {
        for three in tokens.windows(3) {
            let [
                TokenTree::Punct(_),
                TokenTree::Ident(method),
                TokenTree::Group(group),
            ] = three
            else {
                continue;
            };
            let inside = group.stream().to_string();
            let parts = inside.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
            let parts = parts.filter(|part| !part.is_empty()).map(str::to_owned);
            match &*method.to_string() {
                "on" => self.on = parts.collect(),
                "required" => self.is_required = true,
                "excludes" | "apart" => self.excludes = parts.collect(),
                _ => {}
            }
        }
    }
}

/// Reads the tables of all attributes. Each file may name the keys that every file may name, and its own.
fn attributes() -> Result<BTreeMap<String, Attribute>, Box<dyn Error>> {
    let sources = root().join("hooks-macros/src");
    // The tests have tables, too.
    let parse = |path: &Path, source: &str| {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let tokens = source.parse::<TokenStream>();
        tokens.map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut shared = Constants::new();
    let path = sources.join("key.rs");
    constants(parse(&path, &fs::read_to_string(&path)?)?, &mut shared)?;
    let mut attributes = BTreeMap::new();
    for path in files(&sources, ".rs")? {
        let source = fs::read_to_string(&path)?;
        if source.contains("Table::new(") {
            let tokens = parse(&path, &source)?;
            let mut known = shared.clone();
            constants(tokens.clone(), &mut known)?;
            tables(tokens, &known, &mut attributes)?;
        }
    }
    Ok(attributes)
}

pub(crate) fn page() -> Result<String, Box<dyn Error>> {
    let attributes = attributes()?;
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
