//! The digests of manifests: canonical text, digest or error, and the order of sets.

use hooks_sdk::mcpl::wire::manifest::{canonical, revision, set};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::vectors::{Mismatch, Outcome};

pub(super) fn run(file: &Value) -> Vec<Outcome> {
    let list = |name: &str| file[name].as_array().map_or(&[][..], Vec::as_slice);
    let digests = list("vectors");
    let mut outcomes: Vec<Outcome> = digests
        .iter()
        .map(|vector| outcome(vector, digest(vector, digests)))
        .collect();
    for vector in list("sortVectors") {
        let input = vector["input"].as_array().into_iter().flatten();
        let sorted = set(input.filter_map(Value::as_str).map(str::to_owned));
        outcomes.push(outcome(
            vector,
            Mismatch::compare(&vector["sorted"], &json!(sorted)),
        ));
    }
    outcomes
}

fn outcome(vector: &Value, result: Result<(), Mismatch>) -> Outcome {
    Outcome {
        name: vector["name"].as_str().unwrap_or("?").to_owned(),
        result,
    }
}

fn digest(vector: &Value, all: &[Value]) -> Result<(), Mismatch> {
    let input = &vector["input"];
    if let Some(code) = vector.get("expectError") {
        let got = revision(input).map_or_else(|error| json!(error.code()), |digest| json!(digest));
        return Mismatch::compare(code, &got);
    }
    let text = canonical(input).map_err(|error| Mismatch {
        expected: vector["canonicalJson"].to_string(),
        got: error.to_string(),
    })?;
    Mismatch::compare(&vector["canonicalJson"], &json!(text))?;
    let bytes = Sha256::digest(&text);
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Mismatch::compare(&vector["sha256Hex"], &json!(hex))?;
    let ours = revision(input).ok();
    Mismatch::compare(&vector["digest"], &json!(ours))?;
    for (member, same) in [("sameDigestAs", true), ("differentDigestFrom", false)] {
        let Some(name) = vector.get(member) else {
            continue;
        };
        let other = all.iter().find(|other| &other["name"] == name);
        let other = other.and_then(|other| revision(&other["input"]).ok());
        if other.is_none() || (other == ours) != same {
            return Err(Mismatch {
                expected: format!("{member} {name}"),
                got: format!("{other:?}"),
            });
        }
    }
    Ok(())
}
