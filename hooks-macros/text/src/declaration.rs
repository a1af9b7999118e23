//! Reads a markdown file that declares a hook by its front matter, and checks the values.

use std::{collections::BTreeSet, path::Path};

use crate::{
    Fault, KEYS, Key, MAX_TEXT, ScalarText, Shape, Value, front_matter, nearest,
    rule::guidance::{about_tools, tag},
    slashed,
    vocabulary::TYPES,
};

/// The hook that a file declares.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Declaration<'t> {
    /// The text after the front matter, without blank lines around it.
    pub text: &'t str,
    /// The faults, in the order of the report.
    pub faults: Vec<Fault>,
    values: Vec<(&'static str, Vec<String>)>,
}

/// Returns the content of the file `name` as text.
///
/// # Errors
///
/// The name does not end in `.md`, or the file is too long or not UTF-8.
pub fn hook_text<'b>(name: &str, bytes: &'b [u8]) -> Result<&'b str, Fault> {
    if !name.ends_with(".md") {
        let renamed = Path::new(name).with_extension("md");
        let help = format!("rename it to `{}`", slashed(&renamed));
        let message = "a hook's file has a name that ends in `.md`";
        return Err(Fault::new(1, message, help));
    }
    if bytes.len() > MAX_TEXT {
        let message = format!("the file is longer than {MAX_TEXT} bytes");
        return Err(Fault::new(
            1,
            message,
            "shorten it, or make two hooks of it",
        ));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let message = format!("`{name}` is not UTF-8 (byte {})", before.len());
        Fault::new(line, message, "save it as UTF-8")
    })
}

/// Returns the fault of a file that declares the same hook as the file `first`.
pub fn second_hook(hook_type: &str, lifecycle: &str, tag: &str, first: &str) -> Fault {
    let message =
        format!("a second `{tag}` hook for `{hook_type} {lifecycle}`; the first is in `{first}`");
    Fault::new(1, message, "give one of them another `tag`")
}

/// Reads the declaration in the file `name`.
pub fn declaration<'t>(name: &str, text: &'t str) -> Declaration<'t> {
    let mut found = Declaration::default();
    let front = match front_matter(text) {
        Ok(Some(front)) => front,
        Ok(None) => {
            let help = "begin the file with a line `---`";
            found.fault(Fault::new(1, "there is no front matter", help));
            return found;
        }
        Err(fault) => {
            found.fault(fault);
            return found;
        }
    };
    let mut meant = Vec::new();
    for entry in &front.entries {
        if KEYS.iter().any(|key| key.name == entry.key) {
            continue;
        }
        let near = nearest(&entry.key, KEYS.iter().map(|key| key.name));
        let help = match near {
            Some(near) => format!("write `{near}`"),
            None => {
                let names: Vec<_> = KEYS.iter().map(|key| key.name).collect();
                format!("the keys are `{}`", names.join("`, `"))
            }
        };
        meant.extend(near);
        found.fault(Fault::new(
            entry.line,
            format!("unknown key `{}`", entry.key),
            help,
        ));
    }
    for key in KEYS {
        match front.entries.iter().find(|entry| entry.key == key.name) {
            Some(entry) => found.value(key, &entry.value, entry.line),
            None if key.required && !meant.contains(&key.name) => {
                let message = format!("missing `{}`", key.name);
                found.fault(Fault::new(1, message, key.help()));
            }
            None if key.name == "tag" => found.tag_of(name),
            None => {}
        }
    }
    found.text = text[front.body..].trim_end();
    if found.text.is_empty() {
        let (line, help) = (text.lines().count(), "write what the agent should read");
        found.fault(Fault::new(line, "the text is empty", help));
    }
    found
}

