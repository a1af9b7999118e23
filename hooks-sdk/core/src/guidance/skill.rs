//! Skills: folders of text that an agent reads when it needs them.

use std::{any::Any, borrow::Cow, collections::HashMap, fmt};

use hooks_text::{Entry, Fault, ScalarText, skill_front};
use serde_json::{Map, Value};

use super::{GuidanceHook, front::in_file, rule};
use crate::macros::{debugs, entry, setters};
use crate::{BuildError, Hook, Origin, Owner, Problem, Registry};

/// The name of the file with a skill's front matter and its text.
#[doc(hidden)]
pub const SKILL_MD: &str = "SKILL.md";

/// A skill: a `SKILL.md` with a name and a description, and the files beside it.
///
/// `dir!` makes one of each folder with a `SKILL.md`, and of each hook, if you write `skills`. This
/// makes one by hand:
///
/// ```
/// use hooks_sdk::{core::Registry, guidance::Skill};
///
/// let skill = Skill::embedded("skills/tidy-notes", [(
///     "SKILL.md",
///     "---\nname: tidy-notes\ndescription: Merges notes that say the same. Use it when a search finds doubles.\n---\n\
///      Call `merge_notes` with both ids.\n"
///         .as_bytes(),
/// )]);
/// let registry = Registry::builder().add(skill.into()).build()?;
/// # assert_eq!(hooks_sdk::guidance::problems(&registry), []);
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct Skill {
    name: String,
    description: String,
    others: Map<String, Value>,
    files: Vec<SkillFile>,
    faults: Vec<BuildError>,
    owner: Owner,
    origin: Origin,
}

/// A file of a skill.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillFile {
    /// The path below the skill's folder, with slashes.
    pub path: Cow<'static, str>,
    /// The bytes of the file.
    pub content: Cow<'static, [u8]>,
}

impl Skill {
    /// Makes a skill of the files in `folder`, by their paths in it. The last part of `folder` is the skill's name.
    ///
    /// A problem of the files is an error when the server is built.
    #[track_caller]
    pub fn embedded<P, C>(folder: &str, files: impl IntoIterator<Item = (P, C)>) -> Skill
    where
        P: Into<Cow<'static, str>>,
        C: Into<Cow<'static, [u8]>>,
    {
        let files = files.into_iter().map(|(path, content)| SkillFile {
            path: path.into(),
            content: content.into(),
        });
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let mut skill = Skill {
            name: name.to_owned(),
            description: String::new(),
            others: Map::new(),
            files: files.collect(),
            faults: Vec::new(),
            owner: Owner::ANY,
            origin: Origin::here(),
        };
        match skill.front() {
            Ok((description, others)) => {
                skill.description = description;
                skill.others = others;
            }
            Err(faults) => {
                let file = format!("{folder}/{SKILL_MD}");
                let faults = faults.into_iter().map(|fault| in_file(fault, &file));
                skill.faults = faults.collect();
            }
        }
        skill.faults.extend(skill.too_large());
        skill.faults.extend(skill.outside());
        skill
    }

    /// Makes the skill of a hook with a fixed text.
    fn of_hook(hook: &GuidanceHook, owner: Owner, origin: Origin) -> Skill {
        let input = hook.input();
        let description = input.description.clone().unwrap_or_default();
        let text = input.text.as_deref().unwrap_or_default();
        // A text in JSON is a quoted text in YAML.
        let quoted = Value::from(&*description);
        let content = format!(
            "---\nname: {}\ndescription: {quoted}\n---\n\n{}\n",
            input.tag,
            text.trim()
        );
        Skill {
            name: input.tag.to_string(),
            description: description.into_owned(),
            others: Map::new(),
            files: vec![SkillFile {
                path: SKILL_MD.into(),
                content: content.into_bytes().into(),
            }],
            faults: Vec::new(),
            owner,
            origin,
        }
    }

    setters! {
        /// Sets the server `H` as the skill's owner.
        fn server<H: Any>(mut self) { self.owner = Owner::of::<H>() }
    }

    /// Returns the name: 1 to 64 of `a` to `z`, `0` to `9` and `-`. It is also the name of the skill's folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the skill is for, in at most 1,024 characters.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the keys of the front matter other than `name` and `description`.
    pub fn others(&self) -> &Map<String, Value> {
        &self.others
    }

    /// Returns the files with their paths in the skill's folder. One of them is `SKILL.md`.
    pub fn files(&self) -> &[SkillFile] {
        &self.files
    }

