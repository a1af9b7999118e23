//! The rules of the architecture: who may name whom, and how long a file may be.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use hooks_sdk::clients::{ALL, Client};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The most lines that a file may have.
const LONGEST: usize = 400;

/// The most lines of a file that is one type with its methods.
const LONGEST_OF_ONE_TYPE: usize = 600;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ has a parent")
        .to_owned()
}

pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// What a file names: the first segment below the crate root of each path, and every identifier.
#[derive(Default)]
struct Names {
    below_root: Vec<String>,
    identifiers: Vec<String>,
}

impl Names {
    fn of(source: &str, depth: usize) -> Names {
        let tokens: TokenStream = source.parse().expect("Rust source");
        let mut names = Names::default();
        names.read(tokens, depth);
        names
    }

    /// `depth` is how many `super` lead from here to the crate root.
    fn read(&mut self, tokens: TokenStream, depth: usize) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut inline_module = false;
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let inside = depth + usize::from(inline_module);
                    inline_module = false;
                    self.read(group.stream(), inside);
                }
                TokenTree::Ident(ident) => {
                    inline_module = at > 0 && is_ident(&tokens[at - 1], "mod");
                    self.identifiers.push(ident.to_string());
                    if ident == "crate" || ident == "super" && !follows_path(&tokens, at) {
                        self.follow(&tokens, at, depth);
                    }
                }
                _ => {}
            }
        }
    }

    fn follow(&mut self, tokens: &[TokenTree], mut at: usize, depth: usize) {
        let mut supers = 0;
        while is_ident(&tokens[at], "super") && is_path(tokens, at + 1) {
            supers += 1;
            at += 3;
        }
        if is_ident(&tokens[at], "crate") && is_path(tokens, at + 1) {
            at += 3;
        } else if supers < depth {
            return;
        }
        match tokens.get(at) {
            Some(TokenTree::Ident(ident)) => self.below_root.push(ident.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let mut first = true;
                for token in group.stream() {
                    match token {
                        TokenTree::Ident(ident) if first => {
                            self.below_root.push(ident.to_string());
                            first = false;
                        }
                        TokenTree::Punct(punct) if punct.as_char() == ',' => first = true,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == name)
}

fn is_path(tokens: &[TokenTree], at: usize) -> bool {
    let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    colon(at) && colon(at + 1)
}

fn follows_path(tokens: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_path(tokens, at - 2)
}

#[test]
fn each_part_names_only_what_it_may() {
    let packages = root().join("hooks-sdk");
    let mut broken = Vec::new();
    for file in rust_files(&packages) {
        let place = file.strip_prefix(&packages).expect("below the packages");
        let parts: Vec<&str> = place.iter().filter_map(|part| part.to_str()).collect();
        let Some(source) = parts.iter().position(|part| *part == "src") else {
            continue;
        };
        let (package, parts) = (parts[..source].first().copied(), &parts[source + 1..]);
        let module_file = matches!(parts.last(), Some(&"mod.rs" | &"lib.rs"));
        let depth = parts.len() - usize::from(module_file);
        let names = Names::of(&fs::read_to_string(&file).expect("UTF-8 source"), depth);
        let top = parts[0].trim_end_matches(".rs");
        let mut tell = |what: String| broken.push(format!("{}: {what}", place.display()));
        for name in &names.below_root {
            if package == Some("core") && !may_name(top, name) {
                tell(format!("`{top}` names `crate::{name}`"));
            }
        }
        let names_any = |of: &[&str]| names.identifiers.iter().any(|name| of.contains(&&**name));
        let may_name_rmcp = match package {
            // The names that authors use, and a server for the tests of commands.
            None => top == "lib" || place.ends_with("cli/desk.rs"),
            Some("server") => matches!(top, "server" | "http" | "lib"),
            Some("mcpl") => matches!(top, "rmcp" | "lib"),
            Some(_) => false,
        };
        if !may_name_rmcp && names_any(&["rmcp"]) {
            tell("names rmcp".to_owned());
        }
        if package == Some("clients") && names_any(&["internal"]) {
            tell("names what is internal to another package".to_owned());
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The targets of the log are the paths that authors know, whatever package writes a line.
#[test]
fn every_line_of_the_log_has_a_target_of_the_facade() {
    let packages = root().join("hooks-sdk");
    let levels = ["trace!(", "debug!(", "info!(", "warn!(", "error!("];
    let mut without = Vec::new();
    for file in rust_files(&packages) {
        let place = file.strip_prefix(&packages).expect("below the packages");
        let is_facade = place.starts_with("src");
        let is_source = place.iter().nth(1).is_some_and(|part| part == "src");
        let is_test = place
            .iter()
            .any(|part| part == "tests" || part == "tests.rs");
        if is_facade || !is_source || is_test {
            continue;
        }
        let text = fs::read_to_string(&file).expect("UTF-8 source");
        for written in text.split("tracing::").skip(1) {
            let level = levels.iter().find_map(|level| written.strip_prefix(level));
            let has_target = |line: &str| line.trim_start().starts_with("target: \"hooks_sdk::");
            if level.is_some_and(|rest| !has_target(rest)) {
                let line = written.lines().take(2).collect::<String>();
                without.push(format!("{}: tracing::{line}", place.display()));
            }
        }
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}

/// The two protocols of `hooks-core`, its sessions and its stores, with the others of these that each may name.
const CORE: &[(&str, &[&str])] = &[
    ("guidance", &[]),
    ("lifecycle", &[]),
    ("session", &["store"]),
    ("store", &[]),
];

/// Returns whether a part of `hooks-core` may name another one. Parts without a protocol name none.
fn may_name(top: &str, name: &str) -> bool {
    let lists = ["lib", "internal", "declared"];
    let of = |name: &str| CORE.iter().find(|(part, _)| *part == name);
    match (of(top), of(name)) {
        (_, None) => true,
        (None, Some(_)) => lists.contains(&top),
        (Some((own, others)), Some(_)) => *own == name || others.contains(&name),
    }
}

/// The middleware of a server, by protocol.
const MIDDLEWARE: [&str; 8] = [
    "aos",
    "guidance",
    "lifecycle",
    "log",
    "mcpl",
    "plugin",
    "session",
    "skills",
];

/// The files of `server/` that may name middleware: what authors are given, the struct that has them all with the steps of a
/// request, what each keeps for a request and a connection, and what two of them decide about messages.
const LISTS: [&str; 14] = [
    "mod.rs",
    "building.rs",
    "connection.rs",
    "dry/settings.rs",
    "middleware/mod.rs",
    "pipeline/call.rs",
    "pipeline/mod.rs",
    "pipeline/parts.rs",
    "pipeline/served.rs",
    "pipeline/steps.rs",
    "service.rs",
    "settings.rs",
    "transport/message_decisions/mod.rs",
    "transport/outbox.rs",
];

#[test]
fn a_middleware_names_no_other() {
    let server = root().join("hooks-sdk/server/src/server");
    let mut broken = Vec::new();
    for file in rust_files(&server) {
        let place = file.strip_prefix(&server).expect("below the server");
        let place = place.to_str().expect("UTF-8");
        let mut parts = place.split('/');
        let own = (parts.next() == Some("middleware")).then(|| parts.next());
        let own = own.flatten();
        let own = own.map(|name| name.trim_end_matches(".rs"));
        let mut names = Names::default();
        let source = fs::read_to_string(&file).expect("UTF-8 source");
        names.read(source.parse().expect("Rust source"), 0);
        for two in names.identifiers.windows(2) {
            let (of, name) = (&*two[0], &*two[1]);
            let may_name = LISTS.contains(&place) || own == Some(name);
            if of == "middleware" && MIDDLEWARE.contains(&name) && !may_name {
                broken.push(format!("server/{place}: names the middleware `{name}`"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The files beside those of the clients that may name one: the table.
const NAMES_CLIENTS: &str = "clients/src/lib.rs";

#[test]
fn only_its_own_file_names_a_client() {
    let packages = root().join("hooks-sdk");
    let (mut broken, mut own) = (Vec::new(), BTreeSet::new());
    let folders = ["clients/src", "src/cli"];
    for file in folders.iter().flat_map(|it| rust_files(&packages.join(it))) {
        let place = file.strip_prefix(&packages).expect("below the packages");
        let place = place.display().to_string();
        let is_test = place.ends_with("tests.rs");
        if is_test || place == NAMES_CLIENTS {
            continue;
        }
        let source = fs::read_to_string(&file).expect("UTF-8 source");
        let words = code(source.parse().expect("Rust source"));
        let file_of = |client: &Client| format!("clients/src/{}.rs", client.name.replace('-', "_"));
        // A row may tell people which other clients read the same file.
        let is_row = ALL.iter().any(|client| place == file_of(client));
        for client in ALL {
            let module = client.name.replace('-', "_");
            if place == file_of(client) {
                own.insert(client.name);
                continue;
            }
            let names = [client.name, &module, client.title];
            let is_named = |word: &&String| {
                let word = word.trim_matches('"');
                // `cursor` is also a word of English.
                let in_text = !is_row && client.name != "cursor";
                names.contains(&word) || in_text && word.contains(client.title)
            };
            broken.extend(
                words
                    .iter()
                    .find(is_named)
                    .map(|word| format!("{place}: names {}: {word}", client.title)),
            );
        }
    }
    assert_eq!(own.len(), ALL.len(), "each client has a file of its own");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns the identifiers and literals of a source, without comments and without items for tests.
fn code(source: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = source.into_iter().collect();
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(token) = tokens.get(at) {
        at += 1;
        let is_sign = |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(it) if it.as_char() == sign);
        // A comment on a whole file.
        if is_sign(token, '#') && tokens.get(at).is_some_and(|next| is_sign(next, '!')) {
            at += 1;
        }
        let attribute = match (token, tokens.get(at)) {
            (TokenTree::Punct(sign), Some(TokenTree::Group(group))) if sign.as_char() == '#' => {
                at += 1;
                Some(group.stream().to_string())
            }
            _ => None,
        };
        match (attribute, token) {
            (Some(text), _) if text.starts_with("cfg") && text.contains("test") => {
                // Up to the end of the item.
                let rest = tokens[at..].iter();
                let is_end = |token: &TokenTree| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(sign) => sign.as_char() == ';',
                    _ => false,
                };
                at += rest.take_while(|token| !is_end(token)).count() + 1;
            }
            (Some(_), _) | (None, TokenTree::Punct(_)) => {}
            (None, TokenTree::Group(group)) => words.extend(code(group.stream())),
            (None, other) => words.push(other.to_string()),
        }
    }
    words
}

#[test]
fn two_public_types_never_share_a_name() {
    const KINDS: [&str; 4] = ["struct", "enum", "trait", "type"];
    let sources = root().join("hooks-sdk");
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in rust_files(&sources) {
        let source = fs::read_to_string(&file).expect("UTF-8 source");
        let tokens: Vec<TokenTree> = source
            .parse::<TokenStream>()
            .expect("Rust source")
            .into_iter()
            .collect();
        // At the top of a file only: what is deeper is a test, or belongs to a type. `unreachable_pub` is on, so that
        // what is `pub` there can be named from outside.
        for three in tokens.windows(3) {
            let is_type = KINDS.iter().any(|kind| is_ident(&three[1], kind));
            if is_ident(&three[0], "pub") && is_type {
                let place = file.strip_prefix(&sources).expect("below the sources");
                let shared = places.entry(three[2].to_string()).or_default();
                shared.push(place.display().to_string());
            }
        }
    }
    assert!(places.len() > 200, "{} public types", places.len());
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

#[test]
fn files_open_with_a_sentence_and_stay_short() {
    let root = root();
    let mut lengths = Vec::new();
    let mut broken = Vec::new();
    for folder in [
        "hooks-sdk",
        "hooks-macros",
        "cargo-hooks",
        "examples",
        "tests/src",
        "tests/tests",
    ] {
        for file in rust_files(&root.join(folder)) {
            let source = fs::read_to_string(&file).expect("UTF-8 source");
            let place = file
                .strip_prefix(&root)
                .expect("below the root")
                .display()
                .to_string();
            if !source.starts_with("//! ") {
                broken.push(format!("{place}: does not open with a `//!` sentence"));
            }
            let lines = source.lines().count();
            let most = match types_with_methods(&source).len() {
                1 => LONGEST_OF_ONE_TYPE,
                _ => LONGEST,
            };
            if lines > most {
                broken.push(format!("{place}: {lines} lines; split it"));
            }
            lengths.push((lines, place));
        }
    }
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    for (lines, place) in lengths.iter().take(10) {
        eprintln!("{lines:>4} {place}");
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns the types that have an `impl` at the top of a formatted file.
fn types_with_methods(source: &str) -> BTreeSet<&str> {
    let heads = source.split("\nimpl").skip(1);
    heads
        .filter_map(|rest| {
            let head = rest.split('{').next()?.split("\nwhere").next()?.trim();
            let of = match head.rsplit_once(" for ") {
                Some((_, of)) => of,
                None if head.starts_with('<') => head.split_once("> ")?.1,
                None => head,
            };
            of.split('<').next()?.rsplit("::").next()
        })
        .collect()
}

#[test]
fn messages_of_the_compiler_show_no_line_of_the_standard_library() {
    let mut broken = Vec::new();
    let mut folders = vec![root().join("tests/ui")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "stderr")
            {
                let text = fs::read_to_string(&path).expect("UTF-8");
                if text.contains("$RUST/") || text.contains("/rustc/") {
                    broken.push(path.display().to_string());
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn a_guardian_is_built_without_rmcp() {
    let alone = "-p hooks-sdk --no-default-features --features guardian-server";
    for package in ["-p guardian-server", "-p hooks-aos --all-features", alone] {
        let tree = Command::new(env!("CARGO"))
            .args("tree --offline --locked --prefix none --edges normal,build".split(' '))
            .args(package.split(' '))
            .current_dir(root())
            .output()
            .expect("cargo");
        let said = String::from_utf8_lossy(&tree.stderr);
        assert!(tree.status.success(), "{said}");
        let tree = String::from_utf8(tree.stdout).expect("UTF-8");
        let rmcp = tree.lines().find(|line| line.starts_with("rmcp"));
        assert!(
            tree.contains("axum v") && rmcp.is_none(),
            "{package}: {rmcp:?}"
        );
    }
}

#[test]
fn the_readers_follow_paths_wherever_they_stand() {
    let names = Names::of(
        "use crate::{core::Hook, lifecycle}; mod tests { use super::super::server; } \
         fn f() { vec![super::http::x]; crate::store::y() }",
        1,
    );
    assert_eq!(
        names.below_root,
        ["core", "lifecycle", "server", "http", "store"]
    );
}
