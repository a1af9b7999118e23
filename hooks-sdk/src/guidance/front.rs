//! A hook's front matter as a definition.

use std::{borrow::Cow, collections::BTreeSet, path::Path, str::FromStr};

use hooks_text::{Entry, Scalar, Value as Written, front_matter};
use serde_json::{Map, Value};

use super::{HookInput, HookType, Lifecycle, McpFeature, RequirementLevel, rule};
use crate::core::BuildError;

/// The keys of a front matter, in the order in which they are listed to authors.
const KEYS: &[&str] = &[
    "type",
    "lifecycle",
    "name",
    "requirement",
    "tag",
    "priority",
    "app",
    "description",
    "storage",
    "features",
    "config",
    "tags",
    "blocking",
    "dependencies",
    "tool",
    "required",
];

/// What is wrong in a file, and where.
#[derive(Debug)]
pub(super) struct Fault {
    line: usize,
    message: Cow<'static, str>,
    help: Cow<'static, str>,
}

impl Fault {
    pub(super) fn new(
        line: usize,
        message: impl Into<Cow<'static, str>>,
        help: impl Into<Cow<'static, str>>,
    ) -> Fault {
        Fault {
            line,
            message: message.into(),
            help: help.into(),
        }
    }

    pub(super) fn in_file(self, file: &str) -> BuildError {
        BuildError::new(
            None,
            format!("{file}:{}: {}", self.line, self.message),
            self.help,
        )
    }
}

/// Reads the hook that the file `name` declares.
pub(super) fn hook(name: &str, text: &str) -> Result<HookInput, Vec<Fault>> {
    let front = match front_matter(text) {
        Ok(Some(front)) => front,
        Ok(None) => {
            return Err(vec![Fault::new(
                1,
                "there is no front matter",
                "begin the file with a line `---`",
            )]);
        }
        Err(problem) => {
            return Err(vec![Fault::new(
                problem.line,
                problem.message,
                problem.help,
            )]);
        }
    };
    let body = text[front.body..].trim_end();
    let mut keys = Keys {
        entries: &front.entries,
        faults: Vec::new(),
    };
    keys.unknown();
    let input = keys.input(name);
    let mut faults = keys.faults;
    if body.is_empty() {
        let line = text.lines().count();
        faults.push(Fault::new(
            line,
            "the text is empty",
            "write what the agent should read",
        ));
    }
    match input {
        Some(input) if faults.is_empty() => Ok(input.text(body).content_file(name.to_owned())),
        _ => Err(faults),
    }
}

/// The keys of one file, read one by one, leaving a fault for each that is wrong.
struct Keys<'f> {
    entries: &'f [Entry],
    faults: Vec<Fault>,
}

type Read<T> = Result<T, String>;

impl<'f> Keys<'f> {
    fn unknown(&mut self) {
        for entry in self
            .entries
            .iter()
            .filter(|entry| !KEYS.contains(&&*entry.key))
        {
            let help = format!("the keys are `{}`", KEYS.join("`, `"));
            self.faults.push(Fault::new(
                entry.line,
                format!("unknown key `{}`", entry.key),
                help,
            ));
        }
    }

    fn input(&mut self, file: &str) -> Option<HookInput> {
        let hook_type = self.required::<HookType>("type", word);
        let lifecycle = self.required::<Lifecycle>("lifecycle", word);
        let name = self.required("name", |value| text_with(value, rule::name));
        let level = self.required("requirement", level);
        let tag = match self.find("tag") {
            Some(_) => self.one("tag", |value| text_with(value, rule::tag)),
            None => self.tag_of(file),
        };
        let priority = self.one("priority", parsed::<i64>);
        let app = self.one("app", |value| text_with(value, rule::app));
        let description = self.one("description", text);
        let storage = self.several("storage", text);
        let features = self.several("features", word::<McpFeature>);
        let config = self.config();
        let tags = self.several("tags", text);
        let blocking = self.one("blocking", parsed::<bool>);
        let dependencies = self.several("dependencies", text);
        let tool = match hook_type {
            Some(hook_type) => self.one("tool", |value| {
                text_with(value, |tool| rule::tool(hook_type, tool))
            }),
            None => None,
        };
        let required = self.one("required", parsed::<bool>);
        let mut input = HookInput::new(hook_type?, lifecycle?, tag?, name?, level?);
        if let Some(storage) = storage {
            input = input.requires_storage(storage);
        }
        if let Some(features) = features {
            input = input.requires_features(features);
        }
        if let Some(config) = config {
            input = input.requires_config(config);
        }
        input.app = app.map(Cow::Owned);
        input.priority = priority;
        input.description = description.map(Cow::Owned);
        input.tool = tool.map(Cow::Owned);
        Some(
            input
                .tags(tags.unwrap_or_default())
                .blocking(blocking.unwrap_or_default())
                .required(required.unwrap_or_default())
                .dependencies(dependencies.unwrap_or_default()),
        )
    }

