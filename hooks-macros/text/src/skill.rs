//! The format of skills: names, descriptions, and the front matter of a `SKILL.md`.

use crate::{Declaration, Entry, Fault, Value, front_matter::read};

/// The longest description of a skill, in characters.
pub const MAX_SKILL_DESCRIPTION: usize = 1024;

/// The most files of a skill. Hosts need not load a larger one.
pub const MAX_SKILL_FILES: usize = 512;

/// The most bytes of a skill's files together (16 MiB). Hosts need not load a larger one.
pub const MAX_SKILL_BYTES: usize = 16 * 1024 * 1024;

const MAX_NAME: usize = 64;
const NAME_RULE: &str =
    "a skill's name is 1 to 64 of `a` to `z` and `0` to `9`, with single `-` between them";
const DESCRIBE: &str = "write `description: …`: what the skill is for, and when to use it";

/// Whether this can be the name of a skill: 1 to 64 of `a` to `z` and `0` to `9`, with single `-` between them.
pub fn is_skill_name(name: &str) -> bool {
    let is_word = |part: &str| {
        let fits = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
        !part.is_empty() && part.bytes().all(fits)
    };
    name.len() <= MAX_NAME && name.split('-').all(is_word)
}

/// The front matter of a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillFront {
    /// The skill's name.
    pub name: String,
    /// What the skill is for.
    pub description: String,
    /// The other keys, in the order of the file.
    pub others: Vec<Entry>,
}

/// Reads the `SKILL.md` in the folder `folder`, which has the name of the skill.
///
/// # Errors
///
/// All faults of the front matter, or the first one that stops the reader.
pub fn skill_front(folder: &str, text: &str) -> Result<SkillFront, Vec<Fault>> {
    let front = read(text, true).map_err(|fault| vec![fault])?;
    let Some(front) = front else {
        let help = "begin the file with a line `---`";
        return Err(vec![Fault::new(1, "there is no front matter", help)]);
    };
    let mut faults = Vec::new();
    let mut take = |key: &str, help: String| {
        let (text, line) = match front.entries.iter().find(|entry| entry.key == key) {
            Some(entry) => (single(entry), entry.line),
            None => {
                faults.push(Fault::new(1, format!("missing `{key}`"), help));
                return None;
            }
        };
        match text {
            Some(text) if !text.trim().is_empty() => Some((text.to_owned(), line)),
            _ => {
                faults.push(Fault::new(line, format!("`{key}`: it has no text"), help));
                None
            }
        }
    };
    let name = take("name", format!("write `name: {folder}`"));
    let description = take("description", DESCRIBE.to_owned());
    if let Some((name, line)) = &name {
        faults.extend(name_fault(name, folder, *line));
    }
    if let Some((description, line)) = &description {
        faults.extend(long(description, *line));
    }
    match (name, description) {
        (Some((name, _)), Some((description, _))) if faults.is_empty() => Ok(SkillFront {
            name,
            description,
            others: front
                .entries
                .into_iter()
                .filter(|entry| entry.key != "name" && entry.key != "description")
                .collect(),
        }),
        _ => Err(faults),
    }
}

/// Returns the faults of a hook's file that is served as a skill: its tag is the skill's name.
pub fn hook_as_skill(declared: &Declaration<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let tag = declared.one("tag").unwrap_or_default();
    if !is_skill_name(tag) {
        let message = format!("`{tag}` cannot be a skill's name: {NAME_RULE}");
        faults.push(Fault::new(1, message, "write another `tag: …`"));
    }
    match declared.one("description") {
        Some(description) if !description.trim().is_empty() => faults.extend(long(description, 1)),
        _ => {
            let message = "a skill needs a `description`";
            faults.push(Fault::new(1, message, DESCRIBE));
        }
    }
    faults
}

