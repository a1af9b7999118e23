//! What the formats of plugins have in common, as data.

use hooks_clients::{
    self as clients, Client,
    dump::{About, Dump, FileBytes},
};
use serde_json::{Value, json};

use crate::CommandError;

/// The file of the icon.
pub(super) const ICON: &str = "icon.png";

/// The longest name of a plugin, in characters.
const LONGEST_NAME: usize = 64;

/// A format of plugins: where its files are, and what they hold beyond what all formats share.
#[derive(Debug)]
pub(super) struct Format {
    /// The name on a command line.
    pub(super) name: &'static str,
    /// Who loads it, for people.
    pub(super) title: &'static str,
    /// The file that describes the plugin.
    pub(super) manifest: &'static str,
    /// The manifest's `$schema`.
    pub(super) schema: Option<&'static str>,
    /// Whether the manifest has the member `interface`, which catalogs of Codex show.
    pub(super) interface: bool,
    /// The file of MCP servers.
    pub(super) servers: &'static str,
    /// The `$schema` of the file of MCP servers.
    pub(super) servers_schema: Option<&'static str>,
    /// The client that reads the hooks.
    pub(super) client: &'static str,
    /// The file of hooks.
    pub(super) hooks: &'static str,
    /// How the entries start a program that the plugin contains.
    pub(super) own_program: OwnProgram,
    /// The catalog that offers the plugin, in the plugin's own folder.
    pub(super) catalog: Option<Catalog>,
    /// How the plugin is loaded, for people. `DIR` and `NAME` are replaced.
    pub(super) load: &'static [&'static str],
    /// What people may miss, in a sentence or two.
    pub(super) lacks: Option<&'static str>,
}

/// How the entries start a program in the plugin's folder. `FILE` is its path there.
#[derive(Debug)]
pub(super) struct OwnProgram {
    /// The program in a command of a hook, for a shell.
    pub(super) hooks: &'static str,
    /// The program in the server's entry.
    pub(super) server: &'static str,
    /// The folder in which the client starts the server.
    pub(super) folder: Option<&'static str>,
}

/// A catalog of plugins with one entry.
#[derive(Debug)]
pub(super) struct Catalog {
    pub(super) file: &'static str,
    /// Makes the place of the plugin, relative to the catalog's folder.
    pub(super) source: fn() -> Value,
}

/// What a package's files say about it.
#[derive(Debug)]
pub(super) struct PackageFacts<'a> {
    pub(super) name: &'a str,
    /// The file name of the program, without the ending that Windows gives it.
    pub(super) program: &'a str,
    /// What the program says of itself.
    pub(super) dump: &'a Dump,
}

impl<'a> PackageFacts<'a> {
    /// Returns what the author says.
    pub(super) fn said(&self) -> &'a About {
        &self.dump.about
    }

    pub(super) fn author(&self) -> Option<PackageAuthor> {
        PackageAuthor::first(self.said().authors.as_deref()?)
    }

    pub(super) fn icon(&self) -> Option<&'a [u8]> {
        self.said().icon.as_ref().map(FileBytes::bytes)
    }

    /// Returns the arguments with which a client starts the server.
    pub(super) fn serve(&self) -> Vec<&'a str> {
        let further = self.dump.arguments.iter().map(String::as_str);
        ["serve"].into_iter().chain(further).collect()
    }

    /// Returns the line of a page by which the MCP registry recognizes a package of the server. It is text, because some
    /// registries remove comments.
    pub(super) fn registry_line(&self) -> String {
        match &self.said().registry_name {
            Some(name) => format!("\nmcp-name: {name}\n"),
            None => String::new(),
        }
    }
}

/// The longest short description that the catalog of Codex takes, in characters.
const SHORT: usize = 30;

/// The author of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackageAuthor {
    pub(super) name: String,
    pub(super) email: Option<String>,
}