    fn front(&self) -> Result<(String, Map<String, Value>), Vec<Fault>> {
        let fault = |message: &'static str, help: &'static str| vec![Fault::new(1, message, help)];
        let manifest = self.files.iter().find(|file| file.path == SKILL_MD);
        let manifest = manifest
            .ok_or_else(|| fault("the skill has no `SKILL.md`", "add it to the skill's files"))?;
        let text = std::str::from_utf8(&manifest.content)
            .map_err(|_| fault("the file is not UTF-8", "save it as UTF-8"))?;
        let front = skill_front(&self.name, text)?;
        let others = front.others.iter();
        let others = others.map(|entry| (entry.key.clone(), value(entry)));
        Ok((front.description, others.collect()))
    }

    /// Returns the problem of a path that leads out of the skill's folder, or that has several spellings.
    fn outside(&self) -> Option<BuildError> {
        let is_plain = |part: &str| !matches!(part, "" | "." | "..");
        let mut files = self.files.iter();
        let wrong = files.find(|file| !file.path.split('/').all(is_plain))?;
        let message = format!(
            "`{}` is no path in the folder of the skill `{}`",
            wrong.path, self.name
        );
        let help = "name the file relative to the folder, with `/` between the parts";
        Some(BuildError::new(self.origin, message, help))
    }

    fn too_large(&self) -> Option<BuildError> {
        let bytes: usize = self.files.iter().map(|file| file.content.len()).sum();
        let files = self.files.len();
        let fits = files <= hooks_text::MAX_SKILL_FILES && bytes <= hooks_text::MAX_SKILL_BYTES;
        let message = format!(
            "the skill `{}` has {files} files and {bytes} bytes, and at most {} files and {} bytes are allowed",
            self.name,
            hooks_text::MAX_SKILL_FILES,
            hooks_text::MAX_SKILL_BYTES
        );
        (!fits).then(|| BuildError::new(self.origin, message, "make two skills of it"))
    }
}

/// Returns the value of a key as JSON.
fn value(entry: &Entry) -> Value {
    match &entry.value {
        hooks_text::Value::Scalar(scalar) => single(scalar),
        hooks_text::Value::List(items) => items.iter().map(single).collect(),
        hooks_text::Value::Map(members) => members
            .iter()
            .map(|(name, scalar)| (name.clone(), single(scalar)))
            .collect(),
    }
}

/// Reads a value as YAML's core schema does: `true`, a number and nothing are no texts unless they are quoted.
fn single(scalar: &ScalarText) -> Value {
    let text = &scalar.text;
    let read = match (scalar.quoted, text.as_str()) {
        (true, _) => None,
        (false, "") => Some(Value::Null),
        (false, plain) => serde_json::from_str(plain)
            .ok()
            .filter(|value: &Value| !value.is_array() && !value.is_object()),
    };
    read.unwrap_or_else(|| Value::from(text.as_str()))
}

entry!(Skill: "guidance", |skill| "skill", format!("skill:{}", skill.name));

/// Returns the skills of a registry, in registry order: its folders, and its hooks that are served as skills.
#[doc(hidden)]
pub fn skills(registry: &Registry) -> Vec<Skill> {
    let each = registry.iter().filter_map(|entry| {
        if let Some(skill) = entry.detail::<Skill>() {
            return Some(skill.clone());
        }
        let hook = entry
            .detail::<GuidanceHook>()
            .filter(|hook| hook.is_skill());
        hook.map(|hook| Skill::of_hook(hook, entry.owner(), entry.origin()))
    });
    each.collect()
}

/// Returns every problem of the registry's skills.
pub(super) fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Vec::new();
    let mut names: HashMap<String, &Hook> = HashMap::new();
    for entry in registry.iter() {
        let name = if let Some(skill) = entry.detail::<Skill>() {
            found.extend_from_slice(&skill.faults);
            skill.name.clone()
        } else if let Some(hook) = entry.detail::<GuidanceHook>()
            && hook.is_skill()
            && hook.faults().is_empty()
        {
            let broken = problem(hook).map(|problem| {
                let message = format!("the hook `{}` as a skill: {problem}", entry.id());
                BuildError::new(entry.origin(), message, problem.help())
            });
            found.extend(broken);
            hook.input().tag.to_string()
        } else {
            continue;
        };
        // The registry itself reports two skills of folders.
        match names.get(&name) {
            Some(first) if first.id() != entry.id() => found.push(BuildError::new(
                entry.origin(),
                format!(
                    "a second skill with the name `{name}`; the first is at {}",
                    first.origin()
                ),
                "give one of them another name (of a hook: its `id`, in a file: `tag`)",
            )),
            Some(_) => {}
            None => _ = names.insert(name, entry),
        }
    }
    found
}

