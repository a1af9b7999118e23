//! The digest of what a server declares. A host compares it to see whether the declaration changed.

use std::collections::BTreeSet;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::Domain;
use hooks_core::internal::{JsonPart, json_parts};

/// Why a manifest has no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// An identifier is empty, or has characters that are not allowed.
    #[error("`{0}` is no identifier: it has to be of ASCII letters, digits and `._:*-`")]
    IdentifierCharset(String),
    /// The manifest is not an object.
    #[error("the manifest is no object")]
    ManifestNotObject,
    /// The manifest has a number that does not fit a double. Only a build with arbitrary precision reads such numbers.
    #[error("the manifest has a number that is out of range")]
    NumberRange,
}

impl ManifestError {
    /// Returns the error's word, as in the protocol's own test vectors.
    pub const fn code(&self) -> &'static str {
        match self {
            ManifestError::IdentifierCharset(_) => "identifier_charset",
            ManifestError::ManifestNotObject => "manifest_not_object",
            ManifestError::NumberRange => "number_range",
        }
    }
}

/// Returns the digest of a manifest, which is the object in `experimental.mcpl`.
///
/// Implements MCPL 0.5 §17.2. A `revision` at the root is left out, and nothing else; what has the wrong
/// type is digested as it is.
///
/// # Errors
///
/// An identifier has characters that are not allowed, or the manifest is not an object.
pub fn revision(manifest: &Value) -> Result<String, ManifestError> {
    let digest = Sha256::digest(canonical(manifest)?);
    Ok(format!("sha256:{}", URL_SAFE_NO_PAD.encode(digest)))
}

/// Returns the text that the digest is computed from: RFC 8785, with sets sorted.
///
/// Implements MCPL 0.5 §17.2.
///
/// # Errors
///
/// As for [`revision`].
pub fn canonical(manifest: &Value) -> Result<String, ManifestError> {
    let manifest = manifest
        .as_object()
        .ok_or(ManifestError::ManifestNotObject)?;
    let text = serde_json_canonicalizer::to_vec(&normalised(manifest)?);
    text.ok()
        .and_then(|text| String::from_utf8(text).ok())
        .ok_or(ManifestError::NumberRange)
}

/// Returns the elements of a set without repetitions, sorted by their bytes.
///
/// Implements MCPL 0.5 §17.2.
pub fn set(elements: impl IntoIterator<Item = String>) -> Vec<String> {
    // Rust compares strings by their UTF-8 bytes, which is the order of the document.
    let elements: BTreeSet<String> = elements.into_iter().collect();
    elements.into_iter().collect()
}

/// Returns the domains in which two manifests differ.
///
/// Implements MCPL 0.5 §17.3: a member that is absent is not the same as an empty one, and the order of a
/// set makes no difference.
///
/// # Errors
///
/// As for [`revision`].
pub fn changes(before: &Value, after: &Value) -> Result<Vec<Domain>, ManifestError> {
    let parts = |manifest: &Value| {
        let manifest = manifest
            .as_object()
            .ok_or(ManifestError::ManifestNotObject)?;
        Ok(Parts::of(normalised(manifest)?))
    };
    let (before, after) = (parts(before)?, parts(after)?);
    let domains = [
        (
            Domain::Capabilities,
            before.capabilities != after.capabilities,
        ),
        (
            Domain::FeatureSets,
            before.feature_sets != after.feature_sets,
        ),
        (Domain::TagOntology, before.ontologies != after.ontologies),
    ];
    let changed = domains.into_iter().filter(|(_, changed)| *changed);
    Ok(changed.map(|(domain, _)| domain).collect())
}

/// A manifest, split into its domains.
struct Parts {
    capabilities: Map<String, Value>,
    feature_sets: Option<Value>,
    ontologies: Vec<(String, Value)>,
}

impl Parts {
    fn of(mut capabilities: Map<String, Value>) -> Parts {
        capabilities.remove("version");
        let mut feature_sets = capabilities.remove("featureSets");
        let mut ontologies = Vec::new();
        let sets = feature_sets.as_mut().and_then(Value::as_object_mut);
        for (name, set) in sets.into_iter().flatten() {
            let set = set.as_object_mut();
            if let Some(ontology) = set.and_then(|set| set.remove("tagOntology")) {
                ontologies.push((name.clone(), ontology));
            }
        }
        Parts {
            capabilities,
            feature_sets,
            ontologies,
        }
    }
}

fn normalised(manifest: &Map<String, Value>) -> Result<Map<String, Value>, ManifestError> {
    let mut manifest = manifest.clone();
    manifest.remove("revision");
    for (name, value) in &mut manifest {
        match name.as_str() {
            "version" => {}
            "featureSets" => feature_sets(value)?,
            capability => {
                identifier(capability)?;
                names(value)?;
            }
        }
    }
    Ok(manifest)
}

/// Checks the names below a capability, at any depth. They are parts of its path.
fn names(value: &Value) -> Result<(), ManifestError> {
    json_parts(value).try_for_each(|(_, part)| match part {
        JsonPart::Name(name) => identifier(name),
        JsonPart::Value(_) => Ok(()),
    })
}

/// Sorts the sets in feature sets keyed by name. Feature sets in an array, which some libraries send, stay as they are.
fn feature_sets(sets: &mut Value) -> Result<(), ManifestError> {
    for (name, set) in sets.as_object_mut().into_iter().flatten() {
        identifier(name)?;
        set_at(set, "uses")?;
        if let Some(ontology) = set.get_mut("tagOntology") {
            tag_ontology(ontology)?;
        }
    }
    Ok(())
}