    fn find(&self, key: &str) -> Option<&'f Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn fault(&mut self, key: &str, line: usize, problem: &str) {
        self.faults
            .push(Fault::new(line, format!("`{key}`: {problem}"), help(key)));
    }

    fn required<T>(&mut self, key: &'static str, read: impl Fn(&Scalar) -> Read<T>) -> Option<T> {
        if self.find(key).is_none() {
            self.faults
                .push(Fault::new(1, format!("missing `{key}`"), help(key)));
        }
        self.one(key, read)
    }

    fn one<T>(&mut self, key: &'static str, read: impl Fn(&Scalar) -> Read<T>) -> Option<T> {
        let entry = self.find(key)?;
        let (line, value) = match &entry.value {
            Written::Scalar(scalar) => (scalar.line, read_one(scalar, read)),
            Written::List(_) => (entry.line, Err("it has several values".to_owned())),
        };
        value
            .map_err(|problem| self.fault(key, line, &problem))
            .ok()
    }

    /// A list, for which a single value may stand.
    fn several<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&Scalar) -> Read<T>,
    ) -> Option<Vec<T>> {
        let entry = self.find(key)?;
        let items = match &entry.value {
            Written::Scalar(scalar) => std::slice::from_ref(scalar),
            Written::List(items) => items,
        };
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match read_one(item, &read) {
                Ok(value) => values.push(value),
                Err(problem) => self.fault(key, item.line, &problem),
            }
        }
        Some(values)
    }

    fn config(&mut self) -> Option<Map<String, Value>> {
        let pairs = self.several("config", |item| Ok((pair(item)?, item.line)))?;
        let mut names = BTreeSet::new();
        for ((name, _), line) in &pairs {
            if !names.insert(name) {
                self.fault("config", *line, &format!("`{name}` is given twice"));
            }
        }
        Some(pairs.into_iter().map(|(pair, _)| pair).collect())
    }

    fn tag_of(&mut self, file: &str) -> Option<String> {
        let stem = Path::new(file)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match rule::tag(&stem) {
            None => Some(stem),
            Some(_) => {
                let message = format!("the file's name `{stem}` cannot be the tag");
                self.faults.push(Fault::new(
                    1,
                    message,
                    "add `tag: …`, or rename the file in kebab-case",
                ));
                None
            }
        }
    }
}

fn read_one<T>(scalar: &Scalar, read: impl Fn(&Scalar) -> Read<T>) -> Read<T> {
    if scalar.text.is_empty() && !scalar.quoted {
        return Err("it has no value".to_owned());
    }
    read(scalar)
}

fn text(scalar: &Scalar) -> Read<String> {
    Ok(scalar.text.clone())
}

fn text_with(scalar: &Scalar, rule: impl Fn(&str) -> Option<&'static str>) -> Read<String> {
    rule(&scalar.text).map_or_else(|| text(scalar), |problem| Err(problem.to_owned()))
}

fn word<T: FromStr<Err: ToString>>(scalar: &Scalar) -> Read<T> {
    scalar
        .text
        .parse()
        .map_err(|problem: T::Err| problem.to_string())
}

/// A requirement level in the document's words, or as the attribute writes it: `MUST_NOT`.
fn level(scalar: &Scalar) -> Read<RequirementLevel> {
    let spaced = scalar.text.replace('_', " ");
    spaced.parse().or_else(|_| word(scalar))
}

fn parsed<T: FromStr>(scalar: &Scalar) -> Read<T> {
    let parsed = scalar.text.parse().ok().filter(|_| !scalar.quoted);
    parsed.ok_or_else(|| format!("`{}` cannot stand here", scalar.text))
}

/// A `key = value` of the configuration; the value is JSON, or else a text.
fn pair(scalar: &Scalar) -> Read<(String, Value)> {
    let pair = scalar
        .text
        .split_once('=')
        .map(|(name, value)| (name.trim(), value.trim()));
    let Some((name, value)) = pair.filter(|(name, value)| !name.is_empty() && !value.is_empty())
    else {
        return Err(format!("`{}` is no `key = value`", scalar.text));
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
    Ok((name.to_owned(), value))
}

fn help(key: &str) -> Cow<'static, str> {
    let words = |words: &[&str]| format!("write `{key}: {}`", words.join("`, or `"));
    match key {
        "type" => words(HookType::WORDS).into(),
        "lifecycle" => words(Lifecycle::WORDS).into(),
        "requirement" => words(RequirementLevel::WORDS).into(),
        "features" => format!("the features are `{}`", McpFeature::WORDS.join("`, `")).into(),
        "name" => "write `name: …`, a name for people".into(),
        "tag" => "write `tag: …` in kebab-case".into(),
        "priority" => "write a whole number, as in `priority: 50`".into(),
        "blocking" | "required" => format!("write `{key}: true`, or leave it out").into(),
        "config" => "write a list of conditions, as in `config: [debug = true]`".into(),
        _ => format!("write `{key}: …`, or leave it out").into(),
    }
}
