//! The schemas of appendix B: our types accept what they accept.

use hooks_sdk::mcpl::{
    ContentBlock, Version,
    wire::{FeatureSetDeclaration, uses},
};
use jsonschema::Validator;
use serde_json::{Map, Value, from_value, json};

pub(super) fn check(schema: &Value) -> Result<(), String> {
    let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
    if schema.get("oneOf").is_some() {
        return blocks(&validator);
    }
    match schema["properties"]["uses"]["items"]["enum"].as_array() {
        Some(words) => declarations(&validator, words),
        None => Err("a schema of neither content blocks nor feature sets".to_owned()),
    }
}

/// Every combination of kinds and members, each absent, right or of the wrong type.
///
/// Not among them are `null`, which ours reads as absent, and kinds that the schema does not know, which ours
/// keeps.
fn blocks(validator: &Validator) -> Result<(), String> {
    let kinds = [
        None,
        Some(json!("text")),
        Some(json!("image")),
        Some(json!("audio")),
    ];
    let more = [Some(json!("resource")), Some(json!(1))];
    let values = [None, Some(json!("x")), Some(json!(5))];
    let mut blocks = vec![Map::new()];
    for (member, choices) in [
        ("type", [&kinds[..], &more[..]].concat()),
        ("text", values.to_vec()),
        ("data", values.to_vec()),
        ("mimeType", values.to_vec()),
        ("uri", values.to_vec()),
        ("lang", vec![None, Some(json!({}))]),
    ] {
        blocks = combined(&blocks, member, &choices);
    }
    let not_objects = [json!("x"), json!([]), json!(null), json!(1)];
    let mut probes = blocks.into_iter().map(Value::Object).chain(not_objects);
    probes.try_for_each(|block| {
        let ours = from_value::<ContentBlock>(block.clone()).is_ok();
        agree(validator, &block, ours)
    })
}

fn declarations(validator: &Validator, words: &[Value]) -> Result<(), String> {
    let newer = words.contains(&json!("inferenceLifecycle"));
    let version = if newer { Version::V05 } else { Version::V04 };
    if json!(uses(version)) != json!(words) {
        return Err(format!("{:?}", uses(version)));
    }
    let mut values = vec![
        None,
        Some(json!([])),
        Some(json!("tools")),
        Some(json!([1])),
    ];
    values.push(Some(json!(words)));
    values.push(Some(json!(["tools", "tools"])));
    for word in [Version::V04, Version::V05]
        .into_iter()
        .flat_map(uses)
        .chain(&["", "Tools"])
    {
        values.push(Some(json!([word])));
        values.push(Some(json!(["tools", word])));
    }
    let mut probes = vec![Map::new()];
    for (member, choices) in [
        ("description", vec![None, Some(json!("x")), Some(json!(1))]),
        ("uses", values),
        ("since", vec![None, Some(json!({}))]),
    ] {
        probes = combined(&probes, member, &choices);
    }
    probes.into_iter().map(Value::Object).try_for_each(|probe| {
        let ours = from_value::<FeatureSetDeclaration>(probe.clone());
        let ours = ours.is_ok_and(|ours| ours.unknown_uses(version).next().is_none());
        agree(validator, &probe, ours)
    })
}

/// Each of the objects with each of the choices for a member.
fn combined(
    objects: &[Map<String, Value>],
    member: &str,
    choices: &[Option<Value>],
) -> Vec<Map<String, Value>> {
    let with = |object: &Map<String, Value>, choice: &Option<Value>| {
        let mut object = object.clone();
        if let Some(value) = choice {
            object.insert(member.to_owned(), value.clone());
        }
        object
    };
    let all = objects
        .iter()
        .flat_map(|object| choices.iter().map(move |choice| (object, choice)));
    all.map(|(object, choice)| with(object, choice)).collect()
}

fn agree(validator: &Validator, value: &Value, ours: bool) -> Result<(), String> {
    match (validator.is_valid(value), ours) {
        (true, false) => Err(format!("ours refuses {value}")),
        (false, true) => Err(format!("ours accepts {value}")),
        _ => Ok(()),
    }
}