fn tag_ontology(ontology: &mut Value) -> Result<(), ManifestError> {
    set_at(ontology, "coreTags")?;
    let tags = ontology.get_mut("tags").and_then(Value::as_object_mut);
    for (tag, about) in tags.into_iter().flatten() {
        identifier(tag)?;
        set_at(about, "implies")?;
        if let Some(facet) = about.get("facet").and_then(Value::as_str) {
            identifier(facet)?;
        }
    }
    let keyed = ontology.get("keyed").and_then(Value::as_object);
    for (key, about) in keyed.into_iter().flatten() {
        identifier(key)?;
        list_at(about, "values")?;
    }
    let rules = ontology.get("suggestedTreatment").and_then(Value::as_array);
    for rule in rules.into_iter().flatten() {
        for list in ["tagsAny", "tagsAll", "tagsNone"] {
            list_at(rule, list)?;
        }
    }
    Ok(())
}

/// Sorts the set in this member. An array with anything but strings is not a set.
fn set_at(holder: &mut Value, member: &str) -> Result<(), ManifestError> {
    let Some(Value::Array(elements)) = holder.get_mut(member) else {
        return Ok(());
    };
    let strings = elements
        .iter()
        .map(|element| element.as_str().map(str::to_owned));
    let Some(strings) = strings.collect::<Option<Vec<String>>>() else {
        return Ok(());
    };
    strings.iter().try_for_each(|element| identifier(element))?;
    *elements = set(strings).into_iter().map(Value::String).collect();
    Ok(())
}

/// Checks the list in this member. Its order has a meaning, so it is not sorted.
fn list_at(holder: &Value, member: &str) -> Result<(), ManifestError> {
    let elements = holder.get(member).and_then(Value::as_array);
    let mut strings = elements.into_iter().flatten().filter_map(Value::as_str);
    strings.try_for_each(identifier)
}

fn identifier(word: &str) -> Result<(), ManifestError> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._:*-".contains(&byte);
    if !word.is_empty() && word.bytes().all(known) {
        Ok(())
    } else {
        Err(ManifestError::IdentifierCharset(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_domain_by_itself() {
        let before = json!({
            "version": "0.5", "revision": "x", "tools": true,
            "featureSets": {"a": {"description": "A", "uses": ["tools", "pushEvents"],
                "tagOntology": {"coreTags": ["chat:dm"]}}}
        });
        let with = |pointer: &str, value: Value| {
            let mut manifest = before.clone();
            *manifest.pointer_mut(pointer).unwrap() = value;
            changes(&before, &manifest).unwrap()
        };
        assert_eq!(with("/version", json!("0.6")), []);
        assert_eq!(with("/revision", json!("y")), []);
        assert_eq!(with("/tools", json!(false)), [Domain::Capabilities]);
        let uses = "/featureSets/a/uses";
        assert_eq!(with(uses, json!(["pushEvents", "tools", "tools"])), []);
        assert_eq!(with(uses, json!(["tools"])), [Domain::FeatureSets]);
        let tags = "/featureSets/a/tagOntology/coreTags";
        assert_eq!(with(tags, json!([])), [Domain::TagOntology]);
        assert_eq!(
            with("/featureSets", json!({})),
            [Domain::FeatureSets, Domain::TagOntology]
        );
    }

    #[test]
    fn an_absent_member_is_not_an_empty_one() {
        let (without, empty) = (json!({}), json!({"featureSets": {}}));
        assert_eq!(changes(&without, &empty), Ok(vec![Domain::FeatureSets]));
        let ontology = |ontology| json!({"featureSets": {"a": {"tagOntology": ontology}}});
        let without = json!({"featureSets": {"a": {}}});
        assert_eq!(
            changes(&without, &ontology(json!({}))),
            Ok(vec![Domain::TagOntology])
        );
    }

    #[test]
    fn what_is_no_manifest() {
        for wrong in [json!(null), json!([]), json!("x"), json!(1)] {
            assert_eq!(revision(&wrong), Err(ManifestError::ManifestNotObject));
            assert!(changes(&wrong, &json!({})).is_err());
        }
        let in_an_array = json!({"vendor": [{"a b": 1}]});
        assert_eq!(
            revision(&in_an_array).unwrap_err().code(),
            "identifier_charset"
        );
    }

    #[test]
    fn wrong_types_are_digested_as_they_are() {
        for manifest in [
            json!({"version": {"a b": 1}}),
            json!({"featureSets": [{"a b": 1, "uses": ["z", "a"]}]}),
            json!({"featureSets": {"a": "b c"}}),
            json!({"featureSets": {"a": {"tagOntology": {"tags": ["b c"], "keyed": "b c",
                "suggestedTreatment": {"x": {"tagsAny": ["b c"]}}}}}}),
            json!({"featureSets": {"a": {"tagOntology": {"coreTags": ["z", 1, "a b"]}}}}),
        ] {
            assert_eq!(canonical(&manifest).unwrap(), manifest.to_string());
        }
        // Written as a double, since RFC 8785 treats JSON's numbers as doubles.
        let large = json!({"limit": u64::MAX});
        assert_eq!(
            canonical(&large).unwrap(),
            r#"{"limit":18446744073709552000}"#
        );
    }
}