impl PackageAuthor {
    /// Reads the first author of a list such as `CARGO_PKG_AUTHORS`: `Ann <ann@example.com>:Ben`.
    pub(super) fn first(authors: &str) -> Option<PackageAuthor> {
        let first = authors
            .split(':')
            .map(str::trim)
            .find(|it| !it.is_empty())?;
        let (name, email) = match first.split_once('<') {
            Some((name, rest)) => (name.trim(), rest.trim_end_matches('>').trim()),
            None => (first, ""),
        };
        let name = if name.is_empty() { email } else { name };
        Some(PackageAuthor {
            name: name.to_owned(),
            email: email.contains('@').then(|| email.to_owned()),
        })
    }

    pub(super) fn json(&self) -> Value {
        match &self.email {
            Some(email) => json!({ "name": self.name, "email": email }),
            None => json!({ "name": self.name }),
        }
    }
}

/// Returns the name of a server's plugin: lower-case letters and digits, with single hyphens between them.
pub(super) fn plugin_name(server: &str) -> Result<String, CommandError> {
    let mut name = String::new();
    for letter in server.chars().map(|letter| letter.to_ascii_lowercase()) {
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    match name.len() {
        1..=LONGEST_NAME => Ok(name.to_owned()),
        _ => Err(format!(
            "`{server}` cannot name a plugin: a plugin's name has 1 to {LONGEST_NAME} letters and digits\nhelp: give \
             the server another name in `Program::new`"
        )
        .into()),
    }
}

impl Format {
    /// Returns the client that reads the hooks.
    pub(super) fn client(&self) -> Result<&'static Client, CommandError> {
        let client = clients::by_name(self.client);
        client.ok_or_else(|| format!("hooks for `{}` cannot be written yet", self.client).into())
    }

    /// Returns the manifest.
    pub(super) fn manifest(&self, about: &PackageFacts<'_>) -> Value {
        let mut manifest = described(about);
        set(&mut manifest, "$schema", self.schema);
        let author = about.author().map(|author| author.json());
        set(&mut manifest, "author", author);
        set(&mut manifest, "license", about.said().license.as_deref());
        let interface = self.interface.then(|| interface(about));
        set(&mut manifest, "interface", interface);
        manifest
    }

    /// Returns the file of MCP servers, with one server.
    pub(super) fn servers(&self, server: &str, entry: Value) -> Value {
        let mut file = json!({ "mcpServers": { server: entry } });
        set(&mut file, "$schema", self.servers_schema);
        file
    }
}

impl Catalog {
    /// Returns the catalog. It has the plugin's name, so that `NAME@NAME` finds the plugin.
    pub(super) fn content(&self, about: &PackageFacts<'_>, source: Value) -> Value {
        let mut plugin = described(about);
        plugin["source"] = source;
        let owner = about.author().map(|author| author.name);
        let owner = owner.unwrap_or_else(|| about.name.to_owned());
        json!({
            "name": about.name,
            "description": about.said().description,
            "owner": { "name": owner },
            "plugins": [plugin],
        })
    }
}

fn described(about: &PackageFacts<'_>) -> Value {
    let said = about.said();
    let mut members = json!({ "name": about.name, "description": said.description });
    set(&mut members, "version", said.version.as_deref());
    members
}

/// Sets a member of an object, if there is a value.
pub(super) fn set(object: &mut Value, member: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object[member] = value.into();
    }
}

/// Returns a description in at most [`SHORT`] characters, cut after a word.
fn short(description: &str) -> String {
    if description.chars().count() <= SHORT {
        return description.to_owned();
    }
    let mut cut: String = description.chars().take(SHORT).collect();
    // The last character makes room for the ellipsis.
    let last = cut.char_indices().last().map(|(at, _)| at);
    let end = cut.rfind(char::is_whitespace).or(last);
    cut.truncate(end.unwrap_or_default());
    let words = cut.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    format!("{words}…")
}