fn single(entry: &Entry) -> Option<&str> {
    match &entry.value {
        Value::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

fn name_fault(name: &str, folder: &str, line: usize) -> Option<Fault> {
    if !is_skill_name(name) {
        let message = format!("`name`: `{name}` cannot be one: {NAME_RULE}");
        return Some(Fault::new(line, message, "write `name: …` in kebab-case"));
    }
    if name == folder {
        return None;
    }
    let message = format!("`name`: the skill `{name}` is in the folder `{folder}`");
    let help = format!("rename the folder, or write `name: {folder}`");
    Some(Fault::new(line, message, help))
}

fn long(description: &str, line: usize) -> Option<Fault> {
    let length = description.chars().count();
    let message = format!(
        "`description`: it has {length} characters, and {MAX_SKILL_DESCRIPTION} are allowed"
    );
    (length > MAX_SKILL_DESCRIPTION).then(|| Fault::new(line, message, "shorten it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration;

    #[test]
    fn names_are_words_with_single_hyphens() {
        let longest = "a".repeat(64);
        for good in ["a", "7", "write-hooks", "a-1-b", &longest] {
            assert!(is_skill_name(good), "{good}");
        }
        let too_long = "a".repeat(65);
        for bad in [
            "", "-", "-a", "a-", "a--b", "A", "a_b", "a b", "é", &too_long,
        ] {
            assert!(!is_skill_name(bad), "{bad}");
        }
    }

    #[test]
    fn the_front_matter_keeps_every_key() {
        let text = "---\nname: write-hooks\ndescription: Use it.\nlicense: MIT\n\
                    metadata:\n  author: us\n  version: \"1.0\"\n---\n# Text\n";
        let front = skill_front("write-hooks", text).unwrap();
        assert_eq!(front.description, "Use it.");
        let keys: Vec<&str> = front.others.iter().map(|entry| &*entry.key).collect();
        assert_eq!(keys, ["license", "metadata"]);
        let Value::Map(members) = &front.others[1].value else {
            panic!("{:?}", front.others[1]);
        };
        let (name, version) = &members[1];
        assert_eq!(
            (name.as_str(), version.text.as_str(), version.quoted),
            ("version", "1.0", true)
        );
    }

    #[test]
    fn each_fault_has_its_line() {
        let long = format!("name: a\ndescription: {}", "x".repeat(1025));
        for (lines, expected) in [
            ("name: a", "line 1: missing `description`"),
            ("description: b", "line 1: missing `name`"),
            (
                "name: A\ndescription: b",
                "line 2: `name`: `A` cannot be one",
            ),
            (
                "name: b\ndescription: b",
                "line 2: `name`: the skill `b` is in the folder `a`",
            ),
            (
                "name: a\ndescription:",
                "line 3: `description`: it has no text",
            ),
            (
                "name: a\ndescription: [b]",
                "line 3: `description`: it has no text",
            ),
            (&long, "line 3: `description`: it has 1025 characters"),
            ("name: a\nm:\n  b: [c]", "line 4: `m` has a value inside"),
            (
                "name: a\nm: {b: 1, b: 2}",
                "line 3: `b` is given twice in `m`",
            ),
        ] {
            let faults = skill_front("a", &format!("---\n{lines}\n---\n")).unwrap_err();
            assert_eq!(faults.len(), 1, "{lines:.40}: {faults:?}");
            assert!(faults[0].to_string().starts_with(expected), "{}", faults[0]);
        }
        assert!(skill_front("a", "# Text").is_err());
    }

    #[test]
    fn a_hook_needs_a_description_and_a_tag_that_can_be_a_name() {
        let file = |lines: &str| {
            let text = format!(
                "---\ntype: session\nlifecycle: start\nname: Care\nrequirement: MUST\n{lines}\n---\nText."
            );
            let faults = hook_as_skill(&declaration("care.md", &text));
            let faults = faults.iter().map(|fault| fault.message.to_string());
            faults.collect::<Vec<_>>()
        };
        assert_eq!(file("description: What it is for."), [""; 0]);
        assert_eq!(file("tags: a"), ["a skill needs a `description`"]);
        let found = file("tag: a--b\ndescription: b");
        assert!(
            found[0].starts_with("`a--b` cannot be a skill's name"),
            "{found:?}"
        );
    }
}