impl Declaration<'_> {
    /// Returns the only value of a key.
    pub fn one(&self, key: &str) -> Option<&str> {
        self.several(key)?.next()
    }

    /// Returns all values of a key; `None` if the file does not have it.
    pub fn several(&self, key: &str) -> Option<impl Iterator<Item = &str>> {
        let (_, values) = self.values.iter().find(|(name, _)| *name == key)?;
        Some(values.iter().map(String::as_str))
    }

    /// Returns the names and values of a key of the shape [`Shape::Settings`].
    pub fn settings(&self, key: &str) -> Option<impl Iterator<Item = (&str, &str)>> {
        Some(self.several(key)?.filter_map(setting))
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    fn value(&mut self, key: &'static Key, value: &Value, line: usize) {
        let single = !matches!(key.shape, Shape::Texts | Shape::Settings);
        let items = match value {
            Value::Scalar(scalar) => std::slice::from_ref(scalar),
            Value::Map(_) | Value::List(_) if single => {
                let message = format!("`{}`: it has several values", key.name);
                return self.fault(Fault::new(line, message, key.help()));
            }
            Value::List(items) => items,
            // The reader of a hook's front matter accepts no map.
            Value::Map(_) => &[],
        };
        let mut names = BTreeSet::new();
        for item in items {
            let again = setting(&item.text)
                .filter(|(name, _)| key.shape == Shape::Settings && !names.insert(*name));
            let (problem, help) = match (problem(key.shape, item), again) {
                (Some(problem), _) => (problem, key.help()),
                (None, Some((name, _))) => {
                    let help = "remove one of them".to_owned();
                    (format!("`{name}` is given twice"), help)
                }
                (None, None) => {
                    self.judge(key, item);
                    continue;
                }
            };
            let message = format!("`{}`: {problem}", key.name);
            self.fault(Fault::new(item.line, message, help));
        }
        let values = items.iter().map(|item| item.text.clone()).collect();
        self.values.push((key.name, values));
    }

    fn judge(&mut self, key: &'static Key, item: &ScalarText) {
        let line = item.line;
        // An unknown type has a fault of its own.
        let is_other =
            |hook_type: &str| TYPES.words.contains(&hook_type) && about_tools(hook_type).is_some();
        if key.name == "tool" && self.one("type").is_some_and(is_other) {
            let message = "`tool`: only an `action` hook is about a tool";
            self.fault(Fault::new(
                line,
                message,
                "remove it, or write `type: action`",
            ));
        }
        // A file may use the attribute's spelling.
        let value = match key.name {
            "requirement" => item.text.replace('_', " "),
            _ => item.text.clone(),
        };
        let wrong = key.complaint(&value);
        if let Some(message) = wrong.and_then(|_| key.complaint(&item.text)) {
            self.fault(Fault::new(line, message, key.help_for(&value)));
        }
    }

    /// Uses the file's name as the tag.
    fn tag_of(&mut self, file: &str) {
        let stem = Path::new(file).file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy().into_owned();
        if tag(&stem).is_some() {
            let message = format!("the file's name `{stem}` cannot be the tag");
            let help = "add `tag: …`, or rename the file in kebab-case";
            self.fault(Fault::new(1, message, help));
        }
        self.values.push(("tag", vec![stem]));
    }
}

/// Returns what is wrong with the shape of a single value, if anything.
fn problem(shape: Shape, value: &ScalarText) -> Option<String> {
    let ScalarText { text, quoted, .. } = value;
    if text.is_empty() && !quoted {
        return Some("it has no value".to_owned());
    }
    let fits = match shape {
        Shape::Text | Shape::Texts => true,
        Shape::Flag => !quoted && text.parse::<bool>().is_ok(),
        Shape::Integer => !quoted && text.parse::<i64>().is_ok(),
        Shape::Settings if setting(text).is_none() => {
            return Some(format!("`{text}` is no `key = value`"));
        }
        Shape::Settings => true,
    };
    (!fits).then(|| format!("`{text}` cannot stand here"))
}