/// Returns what catalogs of Codex show of a plugin.
fn interface(about: &PackageFacts<'_>) -> Value {
    let said = about.said();
    let short = short(&said.description);
    let mut shown = json!({ "displayName": about.dump.name, "shortDescription": short });
    if short != said.description {
        shown["longDescription"] = said.description.as_str().into();
    }
    let developer = about.author().map(|author| author.name);
    set(&mut shown, "developerName", developer);
    let page = said.homepage.as_ref().or(said.repository.as_ref());
    set(&mut shown, "websiteURL", page.map(String::as_str));
    if said.icon.is_some() {
        let file = format!("./{ICON}");
        shown["composerIcon"] = file.as_str().into();
        shown["logo"] = file.into();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::formats::{ALL, CLAUDE, CODEX};

    #[test]
    fn a_plugin_is_named_in_kebab_case() {
        for (server, name) in [
            ("memory", "memory"),
            ("My_Server", "my-server"),
            ("_a__b-", "a-b"),
            ("notes.2", "notes-2"),
        ] {
            assert_eq!(plugin_name(server).unwrap(), name);
        }
        for server in ["", "--", "é", &"a".repeat(65)] {
            let error = plugin_name(server).unwrap_err().to_string();
            assert!(error.contains("cannot name a plugin"), "{error}");
        }
    }

    #[test]
    fn the_first_author_is_the_author() {
        let author = |text: &str| PackageAuthor::first(text).map(|it| (it.name, it.email));
        let email = || Some("ann@example.com".to_owned());
        assert_eq!(
            author("Ann A. <ann@example.com>:Ben"),
            Some(("Ann A.".to_owned(), email()))
        );
        assert_eq!(author("Ben"), Some(("Ben".to_owned(), None)));
        assert_eq!(
            author("<ann@example.com>"),
            Some(("ann@example.com".to_owned(), email()))
        );
        assert_eq!(author("Ben <>"), Some(("Ben".to_owned(), None)));
        assert_eq!((author(""), author(" : ")), (None, None));
    }

    #[test]
    fn each_format_has_a_name_and_places_of_its_own() {
        for format in ALL {
            let mut files = vec![format.manifest];
            // A manifest may have the server.
            files.extend(Some(format.servers).filter(|file| *file != format.manifest));
            files.push(format.hooks);
            files.extend(format.catalog.iter().map(|catalog| catalog.file));
            let count = files.len();
            files.sort_unstable();
            files.dedup();
            assert_eq!(files.len(), count, "{}", format.name);
        }
    }

    #[test]
    fn catalogs_of_codex_show_what_the_program_says() {
        let text = |text: &str| Some(text.to_owned());
        let mut dump = Dump::default();
        "Notes".clone_into(&mut dump.name);
        "Notes for agents.".clone_into(&mut dump.about.description);
        dump.about.authors = text("Ann <ann@example.com>");
        dump.about.repository = text("https://github.com/acme/notes");
        dump.about.icon = Some(FileBytes::of(b"png"));
        let manifest = |format: &Format, dump: &Dump| {
            format.manifest(&PackageFacts {
                name: "notes",
                program: "notes",
                dump,
            })
        };
        let shown = |dump: &Dump| manifest(&CODEX, dump)["interface"].clone();
        assert_eq!(
            shown(&dump),
            json!({
                "displayName": "Notes",
                "shortDescription": "Notes for agents.",
                "developerName": "Ann",
                "websiteURL": "https://github.com/acme/notes",
                "composerIcon": "./icon.png",
                "logo": "./icon.png",
            })
        );
        (dump.about.authors, dump.about.icon) = (None, None);
        dump.about.homepage = text("https://notes.example.org/");
        assert_eq!(
            shown(&dump),
            json!({
                "displayName": "Notes",
                "shortDescription": "Notes for agents.",
                "websiteURL": "https://notes.example.org/",
            })
        );
        "A memory for agents, with a session of its own.".clone_into(&mut dump.about.description);
        let long = shown(&dump);
        assert_eq!(long["shortDescription"], "A memory for agents, with a…");
        assert_eq!(long["longDescription"], *dump.about.description);
        for (text, expected) in [
            (
                "Thirty letters are still whole",
                "Thirty letters are still whole",
            ),
            (
                "Twenty-nine letters are whole too",
                "Twenty-nine letters are whole…",
            ),
            (
                "Mit vielen Wörtern – an: mehr, mehr",
                "Mit vielen Wörtern – an…",
            ),
            (&"é".repeat(31), &format!("{}…", "é".repeat(29))),
        ] {
            assert_eq!(short(text), expected);
            assert!(expected.chars().count() <= SHORT);
        }
        let other = manifest(&CLAUDE, &dump);
        assert!(other.get("interface").is_none());
    }
}