const WITHOUT_TEXT: Problem =
    Problem::new("it has no fixed text\nhelp: give it a text, or remove `.skill()`");

fn problem(hook: &GuidanceHook) -> Option<Problem> {
    let input = hook.input();
    rule::skill_name(&input.tag)
        .or_else(|| rule::skill_description(input.description.as_deref().unwrap_or_default()))
        .or_else(|| input.text.is_none().then_some(WITHOUT_TEXT))
}

debugs!(Skill { name, files });

impl fmt::Debug for SkillFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.path, self.content.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guidance::{HookInput, HookType, Lifecycle, RequirementLevel};

    fn skill(folder: &str, text: &'static str) -> Skill {
        Skill::embedded(folder, [(SKILL_MD, text.as_bytes())])
    }

    fn hook(tag: &'static str) -> GuidanceHook {
        let (at, level) = ((HookType::Session, Lifecycle::Start), RequirementLevel::May);
        let input = HookInput::new(at.0, at.1, tag, "A", level).description("Says \"a: b\".");
        GuidanceHook::new(input.text("Text.")).skill()
    }

    fn found(hooks: impl IntoIterator<Item = Hook>) -> Vec<String> {
        let registry = hooks
            .into_iter()
            .fold(Registry::builder(), |all, hook| all.add(hook));
        let found = problems(&registry.build().unwrap());
        found
            .iter()
            .map(|problem| problem.message.to_string())
            .collect()
    }

    #[test]
    fn the_values_of_the_front_matter_keep_their_types() {
        let text = "---\nname: a\ndescription: b\nlicense: MIT\nuser-invocable: false\nversion: 1.5\n\
                    quoted: \"1.5\"\nallowed-tools: [Read, Bash]\nnone:\nmetadata: {author: us, stable: true}\n---\nText.";
        let skill = skill("skills/a", text);
        let expected = serde_json::json!({
            "license": "MIT", "user-invocable": false, "version": 1.5, "quoted": "1.5",
            "allowed-tools": ["Read", "Bash"], "none": null, "metadata": {"author": "us", "stable": true},
        });
        assert_eq!(Value::Object(skill.others().clone()), expected);
        assert_eq!(found([skill.into()]), [""; 0]);
    }

    #[test]
    fn a_hook_as_a_skill_has_a_front_matter_that_says_the_same() {
        let registry = Registry::builder()
            .add(hook("care").into())
            .build()
            .unwrap();
        let [skill] = &skills(&registry)[..] else {
            panic!("one skill")
        };
        let text = String::from_utf8(skill.files()[0].content.to_vec()).unwrap();
        assert!(text.ends_with("---\n\nText.\n"), "{text}");
        let front = skill_front("care", &text).unwrap();
        assert_eq!(front.description, skill.description());
        assert_eq!(
            (skill.name(), skill.description()),
            ("care", "Says \"a: b\".")
        );
    }

    #[test]
    fn what_is_wrong_is_found_at_the_start() {
        let good = "---\nname: a\ndescription: b\n---\n";
        assert_eq!(found([skill("a", good).into(), hook("b").into()]), [""; 0]);
        let twice = found([skill("a", good).into(), hook("a").into()]);
        assert!(
            twice[0].starts_with("a second skill with the name `a`"),
            "{twice:?}"
        );
        let other = found([skill("skills/b", good).into()]);
        assert_eq!(
            other,
            ["skills/b/SKILL.md:2: `name`: the skill `a` is in the folder `b`"]
        );
        let none = Skill::embedded("a", [("other.md", b"x".as_slice())]);
        assert_eq!(
            found([none.into()]),
            ["a/SKILL.md:1: the skill has no `SKILL.md`"]
        );
        for path in ["/etc/x", "../x", "a//b", "a/", "."] {
            let outside =
                Skill::embedded("a", [(SKILL_MD, good.as_bytes()), (path, b"x".as_slice())]);
            let found = found([outside.into()]);
            assert_eq!(
                found,
                [format!(
                    "`{path}` is no path in the folder of the skill `a`"
                )]
            );
        }
        let files = (0..513).map(|n| (format!("{n}.txt"), b"x".as_slice()));
        let large = Skill::embedded("a", files);
        assert!(found([large.into()])[1].contains("513 files and 513 bytes"));
        assert!(
            found([hook("a--b").into()])[0]
                .starts_with("the hook `session:start:a--b` as a skill: ")
        );
    }
}