fn setting(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    (!name.is_empty() && !value.is_empty()).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_markdown;

    const GOOD: &str =
        "---\ntype: action\nlifecycle: start\nname: Care\nrequirement: MUST_NOT\n---\n\nText.\n\n";

    fn with(lines: &str) -> Declaration<'static> {
        let text = GOOD.replacen("---\n", &format!("---\n{lines}\n"), 1);
        declaration("hooks/care.md", text.leak())
    }

    fn faults(declared: &Declaration<'_>) -> Vec<String> {
        declared.faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn values_are_read() {
        let declared = with("config: [a = 1, b=x=y]\ntool: 'x*'\nfeatures: sampling");
        assert_eq!(faults(&declared), [""; 0]);
        assert_eq!(
            (declared.text, declared.one("tag")),
            ("Text.", Some("care"))
        );
        let settings: Vec<_> = declared.settings("config").unwrap().collect();
        assert_eq!(settings, [("a", "1"), ("b", "x=y")]);
    }

    #[test]
    fn each_shape_has_its_complaint() {
        for (line, expected) in [
            ("priority: '5'", "`priority`: `5` cannot stand here"),
            ("priority: 1.5", "`priority`: `1.5` cannot stand here"),
            ("required: True", "`required`: `True` cannot stand here"),
            ("app: [a]", "`app`: it has several values"),
            ("storage: [a, ~]", "`storage`: it has no value"),
            ("config: a", "`config`: `a` is no `key = value`"),
            ("config: [a = ]", "`config`: `a =` is no `key = value`"),
            ("config: [a=1, a = 2]", "`config`: `a` is given twice"),
            ("naem: x", "unknown key `naem`"),
            ("tag: a_b", "`tag`: `a_b` is not in kebab-case"),
            ("app: ''", "`app`: the app is empty"),
            (
                "features: roots",
                "`features`: `roots` is none of `tools`, ",
            ),
            (
                "tool: 'a['",
                "`tool`: the pattern has a `[` without its `]`",
            ),
        ] {
            let found = faults(&with(line));
            let expected = format!("line 2: {expected}");
            assert!(
                found.len() == 1
                    && found[0].starts_with(&expected)
                    && found[0].contains("\nhelp: "),
                "{line}: {found:?}"
            );
        }
    }

    #[test]
    fn the_word_that_was_meant_is_named() {
        for (text, wrong, expected) in [
            ("action", "acton", "write `type: action`"),
            ("MUST_NOT", "must not", "write `requirement: MUST NOT`"),
            (
                "start",
                "then",
                "write `lifecycle: start`, `running`, `progress`, `cancel` or `end`",
            ),
        ] {
            let text = GOOD.replace(text, wrong);
            let declared = declaration("care.md", &text);
            let mut helps = declared.faults.iter().map(|fault| &*fault.help);
            assert!(helps.any(|help| help == expected), "{wrong}");
        }
        let text = GOOD.replace("requirement", "requirment");
        let found = faults(&declaration("care.md", &text));
        assert_eq!(
            found,
            ["line 5: unknown key `requirment`\nhelp: write `requirement`"]
        );
    }

    #[test]
    fn a_file_is_short_and_utf8() {
        assert!(hook_text("a.md", &[b'x'; MAX_TEXT]).is_ok());
        assert!(hook_text("a.md", &[b'x'; MAX_TEXT + 1]).is_err());
        assert_eq!(hook_text("a.md", b"a\nb\n\xff").unwrap_err().line, 3);
        for name in [
            "below/a.MD",
            "below/a.Md",
            "below/a.markdown",
            "below/a.mdx",
        ] {
            assert!(is_markdown(Path::new(name)), "{name}");
            let fault = hook_text(name, b"Text.").unwrap_err();
            assert_eq!(fault.help, "rename it to `below/a.md`");
        }
        for other in ["a.txt", "a.md~", "md", "a.md.bak"] {
            assert!(!is_markdown(Path::new(other)), "{other}");
        }
    }
}
