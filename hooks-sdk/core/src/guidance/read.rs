//! Reading a definition from the document's JSON, with every member that is wrong.

use serde::{Deserialize, Deserializer, de};
use serde_json::{Number, Value, json};
use serde_path_to_error::{Segment, deserialize};

use super::{
    HookInput, InvalidHook,
    issue::{Issue, PathSegment},
};

/// The most issues of one definition that are returned. The definition is read once for each.
const MAX_ISSUES: usize = 20;

/// The members that every definition has, each with a value in place of one that is missing or wrong.
const REQUIRED: [(&str, &str); 5] = [
    ("tag", "a"),
    ("type", "session"),
    ("lifecycle", "start"),
    ("name", "a"),
    ("requirementLevel", "MAY"),
];

impl TryFrom<&Value> for HookInput {
    type Error = InvalidHook;

    /// Reads the document's camelCase members. Other members are ignored.
    ///
    /// # Errors
    ///
    /// Every member that is missing, of the wrong type, or breaks a rule, up to 20.
    fn try_from(value: &Value) -> Result<HookInput, InvalidHook> {
        let mut issues = Vec::new();
        let mut value = value.clone();
        // Serde would read a list as the members in their order.
        let Value::Object(members) = &mut value else {
            issues.push(Issue::new(&[], "expected an object"));
            return Err(InvalidHook::of(issues));
        };
        for (key, _) in REQUIRED
            .iter()
            .filter(|(key, _)| !members.contains_key(*key))
        {
            issues.push(Issue::new(&[(*key).into()], "it is missing"));
        }
        if members
            .get("conditions")
            .is_some_and(|conditions| !conditions.is_object())
        {
            issues.push(Issue::new(&["conditions".into()], "expected an object"));
            members.remove("conditions");
        }
        for (key, instead) in REQUIRED {
            members.entry(key).or_insert_with(|| instead.into());
        }
        loop {
            let wrong = match deserialize::<_, HookInput>(&value) {
                Ok(input) => {
                    let more = MAX_ISSUES.saturating_sub(issues.len());
                    issues.extend(input.issues().take(more));
                    return InvalidHook::check(issues).map(|()| input);
                }
                Err(wrong) => wrong,
            };
            let path: Vec<PathSegment> = wrong.path().iter().filter_map(step).collect();
            issues.push(Issue::new(&path, worded(&wrong.inner().to_string())));
            if issues.len() >= MAX_ISSUES || !mend(&mut value, &path) {
                return Err(InvalidHook::of(issues));
            }
        }
    }
}

/// Returns serde's message in the words of JSON, and without the value, which can be long.
fn worded(message: &str) -> String {
    match message.rsplit_once(", expected ") {
        Some((_, "a sequence")) => "expected a list".to_owned(),
        Some((_, "a map")) => "expected an object".to_owned(),
        Some((wrong, wanted)) if wrong.starts_with("invalid type") => format!("expected {wanted}"),
        _ => message.to_owned(),
    }
}

fn step(segment: &Segment) -> Option<PathSegment> {
    match segment {
        Segment::Map { key } => Some(PathSegment::Key(key.clone().into())),
        Segment::Seq { index } => Some(PathSegment::Index(*index)),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

/// Takes what is wrong out of a definition, so that the rest can be read. Returns whether it was there.
fn mend(value: &mut Value, path: &[PathSegment]) -> bool {
    let Some((last, above)) = path.split_last() else {
        return false;
    };
    let above = above.iter().try_fold(value, |value, step| match step {
        PathSegment::Key(key) => value.get_mut(&**key),
        PathSegment::Index(index) => value.get_mut(index),
    });
    match (above, last) {
        // A feature is a text as well. Without the item the others would have other places.
        (Some(Value::Array(items)), PathSegment::Index(index)) => items
            .get_mut(*index)
            .map(|item| *item = json!("tools"))
            .is_some(),
        (Some(Value::Object(members)), PathSegment::Key(key)) => {
            let required = REQUIRED
                .iter()
                .find(|(known, _)| path.len() == 1 && known == key);
            match required {
                Some((key, instead)) => members.insert((*key).to_owned(), json!(instead)).is_some(),
                None => members.remove(&**key).is_some(),
            }
        }
        _ => false,
    }
}

/// Reads an integer. JSON has one kind of number: `50.0` is the integer 50.
pub(super) fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let number = Number::deserialize(deserializer)?;
    let whole = number.as_f64().filter(|number| number.fract() == 0.0);
    let near = whole.filter(|number| number.abs() < i64::MAX as f64);
    let integer = number.as_i64().or_else(|| near.map(|number| number as i64));
    let wrong = || de::Error::custom(format_args!("`{number}` is no integer of 64 bits"));
    integer.map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(value: &Value) -> Vec<String> {
        let invalid = HookInput::try_from(value).unwrap_err();
        let issues = invalid.issues().iter().map(ToString::to_string);
        issues.collect()
    }

    #[test]
    fn each_wrong_member_is_found_and_no_value_is_repeated() {
        assert_eq!(wrong(&json!([])), ["expected an object"]);
        let value = json!({
            "tag": "A B", "name": {}, "type": "session", "requirementLevel": "MAY",
            "conditions": [], "tags": [1, "a", 2], "description": 5, "priority": 1e300,
        });
        let mut found = wrong(&value);
        found.sort();
        let [
            conditions,
            description,
            lifecycle,
            name,
            priority,
            tag,
            first,
            second,
        ] = &found[..]
        else {
            panic!("{found:#?}")
        };
        assert_eq!(conditions, "conditions: expected an object");
        assert_eq!(description, "description: expected a string");
        assert_eq!(lifecycle, "lifecycle: it is missing");
        assert_eq!(name, "name: expected a string");
        assert!(priority.starts_with("priority: "), "{priority}");
        assert!(tag.starts_with("tag: "), "{tag}");
        assert_eq!(first, "tags[0]: expected a string");
        assert_eq!(second, "tags[2]: expected a string");
        let long = json!({ "tags": "x".repeat(60_000) });
        assert!(wrong(&long).contains(&"tags: expected a list".to_owned()));
    }

    #[test]
    fn a_definition_has_no_more_issues_than_are_read() {
        let numbers: Vec<u8> = vec![0; 200];
        let value = json!({
            "tag": "a", "type": "session", "lifecycle": "start", "name": "a", "requirementLevel": "MAY", "tags": numbers,
        });
        assert_eq!(wrong(&value).len(), MAX_ISSUES);
    }
}
